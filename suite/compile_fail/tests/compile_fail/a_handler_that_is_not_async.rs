//! A handler has to return a future.
use plainwire::prelude::*;

fn main() {
    drop(Tool::new("one", || 1));
}
