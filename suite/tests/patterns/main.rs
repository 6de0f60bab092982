//! The contract of the pattern library: the thirty tests of requirement R3.15, under their numbers. 27 and 28 come with
//! authorization. Each runs in both eras.

mod details;
mod errors;
mod process;
mod search;
mod stub;

use plainwire::model::{CallToolResult, Content};
use plainwire::testing::in_each_era;
use plainwire::{Client, Result, Server};
use plainwire_patterns::{Environment, Patterns, Profile};
use serde_json::Value;

/// The marks of an index and of a card.
const INDEX: &str = "<!-- kind:pattern-index:v1 -->";
const CARD: &str = "<!-- kind:pattern-card:v1 -->";

fn server() -> Server {
    Patterns::default().server().expect("a server")
}

/// Runs `check` with a client of the server in each era.
async fn in_eras(make: impl Fn() -> Server, check: impl AsyncFn(Client) -> Result<()>) {
    in_each_era(make, Client::builder(), check).await.expect("no error");
}

/// Runs `check` in each era and in each profile.
async fn in_profiles(check: impl AsyncFn(Client, Profile) -> Result<()>) {
    for profile in [Profile::Gated, Profile::Data] {
        let make = || Patterns { profile, ..Patterns::default() }.server().expect("a server");
        in_eras(make, async |client| check(client, profile).await).await;
    }
}

fn local() -> Environment {
    Environment { is_debug: false, name: "local".to_owned() }
}

fn texts(result: &CallToolResult) -> Vec<&str> {
    result.content.iter().filter_map(Content::as_text).collect()
}

/// Returns the structured content.
fn value(result: &CallToolResult) -> Value {
    let json = result.structured_content.as_ref().expect("structured content");
    serde_json::from_str(json.get()).expect("JSON")
}

/// Returns the blocks that are JSON with a kind.
fn payloads(result: &CallToolResult) -> Vec<Value> {
    let parsed = texts(result).into_iter().filter_map(|text| serde_json::from_str::<Value>(text).ok());
    parsed.filter(|it| it["kind"].is_string()).collect()
}

/// Returns how often a line stands in the text.
fn count(result: &CallToolResult, line: &str) -> usize {
    texts(result).iter().flat_map(|it| it.lines()).filter(|it| *it == line).count()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
