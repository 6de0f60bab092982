//! Calls that end while they wait for an answer or work: they are cancelled, or their client leaves, or their
//! handler panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use plainwire::prelude::*;
use plainwire::proto::peer::Limits;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep};

use super::support::{Asked, ERAS, Person, accept, keys, reply, text};
use crate::raw_client::{MODERN, cancel, given_up};

const SECOND: Duration = Duration::from_secs(1);

fn is_withdrawal_of(line: &str, question: &str) -> bool {
    let [line, question] = [line, question].map(|it| serde_json::from_str::<Value>(it).expect("JSON"));
    line["method"] == "notifications/cancelled" && line["params"]["requestId"] == question["id"]
}

fn plain() -> Tool {
    Tool::new("plain", || async { "fine" })
}

#[tokio::test]
async fn a_cancelled_call_takes_its_question_back_and_is_not_answered() {
    for era in ["2025-06-18", "2025-11-25"] {
        let tool =
            Tool::new("t", |ctx: Context| async move { ctx.elicit::<String>("q", "?").await?.accepted() });
        let limits = Limits { in_flight: 1, ..Limits::default() };
        let mut asked = Asked::connect(Server::new("s").tool(tool).tool(plain()).limits(limits), era).await;
        let question = asked.tool("t").await;
        let withdrawn = asked.raw.ask(&cancel("1")).await;
        assert!(is_withdrawal_of(&withdrawn, &question), "{withdrawn}");
        asked.raw.send(&reply(&question, &accept("too late"))).await;
        assert_eq!(text(&asked.tool("plain").await), "fine", "{era}: the slot is free");
        assert!(asked.raw.end().await.is_empty(), "{era}");
    }
}

