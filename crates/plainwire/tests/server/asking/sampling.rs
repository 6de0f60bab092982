//! Questions on the wire, in each revision: sampling, elicitation and their capabilities.

use plainwire::model::{
    CreateMessage, MediaContent, ModelHint, ModelPreferences, SamplingContent, SamplingMessage, TextContent,
    ToolChoice, ToolUse,
};
use plainwire::prelude::*;
use serde_json::{Value, json};

use super::support::{Asked, CAPABILITIES, ERAS};
use crate::raw_client::{MODERN, Raw};

/// Calls `tool`, and returns the parameters of the first question that the server asks. The question is a
/// request in the legacy era, and has the key `q` in the modern era. If the server's next message has no
/// question, returns the whole message.
async fn first_question(tool: Tool, era: &'static str) -> Value {
    first_question_to(tool, era, CAPABILITIES).await
}

async fn first_question_to(tool: Tool, era: &'static str, capabilities: &str) -> Value {
    let name = tool.name().to_owned();
    let raw = Raw::connect(Server::new("s").tool(tool));
    let line = Asked::declaring(raw, era, capabilities).await.tool(&name).await;
    let message: Value = serde_json::from_str(&line).expect("JSON");
    match (&message["result"]["inputRequests"]["q"], &message["params"]) {
        (Value::Null, Value::Null) => message,
        (Value::Null, params) => params.clone(),
        (question, _) => question["params"].clone(),
    }
}

#[tokio::test]
async fn a_page_has_an_id_in_one_revision_and_does_not_exist_before() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            ctx.elicit_url("q", "Pay", "https://pay.example/1").await?.accepted()
        });
        let mut asked = first_question(tool, era).await;
        let id = asked.as_object_mut().expect("an object").remove("elicitationId");
        if era == "2025-06-18" {
            assert_eq!(asked["result"]["_meta"]["plainwire/error"]["code"], "unsupported");
            continue;
        }
        assert_eq!(asked, json!({"mode": "url", "message": "Pay", "url": "https://pay.example/1"}));
        assert_eq!(id.is_some_and(|id| id.is_string()), era == "2025-11-25");
    }
}

#[tokio::test]
async fn a_form_written_by_hand_is_sent_as_it_is_and_checked() {
    let schema = json!({"type": "object", "properties": {
        "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["Small", "Medium"]},
    }, "required": ["size"]});
    for era in ERAS {
        let form = schema.clone();
        let tool = Tool::new("t", move |ctx: Context| {
            let form = form.clone();
            async move {
                Ok::<_, ToolError>(
                    ctx.elicit_form("q", "Size?", &form).await?.accepted()?["size"].to_string(),
                )
            }
        });
        let asked = first_question(tool.clone(), era).await;
        assert_eq!(asked["requestedSchema"]["properties"], schema["properties"], "{era}");
        assert_eq!(asked["mode"], if era == "2025-06-18" { Value::Null } else { json!("form") });
        let person =
            super::support::Person::new().answers("Size?", r#"{"action":"accept","content":{"size":"xl"}}"#);
        let mut client = Asked::connect(Server::new("s").tool(tool), era).await;
        let answer = client.call("t", "{}", &person).await;
        assert!(
            super::support::text(&answer).contains("the answer to `q`: expected `size` to be one of"),
            "{answer}"
        );
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Color {
    /// Like a rose.
    Red,
    /// Like the sky.
    Blue,
}

fn small() -> u8 {
    3
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    color: Color,
    #[serde(default = "small")]
    #[schemars(range(min = 1, max = 9))]
    count: u8,
}

#[tokio::test]
async fn choices_and_defaults_are_written_as_each_revision_has_them() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            let it: Order = ctx.elicit("q", "?").await?.accepted()?;
            let color = match it.color {
                Color::Red => "red",
                Color::Blue => "blue",
            };
            Ok::<_, ToolError>(format!("{} {color}", it.count))
        });
        let properties = &first_question(tool, era).await["requestedSchema"]["properties"];
        let color = if era == "2025-06-18" {
            json!({"type": "string", "enum": ["red", "blue"], "enumNames": ["Like a rose.", "Like the sky."]})
        } else {
            json!({"type": "string", "oneOf": [
                {"const": "red", "title": "Like a rose."}, {"const": "blue", "title": "Like the sky."}]})
        };
        assert_eq!(properties["color"], color, "{era}");
        let default = if era == "2025-06-18" { Value::Null } else { json!(3) };
        assert_eq!(properties["count"]["default"], default, "{era}");
    }
}

#[tokio::test]
async fn several_choices_do_not_exist_before_2025_11_25() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            Ok::<_, ToolError>(ctx.elicit::<Vec<Color>>("q", "?").await?.accepted()?.len().to_string())
        });
        let asked = first_question(tool, era).await;
        if era == "2025-06-18" {
            assert_eq!(asked["result"]["_meta"]["plainwire/error"]["code"], "unsupported", "{asked}");
        } else {
            assert_eq!(asked["requestedSchema"]["properties"]["value"]["type"], "array", "{asked}");
        }
    }
}

fn media(mime_type: &str) -> MediaContent {
    MediaContent { data: "AAAA".to_owned(), mime_type: mime_type.to_owned(), ..MediaContent::default() }
}

