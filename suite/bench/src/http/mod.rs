//! Servers behind HTTP: how fast they answer, and what they hold on to.
//!
//! The driver is one thread and speaks HTTP/1.1 by itself, as little of it as the servers' responses need. A row that a
//! server has not is a dash; why is on stderr.

mod client;
mod load;
pub mod memory;
mod message;
pub mod server;
pub mod speed;

use std::future::Future;

use crate::table::Measures;

/// Runs one measurement on a runtime of its own, so that nothing of it is left for the next.
fn block_on<T>(measuring: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(measuring)
}

/// Adds rows. If they could not be measured, they are there all the same, so that every server has the same ones.
fn add<const N: usize>(
    measures: &mut Measures,
    names: [&'static str; N],
    measured: Result<[f64; N], String>,
) {
    let values = measured.unwrap_or_else(|error| {
        eprintln!("  no {:?}: {error}", names[0]);
        [f64::NAN; N]
    });
    measures.extend(names.into_iter().zip(values));
}
