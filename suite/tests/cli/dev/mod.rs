//! Tests of `plainwire dev`: a client that stays while the server behind it changes.

#[cfg(unix)]
mod http;

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plainwire::Client;
use plainwire::client::Notice;
use plainwire::client::process::Program;
use plainwire::proto::cursor::List;
use plainwire::serde_json::Value;
use plainwire_suite::binary;
use tokio::time::timeout;

/// The time within which something has to happen.
const SOON: Duration = Duration::from_secs(30);

/// A server in the shell, for both eras: the description of its tool is in the file `description`, and a call takes as
/// long as the file `pause` says.
const SERVER: &str = r#"
description=$(cat description)
while read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}
    case "$line" in
        *'"method":"server/discover"'*|*'"method":"subscriptions/listen"'*)
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id";;
        *'"method":"initialize"'*)
            printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
        *'"method":"tools/list"'*)
            printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t","description":"%s","inputSchema":{"type":"object"}}]}}\n' "$id" "$description";;
        *'"method":"tools/call"'*)
            sleep "$(cat pause)"
            printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$description";;
    esac
done
"#;

/// The sources of a server in a folder of their own.
struct Sources {
    folder: PathBuf,
}

impl Sources {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dev-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("src")).expect("a folder of our own");
        let sources = Self { folder };
        sources.write("src/server.sh", SERVER);
        sources.write("src/description", "First");
        sources.write("src/pause", "0");
        // The build fails while there is this file.
        sources.write("build.sh", "if [ -e src/broken ]; then echo 'expected a semicolon' >&2; exit 1; fi");
        sources
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.folder.join(file), text).expect("a file of our own");
    }

    fn command(&self) -> Command {
        let mut command = binary::command();
        command.current_dir(&self.folder);
        command.args([
            "dev",
            "--watch",
            "src",
            "--build",
            "sh build.sh",
            "--",
            "sh",
            "-c",
            "cd src && . ./server.sh",
        ]);
        command
    }

    /// Connects to the server through `plainwire dev`, whose stderr goes to the file `log`.
    async fn connect(&self) -> Client {
        let log = File::create(self.folder.join("log")).expect("a file of our own");
        Client::connect(Program::new(self.command()).stderr_file(log)).await.expect("a server")
    }

    /// Waits until `plainwire dev` has said this.
    async fn until(&self, text: &str) {
        let end = Instant::now() + SOON;
        loop {
            let said = fs::read_to_string(self.folder.join("log")).expect("UTF-8");
            if said.contains(text) {
                return;
            }
            assert!(Instant::now() < end, "no {text:?} in {said}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

async fn description(client: &Client) -> String {
    client.list_tools().await.expect("tools").remove(0).description.expect("a description")
}

#[tokio::test]
async fn a_client_sees_the_next_server_on_the_same_connection() {
    let sources = Sources::new("restart");
    let client = sources.connect().await;
    assert_eq!(description(&client).await, "First");
    assert!(client.hello().capabilities.has("tools"));
    let mut notices = client.notices().expect("the only reader");
    sources.write("src/description", "Second");
    let changed = timeout(SOON, notices.recv()).await.expect("in time").expect("a notice");
    assert!(matches!(changed, Notice::ListChanged(List::Tools)), "{changed:?}");
    assert_eq!(description(&client).await, "Second");
    let called = client.call_tool("t", plainwire::serde_json::json!({})).await.expect("a result");
    assert_eq!(called.content[0].as_text(), Some("Second"));
    for said in ["src/description has changed", "the server was restarted", "tools/list", "tools/call t"] {
        sources.until(said).await;
    }
    client.close().await;
}

#[tokio::test]
async fn a_build_that_fails_is_shown_and_the_server_goes_on() {
    let sources = Sources::new("broken");
    let client = sources.connect().await;
    assert_eq!(description(&client).await, "First");
    sources.write("src/description", "Second");
    sources.write("src/broken", "");
    sources.until("expected a semicolon\nthe build failed; the server that runs goes on").await;
    assert_eq!(description(&client).await, "First");
    fs::remove_file(sources.folder.join("src/broken")).expect("a file of our own");
    sources.until("the server was restarted").await;
    assert_eq!(description(&client).await, "Second");
    client.close().await;
}

#[tokio::test]
async fn a_call_that_runs_during_a_restart_is_answered_by_the_server_that_runs_it() {
    let sources = Sources::new("running");
    sources.write("src/pause", "1");
    let client = sources.connect().await;
    let again = client.clone();
    let running = async { again.call_tool("t", plainwire::serde_json::json!({})).await };
    let restart = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        sources.write("src/description", "Second");
        sources.until("the server was restarted").await;
        description(&client).await
    };
    let (called, described) = tokio::join!(running, restart);
    assert_eq!(called.expect("a result").content[0].as_text(), Some("First"));
    assert_eq!(described, "Second");
    client.close().await;
}

#[test]
fn a_server_that_can_not_start_is_named_and_its_client_is_told() {
    let sources = Sources::new("missing");
    let mut command = binary::command();
    command.current_dir(&sources.folder).args(["dev", "--watch", "src", "--", "no-such-server"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut said = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut said).expect("UTF-8");
    assert!(said.starts_with("starting \"no-such-server\" failed: "), "{said}");
    // The client leaves.
    drop(child.stdin.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
    let dev = ["--", "plainwire", "dev", "--watch", "src", "--", "no-such-server"];
    let mut command = binary::command();
    command.current_dir(&sources.folder).arg("list").args(dev);
    let ran = crate::Ran::of(command.output().expect("the binary starts"));
    assert!(ran.code != 0 && ran.stderr.contains("the server is not running: starting"), "{ran:?}");
}

/// Also without a client: the end of its input and the end of the first start come in any order.
#[test]
fn a_server_that_can_not_start_is_named_without_a_client() {
    let sources = Sources::new("alone");
    for _ in 0..10 {
        let mut command = binary::command();
        command.current_dir(&sources.folder).args(["dev", "--watch", "src", "--", "no-such-server"]);
        let ran = crate::Ran::of(command.stdin(Stdio::null()).output().expect("the binary starts"));
        assert!(ran.code == 3 && ran.stderr.starts_with("starting \"no-such-server\" failed: "), "{ran:?}");
    }
}

#[test]
fn a_first_build_that_fails_is_shown_without_a_client() {
    let sources = Sources::new("alone-broken");
    sources.write("src/broken", "");
    let ran = crate::Ran::of(sources.command().stdin(Stdio::null()).output().expect("the binary starts"));
    assert!(ran.code == 3 && ran.stderr == "expected a semicolon\nthe build failed\n", "{ran:?}");
}

/// As without `dev`.
#[test]
fn a_server_answers_what_came_before_the_end_of_the_input() {
    let sources = Sources::new("piped");
    sources.write("src/pause", "2");
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}"#,
    ];
    let ran = crate::script::run(sources.command(), &format!("{}\n", lines.join("\n")));
    let id = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["id"].clone();
    let ids: Vec<Value> = ran.stdout.lines().map(id).collect();
    assert_eq!((ran.code, &ids[..]), (0, &[1.into(), 2.into()][..]), "{ran:?}");
}

/// As without `dev`.
#[test]
fn a_batch_and_a_line_that_is_no_message_are_answered() {
    let sources = Sources::new("batch");
    let mut command = binary::command();
    command.current_dir(&sources.folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.args(["dev", "--watch", "src", "--", "plainwire", "serve", "reference"]);
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let (sink, answers) = std::sync::mpsc::channel();
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sink.send(line)));
    let mut ask = |line: &str| {
        writeln!(stdin, "{line}").expect("it reads");
        answers.recv_timeout(SOON).expect("an answer")
    };
    ask(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    );
    let answer = ask(r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#);
    assert_eq!(answer, r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#);
    assert!(ask("{broken").contains("-32700"));
    drop(stdin);
    child.wait().expect("it ends");
    assert_eq!(answers.recv().ok(), None, "nothing is answered twice");
}

/// A call that does not end in time is answered, too.
#[test]
fn a_call_that_outlives_its_client_is_answered() {
    let sources = Sources::new("outlives");
    sources.write("src/pause", "60");
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}"#;
    let ran = crate::script::run(sources.command(), &format!("{call}\n"));
    assert!(
        ran.stdout.contains("the server was ended with its client before it answered `tools/call`"),
        "{ran:?}"
    );
}

/// Progress does not prolong the time that a server has after it was replaced.
#[test]
fn a_replaced_server_that_reports_all_the_time_ends_in_time() {
    let sources = Sources::new("reports");
    let mut command = binary::command();
    command.current_dir(&sources.folder).args(["call", "count", "to=600", "ms=50", "--"]);
    command.args(["plainwire", "dev", "--watch", "src", "--", "plainwire", "serve", "reference"]);
    let began = Instant::now();
    let change = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(1_500));
        sources.write("src/description", "Second");
    });
    let ran = crate::Ran::of(command.stdin(Stdio::null()).output().expect("the binary starts"));
    change.join().expect("no panic");
    assert!(ran.code == 4 && ran.stderr.contains("the server was restarted before it answered"), "{ran:?}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

/// A line about a change would be the next change.
#[cfg(unix)]
#[test]
fn the_log_of_dev_is_not_watched() {
    let sources = Sources::new("own-log");
    let log = File::create(sources.folder.join("log")).expect("a file of our own");
    let mut command = binary::command();
    command.current_dir(&sources.folder).args(["dev", "--", "cat"]).stdin(Stdio::piped()).stderr(log);
    let mut child = command.stdout(Stdio::null()).spawn().expect("the binary starts");
    std::thread::sleep(Duration::from_millis(1_500));
    drop(child.stdin.take());
    child.wait().expect("it ends");
    let said = fs::read_to_string(sources.folder.join("log")).expect("UTF-8");
    assert!(said.contains("the server was started") && !said.contains("has changed"), "{said}");
}

/// Some compilers write to stdout.
#[test]
fn both_outputs_of_a_build_are_shown() {
    let sources = Sources::new("outputs");
    sources.write("build.sh", "echo on stdout; echo on stderr >&2; exit 1");
    let ran = crate::Ran::of(sources.command().stdin(Stdio::null()).output().expect("the binary starts"));
    assert!(ran.stderr.contains("on stdout\n") && ran.stderr.contains("on stderr\n"), "{ran:?}");
}

#[test]
fn a_server_that_fails_is_named_without_a_client() {
    let sources = Sources::new("alone-failing");
    let mut command = binary::command();
    command.current_dir(&sources.folder).args(["dev", "--watch", "src", "--", "sh", "-c", "cat; exit 7"]);
    // A server that ends before the input of its supervisor does would be started again after the next change.
    let ran = crate::Ran::of(command.stdin(Stdio::null()).output().expect("the binary starts"));
    assert!(ran.stderr.ends_with("the server ended (exit status: 7)\n"), "{ran:?}");
}

/// Runs `plainwire dev` with a server that ignores the end of its input, and sends a signal. Returns the exit code, and
/// whether the server still runs.
#[cfg(target_os = "linux")]
fn signalled(signal: rustix::process::Signal) -> (Option<i32>, bool) {
    let sources = Sources::new("signals");
    let mut command = binary::command();
    let server = "echo $$ > pid; echo ready >&2; exec sleep 60";
    command.current_dir(&sources.folder).args(["dev", "--watch", "src", "--", "sh", "-c", server]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.expect("UTF-8") == "ready"));
    let pid = |id: u32| {
        rustix::process::Pid::from_raw(i32::try_from(id).expect("a small number")).expect("a process")
    };
    rustix::process::kill_process(pid(child.id()), signal).expect("a process of ours");
    // The client does not leave.
    let input = child.stdin.take();
    let status = child.wait().expect("it ends");
    drop(input);
    let server =
        fs::read_to_string(sources.folder.join("pid")).expect("a file").trim().parse().expect("a number");
    (status.code(), rustix::process::test_kill_process(pid(server)).is_ok())
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_or_a_closed_terminal_ends_the_server_too() {
    use rustix::process::Signal;
    for (signal, code) in [(Signal::TERM, 0), (Signal::HUP, 0), (Signal::INT, 130)] {
        assert_eq!(signalled(signal), (Some(code), false), "{signal:?}");
    }
}

/// The signal comes to `dev` alone, and not to its process group, as from a service manager.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_build_too() {
    use rustix::process::{Pid, Signal, kill_process, test_kill_process};
    let http = ["--http", "127.0.0.1:0", "--url", "http://127.0.0.1:1/mcp"];
    for options in [&[][..], &http] {
        let sources = Sources::new("signals-build");
        sources.write("build.sh", "sleep 60 & echo $! > pid; echo ready >&2; wait");
        let mut command = binary::command();
        command.current_dir(&sources.folder).arg("dev").args(options);
        command.args(["--watch", "src", "--build", "sh build.sh", "--", "true"]);
        let child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        assert!(lines.any(|line| line.expect("UTF-8") == "ready"));
        kill_process(Pid::from_child(&child), Signal::TERM).expect("a process of ours");
        assert_eq!(child.wait().expect("it ends").code(), Some(0));
        let pid = fs::read_to_string(sources.folder.join("pid")).expect("a file");
        let pid = Pid::from_raw(pid.trim().parse().expect("a number")).expect("a process");
        // Until its parent has taken its exit status, a process that has ended is still there.
        let end = Instant::now() + SOON;
        while test_kill_process(pid).is_ok() {
            assert!(Instant::now() < end, "the build still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_path_to_watch_that_is_not_there_is_named() {
    let sources = Sources::new("unwatched");
    let mut command = binary::command();
    command.current_dir(&sources.folder).args(["dev", "--watch", "scr", "--", "server"]);
    let ran = crate::Ran::of(command.stdin(Stdio::null()).output().expect("the binary starts"));
    assert!(ran.code == 2 && ran.stderr.contains("--watch scr: expected a file or a folder"), "{ran:?}");
}

#[test]
fn a_build_that_is_no_command_is_named() {
    let sources = Sources::new("wrong");
    let mut command = binary::command();
    command.current_dir(&sources.folder).args(["dev", "--build", "true 'x", "--", "server"]);
    let ran = crate::Ran::of(command.stdin(Stdio::null()).output().expect("the binary starts"));
    assert!(ran.code == 2 && ran.stderr.contains("expected a command as --build"), "{ran:?}");
}
