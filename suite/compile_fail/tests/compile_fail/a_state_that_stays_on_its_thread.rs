//! All calls share the state, so its type has to be `Sync`.
use plainwire::prelude::*;

struct Counter(std::cell::RefCell<u32>);

#[tool]
async fn add(counter: State<Counter>) -> u32 {
    *counter.0.borrow()
}

fn main() {}
