//! The layer that lets so many calls run at a time.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::{Semaphore, SemaphorePermit};

use super::{Layer, LayerFuture, Next, Request};
use crate::server::context::Context;
use crate::server::handler::ToolError;

/// Lets at most `calls` run at a time; the others wait, in the order in which they came.
///
/// One layer counts everything that it is around: on a server all calls together, on a tool those of the tool, and a
/// clone added to two tools those of both. 0 is 1. Those who wait are requests in flight, so that the limit
/// `in_flight` bounds them, and a deadline outside of this layer runs on while they do. A call that waits for a person
/// keeps its turn up to 2025-11-25; in 2026-07-28 it has ended by then.
///
/// A call that is cancelled while it waits never runs, whatever its tool says by [`crate::OnCancel`].
///
/// A turn ends with the call's future. Blocking work that was told to stop, by a deadline or because the call was
/// cancelled, runs on without one: with such tools more than `calls` functions may run at a time.
///
/// It counts once for each place where it stands: do not put the same value inside itself, such as one clone around a
/// server and another around its tool. A call would take one turn and wait for a second, with `calls` such calls for
/// ever.
///
/// ```
/// use plainwire::layer;
/// use plainwire::prelude::*;
///
/// let tool = Tool::new("render", || async { "rendered" }).layer(layer::concurrency(2));
/// # drop(tool);
/// ```
pub fn concurrency(calls: usize) -> Concurrency {
    let calls = calls.clamp(1, Semaphore::MAX_PERMITS);
    Concurrency { turns: Arc::new(Semaphore::new(calls)) }
}

/// The layer that [`concurrency()`] makes. Clones share their limit.
#[derive(Clone, Debug)]
pub struct Concurrency {
    turns: Arc<Semaphore>,
}

impl Layer for Concurrency {
    fn call(&self, request: Request, next: Next) -> LayerFuture {
        let turns = Arc::clone(&self.turns);
        Box::pin(async move {
            let _turn = turn(&turns, request.context()).await?;
            next.run(request).await
        })
    }
}

/// Waits for a turn.
///
/// # Errors
/// For a call that was cancelled meanwhile; nobody sees it.
async fn turn<'t>(turns: &'t Semaphore, context: &Context) -> Result<Option<SemaphorePermit<'t>>, ToolError> {
    let (mut cancelled, mut turn) = (pin!(context.cancelled()), pin!(turns.acquire()));
    poll_fn(|cx| {
        if cancelled.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(ToolError::new("cancelled", "the call was cancelled before its turn")));
        }
        // It is never closed; if it were, everybody would have a turn.
        turn.as_mut().poll(cx).map(|turn| Ok(turn.ok()))
    })
    .await
}
