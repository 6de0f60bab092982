//! An `impl` without an entry for clients.
use plainwire::prelude::*;

struct Library;

#[server]
impl Library {
    fn count(&self) -> u32 {
        1
    }
}

fn main() {
    drop(plainwire::server!("wrong").with(Library));
}
