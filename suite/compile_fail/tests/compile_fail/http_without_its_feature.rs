//! The feature `http` is off.
use plainwire::prelude::*;

#[tool]
async fn add(a: u32) -> u32 {
    a
}

async fn serve() -> Result<()> {
    plainwire::server!("wrong").tool(add).http("127.0.0.1:8000").await
}

fn main() {
    drop(serve());
}
