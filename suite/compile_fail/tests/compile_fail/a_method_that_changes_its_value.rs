//! Calls run at the same time.
use plainwire::prelude::*;

struct Library;

#[server]
impl Library {
    #[tool]
    async fn count(&mut self) -> u32 {
        1
    }
}

fn main() {
    drop(plainwire::server!("wrong").with(Library));
}
