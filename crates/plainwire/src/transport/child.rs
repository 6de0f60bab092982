//! A server in a child process, spoken to over its standard streams.
//!
//! In: a command. Out: a [`Stream`] and a handle on the process. Its stderr goes where ours goes. When the handle is
//! dropped, the child's input is closed already; it gets a moment to leave and is killed after that.

use std::io;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Stream;

/// How long a child may take to leave once its input is closed. Servers drain for 5 s.
const GRACE: Duration = Duration::from_secs(6);

/// How often to look whether a child has left.
const STEP: Duration = Duration::from_millis(2);

/// A child process that ends with its owner.
#[derive(Debug)]
pub(crate) struct Process {
    child: Option<Child>,
}

/// Starts `command`.
///
/// # Errors
/// If it can't be started.
pub(crate) fn spawn(mut command: Command) -> io::Result<(Stream, Process)> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let missing = || io::Error::other("expected the child to have both pipes");
    let (stdout, stdin) = (child.stdout.take().ok_or_else(missing)?, child.stdin.take().ok_or_else(missing)?);
    #[cfg(unix)]
    let stream = Stream {
        reader: super::stdio::unix::reader(stdout.into(), false)?,
        writer: super::stdio::unix::writer(stdin.into(), false)?,
    };
    #[cfg(not(unix))]
    let stream =
        Stream::new(super::stdio::threads::Reader::new(stdout), super::stdio::threads::Writer::new(stdin));
    Ok((stream, Process { child: Some(child) }))
}

impl Process {
    /// Says how the process ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<String> {
        let status = self.child.as_mut()?.try_wait().ok()??;
        Some(status.to_string())
    }
}

impl Process {
    /// Waits for the process to leave now that its input is closed, and kills it when the time is up.
    pub(crate) async fn end(mut self) {
        let Some(mut child) = self.child.take() else { return };
        let began = Instant::now();
        while began.elapsed() < GRACE {
            match child.try_wait() {
                Ok(None) => tokio::time::sleep(STEP).await,
                Ok(Some(_)) | Err(_) => return,
            }
        }
        kill(child);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        if child.try_wait().is_ok_and(|status| status.is_some()) {
            return;
        }
        // Waiting blocks, so that it happens elsewhere; whoever exits before it is done leaves a child whose input
        // is closed, which is what tells it to end.
        thread::spawn(move || {
            let began = Instant::now();
            while began.elapsed() < GRACE {
                match child.try_wait() {
                    Ok(None) => thread::sleep(STEP),
                    Ok(Some(_)) | Err(_) => return,
                }
            }
            kill(child);
        });
    }
}

fn kill(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}
