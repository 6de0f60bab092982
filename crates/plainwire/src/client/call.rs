//! A call of a tool that a program describes, and then awaits.
//!
//! In: the tool, its arguments, and what is special about this one call. Out: a future of the result.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use plainwire_proto::model::CallToolResult;
use plainwire_proto::peer::RequestOptions;

use serde::Serialize;

use super::{Client, Progress, decode, named};
use crate::error::Result;

/// A call of a tool: await it. Made by [`Client::call`] and [`Client::call_tool`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// use std::time::Duration;
///
/// use plainwire::prelude::*;
/// use plainwire::{Client, Error};
///
/// let never = Tool::new("pay", || async { std::future::pending::<String>().await });
/// let client = Client::connect(Server::new("bank").tool(never)).await?;
/// let paid = client.call::<String>("pay", json!({})).deadline(Duration::from_millis(20)).await;
/// assert!(matches!(paid, Err(Error::Deadline { may_have_run: true, .. })));
/// # Ok(()) }
/// ```
///
/// Cancel safe: if it is dropped before it is ready, the call is cancelled at the server.
#[must_use = "a call is not made before it is awaited"]
pub struct Call<'c, T> {
    future: Option<Pin<Box<dyn Future<Output = Result<T>> + Send + 'c>>>,
    /// What to call; `None` once `future` is there.
    parts: Option<Parts<'c, T>>,
}

struct Parts<'c, T> {
    client: &'c Client,
    name: String,
    options: RequestOptions,
    /// The parameters of the request; an error if the arguments can't be written as JSON.
    params: Result<String>,
    progress: Option<Box<dyn FnMut(Progress) + Send>>,
    read: fn(CallToolResult) -> Result<T>,
}

impl<'c, T: 'c> Call<'c, T> {
    pub(super) fn new(
        client: &'c Client,
        name: &str,
        arguments: impl Serialize,
        read: fn(CallToolResult) -> Result<T>,
    ) -> Self {
        let (params, name) = (named(name, arguments), name.to_owned());
        let parts = Parts { client, name, options: client.options, params, progress: None, read };
        Self { future: None, parts: Some(parts) }
    }

    /// Sets the longest time until the result, with or without progress, in place of the deadlines of the
    /// client. After it, the call ends with [`Error::Deadline`](crate::Error::Deadline).
    pub fn deadline(mut self, deadline: Duration) -> Self {
        if let Some(parts) = &mut self.parts {
            parts.options = RequestOptions { idle: deadline, hard: deadline };
        }
        self
    }

    /// Calls `progress` with each report of the call's progress.
    pub fn on_progress(mut self, progress: impl FnMut(Progress) + Send + 'static) -> Self {
        if let Some(parts) = &mut self.parts {
            parts.progress = Some(Box::new(progress));
        }
        self
    }
}

impl<'c, T: 'c> Future for Call<'c, T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        if let Some(Parts { client, name, options, params, progress, read }) = self.parts.take() {
            self.future = Some(Box::pin(async move {
                let reply = client.ask_within("tools/call", &params?, progress, None, options).await?;
                let result = decode(&reply.raw)?;
                client.check.check(&client.tools, &name, &result)?;
                read(result)
            }));
        }
        match &mut self.future {
            Some(future) => future.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}
