//! Requests in flight when a connection ends: they fail with "outcome unknown" if they may have changed
//! something at the server, and with "closed" otherwise.

use plainwire::{Client, Error};
use serde_json::{Value, json};

use crate::scripted_server::{LEGACY, MODERN, Script};

fn tool(name: &str, annotations: Value) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" }, "annotations": annotations })
}

/// Makes the client list the tools once for each of `lists`. The server answers with that list.
async fn list(client: &Client, script: &mut Script, lists: &[Vec<Value>]) {
    for tools in lists {
        let (listed, ()) = tokio::join!(client.list_tools(), async {
            let (id, _) = script.expect("tools/list").await;
            script.answer(&id, json!({ "resultType": "complete", "tools": tools })).await;
        });
        assert_eq!(listed.expect("tools").len(), tools.len());
    }
}

/// Makes a request during which the server closes the connection, once in each era and after the client has
/// received `lists`. Returns the two errors.
async fn lost(lists: &[Vec<Value>], method: &str, params: &str) -> [Error; 2] {
    let mut errors = Vec::new();
    for revision in [MODERN, LEGACY] {
        let (client, mut script) = Script::connect(Client::builder(), revision).await;
        list(&client, &mut script, lists).await;
        let (lost, ()) = tokio::join!(client.request(method, params), async {
            script.expect(method).await;
            drop(script);
        });
        errors.push(lost.expect_err("no answer"));
        let after = client.request(method, params).await.expect_err("no server");
        assert!(matches!(after, Error::Closed { .. }), "nothing was sent: {after}");
    }
    errors.try_into().expect("two")
}

#[tokio::test]
async fn nobody_knows_what_became_of_a_call_that_may_change_something() {
    let read = json!({ "readOnlyHint": true });
    let harmless = vec![tool("t", read.clone())];
    let lists: [&[Vec<Value>]; 5] = [
        &[],
        &[vec![tool("t", json!({}))]],
        &[vec![tool("t", json!({ "readOnlyHint": false, "idempotentHint": false }))]],
        &[vec![tool("other", read)]],
        // The newest list decides which hints a tool has.
        &[harmless, vec![tool("t", json!({ "destructiveHint": true }))]],
    ];
    for lists in lists {
        for error in lost(lists, "tools/call", r#"{"name":"t"}"#).await {
            let Error::OutcomeUnknown { what, why } = error else { panic!("{lists:?}: {error}") };
            assert_eq!((&*what, &*why), ("`tools/call` of \"t\"", "the server closed its output"));
        }
    }
    for error in lost(&[], "ours/pay", "{}").await {
        assert!(matches!(&error, Error::OutcomeUnknown { what, .. } if what == "`ours/pay`"), "{error}");
    }
}

#[tokio::test]
async fn a_request_that_changes_nothing_just_ends_with_its_connection() {
    for hint in ["readOnlyHint", "idempotentHint"] {
        let lists = [vec![tool("t", json!({ hint: true }))]];
        for error in lost(&lists, "tools/call", r#"{"name":"t"}"#).await {
            assert!(matches!(error, Error::Closed { .. }), "{hint}: {error}");
        }
    }
    let some =
        [("tools/list", "{}"), ("resources/read", r#"{"uri":"a:b"}"#), ("prompts/get", r#"{"name":"p"}"#)];
    for (method, params) in some {
        for error in lost(&[], method, params).await {
            assert!(matches!(error, Error::Closed { .. }), "{method}: {error}");
        }
    }
}

#[tokio::test]
async fn so_many_tools_are_known_to_be_harmless() {
    let tools = (0..=10_000).map(|n| tool(&format!("t{n}"), json!({ "readOnlyHint": true })));
    let lists = [tools.collect::<Vec<_>>()];
    let lost = async |name: &str| lost(&lists, "tools/call", &json!({ "name": name }).to_string()).await;
    assert!(lost("t9999").await.iter().all(|error| matches!(error, Error::Closed { .. })));
    assert!(lost("t10000").await.iter().all(|error| matches!(error, Error::OutcomeUnknown { .. })));
}
