//! Subscriptions, other notifications of servers, log levels and completions, with servers of both eras.

use std::time::Duration;

use plainwire::client::{Change, Listen, Notice};
use plainwire::model::{CompleteRequest, LogLevel, SubscriptionFilter};
use plainwire::proto::cursor::List;
use plainwire::proto::revision::Revision;
use plainwire::{Client, Error};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::scripted_server::{LEGACY, MODERN, PATIENCE, Script};

/// Returns a filter for changes of the list of tools and of the resources `uris`.
fn filter(uris: &[&str]) -> SubscriptionFilter {
    SubscriptionFilter {
        resource_subscriptions: uris.iter().map(|uri| (*uri).to_owned()).collect(),
        tools_list_changed: true,
        ..SubscriptionFilter::default()
    }
}

fn resource(uri: &str) -> Option<Change> {
    Some(Change::Resource(uri.to_owned()))
}

const TOOLS: Option<Change> = Some(Change::List(List::Tools));

/// Subscribes at a modern server that acknowledges all of `wanted`. Returns the subscription and its id.
async fn listen(client: &Client, script: &mut Script, wanted: SubscriptionFilter) -> (Listen, Value) {
    let serve = async {
        let (id, params) = script.expect("subscriptions/listen").await;
        let notifications = params["notifications"].clone();
        script
            .tell(&id, "notifications/subscriptions/acknowledged", json!({ "notifications": notifications }))
            .await;
        id
    };
    let (listen, id) = tokio::join!(client.listen(wanted), serve);
    (listen.expect("a subscription"), id)
}

/// Returns once the client has read all messages that the script has sent so far.
async fn settle(client: &Client, script: &mut Script) {
    let serve = async {
        let (id, _) = script.expect("x").await;
        script.answer(&id, json!({})).await;
    };
    tokio::join!(client.request("x", "{}"), serve).0.expect("an answer");
}

/// Returns the next change of a subscription; `None` at its end. A wait of more than 30 seconds fails the
/// test.
async fn next(listen: &mut Listen) -> Option<Change> {
    timeout(PATIENCE, listen.next()).await.expect("a change in time")
}

async fn is_silent(listen: &mut Listen) -> bool {
    timeout(Duration::from_millis(1), listen.next()).await.is_err()
}

#[tokio::test]
async fn listens_once_the_server_has_agreed_and_says_to_what() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let serve = async {
        let (id, params) = script.expect("subscriptions/listen").await;
        assert_eq!(
            params["notifications"],
            json!({ "toolsListChanged": true, "resourceSubscriptions": ["a:1", "a:2"] })
        );
        assert_eq!(params["_meta"].get("progressToken"), None);
        let honoured = json!({ "notifications": { "resourceSubscriptions": ["a:1"] } });
        // An acknowledgement with another id is ignored.
        script
            .tell(&json!(id.to_string()), "notifications/subscriptions/acknowledged", honoured.clone())
            .await;
        script.tell(&id, "notifications/subscriptions/acknowledged", honoured).await;
    };
    let (listen, ()) = tokio::join!(client.listen(filter(&["a:1", "a:2"])), serve);
    let expected = SubscriptionFilter { tools_list_changed: false, ..filter(&["a:1"]) };
    assert_eq!(*listen.expect("a subscription").honoured(), expected);
}

