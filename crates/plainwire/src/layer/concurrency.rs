//! The layer that lets so many calls run at a time.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::{Layer, LayerFuture, Next, Request};

/// Lets at most `calls` run at a time; the others wait, in the order in which they came.
///
/// One layer counts everything that it is around: on a server all calls together, on a tool those of the tool, and a
/// clone added to two tools those of both. 0 is 1. Those who wait are requests in flight, so that the limit
/// `in_flight` bounds them, and a deadline outside of this layer runs on while they do. A call that waits for a person
/// keeps its turn up to 2025-11-25; in 2026-07-28 it has ended by then.
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
            // It is never closed; if it were, everybody would have a turn.
            let _turn = turns.acquire().await;
            next.run(request).await
        })
    }
}
