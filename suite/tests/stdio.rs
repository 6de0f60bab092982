//! Tests of server processes with real descriptors: their stdout, streams that they share with other
//! processes, and the events at which they end.

#![cfg(unix)]

use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use plainwire_suite::program::{INITIALIZE, PATIENCE, Program, call};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde_json::{Value, json};

const NOISY: &str = env!("CARGO_BIN_EXE_noisy-server");
const REFERENCE: &str = env!("CARGO_BIN_EXE_reference-server");

const PING: &str = r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#;

fn pong() -> Value {
    json!({ "jsonrpc": "2.0", "id": "ping", "result": {} })
}

/// Returns the error that answers the call with the id 1 if it still runs at the end of the drain time.
fn given_up() -> Value {
    let message = "expected the call to end while the server still served, but it is shutting down";
    json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32603, "message": message } })
}

#[test]
fn only_messages_are_on_stdout_whatever_tools_print() {
    let mut noisy = Program::start(&mut Command::new(NOISY));
    noisy.initialize();
    for n in 0..3 {
        let forged = format!(r#"{{"jsonrpc":"2.0","id":{n},"result":"forged"}}"#);
        assert_eq!(noisy.call("say", json!({ "text": forged })), "said");
        assert_eq!(noisy.call("child_prints", json!({ "text": "by a child" })), "exit status: 0");
        let answer = noisy.ask(&call(2, "panics", json!({ "text": "a loud panic" })));
        let message = "expected the tool `panics` to answer, but it panicked";
        assert_eq!(
            answer,
            json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32603, "message": message } })
        );
    }
    let (rest, stderr) = noisy.end();
    assert_eq!(rest, Vec::<Value>::new());
    // The text that the tool and its child have printed to stdout is not lost: the server sends it to stderr.
    for printed in [r#""result":"forged""#, "and on stderr: {", "by a child", "a loud panic"] {
        assert!(stderr.contains(printed), "{stderr}");
    }
}

#[test]
fn a_child_of_a_tool_finds_no_input_and_takes_none() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stdio-child-may-read");
    let _ = fs::remove_file(&file);
    let mut noisy = Program::start(&mut Command::new(NOISY));
    noisy.initialize();
    noisy.send(&call(1, "child_reads", json!({ "text": file })));
    // The child reads its input only after the file exists, when the ping below is already in the pipe. So a
    // child that could read the server's input would take the ping.
    let stderr = noisy.stderr.as_ref().expect("a pipe");
    assert_eq!(stderr.recv_timeout(PATIENCE).as_deref(), Ok("started"));
    noisy.send(PING);
    File::create(&file).expect("a file");
    assert_eq!(noisy.hear().expect("an answer")["result"]["content"][0]["text"], "");
    assert_eq!(noisy.hear(), Some(pong()));
    assert_eq!(noisy.end().0, Vec::<Value>::new());
}

#[test]
fn a_program_that_was_told_nothing_ends_with_its_input() {
    for program in [NOISY, REFERENCE] {
        let (said, logged) = Program::start(&mut Command::new(program)).end();
        assert_eq!((said, logged), (Vec::new(), String::new()));
    }
}

#[test]
fn answers_what_still_runs_when_input_ends() {
    let mut noisy = Program::start(&mut Command::new(NOISY));
    noisy.initialize();
    noisy.send(&call(1, "sleep", json!({ "ms": 300 })));
    // The last line has no line break, as with a client that writes none or that ends while it writes.
    noisy.send_text(PING.to_owned());
    let (rest, _) = noisy.end();
    assert_eq!(rest[0], pong());
    assert_eq!(rest[1]["result"]["content"][0]["text"], "slept");
}

#[test]
fn gives_up_what_still_runs_after_the_time_to_drain() {
    let mut noisy = Program::start(Command::new(NOISY).env("DRAIN_MS", "200"));
    noisy.initialize();
    noisy.send(&call(1, "sleep", json!({ "ms": 60_000 })));
    assert_eq!(noisy.ask(PING), pong());
    let (rest, stderr) = noisy.end();
    assert_eq!(rest, [given_up()]);
    let (time, line) = stderr.split_once(' ').expect("a time");
    assert_eq!((time.len(), time.ends_with('Z')), ("2026-11-23T03:19:51.042Z".len(), true), "{time}");
    assert_eq!(line, "WARN plainwire::server::connection::pump: the input has ended, and 1 calls still ran");
}

