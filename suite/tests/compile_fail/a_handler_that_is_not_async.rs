//! What a handler returns is awaited.
use plainwire::prelude::*;

fn main() {
    drop(Tool::new("one", || 1));
}
