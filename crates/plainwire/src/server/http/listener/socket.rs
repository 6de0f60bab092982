//! A stream as `hyper` wants it, which is closed so that the client can read what it was told last.
//!
//! A client that is still sending when its socket is closed gets a reset, and what it had not read yet is gone: it would
//! see a broken connection instead of a 413. So, if something was left unread, the server says that it says no more,
//! passes over what still comes, and only then closes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::connection::Activity;

/// How long to pass over what still comes, and how many bytes of it. Clients that read while they send stop soon.
const LINGER: (Duration, usize) = (Duration::from_secs(2), 16 << 20);

/// Bytes that are passed over at a time.
const STEP: usize = 16 << 10;

pub(crate) struct Socket<S> {
    activity: Arc<Activity>,
    io: TokioIo<S>,
    /// While nothing more is said and what comes is passed over.
    lingering: Option<Lingering>,
}

struct Lingering {
    /// Bytes that may still come.
    left: usize,
    sleep: Pin<Box<Sleep>>,
}

impl<S> Socket<S> {
    pub(crate) fn new(stream: S, activity: Arc<Activity>) -> Self {
        Self { activity, io: TokioIo::new(stream), lingering: None }
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
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
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
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }
}