#[test]
fn a_signal_ends_a_server_like_the_end_of_its_input() {
    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::INT] {
        let mut noisy = Program::start(Command::new(NOISY).env("LAST_WORDS", "the hook has run"));
        noisy.initialize();
        noisy.send(&call(1, "sleep", json!({ "ms": 300 })));
        assert_eq!(noisy.ask(PING), pong());
        let id = rustix::process::Pid::from_child(&noisy.child);
        rustix::process::kill_process(id, signal).expect("a process");
        let answer = noisy.hear().expect("an answer");
        assert_eq!(answer["result"]["content"][0]["text"], "slept");
        assert_eq!(noisy.ends_within(PATIENCE).code(), Some(0), "{signal:?}");
        let (rest, stderr) = noisy.end();
        assert_eq!(rest, Vec::<Value>::new());
        assert!(stderr.contains("the hook has run"), "{stderr}");
    }
}

#[test]
fn a_signal_gives_calls_no_more_than_the_time_to_drain() {
    let mut noisy = Program::start(Command::new(NOISY).env("DRAIN_MS", "200"));
    noisy.initialize();
    noisy.send(&call(1, "sleep", json!({ "ms": 60_000 })));
    assert_eq!(noisy.ask(PING), pong());
    let id = rustix::process::Pid::from_child(&noisy.child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("a process");
    assert_eq!(noisy.hear(), Some(given_up()));
    assert_eq!(noisy.ends_within(PATIENCE).code(), Some(0));
}

#[test]
fn tools_that_block_hold_up_neither_pings_nor_each_other() {
    let mut noisy = Program::start(&mut Command::new(NOISY));
    noisy.initialize();
    // At this first call the server notices that the handler blocks. Later calls of the handler run on
    // threads of their own.
    assert_eq!(noisy.call("block", json!({ "ms": 1 })), "blocked");
    let began = Instant::now();
    for id in 1..=5 {
        noisy.send(&call(id, "block", json!({ "ms": 500 })));
    }
    assert_eq!(noisy.ask(PING), pong());
    assert!(began.elapsed() < Duration::from_millis(250), "the ping took {:?}", began.elapsed());
    let mut ids: Vec<_> = (1..=5).map(|_| noisy.hear().expect("an answer")["id"].as_u64()).collect();
    assert!(began.elapsed() < Duration::from_millis(1_500), "the calls took {:?}", began.elapsed());
    ids.sort();
    assert_eq!(ids, [Some(1), Some(2), Some(3), Some(4), Some(5)]);
    noisy.end();
}

#[test]
fn a_tool_that_blocks_a_thread_keeps_the_program_until_it_returns() {
    // This is not ideal, but no runtime can stop a blocked thread, and the program waits for its runtime.
    let mut noisy = Program::start(Command::new(NOISY).env("DRAIN_MS", "50"));
    noisy.initialize();
    assert_eq!(noisy.call("block", json!({ "ms": 1 })), "blocked");
    noisy.send(&call(1, "block", json!({ "ms": 600 })));
    let began = Instant::now();
    // The connection ends in time, although a thread is blocked.
    assert_eq!(noisy.ask(PING), pong());
    noisy.hang_up();
    assert_eq!(noisy.hear(), Some(given_up()));
    assert_eq!(noisy.hear(), None);
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    assert!(noisy.ends_within(PATIENCE).success());
    assert!(began.elapsed() > Duration::from_millis(500), "{:?}", began.elapsed());
}

#[test]
fn ends_when_nobody_can_read_its_answers() {
    let (ours, stdout) = std::io::pipe().expect("a pipe");
    let (stdin, mine) = std::io::pipe().expect("a pipe");
    let mut noisy = Program::start_on(Command::new(NOISY).stdin(stdin).stdout(stdout), mine, None);
    drop(ours);
    noisy.send(&call(1, "sleep", json!({ "ms": 60_000 })));
    noisy.send(PING);
    // The server ends, because its output is closed, although its input is open and a call still runs.
    let status = noisy.ends_within(Duration::from_secs(1));
    assert!(status.success(), "{status}");
}

#[test]
fn takes_files_for_streams() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (input, output) = (folder.join("stdio-input"), folder.join("stdio-output"));
    // The text is longer than the 64 KiB that the reader thread reads at a time.
    let long = "x".repeat(200_000);
    let calls = [
        ("sleep", json!({ "ms": 50 })),
        ("panics", json!({ "text": long })),
        ("say", json!({ "text": "y" })),
    ];
    let calls: Vec<_> = (1..).zip(calls).map(|(id, (tool, arguments))| call(id, tool, arguments)).collect();
    fs::write(&input, format!("{INITIALIZE}\n{}\n{PING}", calls.join("\n"))).expect("a file");
    let mut command = Command::new(NOISY);
    command.stdin(File::open(&input).expect("a file")).stdout(File::create(&output).expect("a file"));
    let (_, unused) = std::io::pipe().expect("a pipe");
    let mut noisy = Program::start_on(command.stderr(Stdio::null()), unused, None);
    assert!(noisy.ends_within(PATIENCE).success());
    let answers = fs::read_to_string(&output).expect("a file");
    let mut ids: Vec<_> = answers
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].to_string())
        .collect();
    ids.sort();
    assert_eq!(ids, ["\"ping\"", "0", "1", "2", "3"]);
}