#[tokio::test]
async fn a_task_that_asks_after_its_call_was_cancelled_or_answered_gets_an_error() {
    for (era, cancels) in ERAS.into_iter().flat_map(|era| [(era, true), (era, false)]) {
        let (told, mut heard) = unbounded_channel();
        let tool = Tool::new("t", move |ctx: Context| {
            let (told, left) = (told.clone(), ctx.clone());
            let mut tasks = tokio::task::JoinSet::new();
            tasks.spawn(async move {
                if cancels {
                    left.cancelled().await
                } else {
                    sleep(SECOND).await
                }
                let error = left.elicit::<String>("q", "?").await.expect_err("no answer");
                told.send(error.code().to_owned()).expect("somebody listens");
            });
            tasks.detach_all();
            async move {
                if cancels {
                    std::future::pending::<()>().await;
                }
                ctx.step("s", || async { "done".to_owned() }).await
            }
        });
        tokio::time::pause();
        let mut asked = Asked::connect(Server::new("s").tool(tool), era).await;
        asked.post("tools/call", r#"{"name":"t"}"#).await;
        if cancels {
            asked.raw.send(&cancel("1")).await;
        } else {
            assert_eq!(text(&asked.raw.line().await), "done");
        }
        assert_eq!(heard.recv().await.as_deref(), Some("call_over"), "{era}");
        tokio::time::resume();
    }
}

/// Returns a tool that runs a step of the length `step`, and asks a question at the same time if `beside` is
/// true. The channel reports `begun`, then `step` at the end of the step, and `behind` when both have ended
/// or one of them has failed.
fn stepping(step: Duration, beside: bool) -> (Tool, UnboundedReceiver<&'static str>) {
    let (told, heard) = unbounded_channel();
    let tool = Tool::new("t", move |ctx: Context| {
        let told = told.clone();
        async move {
            let tell = |what| told.send(what).expect("somebody listens");
            tell("begun");
            let work = ctx.step("s", || async {
                sleep(step).await;
                tell("step");
            });
            let question =
                async { if beside { ctx.elicit::<String>("q", "?").await.map(drop) } else { Ok(()) } };
            let tried = tokio::try_join!(question, work);
            tell("behind");
            tried.map(|_| "done")
        }
    });
    (tool, heard)
}

#[tokio::test(start_paused = true)]
async fn a_step_of_a_cancelled_call_ends_and_nothing_behind_it_runs() {
    for (era, beside) in ERAS.into_iter().flat_map(|era| [(era, false), (era, true)]) {
        let (tool, mut heard) = stepping(3 * SECOND, beside);
        let limits = Limits { in_flight: 1, ..Limits::default() };
        let mut asked = Asked::connect(Server::new("s").tool(tool).tool(plain()).limits(limits), era).await;
        asked.post("tools/call", r#"{"name":"t"}"#).await;
        assert_eq!(heard.recv().await, Some("begun"));
        if beside && era != MODERN {
            let question = asked.raw.line().await;
            assert!(is_withdrawal_of(&asked.raw.ask(&cancel("1")).await, &question));
        } else {
            asked.raw.send(&cancel("1")).await;
        }
        let busy = asked.tool("plain").await;
        assert!(busy.contains("in_flight"), "{era}: the step still runs: {busy}");
        assert_eq!(heard.recv().await, Some("step"), "{era}");
        sleep(SECOND).await;
        assert_eq!(text(&asked.tool("plain").await), "fine", "{era}: the slot is free");
        assert!(heard.try_recv().is_err(), "{era}: nothing behind it");
        assert!(asked.raw.end().await.is_empty(), "{era}: not answered");
    }
}

#[tokio::test(start_paused = true)]
async fn a_step_of_a_cancelled_call_that_does_not_end_is_cut_off() {
    for era in ERAS {
        let (tool, mut heard) = stepping(60 * SECOND, false);
        let limits = Limits { in_flight: 1, ..Limits::default() };
        let mut asked = Asked::connect(Server::new("s").tool(tool).tool(plain()).limits(limits), era).await;
        asked.post("tools/call", r#"{"name":"t"}"#).await;
        assert_eq!(heard.recv().await, Some("begun"));
        asked.raw.send(&cancel("1")).await;
        sleep(4_900 * SECOND / 1_000).await;
        assert!(asked.tool("plain").await.contains("in_flight"), "{era}");
        sleep(SECOND / 5).await;
        assert_eq!(text(&asked.tool("plain").await), "fine", "{era}");
        sleep(100 * SECOND).await;
        assert!(heard.try_recv().is_err(), "{era}");
        assert!(asked.raw.end().await.is_empty(), "{era}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_is_asked_no_more_and_the_call_ends_at_once() {
    for era in ["2025-06-18", "2025-11-25"] {
        let tool = Tool::new("t", |ctx: Context| async move {
            let mut codes = Vec::new();
            for i in 0..3 {
                let error = ctx.elicit::<String>(format!("q-{i}"), "?").await.expect_err("no answer");
                codes.push(error.code().to_owned());
            }
            codes.join(" ")
        });
        let mut asked = Asked::connect(Server::new("s").tool(tool), era).await;
        let began = Instant::now();
        asked.tool("t").await;
        let said = asked.raw.end().await;
        assert_eq!(said.len(), 1, "{said:?}");
        assert_eq!(text(&said[0]), "no_answer no_answer no_answer", "{era}");
        assert_eq!(began.elapsed(), Duration::ZERO, "before the time to drain passes");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_the_last_thing_a_client_says_counts() {
    for (in_flight, end) in [(4_096, "\n"), (4_096, ""), (1, "\n"), (1, "")] {
        let tool =
            Tool::new("t", |ctx: Context| async move { ctx.elicit::<String>("q", "?").await?.accepted() });
        let limits = Limits { in_flight, ..Limits::default() };
        let mut asked = Asked::connect(Server::new("s").tool(tool).limits(limits), "2025-11-25").await;
        let question = asked.tool("t").await;
        asked.raw.send_bytes((reply(&question, &accept("last words")) + end).as_bytes()).await;
        let said = asked.raw.end().await;
        assert_eq!(text(&said[0]), "last words", "{in_flight} {end:?}");
    }
}

#[tokio::test]
async fn a_handler_that_panics_between_questions_is_an_error() {
    for (era, in_step) in ERAS.into_iter().flat_map(|era| [(era, false), (era, true)]) {
        let tool = Tool::new("t", move |ctx: Context| async move {
            ctx.elicit::<String>("q", "?").await?.accepted()?;
            if in_step {
                ctx.step("s", || async { assert!(!in_step, "secret") }).await?;
            }
            if !in_step {
                panic!("secret");
            }
            Ok::<_, ToolError>(())
        });
        let mut asked = Asked::connect(Server::new("s").tool(tool).tool(plain()), era).await;
        let answer = asked.call("t", "{}", &Person::new().answers("?", &accept("y").to_string())).await;
        assert!(answer.contains("expected the tool `t` to answer, but it panicked"), "{era}: {answer}");
        assert!(!answer.contains("secret"));
        assert_eq!(text(&asked.tool("plain").await), "fine");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_asks_when_the_server_ends_is_given_up() {
    for beside in [false, true] {
        let (tool, mut heard) = stepping(60 * SECOND, beside);
        let mut asked = Asked::connect(Server::new("s").tool(tool).drain(SECOND), "2025-11-25").await;
        asked.post("tools/call", r#"{"name":"t"}"#).await;
        assert_eq!(heard.recv().await, Some("begun"));
        if beside {
            asked.raw.line().await;
        }
        let began = Instant::now();
        let said = asked.raw.end().await;
        if beside {
            // The question failed because the server ends, and the handler returned that error.
            assert!(said[0].contains("no_answer"), "{said:?}");
            assert_eq!(began.elapsed(), Duration::ZERO);
        } else {
            assert_eq!(said, [given_up("1")]);
            assert_eq!(began.elapsed(), SECOND);
            sleep(100 * SECOND).await;
            assert!(heard.try_recv().is_err(), "cut off");
        }
    }
}

#[tokio::test]
async fn a_retry_after_a_cancellation_is_a_call_like_any_other() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let tool = Tool::new("t", move |ctx: Context| {
        let runs = Arc::clone(&counted);
        async move {
            ctx.step("s", || async { runs.fetch_add(1, SeqCst) }).await?;
            ctx.elicit::<String>("q", "?").await?.accepted()
        }
    });
    let mut asked = Asked::connect(Server::new("s").tool(tool), MODERN).await;
    let first = asked.tool("t").await;
    assert_eq!(keys(&first), ["q"]);
    // The first round has been answered, so this cancellation changes nothing.
    asked.raw.send(&cancel("1")).await;
    let state = super::support::state(&first);
    assert_eq!(text(&asked.again("t", &serde_json::json!({"q": accept("y")}), &state).await), "y");
    assert_eq!(runs.load(SeqCst), 1);
}
