//! What carries a client's messages: a stream of lines, or requests of HTTP.

use std::task::{Context, Poll};

use plainwire_proto::frame::Frame;
use plainwire_proto::peer::Peer;

#[cfg(feature = "http-client")]
use super::http::Http;
use crate::stream::Wire;

pub(super) enum Link {
    #[cfg(feature = "http-client")]
    Http(Http),
    Stream(Box<Wire>),
}

/// What came.
pub(super) enum Incoming<'i> {
    /// A request has no answer, and will get none.
    #[cfg(feature = "http-client")]
    Failed(plainwire_proto::envelope::Id, crate::error::Error),
    Frame(Frame<'i>),
    /// A frame that was read already.
    #[cfg(feature = "http-client")]
    Message(Box<crate::client::http::Inbound>),
    /// The server has forgotten what was subscribed.
    #[cfg(feature = "http-client")]
    Renewed,
}

impl Link {
    /// Whether so much waits to be sent that nothing more should be asked.
    pub(super) fn is_backlogged(&self) -> bool {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(http) => http.is_backlogged(),
            Self::Stream(wire) => wire.is_backlogged(),
        }
    }

    /// Takes what the peer wants sent, and shows each frame to `see`.
    pub(super) fn gather(&mut self, peer: &mut Peer, see: impl FnMut(&[u8])) {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(http) => http.gather(peer, see),
            Self::Stream(wire) => wire.gather_seen(peer, see),
        }
    }

    /// Passes on what came. Returns whether anything did.
    ///
    /// # Errors
    /// Why nothing will come any more.
    pub(super) fn poll_in(
        &mut self,
        cx: &mut Context<'_>,
        mut take: impl FnMut(Incoming<'_>),
    ) -> Result<bool, String> {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(http) => http.poll_in(cx, take),
            Self::Stream(wire) => {
                let came = match wire.poll_read(cx) {
                    Poll::Ready(Ok(())) => true,
                    Poll::Ready(Err(error)) => return Err(format!("reading failed: {error}")),
                    Poll::Pending => false,
                };
                while let Some(frame) = wire.next_frame() {
                    take(Incoming::Frame(frame));
                }
                Ok(came)
            }
        }
    }

    /// Sends as much as goes.
    ///
    /// # Errors
    /// Why nothing can be sent any more.
    pub(super) fn poll_out(&mut self, cx: &mut Context<'_>) -> Result<(), String> {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(_) => Ok(()),
            Self::Stream(wire) => match wire.poll_write(cx) {
                Poll::Ready(Err(error)) => Err(format!("writing failed: {error}")),
                Poll::Ready(Ok(())) | Poll::Pending => Ok(()),
            },
        }
    }

    /// Whether the server says nothing more.
    pub(super) fn is_ended(&self) -> bool {
        match self {
            #[cfg(feature = "http-client")]
            Self::Http(_) => false,
            Self::Stream(wire) => wire.is_ended(),
        }
    }
}
