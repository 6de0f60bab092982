//! Counts the head of a request as memory of its caller, as long as the head has not arrived in full.
//!
//! In: the stream of a connection. Out: the same bytes, or an error once the caller has no memory left. `hyper` keeps a
//! head in the buffer of its connection until it is whole. So without this count, many connections that never end
//! their heads would take memory that no limit knows of.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::activity::Activity;
use super::connection::MAX_READ;
use crate::server::http::endpoint::{CallerId, Claim, Memory};

/// The size of a usual head, in bytes. Only larger heads are counted: an idle connection has room for a head
/// of this size.
const USUAL_HEAD: usize = 4 << 10;

/// The stream of a connection, which counts unfinished heads.
pub(crate) struct CountedHeads<S> {
    activity: Arc<Activity>,
    /// The number of bytes that have come since the last request ended or the connection began, at most
    /// [`MAX_READ`].
    bytes: usize,
    caller: CallerId,
    /// The memory that the head takes; `None` while it is of usual size.
    claim: Option<Claim>,
    memory: Arc<Memory>,
    stream: S,
}

impl<S> CountedHeads<S> {
    pub(crate) fn new(stream: S, activity: &Arc<Activity>, memory: &Arc<Memory>, caller: &CallerId) -> Self {
        Self {
            activity: Arc::clone(activity),
            bytes: 0,
            caller: caller.clone(),
            claim: None,
            memory: Arc::clone(memory),
            stream,
        }
    }

    fn count(&mut self, bytes: usize) -> io::Result<()> {
        // While a request is open, the bytes are those of its body, which counts by itself.
        if self.activity.has_open() {
            (self.bytes, self.claim) = (0, None);
            return Ok(());
        }
        // The buffer of the connection has no more. HTTP/2 keeps less: it takes its frames out one by one.
        self.bytes = (self.bytes + bytes).min(MAX_READ);
        if self.bytes <= USUAL_HEAD {
            return Ok(());
        }
        let claimed = match &mut self.claim {
            Some(claim) => claim.grow_to(self.bytes),
            None => self.memory.claim(&self.caller, self.bytes).map(|claim| self.claim = Some(claim)),
        };
        claimed.map_err(|_| {
            io::Error::other("expected the head of a request, but found no memory for more of it")
        })
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for CountedHeads<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        Poll::Ready(self.count(buf.filled().len() - before))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for CountedHeads<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}
