//! Servers that exit or close their output in the middle of an answer, in each test after every possible
//! number of bytes: the calls end in time, with an answer or the right error, and the server makes no change
//! twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::client::process::Restart;
use plainwire::proto::peer::EraChoice;
use plainwire::stream::tap::{Direction, Tap};
use plainwire::{Client, Error};
use rustix::process::{Pid, test_kill_process_group};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::support::{PATIENCE, Script};

/// Shell code of a server whose first process writes only `$cut` bytes of the answer to a call, and then runs
/// the shell function `silent`, which ends the process or its output.
const CUT: &str = r#"
tools='{"tools":[
    {"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
    {"name":"set","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true}},
    {"name":"write","inputSchema":{"type":"object"},"annotations":{"destructiveHint":false}}]}'
tools=$(echo "$tools" | tr -d '\n')
lives=0
while read -r word _; do [ "$word" = pid ] && lives=$((lives + 1)); done < "$NOTES"
called() {
    [ "$lives" = 1 ] || { answer "$text"; return; }
    echo about to write >&2
    printf "%.${cut}s" "$(answer "$text")
"
    silent
}
"#;

#[derive(Clone, Copy, Debug)]
enum Silence {
    Exits,
    /// The server closes its output, and runs until its input ends.
    Stays,
}

impl Silence {
    /// Returns the number of cases that run at the same time. Servers of `Stays` mostly wait, so more of them
    /// can run at once.
    fn at_a_time(self) -> usize {
        match self {
            Self::Exits => 8,
            Self::Stays => 32,
        }
    }

    fn script(self) -> &'static str {
        match self {
            Self::Exits => "silent() { exit 9; }",
            Self::Stays => "silent() { exec >&-; while read -r line; do :; done; exit; }",
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Case {
    cut: usize,
    era: EraChoice,
    restarts: bool,
    silence: Silence,
    tool: &'static str,
}

impl Case {
    /// Starts a server whose first process writes only `cut` bytes of its answer to a call, and connects a
    /// client to it.
    async fn begin(self, tap: Tap) -> (Script, Client) {
        let script = Script::serving(&format!("cut={}\n{CUT}\n{}", self.cut, self.silence.script()));
        let mut program = script.program();
        if self.restarts {
            program =
                program.restart(Restart::default().backoff(Duration::from_millis(1), Duration::from_secs(1)));
        }
        let client = Client::builder().era(self.era).tap(tap).command(program).await;
        let client = client.unwrap_or_else(|error| panic!("{self:?}: {error}"));
        client.list_tools().await.unwrap_or_else(|error| panic!("{self:?}: {error}"));
        (script, client)
    }

    /// Calls the tool. Checks the result or the error, the number of calls that reached the server, and that
    /// no process is left. `length` is the number of bytes of the whole answer.
    async fn run(self, length: usize) {
        let (script, client) = self.begin(Tap::new(|_| {})).await;
        let called = timeout(PATIENCE, client.call::<String>(self.tool, json!({}))).await;
        let called = called.unwrap_or_else(|_| panic!("{self:?}: no end"));
        let (is_whole, is_write) = (self.cut == length, self.tool == "write");
        let why = match called {
            Ok(text) => {
                assert!(text == "done" && (is_whole || self.restarts && !is_write), "{self:?}: {text}");
                None
            }
            Err(Error::OutcomeUnknown { what, why }) => {
                assert!(is_write && what == "`tools/call` of \"write\"", "{self:?}: {what}");
                Some(why)
            }
            Err(Error::Closed { why }) => {
                assert!(!is_write && !self.restarts, "{self:?}: {why}");
                Some(why)
            }
            Err(error) => panic!("{self:?}: {error}"),
        };
        assert!(why.is_none() || !is_whole, "{self:?}: {why:?}");
        if let Some(why) = why {
            assert!(why.ends_with("; its last words on stderr:\nabout to write"), "{self:?}: {why}");
            let status = match (self.silence, self.restarts) {
                (Silence::Exits, _) => "the server exited (exit status: 9);",
                // Without restarts the client closes the server's input, so the server exits by itself.
                (Silence::Stays, false) => "the server exited (exit status: 0);",
                (Silence::Stays, true) => "the server closed its output;",
            };
            assert!(why.contains(status), "{self:?}: {why}");
        }
        let is_repeated = self.restarts && !is_whole && !is_write;
        assert_eq!(script.calls(), 1 + usize::from(is_repeated), "{self:?}");
        client.close().await;
        self.expect_nobody_left(&script).await;
    }

    async fn expect_nobody_left(self, script: &Script) {
        let groups = script.pids().into_iter().filter_map(|pid| Pid::from_raw(pid.try_into().ok()?));
        let left = async {
            for group in groups {
                while test_kill_process_group(group).is_ok() {
                    sleep(Duration::from_millis(2)).await;
                }
            }
        };
        timeout(PATIENCE, left).await.unwrap_or_else(|_| panic!("{self:?}: somebody is left"));
    }
}

/// Returns the number of bytes in the answer to a call, its line break included.
async fn answer_length(era: EraChoice) -> usize {
    let last = Arc::new(Mutex::new(0));
    let seen = Arc::clone(&last);
    let tap = Tap::new(move |frame| {
        if frame.direction == Direction::In {
            *seen.lock().expect("a lock") = frame.bytes.len() + 1;
        }
    });
    let case = Case { cut: 10_000, era, restarts: false, silence: Silence::Exits, tool: "read" };
    let (_script, client) = case.begin(tap).await;
    client.call::<String>(case.tool, json!({})).await.expect("an answer");
    *last.lock().expect("a lock")
}

/// Runs a case for each number of bytes after which the answer can be cut: once with a call of `write`, and
/// once with a call of a tool that may be called twice.
async fn check(silence: Silence, restarts: bool) {
    for era in [EraChoice::Modern, EraChoice::Legacy] {
        let length = answer_length(era).await;
        assert!(length > 100, "{length}");
        let mut running = JoinSet::new();
        for cut in 0..=length {
            for tool in ["write", ["read", "set"][cut % 2]] {
                if running.len() == silence.at_a_time() {
                    running.join_next().await.expect("one of them").expect("no panic");
                }
                running.spawn(Case { cut, era, restarts, silence, tool }.run(length));
            }
        }
        running.join_all().await;
    }
}

#[tokio::test]
async fn a_server_that_dies_at_any_byte_of_an_answer_is_told() {
    check(Silence::Exits, false).await;
}

#[tokio::test]
async fn a_server_that_dies_at_any_byte_of_an_answer_is_started_again() {
    check(Silence::Exits, true).await;
}

#[tokio::test]
async fn a_server_that_closes_its_output_at_any_byte_of_an_answer_is_told() {
    check(Silence::Stays, false).await;
}

#[tokio::test]
async fn a_server_that_closes_its_output_at_any_byte_of_an_answer_is_started_again() {
    check(Silence::Stays, true).await;
}
