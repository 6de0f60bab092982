//! The host, which offers the entries of many servers as one.

mod calls;
mod changes;
mod lists;
mod names;
mod reconnecting;
mod support;
