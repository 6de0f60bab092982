//! Entries that are added and removed while a server serves: lists, notifications, running calls and cursors.

use std::sync::Arc;

use plainwire::handler::Completing;
use plainwire::prelude::*;
use plainwire::{Entries, ServerHandle};
use serde_json::Value;
use tokio::sync::Notify;

use crate::Item;
use crate::raw_client::{LEGACY, MODERN, Raw, call, error, listen, notification, request, tagged, text};

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
        assert_eq!(raw.settled(revision).await, [""; 0], "nothing has changed since it serves");
        handle.add_tool(Tool::new("late", || async { "late" })).expect("a legal tool");
        let changed = match revision {
            MODERN => tagged("tools/list_changed", "0", ""),
            _ => notification("tools/list_changed", "{}"),
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
    raw.settled(LEGACY).await;
    handle.add_prompt(Prompt::new("p", || async { "p" })).expect("a prompt");
    assert_eq!(raw.line().await, notification("prompts/list_changed", "{}"));
    handle.add_resource(Resource::new("a://1", "1", || async { "1" })).expect("a resource");
    assert_eq!(raw.line().await, notification("resources/list_changed", "{}"));
    handle.add_resource_template(template()).expect("a template");
    assert_eq!(raw.line().await, notification("resources/list_changed", "{}"));
    let read = raw.ask(&request(LEGACY, "1", "resources/read", r#"{"uri":"a://all/x"}"#)).await;
    assert!(read.contains(r#""text":"x""#), "{read}");
    assert!(handle.remove_resource_template("a://all/{id}"));
    assert_eq!(raw.line().await, notification("resources/list_changed", "{}"));
    assert!(handle.remove_prompt("p") && handle.remove_resource("a://1"));
    assert_eq!(raw.line().await, notification("prompts/list_changed", "{}"));
    assert_eq!(raw.line().await, notification("resources/list_changed", "{}"));
    assert!(!handle.remove_prompt("p") && !handle.remove_resource("a://1"));
    assert_eq!(raw.end().await, Vec::<String>::new());
}

/// A counter whose methods are tools.
struct Counter(std::sync::atomic::AtomicU32);

#[server]
impl Counter {
    /// Counts one more.
    #[tool]
    async fn count(&self) -> u32 {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1
    }
}

#[tokio::test]
async fn a_group_is_added_whole_or_not_at_all() {
    let mut server = Server::new("s").tool(Tool::new("known", || async { "known" }));
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    raw.settled(LEGACY).await;
    let group = |name: &str| {
        Entries::new()
            .prompt(Prompt::new("p", || async { "p" }))
            .resource(Resource::new("a://1", "1", || async { "1" }))
            .tool(Tool::new("first", || async { "first" }))
            .tool(Tool::new(name, || async { "last" }))
            .tool(Tool::new("after", || async { "after" }))
    };
    let refused = handle.add_entries(group("known")).expect_err("the name is taken").to_string();
    assert!(refused.starts_with("tool `known`: expected the name once"), "{refused}");
    assert_eq!(raw.settled(LEGACY).await, [""; 0], "nothing has changed");
    let listed = raw.ask(&request(LEGACY, "1", "prompts/list", "{}")).await;
    assert!(listed.contains(r#""prompts":[]"#), "{listed}");

    handle.add_entries(group("new")).expect("its names are free");
    handle.add_entries(Counter(0.into())).expect("a legal type");
    let mut changed = raw.settled(LEGACY).await;
    changed.dedup();
    let of = |list: &str| notification(&format!("{list}/list_changed"), "{}");
    assert!(["prompts", "resources", "tools"].iter().all(|it| changed.contains(&of(it))), "{changed:?}");
    for (tool, text) in [("first", "first"), ("new", "last"), ("after", "after"), ("count", "1")] {
        let answer = raw.ask(&request(LEGACY, "1", "tools/call", &format!(r#"{{"name":"{tool}"}}"#))).await;
        assert!(answer.contains(&format!(r#""text":"{text}""#)), "{answer}");
    }
}

#[tokio::test]
async fn what_is_no_legal_declaration_is_refused_at_run_time_too_and_changes_nothing() {
    let mut server = Server::new("s").tool(Tool::new("t", || async { "t" }));
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    raw.settled(LEGACY).await;
    let said = |result: Result<()>| result.expect_err("a mistake").to_string();
    let twice = said(handle.add_tool(Tool::new("t", || async { "t" })));
    assert!(twice.starts_with("tool `t`: expected the name once, but it is also declared at"), "{twice}");
    let illegal = said(handle.add_tool(Tool::new("a b", || async { "t" })));
    assert!(
        illegal.contains("tests/server/catalog_changes.rs")
            && illegal.contains("expected a name of 1 to 128"),
        "{illegal}"
    );
    let no_uri = said(handle.add_resource(Resource::new("no-uri", "x", || async { "t" })));
    assert!(no_uri.contains("begins with a scheme"), "{no_uri}");
    let prompt = |it: Item| async move { it.id };
    let completes = Prompt::new("p", prompt).complete("id", |_: Completing| async { Vec::new() });
    let late = said(handle.add_prompt(completes));
    assert!(late.starts_with("expected no completions"), "{late}");
    handle.add_prompt(Prompt::new("p", prompt)).expect("without completions");
    assert_eq!(raw.line().await, notification("prompts/list_changed", "{}"));
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
    assert_eq!(raw.line().await, notification("tools/list_changed", "{}"));
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
