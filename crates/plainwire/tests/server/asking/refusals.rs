//! Questions to clients that have not declared the capability for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use plainwire::model::{ClientCapability, CreateMessage, ToolChoice};
use plainwire::prelude::*;
use serde_json::{Value, json};

use super::support::{Asked, CAPABILITIES, text};
use crate::raw_client::{MODERN, REVISIONS, Raw};

const ALL: [(&str, ClientCapability); 5] = [
    ("form", ClientCapability::Elicitation),
    ("url", ClientCapability::ElicitationUrl),
    ("roots", ClientCapability::Roots),
    ("sample", ClientCapability::Sampling),
    ("tools", ClientCapability::SamplingTools),
];

/// Returns a tool that asks a question of the kind `kind`.
fn asking(kind: &'static str) -> Tool {
    Tool::new(kind, move |ctx: Context| async move {
        match kind {
            "form" => drop(ctx.elicit::<String>("k", "?").await?),
            "url" => drop(ctx.elicit_url("k", "?", "https://example.org").await?),
            "roots" => drop(ctx.roots().await?),
            "sample" => drop(ctx.sample("k", CreateMessage::ask("?", 9)).await?),
            _ => {
                let tools =
                    CreateMessage { tool_choice: Some(ToolChoice::Required), ..CreateMessage::ask("?", 9) };
                drop(ctx.sample("k", tools).await?);
            }
        }
        Ok::<_, ToolError>(())
    })
}

#[track_caller]
fn assert_unsupported(revision: &str, answer: &str, capability: ClientCapability) {
    let message: Value = serde_json::from_str(answer).expect("JSON");
    if revision == MODERN {
        let expected = json!({ "requiredCapabilities": capability.to_capabilities() });
        assert_eq!(message["error"]["code"], -32021, "{answer}");
        assert_eq!(message["error"]["data"], expected, "{answer}");
    } else {
        assert_eq!(message["result"]["isError"], true, "{revision}: {answer}");
        let code = &message["result"]["_meta"]["plainwire/error"]["code"];
        assert_eq!(code, "unsupported", "{revision}: {answer}");
        assert!(text(answer).contains(&format!("`{}`", capability.as_str())), "{answer}");
    }
}

#[tokio::test]
async fn a_client_that_declares_nothing_is_asked_nothing() {
    for (revision, (kind, capability)) in REVISIONS.iter().flat_map(|r| ALL.map(|it| (*r, it))) {
        let raw = Raw::connect(Server::new("s").tool(asking(kind)));
        let mut asked = Asked::declaring(raw, revision, "{}").await;
        assert_unsupported(revision, &asked.tool(kind).await, capability);
        assert!(asked.raw.end().await.is_empty(), "nothing was asked");
    }
}

#[tokio::test]
async fn a_client_is_asked_for_what_it_declares_and_its_revision_has() {
    for (capabilities, kind, oldest) in [
        (r#"{"elicitation":{}}"#, "form", "2025-06-18"),
        (r#"{"elicitation":{}}"#, "url", "never"),
        (r#"{"elicitation":{"url":{}}}"#, "form", "never"),
        (r#"{"elicitation":{"url":{}}}"#, "url", "2025-11-25"),
        (r#"{"sampling":{}}"#, "sample", "2024-11-05"),
        (r#"{"sampling":{}}"#, "tools", "never"),
        (r#"{"sampling":{"tools":{}}}"#, "tools", "2025-11-25"),
        (r#"{"roots":{}}"#, "roots", "2024-11-05"),
        (CAPABILITIES, "form", "2025-06-18"),
        (CAPABILITIES, "url", "2025-11-25"),
    ] {
        let capability = ALL.iter().find(|(known, _)| *known == kind).expect("one of them").1;
        for revision in REVISIONS {
            let raw = Raw::connect(Server::new("s").tool(asking(kind)));
            let mut asked = Asked::declaring(raw, revision, capabilities).await;
            let answer = asked.tool(kind).await;
            if revision >= oldest {
                let is_asked = answer.contains("input_required") || answer.contains(r#""method":"#);
                assert!(is_asked, "{revision} {capabilities} {kind}: {answer}");
            } else {
                assert_unsupported(revision, &answer, capability);
            }
        }
    }
}

#[tokio::test]
async fn what_requires_a_capability_does_not_begin_without_it() {
    for revision in REVISIONS {
        let begun = Arc::new(AtomicUsize::new(0));
        let count = || {
            let begun = Arc::clone(&begun);
            move || {
                begun.fetch_add(1, SeqCst);
                async { "begun" }
            }
        };
        let needed = ClientCapability::ElicitationUrl;
        let server = Server::new("s")
            .tool(Tool::new("t", count()).requires(needed))
            .prompt(Prompt::new("p", count()).requires(needed))
            .resource(Resource::new("a://r", "r", count()).requires(needed));
        let mut asked = Asked::declaring(Raw::connect(server), revision, r#"{"elicitation":{}}"#).await;
        assert_unsupported(revision, &asked.tool("t").await, needed);
        for (method, params) in [("prompts/get", r#"{"name":"p"}"#), ("resources/read", r#"{"uri":"a://r"}"#)]
        {
            let answer: Value = serde_json::from_str(&asked.begin(method, params).await).expect("JSON");
            let code = if revision == MODERN { -32021 } else { -32603 };
            assert_eq!(answer["error"]["code"], code, "{revision} {method}: {answer}");
        }
        assert_eq!(begun.load(SeqCst), 0, "{revision}");
    }
}

#[tokio::test]
async fn what_requires_a_capability_begins_with_it() {
    for revision in ["2025-11-25", MODERN] {
        let tool = Tool::new("t", || async { "begun" }).requires(ClientCapability::ElicitationUrl);
        let mut asked = Asked::connect(Server::new("s").tool(tool), revision).await;
        assert_eq!(text(&asked.tool("t").await), "begun");
    }
}

#[tokio::test]
async fn a_handler_can_go_on_without_asking() {
    for revision in REVISIONS {
        let tool = Tool::new("t", |ctx: Context| async move {
            match ctx.elicit::<String>("name", "?").await {
                Ok(answer) => answer.accepted(),
                Err(error) if error.code() == "unsupported" => Ok("nobody".to_owned()),
                Err(error) => Err(error),
            }
        });
        let mut asked = Asked::declaring(Raw::connect(Server::new("s").tool(tool)), revision, "{}").await;
        assert_eq!(text(&asked.tool("t").await), "nobody", "{revision}");
    }
}
