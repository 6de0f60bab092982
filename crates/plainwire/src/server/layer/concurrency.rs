//! The layer that bounds how many calls run at a time.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::{Semaphore, SemaphorePermit};

use super::{Layer, LayerFuture, Next, Request};
use crate::server::context::Context;
use crate::server::result::ToolError;

/// Returns a layer that runs at most `calls` calls at a time; the others wait, in the order in which they
/// came.
///
/// The limit covers everything that the layer is around: all calls of a server, or those of one tool; a clone
/// on two tools counts the calls of both together. 0 is treated as 1. Waiting calls are requests in flight,
/// so the limit of requests in flight ([`crate::Server::limits`]) bounds them, and a deadline outside of this layer
/// includes the wait. In revisions up to 2025-11-25, a call keeps its slot while it waits for a user's answer; in
/// 2026-07-28 the round, and with it the slot, ends with the question.
///
/// A call that is cancelled while it waits never runs, whatever [`crate::server::context::OnCancel`] its tool has.
///
/// A slot is freed when the call's future ends or is dropped. Blocking work continues without a slot after a
/// deadline or a cancellation, so with blocking tools more than `calls` functions may run at a time.
///
/// Do not put the layer inside itself, for example one clone around a server and another around its tool.
/// Each call would take one slot and wait for a second; `calls` such calls at once would wait for ever.
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

/// Waits for a slot of the layer, so that the call may run. Dropping the slot frees it.
///
/// # Errors
/// If the call is cancelled while it waits; no client sees this error.
async fn turn<'t>(turns: &'t Semaphore, context: &Context) -> Result<Option<SemaphorePermit<'t>>, ToolError> {
    let (mut cancelled, mut turn) = (pin!(context.cancelled()), pin!(turns.acquire()));
    poll_fn(|cx| {
        if cancelled.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(ToolError::new("cancelled", "the call was cancelled before its turn")));
        }
        // The semaphore is never closed; if it were, calls would run without a slot.
        turn.as_mut().poll(cx).map(|turn| Ok(turn.ok()))
    })
    .await
}
