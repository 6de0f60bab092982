//! The bodies of the requests and responses of a connection, with what the connection has to know of them.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;

use super::activity::{Activity, Open};
use super::sending::Progress;
use crate::server::http::endpoint::Body;

/// The body of a response. Its request counts as open until this is dropped.
pub(super) struct Counted {
    body: Body,
    _open: Open,
    /// The progress of the stream that the response belongs to; `None` for HTTP/1.1.
    progress: Option<Arc<Progress>>,
    /// The part of the body's last frame that is still to be handed out; empty over HTTP/1.1.
    rest: Bytes,
}

/// Largest piece of a body over HTTP/2, in bytes. The next piece is taken when the client has room for it, so that
/// a client that takes nothing is noticed.
const PIECE: usize = 64 << 10;

impl Counted {
    pub(super) fn new(body: Body, open: Open) -> Self {
        let progress = Progress::current();
        if let Some(progress) = &progress {
            progress.begin(!body.is_end_stream());
        }
        Self { body, _open: open, progress, rest: Bytes::new() }
    }
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let Some(progress) = &this.progress else { return Pin::new(&mut this.body).poll_frame(cx) };
        if this.rest.is_empty() {
            match Pin::new(&mut this.body).poll_frame(cx) {
                Poll::Pending => {
                    progress.rest();
                    return Poll::Pending;
                }
                Poll::Ready(None) => return progress.poll_all_sent(cx).map(|()| None),
                Poll::Ready(Some(Ok(frame))) => this.rest = frame.into_data().unwrap_or_default(),
            }
        }
        let piece = this.rest.split_to(this.rest.len().min(PIECE));
        Poll::Ready(Some(Ok(Frame::data(progress.hand_out(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        let is_all_sent = || self.progress.as_ref().is_none_or(|progress| progress.is_all_sent());
        self.rest.is_empty() && self.body.is_end_stream() && is_all_sent()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a request. If it is dropped before its end was read, it marks the connection as having unread
/// bytes.
pub(super) struct Received {
    pub(super) body: Incoming,
    pub(super) of: Arc<Activity>,
}

impl http_body::Body for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        if !self.body.is_end_stream() {
            self.of.note_unread();
        }
    }
}
