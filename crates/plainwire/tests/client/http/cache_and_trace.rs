//! The cache and the traces of a client over HTTP.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::client::{ClientBuilder, Stage, Trace};
use plainwire::model::{ElicitResult, SubscriptionFilter};
use plainwire::proto::revision::{Era, Revision};
use plainwire::stream::tap::{Direction, Tap};
use plainwire::{Client, Error};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::support::proxy::Proxy;
use super::support::site::{Site, remote};

const PATIENCE: Duration = Duration::from_secs(10);

/// All frames of a client: direction, size in bytes, and message.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(Direction, u64, Value)>>>);

impl Seen {
    fn tap(&self) -> Tap {
        let seen = Arc::clone(&self.0);
        Tap::new(move |frame| {
            let message = serde_json::from_slice(frame.bytes).expect("JSON");
            seen.lock().expect("a lock").push((frame.direction, frame.bytes.len() as u64, message));
        })
    }

    /// Returns the number of requests for the list of tools that the client has sent.
    fn lists(&self) -> usize {
        self.0.lock().expect("a lock").iter().filter(|(.., frame)| frame["method"] == "tools/list").count()
    }

    /// Returns the number of bytes in the frames of direction `way` whose message has one of these JSON-RPC
    /// ids.
    fn bytes(&self, way: Direction, ids: &[u64]) -> u64 {
        let is_one = |frame: &Value| frame["id"].as_u64().is_some_and(|id| ids.contains(&id));
        let seen = self.0.lock().expect("a lock");
        seen.iter().filter(|(direction, _, frame)| *direction == way && is_one(frame)).map(|it| it.1).sum()
    }
}

fn of(revision: Revision) -> ClientBuilder {
    Client::builder().revisions(&[revision])
}

const BOTH: [Revision; 2] = [Revision::V2026_07_28, Revision::V2025_11_25];

#[tokio::test]
async fn a_list_that_is_fresh_is_not_asked_for_again() {
    let site = Site::new().await;
    let [modern, legacy] = BOTH;
    let some = [(of(modern), 1), (of(modern).without_cache(), 3), (of(legacy), 3)];
    for (builder, lists) in some {
        let seen = Seen::default();
        let client = builder.tap(seen.tap()).remote(site.remote()).await.expect("a connection");
        for _ in 0..3 {
            assert_eq!(client.list_tools().await.expect("tools").len(), 6);
        }
        assert_eq!(seen.lists(), lists, "{}", client.revision());
    }
}

#[tokio::test]
async fn what_a_broken_subscription_may_have_missed_is_asked_for_again() {
    let site = Site::new().await;
    let (proxy, seen) = (Proxy::new(site.address).await, Seen::default());
    let client =
        of(Revision::NEWEST).tap(seen.tap()).remote(remote(proxy.address)).await.expect("a connection");
    let resource_subscriptions = vec!["a://1".to_owned()];
    let filter = SubscriptionFilter { resource_subscriptions, ..SubscriptionFilter::default() };
    let mut listen = client.listen(filter).await.expect("a subscription");
    client.list_tools().await.expect("tools");
    client.list_tools().await.expect("the same tools");
    assert_eq!(seen.lists(), 1);
    // The proxy cuts off the notification of this change. Other notifications could be lost with it, so the
    // client must fetch the list again.
    proxy.cut_after(0);
    site.handle.notify_resource_updated("a://1");
    timeout(PATIENCE, listen.next()).await.expect("in time").expect("a change");
    client.list_tools().await.expect("tools");
    assert_eq!(seen.lists(), 2);
}

fn steps(trace: &Trace) -> Vec<String> {
    let name = |stage: &Stage| format!("{stage:?}").split(' ').next().unwrap_or_default().to_lowercase();
    trace.steps.iter().map(|step| name(&step.stage)).collect()
}

#[tokio::test]
async fn a_trace_has_each_step_with_its_bytes() {
    let site = Site::new().await;
    for revision in BOTH {
        let seen = Seen::default();
        let client = of(revision).tap(seen.tap()).remote(site.remote()).await.expect("a connection");
        let (result, trace) = client.call_traced("count", json!({ "to": 2 })).await;
        assert_eq!(result.expect("a result").content[0].as_text(), Some("counted to 2"));
        let expected = ["called", "encoded", "sent", "progress", "progress", "answered", "decoded"];
        assert_eq!(steps(&trace), expected, "{revision}");
        let ids: Vec<u64> = trace.ids().collect();
        assert_eq!(trace.bytes_out, seen.bytes(Direction::Out, &ids), "{revision}");
        let progress = trace.steps.iter().map(|step| match step.stage {
            Stage::Progress { bytes, .. } => bytes,
            _ => 0,
        });
        assert_eq!(trace.bytes_in, seen.bytes(Direction::In, &ids) + progress.sum::<u64>(), "{revision}");
        assert_eq!((trace.revision, trace.transport), (Some(revision), Some("http")));
        assert!(trace.to_string().contains(") over http\n"), "{trace}");
    }
}

#[tokio::test]
async fn a_trace_shows_questions_as_each_era_asks_them() {
    let site = Site::new().await;
    for revision in BOTH {
        let builder = of(revision).on_elicit(|_| async { ElicitResult::accept(json!({ "name": "Ada" })) });
        let client = builder.remote(site.remote()).await.expect("a connection");
        let (result, trace) = client.call_traced("greet", json!({})).await;
        assert_eq!(result.expect("a result").content[0].as_text(), Some("Hello, Ada!"));
        let expected: &[&str] = match revision.era() {
            Era::Modern => {
                &["called", "encoded", "sent", "inputrequired", "encoded", "sent", "answered", "decoded"]
            }
            Era::Legacy => &["called", "encoded", "sent", "asked", "answered", "decoded"],
        };
        assert_eq!(steps(&trace), expected, "{revision}");
    }
}

#[tokio::test]
async fn a_trace_of_a_call_whose_answer_got_lost_says_why() {
    let site = Site::new().await;
    let proxy = Proxy::new(site.address).await;
    // The test uses the modern era, which has no sessions: in a session, the cut could hit the session's
    // stream instead of the answer.
    let client = of(Revision::NEWEST).remote(remote(proxy.address)).await.expect("a connection");
    proxy.cut_after(10);
    let (result, trace) = client.call_traced("region", json!({ "region": "eu" })).await;
    assert!(matches!(result, Err(Error::OutcomeUnknown { .. })), "{result:?}");
    assert_eq!(steps(&trace), ["called", "encoded", "sent", "failed"]);
    assert_eq!(trace.bytes_in, 0, "no frame came");
    assert!(trace.to_string().contains("it is unknown whether"), "{trace}");
}
