//! Tests over Streamable HTTP in every legacy revision, by the statuses, streams and error codes of the
//! revision. The official conformance suite has only the newest two revisions.
//!
//! Every message of either side is checked against the official schema of its revision.

mod web;

use std::collections::BTreeSet;
use std::time::Duration;

use plainwire::Server;
use plainwire::proto::revision::{Era, Revision};
use plainwire_suite::official_spec;
use plainwire_suite::specimen::notifications;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::oracle::Oracles;
use web::{Answer, Web, call, followed, request};

const VERSION: &str = "mcp-protocol-version";

/// Runs `script` once for each legacy revision, with a client that has no session and a new server.
async fn before_a_session(server: fn() -> Server, script: impl AsyncFn(Web<'_>)) {
    let oracles = official_spec().map(Oracles::new);
    for revision in Revision::ALL.into_iter().filter(|it| it.era() == Era::Legacy) {
        script(Web::new(server(), revision, oracles.as_ref())).await;
    }
}

/// Runs `script` once for each legacy revision, with a client in a session and a new server.
async fn in_a_session(server: fn() -> Server, script: impl AsyncFn(Web<'_>)) {
    before_a_session(server, async |web: Web<'_>| script(web.begin().await).await).await;
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

fn cancel(id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
}

async fn refused(answer: Answer<'_>, status: u16) -> Value {
    assert_eq!(answer.status, status);
    let answer = answer.json().await;
    code(&answer);
    answer
}

#[tokio::test]
async fn a_session_is_begun_used_and_ended() {
    before_a_session(plainwire_reference::server, async |web: Web<'_>| {
        // If the client wants any other revision, the server offers the newest revision that has a handshake.
        for wanted in ["1999-01-01", "2026-07-28"] {
            let answer = web.post_wrong(web.initialize(wanted).to_string()).await;
            assert_eq!(answer.status, 200);
            assert!(answer.header("mcp-session-id").is_some());
            let answer: Value = serde_json::from_str(&answer.text().await).expect("JSON");
            assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        }
        refused(web.post(&request(1, "ping", json!({}))).await, 400).await;
        let session = web.begin().await;
        assert_eq!(session.ask(1, "ping", json!({})).await["result"], json!({}));
        let ended = session.delete().await;
        assert_eq!((ended.status, ended.text().await.as_str()), (204, ""));
        refused(session.post(&request(2, "ping", json!({}))).await, 404).await;
        refused(session.get().await, 404).await;
        refused(session.delete().await, 404).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_nobody_uses_expires() {
    in_a_session(plainwire_reference::server, async |web: Web<'_>| {
        sleep(Duration::from_secs(3_000)).await;
        web.ask(1, "ping", json!({})).await;
        sleep(Duration::from_secs(3_000)).await;
        web.ask(2, "ping", json!({})).await;
        sleep(Duration::from_secs(3_700)).await;
        refused(web.post(&request(3, "ping", json!({}))).await, 404).await;
    })
    .await;
}

#[tokio::test]
async fn a_wrong_version_in_the_header_is_refused_where_there_is_such_a_header() {
    in_a_session(plainwire_reference::server, async |web: Web<'_>| {
        let ping = request(1, "ping", json!({}));
        let has_header = web.revision >= Revision::V2025_06_18;
        for right in ["", web.revision.as_str(), "2025-03-26", "2025-11-25"] {
            assert_eq!(web.with(VERSION, right).post(&ping).await.status, 200, "{right:?}");
        }
        for wrong in ["1999-01-01", "2025-06-18x", "nonsense"] {
            let web = web.with(VERSION, wrong);
            let expected = if has_header { (400, 400, 400) } else { (200, 200, 204) };
            let posted = web.post(&ping).await;
            // The order matters: a second GET would take over the stream of the first one, and DELETE ends
            // the session.
            let found = (posted.status, web.get().await.status, web.delete().await.status);
            assert_eq!(found, expected, "{}: {wrong}", web.revision);
            posted.json().await;
            if !has_header {
                return;
            }
        }
        assert_eq!(web.post(&ping).await.status, 200, "the session is as it was");
    })
    .await;
}

#[tokio::test]
async fn everything_is_listed_and_read() {
    in_a_session(plainwire_reference::server, async |web: Web<'_>| {
        let names = |answer: &Value, list: &str, name: &str| -> Vec<String> {
            let list = answer["result"][list].as_array().expect("a list");
            list.iter().map(|it| it[name].as_str().expect("a name").to_owned()).collect()
        };
        let tools = web.ask(1, "tools/list", json!({})).await;
        assert_eq!(names(&tools, "tools", "name"), ["calculate", "get_timestamp", "sleep", "count", "ask"]);
        let has_annotations = tools["result"]["tools"][0].get("annotations").is_some();
        assert_eq!(has_annotations, web.revision >= Revision::V2025_03_26);
        let resources = web.ask(2, "resources/list", json!({})).await;
        assert_eq!(names(&resources, "resources", "uri"), ["server://info", "server://calculations"]);
        let templates = web.ask(3, "resources/templates/list", json!({})).await;
        let found = names(&templates, "resourceTemplates", "uriTemplate");
        assert_eq!(found, ["calculation://{expression}"]);
        let prompts = web.ask(4, "prompts/list", json!({})).await;
        assert_eq!(names(&prompts, "prompts", "name"), ["explain_calculation"]);

        let read = web.ask(5, "resources/read", json!({ "uri": "calculation://1+2" })).await;
        assert_eq!(read["result"]["contents"][0]["text"], "3");
        let params = json!({ "name": "explain_calculation", "arguments": { "expression": "6*7" } });
        let prompt = web.ask(6, "prompts/get", params).await;
        let said = prompt["result"]["messages"][0]["content"]["text"].as_str().expect("text");
        assert!(said.contains("6*7"), "{said}");
        let params = json!({ "ref": { "type": "ref/prompt", "name": "explain_calculation" }, "argument": { "name": "expression", "value": "2 ^" } });
        let completed = web.ask(7, "completion/complete", params).await;
        assert_eq!(completed["result"]["completion"]["values"], json!(["2 ^ 10"]));
        let params = json!({ "name": "calculate", "arguments": { "expression": "2 + 3 * 4" } });
        assert_eq!(text(&web.ask(8, "tools/call", params).await), "14");
    })
    .await;
}

#[tokio::test]
async fn a_call_says_how_far_it_is_on_its_own_stream() {
    in_a_session(plainwire_reference::server, async |web: Web<'_>| {
        let quiet = web.post(&call(1, "count", json!({ "to": 2, "ms": 1 }))).await;
        assert_eq!(text(&quiet.json().await), "counted to 2", "nobody wants to hear of it");
        let mut stream = web.post(&followed(2, "count", json!({ "to": 3, "ms": 1 }))).await;
        let mut events = Vec::new();
        while let Some(event) = stream.event().await {
            events.push(event);
        }
        let ids: BTreeSet<_> = events.iter().map(|event| event.id.clone().expect("an id")).collect();
        assert_eq!(ids.len(), events.len(), "each event has an id of its own");
        let primed = usize::from(!events[0].has_data());
        assert_eq!(primed == 1, web.revision >= Revision::V2025_11_25);
        let messages = events.split_off(primed).into_iter().map(|it| it.data.expect("data"));
        let messages: Vec<Value> = messages.map(|it| serde_json::from_str(&it).expect("JSON")).collect();
        let [first, .., last] = &messages[..] else { panic!("{messages:?}") };
        assert_eq!((messages.len(), text(last)), (4, "counted to 3"));
        let said = first["params"]["message"].as_str();
        assert_eq!(said, (web.revision >= Revision::V2025_03_26).then_some("1 of 3"));
        assert_eq!(first["params"]["progressToken"], 2);
    })
    .await;
}

#[tokio::test]
async fn errors_have_the_codes_of_their_revision() {
    in_a_session(plainwire_reference::server, async |web: Web<'_>| {
        let params = json!({ "uri": "nope://x" });
        assert_eq!(code(&web.ask(1, "resources/read", params).await), -32002);
        let params = json!({ "name": "no_such_tool", "arguments": {} });
        assert_eq!(code(&web.ask(2, "tools/call", params).await), -32602);
        let params = json!({ "name": "no_such_prompt" });
        assert_eq!(code(&web.ask(3, "prompts/get", params).await), -32602);
        // Arguments that do not fit the schema give a tool error in 2025-11-25, and a protocol error in
        // earlier revisions.
        let params = json!({ "name": "calculate", "arguments": { "expression": 5 } });
        let answer = web.ask(4, "tools/call", params).await;
        if web.revision >= Revision::V2025_11_25 {
            assert_eq!(answer["result"]["isError"], true);
        } else {
            assert_eq!(code(&answer), -32602);
        }
        // A failure of the tool itself gives a tool error in every revision.
        let params = json!({ "name": "calculate", "arguments": { "expression": "2 + x" } });
        assert_eq!(web.ask(5, "tools/call", params).await["result"]["isError"], true);

        let unknown = web.post_wrong(request(6, "no/such", json!({})).to_string()).await;
        assert_eq!((unknown.status, code(&unknown.json().await)), (200, -32601));
        for (wrong, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"#, -32700),
            ("", -32700),
            (r#"{"jsonrpc":"1.0","id":8,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            ("[]", -32600),
        ] {
            let answer = web.post_wrong(wrong.to_owned()).await;
            assert_eq!(code(&refused(answer, 400).await), expected, "{}: {wrong}", web.revision);
        }
    })
    .await;
}

#[tokio::test]
async fn questions_go_out_on_the_stream_of_their_call() {
    in_a_session(plainwire_reference::server, async |web: Web<'_>| {
        let model =
            json!({ "role": "assistant", "content": { "type": "text", "text": "Paris" }, "model": "m" });
        let roots = json!({ "roots": [{ "uri": "file:///srv/a" }, { "uri": "file:///srv/b" }] });
        for (id, whom, method, answer, said) in [
            (1, "model", "sampling/createMessage", model, "Paris"),
            (2, "client", "roots/list", roots, "file:///srv/a\nfile:///srv/b"),
        ] {
            let mut stream = web.post(&call(id, "ask", json!({ "whom": whom }))).await;
            let question = stream.message().await.expect("a question");
            assert_eq!(question["method"], method);
            web.tell(json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer })).await;
            let rest = stream.messages().await;
            assert_eq!((rest.len(), text(&rest[0]), &rest[0]["id"]), (1, said, &json!(id)));
        }
        let error = json!({ "code": -1, "message": "no model today" });
        let mut stream = web.post(&call(3, "ask", json!({ "whom": "model" }))).await;
        let question = stream.message().await.expect("a question");
        web.tell(json!({ "jsonrpc": "2.0", "id": question["id"], "error": error })).await;
        assert_eq!(stream.message().await.expect("an answer")["result"]["isError"], true);
    })
    .await;
}

