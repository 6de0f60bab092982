//! Tests of servers whose texts would overwrite, hide or forge what the user sees on a terminal.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::pty::Pty;
use super::script::{Step, answer, command, legacy, notify, play};

/// Text that clears the screen, writes to the clipboard, hides what follows, and reverses it.
const EVIL: &str = "\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{9b}8m\u{202e}\u{200b}\rsafe";

/// [`EVIL`] as the command has to show it in text.
const SHOWN: &str = r"\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{9b}8m\u{202e}\u{200b}\rsafe";

fn is_evil(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t') || matches!(letter, '\u{202e}' | '\u{200b}')
}

/// Runs a command whose stdout and stderr are a terminal. Returns what the terminal would show.
fn on_terminal(command: Command) -> String {
    Pty::start(command, false).end().1
}

/// Returns the steps of a legacy server whose name is [`EVIL`]: the handshake, and reading the request after
/// it.
fn hostile() -> Vec<Step> {
    let mut steps = legacy(&json!({}));
    let info = json!({ "name": EVIL, "version": EVIL });
    let capabilities = json!({ "tools": {}, "resources": {}, "prompts": {} });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info });
    steps[1] = answer(1, &hello);
    steps
}

/// Returns the steps of a server whose answer to one request has the result `result`.
fn answering(result: &Value) -> Vec<Step> {
    let mut steps = hostile();
    steps.push(answer(2, result));
    steps
}

fn words(words: &'static str) -> Vec<&'static str> {
    words.split(' ').chain(["--era", "legacy"]).collect()
}

fn tool_result() -> Value {
    json!({ "content": [
        { "type": "text", "text": EVIL },
        { "type": "resource_link", "name": EVIL, "uri": EVIL },
        { "type": "image", "mimeType": EVIL, "data": "" },
        { "type": "resource", "resource": { "uri": EVIL, "mimeType": EVIL, "blob": "" } },
        { "type": EVIL, "what": EVIL },
    ]})
}

/// Returns a server's steps that list tools, resources, templates and prompts with [`EVIL`] in every text.
fn lists() -> Vec<Step> {
    let schema = json!({ "type": "object", "properties": { EVIL: { "type": "string" } } });
    let mut steps = hostile();
    steps
        .push(answer(2, &json!({ "tools": [{ "name": EVIL, "description": EVIL, "inputSchema": schema }] })));
    steps.push(Step::Read);
    steps.push(answer(3, &json!({ "resources": [{ "name": EVIL, "uri": EVIL, "description": EVIL }] })));
    steps.push(Step::Read);
    steps.push(answer(4, &json!({ "resourceTemplates": [{ "name": EVIL, "uriTemplate": EVIL }] })));
    steps.push(Step::Read);
    steps.push(answer(5, &json!({ "prompts": [{ "name": EVIL, "arguments": [{ "name": EVIL }] }] })));
    steps
}

#[test]
fn no_command_lets_a_server_draw_on_the_terminal() {
    let error = Step::Say(
        json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -1, "message": EVIL, "data": EVIL } }),
    );
    let mut refusing = hostile();
    let no_tools = json!({ "tools": [] });
    refusing.extend([error, Step::Read, answer(3, &no_tools)]);
    let mut failing = hostile();
    let failed = json!({ "isError": true, "content": [{ "type": "text", "text": EVIL }] });
    failing.extend([answer(2, &failed), Step::Read, answer(3, &no_tools)]);
    let mut progressing = hostile();
    let progress = json!({ "progressToken": 2, "progress": 1, "message": EVIL });
    progressing.push(notify("notifications/progress", &progress));
    progressing.push(answer(2, &json!({ "content": [] , "structuredContent": { EVIL: EVIL } })));
    let contents =
        json!({ "contents": [{ "uri": EVIL, "text": EVIL }, { "uri": EVIL, "mimeType": EVIL, "blob": "" }] });
    let message = json!({ "role": "user", "content": { "type": "text", "text": EVIL } });
    let dying = vec![Step::Shell(r"printf '\033[2J\302\233\342\200\256\rsafe\n' >&2; exit 3")];
    for (line, steps, times) in [
        ("list", lists(), 10),
        ("ping", answering(&json!({})), 2),
        ("call x", answering(&tool_result()), 8),
        ("call x", failing, 1),
        ("call x", refusing, 1),
        // Progress of less than a second is not shown on a terminal.
        ("call x", progressing, 2),
        ("read a://b", answering(&contents), 3),
        ("prompt x", answering(&json!({ "messages": [message] })), 1),
        ("list", dying, 0),
    ] {
        let mut command = command(&words(line), steps);
        command.env("TERM", "xterm").env_remove("NO_COLOR");
        // The names of a list are bold.
        let shown = on_terminal(command).replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        assert!(!shown.contains(is_evil), "{line}: {shown:?}");
        // In JSON, the escapes are those of JSON.
        let found = shown.matches(SHOWN).count() + shown.matches(r"\u001b[2J").count();
        assert!(found >= times, "{line}: {found} of {times} in {shown:?}");
        assert!(shown.contains("safe"), "{line}: {shown:?}");
    }
}

