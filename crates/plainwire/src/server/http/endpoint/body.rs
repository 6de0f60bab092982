//! Reads the bodies of requests within limits, and produces the bodies of responses, whole or event by event.
//!
//! The client pulls the events of a response: messages that it has not read yet wait in the event log of the
//! session, in the queue of an HTTP+SSE session, or with the call that sends them.

use std::convert::Infallible;
use std::future::{Future as _, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::compress::{self, Gzip};
use super::memory::{Claim, OverMemory, REQUEST};
use super::stream::Events;
use super::usage::Slot;

/// The body of a response.
#[derive(Default)]
pub struct Body(Kind);

#[derive(Default)]
enum Kind {
    #[default]
    Empty,
    Events(Box<Events>),
    Full(Bytes),
    /// A compressed body: the encoder, and the body that it compresses.
    Gzip(Box<(Gzip, Self)>),
}

impl Body {
    pub(crate) fn full(bytes: impl Into<Bytes>) -> Self {
        Self(Kind::Full(bytes.into()))
    }

    pub(crate) fn events(events: Events) -> Self {
        Self(Kind::Events(Box::new(events)))
    }

    /// Returns this body, to be compressed piece by piece while it is sent.
    /// The encoder keeps `held`.
    pub(crate) fn gzip(self, held: impl Send + Sync + 'static) -> Self {
        Self(Kind::Gzip(Box::new((Gzip::new(held), self.0))))
    }

    /// Returns this body. If it is complete and not compressed, it keeps `held` until its last byte was sent.
    pub(crate) fn holding(self, held: impl Send + Sync + 'static) -> Self {
        let Kind::Full(bytes) = self.0 else { return self };
        Self(Kind::Full(keep(bytes, held)))
    }

    /// Returns the whole body, if it is complete and not compressed; `None` also for an empty body.
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        match &self.0 {
            Kind::Full(bytes) => Some(bytes),
            Kind::Empty | Kind::Events(_) | Kind::Gzip(_) => None,
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Body")
    }
}

impl Kind {
    /// Returns the next piece; `None` at the end.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        match self {
            Self::Empty => Poll::Ready(None),
            Self::Events(events) => events.poll_next(cx),
            Self::Full(bytes) => {
                let bytes = std::mem::take(bytes);
                *self = Self::Empty;
                Poll::Ready(Some(bytes).filter(|bytes| !bytes.is_empty()))
            }
            Self::Gzip(both) => {
                let (gzip, plain) = &mut **both;
                if gzip.is_done() {
                    return Poll::Ready(None);
                }
                let (piece, is_last) = match plain {
                    // Not taken out at the end: it holds the place of the request until the response is sent.
                    Self::Full(bytes) => compress::next_piece(bytes),
                    plain => {
                        let piece = ready!(plain.poll_next(cx));
                        let is_last = piece.is_none();
                        (piece.unwrap_or_default(), is_last)
                    }
                };
                Poll::Ready(Some(if is_last { gzip.last_piece(&piece) } else { gzip.piece(&piece) }))
            }
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_next(cx).map(|bytes| bytes.map(|it| Ok(Frame::data(it))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Empty => true,
            Kind::Gzip(both) => both.0.is_done(),
            Kind::Events(_) | Kind::Full(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Empty => SizeHint::with_exact(0),
            Kind::Events(_) | Kind::Gzip(_) => SizeHint::default(),
            Kind::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
        }
    }
}

/// Returns the bytes, which keep `held` until they are sent.
pub(super) fn keep(bytes: Bytes, held: impl Send + Sync + 'static) -> Bytes {
    Bytes::from_owner(Holding { bytes, _held: held })
}

/// Bytes of a response, and what they hold until they are sent.
struct Holding<H> {
    bytes: Bytes,
    _held: H,
}

impl<H> AsRef<[u8]> for Holding<H> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The largest number of bytes that are allocated at once because of the declared length of a request body.
/// Memory that is not written to costs nothing, up to a point; it is claimed when the body's bytes arrive.
const BELIEVED: usize = 4 << 20;

/// Error of [`read`]: the reason why a request body could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// Reading from the connection failed, with this error text.
    Broken(String),
    OverMemory(OverMemory),
    TooLarge,
    /// Too many other bodies are waited for.
    TooMany,
    TooSlow,
}

/// The lowest average speed of a request body, in bytes per second: [`read`] waits for as long as the bytes
/// that came so far take at this speed, plus its `patience`. Without this limit, a client that sends a byte
/// now and then would take a slot forever.
const SLOWEST: usize = 16 << 10;

/// Reads a request body of at most `limit` bytes. Its memory is claimed before it is allocated, beside what
/// `memory` has already ([`REQUEST`]). The server waits at most `patience` for each part. The
/// whole body may take `patience`, plus the time that its bytes take at the speed [`SLOWEST`]. Before the first
/// wait, `slot` takes a slot for the body; most bodies are there as a whole, and need none.
pub(crate) async fn read<B>(
    body: B,
    (limit, memory): (usize, &mut Claim),
    slot: impl Fn() -> Option<Slot>,
    patience: Duration,
) -> Result<Vec<u8>, Unread>
where
    B: http_body::Body<Data: Buf, Error: std::fmt::Display>,
{
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(limit);
    let mut body = pin!(body);
    let began = Instant::now();
    let mut bytes = Vec::with_capacity(declared.min(limit).min(BELIEVED));
    let mut waiting: Option<(Pin<Box<Sleep>>, Slot)> = None;
    loop {
        let frame = poll_fn(|cx| match body.as_mut().poll_frame(cx) {
            Poll::Ready(frame) => Poll::Ready(Ok(frame)),
            Poll::Pending => {
                if waiting.is_none() {
                    waiting = slot().map(|slot| (Box::pin(tokio::time::sleep(patience)), slot));
                }
                match &mut waiting {
                    None => Poll::Ready(Err(Unread::TooMany)),
                    Some((sleep, _)) => sleep.as_mut().poll(cx).map(|()| Err(Unread::TooSlow)),
                }
            }
        });
        let Some(frame) = frame.await? else { return Ok(bytes) };
        let frame = frame.map_err(|error| Unread::Broken(error.to_string()))?;
        let Ok(mut data) = frame.into_data() else { continue };
        if data.remaining() > limit - bytes.len() {
            return Err(Unread::TooLarge);
        }
        claim(bytes.len() + data.remaining(), limit, memory)?;
        while data.has_remaining() {
            let chunk = data.chunk();
            bytes.extend_from_slice(chunk);
            let count = chunk.len();
            data.advance(count);
        }
        if let Some((sleep, _)) = &mut waiting {
            let earned = Duration::from_secs_f64(bytes.len() as f64 / SLOWEST as f64);
            sleep.as_mut().reset((began + earned).min(Instant::now()) + patience);
        }
    }
}

/// Claims memory for a body of `size` bytes or more. Each claim is at least twice the one before, up to the
/// limit, so that there are only a few. The buffer grows in the same way.
fn claim(size: usize, limit: usize, memory: &mut Claim) -> Result<(), Unread> {
    if size + REQUEST <= memory.bytes() {
        return Ok(());
    }
    let doubled = (2 * memory.bytes()).min(limit.saturating_add(REQUEST));
    memory.grow_to(doubled.max(size.saturating_add(REQUEST))).map_err(Unread::OverMemory)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::memory::Memory;
    use super::super::usage::Usage;
    use super::*;

    /// A body without an end: the timer of its next part, the interval between parts, and the number of bytes
    /// in each part.
    struct Trickle(Pin<Box<Sleep>>, Duration, usize);

    impl http_body::Body for Trickle {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            ready!(self.0.as_mut().poll(cx));
            let every = self.1;
            self.0.as_mut().reset(Instant::now() + every);
            Poll::Ready(Some(Ok(Frame::data(vec![b' '; self.2].into()))))
        }
    }

    async fn trickled(first: u64, every: u64, bytes: usize) -> (Result<Vec<u8>, Unread>, u64) {
        let began = Instant::now();
        let first = Box::pin(tokio::time::sleep(Duration::from_secs(first)));
        let body = Trickle(first, Duration::from_secs(every), bytes);
        let mut memory = Arc::new(Memory::new(Some(1 << 30))).claim(&"ada".into(), REQUEST).expect("room");
        let usage = Arc::<Usage>::default();
        let slot = || usage.take(&"ada".into(), 1);
        (read(body, (1 << 20, &mut memory), slot, Duration::from_secs(30)).await, began.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_comes_byte_by_byte_is_given_up() {
        assert_eq!(trickled(5, 5, 1).await, (Err(Unread::TooSlow), 30));
        // A slow network is not too slow: 17 KiB in a second, up to the limit.
        assert_eq!(trickled(1, 1, 17 << 10).await, (Err(Unread::TooLarge), 61));
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_sent_a_lot_may_be_silent_no_longer_than_others() {
        assert_eq!(trickled(1, 29, 800 << 10).await, (Err(Unread::TooLarge), 30));
        assert_eq!(trickled(1, 31, 800 << 10).await, (Err(Unread::TooSlow), 31));
    }
}
