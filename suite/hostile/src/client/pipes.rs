//! Messages to a server on stdin and stdout.

use std::io::{Error, Result};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::messages::{INITIALIZED, Script, initialize};
use crate::behaviours::Reads;

/// The longest wait for room to write.
const PATIENCE: Duration = Duration::from_secs(1);

/// The ids of the first and the last ping, which no other message has.
const FIRST: &str = "the first ping";
const LAST: &str = "the last ping";

/// The pipes of a server. They are closed when this is dropped.
pub(crate) struct Pipes {
    stdin: ChildStdin,
    /// The rest of a message that the server did not read in time.
    unsent: Vec<u8>,
    output: Output,
}

/// The output of a server, and whether it is read.
enum Output {
    Unread(ChildStdout),
    /// Tells of the last ping.
    Read(mpsc::Receiver<()>),
    None,
}

impl Pipes {
    /// Opens a session, and waits until the server serves.
    pub(crate) async fn open(server: &mut Child, messages: &[&str]) -> Result<Self> {
        let (Some(mut stdin), Some(mut stdout)) = (server.stdin.take(), server.stdout.take()) else {
            return Err(Error::other("no pipes"));
        };
        let opening = format!("{}\n{INITIALIZED}\n{}", initialize(messages), ping(FIRST));
        stdin.write_all(opening.as_bytes()).await?;
        let mut read = Vec::new();
        while !String::from_utf8_lossy(&read).contains(FIRST) {
            if timeout(PATIENCE * 10, stdout.read_buf(&mut read)).await?? == 0 {
                return Err(Error::other("the server has ended"));
            }
        }
        Ok(Self { stdin, unsent: Vec::new(), output: Output::Unread(stdout) })
    }

    /// Says messages. Stops when the server reads nothing more.
    pub(crate) async fn say(&mut self, script: Script<'_>, reads: Reads) {
        if reads == Reads::Everything {
            self.read();
        }
        for mut message in script {
            message.push(b'\n');
            self.unsent = message;
            // A server that reads nothing more, because nobody reads its answers, does what it should.
            if !timeout(PATIENCE, self.write()).await.is_ok_and(|written| written.is_ok()) {
                break;
            }
        }
        sleep(Duration::from_millis(100)).await;
    }

    /// Reads everything from now on, and sends another ping. Returns whether it is answered.
    pub(crate) async fn is_answered(&mut self) -> bool {
        self.read();
        if self.write().await.is_err() || self.stdin.write_all(ping(LAST).as_bytes()).await.is_err() {
            return false;
        }
        match &mut self.output {
            Output::Read(last) => last.recv().await.is_some(),
            Output::Unread(_) | Output::None => false,
        }
    }

    async fn write(&mut self) -> Result<()> {
        while !self.unsent.is_empty() {
            let written = self.stdin.write(&self.unsent).await?;
            self.unsent.drain(..written);
        }
        self.stdin.flush().await
    }

    /// Begins to read, if it has not.
    fn read(&mut self) {
        let (found, last) = mpsc::channel(1);
        match std::mem::replace(&mut self.output, Output::None) {
            Output::Unread(stdout) => {
                tokio::spawn(read(stdout, found));
                self.output = Output::Read(last);
            }
            before => self.output = before,
        }
    }
}

fn ping(id: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"method\":\"ping\"}}\n")
}

/// Reads and drops everything. Tells of the last ping.
async fn read(mut stdout: ChildStdout, found: mpsc::Sender<()>) {
    let (mut read, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    while let Ok(length @ 1..) = stdout.read(&mut buffer).await {
        read.extend_from_slice(&buffer[..length]);
        if String::from_utf8_lossy(&read).contains(LAST) {
            let _ = found.try_send(());
        }
        read.drain(..read.len().saturating_sub(LAST.len()));
    }
}
