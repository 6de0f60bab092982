//! Tests of what the command shows beside results: log messages, a server's stderr, progress, hints, bold names.

use plainwire_suite::binary;
use serde_json::json;

use super::pty::Pty;
use super::script::{self, Step, answer, notify};
use super::{REFERENCE, ask, run};

#[test]
fn call_shows_the_log_messages_of_the_server() {
    let says = |level: &str| {
        notify("notifications/message", &json!({ "level": level, "logger": "db", "data": "opened" }))
    };
    let done = json!({ "content": [{ "type": "text", "text": "done" }] });
    let mut steps = script::legacy(&json!({ "tools": {}, "logging": {} }));
    steps.extend([Step::Echo(2), Step::Read, says("info"), answer(3, &done)]);
    let ran = script::play(&["call", "x", "--era", "legacy", "--log", "info"], steps, "");
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "done\n", "[info db] opened\n"));
    // Without --log, a legacy server is not asked, but what it sends is shown.
    let mut steps = script::legacy(&json!({ "tools": {}, "logging": {} }));
    steps.extend([says("error"), answer(2, &done)]);
    let ran = script::play(&["call", "x", "--era", "legacy"], steps, "");
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "done\n", "[error db] opened\n"));
    // A server that does not declare `logging` is not asked.
    let ran = ask(&["call", "calculate", "expression=7", "--trace"]);
    assert!(!ran.stderr.contains("logLevel"), "{ran:?}");
}

#[test]
fn what_a_server_writes_to_its_stderr_during_a_call_that_fails_is_shown() {
    for (result, shown) in [
        (
            json!({ "isError": true, "content": [] }),
            "the tool failed:\nthe server wrote to its stderr:\n  | disk full\n",
        ),
        (json!({ "content": [] }), ""),
    ] {
        let mut steps = vec![Step::Shell("echo a banner >&2; sleep 0.2")];
        steps.extend(script::legacy(&json!({ "tools": {} })));
        steps.extend([Step::Shell("echo disk full >&2; sleep 0.2"), answer(2, &result)]);
        let ran = script::play(&["call", "x", "--era", "legacy", "--as", "plain"], steps, "");
        assert_eq!(ran.stderr, shown);
    }
}

#[test]
fn the_log_of_a_server_can_be_a_file() {
    let path = std::env::temp_dir().join(format!("plainwire-server-log-{}", std::process::id()));
    let option = format!("--server-log={}", path.display());
    let mut steps = script::legacy(&json!({ "tools": {} }));
    steps.extend([Step::Shell("printf 'green \\033[32mok\\n' >&2"), answer(2, &json!({}))]);
    let ran = script::play(&["ping", "--era", "legacy", &option], steps, "");
    let logged = std::fs::read(&path).expect("a file");
    std::fs::remove_file(&path).expect("a file of our own");
    assert_eq!((ran.code, &*ran.stderr, &*logged), (0, "", &b"green \x1b[32mok\n"[..]), "{ran:?}");
}

#[test]
fn a_line_that_is_no_message_is_named_after_the_handshake_too() {
    let mut steps = script::legacy(&json!({ "tools": {} }));
    steps.extend([Step::Shell("echo query took 3 ms; echo another"), answer(2, &json!({}))]);
    let ran = script::play(&["ping", "--era", "legacy"], steps, "");
    assert_eq!(ran.stderr.matches("warning:").count(), 1, "{ran:?}");
    assert!(ran.stderr.contains("\"query took 3 ms\""), "{ran:?}");
}

