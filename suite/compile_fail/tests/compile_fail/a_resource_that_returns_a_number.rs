//! A resource returns text or bytes.
use plainwire::prelude::*;

#[resource("file://one")]
async fn one() -> u32 {
    1
}

fn main() {}
