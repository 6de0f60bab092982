//! Servers that are mounted in another server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::client::{Change, Client};
use plainwire::handler::Completing;
use plainwire::layer::{Next, Request};
use plainwire::model::{CacheHint, CacheScope, CompleteRequest, SubscriptionFilter};
use plainwire::prelude::*;
use plainwire::proto::cursor::List;
use plainwire::{layer, testing};
use serde_json::json;

struct Place(&'static str);

/// Returns a server whose tool and prompt return its state.
fn place(name: &'static str) -> Server {
    let tell = |place: State<Place>| async move { place.0 };
    Server::new(name).state(Place(name)).tool(Tool::new("tell", tell)).prompt(Prompt::new("ask", tell))
}

async fn names(client: &Client) -> Vec<String> {
    let tools = client.list_tools().await.expect("a list");
    tools.into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn two_servers_with_equal_names_and_types_of_state_are_one() {
    let server = Server::new("all").mount("moss", place("moss")).mount("fern", place("fern"));
    let client = testing::client(server).await.expect("a server");
    assert_eq!(names(&client).await, ["moss__tell", "fern__tell"]);
    for name in ["moss", "fern"] {
        let told = client.call::<String>(&format!("{name}__tell"), json!({})).await.expect("a text");
        let asked = client.get_prompt(&format!("{name}__ask"), json!({})).await.expect("a prompt");
        assert_eq!((told.as_str(), asked.messages[0].content.as_text()), (name, Some(name)));
    }
}

#[tokio::test]
async fn a_server_in_a_server_in_a_server_has_both_prefixes_and_its_own_state() {
    let inner = Server::new("garden").state(Place("garden")).mount("fern", place("fern"));
    let inner = inner.tool(Tool::new("t", || async { "t" }));
    let server = Server::new("all").mount("garden", inner).mount("", place("plain"));
    let client = testing::client(server).await.expect("a server");
    assert_eq!(names(&client).await, ["garden__fern__tell", "garden__t", "tell"]);
    assert_eq!(client.call::<String>("garden__fern__tell", json!({})).await.expect("a text"), "fern");
    assert_eq!(client.call::<String>("tell", json!({})).await.expect("a text"), "plain");
}

#[tokio::test]
async fn layers_of_the_mounted_server_see_the_names_that_they_know() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noting = |who: &'static str| {
        let seen = Arc::clone(&seen);
        move |request: Request, next: Next| {
            seen.lock().expect("no panic before").push(format!("{who} {}", request.name()));
            next.run(request)
        }
    };
    let tool = |name| Tool::new(name, || async { "t" });
    let inner = Server::new("i").layer(noting("inner")).tool(tool("t").layer(noting("tool")));
    let server = Server::new("all").layer(noting("outer")).mount("m", inner).tool(tool("own"));
    let client = testing::client(server).await.expect("a server");
    client.call_tool("m__t", json!({})).await.expect("a result");
    client.call_tool("own", json!({})).await.expect("a result");
    assert_eq!(*seen.lock().expect("no panic before"), ["outer m__t", "inner t", "tool t", "outer own"]);
}

#[derive(Deserialize, JsonSchema)]
struct Ask {
    what: String,
}

