//! Clients in each revision with Streamable HTTP, and one with HTTP+SSE, connected to a server of this crate;
//! also refused tokens and invalid URLs.

use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use plainwire::Client;
use plainwire::client::ClientBuilder;
use plainwire::client::http::Remote;
use plainwire::model::{ElicitResult, SubscriptionFilter};
use plainwire::proto::peer::{Change, EraChoice};
use plainwire::proto::revision::Revision;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::support::site::Site;

const PATIENCE: Duration = Duration::from_secs(5);

/// Returns a builder of a client for each revision with Streamable HTTP, the newest first.
fn builders() -> impl Iterator<Item = (Revision, ClientBuilder)> {
    let revisions =
        [Revision::V2026_07_28, Revision::V2025_11_25, Revision::V2025_06_18, Revision::V2025_03_26];
    revisions.into_iter().map(|revision| (revision, Client::builder().revisions(&[revision])))
}

#[tokio::test]
async fn every_revision_calls_lists_and_reads() {
    let site = Site::new().await;
    for (revision, builder) in builders() {
        let client = builder.remote(site.remote()).await.expect("a connection");
        assert_eq!(client.revision(), revision);
        assert_eq!(client.list_tools().await.expect("tools").len(), 6, "{revision}");
        let text: String = client.call("echo", json!({ "text": "hé" })).await.expect("an answer");
        assert_eq!(text, "hé");
        let read = client.read_resource("a://1").await.expect("a resource");
        assert_eq!(read.contents.len(), 1);
        client.ping().await.expect("an answer");
        client.close().await;
    }
}

#[tokio::test]
async fn the_era_is_found_out() {
    let site = Site::new().await;
    let client = Client::builder().remote(site.remote()).await.expect("a connection");
    assert_eq!(client.revision(), Revision::NEWEST);
    let legacy = Client::builder().era(EraChoice::Legacy).remote(site.remote()).await.expect("a connection");
    assert_eq!(legacy.revision(), Revision::NEWEST_LEGACY);
}

#[tokio::test]
async fn progress_comes_while_the_call_runs() {
    let site = Site::new().await;
    for (revision, builder) in builders() {
        let client = builder.remote(site.remote()).await.expect("a connection");
        let (heard, hears) = mpsc::channel();
        let progress =
            move |progress: plainwire::client::Progress| heard.send(progress.done).expect("a listener");
        let result = client.call_tool("count", json!({ "to": 5 })).on_progress(progress).await;
        assert_eq!(result.expect("an answer").content[0].as_text(), Some("counted to 5"));
        assert_eq!(hears.try_iter().collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0, 5.0], "{revision}");
    }
}

#[tokio::test]
async fn questions_are_answered() {
    let site = Site::new().await;
    for revision in [Revision::V2026_07_28, Revision::V2025_11_25, Revision::V2025_06_18] {
        let builder = Client::builder().revisions(&[revision]);
        let builder = builder.on_elicit(|_| async { ElicitResult::accept(json!({ "name": "Ada" })) });
        let client = builder.remote(site.remote()).await.expect("a connection");
        let text: String = client.call("greet", json!({})).await.expect("an answer");
        assert_eq!(text, "Hello, Ada!", "{revision}");
    }
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled() {
    let site = Site::new().await;
    for (number, (revision, builder)) in builders().enumerate() {
        let client = builder.remote(site.remote()).await.expect("a connection");
        let call = client.call::<String>("wait", json!({ "ms": 60_000 }));
        assert!(timeout(Duration::from_millis(100), call).await.is_err());
        let cancelled = async {
            while site.seen.dropped.load(Ordering::SeqCst) <= number {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, cancelled).await.unwrap_or_else(|_| panic!("{revision}: still running"));
        assert_eq!(client.call::<String>("echo", json!({ "text": "a" })).await.expect("an answer"), "a");
    }
}

#[tokio::test]
async fn changes_are_heard_of() {
    let site = Site::new().await;
    for (revision, builder) in builders() {
        let client = builder.remote(site.remote()).await.expect("a connection");
        let filter = SubscriptionFilter {
            resource_subscriptions: vec!["a://1".to_owned()],
            ..SubscriptionFilter::default()
        };
        let mut listen = client.listen(filter).await.expect("a subscription");
        // In a session, the client opens the stream for notifications while it already makes requests, so the
        // test waits for it.
        sleep(Duration::from_millis(100)).await;
        site.handle.notify_resource_updated("a://1");
        let change = timeout(PATIENCE, listen.next()).await.unwrap_or_else(|_| panic!("{revision}: nothing"));
        assert_eq!(change, Some(Change::Resource("a://1".to_owned())));
    }
}

#[tokio::test]
async fn arguments_that_a_schema_wants_in_headers_are_there() {
    let site = Site::new().await;
    // The server refuses the first call, which lacks the header. Then the client learns the header from the list.
    let client = Client::builder().remote(site.remote()).await.expect("a connection");
    for text in ["eu", " blank ", "Zürich", "=?base64?eA==?="] {
        let found: String = client.call("region", json!({ "region": text })).await.expect("an answer");
        assert_eq!(found, text);
    }
}

#[tokio::test]
async fn tokens_are_sent_and_refusals_are_told() {
    let site = Site::with(|http| http.bearer_token("ada", "s3cret-s3cret-s3cret")).await;
    let refused = Client::builder().remote(site.remote()).await.expect_err("nobody is let in");
    assert!(refused.to_string().contains("401"), "{refused}");
    let remote = site.remote().bearer_token("s3cret-s3cret-s3cret");
    assert!(!format!("{remote:?}").contains("s3cret"), "{remote:?}");
    let client = Client::builder().remote(remote).await.expect("a connection");
    client.list_tools().await.expect("tools");
}

#[tokio::test]
async fn what_is_no_url_is_told() {
    for url in ["", "mcp.example.com", "ftp://a/b", "http://", "file:///etc/passwd"] {
        let error = Client::builder().remote(Remote::new(url)).await.expect_err("no URL");
        assert!(error.to_string().starts_with("expected a URL with `http://` or `https://`"), "{error}");
    }
}

#[tokio::test]
async fn a_server_of_http_sse_is_found() {
    let site = Site::with(|http| http.http_sse()).await;
    let remote = Remote::new(format!("http://{}/sse", site.address));
    let client = Client::builder().remote(remote).await.expect("a connection");
    assert!(client.revision() <= Revision::NEWEST_LEGACY);
    assert_eq!(client.call::<String>("echo", json!({ "text": "old" })).await.expect("an answer"), "old");
}
