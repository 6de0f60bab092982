//! Tests of servers over HTTP as processes, most of them `plainwire serve --http`: signals, hooks, descriptors, tokens,
//! certificates.

#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use plainwire_suite::binary;
use plainwire_suite::program::{PATIENCE, Program};
use rustix::process::{Pid, Signal, kill_process};

/// Returns the command that serves the reference server over HTTP, with the further arguments `words`.
fn serving(words: &[&str]) -> Command {
    let mut command = binary::command();
    command.args(["serve", "reference", "--http", "127.0.0.1:0"]).args(words);
    command
}

/// Starts a server by `command`. Returns the process, and the address that its log names.
fn start(mut command: Command) -> (Program, String) {
    let program = Program::start(&mut command);
    let lines = program.stderr.as_ref().expect("a pipe");
    let line = lines.recv_timeout(PATIENCE).expect("a line that says where it serves");
    let address = line.split_once("://").and_then(|(_, rest)| rest.split_once("/mcp"));
    let address = address.unwrap_or_else(|| panic!("{line:?}")).0.to_owned();
    (program, address)
}

fn signal(program: &Program, signal: Signal) {
    let pid = i32::try_from(program.child.id()).expect("a small number");
    kill_process(Pid::from_raw(pid).expect("a process"), signal).expect("a process of ours");
}

/// Sends a modern call of the tool `sleep`, and returns the connection.
fn call_sleep(address: &str, ms: u32) -> TcpStream {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"sleep","arguments":{{"ms":{ms}}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n\
                Content-Type: application/json\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
                Mcp-Name: sleep\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).expect("sent");
    stream
}

fn is_healthy(address: &str) -> bool {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).is_ok() && answer.ends_with("\r\n\r\nok\n")
}

/// Reads until the connection ends, and returns the text.
fn rest(mut stream: TcpStream) -> String {
    let mut rest = String::new();
    stream.read_to_string(&mut rest).expect("an answer and an end");
    rest
}

#[test]
fn the_arguments_of_a_program_choose_http_and_its_tokens() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_reference-server"));
    program.args(["--http", "127.0.0.1:0", "--bearer-env", "ADAS_TOKEN"]).env("ADAS_TOKEN", "s3cret-s3cret");
    let (_server, address) = start(program);
    let url = format!("http://{address}/mcp");
    let call = |words: &[&str]| {
        let mut command = binary::command();
        command.args(["call", "calculate", "expression=2 + 3", "--url", &url]).args(words);
        command.env("TOKEN", "s3cret-s3cret").output().expect("it starts")
    };
    let refused = call(&[]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("401"), "{refused:?}");
    assert_eq!(call(&["--bearer-env", "TOKEN"]).stdout, b"5\n");
}

#[test]
fn arguments_that_a_program_does_not_have_end_it_with_those_that_it_has() {
    let said = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reference-server"));
        let out = command.args(words).env_remove("NO_TOKEN").output().expect("it starts");
        (
            out.status.success(),
            String::from_utf8(out.stdout).expect("UTF-8"),
            String::from_utf8(out.stderr).expect("UTF-8"),
        )
    };
    let (ended_well, help, _) = said(&["--help"]);
    assert!(ended_well && help.starts_with("usage: reference-server [--http ADDRESS"), "{help}");
    for (words, expected) in [
        (
            &["--port", "80"][..],
            "expected `--http ADDRESS`, `--bearer-env VARIABLE`, `--help` or nothing, but found \"--port\"",
        ),
        (&["--http", "127.0.0.1:0", "--bearer-env", "NO_TOKEN"], "but there is no such variable"),
    ] {
        let (ended_well, _, error) = said(words);
        assert!(
            !ended_well && error.contains(expected) && error.contains("reading the program's arguments"),
            "{error}"
        );
    }
}

#[test]
fn who_waits_when_the_process_is_asked_to_end_gets_an_answer() {
    for asked in [Signal::TERM, Signal::INT] {
        let (mut program, address) = start(serving(&[]));
        let waiting = call_sleep(&address, 1_000);
        sleep(Duration::from_millis(300));
        signal(&program, asked);
        sleep(Duration::from_millis(200));
        assert!(TcpStream::connect(&address).is_err(), "accepted after {asked:?}");
        let answer = rest(waiting);
        assert!(answer.contains("slept 1000 ms"), "{asked:?}: {answer}");
        assert_eq!(program.ends_within(Duration::from_secs(1)).code(), Some(0), "{asked:?}");
    }
}

