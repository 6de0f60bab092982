//! A context is no argument.
use plainwire::prelude::*;

/// Waits.
#[tool]
async fn wait(#[argument("The call.")] ctx: Context) {
    drop(ctx);
}

fn main() {
    drop(plainwire::server!("wrong").tool(wait));
}
