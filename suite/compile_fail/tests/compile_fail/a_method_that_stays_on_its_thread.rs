//! Calls move between threads, so the future of a method has to be `Send`.
use plainwire::prelude::*;

struct Library;

#[server]
impl Library {
    #[tool]
    async fn count(&self) -> u32 {
        let one = std::rc::Rc::new(1);
        std::future::ready(()).await;
        *one
    }
}

fn main() {}
