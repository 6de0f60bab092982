//! Every revision: one tool from the declaration to the result, over a pair of streams.

use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use plainwire::proto::revision::{Era, Revision};
use plainwire::{Client, testing};

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// First addend.
    a: f64,
    /// Second addend.
    b: f64,
}

async fn add(it: Add) -> f64 {
    it.a + it.b
}

async fn divide(it: Add) -> Result<f64, ToolError> {
    if it.b == 0.0 {
        return Err(ToolError::invalid_input("division by zero").hint("`b` has to be another number"));
    }
    Ok(it.a / it.b)
}

async fn count(ctx: Context) -> String {
    for n in 1..=3 {
        ctx.progress(f64::from(n), Some(3.0), None);
        tokio::task::yield_now().await;
    }
    "counted".to_owned()
}

fn server() -> Server {
    Server::new("calculator")
        .version("1.2.3")
        .tool(Tool::new("add", add).description("Adds two numbers and returns their sum."))
        .tool(Tool::new("divide", divide))
        .tool(Tool::new("count", count))
        .tool(Tool::new("hello", || async { "Hello!" }))
        .tool(Tool::new("who", |it: Add, ctx: Context| async move {
            (it.a, ctx.client().info.clone().map(|i| i.name))
        }))
        .resource(Resource::new("demo://text", "Text", || async { "some text" }).mime_type("text/plain"))
        .resource_template(ResourceTemplate::new("sum://{a}/{b}", "Sum", |it: Add| async move {
            (it.a + it.b).to_string()
        }))
        .prompt(Prompt::new("sum", |it: Add| async move { format!("What is {} + {}?", it.a, it.b) }))
}

async fn client(revision: Revision) -> Client {
    let era = if revision.era() == Era::Modern { EraChoice::Modern } else { EraChoice::Legacy };
    let client = Client::builder().era(era).revisions(&[revision]);
    testing::client_with(server(), client).await.expect("a connection")
}

#[tokio::test]
async fn calls_a_function_in_every_revision() {
    for revision in Revision::ALL {
        let client = client(revision).await;
        assert_eq!(client.revision(), revision);
        let sum: f64 = client.call("add", serde_json::json!({ "a": 1, "b": "2" })).await.expect("a sum");
        assert_eq!(sum, 3.0);
        let failed =
            client.call_tool("divide", serde_json::json!({ "a": 1, "b": 0 })).await.expect("a result");
        assert!(failed.is_error);
        assert_eq!(
            failed.content[0].as_text(),
            Some("division by zero\n\nhint: `b` has to be another number")
        );
        let who: (f64, String) =
            client.call("who", serde_json::json!({ "a": 1, "b": 2 })).await.expect("a pair");
        assert_eq!(who, (1.0, "plainwire".to_owned()));
        let read = client.read_resource("sum://1/2").await.expect("contents");
        assert_eq!(read.contents[0].as_text(), Some("3"));
        assert_eq!(client.list_tools().await.expect("tools").len(), 5);
        assert_eq!(client.list_resources().await.expect("resources")[0].uri, "demo://text");
        assert_eq!(
            client.list_resource_templates().await.expect("templates")[0].uri_template,
            "sum://{a}/{b}"
        );
        let prompt =
            client.get_prompt("sum", serde_json::json!({ "a": "1", "b": "2" })).await.expect("a prompt");
        assert_eq!(prompt.messages[0].content.as_text(), Some("What is 1 + 2?"));
        client.ping().await.expect("an answer");
    }
}

#[tokio::test]
async fn reports_progress_before_the_answer() {
    let client = client(Revision::NEWEST).await;
    let (send, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let result = client
        .call_tool("count", serde_json::json!({}))
        .on_progress(move |p| send.send(p.done).unwrap_or_default())
        .await;
    assert_eq!(result.expect("a result").content[0].as_text(), Some("counted"));
    let mut all = Vec::new();
    while let Some(done) = heard.recv().await {
        all.push(done);
    }
    assert_eq!(all, [1.0, 2.0, 3.0]);
}
