//! A server process of `plainwire dev`: threads that read its output and write its input.
//!
//! In: a command line. Out: events. What a process writes to its stderr is shown, escaped.

use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use plainwire::proto::frame::{Frame, Lines};
use plainwire::proto::json::shorten;

use super::MAX_FRAME;
use super::child::{GRACE, command, in_group, kill_group, show};
use super::room::{Room, Waiting};
use super::stdio::Event;
use crate::{output, visible};

/// The maximal number of frames that wait until a server reads them.
const MAX_UNREAD: usize = 1_024;

/// A running server.
pub(super) struct Server {
    child: Child,
    /// The frames to write to its input; `None` once that is closed.
    frames: Option<SyncSender<Waiting>>,
    room: Arc<Room>,
    pub(super) generation: u64,
}

impl Server {
    /// Starts a server. Its frames and its end are sent to `events`.
    pub(super) fn start(words: &[OsString], generation: u64, events: &SyncSender<Event>) -> io::Result<Self> {
        let mut child = in_group(command(words).stdin(Stdio::piped()).stdout(Stdio::piped())).spawn()?;
        let missing = || io::Error::other("expected the server to have pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || show(stderr));
        }
        let sink = events.clone();
        thread::spawn(move || {
            let room = Arc::<Room>::default();
            lines(stdout, MAX_FRAME, |line| sink.send(Event::Server(generation, room.hold(line))).is_ok());
            let _ = sink.send(Event::ServerEnd(generation));
        });
        let (frames, written) = sync_channel::<Waiting>(MAX_UNREAD);
        thread::spawn(move || write(stdin, written.iter()));
        Ok(Self { child, frames: Some(frames), generation, room: Arc::default() })
    }

    /// Sends a frame. Returns whether there was room for it.
    pub(super) fn send(&self, frame: String) -> bool {
        let Some(frames) = &self.frames else { return false };
        self.room.try_hold(frame).is_some_and(|frame| frames.try_send(frame).is_ok())
    }

    /// Closes the input of the server, once it has read the frames that were sent.
    pub(super) fn close(&mut self) {
        self.frames = None;
    }

    /// Closes the input of the server, waits for its exit, and kills it if it takes too long. Returns its exit status,
    /// and `None` if it was killed.
    pub(super) fn end(mut self) -> Option<ExitStatus> {
        self.close();
        let end = Instant::now() + GRACE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(10)),
                Ok(None) | Err(_) => {
                    kill_group(&mut self.child);
                    let _ = self.child.wait();
                    return None;
                }
            }
        }
    }
}

/// Returns the words for the end of a server.
pub(super) fn told(status: Option<ExitStatus>) -> String {
    status.map_or_else(|| "it was killed".to_owned(), |status| status.to_string())
}

/// Returns the line for a server that could not be started.
pub(super) fn not_started(command: &[OsString], error: &io::Error) -> String {
    let program = command.first().map(|it| visible::line(&it.to_string_lossy())).unwrap_or_default();
    format!("starting {program:?} failed: {error}; it is tried again after the next change")
}

/// Reads the lines of `from`, each of at most `most` bytes, and hands them over until `take` refuses one. A longer line
/// is left out, with a note.
pub(super) fn lines(mut from: impl Read, most: usize, mut take: impl FnMut(String) -> bool) {
    let mut lines = Lines::new(most);
    loop {
        match from.read(lines.space()) {
            Ok(0) => break,
            Ok(count) => lines.filled(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
        while let Some(frame) = lines.next_frame() {
            match frame {
                Frame::Line(line) if !take(String::from_utf8_lossy(line).into_owned()) => return,
                Frame::Line(_) => {}
                Frame::TooLong(start) => {
                    let start = String::from_utf8_lossy(start);
                    output::note(&format!(
                        "a line of more than {most} bytes is left out; it begins with {:?}",
                        shorten(&start)
                    ));
                }
            }
        }
    }
    let rest = lines.rest();
    if !rest.is_empty() {
        take(String::from_utf8_lossy(rest).into_owned());
    }
}

/// Reads the frames of the client.
pub(super) fn frames_of_client(from: impl Read, events: &SyncSender<Event>) {
    let room = Arc::<Room>::default();
    lines(from, MAX_FRAME, |line| events.send(Event::Client(room.hold(line))).is_ok());
}

fn write(mut stdin: ChildStdin, frames: impl Iterator<Item = Waiting>) {
    for frame in frames {
        let written = stdin.write_all(frame.as_str().as_bytes()).and_then(|()| stdin.write_all(b"\n"));
        if written.and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_over_the_limit_is_left_out_and_the_next_one_is_read() {
        let mut taken = Vec::new();
        let text = format!("one\n{}\n two \r\n\nlast", "x".repeat(11));
        lines(text.as_bytes(), 10, |line| {
            taken.push(line);
            true
        });
        assert_eq!(taken, ["one", "two", "last"]);
        assert_eq!((MAX_FRAME, MAX_UNREAD), (64 << 20, 1_024));
    }
}
