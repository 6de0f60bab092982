//! All calls share the state behind a context, so a function takes `&Context`, not `&mut Context`.
use plainwire::prelude::*;

#[tool]
async fn add(ctx: &mut Context) -> u32 {
    1
}

fn main() {}
