//! A handler without a macro, whose parameter does not implement `FromCall`.
use plainwire::prelude::*;

struct Tenant(u32);

fn main() {
    drop(Tool::new("one", |tenant: Tenant| async move { tenant.0 }));
}
