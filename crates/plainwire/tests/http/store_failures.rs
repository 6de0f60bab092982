//! A store that fails: the failure is reported, no request waits for ever, and calls run to their end.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Method;
use http_body_util::Empty;
use plainwire::http::Http;
use plainwire::store::{Memory, Store, StoreError, StoreFuture};
use serde_json::json;

use super::store_double::{Doubled, StoreDouble};
use super::support::service_client::{LEGACY, Web, call, request};
use super::support::{Seen, server};

/// A method of the store that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Append,
    Close,
    Create,
    Load,
    Publish,
    Save,
}

/// A planned failure: the method, the number of its calls that succeed first, and the number of its calls
/// that fail then.
type Plan = (Work, usize, usize);

/// A store in memory whose methods fail as planned.
#[derive(Clone, Default)]
struct Failing {
    memory: Memory,
    plans: Arc<Mutex<VecDeque<Plan>>>,
    /// The bytes that the store writes in place of the next event; `None` to write the event.
    replaced: Arc<Mutex<Option<Vec<u8>>>>,
}

impl Failing {
    fn plan(&self, plans: impl IntoIterator<Item = Plan>) {
        self.plans.lock().expect("no panic").extend(plans);
    }

    fn check(&self, work: Work) -> Result<(), StoreError> {
        let mut plans = self.plans.lock().expect("no panic");
        let Some(at) = plans.iter().position(|plan| plan.0 == work) else { return Ok(()) };
        let (_, before, times) = &mut plans[at];
        if *before > 0 {
            *before -= 1;
            return Ok(());
        }
        *times -= 1;
        if *times == 0 {
            plans.remove(at);
        }
        Err(StoreError::failed(format!("expected to {work:?}, but found that it fails")))
    }
}

impl StoreDouble for Failing {
    fn memory(&self) -> &Memory {
        &self.memory
    }

    fn create<'s>(&'s self, session: &'s str, record: &'s [u8], idle: Duration) -> StoreFuture<'s, ()> {
        Box::pin(async move {
            self.check(Work::Create)?;
            self.memory.create(session, record, idle).await
        })
    }

    fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>> {
        Box::pin(async move {
            self.check(Work::Load)?;
            self.memory.load(session).await
        })
    }

    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool> {
        Box::pin(async move {
            self.check(Work::Save)?;
            self.memory.save(session, record).await
        })
    }

    fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> StoreFuture<'s, u64> {
        Box::pin(async move {
            self.check(Work::Append)?;
            let replaced = self.replaced.lock().expect("no panic").take();
            self.memory.append(session, stream, replaced.as_deref().unwrap_or(event)).await
        })
    }

    fn close<'s>(&'s self, session: &'s str, stream: u64) -> StoreFuture<'s, ()> {
        Box::pin(async move {
            self.check(Work::Close)?;
            self.memory.close(session, stream).await
        })
    }

    fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> StoreFuture<'s, ()> {
        Box::pin(async move {
            self.check(Work::Publish)?;
            self.memory.publish(channel, message).await
        })
    }
}

const ALWAYS: usize = usize::MAX;

async fn failing() -> (Doubled<Failing>, Web) {
    let (store, _, web) = failing_seen().await;
    (store, web)
}

async fn failing_seen() -> (Doubled<Failing>, Seen, Web) {
    let (store, seen) = (Doubled::<Failing>::default(), Seen::default());
    let web = Web::new(Http::new(server(&seen)).store(store.clone())).session(LEGACY).await;
    (store, seen, web)
}

/// Returns the error that answers the request `id` when the store has failed.
fn failed(id: i64) -> serde_json::Value {
    let error = json!({ "code": -32603, "message": "the store of this server failed" });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

fn counting() -> serde_json::Value {
    call(1, "count", json!({ "to": 5, "pause_ms": 2 }))
}

#[tokio::test]
async fn where_nothing_was_said_the_answer_is_500() {
    // The write fails for the empty event at the start of the stream, and then for the first message.
    for before in [0, 1] {
        let (store, web) = failing().await;
        store.plan([(Work::Append, before, ALWAYS)]);
        let answer = web.post(&counting()).await;
        assert_eq!(answer.status, 500, "after {before} events");
        // The error tells the client nothing else about the failure.
        assert_eq!(answer.json().await, failed(1));
    }
}

#[tokio::test]
async fn a_stream_ends_whose_messages_or_answer_cannot_be_written() {
    for before in 2..7 {
        let (store, web) = failing().await;
        store.plan([(Work::Append, before, ALWAYS)]);
        let answer = web.post(&counting()).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.events().await.len(), before, "what was said before, and the end");
    }
}

#[tokio::test]
async fn a_stream_ends_although_not_even_its_end_can_be_written() {
    let (store, web) = failing().await;
    store.plan([(Work::Append, 3, ALWAYS), (Work::Close, 0, ALWAYS)]);
    let answer = web.post(&counting()).await;
    let events = answer.events().await;
    assert_eq!(events.len(), 3);
    // A client that resumes the stream gets its end too, and does not wait.
    let last = events[2].id.as_deref().expect("an id");
    assert_eq!(web.resume(last).await.events().await, []);
}

#[tokio::test]
async fn an_answer_whose_stream_cannot_be_closed_is_there_and_ends_it() {
    let (store, web) = failing().await;
    store.plan([(Work::Close, 0, ALWAYS)]);
    let events = web.post(&counting()).await.events().await;
    assert_eq!(events.len(), 7);
    assert_eq!(events[6].json()["result"]["content"][0]["text"], "counted to 5");
}

