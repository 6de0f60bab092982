//! The values that tools return. Each has a member `kind`; its schema is published by `plainwire schemas`.
//!
//! In: rows of the file. Out: the values. What is absent has no member; docs/inventory.md describes the fields.

mod change;
mod item;
mod order;
mod partner;
mod report;
mod stock;

pub use change::*;
pub use item::*;
pub use order::*;
pub use partner::*;
pub use report::*;
pub use stock::*;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(it: &bool) -> bool {
    !it
}