#[test]
fn json_on_a_terminal_is_the_same_json_without_what_would_draw() {
    let sent = tool_result();
    let shown = on_terminal(command(&words("call x --json"), answering(&sent)));
    assert!(!shown.contains(is_evil), "{shown:?}");
    assert_eq!(serde_json::from_str::<Value>(&shown).expect("JSON"), sent);
    let shown = on_terminal(command(&words("list --json"), lists()));
    assert!(!shown.contains(is_evil), "{shown:?}");
    let listed: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(listed["tools"][0]["description"], EVIL);
}

#[test]
fn a_trace_on_stderr_is_the_same_json_without_what_would_draw() {
    let sent = tool_result();
    let shown = on_terminal(command(&words("call x --trace"), answering(&sent)));
    assert!(!shown.contains(is_evil), "{shown:?}");
    let frames = shown.lines().filter_map(|line| serde_json::from_str(line.split_once(" <- ")?.1).ok());
    let results: Vec<Value> = frames.map(|mut frame: Value| frame["result"].take()).collect();
    assert!(results.contains(&sent), "{shown}");
}

#[test]
fn a_pipe_gets_the_exact_bytes_of_a_result() {
    let ran =
        play(&words("call x"), answering(&json!({ "content": [{ "type": "text", "text": EVIL }] })), "");
    assert_eq!((ran.code, ran.stdout, &*ran.stderr), (0, format!("{EVIL}\n"), ""));
}

#[test]
fn progress_and_the_server_do_not_write_into_an_open_question() {
    let schema = json!({ "type": "object", "properties": {} });
    let question = json!({ "message": "sure?", "requestedSchema": schema });
    let mut steps = hostile();
    steps.push(Step::Say(
        json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": question }),
    ));
    steps.push(Step::Shell("sleep 0.3; echo your password: >&2"));
    for (done, message) in [(1, "first"), (2, "enter your password:")] {
        let progress = json!({ "progressToken": 2, "progress": done, "message": message });
        steps.push(notify("notifications/progress", &progress));
    }
    steps.push(Step::Shell("sleep 0.3"));
    steps.push(answer(2, &json!({ "content": [{ "type": "text", "text": "done" }] })));
    // Nothing is typed, and stdin stays open until the server has answered the call.
    let mut command = command(&words("call x"), steps);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let stdin = child.stdin.take();
    let ran = super::Ran::of(child.wait_with_output().expect("it ends"));
    drop(stdin);
    let asked = format!("\nthe server \"{SHOWN}\" asks:\n  | sure?\nyes? [y/N] ");
    let after = "\n(the question is withdrawn)\n2 enter your password:\n";
    assert_eq!((ran.stderr, &*ran.stdout), (format!("{asked}{after}"), "done\n"));
}

