//! Checks of messages against the official schemas: every line of the server in every transcript, the lines
//! of the client in transcripts with questions, and every line of the client of this repository in every
//! revision. The official examples and elicitation forms are read and written back. `http` tests Streamable
//! HTTP in every legacy revision.
//!
//! Without `../shared/spec` no message is checked, and most tests do nothing.

mod connection;
mod examples;
mod forms;
mod http;
mod oracle;

use std::sync::mpsc;
use std::time::Duration;

use plainwire::proto::peer::EraChoice;
use plainwire::proto::revision::{Era, Revision};
use plainwire::stream::tap::{Direction, Tap};
use plainwire::testing::transcript::Step;
use plainwire::{Client, testing};
use plainwire_suite::transcript::read_all;
use plainwire_suite::{official_spec, root, specimen};
use serde_json::{Value, json};

use connection::Connection;
use oracle::Oracles;

/// Returns the number of the line at which the server's section of the step begins in the transcript.
fn line_of(step: &Step) -> usize {
    step.line.expect("the transcripts were read from text, and are whole")
}

#[test]
fn what_our_server_says_in_transcripts_fits_the_official_schemas() {
    let Some(spec) = official_spec() else { return };
    let (oracles, mut faults, mut judged) = (Oracles::new(spec), Vec::new(), 0);
    for revision in Revision::ALL {
        let folder = root().join("suite/transcripts").join(revision.as_str());
        for (path, transcript) in read_all(&folder).expect("transcripts") {
            let mut connection = Connection::new(&oracles, revision);
            let path = path.display();
            for step in &transcript.steps {
                step.client.iter().for_each(|line| connection.client_says(line));
                for (n, line) in step.server.iter().enumerate() {
                    let at = line_of(step) + 1 + n;
                    let found = connection.judge_server(line);
                    faults.extend(found.iter().map(|fault| format!("{path}:{at}: {fault}\n")));
                    judged += 1;
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.concat());
    assert!(judged > 600, "there are more transcripts than that: {judged}");
}

#[test]
fn what_clients_answer_in_transcripts_fits_the_official_schemas_unless_it_is_wrong_on_purpose() {
    let Some(spec) = official_spec() else { return };
    let (oracles, mut faults, mut judged) = (Oracles::new(spec), Vec::new(), 0);
    for revision in Revision::ALL {
        let folder = root().join("suite/transcripts").join(revision.as_str()).join("asking");
        for (path, transcript) in read_all(&folder).expect("transcripts") {
            let mut connection = Connection::new(&oracles, revision);
            for step in &transcript.steps {
                let found: Vec<_> =
                    step.client.iter().flat_map(|line| connection.judge_client(line)).collect();
                step.server.iter().for_each(|line| drop(connection.judge_server(line)));
                let path = path.display();
                let wrong = step.notes.iter().any(|note| note.contains("Wrong on purpose"));
                match (wrong, found.is_empty()) {
                    (true, true) => faults.push(format!("{path}:{}: nothing is wrong here\n", line_of(step))),
                    (false, false) => {
                        faults.push(format!("{path}:{}: {}\n", line_of(step), found.join("\n")))
                    }
                    _ => {}
                }
                judged += step.client.len();
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.concat());
    assert!(judged > 300, "there are more transcripts than that: {judged}");
}

#[tokio::test(start_paused = true)]
async fn what_our_client_says_fits_the_official_schemas() {
    let Some(spec) = official_spec() else { return };
    let oracles = Oracles::new(spec);
    for revision in Revision::ALL {
        let mut connection = Connection::new(&oracles, revision);
        let mut methods = Vec::new();
        for (direction, line) in talk(revision).await {
            let faults = match direction {
                Direction::In => connection.judge_server(&line),
                Direction::Out => {
                    let message: Value = serde_json::from_str(&line).expect("JSON");
                    methods.extend(message["method"].as_str().map(ToOwned::to_owned));
                    connection.judge_client(&line)
                }
            };
            assert!(faults.is_empty(), "{revision}: {direction:?} {line}\n{}", faults.join("\n"));
        }
        for method in ["tools/call", "prompts/get", "resources/templates/list", "notifications/cancelled"] {
            assert!(methods.iter().any(|said| said == method), "{revision}: no {method} in {methods:?}");
        }
    }
}

/// Makes a client in `revision` list, call, read, get a prompt, cancel a call and ping. Returns the frames of
/// both sides.
async fn talk(revision: Revision) -> Vec<(Direction, String)> {
    let (send, frames) = mpsc::channel();
    let tap = Tap::new(move |frame| {
        let line = String::from_utf8(frame.bytes.to_vec()).expect("UTF-8");
        send.send((frame.direction, line)).expect("the receiver lives longer");
    });
    let era = if revision.era() == Era::Modern { EraChoice::Modern } else { EraChoice::Legacy };
    let builder = Client::builder().era(era).revisions(&[revision]).tap(tap);
    let client = testing::client_with(specimen::server(), builder).await.expect("a connection");

    client.list_tools().await.expect("tools");
    client.list_resources().await.expect("resources");
    client.list_resource_templates().await.expect("templates");
    client.list_prompts().await.expect("prompts");
    client.call_tool("weather", json!({ "city": "Oslo" })).await.expect("a result");
    client.call_tool("show", json!({})).await.expect("a result");
    client.call_tool("count", json!({ "to": 3 })).on_progress(drop).await.expect("a result");
    client.call_tool("nobody knows", json!({})).await.expect_err("an error");
    client.read_resource("notes://logo").await.expect("contents");
    client.read_resource("notes://nowhere").await.expect_err("an error");
    client.get_prompt("greet", json!({ "name": "Ada" })).await.expect("a prompt");
    let waiting = client.call_tool("wait", json!({}));
    tokio::time::timeout(Duration::from_secs(1), waiting).await.expect_err("it never ends");
    client.ping().await.expect("an answer");
    drop(client);
    frames.try_iter().collect()
}

#[test]
fn the_judge_refuses_what_breaks_the_schema() {
    let Some(spec) = official_spec() else { return };
    let oracles = Oracles::new(spec);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "n" } });
    for (revision, answer) in [
        (Revision::V2024_11_05, json!({ "jsonrpc": "2.0", "id": 1, "result": {} })),
        (Revision::V2025_03_26, json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [{}] } })),
        (Revision::V2025_06_18, json!({ "id": 1, "result": { "content": [] } })),
        (
            Revision::V2025_11_25,
            json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [], "structuredContent": [1] } }),
        ),
        (Revision::V2026_07_28, json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [] } })),
        (
            Revision::V2026_07_28,
            json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32022, "message": "m" } }),
        ),
    ] {
        let mut connection = Connection::new(&oracles, revision);
        connection.client_says(&call.to_string());
        assert!(!connection.judge_server(&answer.to_string()).is_empty(), "{revision}: {answer}");
    }
}

