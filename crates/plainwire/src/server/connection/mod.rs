//! The connections of a server: the pump between a stream and its peer, and the calls of the connection.
//!
//! In: a built server and a stream, or a single parsed request. Out: frames on the stream, or messages for an
//! HTTP response. The protocol's rules are in the peer, and the user's code is in handlers.

use std::sync::Arc;

use super::built::Built;
use crate::error::{Error, Result};
use crate::runtime::{AbortOnDrop, spawn};
use crate::stream::Stream;

mod call;
pub(crate) mod calls;
mod changes;
#[cfg(feature = "http")]
pub(crate) mod exchange;
mod pump;
mod questions;

#[cfg(feature = "http")]
pub(crate) use exchange::Exchange;
pub(crate) use pump::Pump;

/// Serves one connection until it ends. If the future is dropped, the connection is closed.
pub(crate) async fn serve(built: Arc<Built>, stream: Stream) -> Result<()> {
    // On a task of its own, even if the caller is inside `block_on`: waking a spawned task is cheaper than
    // waking the root task of the runtime.
    let task = spawn(Pump::new(built, stream).run());
    let _abort = AbortOnDrop(task.abort_handle());
    task.await.map_err(|ended| Error::Closed { why: format!("the connection's task failed: {ended}") })
}

/// Serves a connection on a task of its own, until the other side of the stream ends.
pub(crate) fn serve_in_background((built, stream): (Arc<Built>, Stream)) {
    spawn(Pump::new(built, stream).run());
}
