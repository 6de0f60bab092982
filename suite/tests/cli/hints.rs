//! Tests of the hints below errors: what to type, or where to look.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::json;

use super::script::{self, Step, answer};
use super::{ask, run};

#[track_caller]
fn check(words: &[&str], hint: &str) {
    let ran = run(words);
    assert!(ran.code != 0 && ran.stderr.contains(&format!("\n\nhint: {hint}\n")), "{words:?}: {ran:?}");
}

#[test]
fn the_end_of_a_server_is_hinted_at_by_what_it_said() {
    let server = |script| ["list", "--timeout", "1", "--", "sh", "-c", script];
    let silent = "the program wrote nothing to its stderr; does it speak MCP on its stdin and stdout?";
    check(&server("exit 3"), silent);
    check(&server("echo gone >&2; exit 3"), "`--server-log` shows what the server writes to its stderr");
    check(
        &server("echo Listening; exit 1"),
        "stdout is for messages of the protocol only: the log of a server belongs on stderr",
    );
    let http = "the server seems to serve HTTP: `--url URL` connects to it";
    check(&server("echo serving http://127.0.0.1:9/mcp >&2; exit 1"), http);
    check(&server("echo serving http://127.0.0.1:9/mcp >&2; sleep 9"), http);
    check(
        &server("sleep 9"),
        "`--timeout SECONDS` waits longer; `--trace` shows every frame, `--server-log` what the server writes to its \
         stderr",
    );
}

#[test]
fn over_http_no_option_for_the_stderr_of_a_process_is_hinted_at() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    // Connections wait in the queue of the system, and nobody answers them.
    check(
        &["list", "--timeout", "1", "--url", &url],
        "`--timeout SECONDS` waits longer; `--trace` shows every frame",
    );
    drop(listener);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    // The thread ends with the program.
    std::thread::spawn(move || listener.incoming().for_each(drop));
    check(&["list", "--timeout", "5", "--url", &url], "`--trace` shows every frame");
}

#[test]
fn a_web_page_in_place_of_an_answer_is_called_one() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let page = "HTTP/1.1 501 No\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: 15\r\n\r\n<!DOCTYPE HTML>";
    // The thread ends with the program.
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let _ = connection.read(&mut [0; 65_536]).and_then(|_| connection.write_all(page.as_bytes()));
        }
    });
    check(
        &["list", "--url", &url],
        "the answer is a web page: does the URL lead to an MCP server? Most have the path `/mcp`",
    );
}

#[test]
fn with_a_server_log_the_last_words_of_a_server_are_not_said_twice() {
    let mut steps = script::legacy(&json!({ "tools": {} }));
    let refused = json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32603, "message": "no" } });
    steps.extend([Step::Shell("echo out of luck >&2"), Step::Say(refused)]);
    let ran = script::play(&["call", "x", "--era", "legacy", "--server-log"], steps, "");
    assert_eq!((ran.code, ran.stderr.matches("out of luck").count()), (4, 1), "{ran:?}");
}

#[test]
fn an_empty_command_of_a_server_is_answered_like_none() {
    check(
        &["list", "--"],
        "name the server by `plainwire list … -- COMMAND`, `--url URL` or `--server NAME`",
    );
}

#[test]
fn a_command_in_quotes_is_shown_without_them() {
    check(
        &["ping", "--", "plainwire serve reference"],
        "without quotes, the words are a command: -- plainwire serve reference",
    );
    check(&["ping", "--", "shelf | cat"], "a shell runs such a line: -- sh -c 'shelf | cat'");
    check(
        &["call", "find", "--", "query=x", "shelf"],
        "the arguments of a tool stand before `--`, and the server's command after it",
    );
    check(
        &["list", "--", "RUST_LOG=debug", "shelf"],
        "`--env NAME=VALUE`, before `--`, gives the server a variable",
    );
    check(
        &[
            "ping",
            "--revision",
            "2024-11-05",
            "--",
            "sh",
            "-c",
            "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}'; sleep 9",
        ],
        "without `--revision` and `--era`, the command speaks every revision that it knows",
    );
}

#[test]
fn a_token_in_place_of_the_name_of_a_variable_is_not_shown() {
    let words = ["list", "--url", "http://127.0.0.1:9/mcp", "--bearer-env", "s3cret-s3cret"];
    check(&words, "export VARIABLE with the token, and then give its name, as in `--bearer-env VARIABLE`");
    assert!(!run(&words).stderr.contains("s3cret"));
}

