//! Bounded reading and writing of frames on a [`Stream`], shared by the server half and the client half.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use plainwire_proto::frame::{Frame, Lines};
use plainwire_proto::peer::{Peer, TransmitKind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Stream;
use super::tap::{Direction, Tap};

/// Number of unsent bytes above which no further work should begin ([`Wire::is_backlogged`]): for a client
/// that does not read its answers, no more answers are made. 1 MiB lets a burst of answers pass.
pub(crate) const BACKLOG: usize = 1 << 20;

/// Largest number of bytes that are read ahead while no frame may be handled, for example because of a
/// backlog. This is four full pipes, enough to see the end of input of a client that left without reading its
/// answers.
const AHEAD: usize = 256 << 10;

/// Largest number of bytes in one write. The other side reads the first part of a large message while the
/// next part is written.
const CHUNK: usize = 128 << 10;

/// Capacity in bytes above which the output buffer is freed once all its bytes are written.
const KEEP: usize = 2 << 20;

/// A stream with the buffers for its input and its output.
pub(crate) struct Wire {
    /// Whether input has ended.
    ended: bool,
    lines: Lines,
    /// The queued output, of which the first `sent` bytes are written.
    out: Vec<u8>,
    /// The number of bytes of `out` that the stream has taken. Invariant: `out[..sent]` has been written.
    sent: usize,
    stream: Stream,
    tap: Option<Tap>,
    /// An upper bound of the number of unsent bytes that belong to answers. Never more than all unsent bytes.
    unsent_answers: usize,
}

impl Wire {
    pub(crate) fn new(stream: Stream, frame_in: usize, tap: Option<Tap>) -> Self {
        Self {
            ended: false,
            lines: Lines::new(frame_in),
            out: Vec::new(),
            sent: 0,
            stream,
            tap,
            unsent_answers: 0,
        }
    }

    /// Reads input once. `Ready` means that bytes, the end of input, or an error arrived. Always `Pending`
    /// after the end.
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

    /// Marks input as ended. No further bytes are read.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Returns whether more than [`BACKLOG`] bytes are unsent, so that no further work should begin.
    pub(crate) fn is_backlogged(&self) -> bool {
        self.unsent() > BACKLOG
    }

    /// Returns whether more than [`BACKLOG`] bytes of answers are unsent, so that no further requests should be
    /// handled. Unsent requests of this side do not count: the other side may have to be read before it reads
    /// them.
    pub(crate) fn answers_back_up(&self) -> bool {
        self.unsent_answers > BACKLOG
    }

    /// Returns whether fewer bytes were read ahead than the largest frame has.
    pub(crate) fn may_read_a_frame(&self) -> bool {
        self.lines.has_room()
    }

    /// Returns whether more input may be read although the frames that were read before can't be handled yet.
    pub(crate) fn may_read_ahead(&self) -> bool {
        self.lines.rest().len() < AHEAD
    }

    /// Returns the number of bytes that wait to be written.
    pub(crate) fn unsent(&self) -> usize {
        self.out.len() - self.sent
    }

    /// Returns the next frame of the input; `None` if no further whole frame has been read.
    pub(crate) fn next_frame(&mut self) -> Option<Frame<'_>> {
        let frame = self.lines.next_frame()?;
        if let (Some(tap), Frame::Line(bytes) | Frame::TooLong(bytes)) = (&self.tap, frame) {
            tap.see(Direction::In, bytes);
        }
        Some(frame)
    }

    /// Takes the bytes that were read but not returned as frames: the unfinished line at the end of input.
    /// `None` if there are none. No frame can be read afterwards.
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

    /// Queues the frames that `peer`, the protocol state of this side, wants to send. [`Self::poll_write`]
    /// writes them.
    pub(crate) fn gather(&mut self, peer: &mut Peer) {
        self.gather_seen(peer, |_| {});
    }

    /// Like [`Self::gather`], but also calls `see` with each frame.
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
            if matches!(frame.kind, TransmitKind::Answer | TransmitKind::Error(_)) {
                self.unsent_answers += frame.bytes.len();
            }
            // If the output is empty, which is usual for a client that waits for each answer, the frame's own
            // buffer becomes the output, without a copy.
            if self.out.is_empty() {
                std::mem::swap(&mut self.out, &mut frame.bytes);
            } else {
                self.out.extend_from_slice(&frame.bytes);
            }
            peer.recycle(frame.bytes);
        }
    }

    /// Discards the queued bytes that were not written yet.
    pub(crate) fn discard(&mut self) {
        self.out.clear();
        self.sent = 0;
    }

    /// Writes as many queued bytes as the stream takes, and flushes it. `Ready` means that nothing is left to
    /// write.
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
            self.unsent_answers = self.unsent_answers.min(self.out.len() - self.sent);
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

    #[tokio::test]
    async fn an_empty_buffer_of_output_is_kept_up_to_2_mib() {
        for (capacity, kept) in [(2 << 20, 2 << 20), ((2 << 20) + 1, 0)] {
            let mut wire = Wire::new(Stream::new(tokio::io::empty(), tokio::io::sink()), 1024, None);
            wire.out.reserve_exact(capacity);
            wire.out.push(b'x');
            poll_fn(|cx| wire.poll_write(cx)).await.expect("written");
            assert_eq!(wire.out.capacity(), kept);
        }
    }
}