#[tokio::test]
async fn forms_go_out_since_there_are_any() {
    in_a_session(plainwire_reference::server, async |web: Web<'_>| {
        let mut stream = web.post(&call(1, "ask", json!({ "whom": "user" }))).await;
        if web.revision < Revision::V2025_06_18 {
            let answer = stream.json().await;
            assert_eq!(answer["result"]["isError"], true);
            assert!(text(&answer).contains("elicitation"), "{answer}");
            return;
        }
        for (question, content) in
            [("What is your name?", json!({ "name": "Ada" })), ("Shall I greet Ada?", json!({}))]
        {
            let asked = stream.message().await.expect("a question");
            assert_eq!(
                (&asked["method"], &asked["params"]["message"]),
                (&json!("elicitation/create"), &json!(question))
            );
            let result = json!({ "action": "accept", "content": content });
            web.tell(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result })).await;
        }
        let rest = stream.messages().await;
        assert_eq!((rest.len(), text(&rest[0])), (1, "Hello, Ada!"));
    })
    .await;
}

#[tokio::test]
async fn the_log_of_a_call_stands_on_its_stream_from_the_level_that_was_set() {
    in_a_session(notifications::server, async |web: Web<'_>| {
        assert_eq!(web.ask(1, "logging/setLevel", json!({ "level": "critical" })).await["result"], json!({}));
        let said = web.post(&call(2, "speak", json!({}))).await.messages().await;
        let levels: Vec<_> = said.iter().filter_map(|it| it["params"]["level"].as_str()).collect();
        assert_eq!(levels, ["critical", "alert", "emergency"]);
        assert_eq!(text(said.last().expect("an answer")), "said");
        let wrong = request(3, "logging/setLevel", json!({ "level": "loud" })).to_string();
        let answer = web.post_wrong(wrong).await;
        assert_eq!((answer.status, code(&answer.json().await)), (200, -32602));
    })
    .await;
}

