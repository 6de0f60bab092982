//! Calls move between threads, so the future of a function has to be `Send`.
use plainwire::prelude::*;

#[tool]
async fn add(a: u32) -> u32 {
    let a = std::rc::Rc::new(a);
    std::future::ready(()).await;
    *a
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
