//! Reports of progress: their order, their rate, and their limit.

use std::time::Duration;

use plainwire::prelude::*;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::raw_client::{LEGACY, PATIENCE, PIPE, Raw, call, call_with_progress, text, verbose_call};

#[derive(Deserialize, JsonSchema)]
struct Flood {
    /// How many reports come before the next step.
    burst: u32,
    steps: u32,
}

async fn flood(it: Flood, ctx: Context) -> &'static str {
    for n in 0..it.burst * it.steps {
        ctx.progress(n.into(), None, None);
        if n % it.burst == it.burst - 1 {
            tokio::task::yield_now().await;
        }
    }
    "flooded"
}

/// Reads reports of progress until another line arrives. Returns the values of the reports, and that line.
async fn next_reports(raw: &mut Raw) -> (Vec<f64>, String) {
    let mut reports = Vec::new();
    loop {
        let line = raw.line().await;
        let message: Value = serde_json::from_str(&line).expect("JSON");
        if message["method"] != "notifications/progress" {
            return (reports, line);
        }
        assert_eq!(message["params"]["progressToken"], "t");
        reports.push(message["params"]["progress"].as_f64().expect("a number"));
    }
}

#[tokio::test]
async fn reports_progress_in_order_and_before_the_answer() {
    let (send, mut contexts) = mpsc::unbounded_channel();
    let reporting = |steps: bool| {
        let send = send.clone();
        move |ctx: Context| {
            let send = send.clone();
            async move {
                for (done, total, message) in [
                    (1.0, Some(2.0), Some("half")),
                    (0.5, None, None),
                    (f64::NAN, None, None),
                    (2.0, None, None),
                ] {
                    ctx.progress(done, total, message);
                    if steps {
                        tokio::task::yield_now().await;
                    }
                }
                let _ = send.send(ctx);
                "done"
            }
        }
    };
    let server = || {
        Server::new("reporter")
            .tool(Tool::new("at_once", reporting(false)))
            .tool(Tool::new("in_steps", reporting(true)))
    };
    for tool in ["at_once", "in_steps"] {
        let mut raw = Raw::session(server(), LEGACY).await;
        let first = raw.ask(&call_with_progress("1", r#""t""#, tool, "{}")).await;
        let params = r#"{"progressToken":"t","progress":1,"total":2,"message":"half"}"#;
        assert_eq!(
            first,
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#)
        );
        assert_eq!(next_reports(&mut raw).await, (vec![2.0], text("1", "done")), "{tool}");
        // The server sends no progress of a call that is answered, and none of a call without a progress
        // token.
        contexts.recv().await.expect("a context").progress(3.0, None, None);
        assert_eq!(raw.ask(&call("2", tool, "{}")).await, text("2", "done"), "{tool}");
        contexts.recv().await.expect("a context");
        assert_eq!(raw.end().await, Vec::<String>::new(), "{tool}");
    }
}

#[tokio::test]
async fn a_flood_of_progress_is_thinned_out_and_the_call_is_answered() {
    for (burst, steps) in [(100_000, 1), (1_000, 100), (1, 100_000)] {
        let server = Server::new("flood").tool(Tool::new("flood", flood)).progress_rate(u32::MAX, u32::MAX);
        let mut raw = Raw::session(server, LEGACY).await;
        let arguments = format!(r#"{{"burst":{burst},"steps":{steps}}}"#);
        raw.send(&call_with_progress("1", r#""t""#, "flood", &arguments)).await;
        let (reports, answer) = next_reports(&mut raw).await;
        assert_eq!(answer, text("1", "flooded"));
        assert!(
            reports.windows(2).all(|pair| pair[0] < pair[1]),
            "the reports of {burst} at a time increase"
        );
        assert!(reports.len() <= 100_000);
        assert_eq!(reports.last(), Some(&99_999.0), "the last one is never left out");
        if steps == 1 {
            assert_eq!(reports.len(), 1_025, "as many as may be unsent, and the last");
        }
        assert_eq!(raw.end().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_flood_of_progress_that_nobody_reads_is_bounded() {
    let (told, mut finished) = mpsc::unbounded_channel();
    let tool = Tool::new("flood", move |it: Flood, ctx: Context| {
        let told = told.clone();
        async move {
            let said = flood(it, ctx).await;
            told.send(()).map_err(|_| "nobody listens")?;
            Ok::<_, ToolError>(said)
        }
    });
    let mut raw =
        Raw::session(Server::new("flood").tool(tool).progress_rate(u32::MAX, u32::MAX), LEGACY).await;
    raw.send(&call_with_progress("1", r#""t""#, "flood", r#"{"burst":100,"steps":1000}"#)).await;
    timeout(PATIENCE, finished.recv()).await.expect("an end although nobody reads");
    let (reports, answer) = next_reports(&mut raw).await;
    assert_eq!(answer, text("1", "flooded"));
    // Up to 1 MiB of reports is unsent, 64 KiB are in the pipe, and 1,024 reports are in the queue. A report
    // has at least 87 bytes.
    assert!(reports.len() < (1 << 20) / 87 + PIPE / 87 + 1_024 + 100, "{} reports", reports.len());
}

/// Returns a tool that reports progress `count` times, and waits for `wait` after each report.
pub(crate) fn reporter(count: u32, wait: Duration) -> Tool {
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

/// Calls the tool `t`. Returns the values of its reports, and the line with its result.
async fn reports(server: Server) -> (Vec<u64>, String) {
    let mut raw = Raw::session(server, LEGACY).await;
    raw.send(&verbose_call(LEGACY, "", "t")).await;
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
        // The clock of tokio has a resolution of a millisecond, so a thousand waits of a nanosecond take a
        // second.
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
    // Two reports at once, ten in the one second that the call takes, and the last report.
    assert!((10..=13).contains(&found.len()), "{found:?}");
}
