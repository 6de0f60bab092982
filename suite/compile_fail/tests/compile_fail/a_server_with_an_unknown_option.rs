//! `name` is no option of `#[server]`.
use plainwire::prelude::*;

struct Library;

#[server(name = "library")]
impl Library {
    #[tool]
    async fn count(&self) -> u32 {
        1
    }
}

fn main() {}
