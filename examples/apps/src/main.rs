//! A page beside the results of a tool (MCP Apps). Hosts with MCP Apps show bars with buttons; other hosts
//! give the model the same numbers.

use std::collections::BTreeMap;
use std::sync::Mutex;

use plainwire::apps;
use plainwire::prelude::*;

const BARS: &str = "ui://tally/bars.html";

/// The number of sightings of each thing.
type Counts = BTreeMap<String, u32>;
type Tally = Mutex<Counts>;

/// Counts one thing once more and returns how often each was seen. Use it when something was seen.
#[tool(additive, ui = BARS)]
async fn count(
    /// What was seen, in a word or two.
    #[length(1..=40)]
    what: String,
    tally: State<Tally>,
) -> Counts {
    let mut counts = tally.lock().expect("nobody panics with it");
    *counts.entry(what).or_default() += 1;
    counts.clone()
}

/// Returns how often each was seen, for the page, which asks again after a while.
#[tool(read_only, visibility = app)]
async fn counts(tally: State<Tally>) -> Counts {
    tally.lock().expect("nobody panics with it").clone()
}

fn server() -> Server {
    let page = apps::page(BARS, include_str!("bars.html")).title("Bars");
    plainwire::server!().state(Tally::default()).tool(count).tool(counts).resource(page)
}

#[tokio::main]
async fn main() -> Result<()> {
    server().stdio().await
}

#[tokio::test]
async fn the_tool_says_without_its_page_what_the_page_shows() -> Result<()> {
    let client = plainwire::testing::client(server()).await?;
    let result = client.call_tool("count", json!({ "what": "heron" })).await?;
    assert_eq!(result.content[0].as_text(), Some(r#"{"heron":1}"#));
    assert_eq!(result.structured_content.expect("what the page reads").get(), r#"{"heron":1}"#);
    let ui = client.list_tools().await?.remove(0).meta.expect("the URI of the page");
    assert!(ui.get().contains(r#""resourceUri":"ui://tally/bars.html""#));
    let page = client.read_resource(BARS).await?.contents[0].as_text().expect("HTML").to_owned();
    let said = ["ui/initialize", "ui/notifications/initialized", "ui/notifications/tool-result"];
    assert!(said.iter().all(|word| page.contains(word)));
    Ok(())
}
