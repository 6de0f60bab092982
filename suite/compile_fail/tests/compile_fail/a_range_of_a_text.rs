//! Texts have lengths, not ranges.
use plainwire::prelude::*;

#[tool]
async fn add(#[range(1..=10)] text: String) -> u32 {
    1
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
