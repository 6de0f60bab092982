//! The schema of a result is sent, too.
use plainwire::prelude::*;

#[derive(Serialize)]
struct Sum;

#[tool]
async fn add(a: u32) -> Result<Sum, ToolError> {
    drop(a);
    Ok(Sum)
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
