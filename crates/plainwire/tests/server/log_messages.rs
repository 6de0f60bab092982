//! Log messages that handlers send to clients: their order, their level, and their limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainwire::prelude::*;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::raw_client::{
    LEGACY, MODERN, PATIENCE, REVISIONS, Raw, call, error, notification, request, result, text, verbose_call,
};

fn message(level: &str, more: &str, data: &str) -> String {
    notification("message", &format!(r#"{{"level":"{level}",{more}"data":{data}}}"#))
}

fn set_level(level: &str) -> String {
    request(LEGACY, "9", "logging/setLevel", &format!(r#"{{"level":"{level}"}}"#))
}

/// A value that counts how many times it is serialised.
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
        raw.send(&verbose_call(LEGACY, "", "t")).await;
        for n in 1..=2 {
            assert_eq!(raw.line().await, message("info", "", &format!("\"step {n}\"")));
            let report = format!(r#"{{"progressToken":"t","progress":{n}}}"#);
            assert_eq!(raw.line().await, notification("progress", &report));
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
        let answer = raw.ask(&verbose_call(revision, "debug", "t")).await;
        assert!(answer.contains("done"), "{answer}");
        assert_eq!(counted.load(Ordering::SeqCst), 0, "{revision}: the server does not offer logging");

        let mut raw = Raw::session(Server::new("s").logging().tool(tool), revision).await;
        if revision == MODERN {
            let answer = raw.ask(&request(revision, "1", "tools/call", r#"{"name":"t"}"#)).await;
            assert!(answer.contains("done"), "{answer}");
            assert_eq!(counted.load(Ordering::SeqCst), 0, "the request does not ask for messages");
        }
        assert_eq!(
            raw.ask(&verbose_call(revision, "info", "t")).await,
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
