//! What ends our children when we are killed: one small `sh` for all of them, which reads their groups from a pipe that
//! only we hold. However we die, the pipe ends then.
//!
//! In: groups. Out: guards; a group is watched for as long as its guard is there, and the watchdog for as long as any is.
//! It shares neither group, nor streams, nor environment with us, and a system without `sh` is one without a watchdog.
//! `PR_SET_PDEATHSIG` would have to be called between fork and exec, which is `unsafe`; and it kills the child alone.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Pid;

const SCRIPT: &str = include_str!("watchdog.sh");

/// The watchdog of this process, while there is something to watch.
///
/// With `TAKEN` of `transport::stdio`, this is all that is global in this crate. What it looks after, the death of the process, is there once, and so is the
/// pipe that tells of it. An owner that programs hand around would not do: a `Command` becomes a server anywhere, and each
/// owner would be a shell more. It holds nothing alive (`Weak`: the shell ends with the last guard), decides nothing, and
/// two programs in one process that share it can't tell: each watches groups of its own.
static CURRENT: Mutex<Weak<Watchdog>> = Mutex::new(Weak::new());

#[derive(Debug)]
struct Watchdog(Mutex<Shell>);

#[derive(Debug)]
struct Shell {
    process: Child,
    stdin: ChildStdin,
}

/// A group that is watched.
#[derive(Debug)]
pub(super) struct Watch {
    group: Pid,
    watchdog: Arc<Watchdog>,
}

/// Has `group` ended within `grace` of our death, unless the guard is dropped before. `None` if nobody can watch.
pub(super) fn watch(group: Pid, grace: Duration) -> Option<Watch> {
    let watched = current().and_then(|watchdog| {
        watchdog.tell(&format!("+ {} {}\n", group.as_raw_nonzero(), tenths(grace)))?;
        Ok(Watch { group, watchdog })
    });
    watched.inspect_err(|error| tracing::debug!("nobody ends servers if we are killed: {error}")).ok()
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.watchdog.tell(&format!("- {}\n", self.group.as_raw_nonzero()));
    }
}

/// Returns the watchdog that is there, or a new one.
fn current() -> io::Result<Arc<Watchdog>> {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    match current.upgrade() {
        Some(watchdog) if watchdog.lives() => Ok(watchdog),
        // One that somebody killed watches nothing any more; what it watched is told to end by the end of its input alone.
        _ => {
            let watchdog = Arc::new(Watchdog::start()?);
            *current = Arc::downgrade(&watchdog);
            Ok(watchdog)
        }
    }
}

impl Watchdog {
    fn start() -> io::Result<Self> {
        let mut process = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "plainwire-watchdog"])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let stdin = process.stdin.take().ok_or_else(|| io::Error::other("expected a pipe"))?;
        // One that is stopped reads nothing, and must not stop us.
        fcntl_setfl(&stdin, fcntl_getfl(&stdin)? | OFlags::NONBLOCK)?;
        Ok(Self(Mutex::new(Shell { process, stdin })))
    }

    fn shell(&self) -> MutexGuard<'_, Shell> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lives(&self) -> bool {
        matches!(self.shell().process.try_wait(), Ok(None))
    }

    fn tell(&self, line: &str) -> io::Result<()> {
        let mut shell = self.shell();
        // A pipe without a reader would be SIGPIPE, for a program that has it so.
        match shell.process.try_wait()? {
            None => shell.stdin.write_all(line.as_bytes()),
            Some(status) => Err(io::Error::other(format!("the watchdog ended: {status}"))),
        }
    }
}

impl Drop for Watchdog {
    /// Nothing is watched any more. It ignores every signal but this one, which leaves nothing to wait for.
    fn drop(&mut self) {
        let shell = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = shell.process.kill();
        let _ = shell.process.wait();
    }
}

/// Tenths of a second, at least one.
fn tenths(time: Duration) -> u128 {
    time.as_millis().div_ceil(100).max(1)
}
