//! The shortest server: one function, served over stdio to clients of every revision.

use plainwire::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// First addend.
    a: f64,
    /// Second addend.
    b: f64,
}

async fn add(it: Add) -> f64 {
    it.a + it.b
}

#[tokio::main]
async fn main() -> plainwire::Result<()> {
    Server::new("calculator")
        .version(env!("CARGO_PKG_VERSION"))
        .tool(Tool::new("add", add).description("Adds two numbers and returns the sum."))
        .stdio()
        .await
}
