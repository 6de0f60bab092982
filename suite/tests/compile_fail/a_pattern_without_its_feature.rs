//! A pattern, where the feature that checks patterns is not there.

use plainwire::prelude::*;

#[tool]
async fn issue(#[pattern("^[A-Z]+-[0-9]+$")] key: String) -> String {
    key
}

fn main() {
    let _ = plainwire::server!().tool(issue);
}
