//! The form of results in each profile: blocks, structured content, errors, schemas.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainwire::Client;
use plainwire::layer::{Next, Request, Response};
use plainwire::model::{CacheHint, CacheScope, CallToolResult, Content, ElicitResult, Elicitation};
use plainwire::prelude::*;
use plainwire::presentation::{Format, NeedsInput, Presentation};
use plainwire::proto::peer::EraChoice;
use serde_json::{Value, json};

use crate::raw_client::{MODERN, REVISIONS, ask};

#[derive(Serialize, JsonSchema)]
struct Plant {
    name: String,
    shade: bool,
}

fn fern() -> Plant {
    Plant { name: "fern".to_owned(), shade: true }
}

#[derive(Deserialize, JsonSchema)]
struct Wish {
    count: Option<u64>,
}

fn server() -> Server {
    Server::new("garden")
        .tool(Tool::new("plant", || async { fern() }))
        .tool(Tool::new("plants", |it: Wish| async move {
            (0..it.count.unwrap_or(2)).map(|_| fern()).collect::<Vec<_>>()
        }))
        .tool(Tool::new("note", || async { "*water* it" }))
        .tool(Tool::new("lost", || async {
            Err::<Plant, _>(
                ToolError::not_found("there is no rose").hint("plant one").details(json!({ "row": 3 })),
            )
        }))
}

async fn call(server: Server, tool: &str, arguments: Value) -> CallToolResult {
    let client = plainwire::testing::client(server).await.expect("a server");
    match client.request("tools/call", &json!({ "name": tool, "arguments": arguments }).to_string()).await {
        Ok(raw) => serde_json::from_str(raw.get()).expect("a result"),
        Err(error) => panic!("{error}"),
    }
}

fn texts(result: &CallToolResult) -> Vec<&str> {
    result.content.iter().map(|it| it.as_text().expect("a text")).collect()
}

fn structured(result: &CallToolResult) -> Option<&str> {
    result.structured_content.as_ref().map(|it| it.get())
}

const JSON: &str = r#"{"name":"fern","shade":true}"#;
const MARKDOWN: &str = "# fern\n\n- **shade:** true\n";

#[tokio::test]
async fn a_gated_result_has_the_form_that_the_call_names_and_is_complete_in_each() {
    let gated = || server().presentation(Presentation::gated());
    for (arguments, expected) in [
        (json!({}), vec![MARKDOWN]),
        (json!({ "format": null }), vec![MARKDOWN]),
        (json!({ "format": "markdown" }), vec![MARKDOWN]),
        (json!({ "format": "json" }), vec![JSON]),
        (json!({ "format": "both" }), vec![MARKDOWN, JSON]),
    ] {
        let result = call(gated(), "plant", arguments.clone()).await;
        assert_eq!((texts(&result), structured(&result)), (expected, Some(JSON)), "{arguments}");
    }
    let result = call(gated(), "plants", json!({ "count": 1, "format": "json" })).await;
    assert_eq!(texts(&result), [format!("[{JSON}]")]);
    let other = server().presentation(Presentation::gated().default_format(Format::Both));
    assert_eq!(texts(&call(other, "plant", json!({})).await), [MARKDOWN, JSON]);
}

#[tokio::test]
async fn markdown_is_for_the_user_first_of_all() {
    let result =
        call(server().presentation(Presentation::gated()), "plant", json!({ "format": "both" })).await;
    let annotations = |block: &Content| match block {
        Content::Text(it) => it.annotations.as_ref().map(|it| (it.audience.len(), it.priority)),
        _ => None,
    };
    let all: Vec<_> = result.content.iter().map(annotations).collect();
    assert_eq!(all, [Some((1, Some(1.0))), None]);
}

#[tokio::test]
async fn a_form_that_does_not_exist_is_refused_with_those_that_do() {
    for (format, found) in [(json!("html"), "\"html\""), (json!(7), "\"7\"")] {
        let server = server().presentation(Presentation::gated());
        let result = call(server, "plant", json!({ "format": format })).await;
        let said = format!("`format`: expected \"markdown\", \"json\" or \"both\", but found {found}");
        assert_eq!((result.is_error, texts(&result)), (true, vec![&*said]));
    }
}

