//! Each tool of each server that is part of the command (R5.1, R5.4, R5.5). The tools are those of `tools/list`, so a new one is
//! checked, or the test says that it has no call.

#[path = "products/inventory.rs"]
mod inventory;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainwire::model::{CallToolResult, Content, Tool};
use plainwire::presentation::Presentation;
use plainwire::testing::in_each_era;
use plainwire::{Client, Server};
use plainwire_learning::Learning;
use plainwire_patterns::{Environment, Patterns, Profile};
use serde_json::{Value, json};

/// The calls of a tool: at least one for each.
fn calls(tool: &str) -> Vec<Value> {
    match tool {
        "search_patterns" => vec![
            json!({ "q": "graceful shutdown", "includeProvenancePanel": true }),
            json!({ "q": "zzzz" }),
            json!({ "q": "" }),
            json!({ "q": "stream" }),
        ],
        "get_pattern" => vec![json!({ "id": "api-cors" }), json!({ "id": "api-corz" }), json!({ "id": "x" })],
        "list_skills" => vec![json!({}), json!({ "q": "streams", "limit": 1 }), json!({ "q": "zzzz" })],
        "get_skill" => vec![json!({ "slug": "scheduling" }), json!({ "slug": "x" })],
        "list_analysis_rules" | "get_mcp_config" | "get_timestamp" => vec![json!({})],
        "calculate" => vec![json!({ "expression": "1 + 2" }), json!({ "expression": "1 +" })],
        "sleep" => vec![json!({ "ms": 1 })],
        "count" => vec![json!({ "to": 2, "ms": 1 })],
        "ask" => vec![json!({ "whom": "user" })],
        "search_resources" => vec![
            json!({ "query": "rust async" }),
            json!({ "query": "tokoi" }),
            json!({ "type": "book", "official_only": true }),
            json!({ "query": "zzzz" }),
            json!({}),
        ],
        "discover_resources" => vec![
            json!({ "query": "where do I start with Rust?", "explain": true }),
            json!({ "query": "xyzzyplugh" }),
        ],
        "browse_vault" => vec![json!({ "category": "rust" }), json!({})],
        "get_resource" => {
            vec![json!({ "id": "raft-paper" }), json!({ "id": "raft-papr" }), json!({ "id": "?" })]
        }
        "list_categories" => vec![json!({})],
        "scrape_url" | "read_url" | "add_resource_from_url" => vec![json!({ "url": "http://127.0.0.1:1/" })],
        "add_resource" => vec![
            json!({ "id": "new", "title": "*New*", "url": "https://new.example/", "description": "N.", "type": "tool" }),
            json!({ "id": "N", "title": "N", "url": "https://new.example/", "description": "N.", "type": "tool" }),
        ],
        "export_results" => vec![
            json!({ "query": "raft" }),
            json!({ "query": "raft", "format": "html" }),
            json!({ "query": "raft", "format": "json" }),
        ],
        "import_resources" => vec![
            json!({ "text": "<opml><body><outline text='a' url='https://a.example/'/></body></opml>" }),
            json!({ "text": "?" }),
        ],
        other => inventory::calls(other).unwrap_or_else(|| panic!("the tool `{other}` has no call here")),
    }
}

fn patterns(profile: Profile) -> Server {
    let environment = Environment { is_debug: true, name: "local".to_owned() };
    Patterns { environment, profile, ..Patterns::default() }.server().expect("a server")
}

