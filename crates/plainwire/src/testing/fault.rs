//! Simulated bad connections: slow, split into small pieces, with lost bytes, or cut off.
//!
//! In: bytes of one direction, and [`Fault`]s. Out: the bytes after the faults. The same faults always have
//! the same effect on the same bytes: nothing is random, and delays use the clock of the runtime, which a
//! test may pause.

use std::future::Future as _;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::Sleep;

use crate::stream::Stream;

/// A fault of one direction of a connection.
///
/// Bytes and frames are counted from 0 in the order in which they were sent. Bytes that one fault removes
/// still count for the other faults.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The direction is closed after this many bytes, even in the middle of a frame.
    CloseAt(u64),
    /// Each piece, the bytes of one read, arrives this much later than the piece before it. Several such
    /// faults add up.
    Delay(Duration),
    /// The bytes with these numbers are lost.
    DropBytes(Range<u64>),
    /// The frame with this number is lost, with its line break.
    DropFrame(u64),
    /// Every bit of the byte with this number is flipped, so that an ASCII byte becomes a non-ASCII one.
    Garble(u64),
    /// No bytes arrive after this many, and the connection stays open.
    HangAt(u64),
    /// Bytes arrive in pieces of at most this many bytes; 0 counts as 1. Of several such faults, the smallest
    /// counts.
    Split(usize),
    /// Of one frame, only the first bytes and the line break arrive.
    Truncate {
        /// The number of bytes of the frame that arrive.
        bytes: u64,
        /// The number of the frame that is cut, counted from 0.
        frame: u64,
    },
}

/// The faults in each direction of a connection; none by default.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    to_client: Vec<Fault>,
    to_server: Vec<Fault>,
}

impl Faults {
    /// Makes a value without faults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fault to the direction from the server to the client.
    #[must_use]
    pub fn to_client(mut self, fault: Fault) -> Self {
        self.to_client.push(fault);
        self
    }

    /// Adds a fault to the direction from the client to the server.
    #[must_use]
    pub fn to_server(mut self, fault: Fault) -> Self {
        self.to_server.push(fault);
        self
    }

    /// Adds the faults to the two ends of a connection, the client's and the server's, and returns the ends.
    /// Each end reads bytes to which the faults of its direction were applied.
    pub(super) fn between(self, (client, server): (Stream, Stream)) -> (Stream, Stream) {
        let client = Stream::new(reader(client.reader, self.to_client), client.writer);
        let server = Stream::new(reader(server.reader, self.to_server), server.writer);
        (client, server)
    }
}

/// Returns a reader that applies `faults` to the bytes of `inner`. For connections that you make yourself,
/// with [`Stream::new`].
pub fn reader(
    inner: impl AsyncRead + Send + Unpin + 'static,
    faults: impl IntoIterator<Item = Fault>,
) -> impl AsyncRead + Send + Unpin + 'static {
    let faults: Vec<_> = faults.into_iter().collect();
    let piece = faults.iter().filter_map(|it| if let Fault::Split(bytes) = it { Some(*bytes) } else { None });
    let delay = faults.iter().filter_map(|it| if let Fault::Delay(delay) = it { Some(*delay) } else { None });
    let mut faulty = Faulty {
        at: 0,
        delay: delay.sum(),
        end: End::Open,
        frame: 0,
        held: Vec::new(),
        in_frame: 0,
        inner,
        piece: piece.min().unwrap_or(usize::MAX).max(1),
        sleep: None,
        faults,
    };
    faulty.look_for_the_end();
    faulty
}

/// The state of a direction once the bytes that are held back have been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Closed,
    Hung,
    Open,
}

/// A reader that applies faults to the bytes of another reader.
struct Faulty<R> {
    /// The number of bytes taken from `inner`, the other reader, so far. `frame` is the number of whole
    /// frames among these bytes, and `in_frame` the number of bytes behind the last whole frame.
    at: u64,
    delay: Duration,
    end: End,
    faults: Vec<Fault>,
    frame: u64,
    /// Bytes that were taken from `inner`, had the faults applied, and were not given to the caller yet.
    held: Vec<u8>,
    in_frame: u64,
    inner: R,
    piece: usize,
    sleep: Option<Pin<Box<Sleep>>>,
}

/// Largest number of bytes in one read from the inner reader.
const READ: usize = 8 * 1024;

