//! Roots: when a server asks a client for them, and how they limit the paths that a model may use.

use plainwire::prelude::*;
use serde_json::json;

use super::support::{Asked, ERAS, Person, text};
use crate::raw_client::{MODERN, Raw};

const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;

fn server() -> Server {
    let tool = Tool::new("t", |ctx: Context| async move {
        let first = ctx.roots().await?;
        let second = ctx.roots().await?;
        Ok::<_, ToolError>(format!("{} {}", first.iter().count(), second.iter().count()))
    });
    Server::new("s").tool(tool)
}

fn roots(uri: &str) -> Person {
    Person::new().answers("roots/list", &json!({"roots": [{"uri": uri}]}).to_string())
}

#[tokio::test]
async fn a_session_is_asked_once_until_its_roots_change_and_each_modern_call_asks() {
    for era in ["2024-11-05", "2025-03-26"].into_iter().chain(ERAS) {
        let mut asked =
            Asked::declaring(Raw::connect(server()), era, r#"{"roots":{"listChanged":true}}"#).await;
        let person = roots("file:///tmp");
        for calls in 1..=3 {
            assert_eq!(text(&asked.call("t", "{}", &person).await), "1 1", "{era}");
            assert_eq!(asked.seen.len(), if era == MODERN { calls } else { 1 }, "{era}");
        }
        let before = asked.seen.len();
        asked.raw.send(CHANGED).await;
        asked.call("t", "{}", &person).await;
        assert_eq!(asked.seen.len(), before + 1, "{era}");
    }
}

/// A client of a session does not declare that it reports changes of its roots: the server must ask for them
/// in every call. If it kept them, it could allow a path that the client has removed from its roots.
#[tokio::test]
async fn a_session_that_does_not_say_when_its_roots_change_is_asked_by_every_call() {
    let mut asked = Asked::declaring(Raw::connect(server()), "2025-11-25", r#"{"roots":{}}"#).await;
    for calls in 1..=3 {
        asked.call("t", "{}", &roots("file:///tmp")).await;
        assert_eq!(asked.seen.len(), calls);
    }
}

#[tokio::test]
async fn roots_that_change_during_a_call_are_asked_for_again_by_it() {
    let mut asked = Asked::connect(server(), "2025-11-25").await;
    let first = asked.tool("t").await;
    // The roots change after the question, so the answer is out of date when it arrives.
    asked.raw.send(CHANGED).await;
    let second = asked.reply(&first, &json!({"roots": []})).await;
    assert!(second.contains("roots/list"), "{second}");
    let last = asked.reply(&second, &json!({"roots": [{"uri": "file:///tmp"}]})).await;
    assert_eq!(text(&last), "0 1");
}

#[tokio::test]
async fn a_path_outside_the_roots_is_refused_in_words_that_the_model_reads() {
    let tool = Tool::new("t", |ctx: Context| async move {
        Ok::<_, ToolError>(ctx.roots().await?.resolve("/etc/passwd")?.display().to_string())
    });
    let inside = std::env::temp_dir();
    for era in ERAS {
        let mut asked = Asked::connect(Server::new("s").tool(tool.clone()), era).await;
        let answer = asked.call("t", "{}", &roots(&format!("file://{}", inside.display()))).await;
        assert!(text(&answer).contains("to be inside the root"), "{era}: {answer}");
        assert!(answer.contains("outside_roots") && answer.contains(r#""isError":true"#), "{era}: {answer}");
        let answer = asked.call("t", "{}", &roots("https://example.org")).await;
        assert!(answer.contains("outside_roots"), "{era}: {answer}");
    }
}
