//! Methods become tools by the attribute of their `impl`.
use plainwire::prelude::*;

struct Library;

impl Library {
    #[tool]
    async fn count(&self) -> u32 {
        1
    }
}

fn main() {}
