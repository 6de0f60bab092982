//! The layer that ends calls after a deadline.

use std::future::{Future, poll_fn};
use std::task::{Poll, ready};
use std::time::Duration;

use super::{Layer, LayerFuture, Next, Request};
use crate::runtime::Deadline;
use crate::server::result::ToolError;

/// Returns a layer that drops the inner layers and the handler after `limit`. The layer itself then returns
/// an error with the code `timeout`. Time in which the call waits for an answer of the client does not count.
///
/// [`crate::Tool::timeout`] limits the whole call of a tool, including its layers. This layer also works for
/// resources and prompts, and counts from its own position: inside of [`super::concurrency()`] the wait for a
/// slot does not count.
///
/// A function that blocks has no `.await` at which it could be dropped, and continues. It can check
/// [`crate::Context::is_cancelled`]. Layers outside of this one also continue, and may run the call again:
/// for them the call is not cancelled.
pub fn timeout(limit: Duration) -> Timeout {
    Timeout { limit }
}

/// The layer that [`timeout()`] makes.
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    limit: Duration,
}

impl Layer for Timeout {
    fn call(&self, mut request: Request, next: Next) -> LayerFuture {
        let limit = self.limit;
        Box::pin(async move {
            request.context = request.context.begin_part();
            let (name, context) =
                (format!("the {} `{}`", request.kind(), request.name()), request.context().clone());
            let mut deadline = Deadline::new(limit);
            let mut rest = std::pin::pin!(next.run(request));
            poll_fn(|cx| {
                if let Poll::Ready(returned) = rest.as_mut().poll(cx) {
                    return Poll::Ready(returned);
                }
                ready!(deadline.poll(context.asking().waited(), cx));
                // Work on other threads and tasks can't be dropped, so its context is cancelled.
                context.end_part();
                Poll::Ready(Err(ToolError::too_slow(&name, limit)))
            })
            .await
        })
    }
}
