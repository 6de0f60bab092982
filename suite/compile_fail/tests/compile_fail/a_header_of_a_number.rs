//! A header holds no fraction and no list. Clients would leave out such a tool.
use plainwire::prelude::*;

#[tool]
async fn find(#[header("Scale")] scale: Option<f64>, #[header("Names")] names: Vec<String>) -> u32 {
    1
}

fn main() {}
