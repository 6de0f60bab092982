//! Nothing says what the library can do.
use plainwire::prelude::*;

struct Library;

fn main() {
    drop(Server::new("wrong").with(Library));
}
