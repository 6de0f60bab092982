//! A default has to be within the range of its argument.
use plainwire::prelude::*;

#[tool]
async fn wait(
    #[default(30)]
    #[range(1..=24)]
    hours: u32,
    #[range(-1.5..0.0)]
    #[default(-2.0)]
    degrees: f64,
) -> f64 {
    degrees * f64::from(hours)
}

#[data]
struct Pause {
    #[range(-4..=4)]
    #[default(-5)]
    hours: i32,
}

fn main() {}
