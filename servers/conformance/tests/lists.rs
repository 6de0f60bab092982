//! Tests of the lists: schemas are valid, and have the parts that the suite compares.

use std::time::Duration;

use plainwire::Client;
use plainwire::model::SubscriptionFilter;
use plainwire::prelude::*;
use plainwire::proto::cursor::List;
use plainwire::proto::peer::Change;
use plainwire::serde_json::{self, Value};
use plainwire::testing::in_each_era;
use plainwire_conformance::server;

fn value(json: &str) -> Value {
    serde_json::from_str(json).expect("JSON")
}

#[tokio::test]
async fn the_schema_of_every_tool_is_a_schema_of_an_object() -> Result<()> {
    in_each_era(server, Client::builder(), async |client| {
        for tool in client.list_tools().await? {
            for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()].into_iter().flatten() {
                let schema = value(schema.get());
                jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{}: {error}", tool.name));
                assert_eq!(schema["type"], "object", "{}", tool.name);
            }
            assert!(tool.description.is_some(), "{}", tool.name);
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_schema_by_hand_keeps_every_keyword() -> Result<()> {
    in_each_era(server, Client::builder(), async |client| {
        let tools = client.list_tools().await?;
        let tool = tools.iter().find(|it| it.name == "json_schema_2020_12_tool").expect("the tool");
        let schema = value(tool.input_schema.get());
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$defs"]["address"]["$anchor"], "addressDef");
        assert_eq!(schema["properties"]["address"]["$ref"], "#/$defs/address");
        assert_eq!(schema["allOf"][0]["anyOf"][1], json!({ "required": ["email"] }));
        assert!(["if", "then", "else"].iter().all(|keyword| schema.get(keyword).is_some()));
        assert_eq!(schema["additionalProperties"], false);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn one_text_is_repeated_in_a_header() -> Result<()> {
    in_each_era(server, Client::builder(), async |client| {
        let tools = client.list_tools().await?;
        let marked: Vec<_> =
            tools.iter().filter(|it| it.input_schema.get().contains("x-mcp-header")).collect();
        assert_eq!(marked.len(), 1);
        assert_eq!(marked[0].name, "test_custom_header");
        let value = &value(marked[0].input_schema.get())["properties"]["value"];
        assert_eq!((&value["type"], &value["x-mcp-header"]), (&json!("string"), &json!("Value")));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn lists_have_the_same_order_each_time_and_those_who_listen_hear_of_changes() -> Result<()> {
    in_each_era(server, Client::builder(), async |client| {
        let names = async || {
            let tools = client.list_tools().await?;
            Result::Ok(tools.into_iter().map(|it| it.name).collect::<Vec<_>>())
        };
        let before = names().await?;
        let filter = SubscriptionFilter {
            prompts_list_changed: true,
            resource_subscriptions: vec!["test://watched-resource".to_owned()],
            tools_list_changed: true,
            ..SubscriptionFilter::default()
        };
        let mut listen = client.listen(filter).await?;
        assert_eq!(listen.honoured().resource_subscriptions, ["test://watched-resource"]);
        for (tool, list) in
            [("test_trigger_tool_change", List::Tools), ("test_trigger_prompt_change", List::Prompts)]
        {
            client.call_tool(tool, json!({})).await?;
            let heard = tokio::time::timeout(Duration::from_secs(30), listen.next()).await;
            assert_eq!(heard, Ok(Some(Change::List(list))));
        }
        assert_eq!(names().await?, before);
        Ok(())
    })
    .await
}
