//! A view is a `ui://` resource.
use plainwire::prelude::*;

#[resource("file:///add.html", view)]
async fn page() -> String {
    String::new()
}

fn main() {}
