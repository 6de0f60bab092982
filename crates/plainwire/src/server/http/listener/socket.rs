//! A stream for `hyper` that lingers on close, so that the client can read the last response.
//!
//! If a socket is closed while its client is still sending, the client gets a reset and loses what it has not
//! read: it would see a broken connection instead of a 413. So, if a request body was left unread, the server
//! shuts down its writing side, discards incoming bytes for a while, and then closes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::activity::Activity;
use super::heads::CountedHeads;

/// The longest time, and the largest number of bytes, for which incoming data is discarded after the writing
/// side is shut down. A client that reads while it sends sees the response, and stops sending soon.
const LINGER: (Duration, usize) = (Duration::from_secs(2), 16 << 20);

/// The largest number of incoming bytes that one read discards.
const STEP: usize = 16 << 10;

/// A stream that lingers when it is shut down, if `activity` says that a request body was left unread.
pub(crate) struct Socket<S> {
    activity: Arc<Activity>,
    io: TokioIo<CountedHeads<S>>,
    /// Set after the writing side is shut down, while incoming bytes are discarded.
    lingering: Option<Lingering>,
    /// The longest time for which the client may take nothing.
    patience: Duration,
    /// The timer for `patience`; `None` while no write waits for the client.
    stuck: Option<Pin<Box<Sleep>>>,
}

struct Lingering {
    /// The number of incoming bytes that may still be discarded.
    left: usize,
    sleep: Pin<Box<Sleep>>,
}

impl<S> Socket<S> {
    pub(crate) fn new(stream: CountedHeads<S>, activity: Arc<Activity>, patience: Duration) -> Self {
        Self { activity, io: TokioIo::new(stream), lingering: None, patience, stuck: None }
    }

    /// Returns the result of a write, or an error if no write has succeeded for too long.
    fn in_time<T>(&mut self, written: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let patience = self.patience;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(stuck.as_mut().poll(cx));
        let text = format!("the client took nothing for {patience:?}");
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, text)))
    }
}

impl<S: AsyncRead + Unpin> Read for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Write for Socket<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, buf);
        self.in_time(written, cx)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.io).poll_flush(cx);
        self.in_time(written, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.lingering.is_none() {
            ready!(Pin::new(&mut this.io).poll_shutdown(cx))?;
            if !this.activity.has_unread() {
                return Poll::Ready(Ok(()));
            }
        }
        let start = || Lingering { left: LINGER.1, sleep: Box::pin(sleep(LINGER.0)) };
        let lingering = this.lingering.get_or_insert_with(start);
        let mut passed_over = [0; STEP];
        while lingering.left > 0 && lingering.sleep.as_mut().poll(cx).is_pending() {
            let mut buf = ReadBuf::new(&mut passed_over);
            match ready!(Pin::new(this.io.inner_mut()).poll_read(cx, &mut buf)) {
                Ok(()) if !buf.filled().is_empty() => {
                    lingering.left = lingering.left.saturating_sub(buf.filled().len());
                }
                Ok(()) | Err(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        self.in_time(written, cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::{Instant, timeout};

    use super::*;
    use crate::server::http::endpoint::Memory;

    /// Returns a client, and the server's end of its connection. The server has left a request body unread.
    fn refused() -> (DuplexStream, Socket<DuplexStream>) {
        let (client, stream) = duplex(64 << 10);
        let activity = Arc::<Activity>::default();
        activity.note_unread();
        let stream = CountedHeads::new(stream, &activity, &Arc::new(Memory::new(None)), &"ada".into());
        (client, Socket::new(stream, activity, Duration::from_secs(60)))
    }

    /// Shuts a connection down and closes it. Returns how many seconds that took.
    async fn close(mut socket: Socket<DuplexStream>) -> u64 {
        let began = Instant::now();
        let closed = poll_fn(|cx| Pin::new(&mut socket).poll_shutdown(cx));
        timeout(Duration::from_secs(60), closed).await.expect("an end").expect("a connection");
        began.elapsed().as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_client_that_falls_silent_has_two_seconds() {
        let (_client, socket) = refused();
        assert_eq!(close(socket).await, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_client_that_sends_on_may_send_16_mib() {
        let (mut client, socket) = refused();
        let sent = async {
            let mut sent = 0;
            while sent < 64 << 20 && client.write_all(&[0; STEP]).await.is_ok() {
                sent += STEP;
            }
            sent
        };
        let (sent, seconds) = tokio::join!(sent, close(socket));
        // Some bytes are in the buffer of the connection at the end.
        assert!((15 << 20..17 << 20).contains(&sent), "{sent} bytes");
        assert_eq!(seconds, 0, "the time had no part in it");
    }
}