#[tokio::test]
async fn only_gated_tools_are_listed_with_a_format() {
    for (presentation, has_format) in [
        (Presentation::gated(), true),
        (Presentation::data(), false),
        (Presentation::data().accept_format(), false),
    ] {
        let client = plainwire::testing::client(server().presentation(presentation)).await.expect("a server");
        for tool in client.list_tools().await.expect("a list") {
            let schema: Value = serde_json::from_str(tool.input_schema.get()).expect("JSON");
            let format =
                json!({ "type": "string", "enum": ["markdown", "json", "both"], "default": "markdown" });
            let expected = if has_format { format } else { Value::Null };
            assert_eq!(schema["properties"]["format"], expected, "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        }
    }
}

#[tokio::test]
async fn data_is_json_and_knows_no_format_unless_it_is_told_to_ignore_one() {
    let data = || server().presentation(Presentation::data());
    let result = call(data(), "plant", json!({})).await;
    assert_eq!((texts(&result), structured(&result)), (vec![JSON], Some(JSON)));
    let refused = call(data(), "plant", json!({ "format": "json" })).await;
    assert!(refused.is_error && texts(&refused)[0].contains("format"), "{:?}", texts(&refused));
    let lenient = server().presentation(Presentation::data().accept_format());
    let result = call(lenient, "plants", json!({ "count": 1, "format": "markdown" })).await;
    assert_eq!(texts(&result), [format!("[{JSON}]")]);
    let pretty = call(server().presentation(Presentation::data().pretty()), "plant", json!({})).await;
    assert_eq!(texts(&pretty), ["{\n  \"name\": \"fern\",\n  \"shade\": true\n}"]);
    assert_eq!(structured(&pretty), Some(JSON));
}

#[tokio::test]
async fn a_text_stays_what_it_is_and_has_no_structured_content() {
    let wrapped = r#"{"kind":"text:v1","text":"*water* it"}"#;
    for (format, expected) in
        [("markdown", vec!["*water* it"]), ("json", vec![wrapped]), ("both", vec!["*water* it", wrapped])]
    {
        let result =
            call(server().presentation(Presentation::gated()), "note", json!({ "format": format })).await;
        assert_eq!((texts(&result), structured(&result)), (expected, None));
    }
    let data = call(server().presentation(Presentation::data()), "note", json!({})).await;
    assert_eq!(texts(&data), ["*water* it"]);
}

#[tokio::test]
async fn an_error_is_a_value_too() {
    let value = r#"{"kind":"toolError:v1","code":"NOT_FOUND","message":"there is no rose","retryable":false,"details":{"code":"not_found","hint":"plant one","row":3}}"#;
    let markdown = "**Error:** there is no rose\n\n**Hint:** plant one";
    for (format, expected) in
        [("markdown", vec![markdown]), ("json", vec![value]), ("both", vec![markdown, value])]
    {
        let result =
            call(server().presentation(Presentation::gated()), "lost", json!({ "format": format })).await;
        assert_eq!((result.is_error, texts(&result), structured(&result)), (true, expected, Some(value)));
    }
    let data = call(server().presentation(Presentation::data()), "lost", json!({})).await;
    assert_eq!((texts(&data), structured(&data)), (vec!["there is no rose\n\nhint: plant one"], Some(value)));
    // Without a presentation, an error has no structured content.
    assert_eq!(structured(&call(server(), "lost", json!({})).await), None);
}

#[tokio::test]
async fn masked_errors_are_masked_as_values_too() {
    let broken = || async { Err::<Plant, ToolError>(std::io::Error::other("s3cret").into()) };
    let server = Server::new("garden").tool(Tool::new("t", broken)).mask_errors();
    let result = call(server.presentation(Presentation::gated()), "t", json!({ "format": "both" })).await;
    assert!(result.is_error && texts(&result)[1].contains("SERVER_ERROR"), "{:?}", texts(&result));
    assert!(!format!("{result:?}").contains("s3cret"), "{result:?}");
}

#[tokio::test]
async fn a_result_over_the_limit_is_an_error_that_says_so() {
    let small = |bytes| server().presentation(Presentation::gated().limit(bytes));
    let size = MARKDOWN.len() + JSON.len();
    assert_eq!(texts(&call(small(size), "plant", json!({})).await), [MARKDOWN]);
    let result = call(small(size - 1), "plant", json!({})).await;
    let said = format!("**Error:** expected a result of at most {} bytes, but found {size}", size - 1);
    assert!(result.is_error && texts(&result)[0].starts_with(&said), "{:?}", texts(&result));
}

#[tokio::test]
async fn neither_handlers_nor_layers_see_the_format_and_an_own_one_is_left_alone() {
    async fn layer(request: Request, next: Next) -> Result<Response, ToolError> {
        assert_eq!(request.arguments(), r#"{"count":1}"#);
        next.run(request).await
    }
    let server_with_layer = server().layer(layer).presentation(Presentation::gated());
    let arguments = json!({ "count": 1, "format": "json" });
    assert_eq!(texts(&call(server_with_layer, "plants", arguments).await), [format!("[{JSON}]")]);

    #[derive(Deserialize, JsonSchema)]
    struct Own {
        format: String,
    }
    let own = Tool::new("own", |it: Own| async move { it.format });
    let server = Server::new("garden").tool(own).presentation(Presentation::gated());
    assert_eq!(texts(&call(server, "own", json!({ "format": "A4" })).await), ["A4"]);
}

#[tokio::test]
async fn tools_that_are_mounted_or_added_later_are_presented_too() {
    let all = Server::new("all").mount("g", server()).presentation(Presentation::gated());
    assert_eq!(texts(&call(all, "g__plant", json!({})).await), [MARKDOWN]);
    let mut empty = Server::new("all").presentation(Presentation::gated());
    empty.handle().add_tool(Tool::new("plant", || async { fern() })).expect("a new name");
    assert_eq!(texts(&call(empty, "plant", json!({})).await), [MARKDOWN]);
}

#[tokio::test]
async fn revisions_without_structured_content_have_the_json_block() {
    for revision in REVISIONS {
        let params = r#"{"name":"plant","arguments":{"format":"both"}}"#;
        let answer = ask(server().presentation(Presentation::gated()), revision, "tools/call", params).await;
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["result"]["content"][1]["text"], JSON, "{revision}");
        let has_structure = !answer["result"]["structuredContent"].is_null();
        assert_eq!(has_structure, revision >= "2025-06-18", "{revision}");
    }
}

#[tokio::test]
async fn the_listed_schema_of_a_result_fits_errors_too() {
    let client =
        plainwire::testing::client(server().presentation(Presentation::gated())).await.expect("a server");
    let tools = client.list_tools().await.expect("a list");
    let of = |name: &str| {
        let tool = tools.iter().find(|it| it.name == name).expect("a tool");
        tool.output_schema.as_ref().map(|it| serde_json::from_str::<Value>(it.get()).expect("JSON"))
    };
    let plant = of("plant").expect("a schema");
    assert_eq!(plant["type"], "object");
    assert_eq!(plant["anyOf"][0]["properties"]["name"]["type"], "string");
    assert_eq!(plant["anyOf"][1]["properties"]["kind"]["const"], "toolError:v1");
    assert_eq!(plant["anyOf"][2]["properties"]["kind"]["const"], "needsInput:v1");
    assert_eq!(of("plants").expect("a schema")["type"], "array");
    assert_eq!(of("note"), None);
}

/// A search that needs words, and that says which there are.
fn search() -> Tool {
    #[derive(Deserialize, JsonSchema)]
    struct Query {
        #[serde(default)]
        text: String,
        limit: Option<u32>,
    }
    Tool::new("search", |it: Query| async move {
        if it.text.is_empty() {
            let needs = NeedsInput::new("the search needs words")
                .title("Search words needed")
                .message("What are you looking for?")
                .described_choice("text", "fern", "likes *shade*")
                .choice("text", "rose");
            return Err(ToolError::from(needs));
        }
        Ok(format!("{} of {:?}", it.text, it.limit))
    })
}

const ERAS: [EraChoice; 2] = [EraChoice::Legacy, EraChoice::Modern];

#[tokio::test]
async fn a_user_who_can_be_asked_is_asked_once_and_the_call_goes_on_with_the_answer() {
    for era in ERAS {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let client = Client::builder().era(era).on_elicit(move |question| {
            count.fetch_add(1, Ordering::SeqCst);
            async move {
                let Elicitation::Form { message, schema } = question else { panic!("a form") };
                assert_eq!(message, "What are you looking for?");
                let schema: Value = serde_json::from_str(&schema).expect("JSON");
                assert_eq!(schema["properties"]["text"]["enum"], json!(["fern", "rose"]));
                ElicitResult::accept(json!({ "text": "rose" }))
            }
        });
        let server = Server::new("garden").tool(search()).presentation(Presentation::gated());
        let client = plainwire::testing::client_with(server, client).await.expect("a server");
        let result = client.call_tool("search", json!({ "limit": 3 })).await.expect("a result");
        assert_eq!(texts(&result), ["rose of Some(3)"], "{era:?}");
        assert_eq!(asked.load(Ordering::SeqCst), 1, "{era:?}");
    }
}

#[tokio::test]
async fn a_model_gets_what_is_missing_if_the_user_can_not_be_asked_or_does_not_answer() {
    let value = r#"{"kind":"needsInput:v1","type":"elicitation","message":"What are you looking for?","needsInput":{"fields":["text"],"reason":"the search needs words","suggestions":{"text":["fern","rose"]}},"options":[{"description":"likes *shade*","field":"text","label":"fern","value":"fern"},{"field":"text","label":"rose","value":"rose"}]}"#;
    let markdown = "## Search words needed\n\nWhat are you looking for?\n\n**Possible values:**\n\n- fern, likes *shade\\*\n- rose\n";
    for era in ERAS {
        for refuses in [false, true] {
            for (format, expected) in
                [("markdown", vec![markdown]), ("json", vec![value]), ("both", vec![markdown, value])]
            {
                let mut client = Client::builder().era(era);
                if refuses {
                    client = client.on_elicit(|_| async { ElicitResult::decline() });
                }
                let server = Server::new("garden").tool(search()).presentation(Presentation::gated());
                let client = plainwire::testing::client_with(server, client).await.expect("a server");
                let result = client.call_tool("search", json!({ "format": format })).await.expect("a result");
                let found = (result.is_error, texts(&result), structured(&result));
                assert_eq!(found, (false, expected, Some(value)), "{era:?} {refuses}");
            }
        }
    }
    let data =
        call(Server::new("garden").tool(search()).presentation(Presentation::data()), "search", json!({}));
    assert_eq!(texts(&data.await), [value]);
    let plain = call(Server::new("garden").tool(search()), "search", json!({})).await;
    let said = "What are you looking for?\n\nhint: needed: text; possible values: fern, rose";
    assert_eq!((plain.is_error, texts(&plain)), (true, vec![said]));
}

#[tokio::test]
async fn an_answer_that_still_lacks_something_is_left_to_the_model() {
    #[derive(Deserialize, JsonSchema)]
    struct Words {
        #[serde(rename = "text")]
        _text: Option<String>,
    }
    let never = Tool::new("never", |_: Words| async {
        Err::<String, _>(ToolError::from(NeedsInput::new("more").field("text").example("text", "a word")))
    });
    let client = Client::builder().on_elicit(|_| async { ElicitResult::accept(json!({ "text": "x" })) });
    let server = Server::new("garden").tool(never).presentation(Presentation::data());
    let client = plainwire::testing::client_with(server, client).await.expect("a server");
    let result = client.call_tool("never", json!({})).await.expect("a result");
    assert!(texts(&result)[0].starts_with(r#"{"kind":"needsInput:v1""#), "{:?}", texts(&result));
}

#[tokio::test]
async fn a_new_member_of_a_value_is_in_its_json_its_structured_content_and_its_markdown() {
    #[derive(Serialize, JsonSchema)]
    struct Grown {
        name: String,
        shade: bool,
        petals: u8,
    }
    let grown = Tool::new("t", || async { Grown { name: "rose".into(), shade: false, petals: 5 } });
    let server = Server::new("garden").tool(grown).presentation(Presentation::gated());
    let result = call(server, "t", json!({ "format": "both" })).await;
    assert!(texts(&result)[0].contains("- **petals:** 5\n"), "{:?}", texts(&result));
    let json = r#"{"name":"rose","shade":false,"petals":5}"#;
    assert_eq!((texts(&result)[1], structured(&result)), (json, Some(json)));
}

#[tokio::test]
async fn what_a_call_needs_fits_the_listed_schema_or_is_an_error() {
    let needs = || ToolError::from(NeedsInput::new("which one?").choice("name", "fern"));
    let one = Tool::new("one", move || async move { Err::<Plant, _>(needs()) });
    let many = Tool::new("many", move || async move { Err::<Vec<Plant>, _>(needs()) });
    let server = || Server::new("garden").tool(one.clone()).tool(many.clone());
    for (tool, is_error) in [("one", false), ("many", true)] {
        let result = call(server().presentation(Presentation::gated()), tool, json!({})).await;
        let value = structured(&result).expect("a value");
        assert_eq!((result.is_error, value.contains("needsInput:v1")), (is_error, true), "{tool}");
    }
    let small = call(server().presentation(Presentation::data().limit(10)), "one", json!({})).await;
    assert!(small.is_error && texts(&small)[0].contains("at most 10 bytes"), "{:?}", texts(&small));
}

#[tokio::test]
async fn a_list_that_depends_on_the_client_is_not_for_shared_caches() {
    let hint = CacheHint { scope: CacheScope::Public, ttl: Duration::from_secs(1) };
    for (presentation, scope) in
        [(Presentation::data().cards(), "public"), (Presentation::data().cards_where_shown(), "private")]
    {
        let answer = ask(server().cache(hint).presentation(presentation), MODERN, "tools/list", "{}").await;
        assert!(answer.contains(&format!(r#""ttlMs":1000,"cacheScope":"{scope}""#)), "{answer}");
    }
}

#[tokio::test]
async fn cards_are_for_clients_that_show_pages() {
    const CARD: &str = "ui://plainwire/card.html";
    let own = || plainwire::apps::page("ui://garden/own.html", "<!DOCTYPE html><title>Own</title>");
    let garden = |presentation: Presentation| {
        let own_page = Tool::new("own", || async { fern() }).ui("ui://garden/own.html");
        server().tool(own_page).resource(own()).presentation(presentation)
    };
    let always = || Presentation::data().cards();
    let where_shown = || Presentation::data().cards_where_shown();
    for (era, presentation) in ERAS.into_iter().flat_map(|era| [(era, always()), (era, where_shown())]) {
        let shows = json!({ "mimeTypes": ["text/html;profile=mcp-app"] });
        let shows = Client::builder().era(era).extension("io.modelcontextprotocol/ui", shows);
        let client = plainwire::testing::client_with(garden(presentation), shows).await.expect("a client");
        for tool in client.list_tools().await.expect("tools") {
            let meta = tool.meta.map_or(Value::Null, |it| serde_json::from_str(it.get()).expect("JSON"));
            let expected = match &*tool.name {
                "own" => Some("ui://garden/own.html"),
                // It returns text, and has no output schema.
                "note" => None,
                _ => Some(CARD),
            };
            assert_eq!(meta.pointer("/ui/resourceUri").and_then(Value::as_str), expected, "{}", tool.name);
        }
        let html = client.read_resource(CARD).await.expect("the page");
        let text = html.contents[0].as_text().expect("a text");
        assert!(text.starts_with("<!") && !text.contains("src=\"http") && text.len() < 24 << 10);
        // The data are the same with and without a page, and hold nothing of it.
        let result = client.call_tool("plant", json!({})).await.expect("a result");
        assert_eq!(structured(&result), Some(r#"{"name":"fern","shade":true}"#));
    }
    for era in ERAS {
        let plain =
            |presentation| plainwire::testing::client_with(garden(presentation), Client::builder().era(era));
        let client = plain(where_shown()).await.expect("a client");
        let refused = client.read_resource(CARD).await.expect_err("no page");
        assert!(refused.to_string().contains("clients that show pages"), "{refused}");
        // A link that the client can't follow is not listed.
        for tool in client.list_tools().await.expect("tools") {
            let meta = tool.meta.as_deref().map(serde_json::value::RawValue::get);
            let own = Some(r#"{"ui":{"resourceUri":"ui://garden/own.html"}}"#);
            assert_eq!(meta, if tool.name == "own" { own } else { None }, "{}", tool.name);
        }
        let listed = plain(always()).await.expect("a client").list_tools().await.expect("tools");
        let linked = listed.iter().filter(|it| it.meta.as_ref().is_some_and(|it| it.get().contains(CARD)));
        assert_eq!(linked.count(), listed.len() - 2, "all but `own` and `note`");
    }
}