/// The streams that a program gets as stdin, stdout and stderr.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Streams {
    /// A pipe for stdin and one for stdout, the usual case. Stderr is discarded.
    Pipes,
    /// A pipe for stdin, and one for stdout and stderr together (`2>&1`).
    PipesWithErrorsInOutput,
    /// One socket for stdin and stdout, as from Node and sshd. Stderr is discarded.
    Socket,
    /// One socket for all three streams, as from systemd and inetd.
    SocketWithErrorsInOutput,
    /// A socket for stdin and one for stdout, as from Node. Stderr is discarded.
    Sockets,
}

impl Streams {
    const ALL: [Self; 5] = [
        Self::Pipes,
        Self::PipesWithErrorsInOutput,
        Self::Socket,
        Self::SocketWithErrorsInOutput,
        Self::Sockets,
    ];

    /// Starts `program` with these streams. Also returns copies of the descriptors that it got as stdin and
    /// stdout.
    fn start(self, program: &str, nonblocking: bool) -> (Program, [OwnedFd; 2]) {
        let (theirs, ours): ([OwnedFd; 2], [OwnedFd; 2]) = match self {
            Self::Pipes | Self::PipesWithErrorsInOutput => {
                let (stdin, mine) = std::io::pipe().expect("a pipe");
                let (yours, stdout) = std::io::pipe().expect("a pipe");
                ([stdin.into(), stdout.into()], [mine.into(), yours.into()])
            }
            Self::Socket | Self::SocketWithErrorsInOutput => {
                let (theirs, ours) = UnixStream::pair().expect("sockets");
                let (again, and_again) = (theirs.try_clone(), ours.try_clone());
                let again = again.expect("a descriptor");
                ([theirs.into(), again.into()], [ours.into(), and_again.expect("a descriptor").into()])
            }
            Self::Sockets => {
                let (stdin, mine) = UnixStream::pair().expect("sockets");
                let (stdout, yours) = UnixStream::pair().expect("sockets");
                ([stdin.into(), stdout.into()], [mine.into(), yours.into()])
            }
        };
        if nonblocking {
            for fd in &theirs {
                fcntl_setfl(fd, fcntl_getfl(fd).expect("flags") | OFlags::NONBLOCK).expect("flags");
            }
        }
        let copy = |fd: &OwnedFd| fd.try_clone().expect("a descriptor");
        let mut command = Command::new(program);
        command.stdin(copy(&theirs[0])).stdout(copy(&theirs[1]));
        match self {
            Self::PipesWithErrorsInOutput | Self::SocketWithErrorsInOutput => {
                command.stderr(copy(&theirs[1]))
            }
            _ => command.stderr(Stdio::null()),
        };
        let [mine, yours] = ours;
        (Program::start_on(&mut command, mine, Some(yours)), theirs)
    }

    /// Returns whether stderr, to which the server sends what its tools print, is the same stream as stdout,
    /// which has the answers.
    fn mixes_errors_in(self) -> bool {
        matches!(self, Self::PipesWithErrorsInOutput | Self::SocketWithErrorsInOutput)
    }
}

#[test]
fn answers_on_whatever_streams_it_is_given() {
    for streams in Streams::ALL {
        let (mut noisy, theirs) = streams.start(NOISY, false);
        drop(theirs);
        noisy.initialize();
        // Longer than all buffers between client and server.
        let long = "x".repeat(3 << 20);
        let refused = noisy.ask(&call(1, &long, json!({})));
        assert_eq!(refused["error"]["code"], -32602, "{streams:?}");
        if !streams.mixes_errors_in() {
            assert_eq!(noisy.call("say", json!({ "text": "x" })), "said", "{streams:?}");
        }
        assert_eq!(noisy.ask(PING), pong(), "{streams:?}");
        assert_eq!(noisy.end().0, Vec::<Value>::new(), "{streams:?}");
    }
}

#[test]
fn waits_for_a_client_that_reads_late() {
    for streams in Streams::ALL {
        for nonblocking in [false, true] {
            let (mut reference, theirs) = streams.start(REFERENCE, nonblocking);
            drop(theirs);
            reference.send(INITIALIZE);
            for _ in 0..1_000 {
                reference.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
            }
            // More than two megabytes of answers wait now. The test sleeps, because no event shows that the
            // server is blocked.
            thread::sleep(Duration::from_millis(100));
            reference.hear().expect("an answer to `initialize`");
            for n in 0..1_000 {
                let page =
                    reference.hear().unwrap_or_else(|| panic!("{streams:?} {nonblocking} ended after {n}"));
                assert_eq!(page["result"]["tools"][0]["name"], "calculate", "{streams:?}");
            }
        }
    }
}