#[tokio::test]
async fn an_answer_is_written_once_more_if_that_fails_once() {
    let (store, web) = failing().await;
    store.plan([(Work::Append, 6, 1)]);
    let events = web.post(&counting()).await.events().await;
    assert_eq!(events.len(), 7);
    assert_eq!(events[6].json()["result"]["content"][0]["text"], "counted to 5");
}

#[tokio::test]
async fn a_session_goes_on_after_a_failure() {
    let (store, web) = failing().await;
    store.plan([(Work::Append, 0, 1)]);
    assert_eq!(web.post(&counting()).await.status, 500);
    // The first call still runs, so its id is in use, and this call needs another one.
    let other = call(2, "count", json!({ "to": 5, "pause_ms": 2 }));
    assert_eq!(web.post(&other).await.events().await.len(), 7);
}

#[tokio::test]
async fn a_listener_that_is_replaced_ends_although_the_store_does_not_take_it() {
    let (store, web) = failing().await;
    let mut first = web.get().await;
    first.event().await.expect("the first event");
    store.plan([(Work::Close, 0, 1)]);
    let mut second = web.get().await;
    assert_eq!(second.status, 200);
    second.event().await.expect("the first event");
    assert_eq!(first.event().await, None);
}

#[tokio::test]
async fn a_change_that_the_store_does_not_take_is_refused_and_can_be_asked_for_again() {
    let (store, web) = failing().await;
    let subscribe = request(1, "resources/subscribe", json!({ "uri": "a://1" }));
    store.plan([(Work::Save, 0, 1)]);
    let refused = web.post(&subscribe).await;
    assert_eq!((refused.status, refused.json().await), (500, failed(1)));
    assert_eq!(web.post(&subscribe).await.status, 200);
}

#[tokio::test]
async fn a_request_is_refused_by_its_id_if_its_session_can_not_be_looked_up_or_begun() {
    let (store, web) = failing().await;
    store.plan([(Work::Load, 0, 1), (Work::Create, 0, 1)]);
    let refused = web.with("mcp-session-id", "elsewhere").post(&request(7, "ping", json!({}))).await;
    assert_eq!((refused.status, refused.json().await), (500, failed(7)));
    let params = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    let new = web.with("mcp-session-id", "").with("mcp-protocol-version", "");
    let refused = new.post(&request(8, "initialize", params)).await;
    assert_eq!((refused.status, refused.json().await), (500, failed(8)));
    new.session(LEGACY).await;
}

#[tokio::test]
async fn a_call_keeps_its_answer_although_an_earlier_change_is_not_in_the_store_yet() {
    let (store, web) = failing().await;
    store.plan([(Work::Save, 0, 3)]);
    assert_eq!(web.post(&request(1, "resources/subscribe", json!({ "uri": "a://1" }))).await.status, 500);
    let answer = web.post(&call(2, "echo", json!({ "text": "a" }))).await;
    assert_eq!(answer.json().await["result"]["content"][0]["text"], "a");
    let events = web.post(&counting()).await.events().await;
    assert_eq!(events.len(), 7);
    // After this request, the change is in the store.
    assert_eq!(web.post(&request(3, "ping", json!({}))).await.status, 200);
    assert!(store.plans.lock().expect("no panic").is_empty());
    let record = store.load(&web.headers.iter().find(|it| it.0 == "mcp-session-id").expect("an id").1).await;
    let record = String::from_utf8(record.expect("a store").expect("a record")).expect("JSON");
    assert!(record.contains("a://1"), "{record}");
}

#[tokio::test]
async fn the_calls_of_a_batch_keep_their_answers_although_what_it_changed_is_not_in_the_store() {
    let (store, seen) = (Doubled::<Failing>::default(), Seen::default());
    let web = Web::new(Http::new(server(&seen)).store(store.clone())).session("2025-03-26").await;
    store.plan([(Work::Save, 0, 1)]);
    let batch = json!([
        request(1, "resources/subscribe", json!({ "uri": "a://1" })),
        call(2, "wait", json!({ "ms": 5 })),
    ]);
    let answers = web.post(&batch).await.json().await;
    assert_eq!(answers.as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_session_that_was_removed_is_gone_although_nobody_else_could_be_told() {
    let (store, web) = failing().await;
    store.plan([(Work::Publish, 0, ALWAYS)]);
    assert_eq!(web.send(Method::DELETE, Empty::new()).await.status, 204);
    assert_eq!(web.post(&request(1, "ping", json!({}))).await.status, 404);
}

#[tokio::test]
async fn a_call_goes_on_whose_response_was_given_up() {
    let (store, seen, web) = failing_seen().await;
    store.plan([(Work::Append, 0, ALWAYS)]);
    let both = json!({ "to": 1, "pause_ms": 1 });
    assert_eq!(web.post(&call(1, "count", both)).await.status, 500);
    // This call needs no event in the store.
    assert_eq!(web.post(&call(2, "wait", json!({ "ms": 10 }))).await.status, 200);
    assert_eq!((seen.running.load(Ordering::SeqCst), seen.dropped.load(Ordering::SeqCst)), (0, 0));
}

#[tokio::test]
async fn what_is_no_event_ends_a_stream_and_is_never_passed_over() {
    let (store, web) = failing().await;
    let mut answer = web.post(&counting()).await;
    let mut events = vec![answer.event().await.expect("an event"), answer.event().await.expect("an event")];
    *store.replaced.lock().expect("no panic") = Some(b"x: from another version".to_vec());
    while let Some(event) = answer.event().await {
        events.push(event);
    }
    assert!(events.len() < 7, "{events:?}");
    assert!(events.iter().all(|event| event.data.is_empty() || event.json().get("result").is_none()));
    let last = events.last().and_then(|event| event.id.as_deref()).expect("an id");
    // A client that resumes the stream gets an error, and therefore stops trying.
    assert_eq!(web.resume(last).await.status, 500);
}
