//! Completions of prompt arguments and of template variables.

use std::time::Duration;

use plainwire::handler::Completing;
use plainwire::prelude::*;
use serde_json::Value;
use tokio::time::sleep;

use crate::Item;
use crate::raw_client::{LEGACY, PATIENCE, REVISIONS, Raw, capabilities, error, ping, pong, request};

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

/// Returns the member `completion` of a result.
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
