//! Tests of failures: the exit code, the message, and the hint. Results go to stdout, messages to stderr.

use std::process::Stdio;

use plainwire_suite::binary;
use snapbox::{assert_data_eq, str};

use super::{ask, run};

#[test]
fn exits_with_1_when_the_tool_failed() {
    for era in ["legacy", "modern"] {
        let ran = ask(&["call", "calculate", "expression=1/0", "--era", era]);
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (1, "division by zero\n", "the tool failed:\n"));
        let ran = ask(&["call", "calculate", "expression=1/0", "--era", era, "--json"]);
        let result: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!((ran.code, &*ran.stderr, &result["isError"]), (1, "", &true.into()));
    }
}

#[test]
fn exits_with_2_when_the_command_line_is_wrong() {
    for (words, said) in [
        (&["call", "calculate", "oops"][..], "expected `key=text` or `key:=json`, but found \"oops\""),
        (&["call", "count", "to:=x"], "expected JSON after `to:=`, but found \"x\""),
        (&["call", "count", "--json=[1]"], "expected --json=OBJECT, but found [1]"),
        (&["call", "count", "--json={"], "expected --json=OBJECT, but found no JSON"),
        (&["list", "--trace=/nowhere/at/all"], "--trace=/nowhere/at/all: "),
        (&["list", "--env", "NOT_SET_ANYWHERE"], "--env NOT_SET_ANYWHERE: expected the variable to be set"),
        (&["list", "--env", "=s3cret"], "expected --env=NAME=VALUE, but found no name"),
        (&["list", "--root", "file:///srv"], "--root file:///srv: expected a path, but found a URI"),
        (&["tokens", "--against", ""], "expected --against='COMMAND' with a command, but found \"\""),
        (
            &["list", "--timeout", "1.5"],
            "invalid value '1.5' for '--timeout <SECONDS>': expected a whole number of seconds",
        ),
    ] {
        let ran = ask(words);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{words:?}: {ran:?}");
        assert!(ran.stderr.starts_with(&format!("error: {said}")), "{words:?}: {ran:?}");
    }
    let tls = ["--tls-cert", "/nowhere", "--tls-key", "/nowhere"];
    for (words, said) in [
        (&["--http", "foo"][..], "expected --http with an address and a port"),
        (&["--http", ":0"], "expected --http with an address and a port"),
        (&[&["--http", "127.0.0.1:0"][..], &tls].concat(), "--tls-cert /nowhere: No such file"),
    ] {
        let ran = run(&[&["serve", "reference"], words].concat());
        assert!(ran.code == 2 && ran.stderr.starts_with(&format!("error: {said}")), "{words:?}: {ran:?}");
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let ran = run(&["serve", "reference", "--http", "127.0.0.1:0", "--tls-cert", file, "--tls-key", file]);
    assert!(ran.code == 2 && ran.stderr.contains("reading the certificate for TLS"), "{ran:?}");
    for words in [&["nonsense"][..], &["serve", "nothing"], &["convert"], &[]] {
        let ran = run(words);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{words:?}: {ran:?}");
        assert!(ran.stderr.contains("--help") || ran.stderr.contains("Usage:"), "{words:?}: {ran:?}");
        assert!(ran.stderr.matches("--help").count() < 2, "{words:?}: {ran:?}");
    }
}

#[test]
fn exits_with_3_when_the_server_can_not_be_started_or_spoken_to() {
    let ran = run(&["list", "--", "/nowhere/at/all"]);
    assert_eq!((ran.code, &*ran.stdout), (3, ""));
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: starting the server: [..]

hint: check the command after `--`

"#]]
    );
    // A server that reads nothing may exit before the client writes, or after.
    for (server, status) in [
        ("read line", "(exit status: 0)"),
        ("exit 3", "(exit status: 3)"),
        (
            "read line; echo no JSON; exit 7",
            "(exit status: 7), and its output had the line \"no JSON\", which is not a message",
        ),
        (
            "echo no JSON; exit 7",
            "(exit status: 7), and its output had the line \"no JSON\", which is not a message",
        ),
        (
            "printf 'no UTF-8: \\377\\n'; exit 7",
            "(exit status: 7), and its output had the line \"no UTF-8: \u{fffd}\", which is not a message",
        ),
    ] {
        let ran = run(&["list", "--", "sh", "-c", server]);
        assert_eq!((ran.code, &*ran.stdout), (3, ""));
        let said = format!("error: the connection ended: the server exited {status}\n\nhint: ");
        // A line that is no message is named in a warning, too.
        assert!(ran.stderr.contains(&said), "{ran:?}");
    }
}

