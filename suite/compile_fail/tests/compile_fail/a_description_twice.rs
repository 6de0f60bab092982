//! An argument has one description: in the section or above the parameter.
use plainwire::prelude::*;

/// Doubles a number and returns it.
/// # Arguments
/// - `a`: a number
#[tool]
async fn double(
    /// The number.
    a: u32,
) -> u32 {
    2 * a
}

fn main() {
    let _ = Server::new("s").tool(double);
}