/// Starts the program whose hook writes its last words, over HTTP, with a drain time of 1 s.
fn start_with_last_words() -> (Program, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noisy-server"));
    command.envs([("SERVE", "127.0.0.1:0"), ("LAST_WORDS", "the hook has run"), ("DRAIN_MS", "1000")]);
    start(command)
}

/// Checks that a program ends within its drain time, with exit code 0 and after its hook.
fn ends_after_its_hook(mut program: Program) {
    assert_eq!(program.ends_within(Duration::from_secs(2)).code(), Some(0));
    let lines = program.stderr.take().expect("a pipe");
    let said: Vec<_> = lines.iter().filter(|line| line == "the hook has run").collect();
    assert_eq!(said.len(), 1);
}

#[test]
fn a_process_that_is_asked_to_end_runs_its_hook_after_the_last_answer() {
    for asked in [Signal::TERM, Signal::INT] {
        let (program, address) = start_with_last_words();
        let waiting = call_sleep(&address, 600);
        sleep(Duration::from_millis(300));
        signal(&program, asked);
        let answer = rest(waiting);
        assert!(answer.contains("slept"), "{asked:?}: {answer}");
        ends_after_its_hook(program);
    }
}

#[test]
fn a_process_that_is_asked_to_end_runs_its_hook_though_a_call_goes_on() {
    let (program, address) = start_with_last_words();
    let _waiting = call_sleep(&address, 600_000);
    sleep(Duration::from_millis(300));
    signal(&program, Signal::TERM);
    ends_after_its_hook(program);
}

