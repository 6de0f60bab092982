//! Settings of one request, and one client in several tasks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::prelude::*;
use plainwire::{Client, Error, testing};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::scripted_server::{LEGACY, Script};

/// Returns a server whose entries report a step, and then return the member `desk` of the request's `_meta`, or
/// never end if there is none.
fn desks() -> Server {
    let desk = async |ctx: Context| {
        ctx.progress(1.0, Some(2.0), Some("asking"));
        let meta: Value = serde_json::from_str(ctx.meta().expect("a meta").get()).expect("JSON");
        match meta["com.example/desk"].as_u64() {
            Some(desk) => desk.to_string(),
            None => std::future::pending().await,
        }
    };
    Server::new("bank").tool(Tool::new("ask", desk)).prompt(Prompt::new("ask", desk))
}

#[tokio::test]
async fn one_request_has_meta_progress_and_a_deadline_of_its_own() {
    testing::in_each_era(desks, Client::builder(), async |client| {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = |heard: &Arc<Mutex<Vec<_>>>| {
            let heard = Arc::clone(heard);
            move |it: plainwire::client::Progress| heard.lock().unwrap().push(it.message)
        };
        let (first, second) = (json!({ "com.example/desk": 1 }), json!({ "com.example/desk": 7 }));
        let tool =
            client.call::<String>("ask", json!({})).meta(&first).meta(&second).on_progress(hears(&heard));
        assert_eq!(tool.await?, "7");
        let prompt = client.get_prompt("ask", json!({})).meta(&second).on_progress(hears(&heard)).await?;
        assert_eq!(prompt.messages[0].content.as_text(), Some("7"));
        let params = r#"{ "_meta": { "com.example/desk": 8 }, "name": "ask" }"#;
        let raw = client.request("tools/call", params).on_progress(hears(&heard)).await?;
        assert!(raw.get().contains("\"8\""), "{}", raw.get());
        assert_eq!(*heard.lock().unwrap(), vec![Some("asking".to_owned()); 3]);

        let began = Instant::now();
        let soon = Duration::from_millis(30);
        let late = client.get_prompt("ask", json!({})).deadline(soon).await.expect_err("no answer");
        assert!(matches!(late, Error::Deadline { .. }), "{late}");
        assert!(began.elapsed() < Duration::from_secs(30));
        Ok(())
    })
    .await
    .expect("a client");
}

#[tokio::test]
async fn a_meta_that_is_no_object_is_refused() {
    let client = testing::client(desks()).await.expect("a client");
    for (params, meta, expected) in [
        ("{}", json!([1]), "expected `_meta` to be a JSON object, but found [1]"),
        ("[]", json!({}), "expected the parameters of `ping` to be a JSON object, but found []"),
    ] {
        let error = client.request("ping", params).meta(meta).await.expect_err(expected).to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}

#[tokio::test]
async fn clones_share_one_connection() {
    let client = testing::client(desks()).await.expect("a client");
    let mut tasks = JoinSet::new();
    for desk in 0..100 {
        let client = client.clone();
        let meta = json!({ "com.example/desk": desk });
        tasks.spawn(async move { (desk, client.call::<String>("ask", json!({})).meta(meta).await) });
    }
    while let Some(done) = tasks.join_next().await {
        let (desk, answer) = done.expect("no panic");
        assert_eq!(answer.expect("a desk"), desk.to_string());
    }
    let other = client.clone();
    drop(client);
    assert_eq!(other.server_info().expect("the name").name, "bank");
    other.ping().await.expect("the connection is open while a clone is left");
}

#[tokio::test]
async fn a_client_that_is_closed_is_closed_for_each_clone() {
    let client = testing::client(desks()).await.expect("a client");
    let other = client.clone();
    let mut tasks = JoinSet::new();
    tasks.spawn(client.call::<String>("ask", json!({})));
    tokio::task::yield_now().await;
    other.close().await;
    let open = tasks.join_next().await.expect("a task").expect("no panic");
    let error = open.expect_err("the connection has ended");
    assert!(matches!(error, Error::Closed { .. } | Error::OutcomeUnknown { .. }), "{error}");
    let error = client.ping().await.expect_err("the connection has ended");
    assert!(matches!(error, Error::Closed { .. }), "{error}");
    client.close().await;
}

#[tokio::test]
async fn parameters_that_are_no_object_are_refused_and_not_left_out() {
    let client = testing::client(Server::new("s")).await.expect("a connection");
    for (params, found) in
        [("{\"name\"", "no JSON"), ("", "no JSON"), ("{}x", "no JSON"), ("[1]", "[1]"), ("\"x\"", "\"x\"")]
    {
        let said = format!("expected the parameters of `tools/list` to be a JSON object, but found {found}");
        let error = client.request("tools/list", params).await.expect_err("no object");
        assert_eq!(error.to_string(), said);
        let error = client.notify("tools/list", params).await.expect_err("no object");
        assert_eq!(error.to_string(), said);
    }
}

#[tokio::test]
async fn what_was_to_be_sent_before_a_client_closes_is_still_sent() {
    let (client, mut script) = Script::connect(Client::builder(), LEGACY).await;
    let mut call = Box::pin(client.call_tool("t", json!({})).into_future());
    let id = tokio::select! {
        _ = &mut call => panic!("an answer"),
        (id, _) = script.expect("tools/call") => id,
    };
    drop(call);
    client.notify("notifications/x", "{}").await.expect("a connection");
    client.close().await;
    let (cancelled, last) = (script.next().await, script.next().await);
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &id)
    );
    assert_eq!(last["method"], "notifications/x");
    assert_eq!(script.line().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_holds_up_the_end_of_a_client_for_100_ms() {
    let (client, script) = Script::connect(Client::builder(), LEGACY).await;
    // More than the stream takes while nobody reads.
    client
        .notify("notifications/x", &json!({ "text": "x".repeat(100_000) }).to_string())
        .await
        .expect("room");
    let began = Instant::now();
    client.close().await;
    assert_eq!(began.elapsed().as_millis(), 100);
    drop(script);
}

#[tokio::test]
async fn a_handler_of_progress_that_panics_ends_neither_the_call_nor_the_connection() {
    testing::in_each_era(desks, Client::builder(), async |client| {
        let meta = json!({ "com.example/desk": 7 });
        let call = client.call::<String>("ask", json!({})).meta(&meta).on_progress(|_| panic!("a mistake"));
        assert_eq!(call.await?, "7");
        assert_eq!(client.call::<String>("ask", json!({})).meta(&meta).await?, "7");
        Ok(())
    })
    .await
    .expect("calls");
}
