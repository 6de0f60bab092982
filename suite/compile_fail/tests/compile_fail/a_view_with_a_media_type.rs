//! A view has a media type of its own.
use plainwire::prelude::*;

#[resource("ui://add.html", view, mime_type = "text/html")]
async fn page() -> String {
    String::new()
}

fn main() {}
