//! Calls run at the same time, so a method takes `&self` and not `&mut self`.
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
