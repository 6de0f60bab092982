//! Servers in a few lines of shell, the files to which they write notes, and checks of the processes that
//! still run.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use plainwire::Client;
use plainwire::client::ClientBuilder;
use plainwire::client::process::{Program, Stderr};
use plainwire::proto::peer::{EraChoice, RequestOptions};
use rustix::process::{Pid, Signal, kill_process_group};

/// Time after which a wait fails the test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Shell functions and variables of a server that speaks both eras. A test can replace the functions
/// `called`, which runs at each call of a tool, `ended`, which runs at the end of input, and `acknowledge`,
/// which runs at each `subscriptions/listen`.
const SERVER: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
hello='{"resultType":"complete","supportedVersions":["2026-07-28"],"protocolVersion":"2025-06-18","capabilities":{"logging":{},"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}'
tools='{"tools":[{"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}'
text='{"resultType":"complete","content":[{"type":"text","text":"done"}]}'
acknowledge() {
    meta='{"io.modelcontextprotocol/subscriptionId":'$id'}'
    params='{"notifications":{"toolsListChanged":true},"_meta":'$meta'}'
    printf '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":%s}\n' "$params"
    echo listening >> "$NOTES"
}
ended() { :; }
called() { answer "$text"; }
"#;

const LOOP: &str = r#"
while read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case $line in
        *'"initialize"'* | *'"server/discover"'*) answer "$hello" ;;
        *'"logging/setLevel"'*) echo "level $line" >> "$NOTES"; answer '{}' ;;
        *'"subscriptions/listen"'*) acknowledge ;;
        *'"tools/list"'*) answer "$tools" ;;
        *'"tools/call"'*) echo call >> "$NOTES"; called ;;
    esac
done
ended
"#;

/// Shell code of a server that ignores SIGTERM and the end of its input, and that starts a second process,
/// which ignores SIGTERM too.
pub(crate) const STUBBORN: &str = r"
trap '' TERM
(trap '' TERM; while :; do sleep 1; done) &
ended() { while :; do sleep 1; done; }
";

/// A program in a shell script, and the file to which it writes notes, one a line.
pub(crate) struct Script {
    notes: PathBuf,
    text: String,
}

impl Script {
    /// Makes the script of a server that runs `extra` before it reads its first line; `extra` can replace
    /// functions of [`SERVER`].
    pub(crate) fn serving(extra: &str) -> Self {
        Self::new(&format!("{SERVER}\n{extra}\n{LOOP}"))
    }

    /// Makes the script of a program that runs `text`.
    pub(crate) fn new(text: &str) -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let notes = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("process-{}-{number}", std::process::id()));
        let _ = fs::remove_file(&notes);
        Self { notes, text: format!("echo pid $$ >> \"$NOTES\"\n{text}") }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &self.text]).env("NOTES", &self.notes);
        command
    }

    /// Returns the script as a program with a grace period of 300 ms. The client keeps the program's stderr
    /// and does not pass it on.
    pub(crate) fn program(&self) -> Program {
        Program::new(self.command()).grace(Duration::from_millis(300)).stderr(Stderr::Keep)
    }

    pub(crate) async fn connect(&self) -> Client {
        builder().command(self.program()).await.expect("a connection")
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        fs::read_to_string(&self.notes).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// Waits until the first process runs, and returns its id.
    pub(crate) fn pid(&self) -> u32 {
        eventually(|| self.pids().first().copied())
    }

    #[track_caller]
    pub(crate) fn expect_nobody_left(&self) {
        self.expect_nobody_left_within(PATIENCE);
    }

    /// Waits until each process group that was started with this script has ended, and the client has reaped
    /// the first process of the group. Fails the test after `time`.
    #[track_caller]
    pub(crate) fn expect_nobody_left_within(&self, time: Duration) {
        self.pid();
        let began = Instant::now();
        for pid in self.pids() {
            while lives(pid) || state(pid).is_some() {
                assert!(began.elapsed() < time, "group {pid} is still there: {:?}", state(pid));
                thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// Returns the ids of the processes that were started with this script, oldest first.
    pub(crate) fn pids(&self) -> Vec<u32> {
        self.notes().iter().filter_map(|note| note.strip_prefix("pid ")?.parse().ok()).collect()
    }

    /// Returns the number of calls that reached the server.
    pub(crate) fn calls(&self) -> usize {
        self.notes().iter().filter(|note| *note == "call").count()
    }
}

/// Kills the processes that a failed test has left running.
impl Drop for Script {
    fn drop(&mut self) {
        for pid in self.pids() {
            if let Some(group) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
        let _ = fs::remove_file(&self.notes);
    }
}

/// Returns a builder of a legacy client, which begins with the handshake and sends no `server/discover`.
pub(crate) fn builder() -> ClientBuilder {
    Client::builder().era(EraChoice::Legacy)
}

/// Like [`builder`], but requests fail after 500 ms without progress.
pub(crate) fn impatient() -> ClientBuilder {
    builder().deadlines(RequestOptions { idle: Duration::from_millis(500), ..RequestOptions::default() })
}

/// Returns a command that runs only the test `test` of this test program. In that run, [`role`] returns
/// `role`.
pub(crate) fn again(test: &str, role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.args(["--exact", test, "--nocapture"]).env(ROLE, role);
    command
}

/// Returns the role that [`again`] gave to this run of the program; `None` in an ordinary run.
pub(crate) fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

const ROLE: &str = "PLAINWIRE_TEST_ROLE";

/// A child process that is killed when the value is dropped.
pub(crate) struct Killed(pub(crate) Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
pub(crate) fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "expected it within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns whether the process group has a process that is not a zombie.
pub(crate) fn lives(group: u32) -> bool {
    processes().any(|(_, state, its)| its == group && state != 'Z')
}

/// Returns the state of a process as a letter of `ps`, `Z` for a zombie; `None` if the process does not
/// exist.
fn state(pid: u32) -> Option<char> {
    processes().find(|(found, ..)| *found == pid).map(|(_, state, _)| state)
}

/// Lists all processes of the machine: id, state and process group.
fn processes() -> impl Iterator<Item = (u32, char, u32)> {
    let listed = Command::new("ps").args(["-A", "-o", "pid=,stat=,pgid="]).output().expect("ps").stdout;
    let lines = String::from_utf8_lossy(&listed).into_owned();
    let read = |line: &str| {
        let mut words = line.split_whitespace();
        let (pid, state, group) = (words.next()?, words.next()?, words.next()?);
        Some((pid.parse().ok()?, state.chars().next()?, group.parse().ok()?))
    };
    lines.lines().filter_map(read).collect::<Vec<_>>().into_iter()
}
