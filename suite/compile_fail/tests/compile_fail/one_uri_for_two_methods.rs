//! Clients read resources by their URIs, so two resources can't have one URI.
use plainwire::prelude::*;

struct Library;

#[server]
impl Library {
    #[resource("book://1")]
    async fn one(&self) -> String {
        String::new()
    }

    #[resource("book://1")]
    async fn first(&self) -> String {
        String::new()
    }
}

fn main() {}
