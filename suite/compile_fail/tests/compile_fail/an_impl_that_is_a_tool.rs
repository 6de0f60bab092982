//! An `impl` takes `#[server]`.
use plainwire::prelude::*;

struct Library;

#[tool]
impl Library {}

fn main() {}
