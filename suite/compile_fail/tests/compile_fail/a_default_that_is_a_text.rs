//! A text can't be the default of a boolean or a number.
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
