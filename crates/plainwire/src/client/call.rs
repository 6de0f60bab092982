//! A request that a program describes, and then awaits.
//!
//! In: the method, its parameters, and the settings of this one request. Out: a future of the result.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use plainwire_proto::cursor::List;
use plainwire_proto::error::ErrorKind;
use plainwire_proto::json::shorten;
use plainwire_proto::model::RawJson;
use plainwire_proto::peer::RequestOptions;
use serde::Serialize;
use serde_json::Value;

use super::{Client, Progress};
use crate::error::{Error, Result};

/// A request with settings of its own: await it. [`Client::call`], [`Client::call_tool`],
/// [`Client::get_prompt`] and [`Client::request`] return it.
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
/// let paid = client
///     .call::<String>("pay", json!({}))
///     .meta(json!({ "com.example/desk": 7 }))
///     .on_progress(|progress| println!("{}", progress.done))
///     .deadline(Duration::from_millis(20))
///     .await;
/// assert!(matches!(paid, Err(Error::Deadline { may_have_run: true, .. })));
/// # Ok(()) }
/// ```
///
/// Cancel safe: if a `Call` is dropped before it is ready, the request is cancelled at the server. A `Call`
/// keeps the connection open, as a clone of the client does.
#[must_use = "a request is not made before it is awaited"]
pub struct Call<T> {
    future: Option<Pin<Box<dyn Future<Output = Result<T>> + Send>>>,
    /// The request; `None` once `future` is there.
    parts: Option<Parts<T>>,
}

/// Makes the result from the answer.
type Read<T> = Box<dyn FnOnce(&Client, RawJson) -> Result<T> + Send>;

struct Parts<T> {
    client: Client,
    method: String,
    options: RequestOptions,
    /// The parameters of the request; an error if they can't be written as JSON.
    params: Result<String>,
    progress: Option<Box<dyn FnMut(Progress) + Send>>,
    read: Read<T>,
}

impl<T: 'static> Call<T> {
    pub(super) fn new(
        client: &Client,
        method: &str,
        params: Result<String>,
        read: impl FnOnce(&Client, RawJson) -> Result<T> + Send + 'static,
    ) -> Self {
        let (client, method, options) = (client.clone(), method.to_owned(), client.shared.options);
        let parts = Parts { client, method, options, params, progress: None, read: Box::new(read) };
        Self { future: None, parts: Some(parts) }
    }

    /// Sets the longest time until the result, with or without progress, in place of the deadlines of the
    /// client. After it, the request ends with [`Error::Deadline`].
    pub fn deadline(mut self, deadline: Duration) -> Self {
        if let Some(parts) = &mut self.parts {
            parts.options = RequestOptions { idle: deadline, hard: deadline };
        }
        self
    }

    /// Adds members to the `_meta` of the request: any value whose JSON is an object, such as `json!({ … })`.
    /// The client's own members stay. A value that is no object is an [`Error::Decode`] of the request.
    pub fn meta(mut self, meta: impl Serialize) -> Self {
        if let Some(parts) = &mut self.parts {
            let params = std::mem::replace(&mut parts.params, Ok(String::new()));
            parts.params = params.and_then(|params| with_meta(&params, meta));
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

impl<T: 'static> Future for Call<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        if let Some(Parts { client, method, options, params, progress, read }) = self.parts.take() {
            self.future = Some(Box::pin(async move {
                let params = params?;
                // Shared by both attempts.
                let progress = progress.map(|it| Arc::new(Mutex::new(it)));
                let report = || {
                    let progress = progress.clone()?;
                    let report = move |it| progress.lock().unwrap_or_else(PoisonError::into_inner)(it);
                    Some(Box::new(report) as Box<dyn FnMut(Progress) + Send>)
                };
                let answer = client.ask_within(&method, &params, report(), None, options).await;
                let reply = match answer {
                    Err(error) if client.learns_headers(&method, &error).await => {
                        client.ask_within(&method, &params, report(), None, options).await?
                    }
                    answer => answer?,
                };
                read(&client, reply.raw)
            }));
        }
        match &mut self.future {
            Some(future) => future.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}

impl Client {
    /// If a call was refused because it lacks headers that repeat arguments, lists the tools, from which the client
    /// learns these headers. Returns whether the call can be made again: the server has not run it.
    async fn learns_headers(&self, method: &str, error: &Error) -> bool {
        let lacks_headers = matches!(error, Error::Rpc(it) if *it.kind() == ErrorKind::HeaderMismatch);
        method == "tools/call"
            && lacks_headers
            && self.is_remote()
            && self.list_raw(List::Tools).await.is_ok()
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = self.parts.as_ref().map(|parts| &parts.method);
        f.debug_struct("Call").field("method", &method).finish_non_exhaustive()
    }
}

/// Returns `params` with the members of `meta` in its `_meta`.
fn with_meta(params: &str, meta: impl Serialize) -> Result<String> {
    let wrong = |what: &str, found: &str| Error::Decode {
        message: format!("expected {what} to be a JSON object, but found {}", shorten(found)),
    };
    let meta = serde_json::to_value(meta).map_err(|error| Error::Decode {
        message: format!("the `_meta` can't be written as JSON: {error}"),
    })?;
    let Value::Object(meta) = meta else { return Err(wrong("`_meta`", &meta.to_string())) };
    let rest = params.trim().strip_prefix('{').ok_or_else(|| wrong("the parameters", params))?.trim_start();
    let comma = if rest.starts_with('}') { "" } else { "," };
    Ok(format!("{{\"_meta\":{}{comma}{rest}", Value::Object(meta)))
}
