//! All calls share the state behind a context.
use plainwire::prelude::*;

#[tool]
async fn add(ctx: &mut Context) -> u32 {
    1
}

fn main() {}
