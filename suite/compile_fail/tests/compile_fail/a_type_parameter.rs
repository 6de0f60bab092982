//! One schema cannot describe all types.
use plainwire::prelude::*;

#[tool]
async fn add<T: Into<u32>>(a: T) -> u32 {
    a.into()
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
