//! `#[header]`: arguments that clients over HTTP repeat in a header.

use std::collections::BTreeMap;

use plainwire::prelude::*;
use serde_json::{Value, json};

use crate::{only_tool, schema};

#[data]
#[serde(rename_all = "lowercase")]
enum Region {
    /// Frankfurt.
    Eu,
    /// Ashburn.
    Us,
}

#[data]
struct Place {
    #[header("City")]
    city: String,
    #[range(..10)]
    #[header("Floor")]
    floor: Option<i64>,
}

/// Looks around.
#[tool]
async fn look(
    #[header("Region")] region: Region,
    #[header("Zone")]
    #[format("hostname")]
    zone: Option<String>,
    #[header("Dry-Run")]
    #[default(true)]
    dry_run: bool,
    place: Place,
    /// Elsewhere.
    other: Option<Region>,
) -> String {
    let _ = (region, zone, dry_run, place.city, place.floor, other);
    String::new()
}

#[tokio::test]
async fn a_header_stands_beside_the_type_that_it_repeats() {
    let tool = only_tool(plainwire::server!().tool(look)).await;
    let properties = &schema(&tool)["properties"];
    let header = |of: &Value| (of["type"].clone(), of["x-mcp-header"].clone());
    let place = &properties["place"]["properties"];
    for (of, kind, name) in [
        (&properties["region"], "string", "Region"),
        (&properties["zone"], "string", "Zone"),
        (&properties["dry_run"], "boolean", "Dry-Run"),
        (&place["city"], "string", "City"),
        (&place["floor"], "integer", "Floor"),
    ] {
        assert_eq!(header(of), (json!(kind), json!(name)), "{of}");
    }
    assert_eq!(properties["zone"]["format"], "hostname");
    assert_eq!(place["floor"]["exclusiveMaximum"], 10);
    assert_eq!(properties["dry_run"]["default"], true);
    assert_eq!(header(&properties["other"]).1, Value::Null);
}

#[tokio::test]
async fn a_header_is_for_clients_of_the_protocol_and_not_for_interfaces_of_models() {
    for preset in [plainwire::schema::Preset::OpenaiStrict, plainwire::schema::Preset::Gemini] {
        let tool = only_tool(plainwire::server!().schema_preset(preset).tool(look)).await;
        assert!(!tool.input_schema.get().contains("x-mcp-header"), "{preset}");
    }
}

/// A share from 0 to 1.
#[data]
struct Share(f64);

#[tokio::test]
async fn a_header_of_a_type_that_is_a_number_is_an_error_of_the_declaration() {
    /// Cuts.
    #[tool]
    async fn cut(#[header("Share")] share: Share) -> f64 {
        share.0
    }

    let by_hand = Tool::new("cut", async |_: BTreeMap<String, Value>| "").input_schema(json!({
        "type": "object",
        "properties": { "share": { "type": "number", "x-mcp-header": "Share" } },
    }));
    for tool in [Tool::of(cut), by_hand] {
        let error = plainwire::testing::client(plainwire::server!().tool(tool)).await;
        let said = error.expect_err("a wrong declaration").to_string();
        let expected = "tool `cut`: expected `type` of `share` to be string, integer or boolean for `x-mcp-header`, but \
                        found \"number\"";
        assert!(said.starts_with(expected), "{said}");
    }
}
