//! A server's connection: the pump between its stream and its peer, and the calls it has begun.

use std::sync::Arc;

use super::Built;
use crate::error::{Error, Result};
use crate::runtime::{AbortOnDrop, spawn};
use crate::stream::Stream;

mod call;
pub(crate) mod calls;
mod changes;
mod detached;
#[cfg(feature = "http")]
pub(crate) mod exchange;
mod pump;
mod questions;

pub(crate) use detached::Detached;
#[cfg(feature = "http")]
pub(crate) use exchange::Exchange;
pub(crate) use pump::Pump;

/// Serves one connection until it ends.
pub(crate) async fn serve(built: Arc<Built>, stream: Stream) -> Result<()> {
    // A task of its own, also when the caller is inside `block_on`: a wake-up of the runtime's own task is cheaper.
    let task = spawn(Pump::new(built, stream).run());
    let _abort = AbortOnDrop(task.abort_handle());
    task.await.map_err(|ended| Error::Closed { why: format!("the connection's task failed: {ended}") })
}

/// Serves a connection for as long as its other end lives.
pub(crate) fn serve_in_background((built, stream): (Arc<Built>, Stream)) {
    spawn(Pump::new(built, stream).run());
}