#[test]
fn exits_with_4_when_the_server_answers_with_an_error() {
    for (words, said) in [
        (
            &["call", "nobody"][..],
            "expected `name` to be a tool of this server, but found \"nobody\" (code -32602)\n\nhint: `plainwire \
             list` shows the tools. Some servers list a tool only for hosts: `--as host` declares what a host declares",
        ),
        (
            &["read", "nowhere://", "--era", "modern"],
            "expected `uri` to be a known resource, but found \"nowhere://\" (code -32602)\n\nhint: `plainwire list` shows \
             what the server has",
        ),
        (
            &["prompt", "explain_calculation"],
            "expected `arguments.expression` to be a string, but found nothing; \"text\" would fit (code -32602)",
        ),
    ] {
        let ran = ask(words);
        let expected = (4, "", format!("error: {said}\n"));
        assert_eq!((ran.code, &*ran.stdout, ran.stderr), expected, "{words:?}");
    }
}

#[test]
fn a_refusal_ends_with_what_was_meant_or_what_to_type() {
    for (words, hint) in [
        (&["describe", "calculat"][..], "did you mean \"calculate\"?"),
        (&["prompt", "explain"], "did you mean \"explain_calculation\"?"),
        (
            &["read", "Calculations"],
            "the resource Calculations has a URI: `plainwire read server://calculations`",
        ),
        (&["read", "calculate"], "it is a tool: `plainwire call calculate …`"),
        (
            &["read", "calculation://{expression}"],
            "put values in place of the braces of the template: calculation://{expression}",
        ),
        (&["read", "calculations://1%2F2"], "did you mean calculation://{expression}?"),
        (&["call", "Calculations"], "it is a resource: `plainwire read server://calculations`"),
        (&["read", "server://inf"], "did you mean \"server://info\"?"),
        (&["call", "explain_calculation"], "it is a prompt: `plainwire prompt explain_calculation …`"),
        (&["prompt", "calculate"], "it is a tool: `plainwire call calculate …`"),
        (&["describe", "explain_calculation"], "it is a prompt: `plainwire prompt explain_calculation …`"),
        (&["describe", "server://info"], "it is a resource: `plainwire read server://info`"),
        (&["watch", "server://info"], "the server reports no changes of it; `plainwire read` reads it once"),
    ] {
        let ran = ask(words);
        assert!(ran.code == 4 && ran.stderr.ends_with(&format!("\n\nhint: {hint}\n")), "{words:?}: {ran:?}");
    }
    // The server has suggested a name already.
    let ran = ask(&["call", "calculat"]);
    assert_eq!(ran.stderr.matches("did you mean").count(), 1, "{ran:?}");
    assert!(!ran.stderr.contains("hint:"), "{ran:?}");
    let ran = run(&["list", "--", "cat"]);
    let hint = "\n\nhint: the program sends back what it is sent, as `cat` does; is it an MCP server?\n";
    assert!(ran.code == 4 && ran.stderr.ends_with(hint), "{ran:?}");
}

#[test]
fn shows_the_code_that_was_sent() {
    // Before 2026-07-28 this error has another code. The message has to show the code that the server sent.
    let ran = ask(&["read", "nowhere://", "--era", "legacy"]);
    assert_eq!(
        ran.stderr,
        "error: expected `uri` to be a known resource, but found \"nowhere://\" (code -32002)\n\nhint: `plainwire list` \
         shows what the server has\n"
    );
}

#[test]
fn ends_without_a_word_when_nobody_reads_on() {
    let mut command = binary::command();
    let piped = command.arg("demo").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_help_that_nobody_can_read_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a device of Linux");
    let output = binary::command().arg("--help").stdout(full).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn serves_nobody_and_leaves_when_its_input_ends() {
    assert_eq!(run(&["serve", "reference"]).quietly(), "");
}

#[test]
fn documents_its_exit_codes() {
    let help = run(&["help"]).quietly();
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(
        help.join(" ").contains("Exit codes: 0 done, 1 the tool or a check failed, 2 wrong usage, 3 "),
        "{help:?}"
    );
    assert!(run(&["--version"]).quietly().starts_with("plainwire "));
}
