//! The impl of a trait has no room for more.
use plainwire::prelude::*;

struct Library;

#[server]
impl PartialEq for Library {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

fn main() {}
