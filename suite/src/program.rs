//! A program under test: a real process with its input, its output and its exit.
//!
//! In: a command. Out: a [`Program`] that a test writes to and reads from line by line, with a time limit.
//! The process is killed when the [`Program`] is dropped, also if the test fails. Failures are panics, since
//! this is for tests only; the exception is [`Program::next_line`], which returns an error.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Time limit for steps whose time is not measured, long enough for a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A program under test. Its process is killed when the value is dropped.
pub struct Program {
    /// The process of the program.
    pub child: Child,
    /// Lines that the process writes to stderr; `None` if stderr is not a pipe.
    pub stderr: Option<Receiver<String>>,
    /// Texts for the writer thread, so that a program that reads nothing can't block the test. `None` after
    /// stdin was closed.
    stdin: Option<Sender<String>>,
    stdout: Stdout,
}

/// The stdout of the program. A thread reads it after the first call of [`Program::next_line`].
enum Stdout {
    Read(Receiver<String>),
    Unread(Option<OwnedFd>),
}

impl Program {
    /// Starts `command` with pipes for stdin, stdout and stderr.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a program that starts");
        let stdin = child.stdin.take().map(|stdin| writer(stdin.into()));
        let stdout = Stdout::Unread(child.stdout.take().map(OwnedFd::from));
        let stderr = child.stderr.take().map(lines);
        Self { child, stderr, stdin, stdout }
    }

    /// Starts `command` with the streams that were already set on it; `stdin` and `stdout` are the test's
    /// ends of these streams.
    pub fn start_on(command: &mut Command, stdin: impl Into<OwnedFd>, stdout: Option<OwnedFd>) -> Self {
        let child = command.spawn().expect("a program that starts");
        // `command` has copies of the program's ends of the streams. They would keep the streams open after
        // the program has ended.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { child, stderr: None, stdin: Some(writer(stdin.into())), stdout: Stdout::Unread(stdout) }
    }

    /// Writes `text` to the stdin of the program, without adding a line break.
    pub fn send_text(&mut self, text: String) {
        let stdin = self.stdin.as_ref().expect("input is open");
        // A program that has exited is detected by the missing answer.
        let _ = stdin.send(text);
    }

    /// Writes a line to the stdin of the program.
    pub fn send(&mut self, line: &str) {
        self.send_text(format!("{line}\n"));
    }

    /// Waits up to `patience` for a line on the stdout of the program.
    ///
    /// # Errors
    /// If no line arrives in time, or the output has ended.
    pub fn next_line(&mut self, patience: Duration) -> Result<String, RecvTimeoutError> {
        if let Stdout::Unread(fd) = &mut self.stdout {
            let fd = fd.take().expect("output is a pipe or a socket");
            self.stdout = Stdout::Read(lines(File::from(fd)));
        }
        let Stdout::Read(lines) = &self.stdout else { unreachable!("it is read now") };
        lines.recv_timeout(patience)
    }

    /// Returns the next line on stdout, which has to be a JSON-RPC message; `None` at the end of the output.
    pub fn hear(&mut self) -> Option<Value> {
        match self.next_line(PATIENCE) {
            Ok(line) => {
                let message: Value =
                    serde_json::from_str(&line).unwrap_or_else(|_| panic!("on stdout: {line}"));
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                Some(message)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("nothing on stdout for {PATIENCE:?}"),
        }
    }

    /// Writes a line to the stdin of the program and returns the next message on its stdout.
    pub fn ask(&mut self, line: &str) -> Value {
        self.send(line);
        self.hear().expect("an answer")
    }

    /// Begins a session of 2025-11-25.
    pub fn initialize(&mut self) {
        assert_eq!(self.ask(INITIALIZE)["result"]["protocolVersion"], "2025-11-25");
    }

    /// Calls a tool and returns the text of the first content block in its result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask(&call(1, tool, arguments))["result"]["content"][0]["text"].clone()
    }

    /// Closes the stdin of the program.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the exit of the program, which has to happen within `limit`.
    pub fn ends_within(&mut self, limit: Duration) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(began.elapsed() < limit, "still running after {limit:?}");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Closes the stdin of the program, expects a successful exit within a second after the end of its
    /// output, and returns the remaining messages on stdout and all of stderr.
    pub fn end(mut self) -> (Vec<Value>, String) {
        self.hang_up();
        let mut rest = Vec::new();
        while let Some(message) = self.hear() {
            rest.push(message);
        }
        let status = self.ends_within(Duration::from_secs(1));
        assert!(status.success(), "{status}");
        let stderr = self.stderr.take().map(|lines| lines.into_iter().collect::<Vec<_>>().join("\n"));
        (rest, stderr.unwrap_or_default())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a thread that writes the texts from the returned channel, until the channel ends.
fn writer(to: OwnedFd) -> Sender<String> {
    let (send, texts) = mpsc::channel::<String>();
    thread::spawn(move || {
        let mut to = File::from(to);
        for text in texts {
            if to.write_all(text.as_bytes()).is_err() {
                return;
            }
        }
        // A socket has two directions, and only the one that writes ends here. A pipe refuses `shutdown` and
        // is closed.
        let _ = UnixStream::from(OwnedFd::from(to)).shutdown(Shutdown::Write);
    });
    send
}

/// Starts a thread that reads lines, so that waiting for a line can time out.
fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// The request that begins a session of 2025-11-25, from a client that supports no questions of the server.
pub const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"suite","version":"1"}}}"#;

/// Returns a `tools/call` request as a client with a session sends it.
pub fn call(id: u64, tool: &str, arguments: Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}
