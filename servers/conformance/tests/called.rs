//! Calls every fixture once in each era and asserts the result that the suite expects.

use plainwire::Client;
use plainwire::client::{ClientBuilder, Notice, Sampling};
use plainwire::model::{
    CompleteRequest, CreateMessage, CreateMessageResult, ElicitResult, Elicitation, LogLevel,
    ResourceContents, Root,
};
use plainwire::prelude::*;
use plainwire::serde_json::{self, Value};
use plainwire::testing::{in_each_era, show};
use plainwire_conformance::server;

/// Returns a client that accepts every elicitation, answers every sampling request, and has one root.
fn client() -> ClientBuilder {
    let model = |_: CreateMessage| async { Ok(CreateMessageResult::text("model", "Paris")) };
    Client::builder()
        .on_elicit(|asked| async move { ElicitResult::accept(filled_in(&asked)) })
        .on_sample(Sampling::new(model).consent(|_| async { true }))
        .roots(vec![Root::new("file:///work")])
}

/// Returns an answer to a form: for each field its default, its first choice, or a value of its type.
fn filled_in(asked: &Elicitation) -> Value {
    let Elicitation::Form { schema, .. } = asked else { panic!("expected a form, but found {asked:?}") };
    let form: Value = serde_json::from_str(schema).expect("JSON");
    let field = |schema: &Value| {
        let one = |of: &Value| {
            of["enum"].get(0).or(of["oneOf"][0].get("const")).or(of["anyOf"][0].get("const")).cloned()
        };
        match schema["type"].as_str() {
            _ if !schema["default"].is_null() => schema["default"].clone(),
            Some("array") => json!([one(&schema["items"])]),
            Some("boolean") => json!(true),
            _ => one(schema).unwrap_or_else(|| json!("Ada")),
        }
    };
    let fields = form["properties"].as_object().into_iter().flatten();
    fields.map(|(name, schema)| (name.clone(), field(schema))).collect()
}

/// Returns every tool that the suite calls, with arguments and the text of its result. A result that is not
/// text is described in words.
fn tools() -> Vec<(&'static str, Value, &'static str)> {
    let none = || json!({});
    vec![
        ("test_simple_text", none(), "This is a simple text response for testing."),
        ("test_image_content", none(), "image image/png"),
        ("test_audio_content", none(), "audio audio/wav"),
        ("test_embedded_resource", none(), "test://embedded-resource: This is an embedded resource content."),
        (
            "test_multiple_content_types",
            none(),
            "Multiple content types test:\nimage image/png\ntest://mixed-content-resource: {\"test\":\"data\",\"value\":123}",
        ),
        ("test_error_handling", none(), "error: This tool intentionally returns an error for testing"),
        ("test_tool_with_logging", none(), "Tool with logging executed successfully"),
        ("test_tool_with_progress", none(), "Tool with progress executed successfully"),
        ("test_logging_tool", none(), "Logging tool executed successfully"),
        ("test_reconnection", none(), "Reconnection test completed successfully"),
        ("test_sampling", json!({ "prompt": "Capital?" }), "LLM response: Paris"),
        (
            "test_elicitation",
            json!({ "message": "Who are you?" }),
            "User response: action=accept, content={\"email\":\"Ada\",\"username\":\"Ada\"}",
        ),
        (
            "test_elicitation_sep1034_defaults",
            none(),
            "Elicitation completed: action=accept, \
             content={\"age\":30,\"name\":\"John Doe\",\"score\":95.5,\"status\":\"active\",\"verified\":true}",
        ),
        (
            "test_elicitation_sep1330_enums",
            none(),
            "Elicitation completed: action=accept, content={\"legacyEnum\":\"opt1\",\"titledMulti\":[\"value1\"],\
             \"titledSingle\":\"value1\",\"untitledMulti\":[\"option1\"],\"untitledSingle\":\"option1\"}",
        ),
        ("test_missing_capability", none(), "The client can be asked for a model's answer"),
        ("test_streaming_elicitation", none(), "Elicitation completed: action=accept, content={}"),
        ("test_input_required_result_elicitation", none(), "Hello, Ada!"),
        ("test_input_required_result_sampling", none(), "Paris"),
        ("test_input_required_result_list_roots", none(), "Roots: file:///work"),
        ("test_input_required_result_request_state", none(), "state-ok, confirmed: true"),
        ("test_input_required_result_multiple_inputs", none(), "Paris Ada works in file:///work"),
        ("test_input_required_result_multi_round", none(), "Ada likes Ada"),
        ("test_input_required_result_tampered_state", none(), "confirmed: true"),
        ("test_input_required_result_capabilities", none(), "Paris Ada"),
        ("json_schema_2020_12_tool", json!({ "phone": "1" }), "{\"phone\":\"1\"}"),
        ("test_custom_header", json!({ "value": "Hello" }), "Hello"),
        ("test_trigger_tool_change", none(), "The list of tools has changed"),
        ("test_trigger_prompt_change", none(), "The list of prompts has changed"),
    ]
}