#[test]
fn the_judge_refuses_news_that_belong_to_no_listen() {
    let Some(spec) = official_spec() else { return };
    let oracles = Oracles::new(spec);
    for (revision, tag, fits) in [
        (Revision::V2025_11_25, Value::Null, true),
        (Revision::V2025_11_25, json!(1), false),
        (Revision::V2026_07_28, json!(1), true),
        (Revision::V2026_07_28, json!("1"), false),
        (Revision::V2026_07_28, json!(2), false),
        (Revision::V2026_07_28, Value::Null, false),
    ] {
        let mut connection = Connection::new(&oracles, revision);
        for (id, method) in [(1, "subscriptions/listen"), (2, "tools/call")] {
            connection.client_says(&json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string());
        }
        let mut news = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        if !tag.is_null() {
            news["params"] = json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": tag } });
        }
        let faults = connection.judge_server(&news.to_string());
        assert_eq!(faults.is_empty(), fits, "{revision}: {news} {faults:?}");
    }
}

#[test]
fn the_judge_refuses_questions_that_break_the_schema() {
    let Some(spec) = official_spec() else { return };
    let oracles = Oracles::new(spec);
    let form = json!({ "message": "m", "requestedSchema": { "type": "object", "properties": {} } });
    let nested = json!({ "message": "m", "requestedSchema": { "type": "object", "properties": {
        "it": { "type": "object" }
    } } });
    for (revision, method, params) in [
        (Revision::V2025_03_26, "elicitation/create", form.clone()),
        (Revision::V2025_06_18, "elicitation/create", json!({ "message": "m" })),
        (Revision::V2025_11_25, "elicitation/create", nested.clone()),
        (Revision::V2025_11_25, "sampling/createMessage", json!({ "messages": [] })),
        (Revision::V2025_11_25, "tools/call", json!({ "name": "n" })),
        (Revision::V2026_07_28, "elicitation/create", form.clone()),
    ] {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let faults = Connection::new(&oracles, revision).judge_server(&request.to_string());
        assert!(!faults.is_empty(), "{revision}: {request}");
    }
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    for (asks, requests) in [
        ("tools/list", json!({ "it": { "method": "elicitation/create", "params": form } })),
        ("tools/call", json!({ "it": { "method": "elicitation/create", "params": nested } })),
        ("tools/call", json!({ "it": { "method": "ping" } })),
        ("tools/call", Value::Null),
    ] {
        let mut connection = Connection::new(&oracles, Revision::V2026_07_28);
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": asks, "params": { "_meta": meta } });
        connection.client_says(&call.to_string());
        let mut result = json!({ "resultType": "input_required", "inputRequests": requests });
        if requests.is_null() {
            result.as_object_mut().expect("an object").remove("inputRequests");
        }
        let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": result });
        assert!(!connection.judge_server(&answer.to_string()).is_empty(), "{asks}: {answer}");
    }
}
