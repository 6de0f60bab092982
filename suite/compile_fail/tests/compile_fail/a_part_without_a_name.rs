//! A part is a method, so it needs a name.
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
