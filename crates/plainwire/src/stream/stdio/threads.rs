//! Blocking readers and writers on their own threads: for files, terminals, and systems whose pipes have no
//! readiness events.
//!
//! Memory is bounded: a reader reads at most two chunks ahead of its caller, and a writer takes a chunk only
//! when the chunk before it is written. A thread in a blocking read ends with the process; it is never
//! joined.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, mpsc as blocking};
use std::task::{Context, Poll, Waker};
use std::thread;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;

/// Largest number of bytes in one chunk, the unit that passes between a stream and its thread.
const CHUNK: usize = 64 * 1024;

/// An asynchronous reader that reads on its own thread.
pub(crate) struct Reader {
    /// The part of the newest chunk from the thread that the caller has not read yet.
    chunk: Vec<u8>,
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
}

impl Reader {
    pub(crate) fn new(mut from: impl Read + Send + 'static) -> Self {
        let (send, chunks) = mpsc::channel(1);
        thread::spawn(move || {
            let mut buffer = vec![0; CHUNK];
            loop {
                let chunk = match from.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    other => other.map(|count| buffer[..count].to_vec()),
                };
                let last = chunk.as_ref().map_or(true, Vec::is_empty);
                if send.blocking_send(chunk).is_err() || last {
                    return;
                }
            }
        });
        Self { chunk: Vec::new(), chunks }
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.chunk.is_empty() {
            match self.chunks.poll_recv(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Ready(Some(chunk)) => self.chunk = chunk?,
            }
        }
        let count = self.chunk.len().min(buffer.remaining());
        buffer.put_slice(&self.chunk[..count]);
        self.chunk.drain(..count);
        Poll::Ready(Ok(()))
    }
}

/// An asynchronous writer that writes on its own thread.
pub(crate) struct Writer {
    chunks: blocking::Sender<Vec<u8>>,
    state: Arc<Mutex<WriterState>>,
}

/// State that the writer and its thread share. After each chunk, the thread clears `busy` and wakes the task
/// that waits.
#[derive(Default)]
struct WriterState {
    /// Whether the thread is writing a chunk.
    busy: bool,
    /// The error of writing the newest chunk, until a call of the writer returns it.
    error: Option<io::Error>,
    waker: Option<Waker>,
}

impl Writer {
    pub(crate) fn new(mut to: impl Write + Send + 'static) -> Self {
        let (chunks, receive) = blocking::channel::<Vec<u8>>();
        let state = Arc::<Mutex<WriterState>>::default();
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for chunk in receive {
                let written = to.write_all(&chunk).and_then(|()| to.flush());
                let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                state.busy = false;
                state.error = written.err();
                let waker = state.waker.take();
                drop(state);
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        });
        Self { chunks, state }
    }

    /// Waits until the chunk of the previous write is written. If writing it failed, returns the error.
    fn poll_idle(&self, cx: &Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.error.take() {
            return Poll::Ready(Err(error));
        }
        if state.busy {
            state.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Writer {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.poll_idle(cx) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Pending => return Poll::Pending,
        }
        self.state.lock().unwrap_or_else(PoisonError::into_inner).busy = true;
        let count = bytes.len().min(CHUNK);
        let sent = self.chunks.send(bytes[..count].to_vec());
        Poll::Ready(sent.map(|()| count).map_err(|_| io::ErrorKind::BrokenPipe.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_idle(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_idle(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// A file without end that sends the length of each read to the test.
    struct Endless(blocking::Sender<usize>);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.send(buffer.len()).map_err(io::Error::other)?;
            Ok(buffer.len())
        }
    }

    #[tokio::test]
    async fn a_thread_passes_64_kib_on_at_a_time() {
        let (lengths, read) = blocking::channel();
        let _reader = Reader::new(Endless(lengths));
        assert_eq!(read.recv(), Ok(65_536));
        let mut writer = Writer::new(io::sink());
        let written = poll_fn(|cx| Pin::new(&mut writer).poll_write(cx, &[b'x'; 100_000])).await;
        assert_eq!(written.expect("taken"), 65_536);
    }
}
