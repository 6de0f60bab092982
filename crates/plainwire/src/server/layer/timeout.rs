//! The layer that ends what takes too long.

use std::future::{Future, poll_fn};
use std::task::{Poll, ready};
use std::time::Duration;

use super::{Layer, LayerFuture, Next, Request};
use crate::runtime::Deadline;
use crate::server::handler::ToolError;

/// Ends what is further in after `limit`: it is dropped, and the error has the code `timeout`. Time in which the call
/// waits for an answer of the client does not count.
///
/// [`crate::Tool::timeout`] ends a tool's call, layers included; this one is for resources and prompts too, and counts
/// from where it stands: inside of [`super::concurrency()`] the wait for a turn does not count.
///
/// A function that blocks has no `.await` at which it could be dropped, and goes on; [`crate::Context::is_cancelled`]
/// tells it. Layers outside of this one go on too, and may try again: for them the call is not cancelled.
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
                // Work that runs elsewhere for the call can't be dropped: it is told.
                context.end_part();
                Poll::Ready(Err(ToolError::too_slow(&name, limit)))
            })
            .await
        })
    }
}
