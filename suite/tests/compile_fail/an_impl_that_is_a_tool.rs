//! `#[server]` is for those.
use plainwire::prelude::*;

struct Library;

#[tool]
impl Library {}

fn main() {}
