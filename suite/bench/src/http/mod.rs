//! Measurements of HTTP servers: speed and memory.
//!
//! The driver is one thread with an HTTP/1.1 client of its own, which supports only what the servers'
//! responses need. A row that a server does not have is a dash; stderr has the reason.

mod client;
mod load;
pub mod memory;
mod message;
pub mod server;
pub mod speed;

use std::future::Future;

use crate::table::Measures;

/// Runs one measurement on a runtime of its own, so that no task of it affects the next one.
fn block_on<T>(measuring: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(measuring)
}

/// Adds rows. If they could not be measured they are NaN, so that all servers have the same rows.
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