impl<R: AsyncRead + Unpin> Faulty<R> {
    /// Reads from `inner` until there are bytes to give to the caller, or the direction has ended.
    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.held.is_empty() && self.end == End::Open {
            let mut bytes = [0; READ];
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.inner).poll_read(cx, &mut buffer))?;
            if buffer.filled().is_empty() {
                self.end = End::Closed;
            }
            for &byte in buffer.filled() {
                if self.end == End::Open {
                    self.take(byte);
                }
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Counts a byte, applies the faults to it, and adds it to `held` unless a fault removed it.
    fn take(&mut self, byte: u8) {
        let mut left = Some(byte);
        for fault in &self.faults {
            match *fault {
                Fault::DropBytes(ref lost) if lost.contains(&self.at) => left = None,
                Fault::DropFrame(frame) if self.frame == frame => left = None,
                Fault::Garble(at) if self.at == at => left = left.map(|byte| !byte),
                Fault::Truncate { bytes, frame }
                    if self.frame == frame && self.in_frame >= bytes && byte != b'\n' =>
                {
                    left = None;
                }
                _ => {}
            }
        }
        self.held.extend(left);
        self.at += 1;
        self.in_frame += 1;
        if byte == b'\n' {
            self.frame += 1;
            self.in_frame = 0;
        }
        self.look_for_the_end();
    }

    /// Ends the direction if a fault closes it or lets it hang at the current byte.
    fn look_for_the_end(&mut self) {
        for fault in &self.faults {
            match *fault {
                Fault::CloseAt(at) if self.at >= at => self.end = End::Closed,
                Fault::HangAt(at) if self.at >= at => self.end = End::Hung,
                _ => continue,
            }
            return;
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Faulty<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let it = &mut *self;
        ready!(it.poll_fill(cx))?;
        match (it.held.is_empty(), it.end) {
            (true, End::Closed) => return Poll::Ready(Ok(())),
            // No waker is stored: a connection that hangs never wakes its task.
            (true, _) => return Poll::Pending,
            (false, _) => {}
        }
        if !it.delay.is_zero() {
            let sleep = it.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep(it.delay)));
            ready!(sleep.as_mut().poll(cx));
            it.sleep = None;
        }
        let count = it.held.len().min(it.piece).min(buffer.remaining());
        buffer.put_slice(&it.held[..count]);
        it.held.drain(..count);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;
    use tokio::time::{Instant, timeout};

    use super::*;

    /// Reads `sent` through the faults. Returns the pieces that arrive until the end, or until none arrives
    /// for a minute; and whether the end came.
    async fn pieces(sent: &'static [u8], faults: &[Fault]) -> (Vec<String>, bool) {
        let mut reader = reader(sent, faults.to_vec());
        let mut pieces = Vec::new();
        loop {
            let mut bytes = [0; 64];
            match timeout(Duration::from_secs(60), reader.read(&mut bytes)).await {
                Ok(Ok(0)) => return (pieces, true),
                Ok(Ok(count)) => pieces.push(bytes[..count].iter().map(|&byte| char::from(byte)).collect()),
                Ok(Err(error)) => panic!("{error}"),
                Err(_) => return (pieces, false),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn does_what_each_fault_says() {
        let sent = b"abcd\nef\ngh\n";
        let closed = |pieces: &[&str]| (pieces.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>(), true);
        for (faults, expected) in [
            (vec![], closed(&["abcd\nef\ngh\n"])),
            (vec![Fault::CloseAt(0)], closed(&[])),
            (vec![Fault::CloseAt(6)], closed(&["abcd\ne"])),
            (vec![Fault::DropBytes(1..3)], closed(&["ad\nef\ngh\n"])),
            (vec![Fault::DropFrame(1)], closed(&["abcd\ngh\n"])),
            (vec![Fault::Garble(1)], closed(&["a\u{9d}cd\nef\ngh\n"])),
            (vec![Fault::HangAt(2)], (vec!["ab".to_owned()], false)),
            (vec![Fault::Split(4)], closed(&["abcd", "\nef\n", "gh\n"])),
            (vec![Fault::Split(0), Fault::CloseAt(2)], closed(&["a", "b"])),
            (vec![Fault::Truncate { bytes: 1, frame: 0 }], closed(&["a\nef\ngh\n"])),
            (vec![Fault::Truncate { bytes: 0, frame: 2 }], closed(&["abcd\nef\n\n"])),
            (vec![Fault::DropFrame(0), Fault::Garble(5)], closed(&["\u{9a}f\ngh\n"])),
        ] {
            assert_eq!(pieces(sent, &faults).await, expected, "{faults:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn delays_each_piece() {
        let began = Instant::now();
        let faults = [Fault::Split(2), Fault::Delay(Duration::from_secs(3))];
        assert_eq!(pieces(b"abcd\n", &faults).await.0, ["ab", "cd", "\n"]);
        assert_eq!(began.elapsed().as_secs(), 9);
    }
}
