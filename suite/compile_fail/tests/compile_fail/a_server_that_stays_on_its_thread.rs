//! All calls share the value, so its type has to be `Sync`.
use plainwire::prelude::*;

struct Library(std::cell::Cell<u32>);

#[server]
impl Library {
    #[tool]
    async fn count() -> u32 {
        1
    }
}

fn main() {}