#[tokio::test]
async fn resources_that_nobody_asked_for_are_not_honoured() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let serve = async {
        let (id, _) = script.expect("subscriptions/listen").await;
        let honoured = json!({ "notifications": { "resourceSubscriptions": ["a:3", "a:2", "a:2", "a"] } });
        script.tell(&id, "notifications/subscriptions/acknowledged", honoured).await;
    };
    let (listen, ()) = tokio::join!(client.listen(filter(&["a:1", "a:2"])), serve);
    assert_eq!(listen.expect("a subscription").honoured().resource_subscriptions, ["a:2"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_agrees_is_not_waited_for() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let error = client.listen(filter(&[])).await.expect_err("a deadline").to_string();
    assert_eq!(error, "expected an answer to `subscriptions/listen`, but the idle deadline of 60s passed");
    let (id, _) = script.expect("subscriptions/listen").await;
    assert_eq!(script.expect("notifications/cancelled").await.1["requestId"], id);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_lasts_longer_than_any_deadline() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let (mut listen, id) = listen(&client, &mut script, filter(&[])).await;
    tokio::time::sleep(Duration::from_secs(100_000)).await;
    script.tell(&id, "notifications/tools/list_changed", json!({})).await;
    assert_eq!(next(&mut listen).await, TOOLS);
}

#[tokio::test]
async fn each_subscription_hears_what_is_said_to_it() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let (mut one, first) = listen(&client, &mut script, filter(&["a:1"])).await;
    let (mut two, second) = listen(&client, &mut script, filter(&["a:1"])).await;
    assert_ne!(first, second);
    for foreign in [json!(first.to_string()), json!(999), json!(null), json!([first])] {
        script.tell(&foreign, "notifications/tools/list_changed", json!({})).await;
    }
    script.tell(&second, "notifications/resources/updated", json!({ "uri": "a:1" })).await;
    assert_eq!(next(&mut two).await, resource("a:1"));
    settle(&client, &mut script).await;
    assert!(is_silent(&mut one).await && is_silent(&mut two).await);
    script.tell(&first, "notifications/tools/list_changed", json!({})).await;
    assert_eq!(next(&mut one).await, TOOLS);
    assert!(is_silent(&mut two).await);
}

#[tokio::test]
async fn changes_that_nobody_asked_for_are_not_told_and_others_once() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let (mut listen, id) = listen(&client, &mut script, filter(&["a:1"])).await;
    for _ in 0..1_000 {
        script.tell(&id, "notifications/tools/list_changed", json!({})).await;
        script.tell(&id, "notifications/prompts/list_changed", json!({})).await;
        script.tell(&id, "notifications/resources/updated", json!({ "uri": "a:1" })).await;
        script.tell(&id, "notifications/resources/updated", json!({ "uri": "a:2" })).await;
    }
    settle(&client, &mut script).await;
    assert_eq!(next(&mut listen).await, TOOLS);
    assert_eq!(next(&mut listen).await, resource("a:1"));
    assert!(is_silent(&mut listen).await);
}

#[tokio::test]
async fn a_subscription_ends_however_the_server_ends_it() {
    for how in ["result", "cancelled", "error", "close"] {
        let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
        let (mut listen, id) = listen(&client, &mut script, filter(&[])).await;
        script.tell(&id, "notifications/tools/list_changed", json!({})).await;
        match how {
            "result" => {
                let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
                script.answer(&id, json!({ "resultType": "complete", "_meta": meta })).await;
            }
            "cancelled" => script.notify("notifications/cancelled", json!({ "requestId": id })).await,
            "error" => script.refuse(&id, -32603).await,
            _ => drop(script),
        }
        assert_eq!(next(&mut listen).await, TOOLS, "{how}: what came before the end is told");
        assert_eq!(next(&mut listen).await, None, "{how}");
        assert_eq!(next(&mut listen).await, None, "{how}: and stays so");
    }
}

#[tokio::test]
async fn a_server_that_refuses_or_ends_at_once_is_an_error() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let serve = async {
        let (id, _) = script.expect("subscriptions/listen").await;
        script.refuse(&id, -32601).await;
    };
    let (refused, ()) = tokio::join!(client.listen(filter(&[])), serve);
    assert!(matches!(&refused, Err(Error::Rpc(error)) if error.message() == "no"), "{refused:?}");
    let serve = async {
        let (id, _) = script.expect("subscriptions/listen").await;
        script.answer(&id, json!({ "resultType": "complete" })).await;
    };
    let (ended, ()) = tokio::join!(client.listen(filter(&[])), serve);
    let ended = ended.expect_err("an end").to_string();
    assert_eq!(ended, "expected the server to acknowledge the subscription, but it ended it");
    let (closed, _) = tokio::join!(client.listen(filter(&[])), async {
        script.expect("subscriptions/listen").await;
        drop(script);
    });
    assert!(matches!(closed, Err(Error::Closed { .. })), "{closed:?}");
}

#[tokio::test]
async fn whoever_stops_listening_says_so_to_the_server() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let (one, first) = listen(&client, &mut script, filter(&[])).await;
    let (mut two, second) = listen(&client, &mut script, filter(&[])).await;
    drop(one);
    assert_eq!(script.expect("notifications/cancelled").await.1["requestId"], first);
    script.tell(&first, "notifications/tools/list_changed", json!({})).await;
    script.tell(&second, "notifications/tools/list_changed", json!({})).await;
    assert_eq!(next(&mut two).await, TOOLS);
    script.answer(&second, json!({ "resultType": "complete" })).await;
    assert_eq!(next(&mut two).await, None);
    drop(two);
    // The client sends no cancellation of a subscription that has ended: `settle` expects no such message.
    settle(&client, &mut script).await;
}