#[tokio::test]
async fn changes_are_told_on_the_stream_of_a_get() {
    in_a_session(notifications::server, async |web: Web<'_>| {
        let mut stream = web.get().await;
        assert_eq!(stream.status, 200);
        let note = json!({ "uri": "notes://today" });
        let write = |id| call(id, "write", json!({ "uri": "notes://today" }));
        assert_eq!(web.ask(1, "resources/subscribe", note.clone()).await["result"], json!({}));
        assert_eq!(text(&web.post(&write(2)).await.json().await), "written");
        let told = stream.message().await.expect("a change");
        assert_eq!(told["method"], "notifications/resources/updated");
        assert_eq!(told["params"]["uri"], "notes://today");

        assert_eq!(web.ask(3, "resources/unsubscribe", note).await["result"], json!({}));
        assert_eq!(text(&web.post(&write(4)).await.json().await), "written");
        // A notification for the resource, to which the client is no longer subscribed, would arrive before
        // the notifications expected here.
        for (id, kind) in [(5, "tool"), (6, "prompt"), (7, "resource")] {
            let arguments = json!({ "kind": kind, "name": "new" });
            assert_eq!(text(&web.post(&call(id, "learn", arguments)).await.json().await), "learnt");
            let told = stream.message().await.expect("a change");
            assert_eq!(told["method"], format!("notifications/{kind}s/list_changed"));
        }
        let unknown = web.ask(8, "resources/subscribe", json!({ "uri": "nope://x" })).await;
        assert_eq!(code(&unknown), -32002);
        assert_eq!(web.delete().await.status, 204);
        assert_eq!(stream.event().await, None, "the stream ends with its session");
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_call_has_no_answer() {
    in_a_session(plainwire_reference::server, async |web: Web<'_>| {
        let mut stream = web.post(&followed(1, "count", json!({ "to": 1_000, "ms": 10 }))).await;
        stream.message().await.expect("progress");
        web.tell(cancel(1)).await;
        let rest = stream.messages().await;
        assert!(rest.iter().all(|it| it["method"] == "notifications/progress"), "{rest:?}");
        // If a call is cancelled, the server also cancels the call's open question.
        let mut listening = web.get().await;
        let mut stream = web.post(&call(2, "ask", json!({ "whom": "model" }))).await;
        let question = stream.message().await.expect("a question");
        web.tell(cancel(2)).await;
        let mut taken_back = stream.messages().await;
        if taken_back.is_empty() {
            taken_back.extend(listening.message().await);
        }
        assert_eq!(taken_back.len(), 1);
        assert_eq!(taken_back[0]["method"], "notifications/cancelled");
        assert_eq!(taken_back[0]["params"]["requestId"], question["id"]);
        // The cancellation of a request that has ended or was never made changes nothing.
        web.tell(cancel(2)).await;
        web.tell(cancel(77)).await;
        web.ask(3, "ping", json!({})).await;
    })
    .await;
}

#[tokio::test]
async fn only_2025_03_26_takes_batches() {
    in_a_session(plainwire_reference::server, async |web: Web<'_>| {
        let batch = json!([
            call(1, "calculate", json!({ "expression": "1+1" })),
            cancel(9),
            request(2, "ping", json!({}))
        ]);
        if web.revision != Revision::V2025_03_26 {
            refused(web.post_wrong(batch.to_string()).await, 400).await;
            return;
        }
        let answer = web.post(&batch).await;
        assert_eq!((answer.status, ids(&answer.json().await)), (200, [1, 2].into()));
        web.tell(json!([cancel(9), cancel(10)])).await;
        // If the calls of a batch send notifications, the response is a stream, and the answers are its last
        // message.
        let batch = json!([followed(3, "count", json!({ "to": 2, "ms": 1 })), request(4, "ping", json!({}))]);
        let said = web.post(&batch).await.messages().await;
        let progress = said.iter().filter(|it| it["method"] == "notifications/progress").count();
        assert_eq!((progress, ids(said.last().expect("answers"))), (2, [3, 4].into()));
        // The client may send its answer to a question in a batch.
        let mut stream = web.post(&call(5, "ask", json!({ "whom": "client" }))).await;
        let question = stream.message().await.expect("a question");
        web.tell(json!([{ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } }])).await;
        assert_eq!(text(&stream.message().await.expect("an answer")), "");
        // A cancelled call of a batch gets no answer; the other calls of the batch do.
        let batch = json!([
            call(7, "sleep", json!({ "ms": 60_000 })),
            followed(8, "count", json!({ "to": 1, "ms": 1 })),
        ]);
        let mut stream = web.post(&batch).await;
        stream.message().await.expect("progress");
        web.tell(cancel(7)).await;
        assert_eq!(ids(stream.messages().await.last().expect("answers")), [8].into());
        // Each element of a batch that is not a message gets an error of its own.
        let wrong = json!([5, request(9, "ping", json!({}))]);
        let answer = web.post_wrong(wrong.to_string()).await;
        let (status, answers) = (answer.status, answer.json().await);
        assert_eq!((status, answers.as_array().map(Vec::len)), (200, Some(2)), "{answers}");
        // Spec: 2025-03-26 lifecycle "Initialization": `initialize` MUST NOT be part of a batch.
        let batch = json!([web.initialize("2025-03-26"), request(6, "ping", json!({}))]);
        let answer = web.post_wrong(batch.to_string()).await;
        let (status, answers) = (answer.status, answer.json().await);
        assert_eq!((status, ids(&answers)), (200, [0, 6].into()));
        let codes: BTreeSet<_> =
            answers.as_array().into_iter().flatten().map(|it| it["error"]["code"].as_i64()).collect();
        assert_eq!(codes, [None, Some(-32600)].into(), "{answers}");
        let nobody = web.with("mcp-session-id", "");
        refused(nobody.post_wrong(batch.to_string()).await, 400).await;
    })
    .await;
}

/// Returns the ids in a batch of answers.
fn ids(batch: &Value) -> BTreeSet<i64> {
    let batch = batch.as_array().unwrap_or_else(|| panic!("no batch: {batch}"));
    batch.iter().map(|it| it["id"].as_i64().expect("an id")).collect()
}
