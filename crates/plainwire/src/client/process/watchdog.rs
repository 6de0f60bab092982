//! The watchdog, which ends the children of this process if this process is killed. One small `sh` serves all:
//! it reads their process groups from a pipe that only this process holds, and the pipe ends however this
//! process ends.
//!
//! In: process groups. Out: guards. A group is watched while its guard lives, and the watchdog runs while any
//! guard lives. It does not share group, streams or environment with this process. A system without `sh` has
//! no watchdog. `PR_SET_PDEATHSIG` is no alternative: it would have to be called between fork and exec, which
//! is `unsafe`, and it kills only the child itself.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Pid;

const SCRIPT: &str = include_str!("watchdog.sh");

/// The watchdog of this process, while a group is watched.
///
/// Besides `TAKEN` of `stream::stdio`, this is the only global state of this crate. It is global because the
/// death of the process concerns all servers, and one pipe can report it for all of them. If programs passed
/// a watchdog around instead, each watchdog would need a shell of its own, and every place that starts a
/// server would need a watchdog. The global one keeps nothing alive (`Weak`: the shell ends with the last
/// guard) and decides nothing. Two users of this library in one process share it without noticing: each
/// watches groups of its own.
static CURRENT: Mutex<Weak<Watchdog>> = Mutex::new(Weak::new());

/// A running watchdog. Dropping it ends its shell.
#[derive(Debug)]
struct Watchdog(Mutex<Shell>);

/// The `sh` process of a watchdog, and the pipe that names the groups to it.
#[derive(Debug)]
struct Shell {
    process: Child,
    stdin: ChildStdin,
}

/// The guard of a watched process group. Dropping it ends the watch.
#[derive(Debug)]
pub(super) struct Watch {
    group: Pid,
    watchdog: Arc<Watchdog>,
}

/// Watches `group`: if this process dies before the guard is dropped, the watchdog sends SIGTERM to the group
/// after half of `grace`, and SIGKILL after all of it. `None` if there is no watchdog.
pub(super) fn watch(group: Pid, grace: Duration) -> Option<Watch> {
    let watched = current().and_then(|watchdog| {
        watchdog.tell(&format!("+ {} {}\n", group.as_raw_nonzero(), tenths(grace)))?;
        Ok(Watch { group, watchdog })
    });
    watched
        .inspect_err(|error| tracing::debug!("no watchdog: servers may outlive this process: {error}"))
        .ok()
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.watchdog.tell(&format!("- {}\n", self.group.as_raw_nonzero()));
    }
}

/// Returns the running watchdog of this process, or starts one.
fn current() -> io::Result<Arc<Watchdog>> {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    match current.upgrade() {
        Some(watchdog) if watchdog.lives() => Ok(watchdog),
        // A watchdog that was killed watches nothing any more. If this process dies, the servers that it
        // watched end only if they notice the end of their input.
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
        // A stopped watchdog (SIGSTOP) reads nothing, and must not block this process.
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
        // Writing to a pipe without a reader would raise SIGPIPE, in a program that does not ignore that
        // signal.
        match shell.process.try_wait()? {
            None => shell.stdin.write_all(line.as_bytes()),
            Some(status) => Err(io::Error::other(format!("the watchdog ended: {status}"))),
        }
    }
}

impl Drop for Watchdog {
    /// Kills the shell by SIGKILL, since nothing is watched any more: the shell ignores SIGHUP, SIGINT,
    /// SIGQUIT and SIGTERM. After SIGKILL the wait is short.
    fn drop(&mut self) {
        let shell = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = shell.process.kill();
        let _ = shell.process.wait();
    }
}

/// Returns `time` in tenths of a second, rounded up, at least one.
fn tenths(time: Duration) -> u128 {
    time.as_millis().div_ceil(100).max(1)
}