#[test]
fn an_open_stream_of_http_sse_does_not_keep_a_process_that_is_asked_to_end() {
    for asked in [Signal::TERM, Signal::INT] {
        let (program, address) = start_with_last_words();
        let mut stream = TcpStream::connect(&address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream
            .write_all(b"GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            .expect("sent");
        let mut read = String::new();
        while !read.contains("event: endpoint") {
            let mut buffer = [0; 1_024];
            let length = stream.read(&mut buffer).expect("an event in time");
            assert_ne!(length, 0, "the stream has ended: {read}");
            read.push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
        signal(&program, asked);
        ends_after_its_hook(program);
        // The rest of the stream has an end, too.
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("an end");
    }
}

#[test]
fn a_process_that_is_asked_to_end_waits_for_nobody_for_long() {
    let (mut program, address) = start(serving(&[]));
    let _waiting = call_sleep(&address, 600_000);
    let _silent = TcpStream::connect(&address).expect("a connection");
    sleep(Duration::from_millis(300));
    signal(&program, Signal::TERM);
    // The drain time of the reference server is the default, 5 s.
    assert_eq!(program.ends_within(Duration::from_secs(6)).code(), Some(0));
}

#[test]
fn running_out_of_descriptors_costs_no_time_and_is_over_when_some_are_free() {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"ulimit -n 24; exec "$0" serve reference --http 127.0.0.1:0"#]).arg(binary::path());
    let (program, address) = start(shell);
    let crowd: Vec<_> = (0..40).map(|_| TcpStream::connect(&address).expect("a connection")).collect();
    sleep(Duration::from_millis(200));
    let before = busy(&program);
    sleep(Duration::from_secs(1));
    let ticks = busy(&program) - before;
    // A tick of CPU time is a hundredth of a second.
    assert!(ticks < 20, "{ticks} ticks of work in a second of waiting");
    drop(crowd);
    let began = Instant::now();
    assert!(is_healthy(&address));
    assert!(began.elapsed() < Duration::from_secs(2));
    let warned =
        program.stderr.as_ref().expect("a pipe").try_iter().filter(|it| it.contains("accepted")).count();
    // The server logs one line each time that it runs out of descriptors. This may happen again while the
    // clients disconnect.
    assert!((1..=3).contains(&warned), "{warned} lines in the log");
}

/// Returns the CPU time that the process has used so far, in hundredths of a second.
fn busy(program: &Program) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", program.child.id())).expect("a process");
    let (_, fields) = stat.rsplit_once(')').expect("a name in parentheses");
    let fields: Vec<_> = fields.split_whitespace().collect();
    fields[11].parse::<u64>().expect("a number") + fields[12].parse::<u64>().expect("a number")
}

/// Writes a file of tokens with the content `text`, and returns its path.
fn tokens(name: &str, text: &str) -> String {
    let path = format!("{}/served-{name}.tokens", env!("CARGO_TARGET_TMPDIR"));
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("a file of ours");
    path
}

#[test]
fn who_has_a_token_of_the_file_is_served_and_nobody_else() {
    let path = tokens("good", "# who may call\n\nada  a-token\nada another\n  bob\tb-token\n");
    let (_program, address) = start(serving(&["--token-file", &path]));
    for (token, status) in [("a-token", 400), ("another", 400), ("b-token", 400), ("ada", 401), ("", 401)] {
        let mut stream = TcpStream::connect(&address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n";
        write!(stream, "{head}Authorization: Bearer {token}\r\nContent-Length: 2\r\n\r\n{{}}").expect("sent");
        let answer = rest(stream);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{token:?}: {answer}");
    }
}

#[test]
fn a_file_of_tokens_that_is_not_what_it_should_be_is_named_and_no_token_is_shown() {
    for (name, text, expected) in [
        (
            "twice",
            "ada s3cret\nbob other\neve s3cret\n",
            "expected each token once, but found the token of \"ada\" twice",
        ),
        (
            "same",
            "ada s3cret\nada s3cret\n",
            "expected each token once, but found the token of \"ada\" twice",
        ),
        ("none", "# nobody yet\n\n", "expected at least one token, but found none"),
        ("short", "# comment\nada\n", "expected a name and a token in line 2"),
        ("long", "ada s3cret s3cret\n", "expected a name and a token in line 1"),
    ] {
        let path = tokens(name, text);
        let (code, said) = ended(serving(&["--token-file", &path]));
        assert_eq!(code, Some(2), "{name}: {said}");
        assert!(said.starts_with(&format!("error: --token-file {path}: {expected}\n")), "{name}: {said}");
        assert!(!said.contains("s3cret"), "{name}: {said}");
    }
    let (code, said) = ended(serving(&["--token-file", &tokens("odd", "ada s3crét\n")]));
    assert_ne!(code, Some(0), "{said}");
    assert!(said.contains("visible ASCII") && !said.contains("s3c"), "{said}");
}

#[test]
fn a_file_of_tokens_that_others_can_read_or_change_is_refused() {
    let path = tokens("mode", "ada s3cret\n");
    for (mode, refused) in
        [(0o666, true), (0o644, true), (0o604, true), (0o660, true), (0o640, false), (0o400, false)]
    {
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("a file of ours");
        let command = serving(&["--token-file", &path]);
        if refused {
            let (code, said) = ended(command);
            let expected =
                "expected a file that no other user can read or change (`chmod 600`), but found mode";
            assert_eq!(code, Some(2), "{said}");
            assert!(
                said.starts_with(&format!("error: --token-file {path}: {expected} {mode:04o}\n")),
                "{said}"
            );
        } else {
            start(command);
        }
    }
    // A client's own token, too.
    fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("a file of ours");
    let mut command = binary::command();
    command.args(["ping", "--url", "http://127.0.0.1:1/mcp", "--token-file", &path]);
    let (code, said) = ended(command);
    assert!(code == Some(2) && said.contains("mode 0644") && !said.contains("s3cret"), "{said}");
}

/// Runs a command until it ends by itself. Returns its exit code and its stderr.
fn ended(mut command: Command) -> (Option<i32>, String) {
    let mut program = Program::start(&mut command);
    let code = program.ends_within(PATIENCE).code();
    let lines = program.stderr.take().expect("a pipe");
    (code, lines.iter().map(|line| line + "\n").collect())
}

#[test]
fn files_for_tls_are_named_if_they_are_not_what_they_should_be() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let empty = format!("{folder}/served-empty.pem");
    fs::write(&empty, "").expect("a file");
    let output = serving(&["--tls-cert", &empty, "--tls-key", &empty]).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let expected = format!(
        "error: reading the certificate for TLS: expected {empty} to have certificates in PEM, the server's own first, but \
         found none\n"
    );
    assert_eq!(said, expected);
    for words in [&["--tls-cert", &empty][..], &["--tls-key", &empty]] {
        assert_eq!(serving(words).output().expect("it starts").status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn the_log_may_be_json() {
    let (program, address) = start(serving(&["--log", "json"]));
    let mut stream = TcpStream::connect(&address).expect("a connection");
    stream.write_all(b"POST /mcp HTTP/1.0\r\nHost: elsewhere\r\n\r\n").expect("sent");
    let lines = program.stderr.as_ref().expect("a pipe");
    let line = lines.recv_timeout(PATIENCE).expect("a line about the refusal");
    let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!((&line["level"], &line["fields"]["status"]), (&"WARN".into(), &403.into()), "{line}");
    assert!(line["fields"]["message"].as_str().is_some_and(|it| it.contains("elsewhere")), "{line}");
}
