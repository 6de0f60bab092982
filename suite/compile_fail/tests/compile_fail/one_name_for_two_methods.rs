//! Clients call tools by their names.
use plainwire::prelude::*;

struct Library;

#[server]
impl Library {
    #[tool]
    async fn count(&self) -> u32 {
        1
    }

    #[tool(name = "count")]
    async fn number(&self) -> u32 {
        2
    }
}

fn main() {}
