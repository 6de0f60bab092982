//! Built by hand.
use plainwire::prelude::*;

struct Tenant(u32);

fn main() {
    drop(Tool::new("one", |tenant: Tenant| async move { tenant.0 }));
}
