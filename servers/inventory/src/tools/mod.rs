//! The tools: what a call asks for, and the value that it gets.
//!
//! In: arguments. Out: values of [`crate::kinds`]; [`plainwire::presentation`] makes all texts from them.

use std::sync::Arc;

use plainwire::prelude::*;

mod items;
mod list;
mod manufacturing;
mod purchases;
pub(crate) mod rail;
mod reports;
mod sales;
mod stock;
mod transfers;
mod upkeep;

/// What the tools share. A thread that reads, or waits for a change, has it as its own.
type Store = Arc<crate::store::Store>;

/// Adds the tools to a server.
pub(crate) fn add(server: Server) -> Server {
    server
        .with(items::entries())
        .with(stock::entries())
        .with(purchases::entries())
        .with(sales::entries())
        .with(manufacturing::entries())
        .with(transfers::entries())
        .with(reports::entries())
        .with(upkeep::entries())
}
