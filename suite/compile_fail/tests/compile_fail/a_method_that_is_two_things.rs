//! A method is either a tool or a prompt.
use plainwire::prelude::*;

struct Library;

#[server]
impl Library {
    #[tool]
    #[prompt]
    async fn count(&self) -> String {
        String::new()
    }
}

fn main() {
    drop(plainwire::server!("wrong").with(Library));
}
