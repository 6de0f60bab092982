//! A `tower` service for an endpoint. Our own listener uses it, and so does an application that mounts the
//! endpoint.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Buf;
use http::{Request, Response};

use super::endpoint::{Body, Endpoint};
use super::eras::http_sse;

/// A server as a `tower` service. All clones are one server, with the same sessions.
#[derive(Clone)]
pub struct HttpService {
    endpoint: Arc<Endpoint>,
}

impl std::fmt::Debug for HttpService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HttpService")
    }
}

impl HttpService {
    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self { endpoint: Arc::new(endpoint) }
    }

    /// Answers one request. The extensions of the request identify its caller, if the application sets them:
    /// a [`Principal`](crate::server::principal::Principal), which is ignored if the endpoint has tokens, and
    /// a [`RemoteAddr`](super::RemoteAddr).
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body<Data: Buf, Error: std::fmt::Display>,
    {
        let (head, body) = request.into_parts();
        self.endpoint.answer(&head, body).await
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Begins the shutdown of streams that do not end by themselves: a stream for messages that belong to no
    /// request ends, `subscriptions/listen` gets its result, and a stream of HTTP+SSE ends once nothing is
    /// left to send. Such streams that begin later end in the same way. Running requests are still answered,
    /// also on streams that a GET continues; the application decides how long to wait for them.
    ///
    /// Call this when an application that mounts the service shuts down gracefully: otherwise it would wait
    /// for these streams forever.
    pub fn shutdown(&self) {
        self.endpoint.ending.begin();
    }

    pub(super) fn is_ending(&self) -> bool {
        self.endpoint.ending.has_begun()
    }

    pub(super) fn drain(&self) -> Duration {
        self.endpoint.built.drain
    }

    pub(super) fn has_sse_at(&self, path: &str) -> bool {
        self.endpoint.sse.is_some() && http_sse::PATHS.contains(&path)
    }

    /// Ends all sessions at this replica: cancels their calls and ends their streams. Records in the store
    /// stay.
    pub(super) fn end(&self) {
        self.endpoint.sessions.end();
        self.endpoint.sse.iter().for_each(|sse| sse.end());
    }
}

impl<B> tower_service::Service<Request<B>> for HttpService
where
    B: http_body::Body<Data: Buf + Send, Error: std::fmt::Display + Send> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.handle(request).await) })
    }
}
