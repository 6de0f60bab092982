//! The host: many servers as one.

mod calls;
mod changes;
mod lists;
mod names;
mod reconnecting;
mod support;
