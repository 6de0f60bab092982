//! Methods become tools only with `#[server]` on their `impl`.
use plainwire::prelude::*;

struct Library;

impl Library {
    #[tool]
    async fn count(&self) -> u32 {
        1
    }
}

fn main() {}
