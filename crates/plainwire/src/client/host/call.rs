//! A call of a tool by the host's name for it, which a program describes and then awaits.
//!
//! In: the name, the arguments, and the settings of this one call. Out: a future of the result, which first finds the
//! server.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use plainwire_proto::cursor::List;
use plainwire_proto::model::CallToolResult;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::Host;
use crate::client::Progress;
use crate::error::{Error, Result};

/// A call with settings of its own: await it. [`Host::call`] and [`Host::call_tool`] return it.
///
/// Cancel safe: if it is dropped before it is ready, the call is cancelled at the server.
#[must_use = "a call is not made before it is awaited"]
pub struct HostCall<'h, T> {
    future: Option<Pin<Box<dyn Future<Output = Result<T>> + Send + 'h>>>,
    /// The call; `None` once `future` is there.
    parts: Option<Parts<'h, T>>,
}

struct Parts<'h, T> {
    /// The arguments; an error if they can't be written as JSON.
    arguments: Result<Box<RawValue>>,
    deadline: Option<Duration>,
    host: &'h Host,
    meta: Option<Result<Box<RawValue>>>,
    name: String,
    progress: Option<Box<dyn FnMut(Progress) + Send>>,
    read: fn(CallToolResult) -> Result<T>,
}

impl<'h, T: 'static> HostCall<'h, T> {
    pub(super) fn new(
        host: &'h Host,
        name: &str,
        arguments: impl Serialize,
        read: fn(CallToolResult) -> Result<T>,
    ) -> Self {
        let (arguments, name) = (json("arguments", arguments), name.to_owned());
        let parts = Parts { arguments, deadline: None, host, meta: None, name, progress: None, read };
        Self { future: None, parts: Some(parts) }
    }

    /// Sets the longest time until the result, like [`Call::deadline`](crate::client::Call::deadline). It begins when the
    /// server is found.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        if let Some(parts) = &mut self.parts {
            parts.deadline = Some(deadline);
        }
        self
    }

    /// Adds members to the `_meta` of the request, like [`Call::meta`](crate::client::Call::meta).
    pub fn meta(mut self, meta: impl Serialize) -> Self {
        if let Some(parts) = &mut self.parts {
            parts.meta = Some(json("`_meta`", meta));
        }
        self
    }

    /// Calls `progress` with each report of progress.
    pub fn on_progress(mut self, progress: impl FnMut(Progress) + Send + 'static) -> Self {
        if let Some(parts) = &mut self.parts {
            parts.progress = Some(Box::new(progress));
        }
        self
    }
}

fn json(what: &str, value: impl Serialize) -> Result<Box<RawValue>> {
    to_raw_value(&value)
        .map_err(|error| Error::Decode { message: format!("the {what} can't be written as JSON: {error}") })
}

impl<T: 'static> Parts<'_, T> {
    async fn make(self) -> Result<T> {
        let arguments = self.arguments?;
        let found = self.host.find(List::Tools, &self.name).await?;
        let client = found.known.client().await?;
        let mut call = client.call_tool(&found.own, arguments);
        if let Some(deadline) = self.deadline {
            call = call.deadline(deadline);
        }
        if let Some(meta) = self.meta {
            call = call.meta(meta?);
        }
        if let Some(progress) = self.progress {
            call = call.on_progress(progress);
        }
        let result = call.await;
        found.known.heed(&client, &result);
        (self.read)(result?)
    }
}

impl<T: 'static> Future for HostCall<'_, T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        if let Some(parts) = self.parts.take() {
            self.future = Some(Box::pin(parts.make()));
        }
        match &mut self.future {
            Some(future) => future.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}

impl<T> fmt::Debug for HostCall<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.parts.as_ref().map(|parts| &parts.name);
        f.debug_struct("HostCall").field("name", &name).finish_non_exhaustive()
    }
}
