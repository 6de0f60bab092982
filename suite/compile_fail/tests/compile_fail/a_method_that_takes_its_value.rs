//! All calls share one value.
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
