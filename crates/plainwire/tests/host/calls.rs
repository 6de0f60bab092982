//! Calls and reads that a host passes to one of its servers, their trace, and the end of a host.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::Error;
use plainwire::client::Stage;
use plainwire::client::host::{Host, ListingState, Member};
use plainwire::prelude::*;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::support::{Mode, PATIENCE, member, names, scripted, server};

#[tokio::test(start_paused = true)]
async fn a_tool_of_a_server_that_has_listed_none_is_called_by_its_prefix() {
    let (client, script) = scripted(Mode { is_slow: false, ..Mode::default() }).await;
    script.change(|mode| mode.is_slow = true);
    let host =
        Host::start([Member::connected("a", client).deadline(Duration::from_secs(1))]).expect("a host");
    let (result, ()) = tokio::join!(host.call::<String>("a__secret", json!({})), async {
        sleep(Duration::from_millis(1_500)).await;
        script.change(|mode| {
            mode.is_slow = false;
        });
    });
    assert_eq!(result.expect("text"), "secret");
}

#[tokio::test]
async fn a_resource_is_read_where_it_is_listed_or_fits_a_template() {
    let one = server(&[]).resource(Resource::new("a:1", "one", || async { "1" })).resource(Resource::new(
        "both:1",
        "both",
        || async { "1" },
    ));
    let two = server(&[]).resource(Resource::new("both:1", "both", || async { "2" })).resource_template(
        ResourceTemplate::new("page://{name}", "pages", |it: Page| async move { it.name }),
    );
    let host = Host::start([member("one", one), member("two", two)]).expect("a host");
    let read = async |uri: &str| {
        let result = host.read_resource(uri).await?;
        let text = serde_json::to_value(result.contents[0].as_text()).unwrap_or_default();
        Ok::<_, Error>(text)
    };
    assert_eq!(read("a:1").await.expect("text"), "1");
    assert_eq!(read("page://Home").await.expect("text"), "Home");
    assert!(matches!(read("both:1").await, Err(Error::Ambiguous { .. })));
    assert!(matches!(read("c:1").await, Err(Error::Unknown { what: "resource", .. })));
    let both = host.resources().await;
    assert_eq!(names(&both), ["a:1", "both:1", "both:1"]);
    assert_eq!(names(&host.resource_templates().await), ["page://{name}"]);
    assert!(host.prompts().await.parts.iter().all(|part| part.state == ListingState::Fresh));
}

#[derive(Deserialize, JsonSchema)]
struct Page {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[tokio::test]
async fn a_trace_of_a_host_says_whose_the_tool_is_and_whether_the_arguments_fit() {
    let sum = Server::new("sums").tool(Tool::new("add", |it: Add| async move { it.a + it.b }));
    let host = Host::start([member("sums", sum)]).expect("a host");
    let (result, trace) = host.call_traced("sums__add", json!({ "a": 1, "b": 2 })).await;
    assert!(!result.expect("a result").is_error);
    let stages: Vec<&Stage> = trace.steps.iter().map(|step| &step.stage).collect();
    assert_eq!(*stages[1], Stage::Resolved { name: "add".to_owned(), server: "sums".to_owned() });
    assert_eq!(*stages[2], Stage::Checked { fault: None });
    assert!(matches!(stages[6], Stage::Decoded { is_error: false }) && stages.len() == 7, "{stages:?}");
    assert_eq!(trace.server.as_deref(), Some("sums"));

    let (result, trace) = host.call_traced("add", json!({ "a": 1 })).await;
    assert!(result.expect("a result").is_error, "the server decides");
    let Stage::Checked { fault: Some(fault) } = &trace.steps[2].stage else { panic!("{:?}", trace.steps) };
    assert!(fault.contains("`arguments.b`"), "{fault}");

    let (result, trace) = host.call_traced("sub", json!({})).await;
    assert!(matches!(result, Err(Error::Unknown { .. })));
    assert!(
        trace.steps.len() == 2
            && trace.revision.is_none()
            && trace.to_string().starts_with("tools/call to the server\n")
    );
}

/// Says what it got, after two reports of progress.
#[tool]
async fn told(ctx: &Context) -> String {
    ctx.progress(1.0, Some(2.0), None);
    ctx.progress(2.0, Some(2.0), None);
    ctx.meta().map_or_else(|| "nothing".to_owned(), |meta| meta.get().to_owned())
}

#[tokio::test]
async fn a_call_has_a_deadline_a_meta_and_progress_of_its_own() {
    let never = Tool::new("never", || async { std::future::pending::<String>().await });
    let host = Host::start([member("a", Server::new("a").tool(told).tool(never))]).expect("a host");
    let reports = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&reports);
    let call = host.call::<String>("a__told", json!({})).meta(json!({ "com.example/desk": 7 }));
    let text = call.on_progress(move |it| seen.lock().expect("no panic").push(it.done)).await.expect("text");
    assert!(text.contains(r#""com.example/desk":7"#), "{text}");
    assert_eq!(*reports.lock().expect("no panic"), [1.0, 2.0]);
    let late = host.call_tool("never", json!({})).deadline(Duration::from_millis(20)).await;
    assert!(matches!(late, Err(Error::Deadline { .. })), "{late:?}");
}

#[tokio::test]
async fn closing_ends_every_connection() {
    let (client, mut script) = scripted(Mode::default()).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    host.tools().await;
    host.close().await;
    timeout(PATIENCE, script._task.join_next())
        .await
        .expect("the server sees the end")
        .expect("a task")
        .expect("no panic");
}
