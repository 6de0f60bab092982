//! All calls share one value, so a method takes `&self` and not `self`.
use plainwire::prelude::*;

struct Library;

#[server]
impl Library {
    #[tool]
    async fn count(self) -> u32 {
        1
    }
}

fn main() {}
