//! What a client does beyond asking: answers that are used again, lists page by page, the trace of a call.

mod script;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::model::{CacheHint, CacheScope, ElicitResult, Elicitation, SubscriptionFilter};
use plainwire::prelude::*;
use plainwire::proto::cursor::List;
use plainwire::proto::peer::EraChoice;
use plainwire::testing::{client_with, in_each_era};
use plainwire::transport::tap::{Direction, Tap};
use plainwire::{Client, ClientBuilder, Error, Stage};
use script::{MODERN, Script};
use serde_json::{Value, json};
use tokio::time::{advance, timeout};

const TTL: Duration = Duration::from_secs(60);

/// The methods of requests that went out, and the sizes of all frames.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(Direction, usize, Value)>>>);

impl Seen {
    fn tap(&self) -> Tap {
        let seen = Arc::clone(&self.0);
        Tap::new(move |frame| {
            let message = serde_json::from_slice(frame.bytes).expect("JSON");
            seen.lock().expect("no panic").push((frame.direction, frame.bytes.len(), message));
        })
    }

    /// How often `method` was asked for.
    fn asked(&self, method: &str) -> usize {
        let seen = self.0.lock().expect("no panic");
        seen.iter().filter(|(way, _, frame)| *way == Direction::Out && frame["method"] == method).count()
    }

    /// Bytes of the frames with this id.
    fn bytes(&self, way: Direction, id: u64) -> u64 {
        let seen = self.0.lock().expect("no panic");
        let found = seen.iter().filter(|(direction, _, frame)| *direction == way && frame["id"] == id);
        found.map(|(_, bytes, _)| *bytes as u64).sum()
    }
}

fn hint(scope: CacheScope) -> CacheHint {
    CacheHint { scope, ttl: TTL }
}

fn tool(name: &str) -> Tool {
    Tool::new(name, || async { "done" })
}

fn server() -> Server {
    Server::new("comforts")
        .cache(hint(CacheScope::Public))
        .tool(tool("one"))
        .resource(Resource::new("a:1", "one", || async { "1" }).subscribable())
        .resource(Resource::new("a:2", "two", || async { "2" }))
}

async fn connect(server: Server, builder: ClientBuilder) -> (Client, Seen) {
    let seen = Seen::default();
    let client = client_with(server, builder.tap(seen.tap())).await.expect("a connection");
    (client, seen)
}

fn modern() -> ClientBuilder {
    Client::builder().era(EraChoice::Modern)
}

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
async fn pages_come_when_they_are_wanted() {
    let five =
        ["a", "b", "c", "d", "e"].iter().fold(Server::new("five"), |server, name| server.tool(tool(name)));
    let (client, seen) = connect(five.page_size(2), modern()).await;
    let mut pages = client.pages(List::Tools);
    let mut sizes = Vec::new();
    while let Some(page) = pages.next_page().await.expect("a page") {
        sizes.push(page.entries.len());
        assert_eq!(seen.asked("tools/list"), sizes.len());
        let tools: Vec<plainwire::model::Tool> = page.read().expect("tools");
        assert_eq!(tools.len(), page.entries.len());
    }
    assert_eq!(sizes, [2, 2, 1]);
    assert!(pages.next_page().await.expect("the end").is_none());
    assert_eq!(client.list_tools().await.expect("tools").len(), 5);
}

#[tokio::test]
async fn a_cursor_that_the_server_has_forgotten_takes_its_pages_with_it() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let page = |name: &str, cursor: Value| {
        let tools = json!([{ "name": name, "inputSchema": { "type": "object" } }]);
        let mut page =
            json!({ "resultType": "complete", "tools": tools, "ttlMs": 60_000, "cacheScope": "public" });
        if !cursor.is_null() {
            page["nextCursor"] = cursor;
        }
        page
    };
    let serve = async {
        let (id, _) = script.expect("tools/list").await;
        script.answer(&id, page("old", json!("c1"))).await;
        let (id, params) = script.expect("tools/list").await;
        assert_eq!(params["cursor"], "c1");
        script.refuse(&id, -32602).await;
        let (id, params) = script.expect("tools/list").await;
        assert_eq!(params.get("cursor"), None);
        script.answer(&id, page("new", Value::Null)).await;
    };
    let (tools, ()) = tokio::join!(client.list_tools(), serve);
    let names: Vec<String> = tools.expect("tools").into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["new"]);
}

