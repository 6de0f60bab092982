//! Staying in touch: subscriptions, listens, a catalog that changes, log messages, completions, progress at a bearable
//! rate, and clients that fall silent.

mod raw;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainwire::model::{ElicitResult, Elicitation};
use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use plainwire::{Client, Completing, ServerHandle};
use raw::{LEGACY, PATIENCE, Raw, call, cancel, error, error_with_data, ping, pong, request, result, text};
use serde_json::Value;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

const MODERN: &str = "2026-07-28";

const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN];

#[derive(Deserialize, JsonSchema)]
struct Item {
    /// Which one.
    id: String,
}

/// A server with resources of which some can be subscribed to.
fn items() -> Server {
    Server::new("items")
        .resource(Resource::new("item://first", "first", || async { "1" }).subscribable())
        .resource(Resource::new("item://fixed", "fixed", || async { "0" }))
        .resource_template(
            ResourceTemplate::new("item://all/{id}", "items", |it: Item| async move { it.id }).subscribable(),
        )
}

fn subscribe(uri: &str) -> String {
    request(LEGACY, "1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#))
}

fn listen(id: &str, filter: &str) -> String {
    request(MODERN, id, "subscriptions/listen", &format!(r#"{{"notifications":{filter}}}"#))
}

fn plain(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#)
}

/// A notification on a listen; `more` are further members, each behind a comma.
fn tagged(method: &str, id: &str, more: &str) -> String {
    plain(method, &format!(r#"{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}{more}}}"#))
}

fn updated(uri: &str) -> String {
    plain("resources/updated", &format!(r#"{{"uri":"{uri}"}}"#))
}

/// Waits until the server has nothing more to say for now.
async fn settled(raw: &mut Raw, revision: &str) -> Vec<String> {
    let mut said = Vec::new();
    raw.send(&request(revision, "\"settled\"", "tools/list", "{}")).await;
    loop {
        let line = raw.line().await;
        if line.contains("\"settled\"") {
            return said;
        }
        said.push(line);
    }
}

/// What the server declared.
async fn capabilities(server: Server) -> Value {
    let mut raw = Raw::connect(server);
    let hello: Value = serde_json::from_str(&raw.ask(&raw::initialize(LEGACY)).await).expect("JSON");
    hello["result"]["capabilities"].clone()
}

#[tokio::test]
async fn a_session_hears_of_resources_that_exist_and_can_be_subscribed_to() {
    let mut server = items();
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    for uri in ["item://first", "item://all/7"] {
        assert_eq!(raw.ask(&subscribe(uri)).await, result("1", "{}"));
        handle.notify_resource_updated("item://fixed");
        handle.notify_resource_updated(uri);
        assert_eq!(raw.line().await, updated(uri));
    }
    let said = r#"expected `uri` to be a known resource, but found "item://none""#;
    assert_eq!(
        raw.ask(&subscribe("item://none")).await,
        error_with_data("1", -32002, said, r#"{"uri":"item://none"}"#)
    );
    let said = r#"expected `uri` to be a resource that can be subscribed to, but found "item://fixed""#;
    assert_eq!(raw.ask(&subscribe("item://fixed")).await, error("1", -32602, said));
    let none = request(LEGACY, "1", "resources/unsubscribe", r#"{"uri":"item://first"}"#);
    assert_eq!(raw.ask(&none).await, result("1", "{}"));
    handle.notify_resource_updated("item://first");
    assert_eq!(raw.end().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_listen_hears_of_what_it_was_promised_and_of_nothing_else() {
    let mut server = items();
    let handle = server.handle();
    let mut raw = Raw::session(server, MODERN).await;
    let filter = r#"{"resourceSubscriptions":["item://first","item://fixed","item://none","item://all/7"]}"#;
    let agreed = r#","notifications":{"resourceSubscriptions":["item://first","item://all/7"]}"#;
    assert_eq!(
        raw.ask(&listen("\"l\"", filter)).await,
        tagged("subscriptions/acknowledged", "\"l\"", agreed)
    );
    handle.notify_resource_updated("item://fixed");
    handle.add_tool(Tool::new("new", || async { "new" })).expect("a legal tool");
    handle.notify_resource_updated("item://all/7");
    assert_eq!(raw.line().await, tagged("resources/updated", "\"l\"", r#","uri":"item://all/7""#));
    raw.send(&cancel("\"l\"")).await;
    assert_eq!(settled(&mut raw, MODERN).await, [""; 0]);
    handle.notify_resource_updated("item://all/7");
    assert_eq!(raw.end().await, Vec::<String>::new());
}

#[tokio::test]
async fn calls_say_what_has_changed() {
    let touch = Tool::new("touch", |ctx: Context| async move {
        ctx.notify_resource_updated("item://first");
        "touched"
    });
    let mut raw = Raw::session(items().tool(touch), LEGACY).await;
    assert_eq!(raw.ask(&call("2", "touch", "{}")).await, text("2", "touched"), "nobody has subscribed");
    raw.ask(&subscribe("item://first")).await;
    raw.send(&call("3", "touch", "{}")).await;
    let mut said = [raw.line().await, raw.line().await];
    said.sort();
    let mut expected = [text("3", "touched"), updated("item://first")];
    expected.sort();
    assert_eq!(said, expected);
}

#[tokio::test]
async fn a_server_declares_what_it_can_do_and_no_more() {
    let plain = Server::new("s").resource(Resource::new("a://1", "a", || async { "1" }));
    assert_eq!(capabilities(plain).await, serde_json::json!({ "resources": {} }));
    let subscribable = serde_json::json!({ "resources": { "subscribe": true } });
    assert_eq!(capabilities(items()).await, subscribable);
    let mut empty = Server::new("s").logging();
    let _ = empty.handle();
    let all = serde_json::json!({
        "logging": {},
        "prompts": { "listChanged": true },
        "resources": { "listChanged": true, "subscribe": true },
        "tools": { "listChanged": true },
    });
    assert_eq!(capabilities(empty).await, all);
}

#[tokio::test]
async fn what_is_added_can_be_listed_and_called_and_what_is_removed_is_gone() {
    for revision in [LEGACY, MODERN] {
        let mut server = Server::new("s");
        let handle = server.handle();
        let early = || async { "early" };
        handle.add_tool(Tool::new("early", early)).expect("before serving");
        handle.add_tool(Tool::new("gone", early)).expect("before serving");
        assert!(handle.remove_tool("gone") && !handle.remove_tool("gone"));
        let mut raw = Raw::session(server, revision).await;
        if revision == MODERN {
            raw.ask(&listen("0", r#"{"toolsListChanged":true}"#)).await;
        }
        assert_eq!(settled(&mut raw, revision).await, [""; 0], "nothing has changed since it serves");
        handle.add_tool(Tool::new("late", || async { "late" })).expect("a legal tool");
        let changed = match revision {
            MODERN => tagged("tools/list_changed", "0", ""),
            _ => plain("tools/list_changed", "{}"),
        };
        assert_eq!(raw.line().await, changed);
        let listed = raw.ask(&request(revision, "1", "tools/list", "{}")).await;
        assert!(listed.contains(r#""name":"early""#) && listed.contains(r#""name":"late""#), "{listed}");
        assert!(!listed.contains("gone"), "{listed}");
        let late = raw.ask(&request(revision, "1", "tools/call", r#"{"name":"late"}"#)).await;
        assert!(late.contains(r#""text":"late""#), "{late}");
        assert!(handle.remove_tool("late"));
        assert_eq!(raw.line().await, changed);
        let said = r#"expected `name` to be a tool of this server, but found "late""#;
        let late = raw.ask(&request(revision, "1", "tools/call", r#"{"name":"late"}"#)).await;
        assert_eq!(late, error("1", -32602, said));
    }
}

#[tokio::test]
async fn every_list_can_change_and_says_so() {
    let mut server = Server::new("s");
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    let template = || ResourceTemplate::new("a://all/{id}", "all", |it: Item| async move { it.id });
    settled(&mut raw, LEGACY).await;
    handle.add_prompt(Prompt::new("p", || async { "p" })).expect("a prompt");
    assert_eq!(raw.line().await, plain("prompts/list_changed", "{}"));
    handle.add_resource(Resource::new("a://1", "1", || async { "1" })).expect("a resource");
    assert_eq!(raw.line().await, plain("resources/list_changed", "{}"));
    handle.add_resource_template(template()).expect("a template");
    assert_eq!(raw.line().await, plain("resources/list_changed", "{}"));
    let read = raw.ask(&request(LEGACY, "1", "resources/read", r#"{"uri":"a://all/x"}"#)).await;
    assert!(read.contains(r#""text":"x""#), "{read}");
    assert!(handle.remove_resource_template("a://all/{id}"));
    assert_eq!(raw.line().await, plain("resources/list_changed", "{}"));
    assert!(handle.remove_prompt("p") && handle.remove_resource("a://1"));
    assert_eq!(raw.line().await, plain("prompts/list_changed", "{}"));
    assert_eq!(raw.line().await, plain("resources/list_changed", "{}"));
    assert!(!handle.remove_prompt("p") && !handle.remove_resource("a://1"));
    assert_eq!(raw.end().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_is_no_legal_declaration_is_refused_at_run_time_too_and_changes_nothing() {
    let mut server = Server::new("s").tool(Tool::new("t", || async { "t" }));
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    settled(&mut raw, LEGACY).await;
    let said = |result: Result<()>| result.expect_err("a mistake").to_string();
    let twice = said(handle.add_tool(Tool::new("t", || async { "t" })));
    assert!(twice.starts_with("tool `t`: expected the name once, but it is also declared at"), "{twice}");
    let illegal = said(handle.add_tool(Tool::new("a b", || async { "t" })));
    assert!(
        illegal.contains("tests/touch.rs") && illegal.contains("expected a name of 1 to 128"),
        "{illegal}"
    );
    let no_uri = said(handle.add_resource(Resource::new("no-uri", "x", || async { "t" })));
    assert!(no_uri.contains("begins with a scheme"), "{no_uri}");
    let prompt = |it: Item| async move { it.id };
    let completes = Prompt::new("p", prompt).complete("id", |_: Completing| async { Vec::new() });
    let late = said(handle.add_prompt(completes));
    assert!(late.starts_with("expected no completions"), "{late}");
    handle.add_prompt(Prompt::new("p", prompt)).expect("without completions");
    assert_eq!(raw.line().await, plain("prompts/list_changed", "{}"));
    assert_eq!(raw.end().await, Vec::<String>::new());
    let gone = said(handle.add_tool(Tool::new("u", || async { "u" })));
    assert_eq!(gone, "the connection ended: the server has ended");
    assert!(!handle.remove_tool("t"));
}

#[tokio::test]
async fn a_call_goes_on_with_the_tool_it_began_with() {
    let go = Arc::new(Notify::new());
    let waiting = Arc::clone(&go);
    let mut server = Server::new("s");
    let handle = server.handle();
    let mine: ServerHandle = handle.clone();
    let server = server.tool(Tool::new("slow", move || {
        let (waiting, mine) = (Arc::clone(&waiting), mine.clone());
        async move {
            mine.remove_tool("slow");
            waiting.notified().await;
            "still here"
        }
    }));
    let mut raw = Raw::session(server, LEGACY).await;
    raw.send(&call("1", "slow", "{}")).await;
    assert_eq!(raw.line().await, plain("tools/list_changed", "{}"));
    let said = r#"expected `name` to be a tool of this server, but found "slow""#;
    assert_eq!(raw.ask(&call("2", "slow", "{}")).await, error("2", -32602, said));
    go.notify_one();
    assert_eq!(raw.line().await, text("1", "still here"));
}

#[tokio::test]
async fn a_cursor_is_good_for_the_list_as_it_was() {
    let mut server = Server::new("s").page_size(1);
    let handle = server.handle();
    for name in ["a", "b", "c"] {
        handle.add_tool(Tool::new(name, || async { "" })).expect("a tool");
    }
    let mut raw = Raw::session(server, MODERN).await;
    let first: Value =
        serde_json::from_str(&raw.ask(&request(MODERN, "1", "tools/list", "{}")).await).expect("JSON");
    let cursor = first["result"]["nextCursor"].as_str().expect("a second page").to_owned();
    let second = request(MODERN, "1", "tools/list", &format!(r#"{{"cursor":"{cursor}"}}"#));
    assert!(raw.ask(&second).await.contains(r#""name":"b""#));
    handle.remove_tool("c");
    let refused = raw.ask(&second).await;
    assert!(refused.contains("-32602") && refused.contains("expected `cursor`"), "{refused}");
    handle.add_tool(Tool::new("c", || async { "" })).expect("a tool");
    assert!(raw.ask(&second).await.contains(r#""name":"b""#), "the same list again");
}

#[tokio::test]
async fn a_hundred_thousand_changes_are_told_once_to_whoever_did_not_read_meanwhile() {
    let mut server = items();
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    raw.ask(&subscribe("item://first")).await;
    raw.ask(&subscribe("item://all/1")).await;
    for n in 0..100_000 {
        handle.notify_resource_updated(["item://first", "item://all/1", "item://all/2"][n % 3]);
    }
    let said = settled(&mut raw, LEGACY).await;
    assert_eq!(said, [updated("item://first"), updated("item://all/1")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_without_end_starve_no_calls() {
    let mut server = items().tool(Tool::new("t", || async { "t" }));
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    raw.ask(&subscribe("item://first")).await;
    let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let publisher = {
        let over = Arc::clone(&over);
        std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                handle.notify_resource_updated("item://first");
            }
        })
    };
    for id in 10..60 {
        raw.send(&call(&id.to_string(), "t", "{}")).await;
        let (expected, mut lines) = (text(&id.to_string(), "t"), 0);
        while raw.line().await != expected {
            lines += 1;
            assert!(lines < 100_000, "the call is starved");
        }
    }
    over.store(true, Ordering::Relaxed);
    publisher.join().expect("a publisher that does not panic");
}

#[tokio::test]
async fn listens_end_with_a_result_when_the_server_ends_and_hold_up_nothing() {
    let mut server = items().drain(2 * PATIENCE);
    let handle = server.handle();
    let mut raw = Raw::session(server, MODERN).await;
    raw.ask(&listen("1", r#"{"toolsListChanged":true}"#)).await;
    raw.ask(&listen("\"1\"", "{}")).await;
    handle.add_tool(Tool::new("t", || async { "t" })).expect("a tool");
    let ended = |id: &str| {
        let info = r#""io.modelcontextprotocol/serverInfo":{"name":"items","version":"0.0.0"}"#;
        let tag = format!(r#""io.modelcontextprotocol/subscriptionId":{id}"#);
        result(id, &format!(r#"{{"resultType":"complete","_meta":{{{info},{tag}}}}}"#))
    };
    let rest = timeout(Duration::from_secs(2), raw.end()).await.expect("an end without any drain");
    assert_eq!(rest, [tagged("tools/list_changed", "1", ""), ended("1"), ended("\"1\"")]);
}

#[tokio::test]
async fn listens_live_as_long_as_calls_that_still_run() {
    let touch = Tool::new("touch", |ctx: Context| async move {
        sleep(Duration::from_millis(20)).await;
        ctx.notify_resource_updated("item://first");
        sleep(Duration::from_millis(20)).await;
        "touched"
    });
    let mut raw = Raw::session(items().tool(touch), MODERN).await;
    raw.ask(&listen("1", r#"{"resourceSubscriptions":["item://first"]}"#)).await;
    raw.send(&request(MODERN, "2", "tools/call", r#"{"name":"touch"}"#)).await;
    let rest = raw.end().await;
    assert_eq!(rest.len(), 3, "{rest:?}");
    assert_eq!(rest[0], tagged("resources/updated", "1", r#","uri":"item://first""#));
    assert!(rest[1].contains("touched") && rest[2].contains(r#""id":1,"result""#), "{rest:?}");
}

fn message(level: &str, more: &str, data: &str) -> String {
    plain("message", &format!(r#"{{"level":"{level}",{more}"data":{data}}}"#))
}

fn set_level(level: &str) -> String {
    request(LEGACY, "9", "logging/setLevel", &format!(r#"{{"level":"{level}"}}"#))
}

/// A call that asks for log messages and progress.
fn asking(revision: &str, level: &str, tool: &str) -> String {
    let params = format!(r#"{{"name":"{tool}"}}"#);
    let plain = request(revision, "1", "tools/call", &params);
    if revision == MODERN {
        let meta = format!(r#""_meta":{{"progressToken":"t","io.modelcontextprotocol/logLevel":"{level}","#);
        plain.replace(r#""_meta":{"#, &meta)
    } else {
        plain.replace(
            &params[1..params.len() - 1],
            &format!(r#""name":"{tool}","_meta":{{"progressToken":"t"}}"#),
        )
    }
}

/// A value that counts how often it is serialised.
struct Counted(Arc<AtomicUsize>);

impl Serialize for Counted {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.fetch_add(1, Ordering::SeqCst);
        serializer.serialize_str("counted")
    }
}

#[tokio::test]
async fn log_messages_keep_their_place_between_progress_and_answer() {
    for steps in [false, true] {
        let tool = Tool::new("t", move |ctx: Context| async move {
            for n in 1..=2 {
                ctx.log(LogLevel::Info, format!("step {n}"));
                if steps {
                    tokio::task::yield_now().await;
                }
                ctx.progress(n.into(), None, None);
                ctx.log_as("db", LogLevel::Error, serde_json::json!({ "n": n }));
            }
            "done"
        });
        let server = Server::new("s").logging().tool(tool);
        let mut raw = Raw::session(server, LEGACY).await;
        raw.send(&asking(LEGACY, "", "t")).await;
        for n in 1..=2 {
            assert_eq!(raw.line().await, message("info", "", &format!("\"step {n}\"")));
            let report = format!(r#"{{"progressToken":"t","progress":{n}}}"#);
            assert_eq!(raw.line().await, plain("progress", &report));
            assert_eq!(raw.line().await, message("error", r#""logger":"db","#, &format!(r#"{{"n":{n}}}"#)));
        }
        assert_eq!(raw.line().await, text("1", "done"));
    }
}

#[tokio::test]
async fn messages_that_nobody_wants_are_not_even_serialised() {
    for revision in REVISIONS {
        let counted = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&counted);
        let tool = Tool::new("t", move |ctx: Context| {
            ctx.log(LogLevel::Debug, Counted(Arc::clone(&counter)));
            ctx.log(LogLevel::Warning, Counted(Arc::clone(&counter)));
            async { "done" }
        });
        let silent = Server::new("s").tool(tool.clone());
        let mut raw = Raw::session(silent, revision).await;
        let answer = raw.ask(&asking(revision, "debug", "t")).await;
        assert!(answer.contains("done"), "{answer}");
        assert_eq!(counted.load(Ordering::SeqCst), 0, "{revision}: the server does not offer logging");

        let mut raw = Raw::session(Server::new("s").logging().tool(tool), revision).await;
        if revision == MODERN {
            let answer = raw.ask(&request(revision, "1", "tools/call", r#"{"name":"t"}"#)).await;
            assert!(answer.contains("done"), "{answer}");
            assert_eq!(counted.load(Ordering::SeqCst), 0, "the request does not ask for messages");
        }
        assert_eq!(
            raw.ask(&asking(revision, "info", "t")).await,
            message("warning", "", "\"counted\""),
            "{revision}"
        );
        assert_eq!(counted.swap(0, Ordering::SeqCst), 1);
        assert!(raw.line().await.contains("done"));
    }
}

#[tokio::test]
async fn a_new_level_holds_for_calls_that_run_already() {
    for (level, expected) in
        [("error", vec![("error", 3)]), ("debug", vec![("debug", 1), ("warning", 2), ("error", 3)])]
    {
        let (go, begun) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (waiting, begins) = (Arc::clone(&go), Arc::clone(&begun));
        let tool = Tool::new("t", move |ctx: Context| {
            let (waiting, begins) = (Arc::clone(&waiting), Arc::clone(&begins));
            async move {
                begins.notify_one();
                waiting.notified().await;
                ctx.log(LogLevel::Debug, 1);
                ctx.log(LogLevel::Warning, 2);
                ctx.log(LogLevel::Error, 3);
                "done"
            }
        });
        let mut raw = Raw::session(Server::new("s").logging().tool(tool), LEGACY).await;
        raw.send(&call("1", "t", "{}")).await;
        timeout(PATIENCE, begun.notified()).await.expect("a call that begins");
        assert_eq!(raw.ask(&set_level(level)).await, result("9", "{}"));
        go.notify_one();
        for (level, data) in expected {
            assert_eq!(raw.line().await, message(level, "", &data.to_string()));
        }
        assert_eq!(raw.line().await, text("1", "done"));
    }
}

#[tokio::test]
async fn refuses_a_level_that_there_is_not() {
    let mut raw = Raw::session(Server::new("s").logging(), LEGACY).await;
    let said = "expected `level` to be one of debug, info, notice, warning, error, critical, alert, emergency, but found \"loud\"";
    assert_eq!(raw.ask(&set_level("loud")).await, error("9", -32602, said));
}

#[tokio::test]
async fn a_flood_of_log_messages_is_cut_and_says_by_how_much() {
    let tool = Tool::new("flood", |ctx: Context| async move {
        for n in 0..3_000 {
            ctx.log(if n == 2_000 { LogLevel::Error } else { LogLevel::Info }, n);
        }
        tokio::task::yield_now().await;
        "flooded"
    });
    let late = Tool::new("late", |ctx: Context| async move {
        tokio::task::yield_now().await;
        for n in 0..1_030 {
            ctx.log(LogLevel::Info, n);
        }
        sleep(Duration::from_millis(20)).await;
        ctx.log(LogLevel::Info, "after");
        "late"
    });
    let mut raw = Raw::session(Server::new("s").logging().tool(tool).tool(late), LEGACY).await;
    raw.send(&call("1", "flood", "{}")).await;
    for n in 0..1_024 {
        assert_eq!(raw.line().await, message("info", "", &n.to_string()));
    }
    assert_eq!(raw.line().await, message("error", "", "\"1976 log messages were left out\""));
    assert_eq!(raw.line().await, text("1", "flooded"));
    raw.send(&call("1", "late", "{}")).await;
    for n in 0..1_024 {
        assert_eq!(raw.line().await, message("info", "", &n.to_string()));
    }
    assert_eq!(raw.line().await, message("info", "", "\"6 log messages were left out\""));
    assert_eq!(raw.line().await, message("info", "", "\"after\""), "there is room again");
    assert_eq!(raw.line().await, text("1", "late"));
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only their names count")]
struct Review {
    language: String,
    framework: Option<String>,
    many: Option<String>,
    plain: Option<String>,
    panics: Option<String>,
    fails: Option<String>,
    slow: Option<String>,
}

fn completing() -> Server {
    let review = Prompt::new("review", |it: Review| async move { it.language })
        .complete("language", |it: Completing| async move {
            let known = ["rust", "ruby", "go"].map(String::from);
            known.into_iter().filter(|name| name.starts_with(&it.value)).collect::<Vec<_>>()
        })
        .complete("framework", |it: Completing| async move {
            tokio::task::yield_now().await;
            vec![format!("{}-{}", it.arguments.get("language").cloned().unwrap_or_default(), it.value)]
        })
        .complete("many", |_: Completing| async { (0..101).map(|n| n.to_string()).collect::<Vec<_>>() })
        .complete("panics", |_: Completing| async { if true { panic!("secret") } else { Vec::new() } })
        .complete("fails", |_: Completing| async { Err::<Vec<String>, _>(ToolError::failed("no luck")) })
        .complete("slow", |_: Completing| async {
            sleep(2 * PATIENCE).await;
            Vec::new()
        });
    let file = ResourceTemplate::new("item://all/{id}", "items", |it: Item| async move { it.id })
        .complete("id", |it: Completing| async move { vec![it.value + "7"] });
    Server::new("s")
        .prompt(review)
        .resource_template(file)
        .resource(Resource::new("item://first", "first", || async { "1" }))
        .timeout(Duration::from_millis(50))
}

fn complete(revision: &str, reference: &str, name: &str, value: &str, context: &str) -> String {
    let params =
        format!(r#"{{"ref":{reference},"argument":{{"name":"{name}","value":"{value}"}}{context}}}"#);
    request(revision, "1", "completion/complete", &params)
}

const REVIEW: &str = r#"{"type":"ref/prompt","name":"review"}"#;

/// The `completion` of an answer.
fn completion(answer: &str) -> Value {
    let answer: Value = serde_json::from_str(answer).expect("JSON");
    answer["result"]["completion"].clone()
}

#[tokio::test]
async fn completes_arguments_and_variables_in_every_revision() {
    for revision in REVISIONS {
        let mut raw = Raw::session(completing(), revision).await;
        let answer = raw.ask(&complete(revision, REVIEW, "language", "ru", "")).await;
        let expected = serde_json::json!({ "values": ["rust", "ruby"], "total": 2, "hasMore": false });
        assert_eq!(completion(&answer), expected, "{answer}");
        let context = r#","context":{"arguments":{"language":"rust"}}"#;
        let answer = raw.ask(&complete(revision, REVIEW, "framework", "x", context)).await;
        assert_eq!(completion(&answer)["values"], serde_json::json!(["rust-x"]));
        let answer = raw.ask(&complete(revision, REVIEW, "many", "", "")).await;
        let many = completion(&answer);
        assert_eq!(many["values"].as_array().map(Vec::len), Some(100));
        assert_eq!((&many["total"], &many["hasMore"]), (&Value::from(101), &Value::from(true)));
        let file = r#"{"type":"ref/resource","uri":"item://all/{id}"}"#;
        let answer = raw.ask(&complete(revision, file, "id", "4", "")).await;
        assert_eq!(completion(&answer)["values"], serde_json::json!(["47"]));
        let first = r#"{"type":"ref/resource","uri":"item://first"}"#;
        for (reference, argument) in [(REVIEW, "plain"), (REVIEW, "unheard-of"), (first, "id")] {
            let answer = raw.ask(&complete(revision, reference, argument, "", "")).await;
            let expected = serde_json::json!({ "values": [], "total": 0, "hasMore": false });
            assert_eq!(completion(&answer), expected, "{argument}");
        }
    }
}

#[tokio::test]
async fn refuses_to_complete_what_there_is_not() {
    let mut raw = Raw::session(completing(), LEGACY).await;
    for (reference, said) in [
        (
            r#"{"type":"ref/prompt","name":"x"}"#,
            "expected `name` to be a prompt of this server, but found \"x\"",
        ),
        (
            r#"{"type":"ref/resource","uri":"b://{x}"}"#,
            "expected `ref.uri` to be a resource template of this server, but found \"b://{x}\"",
        ),
        (r#"{"type":"ref/prompt"}"#, "expected `ref.name` to be a string, but found nothing"),
    ] {
        assert_eq!(raw.ask(&complete(LEGACY, reference, "language", "", "")).await, error("1", -32602, said));
    }
    let answer = raw.ask(&request(LEGACY, "1", "completion/complete", "{}")).await;
    assert!(answer.contains("-32602") && answer.contains("completion/complete"), "{answer}");
}

#[tokio::test]
async fn a_completion_that_panics_fails_or_takes_too_long_is_an_error_of_its_own() {
    let mut raw = Raw::session(completing(), LEGACY).await;
    let name = |argument: &str| format!("the completion of `{argument}` of the prompt `review`");
    let said = format!("expected {} to answer, but it panicked", name("panics"));
    assert_eq!(raw.ask(&complete(LEGACY, REVIEW, "panics", "", "")).await, error("1", -32603, &said));
    let answer = raw.ask(&complete(LEGACY, REVIEW, "fails", "", "")).await;
    assert!(answer.contains("-32603") && answer.contains("no luck"), "{answer}");
    let answer = raw.ask(&complete(LEGACY, REVIEW, "slow", "", "")).await;
    assert!(answer.contains(&format!("expected {} to end within 50ms", name("slow"))), "{answer}");
    assert_eq!(raw.ask(&ping("2")).await, pong("2"));
}

#[tokio::test]
async fn completions_are_declared_where_there_are_any_and_only_of_arguments_that_exist() {
    assert_eq!(capabilities(completing()).await["completions"], serde_json::json!({}));
    let never = |_: Completing| async { Vec::new() };
    let review = || Prompt::new("review", |it: Review| async move { it.language });
    let file = || ResourceTemplate::new("item://all/{id}", "items", |it: Item| async move { it.id });
    for (server, said) in [
        (
            Server::new("s").prompt(review().complete("x", never)),
            "expected an argument to complete, but found `x`, which it does not have",
        ),
        (
            Server::new("s").resource_template(file().complete("x", never)),
            "expected an argument to complete, but found `x`, which it does not have",
        ),
        (
            Server::new("s").prompt(review().complete("language", never).complete("language", never)),
            "expected one completion of `language`, but found two",
        ),
    ] {
        let failed = server.serve(tokio::io::empty(), tokio::io::sink()).await.expect_err("a mistake");
        assert!(failed.to_string().contains(said), "{failed}");
    }
}

/// A tool that reports `count` steps, with a wait after each.
fn reporter(count: u32, wait: Duration) -> Tool {
    Tool::new("t", move |ctx: Context| async move {
        for n in 1..=count {
            ctx.progress(n.into(), None, None);
            if !wait.is_zero() {
                sleep(wait).await;
            }
        }
        "done"
    })
}

/// The reports of one call, and its answer.
async fn reports(server: Server) -> (Vec<u64>, String) {
    let mut raw = Raw::session(server, LEGACY).await;
    raw.send(&asking(LEGACY, "", "t")).await;
    let mut reports = Vec::new();
    loop {
        let line = raw.line().await;
        let message: Value = serde_json::from_str(&line).expect("JSON");
        match message["params"]["progress"].as_f64() {
            Some(n) => reports.push(n as u64),
            None => return (reports, line),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn of_progress_that_comes_too_fast_a_burst_and_the_last_are_sent() {
    for wait in [Duration::ZERO, Duration::from_nanos(1)] {
        let server = Server::new("s").tool(reporter(1_000, wait));
        let (found, answer) = reports(server).await;
        assert_eq!(answer, text("1", "done"));
        assert_eq!(found[..64], (1..=64).collect::<Vec<_>>());
        assert_eq!(found.last(), Some(&1_000), "the last one is never left out");
        // The clock of tokio has steps of a millisecond: a thousand waits are a second.
        let most = if wait.is_zero() { 65 } else { 64 + 51 };
        assert!(found.len() <= most, "{} reports", found.len());
    }
}

#[tokio::test(start_paused = true)]
async fn progress_is_sent_at_its_rate_and_in_full_below_it() {
    let server = Server::new("s").tool(reporter(200, Duration::from_millis(25)));
    assert_eq!(reports(server).await.0, (1..=200).collect::<Vec<_>>());
    let server = Server::new("s").progress_rate(2, 10).tool(reporter(100, Duration::from_millis(10)));
    let (found, _) = reports(server).await;
    assert_eq!(found[..2], [1, 2]);
    assert_eq!(found.last(), Some(&100));
    // Two at once, then ten in the second that it takes, and the last.
    assert!((10..=13).contains(&found.len()), "{found:?}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_falls_silent_is_asked_and_then_left() {
    let server = Server::new("s").ping_every(Duration::from_secs(10)).drain(2 * PATIENCE);
    let mut raw = Raw::session(server, LEGACY).await;
    let began = Instant::now();
    let asked = raw.line().await;
    assert_eq!(asked, r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#);
    assert_eq!(began.elapsed().as_secs(), 10);
    raw.send(&result("1", "{}")).await;
    assert_eq!(raw.line().await, asked.replace("\"id\":1", "\"id\":2"));
    assert_eq!(raw.next().await, None, "the server has left");
    assert_eq!(began.elapsed().as_secs(), 30);
    raw.served().await.expect("a clean end");
}

#[tokio::test(start_paused = true)]
async fn a_client_of_2026_07_28_is_never_pinged() {
    let server = Server::new("s").ping_every(Duration::from_secs(1)).tool(reporter(1, Duration::ZERO));
    let mut raw = Raw::session(server, MODERN).await;
    sleep(Duration::from_secs(100)).await;
    assert!(raw.ask(&request(MODERN, "1", "tools/call", r#"{"name":"t"}"#)).await.contains("done"));
    assert_eq!(raw.end().await, Vec::<String>::new());
}

/// Times that no clock can tell.
const ENDLESS: [Duration; 2] = [Duration::MAX, Duration::MAX.saturating_sub(Duration::from_secs(1))];

#[tokio::test]
async fn a_server_whose_silence_never_ends_serves() {
    for endless in ENDLESS {
        let server = Server::new("s").ping_every(endless).tool(reporter(1, Duration::ZERO));
        let mut raw = Raw::session(server, LEGACY).await;
        for id in ["1", "2"] {
            assert_eq!(raw.ask(&call(id, "t", "{}")).await, text(id, "done"), "{endless:?}");
        }
    }
}

#[tokio::test]
async fn a_client_whose_silence_never_ends_calls() {
    for endless in ENDLESS {
        let server = Server::new("s").tool(reporter(1, Duration::ZERO));
        let client = Client::builder().era(EraChoice::Legacy).ping_every(endless);
        let client = plainwire::testing::client_with(server, client).await.expect("a connection");
        for _ in 0..2 {
            let answer: String = client.call("t", serde_json::json!({})).await.expect("an answer");
            assert_eq!(answer, "done", "{endless:?}");
        }
    }
}

#[tokio::test]
async fn a_question_that_may_wait_for_ever_is_answered() {
    for endless in ENDLESS {
        let ask = |ctx: Context| async move { ctx.elicit::<String>("q", "Who?").await?.accepted() };
        let server = Server::new("s").ask_timeout(endless).tool(Tool::new("t", ask));
        let ada = async |_: Elicitation| {
            // The server waits for a while, and so has a timer.
            sleep(Duration::from_millis(5)).await;
            ElicitResult::accept("Ada")
        };
        let client = Client::builder().era(EraChoice::Legacy).on_elicit(ada);
        let client = plainwire::testing::client_with(server, client).await.expect("a connection");
        let answer: String = client.call("t", serde_json::json!({})).await.expect("an answer");
        assert_eq!(answer, "Ada", "{endless:?}");
    }
}

#[tokio::test]
async fn bad_requests_to_stay_in_touch_are_refused_and_the_next_is_served() {
    let mut raw = Raw::session(items().logging(), LEGACY).await;
    for (frame, said) in [
        (
            request(LEGACY, "1", "resources/subscribe", "{}"),
            "expected `uri` to be a string, but found nothing",
        ),
        (listen("1", "7"), "expected `notifications` to be an object, but found 7"),
        (
            request(MODERN, "1", "subscriptions/listen", "{}"),
            "expected `notifications` to be an object, but found nothing",
        ),
    ] {
        assert_eq!(raw.ask(&frame).await, error("1", -32602, said));
    }
    assert_eq!(raw.ask(&subscribe("item://first")).await, result("1", "{}"));
}
