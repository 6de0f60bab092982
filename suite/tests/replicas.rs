//! Modern calls whose rounds go to different replicas, which share a sealing key and nothing else. Each step
//! of a call runs once, as in a legacy session with one process. The steps are counted in a file.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use plainwire_suite::program::Program;
use serde_json::{Map, Value, json};

const SERVER: &str = env!("CARGO_BIN_EXE_replica-server");

/// The file to which the step of the tool `book` writes a line with the id of its process each time that it
/// runs. The file does not exist at first.
struct Ledger(PathBuf);

impl Ledger {
    fn new(test: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("replicas-{test}"));
        let _ = fs::remove_file(&path);
        Self(path)
    }

    /// Returns the id of the process for each run of the step, in order.
    fn lines(&self) -> Vec<u64> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(|line| line.parse().expect("a process id")).collect()
    }

    fn replica(&self, keys: &str) -> Program {
        Program::start(Command::new(SERVER).arg(&self.0).arg(keys))
    }
}

/// Returns a key of 32 bytes that are all `byte`, in hexadecimal.
fn key(byte: u8) -> String {
    format!("{byte:02x}").repeat(32)
}

/// Returns a request for a round of the tool `book`. `answer` is `None` for the first round. For a later
/// round it has the key of a question, the value of the answer, and the result that asked the question.
fn round(id: u64, answer: Option<(&str, Value, &Value)>) -> String {
    let mut params = Map::new();
    params.insert("name".into(), "book".into());
    params.insert("arguments".into(), json!({}));
    if let Some((key, value, before)) = answer {
        let accepted = json!({ "action": "accept", "content": { "value": value } });
        params.insert("inputResponses".into(), json!({ key: accepted }));
        params.insert("requestState".into(), before["result"]["requestState"].clone());
    }
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    params.insert("_meta".into(), meta);
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

/// Sends one line to `replica`, reads the answer, and checks that the replica then ends without further
/// output. Returns the answer and the process id.
fn ask_the_last_time(mut replica: Program, line: &str) -> (Value, u64) {
    let pid = replica.child.id().into();
    let answer = replica.ask(line);
    let (rest, _) = replica.end();
    assert_eq!(rest, Vec::<Value>::new());
    (answer, pid)
}

fn asked(answer: &Value) -> Vec<&String> {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["inputRequests"].as_object().expect("questions").keys().collect()
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}

#[test]
fn a_step_runs_once_although_every_round_is_another_process() {
    let (ledger, key) = (Ledger::new("modern"), key(7));
    let (first, pid_1) = ask_the_last_time(ledger.replica(&key), &round(1, None));
    assert_eq!(asked(&first), ["city"]);
    assert_eq!(ledger.lines(), [0; 0]);
    let line = round(2, Some(("city", "Ghent".into(), &first)));
    let (second, pid_2) = ask_the_last_time(ledger.replica(&key), &line);
    assert_eq!(asked(&second), ["nights"]);
    let question = &second["result"]["inputRequests"]["nights"]["params"]["message"];
    assert_eq!(question, "How many nights in Ghent?");
    let line = round(3, Some(("nights", 2.into(), &second)));
    let (third, pid_3) = ask_the_last_time(ledger.replica(&key), &line);
    assert_eq!(third["result"]["resultType"], "complete");
    assert_eq!(text(&third), format!("2 nights in Ghent, booked by {pid_2}"));
    assert!(pid_1 != pid_2 && pid_2 != pid_3 && pid_1 != pid_3);
    assert_eq!(ledger.lines(), [pid_2]);
}

#[test]
fn a_step_runs_once_in_a_session() {
    let ledger = Ledger::new("legacy");
    let mut server = ledger.replica(&key(7));
    let pid = u64::from(server.child.id());
    let hello = server.ask(&initialize("2025-06-18"));
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let mut said = server.ask(&plainwire_suite::program::call(1, "book", json!({})));
    for (question, answer) in [("Where to?", json!("Ghent")), ("How many nights in Ghent?", json!(2))] {
        assert_eq!(said["method"], "elicitation/create", "{said}");
        assert_eq!(said["params"]["message"], question);
        let result = json!({ "action": "accept", "content": { "value": answer } });
        said = server.ask(&json!({ "jsonrpc": "2.0", "id": said["id"], "result": result }).to_string());
    }
    assert_eq!(text(&said), format!("2 nights in Ghent, booked by {pid}"));
    assert_eq!(server.end().0, Vec::<Value>::new());
    assert_eq!(ledger.lines(), [pid]);
}

fn initialize(revision: &str) -> String {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "suite", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string()
}

#[test]
fn a_replica_with_another_key_refuses_and_says_why_in_its_log_only() {
    let ledger = Ledger::new("other-key");
    let (first, _) = ask_the_last_time(ledger.replica(&key(7)), &round(1, None));
    let mut other = ledger.replica(&key(8));
    let refused = other.ask(&round(2, Some(("city", "Ghent".into(), &first))));
    let message = "expected `requestState` as this server sent it with its questions, but found another one";
    assert_eq!(
        refused,
        json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32602, "message": message } })
    );
    let (_, log) = other.end();
    assert!(log.contains("refused a request state of tools/call \"book\""), "{log}");
    assert_eq!(ledger.lines(), [0; 0]);
}

