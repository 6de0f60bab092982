//! A type without `#[server]` has no entries.
use plainwire::prelude::*;

struct Library;

fn main() {
    drop(Server::new("wrong").with(Library));
}