#[tokio::test]
async fn entries_keep_the_deadline_the_mask_and_the_cache_hint_of_their_server() {
    let slow = || async { std::future::pending::<String>().await };
    let fails =
        || async { Err::<String, ToolError>("a secret".parse::<u8>().expect_err("no number").into()) };
    let hint = CacheHint { scope: CacheScope::Private, ttl: Duration::from_secs(60) };
    let completing = Prompt::new("p", |it: Ask| async move { it.what })
        .complete("what", |_: Completing| async { Err::<Vec<String>, _>(ToolError::from("a secret")) });
    let deny = |request: Request, next: Next| async move {
        if request.name() == "denied" { Err(ToolError::from("a secret")) } else { next.run(request).await }
    };
    let never = Prompt::new("slow", |it: Ask| async move { it.what })
        .complete("what", |_: Completing| async { std::future::pending::<Vec<String>>().await });
    let inner = Server::new("i")
        .timeout(Duration::from_millis(20))
        .mask_errors()
        .layer(deny)
        .tool(Tool::new("denied", || async { "never" }))
        .prompt(never)
        .cache(hint)
        .tool(Tool::new("slow", slow))
        .tool(Tool::new("fails", fails))
        .prompt(completing)
        .resource(Resource::new("a://b", "b", || async { "b" }));
    let client = testing::client(Server::new("all").mount("m", inner)).await.expect("a server");
    let late = client.call_tool("m__slow", json!({})).await.expect("a result");
    let text = "expected the tool `m__slow` to end within 20ms, but it did not";
    assert_eq!(late.content[0].as_text(), Some(text));
    let failed = client.call_tool("m__fails", json!({})).await.expect("a result");
    assert_eq!(failed.content[0].as_text(), Some("the call failed; the log of the server says why"));
    let denied = client.call_tool("m__denied", json!({})).await.expect("a result");
    assert_eq!(denied.content[0].as_text(), Some("the call failed; the log of the server says why"));
    let late = client.complete(&CompleteRequest::prompt("m__slow", "what", "")).await.expect_err("too slow");
    assert!(late.to_string().contains("within 20ms"), "{late}");
    let error = client.complete(&CompleteRequest::prompt("m__p", "what", "")).await.expect_err("an error");
    assert!(!error.to_string().contains("secret"), "{error}");
    let read = client.request("resources/read", r#"{"uri":"a://b"}"#).await.expect("a resource");
    assert!(read.get().contains(r#""ttlMs":60000"#), "{read}");
}

#[tokio::test]
async fn a_handle_of_the_mounted_server_changes_the_server_around_it() {
    let mut inner = place("moss");
    let handle = inner.handle();
    let text = || async { "text" };
    let server = Server::new("all").mount("m", inner).tool(Tool::new("own", text));
    let server = server.resource(Resource::new("a://other", "other", text));
    let client = testing::client(server).await.expect("a server");
    handle.add_resource(Resource::new("a://b", "b", text).subscribable()).expect("legal");
    let wanted = SubscriptionFilter {
        resource_subscriptions: vec!["a://b".into()],
        tools_list_changed: true,
        ..SubscriptionFilter::default()
    };
    let mut changes = client.listen(wanted).await.expect("a subscription");
    handle.add_tool(Tool::new("new", |place: State<Place>| async move { place.0 })).expect("legal");
    assert_eq!(changes.next().await, Some(Change::List(List::Tools)));
    assert_eq!(names(&client).await, ["m__tell", "own", "m__new"]);
    assert_eq!(client.call::<String>("m__new", json!({})).await.expect("a text"), "moss");
    assert!(!handle.remove_tool("own") && !handle.remove_resource("a://other"), "not of the mounted server");
    assert!(handle.remove_tool("tell") && !handle.remove_tool("tell"));
    assert_eq!(changes.next().await, Some(Change::List(List::Tools)));
    assert_eq!(names(&client).await, ["own", "m__new"]);
    handle.notify_resource_updated("a://b");
    assert_eq!(changes.next().await, Some(Change::Resource("a://b".into())));
}

#[tokio::test]
async fn hooks_instructions_logging_and_extensions_are_kept() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let hook = |what: &'static str| {
        let ran = Arc::clone(&ran);
        move || async move {
            ran.lock().expect("no panic before").push(what);
            Ok(())
        }
    };
    let inner = |name: &'static str| Server::new(name).instructions(format!("How to {name}.")).logging();
    let moss = inner("moss").mount("deep", inner("deep")).extension("e.x/a", json!({ "of": "moss" }));
    let server = Server::new("all")
        .mount("moss", moss)
        .mount("", inner("fern").on_start(hook("start")).on_shutdown(hook("end")))
        .extension("e.x/b", json!({}))
        .instructions("How to use all.");
    let (near, far) = tokio::io::duplex(64 * 1024);
    let ((near_in, near_out), (far_in, far_out)) = (tokio::io::split(near), tokio::io::split(far));
    let mut serving = tokio::task::JoinSet::new();
    serving.spawn(server.serve(far_in, far_out));
    let client = Client::builder().streams(near_in, near_out).await.expect("a server");
    let hello = client.hello();
    let expected = "How to use all.\n\nmoss: How to moss.\n\nmoss__deep: How to deep.\n\nHow to fern.";
    assert_eq!(hello.instructions.as_deref(), Some(expected));
    assert!(hello.capabilities.has("logging"));
    assert_eq!(hello.capabilities.extension("e.x/a"), Some(&json!({ "of": "moss" })));
    assert!(hello.capabilities.extension("e.x/b").is_some());
    client.close().await;
    serving.join_next().await.expect("a server").expect("no panic").expect("a clean end");
    assert_eq!(*ran.lock().expect("no panic before"), ["start", "end"]);
}

#[tokio::test]
async fn mistakes_are_found_when_serving_begins() {
    let needs = Server::new("a").tool(Tool::new("t", |it: State<Place>| async move { it.0 }));
    for (server, why) in [
        (Server::new("all").mount("", place("a")).mount("", place("b")), "expected the name once"),
        (Server::new("all").mount("a b", place("a")), "expected the prefix of `mount` to have only"),
        (Server::new("all").state(Place("outer")).mount("a", needs), "expected the server to have the state"),
        (Server::new("all").mount("a", place("a").state(Place("b"))), "expected one state of the type"),
    ] {
        let error = testing::client(server).await.expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test]
async fn a_layer_of_the_framework_works_in_a_mounted_server() {
    let inner = Server::new("i").layer(layer::trace()).tool(Tool::new("t", || async { "t" }));
    let client = testing::client(Server::new("all").mount("m", inner)).await.expect("a server");
    assert_eq!(client.call::<String>("m__t", json!({})).await.expect("a text"), "t");
}

#[tokio::test]
async fn a_handle_may_add_entries_before_serving_begins() {
    let mut inner = place("moss");
    let handle = inner.handle();
    let server = Server::new("all").state(Place("outer")).mount("m", inner);
    handle.add_tool(Tool::new("early", || async { "early" })).expect("legal");
    let server = server.tool(Tool::new("own", |place: State<Place>| async move { place.0 }));
    let client = testing::client(server).await.expect("a server");
    assert_eq!(client.call::<String>("own", json!({})).await.expect("a text"), "outer");
    assert_eq!(client.call::<String>("m__early", json!({})).await.expect("a text"), "early");
}