/// The names of the steps.
fn steps(trace: &plainwire::Trace) -> Vec<&'static str> {
    let name = |stage: &Stage| match stage {
        Stage::Called { .. } => "called",
        Stage::Resolved { .. } => "resolved",
        Stage::Checked { .. } => "checked",
        Stage::Encoded { .. } => "encoded",
        Stage::Sent { .. } => "sent",
        Stage::Progress { .. } => "progress",
        Stage::Asked { .. } => "asked",
        Stage::InputRequired { .. } => "input required",
        Stage::Answered { .. } => "answered",
        Stage::Decoded { .. } => "decoded",
        Stage::Failed { .. } => "failed",
        _ => "?",
    };
    trace.steps.iter().map(|step| name(&step.stage)).collect()
}

#[tokio::test]
async fn a_trace_has_each_step_with_its_bytes() {
    let (client, seen) = connect(server(), modern()).await;
    let (result, trace) = client.call_traced("one", json!({})).await;
    assert_eq!(result.expect("a result").content[0].as_text(), Some("done"));
    assert_eq!(steps(&trace), ["called", "encoded", "sent", "answered", "decoded"]);
    let ids: Vec<u64> = trace.ids().collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(trace.bytes_out, seen.bytes(Direction::Out, ids[0]));
    assert_eq!(trace.bytes_in, seen.bytes(Direction::In, ids[0]));
    assert!(trace.steps.is_sorted_by_key(|step| step.at) && trace.took >= trace.steps[4].at);
    assert_eq!(
        (trace.revision, trace.transport, trace.server.as_deref()),
        (Some(MODERN), Some("stream"), Some("comforts"))
    );
}

#[tokio::test]
async fn a_trace_shows_questions_as_each_era_asks_them() {
    let ask = async |ctx: Context| -> Result<String, ToolError> {
        let name: String = ctx.elicit("name", "Who are you?").await?.accepted()?;
        Ok(name)
    };
    let ada = async |_: Elicitation| ElicitResult::accept(json!({ "value": "Ada" }));
    let check = async |client: Client| {
        let (result, trace) = client.call_traced("ask", json!({})).await;
        result.expect("a result");
        let legacy = ["called", "encoded", "sent", "asked", "answered", "decoded"].to_vec();
        let rounds =
            ["called", "encoded", "sent", "input required", "encoded", "sent", "answered", "decoded"];
        let expected = if client.revision() == MODERN { rounds.to_vec() } else { legacy };
        assert_eq!(steps(&trace), expected);
        Ok(())
    };
    in_each_era(|| Server::new("asks").tool(Tool::new("ask", ask)), Client::builder().on_elicit(ada), check)
        .await
        .expect("both eras");
}

#[tokio::test]
async fn a_trace_keeps_some_progress_and_counts_the_rest() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let serve = async {
        let (id, params) = script.expect("tools/call").await;
        let token = &params["_meta"]["progressToken"];
        for n in 0..400 {
            script.notify("notifications/progress", json!({ "progressToken": token, "progress": n })).await;
        }
        script.done(&id).await;
    };
    let ((result, trace), ()) = tokio::join!(client.call_traced("x", json!({})), serve);
    result.expect("a result");
    let kept = steps(&trace).iter().filter(|step| **step == "progress").count() as u64;
    assert_eq!((kept, kept + trace.omitted), (253, 400), "256 steps with the first three");
    assert_eq!(steps(&trace).last(), Some(&"decoded"));
}

#[tokio::test]
async fn a_trace_of_a_call_that_failed_says_why() {
    let (client, script) = Script::connect(Client::builder(), MODERN).await;
    let (trace, ()) = tokio::join!(client.call_traced("x", json!({})), async {
        let mut script = script;
        script.expect("tools/call").await;
        drop(script);
    });
    assert!(matches!(trace.0, Err(Error::OutcomeUnknown { .. })));
    assert_eq!(steps(&trace.1), ["called", "encoded", "sent", "failed"]);
    let table = trace.1.to_string();
    assert!(table.starts_with("tools/call to the server, 2026-07-28 (modern) over stream\n"), "{table}");
    assert!(
        table.contains("failed          nobody knows whether") && table.contains("requests: 1; bytes: "),
        "{table}"
    );
}

#[tokio::test]
async fn what_a_legacy_server_says_of_freshness_means_nothing() {
    let (client, mut script) = Script::connect(Client::builder(), script::LEGACY).await;
    for _ in 0..2 {
        let (tools, ()) = tokio::join!(client.list_tools(), async {
            let (id, _) = script.expect("tools/list").await;
            script.answer(&id, json!({ "tools": [], "ttlMs": 60_000, "cacheScope": "public" })).await;
        });
        assert_eq!(tools.expect("tools").len(), 0);
    }
}
