//! Tests of `plainwire shell`: lines of a script, and a user at a terminal.

use plainwire_suite::binary;
use serde_json::json;
use snapbox::{assert_data_eq, str};

use super::pty::Pty;
use super::script::{self, Step, answer, legacy, modern, notify};
use super::targets::serve_at;
use super::{REFERENCE, Ran};

/// Runs the lines of a script in the shell of the reference server.
fn shell(lines: &str) -> Ran {
    let mut command = binary::command();
    command.arg("shell").args(REFERENCE);
    script::run(command, lines)
}

/// Starts the shell of the reference server on a terminal, with a folder of its own for the history.
fn typed(home: &std::path::Path) -> Pty {
    let mut command = binary::command();
    command.arg("shell").args(REFERENCE).env("XDG_DATA_HOME", home).env("TERM", "xterm");
    Pty::start(command, true)
}

#[test]
fn lines_are_commands_with_one_server() {
    let ran = shell(
        "calculate expression=6*7\ncall calculate 'expression=1 + 1'\nread server://calculations\nping --json\n:quit\nlist\n",
    );
    assert_data_eq!(
        ran.stdout,
        str![[r#"
42
2
2
{"micros":[..],"name":"plainwire-reference","protocolVersion":"2026-07-28","version":"0.1.0"}

"#]]
    );
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
}

#[test]
fn a_script_ends_with_the_code_of_the_last_line_that_failed() {
    let ran = shell("nosuch\ncalculate 'a\n:loud\nread\ncalculate --formula 7\ncalculate expression=7\n");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: expected `name` to be a tool of this server, but found "nosuch" (code -32602)
error: expected each quote to be closed, but found one that is not

hint: write a backslash before a quote that stands for itself
error: expected a command of the shell, but found ":loud"

hint: did you mean :log?
error: the following required arguments were not provided: <URI>

hint: `:help` shows the commands
error: expected an argument as `key=text`, but found "--formula"

hint: call calculate formula=7

"#]]
    );
    assert_eq!((ran.code, &*ran.stdout), (2, "7\n"));
}

#[test]
fn stdin_has_the_lines_and_nothing_else() {
    let ran = shell("calculate expression=-\r\nask whom=user --no-input\r\ncalculate expression=7\r\n");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: expected a text for `expression`, but found `-`: stdin has the lines of this shell

hint: `expression=@FILE` reads a file; `expression:='"-"'` gives the text itself
error: expected an option of this line, but found --no-input, which is one of the connection

hint: start the shell with it: plainwire shell --no-input …

"#]]
    );
    assert_eq!((ran.code, &*ran.stdout), (2, "7\n"));
}

#[test]
fn options_of_the_shell_hold_for_all_lines() {
    let with = |option: &str, lines: &str| {
        let mut command = binary::command();
        command.args(["shell", option]).args(REFERENCE);
        script::run(command, lines)
    };
    let ran = with("--json", "calculate expression=7\n");
    assert!(ran.quietly().starts_with("{\"resultType\":"));
    let picture = std::env::temp_dir().join(format!("plainwire-out-{}", std::process::id()));
    with("--json", &format!("read server://calculations --out {}\n", picture.display()));
    assert!(std::fs::remove_file(picture).is_ok(), "a file gets the content itself");
    let ran = with("--no-input", "ask whom=user\ncalculate expression=7\n");
    assert!(ran.stdout.ends_with("7\n") && !ran.stderr.contains("asks:"), "{ran:?}");
}

#[test]
fn help_of_a_line_is_that_of_the_shell_or_of_the_tool() {
    let ran = shell("list --help\ncalculate --help\n");
    assert!(ran.code == 0 && ran.stderr.starts_with("TOOL key=text"), "{ran:?}");
    assert!(ran.stdout.starts_with("calculate(expression: string)"), "{ran:?}");
}

