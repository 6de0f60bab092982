//! A boolean has no default that is a text.
use plainwire::prelude::*;

#[tool]
async fn find(#[default("yes")] deep: bool) -> bool {
    deep
}

#[data]
struct Query {
    #[default("four")]
    limit: u8,
}

fn main() {}
