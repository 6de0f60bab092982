//! `Missing` does not implement `Display`.
use plainwire::prelude::*;

#[derive(Debug)]
struct Missing;

/// A page.
#[resource("page://{n}")]
async fn page(n: u32) -> Result<String, Missing> {
    if n == 0 { Err(Missing) } else { Ok(n.to_string()) }
}

fn main() {
    drop(plainwire::server!("wrong").resource(page));
}