#[test]
fn settings_hold_for_the_lines_after_them() {
    let ran = shell(":json\n:trace\ncalculate expression=7\n:json\n:trace\ncalculate expression=8\n");
    assert!(ran.stdout.starts_with("{\"resultType\":") && ran.stdout.ends_with("}\n8\n"), "{}", ran.stdout);
    assert_eq!(ran.stderr.matches("answered").count(), 1, "{}", ran.stderr);
}

/// The log level of a line is asked for before its request, and that of the shell afterwards.
#[test]
fn a_line_has_a_log_level_of_its_own() {
    let file = std::env::temp_dir().join(format!("plainwire-levels-{}", std::process::id()));
    let mut steps = legacy(&json!({ "tools": {}, "logging": {} }));
    let result = json!({ "content": [] });
    steps.extend([answer(2, &json!({})), Step::Read, answer(3, &result), Step::Read, answer(4, &json!({}))]);
    let trace = format!("--trace={}", file.display());
    let ran = script::play(&["shell", "--era", "legacy", &trace], steps, "x --log debug\n");
    assert_eq!(ran.code, 0, "{ran:?}");
    let traced = std::fs::read_to_string(&file).expect("a trace");
    std::fs::remove_file(file).expect("a file of our own");
    let asked: Vec<&str> = traced
        .lines()
        .filter(|line| line.contains("->"))
        .filter_map(|line| ["\"debug\"", "tools/call", "\"info\""].into_iter().find(|it| line.contains(it)))
        .collect();
    assert_eq!(asked, ["\"debug\"", "tools/call", "\"info\""], "{traced}");
}

#[test]
fn log_messages_and_changes_are_shown() {
    let capabilities = json!({ "tools": { "listChanged": true }, "logging": {} });
    let mut steps = legacy(&capabilities);
    steps.extend([
        answer(2, &json!({})),
        notify(
            "notifications/message",
            &json!({ "level": "info", "logger": "db", "data": "\u{1b}[2Jopened" }),
        ),
        notify("notifications/message", &json!({ "level": "error", "data": { "n": 1 } })),
        notify("notifications/tools/list_changed", &json!({})),
        Step::Read,
        answer(3, &json!({})),
    ]);
    let ran = script::play(&["shell", "--era", "legacy"], steps, ":log info\nping\n");
    for line in [
        "log messages from info on",
        "[info db] \\u{1b}[2Jopened",
        "[error] {\"n\":1}",
        "(the tools have changed)",
    ] {
        assert!(ran.stderr.lines().any(|it| it == line), "no {line} in {}", ran.stderr);
    }
}

#[test]
fn a_modern_server_is_asked_for_changes_of_its_lists() {
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": 2 });
    let mut steps = modern(&json!({ "tools": { "listChanged": true }, "prompts": {} }));
    steps.extend([
        notify(
            "notifications/subscriptions/acknowledged",
            &json!({ "_meta": meta, "notifications": { "toolsListChanged": true } }),
        ),
        notify("notifications/tools/list_changed", &json!({ "_meta": meta })),
    ]);
    let mut command = script::command(&["shell"], steps);
    command.env("XDG_DATA_HOME", env!("CARGO_TARGET_TMPDIR")).env("TERM", "xterm");
    let mut pty = Pty::start(command, true);
    pty.until("(the tools have changed)");
    pty.enter("\u{4}");
    assert!(pty.end().0.success());
}

#[test]
fn names_are_completed_while_the_server_writes() {
    let mut steps = legacy(&json!({ "tools": {}, "logging": {} }));
    steps.extend((0..20).map(|n| notify("notifications/message", &json!({ "level": "error", "data": n }))));
    let tool = json!({ "name": "xylophone", "inputSchema": { "type": "object" } });
    steps.push(answer(2, &json!({ "tools": [tool] })));
    let mut command = script::command(&["shell", "--era", "legacy", "--trace"], steps);
    command.env("XDG_DATA_HOME", env!("CARGO_TARGET_TMPDIR")).env("TERM", "xterm");
    let mut pty = Pty::start(command, true);
    pty.until("shop> ");
    pty.enter("xy\t");
    pty.until("xylophone ");
    let shown = pty.until("[error] 19");
    assert!(shown.contains("[error] 18"), "{shown}");
    pty.enter("\u{3}");
    // The end of this line, and the next one.
    pty.until("\u{1b}[?2004l");
    pty.until("shop> ");
    pty.enter("\u{4}");
    assert!(pty.end().0.success());
}

