//! Clients call tools by their names, so two tools can't have one name.
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
