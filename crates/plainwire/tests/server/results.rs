//! Results of tools, resources and prompts on the wire, in each revision in which they differ.

use std::time::Duration;

use plainwire::handler::WithMeta;
use plainwire::model::{CacheHint, CacheScope, CallToolResult, ResourceContents, TextResource};
use plainwire::prelude::*;
use plainwire::serde_json::Map;
use serde_json::{Value, json};

use crate::declarations::{echo, hello, server};
use crate::raw_client::{LEGACY, MODERN, REVISIONS, ask, error, error_with_data, result, text};

/// Returns the result that has `members` in `revision`. In the newest revision, it also has `resultType` and
/// the server's name and version.
fn in_revision(revision: &str, members: &str) -> String {
    if revision != MODERN {
        return format!("{{{members}}}");
    }
    let (members, meta) = members.split_once(r#","_meta":{"#).unwrap_or((members, "}"));
    let comma = if meta == "}" { "" } else { "," };
    format!(
        r#"{{"resultType":"complete",{members},"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"declared","version":"0.0.0"}}{comma}{meta}}}"#
    )
}

/// Calls `tool` in each of `revisions`, and expects a result with `members`.
async fn returns(tool: impl Fn() -> Tool, revisions: &[&str], members: &str) {
    for revision in revisions {
        let params = format!(r#"{{"name":"{}","arguments":{{}}}}"#, tool().name());
        let answer = ask(server().tool(tool()), revision, "tools/call", &params).await;
        assert_eq!(answer, result("1", &in_revision(revision, members)), "{revision}");
    }
}

/// Returns the `outputSchema` that `tool` has in the list of tools; `null` if it has none.
async fn output_schema(tool: Tool, revision: &str) -> Value {
    let page = ask(server().tool(tool), revision, "tools/list", "{}").await;
    let page: Value = serde_json::from_str(&page).expect("JSON");
    page["result"]["tools"][0]["outputSchema"].clone()
}

#[derive(Serialize, JsonSchema)]
struct Issue {
    key: String,
    /// How often it was seen.
    votes: u32,
}

#[tokio::test]
async fn text_is_text_and_nothing_else() {
    let hello_twice = r#""content":[{"type":"text","text":"hello"}]"#;
    returns(|| Tool::new("t", hello), &REVISIONS, hello_twice).await;
    returns(|| Tool::new("t", || async { "hello".to_owned() }), &REVISIONS, hello_twice).await;
    returns(|| Tool::new("t", || async { Ok::<_, ToolError>("hello") }), &REVISIONS, hello_twice).await;
    for revision in REVISIONS {
        assert_eq!(output_schema(Tool::new("t", hello), revision).await, Value::Null);
    }
}

#[tokio::test]
async fn a_struct_is_structured_content_with_a_schema_and_text() {
    let tool = || Tool::new("t", || async { Issue { key: "A-1".to_owned(), votes: 7 } });
    let text = r#""content":[{"type":"text","text":"{\"key\":\"A-1\",\"votes\":7}"}]"#;
    returns(tool, &REVISIONS[..2], text).await;
    returns(tool, &REVISIONS[2..], &format!(r#"{text},"structuredContent":{{"key":"A-1","votes":7}}"#)).await;
    let schema = json!({
        "type": "object",
        "properties": {
            "key": { "type": "string" },
            "votes": { "type": "integer", "minimum": 0 }
        },
        "required": ["key", "votes"]
    });
    for revision in REVISIONS {
        let expected = if revision < "2025-06-18" { Value::Null } else { schema.clone() };
        assert_eq!(output_schema(tool(), revision).await, expected, "{revision}");
    }
}

#[tokio::test]
async fn a_number_is_structured_content_and_is_wrapped_where_that_has_to_be_an_object() {
    let tool = || Tool::new("t", || async { 3.5 });
    let text = r#""content":[{"type":"text","text":"3.5"}]"#;
    returns(tool, &REVISIONS[..2], text).await;
    returns(tool, &REVISIONS[2..4], &format!(r#"{text},"structuredContent":{{"result":3.5}}"#)).await;
    returns(tool, &[MODERN], &format!(r#"{text},"structuredContent":3.5"#)).await;
    let number = json!({ "type": "number" });
    let wrapped = json!({ "type": "object", "properties": { "result": number }, "required": ["result"] });
    for (revision, expected) in
        REVISIONS.into_iter().zip([Value::Null, Value::Null, wrapped.clone(), wrapped, number])
    {
        assert_eq!(output_schema(tool(), revision).await, expected, "{revision}");
    }
    // NaN can't be written as JSON.
    for (tool, found) in [
        (Tool::new("t", || async { f64::NAN }), "expected a finite number, but found NaN"),
        (
            Tool::new("t", || async { vec![1.5, f64::NAN] }),
            "expected a finite number in `[1]`, but found NaN",
        ),
    ] {
        let answer = ask(server().tool(tool), LEGACY, "tools/call", r#"{"name":"t"}"#).await;
        assert!(answer.contains(found) && answer.contains(r#""isError":true"#), "{answer}");
    }
}

#[tokio::test]
async fn blocks_are_sent_as_they_are() {
    let two = || async { vec![Content::text("a"), Content::text("b\nc")] };
    let blocks = r#""content":[{"type":"text","text":"a"},{"type":"text","text":"b\nc"}]"#;
    returns(|| Tool::new("t", two), &REVISIONS, blocks).await;
    let image = || async { Image { bytes: vec![0, 255], mime_type: "image/png".to_owned() } };
    let block = r#""content":[{"type":"image","data":"AP8=","mimeType":"image/png"}]"#;
    returns(|| Tool::new("t", image), &REVISIONS, block).await;
    let sound =
        || async { vec![Content::from(Audio { bytes: vec![0, 255], mime_type: "audio/wav".to_owned() })] };
    let block = r#""content":[{"type":"audio","data":"AP8=","mimeType":"audio/wav"}]"#;
    returns(|| Tool::new("t", sound), &REVISIONS[1..], block).await;
    returns(|| Tool::new("t", || async {}), &REVISIONS, r#""content":[]"#).await;
    let ready = || async {
        let meta = serde_json::value::RawValue::from_string("{\"a\":\n1}".to_owned()).ok();
        CallToolResult { content: vec![Content::text("x")], is_error: true, meta, structured_content: None }
    };
    let members = r#""content":[{"type":"text","text":"x"}],"isError":true,"_meta":{"a": 1}"#;
    returns(|| Tool::new("t", ready), &REVISIONS, members).await;
}

#[tokio::test]
async fn an_error_is_a_result_with_its_parts_for_programs() {
    let error = || async {
        let details = json!({ "asked": 7 });
        let error = ToolError::new("quota", "too many").hint("wait a minute").retryable().details(details);
        Err::<Issue, _>(error)
    };
    let meta = r#"{"code":"quota","message":"too many","hint":"wait a minute","retryable":true,"details":{"asked":7}}"#;
    let text = r#""content":[{"type":"text","text":"too many\n\nhint: wait a minute"}],"isError":true"#;
    returns(|| Tool::new("t", error), &REVISIONS, &format!(r#"{text},"_meta":{{"plainwire/error":{meta}}}"#))
        .await;

    // `?` accepts any error that implements `Display`. The message leaves out the sources of the error.
    let failing = || async {
        std::fs::read_to_string("/no/such/file")?;
        Ok::<_, ToolError>("read")
    };
    let message = "No such file or directory (os error 2)";
    let meta = format!(r#"{{"code":"failed","message":"{message}","retryable":false}}"#);
    let text = format!(r#""content":[{{"type":"text","text":"{message}"}}],"isError":true"#);
    returns(
        || Tool::new("t", failing),
        &REVISIONS,
        &format!(r#"{text},"_meta":{{"plainwire/error":{meta}}}"#),
    )
    .await;
}

#[tokio::test]
async fn invalid_arguments_are_for_the_model_since_2025_11_25_and_for_the_client_before() {
    let message = r#"expected `arguments.one` to be a string, but found 1; "1" would fit"#;
    let escaped = message.replace('"', r#"\""#);
    for revision in REVISIONS {
        let params = r#"{"name":"t","arguments":{"one":1}}"#;
        let answer = ask(server().tool(Tool::new("t", echo)), revision, "tools/call", params).await;
        let members = format!(r#""content":[{{"type":"text","text":"{escaped}"}}],"isError":true"#);
        let expected = match revision {
            LEGACY | MODERN => result("1", &in_revision(revision, &members)),
            _ => error("1", -32602, message),
        };
        assert_eq!(answer, expected, "{revision}");
    }
    let params = r#"{"name":"t","arguments":{"one":1}}"#;
    let answer = ask(server().prompt(Prompt::new("t", echo)), LEGACY, "prompts/get", params).await;
    assert_eq!(answer, error("1", -32602, message), "a prompt has no result that could say so");
}

#[tokio::test]
async fn a_schema_by_hand_is_sent_to_the_letter() {
    let schema = json!({
        "type": "object", "title": "Kept", "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": { "z": { "type": "string", "format": "x" }, "a": true }, "required": ["z"]
    });
    let tool = || {
        Tool::new("t", |it: Map<String, Value>| async move { Value::from(it).to_string() })
            .input_schema(schema.clone())
    };
    for revision in REVISIONS {
        let page = ask(server().tool(tool()), revision, "tools/list", "{}").await;
        assert!(page.contains(&format!(r#""inputSchema":{schema}"#)), "{page}");
    }
    let params = r#"{"name":"t","arguments":{"z":"1","more":[2]}}"#;
    let answer = ask(server().tool(tool()), LEGACY, "tools/call", params).await;
    assert_eq!(answer, text("1", r#"{\"more\":[2],\"z\":\"1\"}"#));
}

#[tokio::test]
async fn resources_are_read_as_text_bytes_or_contents() {
    let read = |resource: Resource, revision: &'static str| async move {
        ask(server().resource(resource), revision, "resources/read", r#"{"uri":"a://b"}"#).await
    };
    let contents = |members: &str| result("1", &format!(r#"{{"contents":[{{"uri":"a://b",{members}}}]}}"#));
    let text = || Resource::new("a://b", "B", hello);
    assert_eq!(read(text(), LEGACY).await, contents(r#""text":"hello""#));
    let typed = read(text().mime_type("text/plain"), LEGACY).await;
    assert_eq!(typed, contents(r#""mimeType":"text/plain","text":"hello""#));
    let bytes = Resource::new("a://b", "B", || async { vec![0, 255] });
    assert_eq!(read(bytes, LEGACY).await, contents(r#""blob":"AP8=""#));
    let ready = Resource::new("a://b", "B", || async {
        let (uri, text) = ("a://b".to_owned(), "x".to_owned());
        vec![ResourceContents::Text(TextResource { meta: None, mime_type: None, text, uri })]
    });
    assert_eq!(read(ready, LEGACY).await, contents(r#""text":"x""#));
    let modern = in_revision(
        MODERN,
        r#""contents":[{"uri":"a://b","text":"hello"}],"ttlMs":0,"cacheScope":"private""#,
    );
    assert_eq!(read(text(), MODERN).await, result("1", &modern));
}

#[tokio::test]
async fn a_resource_that_does_not_exist_has_the_code_of_the_revision_and_its_uri() {
    let missing =
        || {
            server()
                .resource(Resource::new("a://b", "B", || async {
                    Err::<String, _>(ToolError::not_found("gone"))
                }))
                .resource_template(ResourceTemplate::new("n://{n}", "N", |it: Number| async move {
                    it.n.to_string()
                }))
        };
    for revision in REVISIONS {
        let code = if revision == MODERN { -32602 } else { -32002 };
        // In this order: a handler whose error has a message of its own, a URI that does not exist, and two
        // values that do not fit their variable.
        for uri in ["a://b", "a://c", "n://x", "n://"] {
            let answer = ask(missing(), revision, "resources/read", &format!(r#"{{"uri":"{uri}"}}"#)).await;
            let message = match uri {
                "a://b" => "gone".to_owned(),
                _ => format!("expected `uri` to be a known resource, but found {uri:?}"),
            };
            let data = format!(r#"{{"uri":"{uri}"}}"#);
            assert_eq!(answer, error_with_data("1", code, &message, &data), "{revision}");
        }
        let found = ask(missing(), revision, "resources/read", r#"{"uri":"n://7"}"#).await;
        assert!(found.contains(r#""text":"7""#), "{found}");
    }
    let broken = || async { Err::<String, _>(ToolError::failed("disk").hint("try later")) };
    let broken = server().resource(Resource::new("a://b", "B", broken));
    let answer = ask(broken, LEGACY, "resources/read", r#"{"uri":"a://b"}"#).await;
    let data = r#"{"code":"failed","message":"disk","hint":"try later","retryable":false}"#;
    assert_eq!(answer, error_with_data("1", -32603, "disk\n\nhint: try later", data));
}

#[derive(Deserialize, JsonSchema)]
struct Number {
    n: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Question {
    /// What it is about.
    topic: String,
    #[schemars(title = "Words")]
    words: Option<u32>,
}

#[tokio::test]
async fn prompts_say_which_arguments_they_need() {
    let prompt = || {
        Prompt::new("ask", |it: Question| async move {
            format!("{} in {} words", it.topic, it.words.unwrap_or(100))
        })
        .description("Asks.")
        .title("Ask")
    };
    for revision in REVISIONS {
        let title = if revision < "2025-06-18" { "" } else { r#""title":"Words","# };
        let arguments = format!(
            r#"[{{"name":"topic","description":"What it is about.","required":true}},{{"name":"words",{title}"required":false}}]"#
        );
        let page = ask(server().prompt(prompt()), revision, "prompts/list", "{}").await;
        let title = if revision < "2025-06-18" { "" } else { r#""title":"Ask","# };
        let entry = format!(r#"{{"name":"ask",{title}"description":"Asks.","arguments":{arguments}}}"#);
        assert!(page.contains(&format!(r#""prompts":[{entry}]"#)), "{page}");
    }
    for (arguments, expected) in [
        (r#"{"topic":"rain"}"#, said("rain in 100 words")),
        (r#"{"topic":"rain","words":"7"}"#, said("rain in 7 words")),
        (r#"{"topic":"rain","words":null}"#, said("rain in 100 words")),
        (
            "{}",
            error(
                "1",
                -32602,
                "expected `arguments.topic` to be a string, but found nothing; \"text\" would fit",
            ),
        ),
        (
            r#"{"topic":"rain","words":"few"}"#,
            error("1", -32602, "expected `arguments.words` to be an integer, but found \"few\"; 1 would fit"),
        ),
    ] {
        let params = format!(r#"{{"name":"ask","arguments":{arguments}}}"#);
        assert_eq!(ask(server().prompt(prompt()), LEGACY, "prompts/get", &params).await, expected);
    }
    let failing = Prompt::new("ask", || async { Err::<String, _>(ToolError::invalid_input("not today")) });
    let answer = ask(server().prompt(failing), LEGACY, "prompts/get", r#"{"name":"ask"}"#).await;
    let data = r#"{"code":"invalid_input","message":"not today","retryable":false}"#;
    assert_eq!(answer, error_with_data("1", -32602, "not today", data));
}

/// Returns the line with the result of a prompt that has one message, a text of the user.
fn said(text: &str) -> String {
    result("1", &format!(r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":"{text}"}}}}]}}"#))
}

#[tokio::test]
async fn hints_on_freshness_go_to_clients_that_know_them() {
    let hint = CacheHint { scope: CacheScope::Public, ttl: Duration::from_millis(1_500) };
    let server =
        || server().tool(Tool::new("t", hello)).resource(Resource::new("a://b", "B", hello)).cache(hint);
    let hinted = r#""ttlMs":1500,"cacheScope":"public""#;
    for revision in REVISIONS {
        for (method, params) in
            [("tools/list", "{}"), ("resources/list", "{}"), ("resources/read", r#"{"uri":"a://b"}"#)]
        {
            let answer = ask(server(), revision, method, params).await;
            assert_eq!(answer.contains(hinted), revision == MODERN, "{answer}");
            assert_eq!(answer.contains("ttlMs"), revision == MODERN, "{answer}");
        }
        // The result of a tool call has no cache hint.
        assert!(!ask(server(), revision, "tools/call", r#"{"name":"t"}"#).await.contains("ttlMs"));
    }
    assert!(ask(server(), MODERN, "server/discover", "{}").await.contains(hinted));
}

#[tokio::test]
async fn a_resource_has_its_own_hint_on_freshness() {
    let hint = |ms| CacheHint { scope: CacheScope::Public, ttl: Duration::from_millis(ms) };
    let server = || {
        let template = ResourceTemplate::new("b://{+rest}", "B", hello).cache(hint(200));
        let fixed = Resource::new("a://b", "B", hello).cache(hint(100));
        server()
            .cache(hint(9))
            .resource(fixed)
            .resource_template(template)
            .resource(Resource::new("c://d", "C", hello))
    };
    for (uri, ms) in [("a://b", 100), ("b://x", 200), ("c://d", 9)] {
        let answer = ask(server(), MODERN, "resources/read", &format!(r#"{{"uri":"{uri}"}}"#)).await;
        assert!(answer.contains(&format!(r#""ttlMs":{ms},"cacheScope":"public""#)), "{answer}");
    }
    assert!(ask(server(), MODERN, "resources/list", "{}").await.contains(r#""ttlMs":9,"#));
}

#[tokio::test]
async fn a_resource_that_returns_json_is_listed_with_its_media_type() {
    let listed = |resource: Resource| async {
        let page = ask(server().resource(resource), MODERN, "resources/list", "{}").await;
        let page: Value = serde_json::from_str(&page).expect("JSON");
        page["result"]["resources"][0]["mimeType"].clone()
    };
    let number =
        || Resource::new("a:1", "a", || async { Ok::<_, ToolError>(WithMeta::new(Json(1), json!({}))) });
    assert_eq!(listed(number()).await, "application/json");
    assert_eq!(listed(number().mime_type("application/geo+json")).await, "application/geo+json");
    assert_eq!(listed(Resource::new("a:1", "a", || async { "text" })).await, Value::Null);
}
