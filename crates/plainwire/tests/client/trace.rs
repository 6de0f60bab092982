//! Traces of calls: their steps, bytes and questions.

use plainwire::client::Stage;
use plainwire::model::{ElicitResult, Elicitation};
use plainwire::prelude::*;
use plainwire::stream::tap::Direction;
use plainwire::testing::in_each_era;
use plainwire::{Client, Error};
use serde_json::json;

use crate::scripted_server::{MODERN, Script};
use crate::tapped::{connect, modern, server};

/// Returns the names of the steps in a trace.
fn steps(trace: &plainwire::client::Trace) -> Vec<&'static str> {
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
        (Some(MODERN), Some("stream"), Some("tapped"))
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
        table.contains("failed          it is unknown whether") && table.contains("requests: 1; bytes: "),
        "{table}"
    );
}