#[test]
fn leaves_the_flags_of_its_streams_as_they_were() {
    let is_nonblocking = |fd: &OwnedFd| fcntl_getfl(fd.as_fd()).expect("flags").contains(OFlags::NONBLOCK);
    for streams in Streams::ALL {
        for before in [false, true] {
            let (mut noisy, theirs) = streams.start(NOISY, before);
            noisy.initialize();
            noisy.send(&call(1, "sleep", json!({ "ms": 1 })));
            noisy.hear().expect("an answer");
            if streams.mixes_errors_in() {
                assert!(
                    !is_nonblocking(&theirs[1]),
                    "{streams:?}: others print to it, and do not expect that"
                );
            }
            noisy.hang_up();
            assert!(noisy.ends_within(PATIENCE).success());
            assert_eq!(theirs.each_ref().map(is_nonblocking), [before; 2], "{streams:?}, {before} before");
        }
    }
}

#[test]
fn the_next_command_of_a_shell_reads_on_from_the_same_pipe() {
    // The output of the server is a broken pipe, so the server ends while its input is open. Then `cat` reads
    // that input.
    let mut shell = Program::start(Command::new("sh").args(["-c", r#""$0" | :; cat"#, NOISY]));
    let began = Instant::now();
    let echoed = loop {
        assert!(began.elapsed() < PATIENCE, "nothing was echoed");
        shell.send(PING);
        match shell.next_line(Duration::from_millis(20)) {
            Ok(line) => break line,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => panic!("cat ended: {:?}", shell.end()),
        }
    };
    assert_eq!(echoed, PING);
    shell.end();
}

#[test]
fn ends_when_its_parent_dies_although_somebody_still_holds_its_input() {
    let script = r#"exec 3<&0; "$0" <&3 3<&- & wait"#;
    let mut shell = Program::start(Command::new("sh").args(["-c", script, NOISY]));
    shell.initialize();
    shell.child.kill().expect("a child");
    let began = Instant::now();
    // The test still has the server's input open. The end of the output shows that the server, the last
    // process that has it open, has ended.
    assert_eq!(shell.hear(), None);
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
}

#[test]
fn starts_with_any_descriptor_missing() {
    for (script, answers) in [
        (r#""$0" 2>&-"#, true),
        (r#""$0" <&-"#, false),
        (r#""$0" >&-"#, false),
        (r#""$0" <&- >&- 2>&-"#, false),
    ] {
        let mut shell = Program::start(Command::new("sh").args(["-c", script, NOISY]));
        shell.send(INITIALIZE);
        shell.send(&call(1, "say", json!({ "text": "into the void" })));
        let (said, _) = shell.end();
        assert_eq!(said.len(), if answers { 2 } else { 0 }, "{script}");
    }
}

#[test]
fn plays_the_script_of_the_first_seed() {
    let mut reference = Program::start(&mut Command::new(REFERENCE));
    let hello = reference.ask(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test-client","version":"1.0.0"}}}"#,
    );
    assert_eq!(hello["result"]["protocolVersion"], "2025-03-26");
    assert_eq!(hello["result"]["serverInfo"]["name"], "plainwire-reference");
    assert!(hello["result"]["capabilities"]["tools"].is_object());
    reference.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#);
    let list = reference.ask(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#);
    assert_eq!(list["id"], 2, "the notification was not answered");
    let names: Vec<_> =
        list["result"]["tools"].as_array().expect("tools").iter().map(|t| &t["name"]).collect();
    assert_eq!(names, ["calculate", "get_timestamp", "sleep", "count", "ask"]);
    let sum = reference.ask(
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"calculate","arguments":{"expression":"2 + 3 * 4"}}}"#,
    );
    let fourteen = json!({ "content": [{ "type": "text", "text": "14" }] });
    assert_eq!(sum, json!({ "jsonrpc": "2.0", "id": 3, "result": fourteen }));
    let read = reference
        .ask(r#"{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"server://info"}}"#);
    let contents = &read["result"]["contents"][0];
    assert_eq!(
        (&contents["uri"], &contents["mimeType"]),
        (&json!("server://info"), &json!("application/json"))
    );
    let info: Value = serde_json::from_str(contents["text"].as_str().expect("text")).expect("JSON");
    let known: Vec<_> = info.as_object().expect("an object").keys().collect();
    assert_eq!(known, ["memory", "name", "pid", "platform", "uptime", "version"]);
    assert_eq!(info["pid"], reference.child.id());
    let unknown = reference.ask(
        r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nonexistent_tool","arguments":{}}}"#,
    );
    let message = "expected `name` to be a tool of this server, but found \"nonexistent_tool\"";
    assert_eq!(
        unknown,
        json!({ "jsonrpc": "2.0", "id": 5, "error": { "code": -32602, "message": message } })
    );
    assert_eq!(reference.end(), (Vec::new(), String::new()));
}
