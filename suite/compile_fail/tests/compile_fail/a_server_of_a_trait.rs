//! An `impl` of a trait has no room for the generated items.
use plainwire::prelude::*;

struct Library;

#[server]
impl PartialEq for Library {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

fn main() {}