/// Returns the content of a result as text, with a line for each block.
fn told(content: &[Content]) -> String {
    let block = |block: &Content| match block {
        Content::Audio(it) => format!("audio {}", it.mime_type),
        Content::Image(it) => format!("image {}", it.mime_type),
        Content::Resource(it) => {
            format!("{}: {}", it.resource.uri(), it.resource.as_text().unwrap_or_default())
        }
        other => other.as_text().unwrap_or_default().to_owned(),
    };
    content.iter().map(block).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn every_tool_returns_what_the_suite_asserts() -> Result<()> {
    in_each_era(server, client(), async |client| {
        for (name, arguments, expected) in tools() {
            let result = client.call_tool(name, arguments).await?;
            let (expected, fails) = match expected.strip_prefix("error: ") {
                Some(text) => (text, true),
                None => (expected, false),
            };
            assert_eq!((told(&result.content).as_str(), result.is_error), (expected, fails), "{name}");
        }
        let listed: Vec<String> = client.list_tools().await?.into_iter().map(|it| it.name).collect();
        let called: Vec<&str> = tools().into_iter().map(|(name, ..)| name).collect();
        assert_eq!(listed, called, "in the order of their declaration");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn pictures_and_sounds_are_what_their_types_say() -> Result<()> {
    in_each_era(server, client(), async |client| {
        let read = client.read_resource("test://static-binary").await?;
        assert!(
            matches!(&read.contents[0], ResourceContents::Blob(it) if it.blob.starts_with("iVBORw0KGgo"))
        );
        for (tool, begins) in [("test_image_content", "iVBORw0KGgo"), ("test_audio_content", "UklGR")] {
            let result = client.call_tool(tool, json!({})).await?;
            let (Content::Image(it) | Content::Audio(it)) = &result.content[0] else { panic!("{result:?}") };
            assert!(it.data.starts_with(begins), "{}", it.data);
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn progress_and_log_messages_come_before_the_answer() -> Result<()> {
    in_each_era(server, client(), async |client| {
        let (sender, reports) = std::sync::mpsc::channel();
        let report = move |it: plainwire::client::Progress| {
            sender.send((it.done, it.total)).expect("a test that waits")
        };
        client.call_tool("test_tool_with_progress", json!({})).on_progress(report).await?;
        let total = Some(100.0);
        assert_eq!(reports.iter().collect::<Vec<_>>(), [(0.0, total), (50.0, total), (100.0, total)]);

        let mut notices = client.notices().expect("the first to ask");
        client.set_log_level(LogLevel::Debug).await?;
        client.call_tool("test_tool_with_logging", json!({})).await?;
        let mut logged = Vec::new();
        while let Some(Notice::Log(message)) = notices.try_recv() {
            logged.push(message.data.get().to_owned());
        }
        let expected = ["Tool execution started", "Tool processing data", "Tool execution completed"];
        assert_eq!(logged, expected.map(|text| format!("{text:?}")));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn every_resource_holds_what_the_suite_asserts() -> Result<()> {
    in_each_era(server, client(), async |client| {
        let (plain, png, data) = ("text/plain", "image/png", "application/json");
        let told = r#"{"data":"Data for ID: 123","id":"123","templateTest":true}"#;
        for (uri, mime_type, text) in [
            ("test://static-text", plain, Some("This is the content of the static text resource.")),
            ("test://static-binary", png, None),
            ("test://watched-resource", plain, Some("Watched resource content")),
            ("test://template/123/data", data, Some(told)),
        ] {
            let read = client.read_resource(uri).await?;
            let (held, its_type) = match &read.contents[0] {
                ResourceContents::Blob(it) => (None, &it.mime_type),
                ResourceContents::Text(it) => (Some(it.text.as_str()), &it.mime_type),
            };
            assert_eq!((held, its_type.as_deref()), (text, Some(mime_type)));
            assert_eq!(read.contents[0].uri(), uri);
        }
        let listed = client.list_resources().await?;
        let uris: Vec<&str> = listed.iter().map(|it| it.uri.as_str()).collect();
        assert_eq!(uris, ["test://static-text", "test://static-binary", "test://watched-resource"]);
        assert!(listed.iter().all(|it| it.description.is_some() && it.mime_type.is_some()));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn every_prompt_says_what_the_suite_asserts() -> Result<()> {
    in_each_era(server, client(), async |client| {
        for (name, arguments, expected) in [
            ("test_simple_prompt", json!({}), "This is a simple prompt for testing."),
            (
                "test_prompt_with_arguments",
                json!({ "arg1": "hello", "arg2": "world" }),
                "Prompt with arguments: arg1='hello', arg2='world'",
            ),
            (
                "test_prompt_with_embedded_resource",
                json!({ "resourceUri": "test://example-resource" }),
                "test://example-resource: Embedded resource content for testing.\n\
                 Please process the embedded resource above.",
            ),
            ("test_prompt_with_image", json!({}), "image image/png\nPlease analyze the image above."),
            ("test_input_required_result_prompt", json!({}), "Use this context: Ada"),
        ] {
            let got = client.get_prompt(name, arguments).await?;
            assert!(got.messages.iter().all(|it| it.role == Role::User), "{name}");
            let content: Vec<Content> = got.messages.into_iter().map(|it| it.content).collect();
            assert_eq!(told(&content), expected, "{name}");
        }
        let listed = client.list_prompts().await?;
        assert_eq!(listed.len(), 5);
        assert!(listed.iter().all(|it| it.description.is_some()));
        assert!(listed.iter().flat_map(|it| &it.arguments).all(|it| it.required && it.description.is_some()));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn arguments_of_a_prompt_are_completed() -> Result<()> {
    in_each_era(server, client(), async |client| {
        for (typed, expected) in [("par", &["paris", "park", "party"][..]), ("test", &[])] {
            let request = CompleteRequest::prompt("test_prompt_with_arguments", "arg1", typed);
            assert_eq!(client.complete(&request).await?.values, expected);
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_client_without_a_model_is_refused_before_the_work() -> Result<()> {
    in_each_era(server, Client::builder(), async |client| {
        let refused = client.call_tool("test_missing_capability", json!({})).await;
        let told = match refused {
            Ok(result) => show(&result),
            Err(error) => error.to_string(),
        };
        assert!(told.contains("expected a client that declares `sampling`"), "{told}");
        Ok(())
    })
    .await
}
