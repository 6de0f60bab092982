//! Panics of handlers, as stderr shows them. The server is this test program, started a second time.

use std::io::Write as _;
use std::panic;
use std::process::{Command, Stdio};
use std::time::Duration;

use plainwire::prelude::*;

use crate::raw_client::{MODERN, request};

/// Text that would forge a line of the log, and colour it.
const EVIL: &str = "a\nINFO plainwire: forged \u{1b}[31m";

/// [`EVIL`] as the log has to show it.
const SHOWN: &str = r"a\nINFO plainwire: forged \u{1b}[31m";

const ROLE: &str = "PLAINWIRE_TEST_ROLE";

fn server() -> Server {
    Server::new("s")
        .tool(Tool::new("plain", || async {
            if EVIL.len() > 1 {
                panic!("{EVIL}");
            }
        }))
        .tool(Tool::new("blocking", || async {
            plainwire::handler::blocking(|| panic!("{EVIL}")).await;
        }))
        .tool(Tool::new("caught", || async {
            let caught = panic::catch_unwind(|| panic!("{EVIL}"));
            assert!(caught.is_ok(), "{EVIL}again");
        }))
        .tool(Tool::new("left", || async {
            let work = plainwire::handler::blocking(|| {
                std::thread::sleep(Duration::from_millis(100));
                panic!("{EVIL}");
            });
            assert!(tokio::time::timeout(Duration::from_millis(10), work).await.is_err(), "it is left");
            tokio::time::sleep(Duration::from_millis(300)).await;
        }))
        .tool(Tool::new("task", || async {
            #[expect(clippy::disallowed_methods, reason = "a handler that starts a task of its own")]
            let _ = tokio::spawn(async { panic!("in a task") }).await;
        }))
}

/// Calls `tool` of a server in a process of its own, with these environment variables. Returns the lines on the
/// server's stderr. `role` is what the server gets as [`ROLE`].
fn stderr(test: &str, role: &str, tool: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.args(["--exact", &format!("panics::{test}"), "--nocapture"]).env(ROLE, role);
    command.env_remove("RUST_BACKTRACE").env_remove("RUST_LIB_BACKTRACE").envs(variables.iter().copied());
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("a server");
    let call = request(MODERN, "1", "tools/call", &format!(r#"{{"name":"{tool}","arguments":{{}}}}"#));
    writeln!(child.stdin.take().expect("a pipe"), "{call}").expect("it reads");
    let ended = child.wait_with_output().expect("it ends");
    let answered = String::from_utf8(ended.stdout).expect("UTF-8");
    assert!(answered.contains(r#""id":1"#), "{answered}");
    let lines = String::from_utf8(ended.stderr).expect("UTF-8");
    // What the test program writes about itself comes last.
    lines.lines().take_while(|line| !line.starts_with("test panics::")).map(ToOwned::to_owned).collect()
}

fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// Returns the line without the time at its beginning.
fn untimed(line: &str) -> &str {
    line.split_once(' ').map_or(line, |(_, rest)| rest)
}

#[tokio::test]
async fn a_panic_of_a_handler_is_one_escaped_line_with_its_place() {
    if role().is_some() {
        return server().stdio().await.expect("a good end");
    }
    let name = "a_panic_of_a_handler_is_one_escaped_line_with_its_place";
    for tool in ["plain", "blocking"] {
        let lines = stderr(name, "server", tool, &[]);
        let [line] = &lines[..] else { panic!("{tool}: {lines:#?}") };
        let begin = format!("the tool `{tool}` panicked at crates/plainwire/tests/server/panics.rs:");
        assert!(untimed(line).starts_with("ERROR plainwire::"), "{line}");
        assert!(line.contains(&begin) && line.ends_with(&format!(": {SHOWN}")), "{line}");
    }
}

#[tokio::test]
async fn a_panic_that_a_handler_catches_is_a_line_too() {
    if role().is_some() {
        return server().stdio().await.expect("a good end");
    }
    let lines = stderr("a_panic_that_a_handler_catches_is_a_line_too", "server", "caught", &[]);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(lines[0].contains("panics.rs:") && lines[0].ends_with(SHOWN), "{lines:#?}");
    assert!(lines[1..].iter().all(|line| line.ends_with(&format!("{SHOWN}again"))), "{lines:#?}");
}

#[tokio::test]
async fn a_panic_of_blocking_work_that_nobody_waits_for_is_a_line_too() {
    if role().is_some() {
        return server().stdio().await.expect("a good end");
    }
    let name = "a_panic_of_blocking_work_that_nobody_waits_for_is_a_line_too";
    let lines = stderr(name, "server", "left", &[]);
    let [line] = &lines[..] else { panic!("{lines:#?}") };
    assert!(line.contains("panics.rs:") && line.ends_with(SHOWN), "{line}");
}

#[tokio::test]
async fn a_panic_outside_of_handlers_is_left_to_rust() {
    if role().is_some() {
        return server().stdio().await.expect("a good end");
    }
    let lines = stderr("a_panic_outside_of_handlers_is_left_to_rust", "server", "task", &[]);
    assert!(lines.iter().any(|line| line.contains("panicked at")), "{lines:#?}");
    assert!(lines.contains(&"in a task".to_owned()), "{lines:#?}");
}

#[tokio::test]
async fn a_hook_of_the_program_gets_every_panic() {
    if role().is_some() {
        panic::set_hook(Box::new(|_| {
            let _ = writeln!(std::io::stderr(), "the program's own hook");
        }));
        return server().stdio().await.expect("a good end");
    }
    let lines = stderr("a_hook_of_the_program_gets_every_panic", "server", "plain", &[]);
    assert_eq!((lines.len(), &*lines[0]), (2, "the program's own hook"), "{lines:#?}");
    assert!(lines[1].ends_with(&format!("the tool `plain` panicked: {SHOWN}")), "{lines:#?}");
}

#[tokio::test]
async fn a_backtrace_is_written_only_if_it_is_asked_for() {
    if let Some(role) = role() {
        let server = server();
        let server = if role == "json" { server.log_json() } else { server };
        return server.stdio().await.expect("a good end");
    }
    let name = "a_backtrace_is_written_only_if_it_is_asked_for";
    let lines = stderr(name, "text", "plain", &[("RUST_BACKTRACE", "1")]);
    assert!(lines[0].ends_with(SHOWN) && lines.len() > 5, "{lines:#?}");
    assert!(lines[1..].iter().all(|line| line.starts_with("    ")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("panics::server")), "{lines:#?}");
    let lines = stderr(name, "json", "plain", &[("RUST_BACKTRACE", "1")]);
    let [line] = &lines[..] else { panic!("{lines:#?}") };
    let event: Value = serde_json::from_str(line).expect("JSON");
    let backtrace = event["fields"]["backtrace"].as_str().expect("a backtrace");
    assert!(backtrace.contains("panics::server"), "{backtrace}");
}