#[test]
fn a_key_is_changed_while_calls_are_under_way() {
    let ledger = Ledger::new("rotation");
    let (old, new) = (key(7), key(8));
    let (first, _) = ask_the_last_time(ledger.replica(&old), &round(1, None));
    let line = round(2, Some(("city", "Ghent".into(), &first)));
    let (second, pid) = ask_the_last_time(ledger.replica(&format!("{new},{old}")), &line);
    assert_eq!(asked(&second), ["nights"]);
    // The second replica has sealed its state with the new key. A replica that has only the new key can open
    // it.
    let line = round(3, Some(("nights", 2.into(), &second)));
    let (third, _) = ask_the_last_time(ledger.replica(&new), &line);
    assert_eq!(text(&third), format!("2 nights in Ghent, booked by {pid}"));
    assert_eq!(ledger.lines(), [pid]);
    // A replica that has only the new key can't open a state that was sealed with the old key.
    let line = round(4, Some(("city", "Ghent".into(), &first)));
    assert_eq!(ask_the_last_time(ledger.replica(&new), &line).0["error"]["code"], -32602);
}

#[test]
fn a_round_that_is_repeated_repeats_its_step() {
    // This is not ideal, but replicas could prevent it only with a shared store.
    let (ledger, key) = (Ledger::new("repeated"), key(7));
    let (first, _) = ask_the_last_time(ledger.replica(&key), &round(1, None));
    let again = |id| round(id, Some(("city", "Ghent".into(), &first)));
    let (_, one) = ask_the_last_time(ledger.replica(&key), &again(2));
    let (_, two) = ask_the_last_time(ledger.replica(&key), &again(3));
    assert_eq!(ledger.lines(), [one, two]);
}

#[test]
fn one_process_takes_a_state_once_if_it_is_told_to() {
    let (ledger, key) = (Ledger::new("single-use"), key(7));
    let mut server = Program::start(Command::new(SERVER).arg(&ledger.0).arg(&key).arg("--single-use"));
    let first = server.ask(&round(1, None));
    let again = |id| round(id, Some(("city", "Ghent".into(), &first)));
    let second = server.ask(&again(2));
    assert_eq!(asked(&second), ["nights"]);
    assert_eq!(server.ask(&again(3))["error"]["code"], -32602);
    // The state of the second round can be used too, and only once.
    let last = |id| round(id, Some(("nights", 2.into(), &second)));
    assert!(text(&server.ask(&last(4))).starts_with("2 nights in Ghent"));
    assert_eq!(server.ask(&last(5))["error"]["code"], -32602);
    server.end();
    assert_eq!(ledger.lines().len(), 1);
}
