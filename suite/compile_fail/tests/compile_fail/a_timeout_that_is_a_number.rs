//! A time needs a unit.
use plainwire::prelude::*;

/// Waits.
#[tool(timeout = 30)]
async fn wait() {}

fn main() {
    drop(plainwire::server!("wrong").tool(wait));
}
