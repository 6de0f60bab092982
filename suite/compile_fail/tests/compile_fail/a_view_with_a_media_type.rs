//! The option `view` sets the media type, so `mime_type` can't be given too.
use plainwire::prelude::*;

#[resource("ui://add.html", view, mime_type = "text/html")]
async fn page() -> String {
    String::new()
}

fn main() {}