/// Returns the steps of a server that asks a yes-or-no question, writes `your password:` by every way that it has,
/// and then waits for the answer and answers the call.
fn forging_a_prompt() -> Vec<Step> {
    let question = json!({ "message": "sure?", "requestedSchema": { "type": "object", "properties": {} } });
    let mut steps = legacy(&json!({ "tools": {}, "logging": {} }));
    steps.extend([
        Step::Say(json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": question })),
        Step::Shell("sleep 0.5; echo log: your password: >&2; echo stdout: your password:"),
        notify("notifications/message", &json!({ "level": "error", "data": "message: your password:" })),
        notify(
            "notifications/progress",
            &json!({ "progressToken": 2, "progress": 1, "message": "progress: your password:" }),
        ),
        Step::Read,
        answer(2, &json!({ "content": [{ "type": "text", "text": "done" }] })),
    ]);
    steps
}

/// Checks that `shown`, the output after an answered question, has what the server wrote meanwhile.
#[track_caller]
fn shows_what_was_held_back(shown: &str) {
    for line in [
        "log: your password:",
        "[error] message: your password:",
        r#" <- {"jsonrpc":"2.0","method":"notifications/message","params":"#,
    ] {
        assert_eq!(shown.matches(line).count(), 1, "{line} in {shown}");
    }
    assert!(shown.contains("warning:") && shown.contains("\"stdout: your password:\""), "{shown}");
}

#[test]
fn nothing_but_the_dialogue_is_written_while_a_question_is_open() {
    let mut command = command(&words("call x --server-log --trace"), forging_a_prompt());
    command.env("TERM", "xterm");
    let mut pty = Pty::start(command, true);
    pty.until("asks:\r\n  | sure?\r\nyes? [y/N] ");
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    assert_eq!(pty.shown(), "", "written into the question");
    pty.enter("y\r");
    let (status, shown) = pty.end();
    assert!(status.success() && shown.starts_with("y\n") && shown.ends_with("done\n"), "{shown}");
    shows_what_was_held_back(&shown);
}

#[test]
fn nothing_is_written_into_a_question_of_the_shell() {
    let mut command = command(&words("shell --server-log --trace"), forging_a_prompt());
    command.env("TERM", "xterm").env("XDG_DATA_HOME", env!("CARGO_TARGET_TMPDIR"));
    let mut pty = Pty::start(command, true);
    pty.until("shop> ");
    pty.enter("x\r");
    pty.until("yes? [y/N] ");
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    assert!(!pty.shown().contains("password"), "{:?}", pty.shown());
    pty.enter("y\r");
    let shown = pty.until("done");
    shows_what_was_held_back(&(shown + &pty.shown()));
    pty.until("shop> ");
    pty.enter("\u{4}");
    assert!(pty.end().0.success());
}

#[test]
fn a_result_is_not_written_into_an_open_question() {
    let question = json!({ "message": "sure?", "requestedSchema": { "type": "object", "properties": {} } });
    let mut steps = legacy(&json!({ "tools": {} }));
    steps.extend([
        Step::Say(json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": question })),
        Step::Shell("sleep 0.5"),
        answer(2, &json!({ "content": [{ "type": "text", "text": "your password:" }] })),
    ]);
    let mut command = command(&words("call x"), steps);
    command.env("TERM", "xterm");
    let mut pty = Pty::start(command, true);
    pty.until("yes? [y/N] ");
    let (status, shown) = pty.end();
    let expected = "\n(the question is withdrawn)\nyour password:\n";
    assert_eq!((status.success(), &*shown), (true, expected));
}

#[test]
fn line_breaks_in_names_forge_no_lines() {
    let forged = "a\nforged\r\nforged\u{2028}forged";
    let schema = json!({ "type": "object", "properties": { forged: { "type": "string" } } });
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "tools": {}, "resources": {}, "prompts": {} },
        "serverInfo": { "name": forged, "version": forged },
    });
    let start = || {
        let mut steps = legacy(&json!({}));
        steps[1] = answer(1, &hello);
        steps
    };
    let tool = json!({ "name": forged, "title": forged, "inputSchema": schema });
    let tools = json!({ "tools": [tool] });
    let mut lists = start();
    lists.extend([
        answer(2, &tools),
        Step::Read,
        answer(3, &json!({ "resources": [{ "name": forged, "uri": forged }] })),
        Step::Read,
        answer(4, &json!({ "resourceTemplates": [{ "name": forged, "uriTemplate": forged }] })),
        Step::Read,
        answer(5, &json!({ "prompts": [{ "name": forged, "arguments": [{ "name": forged }] }] })),
    ]);
    let blocks = json!({ "content": [
        { "type": "resource_link", "name": forged, "uri": forged },
        { "type": "image", "mimeType": forged, "data": "" },
        { "type": "audio", "mimeType": forged, "data": "" },
        { "type": "resource", "resource": { "uri": forged, "mimeType": forged, "blob": "" } },
    ] });
    let all = |result: &Value| {
        let mut steps = start();
        steps.push(answer(2, result));
        steps
    };
    for (line, steps, times) in
        [("list", lists, 8), ("ping", all(&json!({})), 2), ("call x", all(&blocks), 6)]
    {
        let ran = play(&words(line), steps, "");
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{line}");
        assert!(!ran.stdout.lines().any(|line| line.starts_with("forged")), "{line}: {}", ran.stdout);
        let found = ran.stdout.matches(r"a\nforged\r\nforged\u{2028}forged").count();
        assert_eq!(found, times, "{line}: {}", ran.stdout);
    }
    let described = play(&[&["describe", forged], &words("")[1..]].concat(), all(&tools), "");
    let first = described.stdout.lines().next().unwrap_or_default();
    assert_eq!((described.code, first.matches(r"a\nforged").count()), (0, 2), "{}", described.stdout);
}

