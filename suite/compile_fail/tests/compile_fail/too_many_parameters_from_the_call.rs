//! A function takes eight contexts; at most seven parameters may come from the call.
use plainwire::prelude::*;

#[tool]
#[rustfmt::skip]
async fn add(
    a: Context, b: Context, c: Context, d: Context,
    e: Context, f: Context, g: Context, h: Context,
) -> u8 {
    1
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
