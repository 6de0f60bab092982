//! Bounded reading and writing of frames on a [`Stream`], shared by the server half and the client half.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use plainwire_proto::frame::{Frame, Lines};
use plainwire_proto::peer::{Peer, TransmitKind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Stream;
use super::tap::{Direction, Tap};

/// Unsent bytes above which [`Wire::is_backlogged`] stops further work: a client that does not read its
/// answers gets no more of them. 1 MiB lets a burst of answers pass in one write.
pub(crate) const BACKLOG: usize = 1 << 20;

/// Bytes that are read ahead while no frame may be handled. This is four full pipes, enough to see the end of
/// input of a client that left without reading its answers.
const AHEAD: usize = 256 << 10;

/// Bytes in one write. The other side reads the first part of a large message while the next part is written.
const CHUNK: usize = 128 << 10;

/// Capacity above which the buffer of sent bytes is freed.
const KEEP: usize = 2 << 20;

/// A stream with the buffers for its input and its output.
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

    /// Reads once. `Ready` means that bytes or the end of input arrived.
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

    /// Returns whether input has ended.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Marks input as ended and ignores any further bytes.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Returns whether more than [`BACKLOG`] bytes are unsent, so that no further work should begin.
    pub(crate) fn is_backlogged(&self) -> bool {
        self.unsent() > BACKLOG
    }

    /// Returns whether there is room to read on while the frames already read can't be handled yet.
    pub(crate) fn may_read_ahead(&self) -> bool {
        self.lines.rest().len() < AHEAD
    }

    /// Returns the number of bytes that wait to be written.
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

    /// Returns the unfinished line at the end of input, once. Nothing can be read afterwards.
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

    /// Queues the frames that the peer wants to send.
    pub(crate) fn gather(&mut self, peer: &mut Peer) {
        self.gather_seen(peer, |_| {});
    }

    /// Like [`Self::gather`], but also shows each frame to `see`.
    pub(crate) fn gather_seen(&mut self, peer: &mut Peer, mut see: impl FnMut(&[u8])) {
        while let Some(mut frame) = peer.poll_transmit() {
            // `Close` ends one HTTP response. A stream has no such responses, so it is skipped.
            if matches!(frame.kind, TransmitKind::Close(_)) {
                continue;
            }
            if let Some(tap) = &self.tap {
                tap.see(Direction::Out, &frame.bytes);
            }
            see(&frame.bytes);
            frame.bytes.push(b'\n');
            // A single frame, the usual case for a client that waits for each answer, is written from its own
            // buffer without a copy.
            if self.out.is_empty() {
                std::mem::swap(&mut self.out, &mut frame.bytes);
            } else {
                self.out.extend_from_slice(&frame.bytes);
            }
            peer.recycle(frame.bytes);
        }
    }

    /// Discards the bytes that were not sent.
    pub(crate) fn discard(&mut self) {
        self.out.clear();
        self.sent = 0;
    }

    /// Writes as many bytes as the stream takes. `Ready` means that nothing is left to write.
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
            // Without this, a client that always lags a little behind would keep the bytes that it has read
            // in memory for ever.
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
            // The reader takes a little less than is sent.
            for _ in 0..2 {
                poll_fn(|cx| Poll::Ready(wire.poll_write(cx).is_ready())).await;
                from.read_exact(&mut vec![0; 29_000]).await.expect("bytes");
            }
            assert!(wire.out.len() <= 3 * BACKLOG, "{}", wire.out.len());
        }
        assert!(wire.unsent() > 0);
    }
}
