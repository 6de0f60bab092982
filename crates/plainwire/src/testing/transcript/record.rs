//! Recording of sessions.
//!
//! In: a stream, the client's end of a connection. Out: a stream that the client uses instead, and a
//! [`Recording`] of the frames on it. Unlike a tap, a recording does not mask secrets, because a replay needs
//! the exact frames. Check it for secrets before you commit it.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Side, Transcript};
use crate::client::{Client, ClientBuilder};
use crate::error::Result;
use crate::server::Server;
use crate::stream::{Stream, memory};

/// Connects a client to `server`, like [`client_with`](crate::testing::client_with), and records their
/// frames.
///
/// ```
/// use plainwire::prelude::*;
/// use plainwire::{Client, testing::transcript};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// let server = || Server::new("demo").tool(Tool::new("hello", || async { "Hello!" }));
/// let (client, recording) = transcript::record(server(), Client::builder()).await?;
/// client.call_tool("hello", json!({})).await?;
/// let transcript = recording.transcript();
/// assert!(transcript.steps[1].server[0].contains("Hello!"));
/// assert_eq!(transcript.play(server()).await?.steps[1], transcript.steps[1]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// The errors of [`client`](crate::testing::client).
pub async fn record(server: Server, client: ClientBuilder) -> Result<(Client, Recording)> {
    let (ours, theirs) = memory::pair();
    crate::server::connection::serve_in_background(server.into_connection(theirs)?);
    let (ours, recording) = Recording::start(ours);
    Ok((client.stream(ours).await?, recording))
}

/// The recording of a session: its frames so far. Clones share the frames.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The recorded frames, shared with the two halves of the stream, which add frames.
    tape: Arc<Mutex<Tape>>,
}

/// The recorded frames, in order, and the unfinished line of each side.
#[derive(Debug, Default)]
struct Tape {
    client: Vec<u8>,
    /// The frames, each with the side that sent it.
    frames: Vec<(Side, String)>,
    server: Vec<u8>,
}

impl Recording {
    /// Records the frames on `stream`, the client's end of a connection to any server. The client has to use
    /// the returned stream.
    pub fn start(stream: Stream) -> (Stream, Self) {
        let recording = Self::default();
        let reader = RecordedReader { inner: stream.reader, recording: recording.clone() };
        let writer = RecordedWriter { inner: stream.writer, recording: recording.clone() };
        (Stream::new(reader, writer), recording)
    }

    /// Returns the frames that were recorded so far. Unfinished and empty lines are left out.
    ///
    /// Frames that the client sends without waiting for answers are in one step, together with the answers.
    pub fn transcript(&self) -> Transcript {
        let tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        Transcript::of(tape.frames.iter().map(|(side, frame)| (*side, frame.as_str())))
    }

    /// Adds bytes that `side` has sent, in which a frame may begin or end anywhere.
    fn add(&self, side: Side, mut bytes: &[u8]) {
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        let Tape { client, frames, server } = &mut *tape;
        let begun = match side {
            Side::Client => client,
            Side::Server => server,
        };
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            begun.extend_from_slice(&bytes[..end]);
            let frame = String::from_utf8_lossy(begun).trim_end_matches('\r').to_owned();
            if !frame.is_empty() {
                frames.push((side, frame));
            }
            begun.clear();
            bytes = &bytes[end + 1..];
        }
        begun.extend_from_slice(bytes);
    }
}

/// A reader for the client that records the frames of the server.
struct RecordedReader<R> {
    inner: R,
    recording: Recording,
}

impl<R: AsyncRead + Unpin> AsyncRead for RecordedReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        self.recording.add(Side::Server, &buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

/// A writer for the client that records the frames of the client.
struct RecordedWriter<W> {
    inner: W,
    recording: Recording,
}

impl<W: AsyncWrite + Unpin> AsyncWrite for RecordedWriter<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes))?;
        self.recording.add(Side::Client, &bytes[..written]);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puts_lines_together_that_come_in_pieces() {
        let recording = Recording::default();
        for (side, bytes) in [
            (Side::Client, &b"a\nb"[..]),
            (Side::Server, b"{\"requestState\":\"s\"}\r\n\nha"),
            (Side::Client, b"c\n"),
            (Side::Server, b"lf"),
            (Side::Client, b"{\"requestState\":\"s\"}\n"),
        ] {
            recording.add(side, bytes);
        }
        assert_eq!(
            recording.transcript().to_string(),
            "-- client --\na\n-- server --\n{\"requestState\":\"{state 1}\"}\n\n-- client --\nbc\n{\"requestState\":\"{state 1}\"}\n-- server --\n"
        );
    }
}
