//! The option is called `default`.
use plainwire::prelude::*;

#[tool]
async fn page(#[argument("The number of the page.", defualt = 1)] number: u32) -> u32 {
    number
}

#[data]
struct Place {
    #[argument]
    city: String,
}

fn main() {
    drop((plainwire::server!("wrong").tool(page), Place { city: String::new() }));
}
