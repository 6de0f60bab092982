//! The model reads the error of a tool, so the type of the error has to implement `Display`.
use plainwire::prelude::*;

struct Broken;

#[tool]
async fn add(a: u32) -> Result<u32, Broken> {
    Ok(a)
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