#[test]
fn names_that_are_near_are_offered() {
    let ran = ask(&["describe", "claculate"]);
    assert!(ran.code == 4 && ran.stderr.contains("hint: did you mean \"calculate\"?"), "{ran:?}");
    let path = std::env::temp_dir().join(format!("plainwire-near-{}.json", std::process::id()));
    std::fs::write(&path, r#"{"mcpServers":{"library":{"command":"a"}}}"#).expect("a file");
    let ran = run(&["list", "--config", &path.display().to_string(), "--server", "libary"]);
    std::fs::remove_file(&path).expect("a file of our own");
    assert!(ran.code == 2 && ran.stderr.contains("hint: did you mean --server library?"), "{ran:?}");
}

#[test]
fn a_result_without_content_is_no_usable_answer() {
    let mut steps = script::legacy(&json!({ "tools": {} }));
    steps.push(answer(2, &json!({ "contents": 1 })));
    let ran = script::play(&["call", "x", "--era", "legacy"], steps, "");
    let said = "error: expected the result of a tool to have `content`, but found `contents`\n";
    assert!(ran.code == 3 && ran.stderr.starts_with(said), "{ran:?}");
}

#[test]
fn a_tool_that_asks_in_sessions_only_gets_a_hint_at_the_era() {
    // The words of FastMCP 4.1.2.
    let text = "Error calling tool 'book': elicitation via server-initiated requests is unavailable on 2026-07-28 connections";
    let result =
        json!({ "resultType": "complete", "isError": true, "content": [{ "type": "text", "text": text }] });
    let hint = "hint: this server asks questions in sessions only: connect with `--era legacy`";
    for (era, is_hinted) in [("modern", true), ("legacy", false)] {
        let tools = json!({ "tools": {} });
        let mut steps = if era == "modern" { script::modern(&tools) } else { script::legacy(&tools) };
        steps.push(answer(2, &result));
        let ran = script::play(&["call", "book", "--as", "plain", "--era", era], steps, "");
        assert_eq!((ran.code, ran.stderr.contains(hint)), (1, is_hinted), "{ran:?}");
    }
}

#[test]
fn a_server_that_never_answers_is_shown_with_its_last_words() {
    let server = "echo waiting for the database >&2; sleep 30";
    let ran = run(&["list", "--timeout", "1", "--", "sh", "-c", server]);
    let said = "error: expected a connection within 1s, but found none; its last words on stderr:\n";
    assert!(ran.code == 3 && ran.stderr.starts_with(said), "{ran:?}");
    assert!(ran.stderr.contains("waiting for the database\n"), "{ran:?}");
}

#[test]
fn ctrl_c_cancels_a_call_and_says_so() {
    let mut command = binary::command();
    command.args(["call", "sleep", "ms=60000", "--trace"]).args(REFERENCE);
    let mut pty = Pty::start(command, false);
    pty.until("\"method\":\"tools/call\"");
    pty.interrupt();
    let (status, shown) = pty.end();
    assert_eq!(status.code(), Some(130), "{shown}");
    assert!(shown.contains("notifications/cancelled") && shown.ends_with("error: cancelled\n"), "{shown}");
}

#[test]
fn a_call_of_more_than_a_second_shows_on_one_line_that_it_runs() {
    let start = |words: &[&str]| {
        let mut command = binary::command();
        command.args(words).args(REFERENCE).env("TERM", "xterm");
        Pty::start(command, false)
    };
    let (status, shown) = start(&["call", "sleep", "ms=1500"]).end();
    assert!(
        status.success() && shown.contains("waiting for the answer to `tools/call`; Ctrl-C cancels"),
        "{shown}"
    );
    let (status, shown) = start(&["call", "count", "to=13", "ms=100"]).end();
    assert!(status.success() && shown.contains("/13 ") && shown.contains('['), "{shown}");
    // The line is drawn over again, and is gone at the end.
    assert!(shown.matches('\n').count() < 5, "{shown}");
    let (_, shown) = start(&["call", "calculate", "expression=7"]).end();
    assert_eq!(shown, "7\n");
}

#[test]
fn a_list_fits_the_terminal_and_its_names_are_bold() {
    let list = |colour: bool, words: &[&str]| {
        let mut command = binary::command();
        command.arg("list").args(words).args(REFERENCE).env("TERM", "xterm").env_remove("NO_COLOR");
        if !colour {
            command.env("NO_COLOR", "1");
        }
        Pty::start(command, false).end().1
    };
    let shown = list(true, &[]);
    assert!(shown.contains("  \u{1b}[1mcalculate\u{1b}[0m(expression: string)"), "{shown}");
    let shown = list(false, &["--long"]);
    assert!(!shown.contains('\u{1b}'), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
}

#[test]
fn a_description_is_shown_whole_with_long() {
    let tool =
        json!({ "name": "t", "description": "First.\n\nSecond.", "inputSchema": { "type": "object" } });
    let list = |words: &[&str]| {
        let mut steps = script::legacy(&json!({ "tools": {} }));
        steps.push(answer(2, &json!({ "tools": [tool] })));
        script::play(&[&["list", "--era", "legacy"], words].concat(), steps, "").quietly()
    };
    assert!(list(&[]).ends_with("  t()\n      First. …\n"));
    assert!(list(&["--long"]).ends_with("  t()\n      First.\n      \n      Second.\n"));
}

#[test]
fn a_list_that_a_server_refuses_does_not_hide_the_others() {
    let refused = |id: u64| {
        Step::Say(
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "no such method" } }),
        )
    };
    let mut steps = script::legacy(&json!({ "tools": {}, "resources": {}, "prompts": {} }));
    let tools = json!({ "tools": [{ "name": "lamp", "inputSchema": { "type": "object" } }] });
    let resources = json!({ "resources": [] });
    steps.extend([answer(2, &tools), Step::Read, answer(3, &resources)]);
    steps.extend([Step::Read, refused(4), Step::Read, refused(5)]);
    let ran = script::play(&["list", "--era", "legacy"], steps, "");
    assert!(ran.code == 4 && ran.stdout.contains("\n  lamp()\n"), "{ran:?}");
    assert_eq!(ran.stderr, "error: prompts/list: no such method (code -32601)\n");
}