#[test]
fn what_a_server_writes_to_its_stderr_is_shown_escaped_and_only_if_asked_for() {
    let steps = || {
        let mut steps = answering(&json!({}));
        steps.insert(0, Step::Shell(r"printf 'log \033[32mgreen\033[0m \033[2J\302\233\n' >&2"));
        steps
    };
    let quiet = play(&words("ping"), steps(), "");
    assert_eq!((quiet.code, &*quiet.stderr), (0, ""));
    let loud = play(&words("ping --server-log"), steps(), "");
    assert_eq!((loud.code, &*loud.stderr), (0, "log green \\u{1b}[2J\\u{9b}\n"));
}

#[test]
fn a_server_gets_no_variables_but_a_short_list_and_those_that_are_named() {
    let steps = || {
        let mut steps = answering(&json!({}));
        steps.insert(0, Step::Shell("env >&2"));
        steps
    };
    let with = |line: &'static str| {
        let mut command = command(&words(line), steps());
        command.env("MY_SECRET", "s3cret").env("PLAINWIRE_TOKEN_KEY", "k3y").env("WANTED", "w");
        let ran = super::script::run(command, "");
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stderr.lines().map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let listed = with("ping --server-log");
    assert!(listed.iter().any(|line| line.starts_with("PATH=")), "{listed:?}");
    assert!(!listed.iter().any(|line| line.contains("s3cret") || line.contains("k3y")), "{listed:?}");
    assert!(!listed.contains(&"WANTED=w".to_owned()), "{listed:?}");
    let named = with("ping --server-log --env WANTED --env=SET=a=b");
    assert!(named.contains(&"WANTED=w".to_owned()) && named.contains(&"SET=a=b".to_owned()), "{named:?}");
}
