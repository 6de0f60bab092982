//! `#[pattern]` needs the feature `pattern`, which checks patterns.

use plainwire::prelude::*;

#[tool]
async fn issue(#[pattern("^[A-Z]+-[0-9]+$")] key: String) -> String {
    key
}

fn main() {
    let _ = plainwire::server!().tool(issue);
}