#[tokio::test]
async fn a_subscription_does_not_keep_a_connection_alive() {
    for revision in [LEGACY, MODERN] {
        let (client, mut script) = Script::connect(Client::builder(), revision).await;
        let wanted = filter(&[]);
        let mut listen = match revision {
            MODERN => listen(&client, &mut script, wanted).await.0,
            _ => client.listen(wanted).await.expect("a subscription"),
        };
        client.close().await;
        assert_eq!(script.line().await, None);
        assert_eq!(next(&mut listen).await, None);
    }
}

#[tokio::test]
async fn listening_at_an_old_server_subscribes_to_each_resource() {
    let (client, mut script) = Script::connect(Client::builder(), LEGACY).await;
    let wanted = SubscriptionFilter { resources_list_changed: true, ..filter(&["a:1", "a:2"]) };
    let serve = async {
        for uri in ["a:1", "a:2"] {
            let (id, params) = script.expect("resources/subscribe").await;
            assert_eq!(params["uri"], uri);
            script.answer(&id, json!({})).await;
        }
    };
    let (listen, ()) = tokio::join!(client.listen(wanted), serve);
    let mut listen = listen.expect("a subscription");
    assert_eq!(*listen.honoured(), filter(&["a:1", "a:2"]), "its resources have no `listChanged`");
    let mut notices = client.notices().expect("notices");
    script.notify("notifications/resources/updated", json!({ "uri": "a:2" })).await;
    script.notify("notifications/prompts/list_changed", json!({})).await;
    script.notify("notifications/tools/list_changed", json!({})).await;
    assert_eq!(next(&mut listen).await, resource("a:2"));
    assert_eq!(next(&mut listen).await, TOOLS);
    assert!(is_silent(&mut listen).await);
    // `Client::notices` still yields all notifications.
    assert!(matches!(notices.recv().await, Some(Notice::ResourceUpdated { uri }) if uri == "a:2"));
    assert!(matches!(notices.recv().await, Some(Notice::ListChanged(List::Prompts))));
    assert!(matches!(notices.recv().await, Some(Notice::ListChanged(List::Tools))));
    drop(listen);
    for uri in ["a:1", "a:2"] {
        assert_eq!(script.expect("resources/unsubscribe").await.1["uri"], uri);
    }
}

#[tokio::test]
async fn a_resource_that_somebody_else_listens_to_stays_subscribed() {
    let (client, mut script) = Script::connect(Client::builder(), LEGACY).await;
    let mut listens = Vec::new();
    for uris in [&["a:1", "a:2"][..], &["a:2"][..]] {
        let serve = async {
            for _ in uris {
                let (id, _) = script.expect("resources/subscribe").await;
                script.answer(&id, json!({})).await;
            }
        };
        listens.push(tokio::join!(client.listen(filter(uris)), serve).0.expect("a subscription"));
    }
    drop(listens.remove(0));
    assert_eq!(script.expect("resources/unsubscribe").await.1["uri"], "a:1");
    script.expect_silence().await;
    drop(listens);
    assert_eq!(script.expect("resources/unsubscribe").await.1["uri"], "a:2");
}

#[tokio::test]
async fn an_old_server_that_refuses_one_resource_is_left_without_any() {
    let (client, mut script) = Script::connect(Client::builder(), LEGACY).await;
    let serve = async {
        let (first, _) = script.expect("resources/subscribe").await;
        let (second, _) = script.expect("resources/subscribe").await;
        script.answer(&first, json!({})).await;
        script.refuse(&second, -32002).await;
        script.expect("resources/unsubscribe").await;
        script.expect("resources/unsubscribe").await;
    };
    let (refused, ()) = tokio::join!(client.listen(filter(&["a:1", "a:2"])), serve);
    assert!(matches!(&refused, Err(Error::Rpc(error)) if error.message() == "no"), "{refused:?}");
}

#[tokio::test]
async fn an_old_server_without_subscriptions_is_not_asked_for_any() {
    let (client, mut script) =
        Script::connect_to(Client::builder(), LEGACY, json!({ "resources": {} })).await;
    let listen = client.listen(filter(&["a:1"])).await.expect("a subscription");
    assert_eq!(*listen.honoured(), SubscriptionFilter::default());
    drop(listen);
    script.expect_silence().await;
}

