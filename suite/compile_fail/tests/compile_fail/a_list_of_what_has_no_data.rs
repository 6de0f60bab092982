//! The elements of a list of arguments have to be types of arguments too.
use plainwire::prelude::*;

struct Dish;

struct Kitchen;

#[server]
impl Kitchen {
    #[tool]
    async fn cook(&self, dishes: Option<Vec<Dish>>) -> usize {
        dishes.map_or(0, |dishes| dishes.len())
    }
}

fn main() {
    drop(plainwire::server!("wrong").with(Kitchen));
}
