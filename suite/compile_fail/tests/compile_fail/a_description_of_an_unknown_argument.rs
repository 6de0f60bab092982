//! Only arguments of the function can be described in the section `# Arguments`.
use plainwire::prelude::*;

/// Adds and returns the sum.
/// # Arguments
/// - `a`: the first number
/// - `c`: the second number
#[tool]
async fn add(a: u32, b: u32) -> u32 {
    a + b
}

fn main() {
    let _ = Server::new("s").tool(add);
}
