//! One schema serves all calls.

use plainwire::prelude::*;

struct Shelf<T>(T);

#[server]
impl<T: Send + Sync + 'static> Shelf<T> {
    /// Puts something in.
    #[tool]
    async fn put(&self, thing: Option<T>) {}
}

fn main() {
    let _ = plainwire::server!().with(Shelf(1));
}