/// Returns a server with a vault of its own.
fn learning(profile: plainwire_learning::Profile) -> Server {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("products-{}-{}.db", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    Learning { profile, ..Learning::new(path) }.server().expect("a server")
}

/// Calls each tool of `make` in each era.
async fn each(make: impl Fn() -> Server, check: impl Fn(&Tool, &Value, &CallToolResult)) {
    let outcome = in_each_era(make, Client::builder(), async |client| {
        for tool in client.list_tools().await? {
            for arguments in calls(&tool.name) {
                // A client without a user can't be asked, which the protocol answers.
                if let Ok(result) = client.call_tool(&tool.name, arguments.clone()).await {
                    check(&tool, &arguments, &result);
                } else {
                    assert_eq!(tool.name, "ask");
                }
            }
        }
        Ok(())
    });
    outcome.await.expect("no error");
}

fn structured(result: &CallToolResult) -> Option<Value> {
    result.structured_content.as_ref().map(|it| serde_json::from_str(it.get()).expect("JSON"))
}

fn texts(result: &CallToolResult) -> Vec<&str> {
    result.content.iter().filter_map(Content::as_text).collect()
}

#[tokio::test]
async fn r5_1_in_the_profile_data_the_text_is_exactly_the_structured_content() {
    let check = |tool: &Tool, arguments: &Value, result: &CallToolResult| {
        let Some(value) = structured(result) else { return };
        // The text of an error is for a reader; its value is beside it.
        if result.is_error && value["kind"] == "toolError:v1" {
            return;
        }
        let [text] = &texts(result)[..] else { panic!("one text: {} {arguments}", tool.name) };
        assert_eq!(serde_json::from_str::<Value>(text).ok(), Some(value), "{} {arguments}", tool.name);
    };
    each(|| patterns(Profile::Data), check).await;
    each(|| learning(plainwire_learning::Profile::Data), check).await;
    each(|| inventory::server(plainwire_inventory::Profile::Data), check).await;
    each(|| plainwire_reference::server().presentation(Presentation::data()), check).await;
    each(plainwire_reference::server, check).await;
}

#[tokio::test]
async fn r5_5_the_output_schema_of_each_tool_fits_its_results() {
    let check = |tool: &Tool, arguments: &Value, result: &CallToolResult| {
        let (Some(schema), Some(value)) = (&tool.output_schema, structured(result)) else { return };
        let schema: Value = serde_json::from_str(schema.get()).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        assert!(validator.is_valid(&value), "{} {arguments}: {value}", tool.name);
        // Nothing of an interface is in the data.
        assert!(!value.to_string().contains("ui://"));
    };
    for profile in [Profile::Data, Profile::Gated] {
        each(|| patterns(profile), check).await;
    }
    for profile in [plainwire_learning::Profile::Data, plainwire_learning::Profile::Gated] {
        each(|| learning(profile), check).await;
    }
    for profile in [plainwire_inventory::Profile::Data, plainwire_inventory::Profile::Gated] {
        each(|| inventory::server(profile), check).await;
    }
    each(|| plainwire_reference::server().presentation(Presentation::gated()), check).await;
}

/// Returns the identifiers in a value: what a program would call the next tool with.
fn ids(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|it| ids(it, found)),
        Value::Object(members) => {
            for (name, it) in members {
                match it {
                    Value::String(text) if ["id", "slug", "pattern"].contains(&&**name) => {
                        found.insert(text.clone());
                    }
                    Value::Array(all) if ["related", "renderedCardIds"].contains(&&**name) => {
                        found.extend(all.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    other => ids(other, found),
                }
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn r5_4_a_host_that_drops_the_text_or_the_value_still_has_each_identifier() {
    let check = |tool: &Tool, arguments: &Value, result: &CallToolResult| {
        let Some(value) = structured(result) else { return };
        let mut all = BTreeSet::new();
        ids(&value, &mut all);
        let text = texts(result).concat();
        for id in &all {
            assert!(text.contains(&**id), "{} {arguments}: {id} is not in the text", tool.name);
        }
    };
    for profile in [Profile::Data, Profile::Gated] {
        each(|| patterns(profile), check).await;
    }
    for profile in [plainwire_learning::Profile::Data, plainwire_learning::Profile::Gated] {
        each(|| learning(profile), check).await;
    }
    for profile in [plainwire_inventory::Profile::Data, plainwire_inventory::Profile::Gated] {
        each(|| inventory::server(profile), check).await;
    }
    for presentation in [Presentation::data(), Presentation::gated()] {
        each(|| plainwire_reference::server().presentation(presentation.clone()), check).await;
    }
}

mod shelf {
    pub(super) mod before {
        use plainwire::prelude::*;

        #[data(kind = "shelf:v1")]
        pub(crate) struct Shelf {
            pub(crate) name: String,
        }
    }

    pub(super) mod after {
        use plainwire::prelude::*;

        #[data(kind = "shelf:v1")]
        pub(crate) struct Shelf {
            pub(crate) name: String,
            // The one edit.
            pub(crate) color: String,
        }
    }
}

#[tokio::test]
async fn r5_2_a_field_that_is_added_to_one_type_is_in_all_channels() {
    use plainwire::apps;
    use plainwire::prelude::{Tool, ToolError};
    use shelf::{after, before};

    let name = || "North".to_owned();
    let old = move || async move { Ok::<_, ToolError>(before::Shelf { name: name() }) };
    let new =
        move || async move { Ok::<_, ToolError>(after::Shelf { name: name(), color: "red".to_owned() }) };
    let serve = |tool: Tool, presentation: Presentation| {
        Server::new("shelves").tool(tool).presentation(presentation.cards())
    };
    let mut cards = BTreeSet::new();
    for presentation in [Presentation::data(), Presentation::gated()] {
        for is_new in [false, true] {
            let tool = if is_new { Tool::new("shelf", new) } else { Tool::new("shelf", old) };
            let shows = json!({ "mimeTypes": [apps::MIME_TYPE] });
            let client = Client::builder().extension(apps::EXTENSION, shows);
            let client = plainwire::testing::client_with(serve(tool, presentation.clone()), client).await;
            let client = client.expect("a client");
            let result = client.call_tool("shelf", json!({})).await.expect("an answer");
            let value = structured(&result).expect("a value");
            assert_eq!(value.get("color").is_some(), is_new, "structured content");
            let text = texts(&result).concat();
            assert_eq!(text.contains("color") && text.contains("red"), is_new, "JSON or Markdown: {text}");
            let tools = client.list_tools().await.expect("tools");
            assert_eq!(
                tools[0].output_schema.as_ref().is_some_and(|it| it.get().contains("color")),
                is_new,
                "the schema"
            );
            // The card draws the structured content; it is the same page for all types. A browser draws it in `card.sh`.
            let card = client.read_resource("ui://plainwire/card.html").await.expect("the card");
            cards.insert(card.contents[0].as_text().unwrap_or_default().to_owned());
        }
    }
    assert_eq!(cards.len(), 1);
    assert!(cards.iter().all(|it| it.contains("structuredContent") && !it.contains("color: red")));
}

/// Makes a server.
type Make = fn() -> Server;

/// Returns what makes the servers, and whether their presentation is the gated one.
fn combinations() -> [(bool, Make); 8] {
    [
        (true, || patterns(Profile::Gated)),
        (false, || patterns(Profile::Data)),
        (true, || learning(plainwire_learning::Profile::Gated)),
        (false, || learning(plainwire_learning::Profile::Data)),
        (true, || inventory::server(plainwire_inventory::Profile::Gated)),
        (false, || inventory::server(plainwire_inventory::Profile::Data)),
        (true, || plainwire_reference::server().presentation(Presentation::gated())),
        (false, || plainwire_reference::server().presentation(Presentation::data())),
    ]
}

#[tokio::test]
async fn r3_2_and_r5_3_the_form_of_a_result_is_an_argument_in_one_profile_and_none_in_the_other() {
    for (is_gated, make) in combinations() {
        let outcome = in_each_era(make, Client::builder(), async |client| {
            for tool in client.list_tools().await? {
                let schema: Value = serde_json::from_str(tool.input_schema.get()).expect("JSON");
                // A `format` of its own, which the tool keeps.
                if tool.name == "export_results" {
                    continue;
                }
                assert_eq!(schema["properties"].get("format").is_some(), is_gated, "{}", tool.name);
                for arguments in calls(&tool.name) {
                    if !is_gated {
                        let mut with = arguments.clone();
                        with["format"] = "json".into();
                        let refused = client.call_tool(&tool.name, with).await;
                        let said = refused.map_or_else(|it| it.to_string(), |it| texts(&it).concat());
                        assert!(said.contains("format"), "{}: {said}", tool.name);
                        continue;
                    }
                    check_forms(&client, &tool.name, &arguments).await;
                }
            }
            Ok(())
        });
        outcome.await.expect("no error");
    }
}

/// Checks the blocks of a call in each form: Markdown has no JSON with a kind, JSON has nothing else, and both have it last.
async fn check_forms(client: &Client, tool: &str, arguments: &Value) {
    let is_payload =
        |text: &&str| serde_json::from_str::<Value>(text).is_ok_and(|it| it.is_object() || it.is_array());
    for format in ["markdown", "json", "both"] {
        let mut with = arguments.clone();
        with["format"] = format.into();
        let Ok(result) = client.call_tool(tool, with).await else { continue };
        // What the protocol refuses, such as a question to nobody, has one text in each form.
        if result.is_error && result.structured_content.is_none() {
            continue;
        }
        let all = texts(&result);
        let payloads = all.iter().filter(|it| is_payload(it)).count();
        let place = format!("{tool} {arguments} {format}: {all:?}");
        match format {
            "markdown" => assert_eq!(payloads, 0, "{place}"),
            "json" => assert_eq!((payloads, all.len()), (1, 1), "{place}"),
            _ => {
                assert!(payloads == 1 && all.len() > 1 && is_payload(all.last().expect("a text")), "{place}");
                let last: Value = serde_json::from_str(all.last().expect("a text")).expect("JSON");
                if let Some(value) = structured(&result) {
                    assert_eq!(last, value, "{place}");
                } else {
                    assert_eq!(last["kind"], "text:v1", "{place}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_kind_has_one_schema_whichever_tool_returns_it() {
    let expected = [
        "analysisRules:v1",
        "needsInput:v1",
        "patternDetails:v1",
        "patternSearchResults:v1",
        "serverConfig:v1",
        "skillDetails:v1",
        "skillSearchResults:v1",
        "toolError:v1",
    ];
    assert_eq!(kinds(patterns(Profile::Gated)).await, expected);
    let expected = [
        "learningAdded:v1",
        "learningCategories:v1",
        "learningDiscovery:v1",
        "learningExport:v1",
        "learningImport:v1",
        "learningPage:v1",
        "learningPageText:v1",
        "learningResource:v1",
        "learningSearchResults:v1",
        "needsInput:v1",
        "toolError:v1",
    ];
    assert_eq!(kinds(learning(plainwire_learning::Profile::Gated)).await, expected);
    let of_inventory = kinds(inventory::server(plainwire_inventory::Profile::Gated)).await;
    assert_eq!(of_inventory.len(), 23, "{of_inventory:?}");
    assert!(
        of_inventory
            .iter()
            .all(|it| it.starts_with("inventory") || it.ends_with("Input:v1") || it == "toolError:v1")
    );
}

/// Returns the kinds of a server, each of which has one schema.
async fn kinds(server: Server) -> Vec<String> {
    let client = plainwire::testing::client(server).await.expect("a client");
    let mut known: BTreeMap<String, Value> = BTreeMap::new();
    for tool in client.list_tools().await.expect("tools") {
        let schema: Value = serde_json::from_str(tool.output_schema.expect("a schema").get()).expect("JSON");
        for alternative in schema["anyOf"].as_array().expect("alternatives") {
            let kind = alternative["properties"]["kind"]["const"].as_str().expect("a kind").to_owned();
            let first = known.entry(kind.clone()).or_insert_with(|| alternative.clone());
            assert_eq!(first, alternative, "{kind} of {}", tool.name);
        }
    }
    known.into_keys().collect()
}
