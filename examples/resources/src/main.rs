//! Data that a client reads: a resource that changes, and a resource template whose variable is completed.

use std::sync::Mutex;

use plainwire::prelude::*;

type Diary = Mutex<Vec<String>>;

/// Writes a line into the diary and returns its number. Use it for what happened.
#[tool(additive)]
async fn write(
    /// What happened, in a line.
    line: String,
    diary: State<Diary>,
    ctx: &Context,
) -> usize {
    let mut lines = diary.lock().expect("nobody panics with it");
    lines.push(line);
    ctx.notify_resource_updated("diary://all");
    lines.len()
}

/// All lines of the diary, the oldest first.
#[resource("diary://all", mime_type = "text/plain", subscribable)]
async fn all(diary: State<Diary>) -> String {
    diary.lock().expect("nobody panics with it").join("\n")
}

/// One line of the diary; the first is number 1.
#[resource("diary://line/{number}", mime_type = "text/plain", complete(number = numbers))]
async fn line(number: usize, diary: State<Diary>) -> Result<String, ToolError> {
    let lines = diary.lock().expect("nobody panics with it");
    let line = number.checked_sub(1).and_then(|n| lines.get(n));
    line.cloned().ok_or_else(|| ToolError::not_found(format!("there is no line {number}")))
}

async fn numbers(typed: Completing) -> Vec<String> {
    (1..=99).map(|n: u8| n.to_string()).filter(|n| n.starts_with(&typed.value)).collect()
}

#[tokio::main]
async fn main() -> Result<()> {
    plainwire::server!().state(Diary::default()).tool(write).resource(all).resource(line).stdio().await
}

#[tokio::test]
async fn who_subscribes_hears_of_a_new_line() -> Result<()> {
    use plainwire::model::{CompleteRequest, SubscriptionFilter};
    let server = plainwire::server!().state(Diary::default()).tool(write).resource(all).resource(line);
    let client = plainwire::testing::client(server).await?;
    let all = SubscriptionFilter { resource_subscriptions: vec!["diary://all".into()], ..Default::default() };
    let mut changes = client.listen(all).await?;
    client.call::<usize>("write", json!({ "line": "It rains." })).await?;
    assert_eq!(changes.next().await, Some(plainwire::client::Change::Resource("diary://all".into())));
    assert_eq!(client.read_resource("diary://line/1").await?.contents[0].as_text(), Some("It rains."));
    let typed = CompleteRequest::resource("diary://line/{number}", "number", "9");
    assert_eq!(client.complete(&typed).await?.values.len(), 11);
    Ok(())
}