#[test]
fn a_server_over_http_may_be_away_for_a_while() {
    let (server, url) = serve_at("127.0.0.1:0", &[]);
    let mut command = binary::command();
    command
        .args(["shell", "--url", &url])
        .env("XDG_DATA_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("TERM", "xterm");
    let mut pty = Pty::start(command, true);
    pty.until("plainwire-reference> ");
    drop(server);
    pty.enter("ping\r");
    pty.until("can't be reached");
    pty.until("plainwire-reference> ");
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let _again = serve_at(address, &[]);
    pty.enter("calculate expression=6*7\r");
    pty.until("\n42\r\n");
    pty.until("plainwire-reference> ");
    pty.enter("\u{4}");
    assert!(pty.end().0.success());
}

#[test]
fn a_server_that_is_started_by_hand_says_that_it_waits_for_a_client() {
    let mut command = binary::command();
    command.args(["serve", "reference"]);
    let mut pty = Pty::start(command, true);
    pty.until("stdin is a terminal, but this server expects the messages of a client");
    pty.enter("\u{4}");
    assert!(pty.end().0.success());
}

#[test]
fn a_user_types_completes_answers_and_interrupts() {
    let home = std::env::temp_dir().join(format!("plainwire-shell-{}", std::process::id()));
    let mut pty = typed(&home);
    pty.until("plainwire-reference 0.1.0 (2026-07-28); Tab completes");
    pty.until("plainwire-reference> ");
    // Names of tools, arguments and values come from the server.
    pty.enter("calc\t");
    pty.until("calculate ");
    pty.enter("ex\t");
    pty.until("expression=");
    pty.enter("6*7\r");
    pty.until("\n42\r\n");
    pty.enter("ask whom=u\t");
    pty.until("whom=user ");
    pty.enter("\r");
    // The question is answered on the same line editor.
    pty.until("asks:");
    pty.until(": ");
    pty.enter("!decline\r");
    pty.until("(declined)");
    pty.until("plainwire-reference> ");
    // Ctrl-C cancels a call, and the shell goes on.
    pty.enter("sleep ms=60000\r");
    std::thread::sleep(std::time::Duration::from_millis(300));
    pty.interrupt();
    pty.until("(cancelled)");
    pty.until("plainwire-reference> ");
    // Ctrl-C in a line empties it.
    pty.enter("half a line\u{3}");
    pty.until("plainwire-reference> ");
    pty.enter(" calculate expression=1111\r");
    pty.until("\n1111\r\n");
    pty.until("plainwire-reference> ");
    pty.enter("\u{4}");
    let (status, _) = pty.end();
    assert!(status.success(), "{status}");

    let history = std::fs::read_to_string(home.join("plainwire/shell_history")).expect("a history");
    assert!(history.contains("calculate expression=6*7") && !history.contains("1111"), "{history}");
    assert!(!history.contains("!decline"), "an answer is no command: {history}");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(home.join("plainwire/shell_history")).expect("a file").permissions(),
    );
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    std::fs::remove_dir_all(home).expect("it is ours");
}

#[test]
fn the_option_for_help_alone_is_help() {
    for line in ["--help\n", "-h\n", "help\n"] {
        let ran = shell(line);
        assert!(ran.code == 0 && ran.stderr.contains(":json"), "{line:?}: {ran:?}");
    }
}

#[test]
fn a_setting_that_fails_is_a_line_that_failed() {
    let ran = shell(":log debug\n");
    let said = "error: expected the server to declare `logging`, but found that it does not\n\nhint: `--server-log` shows \
                what the server writes to its stderr\n";
    assert_eq!((ran.code, &*ran.stderr), (4, said));
}
