//! The shortest server: one function, served over stdio to clients of every revision.

use plainwire::prelude::*;

/// Adds two numbers and returns the sum.
#[tool(read_only)]
async fn add(a: f64, b: f64) -> f64 {
    a + b
}

#[tokio::main]
async fn main() -> Result<()> {
    plainwire::server!("calculator").tool(add).stdio().await
}