#[test]
fn a_tool_that_needs_what_the_command_did_not_declare_says_how_to_declare_it() {
    let no_input = ask(&["call", "ask", "whom=user", "--no-input"]);
    let hint = "hint: the tool asks a question: leave out `--no-input`\n";
    assert!(no_input.code == 4 && no_input.stderr.ends_with(hint), "{no_input:?}");
    let plain = ask(&["call", "ask", "whom=user", "--as", "plain"]);
    let hint = "hint: without `--as plain`, the command declares what it can do\n";
    assert!(plain.code == 4 && plain.stderr.ends_with(hint), "{plain:?}");
    let model = ask(&["call", "ask", "whom=model"]);
    let hint = "hint: the tool needs something that hosts have: `--as host` declares it, without a model behind it\n";
    assert!(model.code == 4 && model.stderr.ends_with(hint), "{model:?}");
}

#[test]
fn a_tool_without_a_name_is_not_what_was_meant() {
    let mut steps = script::modern(&json!({ "tools": {} }));
    let nameless = json!({ "tools": [{ "inputSchema": {} }] });
    steps.extend([answer(2, &nameless), Step::Read, answer(3, &nameless)]);
    let ran = script::play(&["describe", "x", "--era", "modern"], steps, "");
    let hint = "hint: `plainwire list` shows what the server has\n";
    assert!(ran.code == 4 && ran.stderr.ends_with(hint), "{ran:?}");
}

#[test]
fn of_a_server_that_does_not_show_its_tools_nothing_is_said() {
    let mut steps = script::legacy(&json!({ "tools": {} }));
    let refused = |id: u64| {
        Step::Say(
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": "no `x` today" } }),
        )
    };
    steps.extend([refused(2), Step::Read, refused(3)]);
    let ran = script::play(&["call", "x", "--era", "legacy"], steps, "");
    assert_eq!((ran.code, &*ran.stderr), (4, "error: no `x` today (code -32603)\n"));
}

#[test]
fn changes_that_only_a_session_reports_are_hinted_at() {
    let mut steps = script::modern(&json!({ "tools": { "listChanged": true } }));
    let refusal =
        json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32601, "message": "Method not found" } });
    steps.push(Step::Say(refusal));
    let ran = script::play(&["watch", "--lists", "--era", "modern"], steps, "");
    let hint = "hint: some servers report changes in sessions only: `--era legacy`\n";
    assert!(ran.code == 4 && ran.stderr.ends_with(hint), "{ran:?}");
}

#[test]
fn of_what_a_server_wrote_to_its_stderr_the_last_five_lines_stand_below_the_error() {
    let mut steps = script::legacy(&json!({ "resources": {} }));
    let refusal = json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32603, "message": "broken" } });
    steps.extend([Step::Shell("seq 1 20 >&2; sleep 0.2"), Step::Say(refusal)]);
    steps.extend([Step::Read, answer(3, &json!({ "resources": [{ "uri": "a:b", "name": "a" }] }))]);
    let ran = script::play(&["read", "a:b", "--era", "legacy"], steps, "");
    let expected = "error: broken (code -32603)\nthe server wrote to its stderr (`--server-log` shows all of it):\n  \
                    | 16\n  | 17\n  | 18\n  | 19\n  | 20\n";
    assert_eq!((ran.code, &*ran.stderr), (4, expected));
}

#[test]
fn a_url_without_its_scheme_is_shown_with_it() {
    let home = std::env::temp_dir().join(format!("plainwire-hints-{}", std::process::id()));
    let file = home.join("mcp.json").display().to_string();
    std::fs::create_dir_all(&home).expect("a folder of our own");
    let words = ["install", "--file", &file, "cursor", "--name", "x", "--url", "127.0.0.1:8000/mcp"];
    check(&words, "--url http://127.0.0.1:8000/mcp");
    check(
        &["call", "x", "--json={limit:3}", "--", "sh"],
        "quote names and texts, as in `--json='{\"limit\":3,\"word\":\"moss\"}'`",
    );
    std::fs::write(&file, "{}").expect("a file of our own");
    let hint = r#"such a file has servers by name: {"mcpServers": {"NAME": {"command": "PROGRAM", "args": ["WORD"]}}}"#;
    check(&["list", "--config", &file, "--server", "x"], hint);
    std::fs::remove_dir_all(&home).expect("a folder of our own");
}