#[tokio::test]
async fn a_message_of_several_blocks_is_several_messages_before_2025_11_25() {
    for era in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN] {
        let tool = Tool::new("t", |ctx: Context| async move {
            let text = TextContent { text: "See".to_owned(), ..TextContent::default() };
            let content = vec![
                SamplingContent::Text(text),
                SamplingContent::Image(media("image/png")),
                SamplingContent::Audio(media("audio/wav")),
            ];
            let request = CreateMessage {
                max_tokens: 9,
                messages: vec![SamplingMessage { content, role: Role::User }],
                model_preferences: Some(ModelPreferences {
                    hints: vec![ModelHint { name: Some("m".to_owned()) }],
                    ..ModelPreferences::default()
                }),
                system_prompt: Some("Be brief".to_owned()),
                ..CreateMessage::default()
            };
            let said = ctx.sample("q", request).await?;
            Ok::<_, ToolError>(said.model)
        });
        let asked = first_question(tool, era).await;
        if era == "2024-11-05" {
            let error = &asked["result"]["_meta"]["plainwire/error"];
            let expected = "expected messages of blocks that 2024-11-05 has in sampling, but found `audio`";
            assert_eq!((&error["code"], &error["message"]), (&json!("unsupported"), &json!(expected)));
            continue;
        }
        let messages = asked["messages"].as_array().expect("messages");
        let several = era >= "2025-11-25";
        assert_eq!(messages.len(), if several { 1 } else { 3 }, "{era}: {asked}");
        let blocks: Vec<&Value> = if several {
            messages[0]["content"].as_array().expect("blocks").iter().collect()
        } else {
            messages.iter().map(|message| &message["content"]).collect()
        };
        let kinds: Vec<_> = blocks.iter().map(|block| block["type"].as_str().unwrap_or_default()).collect();
        assert_eq!(kinds, ["text", "image", "audio"], "{era}: {asked}");
        assert_eq!(asked["systemPrompt"], "Be brief");
        assert_eq!(asked["modelPreferences"], json!({"hints": [{"name": "m"}]}));
    }
}

#[tokio::test]
async fn a_model_may_be_given_tools_since_2025_11_25() {
    for era in ["2025-11-25", MODERN] {
        let tool = Tool::new("t", |ctx: Context| async move {
            let schema = serde_json::value::to_raw_value(&json!({"type": "object"}))?;
            let tool = plainwire::model::Tool {
                annotations: None,
                description: Some("Adds".to_owned()),
                icons: Vec::new(),
                input_schema: schema,
                meta: None,
                name: "add".to_owned(),
                output_schema: None,
                title: None,
            };
            let request = CreateMessage {
                tool_choice: Some(ToolChoice::Required),
                tools: vec![tool],
                ..CreateMessage::ask("1 + 1", 9)
            };
            Ok::<_, ToolError>(ctx.sample("q", request).await?.model)
        });
        let asked = first_question(tool, era).await;
        assert_eq!(asked["toolChoice"], json!({"mode": "required"}), "{era}: {asked}");
        assert_eq!(asked["tools"][0]["name"], "add");
    }
}

#[tokio::test]
async fn a_conversation_without_the_result_of_a_tool_is_not_asked() {
    for era in ["2025-11-25", MODERN] {
        let tool = Tool::new("t", |ctx: Context| async move {
            let input = serde_json::value::to_raw_value(&json!({}))?;
            let used = ToolUse { id: "u".to_owned(), input, name: "add".to_owned() };
            let mut request = CreateMessage::ask("1 + 1", 9);
            let content = vec![SamplingContent::ToolUse(used)];
            request.messages.push(SamplingMessage { content, role: Role::Assistant });
            Ok::<_, ToolError>(ctx.sample("q", request).await?.model)
        });
        let refused = first_question(tool, era).await;
        let error = &refused["result"]["_meta"]["plainwire/error"];
        let expected = "expected a result of \"u\" in `messages`, but found none";
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!("invalid_request"), &json!(expected)),
            "{era}: {refused}"
        );
    }
}

#[tokio::test]
async fn a_context_is_wanted_only_of_clients_that_declare_it() {
    for (era, capabilities, expected) in [
        ("2025-06-18", r#"{"sampling":{}}"#, json!("thisServer")),
        ("2025-11-25", r#"{"sampling":{}}"#, Value::Null),
        ("2025-11-25", r#"{"sampling":{"context":{}}}"#, json!("thisServer")),
        (MODERN, r#"{"sampling":{"tools":{}}}"#, Value::Null),
        (MODERN, r#"{"sampling":{"context":{}}}"#, json!("thisServer")),
    ] {
        let tool = Tool::new("t", |ctx: Context| async move {
            let include_context = Some("thisServer".to_owned());
            let request = CreateMessage { include_context, ..CreateMessage::ask("?", 9) };
            Ok::<_, ToolError>(ctx.sample("q", request).await?.model)
        });
        let asked = first_question_to(tool, era, capabilities).await;
        assert_eq!(asked["includeContext"], expected, "{era}, {capabilities}: {asked}");
        assert_eq!(asked["maxTokens"], 9, "{asked}");
    }
}
