//! The option `part` of `#[server]` names the method that it generates.
use plainwire::prelude::*;

struct Library;

#[server(part)]
impl Library {
    #[tool]
    async fn count(&self) -> u32 {
        1
    }
}

fn main() {}
