//! Arguments with another name than their parameters: `#[serde(rename = "…")]`.

use plainwire::prelude::*;
use serde_json::json;

use crate::serve;

fn kinds(_: &str) -> Vec<String> {
    vec!["fern".to_owned()]
}

/// Reads a page.
///
/// # Arguments
/// - `type`: Of what.
#[resource("page://{type}/{n}", mime_type = "text/plain", complete(r#type = completed))]
async fn page(#[serde(rename = "type")] kind: String, n: u8) -> String {
    format!("{kind} {n}")
}

async fn completed(typed: Completing) -> Vec<String> {
    kinds(&typed.value)
}

/// Counts things.
#[tool(read_only)]
async fn count(
    #[serde(rename(deserialize = "type"))] kind: String,
    #[serde(default, rename = "n")] number: u8,
) -> String {
    format!("{number} {kind}")
}

#[tokio::test]
async fn clients_use_the_new_name_everywhere() {
    let client = serve(plainwire::server!().resource(page).tool(count)).await;
    let read = client.read_resource("page://fern/2").await.expect("a page");
    assert_eq!(read.contents[0].as_text(), Some("fern 2"));
    let found: String = client.call("count", json!({ "type": "fern", "n": 3 })).await.expect("an answer");
    assert_eq!(found, "3 fern");
    let request = plainwire::model::CompleteRequest::resource("page://{type}/{n}", "type", "f");
    assert_eq!(client.complete(&request).await.expect("values").values, ["fern"]);
}

/// Plans a day.
#[prompt]
async fn plan(
    #[default(8)] hours: u32,
    #[doc = "Whether to rest."] rest: Option<bool>,
) -> Vec<PromptMessage> {
    vec![PromptMessage::user(format!("{hours} {rest:?}")), PromptMessage::assistant("Good.")]
}

#[tokio::test]
async fn an_empty_text_leaves_an_optional_argument_out_if_it_takes_no_text() {
    let client = serve(plainwire::server!().prompt(plan)).await;
    let got = client.get_prompt("plan", json!({ "hours": "", "rest": "" })).await.expect("messages");
    assert_eq!(got.messages[0].content.as_text(), Some("8 None"));
    assert_eq!((got.messages[1].role, got.messages[1].content.as_text()), (Role::Assistant, Some("Good.")));
}
