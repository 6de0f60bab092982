//! The server as a process: 14 and 23 on stdin and stdout, 26 over HTTP, and what its command refuses.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use plainwire_suite::binary;
use plainwire_suite::program::{PATIENCE, Program};
use serde_json::{Value, json};

fn command(words: &[&str]) -> Command {
    let mut command = binary::command();
    command.args(words).env_remove("MCP_DEBUG").env_remove("MCP_ENV");
    command
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("patterns").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn t14_both_entry_points_have_the_same_tools() {
    let names = |words: &[&str]| -> Vec<String> {
        let output = command(words).output().expect("the command");
        let lists: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        lists["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(|it| it["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let plainwire = binary::path().to_str().expect("a path");
    let stdio = names(&["list", "--json", "--", plainwire, "serve", "patterns"]);
    let http = Program::start(&mut command(&["serve", "patterns", "--http", "127.0.0.1:0"]));
    let line = http
        .stderr
        .as_ref()
        .expect("a pipe")
        .recv_timeout(PATIENCE)
        .expect("a line that says where it serves");
    let url = line.split_whitespace().find(|it| it.starts_with("http://")).expect("a URL").to_owned();
    assert_eq!((stdio.len(), &stdio), (5, &names(&["list", "--json", "--url", &url])));
    let debug = names(&["list", "--json", "--", plainwire, "serve", "patterns", "--debug"]);
    assert_eq!((debug.len(), &*debug[5]), (6, "get_mcp_config"));
}

#[test]
fn t23_stdout_has_only_messages_and_no_key_is_needed() {
    let began = Instant::now();
    let mut program = Program::start(&mut command(&["serve", "patterns"]));
    program.initialize();
    assert!(began.elapsed() < Duration::from_secs(5), "the start waits for nothing");
    for arguments in
        [json!({ "q": "cron" }), json!({ "q": "" }), json!({ "q": "\u{1b}[31m" }), json!({ "limit": 0 })]
    {
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "search_patterns", "arguments": arguments } });
        let answer = program.ask(&call.to_string());
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
    }
    let (rest, _) = program.end();
    assert_eq!(rest, [] as [Value; 0]);
}

/// Sends a body to the server and returns the status and the body of the answer.
fn post(address: &str, length: usize, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status =
        answer.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or_else(|| panic!("{answer:?}"));
    (status, answer.split_once("\r\n\r\n").map(|it| it.1.to_owned()).unwrap_or_default())
}

#[test]
fn t26_a_body_that_is_too_large_or_no_json_is_refused() {
    let http = Program::start(&mut command(&["serve", "patterns", "--http", "127.0.0.1:0"]));
    let line = http
        .stderr
        .as_ref()
        .expect("a pipe")
        .recv_timeout(PATIENCE)
        .expect("a line that says where it serves");
    let address =
        line.split_once("://").and_then(|(_, it)| it.split_once("/mcp")).expect("an address").0.to_owned();
    assert_eq!(post(&address, 1 << 30, b"{").0, 413);
    let (status, body) = post(&address, 9, b"{\"jsonrpc");
    assert_eq!(status, 400, "{body}");
    assert!(body.contains("-32700"), "{body}");
}

fn check(file: &Path) -> (Option<i32>, String) {
    let Output { status, stdout, .. } =
        command(&["patterns", "check", file.to_str().expect("a path")]).output().expect("the command");
    (status.code(), String::from_utf8(stdout).expect("UTF-8"))
}

#[test]
fn a_data_file_is_checked_whole_and_loaded_whole_or_not_at_all() {
    let folder = scratch("data");
    let good = r#"{"schema":"patterns:v1","patterns":[
{"id":"a","title":"Our | way","category":"ours","difficulty":"beginner","summary":"How *we* log."}
]}"#;
    let (fine, bad) = (folder.join("fine.json"), folder.join("bad.json"));
    fs::write(&fine, good).expect("a file");
    fs::write(&bad, good.replace("beginner", "easy").replace("\"ours\"", "\"o\\u001b[31m\""))
        .expect("a file");
    assert_eq!(check(&fine), (Some(0), "1 pattern in 1 category, no mistakes\n".to_owned()));
    let (code, text) = check(&bad);
    assert_eq!((code, text.lines().count()), (Some(1), 2), "{text}");
    assert!(
        text.starts_with("line 2: patterns[0].category: expected 1 to 200 letters")
            && !text.contains('\u{1b}'),
        "{text}"
    );
    assert!(text.contains("line 2: patterns[0].difficulty: expected \"beginner\" or"), "{text}");
    assert!(check(&folder).1.starts_with("the file can't be read"));

    let plainwire = binary::path().to_str().expect("a path");
    let serving = |file: &Path| {
        let file = file.to_str().expect("a path").to_owned();
        command(&["call", "search_patterns", "q=log", "--", plainwire, "serve", "patterns", "--data", &file])
            .output()
            .expect("the command")
    };
    let found = String::from_utf8(serving(&fine).stdout).expect("UTF-8");
    assert!(
        found.contains("| a | Our \\| way | ours | beginner |") && found.contains("How *we\\* log."),
        "{found}"
    );
    let refused = serving(&bad);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("and 1 more") && said.contains("patterns check"), "{said}");
}

#[test]
fn options_of_the_patterns_are_refused_with_another_server() {
    let key = scratch("key").join("key");
    fs::write(&key, "sk-1").expect("a file");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("a file");
    let key = key.to_str().expect("a path");
    let output = command(&["serve", "reference", "--profile", "data"]).output().expect("the command");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("expected --profile with the server `patterns`"), "{said}");
    for (words, expected) in [
        (&["--upstream", "ftp://a.example"][..], "a URL of http or https"),
        (&["--upstream", "https://me:pw@a.example"], "without a user or a password"),
        (&["--upstream", "nonsense"], "expected a URL"),
        (
            &["--upstream", "http://a.example", "--upstream-key-file", key],
            "a URL of https, since a key is sent",
        ),
        (&["--fallback"], "--upstream"),
        (&["--data", "/nowhere/x.json"], "the file can't be read"),
    ] {
        let output = command(&[&["serve", "patterns"][..], words].concat()).output().expect("the command");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected) && !said.contains("pw"), "{said}");
    }
}
