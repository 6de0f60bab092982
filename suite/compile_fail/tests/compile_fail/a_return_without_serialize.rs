//! A result is sent as JSON.
use plainwire::prelude::*;

struct Sum;

#[tool]
async fn add(a: u32) -> Sum {
    drop(a);
    Sum
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
