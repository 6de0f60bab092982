//! The type of an `#[extract]` parameter has to implement `FromCall`.
use plainwire::prelude::*;

struct Tenant(u32);

#[tool]
async fn add(#[extract] tenant: Tenant) -> u32 {
    tenant.0
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