#[tokio::test]
async fn tells_what_the_server_says_of_its_own_accord() {
    let (client, mut script) = Script::connect(Client::builder(), LEGACY).await;
    let mut notices = client.notices().expect("notices");
    script.notify("notifications/message", json!({ "level": "warning", "logger": "l", "data": [1] })).await;
    script.notify("notifications/resources/updated", json!({ "uri": "a:1" })).await;
    script.notify("notifications/message", json!({ "level": "loud", "data": 1 })).await;
    script.notify("notifications/resources/updated", json!({})).await;
    script.notify("notifications/odd", json!({ "x": 1 })).await;
    let Some(Notice::Log(message)) = notices.recv().await else { panic!("no message") };
    assert_eq!(
        (message.level, message.logger.as_deref(), message.data.get()),
        (LogLevel::Warning, Some("l"), "[1]")
    );
    assert!(matches!(notices.recv().await, Some(Notice::ResourceUpdated { uri }) if uri == "a:1"));
    for (method, params) in [
        ("notifications/message", r#"{"data":1,"level":"loud"}"#),
        ("notifications/resources/updated", "{}"),
        ("notifications/odd", r#"{"x":1}"#),
    ] {
        let Some(Notice::Other { method: found, params: Some(as_sent) }) = notices.recv().await else {
            panic!("no notice")
        };
        assert_eq!((found.as_str(), as_sent.get()), (method, params));
    }
}

#[tokio::test]
async fn an_old_server_is_told_the_log_level_once_and_a_new_one_with_each_request() {
    let (client, mut script) = Script::connect(Client::builder(), LEGACY).await;
    let serve = async {
        let (id, params) = script.expect("logging/setLevel").await;
        assert_eq!(params["level"], "error");
        script.answer(&id, json!({})).await;
    };
    tokio::join!(client.set_log_level(LogLevel::Error), serve).0.expect("an answer");

    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    for level in [LogLevel::Error, LogLevel::Debug] {
        client.set_log_level(level).await.expect("a level");
        let serve = async {
            let (id, params) = script.expect("tools/call").await;
            assert_eq!(params["_meta"]["io.modelcontextprotocol/logLevel"], level.as_str());
            script.done(&id).await;
        };
        tokio::join!(client.call_tool("t", json!({})), serve).0.expect("an answer");
    }
}

#[tokio::test]
async fn a_server_without_a_log_is_not_asked_for_it() {
    for revision in [LEGACY, MODERN] {
        let (client, mut script) = Script::connect_to(Client::builder(), revision, json!({})).await;
        let error = client.set_log_level(LogLevel::Error).await.expect_err("no log").to_string();
        assert_eq!(error, "expected the server to declare `logging`, but found that it does not");
        drop(client);
        assert_eq!(script.line().await, None);
    }
}

#[tokio::test]
async fn completes_arguments_of_prompts_and_templates() {
    let (client, mut script) = Script::connect(Client::builder(), Revision::V2025_06_18).await;
    for (request, wanted) in [
        (
            CompleteRequest::prompt("p", "n", "v"),
            json!({ "ref": { "type": "ref/prompt", "name": "p" }, "argument": { "name": "n", "value": "v" } }),
        ),
        (
            CompleteRequest::resource("a:{n}", "n", "v").with_arguments([("lang", "r\"s")]),
            json!({
                "ref": { "type": "ref/resource", "uri": "a:{n}" }, "argument": { "name": "n", "value": "v" },
                "context": { "arguments": { "lang": "r\"s" } },
            }),
        ),
    ] {
        let serve = async {
            let (id, mut params) = script.expect("completion/complete").await;
            params.as_object_mut().expect("an object").remove("_meta");
            assert_eq!(params, wanted);
            let completion = json!({ "values": ["vx", "vy"], "total": 9, "hasMore": true });
            script.answer(&id, json!({ "completion": completion })).await;
        };
        let (completion, ()) = tokio::join!(client.complete(&request), serve);
        let completion = completion.expect("a completion");
        assert_eq!(
            (completion.values, completion.total, completion.has_more),
            (vec!["vx".to_owned(), "vy".to_owned()], Some(9), true)
        );
    }
}
