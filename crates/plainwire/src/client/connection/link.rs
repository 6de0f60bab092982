//! The link of a client connection to its server: a stream of lines, or HTTP requests.
//!
//! In: frames that the peer wants to send, and frames that arrive from the server. Out: the arrived frames,
//! one by one, as long as the server takes the answers to its requests.

use std::io::ErrorKind;
#[cfg(feature = "http-client")]
use std::sync::Arc;
use std::task::{Context, Poll};

use plainwire_proto::frame::Frame;
use plainwire_proto::peer::Peer;
#[cfg(feature = "http-client")]
use tokio::sync::mpsc;

#[cfg(feature = "http-client")]
use super::http::Http;
#[cfg(feature = "http-client")]
use crate::client::http::{Arrived, Connection};
use crate::client::process::INPUT_CLOSED;
use crate::stream::{Stream, Tap, Wire};

/// The link of a client connection to its server.
pub(crate) enum Link {
    #[cfg(feature = "http-client")]
    Http(Http),
    Stream(Box<Wire>),
}

/// An event that arrives over a [`Link`].
pub(super) enum Incoming<'i> {
    /// The request with this id failed and will get no answer.
    #[cfg(feature = "http-client")]
    Failed(plainwire_proto::envelope::Id, crate::error::Error),
    Frame(Frame<'i>),
    /// A frame that is already parsed, unless it is a batch.
    #[cfg(feature = "http-client")]
    Message(Box<crate::client::http::Inbound>),
    /// The server began a new session, or a broken event stream was opened again: subscriptions at the server
    /// may be gone, and changes may have been missed.
    #[cfg(feature = "http-client")]
    Renewed,
}

impl Link {
    /// Returns a link that sends and reads messages as lines of `stream`, each of at most `max_bytes`.
    pub(crate) fn stream(stream: Stream, max_bytes: usize, tap: Option<Tap>) -> Self {
        Self::Stream(Box::new(Wire::new(stream, max_bytes, tap)))
    }

    /// Returns a link that sends each message as a request of `connection` and reads messages from `arrived`.
    #[cfg(feature = "http-client")]
    pub(crate) fn http(
        connection: Arc<Connection>,
        arrived: mpsc::Receiver<Arrived>,
        tap: Option<Tap>,
    ) -> Self {
        Self::Http(Http::new(connection, arrived, tap))
    }

    /// Returns whether so many frames wait to be sent that the client should make no more requests.
    pub(super) fn is_backlogged(&self) -> bool {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(http) => http.is_backlogged(),
            Self::Stream(wire) => wire.is_backlogged(),
        }
    }

    /// Returns whether all frames are sent. Over HTTP, a request that waits for its response counts as sent.
    pub(super) fn is_flushed(&self) -> bool {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(http) => http.is_flushed(),
            Self::Stream(wire) => wire.unsent() == 0,
        }
    }

    /// Takes over the frames that the peer wants to send, and passes a view of each to `see`.
    pub(super) fn gather(&mut self, peer: &mut Peer, see: impl FnMut(&[u8])) {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(http) => http.gather(peer, see),
            Self::Stream(wire) => wire.gather_seen(peer, see),
        }
    }

    /// Receives what has arrived, within limits, so that [`Self::next`] can return it. Returns whether anything
    /// has arrived.
    ///
    /// # Errors
    /// The reason why nothing more will arrive.
    pub(super) fn poll_in(&mut self, cx: &mut Context<'_>) -> Result<bool, String> {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(_) => Ok(false),
            // A server that writes a long message before it reads answers must not have to wait for that.
            Self::Stream(wire) if wire.answers_back_up() && !wire.may_read_a_frame() => Ok(false),
            Self::Stream(wire) => match wire.poll_read(cx) {
                Poll::Ready(Ok(())) => Ok(true),
                Poll::Ready(Err(error)) => Err(format!("reading failed: {error}")),
                Poll::Pending => Ok(false),
            },
        }
    }

    /// Returns the next event that has arrived; `None` if there is none, or if too many answers to the server
    /// wait to be sent: the server makes requests and does not read the answers.
    ///
    /// # Errors
    /// The reason why nothing more will arrive.
    #[cfg_attr(not(feature = "http-client"), expect(unused_variables, reason = "a stream was read before"))]
    pub(super) fn next(&mut self, cx: &mut Context<'_>) -> Result<Option<Incoming<'_>>, String> {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(http) => http.next(cx),
            Self::Stream(wire) if wire.answers_back_up() => Ok(None),
            Self::Stream(wire) => Ok(wire.next_frame().map(Incoming::Frame)),
        }
    }

    /// Sends as much as possible without waiting.
    ///
    /// # Errors
    /// The reason why nothing more can be sent.
    pub(super) fn poll_out(&mut self, cx: &mut Context<'_>) -> Result<(), String> {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(_) => Ok(()),
            Self::Stream(wire) => match wire.poll_write(cx) {
                Poll::Ready(Err(error)) if error.kind() == ErrorKind::BrokenPipe => {
                    Err(INPUT_CLOSED.to_owned())
                }
                Poll::Ready(Err(error)) => Err(format!("writing failed: {error}")),
                Poll::Ready(Ok(())) | Poll::Pending => Ok(()),
            },
        }
    }

    /// Returns whether the server has closed its output. A link over HTTP has no such end.
    pub(super) fn is_ended(&self) -> bool {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(_) => false,
            Self::Stream(wire) => wire.is_ended(),
        }
    }
}
