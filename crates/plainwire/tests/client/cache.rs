//! Results that a client keeps and uses again while they are fresh.

use std::time::Duration;

use plainwire::Client;
use plainwire::model::{CacheScope, SubscriptionFilter};
use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use serde_json::{Value, json};
use tokio::time::{advance, timeout};

use crate::scripted_server::{LEGACY, MODERN, Script};
use crate::tapped::{TTL, connect, hint, modern, server, tool};

#[tokio::test(start_paused = true)]
async fn a_list_is_asked_for_again_when_it_is_no_longer_fresh() {
    let (client, seen) = connect(server(), modern()).await;
    for _ in 0..3 {
        assert_eq!(client.list_tools().await.expect("tools").len(), 1);
    }
    assert_eq!(seen.asked("tools/list"), 1);
    advance(TTL - Duration::from_millis(1)).await;
    client.list_tools().await.expect("tools");
    assert_eq!(seen.asked("tools/list"), 1);
    advance(Duration::from_millis(1)).await;
    client.list_tools().await.expect("tools");
    assert_eq!(seen.asked("tools/list"), 2);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_that_nobody_allowed() {
    for (server, builder) in [
        (server(), Client::builder().era(EraChoice::Legacy)),
        (server(), modern().without_cache()),
        (Server::new("no hint").tool(tool("one")), modern()),
    ] {
        let (client, seen) = connect(server, builder).await;
        client.list_tools().await.expect("tools");
        client.list_tools().await.expect("tools");
        assert_eq!(seen.asked("tools/list"), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_by_its_method_is_always_made() {
    let (client, seen) = connect(server(), modern()).await;
    client.list_tools().await.expect("tools");
    client.request("tools/list", "{}").await.expect("tools");
    assert_eq!(seen.asked("tools/list"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_change_ends_the_freshness_of_what_it_is_about() {
    let mut server = server();
    let handle = server.handle();
    let (client, seen) = connect(server, modern()).await;
    let filter = SubscriptionFilter {
        resource_subscriptions: vec!["a:1".to_owned()],
        tools_list_changed: true,
        ..SubscriptionFilter::default()
    };
    let mut listen = client.listen(filter).await.expect("a subscription");
    let all = async || {
        client.read_resource("a:1").await.expect("a resource");
        client.read_resource("a:2").await.expect("a resource");
        client.list_tools().await.expect("tools").len()
    };
    assert_eq!((all().await, all().await), (1, 1));
    assert_eq!((seen.asked("tools/list"), seen.asked("resources/read")), (1, 2));

    handle.add_tool(tool("two")).expect("a tool");
    listen.next().await.expect("a change");
    assert_eq!((all().await, seen.asked("tools/list"), seen.asked("resources/read")), (2, 2, 2));

    handle.notify_resource_updated("a:1");
    listen.next().await.expect("a change");
    assert_eq!((all().await, seen.asked("tools/list"), seen.asked("resources/read")), (2, 2, 3));
}

#[tokio::test(start_paused = true)]
async fn another_login_reads_private_answers_anew() {
    for (scope, asked) in [(CacheScope::Private, 2), (CacheScope::Public, 1)] {
        let (client, seen) = connect(server().cache(hint(scope)), modern()).await;
        client.read_resource("a:1").await.expect("a resource");
        client.forget_private();
        client.read_resource("a:1").await.expect("a resource");
        assert_eq!(seen.asked("resources/read"), asked, "{scope:?}");
    }
}

#[tokio::test]
async fn what_came_of_questions_is_not_kept() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let serve = async {
        for _ in 0..2 {
            let (id, params) = script.expect("resources/read").await;
            assert_eq!(params.get("requestState"), None);
            script.requires(&id, Value::Null, json!("state")).await;
            let (id, params) = script.expect("resources/read").await;
            assert_eq!(params["requestState"], "state");
            let fresh =
                json!({ "resultType": "complete", "contents": [], "ttlMs": 60_000, "cacheScope": "public" });
            script.answer(&id, fresh).await;
        }
    };
    let read = async {
        client.read_resource("a:1").await.expect("a resource");
        timeout(Duration::from_secs(5), client.read_resource("a:1"))
            .await
            .expect("an answer")
            .expect("a resource");
    };
    timeout(Duration::from_secs(5), async { tokio::join!(read, serve) }).await.expect("four requests");
}

#[tokio::test]
async fn what_a_legacy_server_says_of_freshness_means_nothing() {
    let (client, mut script) = Script::connect(Client::builder(), LEGACY).await;
    for _ in 0..2 {
        let (tools, ()) = tokio::join!(client.list_tools(), async {
            let (id, _) = script.expect("tools/list").await;
            script.answer(&id, json!({ "tools": [], "ttlMs": 60_000, "cacheScope": "public" })).await;
        });
        assert_eq!(tools.expect("tools").len(), 0);
    }
}
