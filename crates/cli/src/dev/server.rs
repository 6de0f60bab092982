//! A server process of `plainwire dev`, and its build: threads that read their output and write their input.
//!
//! In: a command line. Out: events. What a process writes to its stderr is shown, escaped.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::Event;
use crate::output;

/// The maximal number of bytes of a frame.
const MAX_FRAME: u64 = 64 << 20;

/// The maximal number of frames that wait until a server reads them.
const MAX_UNREAD: usize = 1_024;

/// The time for a server to exit after its input was closed.
const GRACE: Duration = Duration::from_secs(1);

/// A running server.
pub(super) struct Server {
    child: Child,
    frames: SyncSender<String>,
    pub(super) generation: u64,
}

impl Server {
    /// Starts a server. Its frames and its end are sent to `events`.
    pub(super) fn start(words: &[OsString], generation: u64, events: &SyncSender<Event>) -> io::Result<Self> {
        let mut child = command(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || io::Error::other("expected the server to have pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || show(stderr));
        }
        let sink = events.clone();
        thread::spawn(move || {
            lines(stdout, |line| sink.send(Event::Server(generation, line)).is_ok());
            let _ = sink.send(Event::ServerEnd(generation));
        });
        let (frames, written) = sync_channel::<String>(MAX_UNREAD);
        thread::spawn(move || write(stdin, written.iter()));
        Ok(Self { child, frames, generation })
    }

    /// Sends a frame. Returns whether there was room for it.
    pub(super) fn send(&self, frame: String) -> bool {
        self.frames.try_send(frame).is_ok()
    }

    /// Closes the input of the server, waits for its exit, and ends it if it takes too long. Returns its exit
    /// status.
    pub(super) fn end(mut self) -> String {
        drop(self.frames);
        let end = Instant::now() + GRACE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(10)),
                Ok(None) => {
                    let _ = self.child.kill();
                    let _ = self.child.wait();
                    return "it was killed".to_owned();
                }
                Err(error) => return error.to_string(),
            }
        }
    }
}

/// Runs a build on a thread of its own, and sends its outcome.
pub(super) fn build(words: Vec<OsString>, events: SyncSender<Event>) {
    thread::spawn(move || {
        let built =
            command(&words).stdin(Stdio::null()).stdout(Stdio::null()).spawn().and_then(|mut child| {
                child.stderr.take().into_iter().for_each(show);
                child.wait()
            });
        let is_good = match built {
            Ok(status) => status.success(),
            Err(error) => {
                output::note(&format!("starting the build failed: {error}"));
                false
            }
        };
        let _ = events.send(Event::Built(is_good));
    });
}

/// Reads the lines of `from`, and hands them over until `take` refuses one.
pub(super) fn lines(from: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut from = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        match from.by_ref().take(MAX_FRAME).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if !text.is_empty() && !take(text.to_owned()) {
            return;
        }
    }
}

fn write(mut stdin: ChildStdin, frames: impl Iterator<Item = String>) {
    for frame in frames {
        let written = stdin.write_all(frame.as_bytes()).and_then(|()| stdin.write_all(b"\n"));
        if written.and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn show(stderr: impl Read) {
    lines(stderr, |line| {
        output::note(&line);
        true
    });
}

fn command(words: &[OsString]) -> Command {
    let (program, arguments) =
        words.split_first().map_or(("".as_ref(), words), |(program, rest)| (&**program, rest));
    let mut command = Command::new(program);
    command.args(arguments).stderr(Stdio::piped());
    command
}
