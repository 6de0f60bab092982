//! Bytes in and out of a stream, with bounds: the half of the work that servers and clients share.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use plainwire_proto::frame::{Frame, Lines};
use plainwire_proto::peer::{Peer, TransmitKind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Stream;
use super::tap::{Direction, Tap};

/// Unsent bytes at which nothing more is read: a client that does not read its answers gets no more of them. 1 MiB
/// lets a burst of answers pass in one write.
pub(crate) const BACKLOG: usize = 1 << 20;

/// Bytes that are read ahead while nothing may be handled: four pipes full, to see the end of a client that left unread
/// answers behind.
const AHEAD: usize = 256 << 10;

/// Bytes in one write, so that the other side reads the first part of a large message while the next one is written.
const CHUNK: usize = 128 << 10;

/// A buffer of sent bytes larger than this is given back.
const KEEP: usize = 2 << 20;

/// A stream with what was read from it and is to be written to it.
pub(crate) struct Wire {
    ended: bool,
    lines: Lines,
    out: Vec<u8>,
    /// Invariant: `out[..sent]` has been written.
    sent: usize,
    stream: Stream,
    tap: Option<Tap>,
}

impl Wire {
    pub(crate) fn new(stream: Stream, frame_in: usize, tap: Option<Tap>) -> Self {
        Self { ended: false, lines: Lines::new(frame_in), out: Vec::new(), sent: 0, stream, tap }
    }

    /// Reads once. `Ready` says that something came, be it the end.
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.ended {
            return Poll::Pending;
        }
        let mut buffer = ReadBuf::new(self.lines.space());
        let read = ready!(Pin::new(&mut self.stream.reader).poll_read(cx, &mut buffer));
        let count = buffer.filled().len();
        self.lines.filled(count);
        self.ended = count == 0;
        Poll::Ready(read)
    }

    /// Whether input has ended.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Ends input, whatever may still come.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Whether so much is unsent that nothing more should be done.
    pub(crate) fn is_backlogged(&self) -> bool {
        self.unsent() > BACKLOG
    }

    /// Whether there is room to read on, although what was read can't be handled yet.
    pub(crate) fn may_read_ahead(&self) -> bool {
        self.lines.rest().len() < AHEAD
    }

    /// Returns how many bytes wait to be written.
    pub(crate) fn unsent(&self) -> usize {
        self.out.len() - self.sent
    }

    /// Returns the next frame.
    pub(crate) fn next_frame(&mut self) -> Option<Frame<'_>> {
        let frame = self.lines.next_frame()?;
        if let (Some(tap), Frame::Line(bytes) | Frame::TooLong(bytes)) = (&self.tap, frame) {
            tap.see(Direction::In, bytes);
        }
        Some(frame)
    }

    /// Returns the half line that is left at the end of input, once. Nothing can be read afterwards.
    pub(crate) fn take_rest(&mut self) -> Option<Vec<u8>> {
        let rest = self.lines.rest().to_vec();
        self.lines = Lines::new(0);
        if rest.is_empty() {
            return None;
        }
        if let Some(tap) = &self.tap {
            tap.see(Direction::In, &rest);
        }
        Some(rest)
    }

    /// Queues what the peer wants sent.
    pub(crate) fn gather(&mut self, peer: &mut Peer) {
        self.gather_seen(peer, |_| {});
    }

    /// As [`Self::gather`], and shows each frame to `see`.
    pub(crate) fn gather_seen(&mut self, peer: &mut Peer, mut see: impl FnMut(&[u8])) {
        while let Some(mut frame) = peer.poll_transmit() {
            // A pipe is not left and taken up again.
            if matches!(frame.kind, TransmitKind::Close(_)) {
                continue;
            }
            if let Some(tap) = &self.tap {
                tap.see(Direction::Out, &frame.bytes);
            }
            see(&frame.bytes);
            frame.bytes.push(b'\n');
            // One frame alone, as with a client that asks and waits, is written from where it stands.
            if self.out.is_empty() {
                std::mem::swap(&mut self.out, &mut frame.bytes);
            } else {
                self.out.extend_from_slice(&frame.bytes);
            }
            peer.recycle(frame.bytes);
        }
    }

    /// Gives up on what was not sent.
    pub(crate) fn discard(&mut self) {
        self.out.clear();
        self.sent = 0;
    }

    /// Writes as much as goes. `Ready` says that nothing is left.
    ///
    /// # Errors
    /// If the other side is gone.
    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.sent < self.out.len() {
            let end = self.out.len().min(self.sent + CHUNK);
            let written =
                ready!(Pin::new(&mut self.stream.writer).poll_write(cx, &self.out[self.sent..end]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.sent += written;
            // A client that is always a little behind must not make what it has read stay for ever.
            if self.sent > BACKLOG {
                self.out.drain(..self.sent);
                self.sent = 0;
            }
        }
        self.sent = 0;
        self.out.clear();
        if self.out.capacity() > KEEP {
            self.out = Vec::new();
        }
        Pin::new(&mut self.stream.writer).poll_flush(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use plainwire_proto::model::Implementation;
    use plainwire_proto::peer::ClientConfig;
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn forgets_what_was_read_while_something_is_always_unread() {
        let (to, mut from) = tokio::io::duplex(64 * 1024);
        let mut wire = Wire::new(Stream::new(tokio::io::empty(), to), 1024, None);
        let mut peer = Peer::client(ClientConfig::new(Implementation::new("c", "1")));
        let params = format!("{{\"text\":\"{}\"}}", "y".repeat(60_000));
        for _ in 0..200 {
            peer.notify("x", &params);
            wire.gather(&mut peer);
            // A reader that takes a little less than what is sent.
            for _ in 0..2 {
                poll_fn(|cx| Poll::Ready(wire.poll_write(cx).is_ready())).await;
                from.read_exact(&mut vec![0; 29_000]).await.expect("bytes");
            }
            assert!(wire.out.len() <= 3 * BACKLOG, "{}", wire.out.len());
        }
        assert!(wire.unsent() > 0);
    }
}
