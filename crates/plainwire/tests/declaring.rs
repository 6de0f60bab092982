//! What a server declares and what that becomes on the wire: mistakes reported with their place, results, resources,
//! prompts, pages and hints, each in the revisions where it looks different.

mod raw;

use std::time::Duration;

use plainwire::model::{CacheHint, CacheScope, CallToolResult, Icon, ResourceContents, TextResource};
use plainwire::prelude::*;
use plainwire::proto::cursor::List;
use plainwire::proto::peer::EraChoice;
use plainwire::proto::revision::{Era, Revision};
use plainwire::serde_json::Map;
use plainwire::{Client, Error, testing};
use raw::{LEGACY, Raw, error, error_with_data, request, result};
use serde_json::{Value, json};

const MODERN: &str = "2026-07-28";
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN];

#[derive(Deserialize, JsonSchema)]
struct One {
    /// The first one.
    one: String,
}

#[derive(Deserialize, JsonSchema)]
struct Two {
    #[expect(dead_code, reason = "what counts is that it is declared")]
    two: String,
}

async fn hello() -> &'static str {
    "hello"
}

async fn echo(it: One) -> String {
    it.one
}

fn server() -> Server {
    Server::new("declared")
}

/// Serves `server`, which has to be refused; returns the place in this file and the message.
async fn refused(server: Server) -> (u32, String) {
    let error = server.serve(tokio::io::empty(), tokio::io::sink()).await.expect_err("a mistake");
    let shown = error.to_string();
    let Error::Declaration { at, message } = error else { panic!("{error}") };
    assert_eq!(at.file(), file!(), "{message}");
    assert_eq!(shown, format!("{message} (at {at})"));
    (at.line(), message)
}

#[tokio::test]
async fn says_what_is_wrong_with_a_declaration() {
    for (server, message) in [
        (Server::new(""), "expected the server to have a name and at least one revision"),
        (server().revisions(&[]), "expected the server to have a name and at least one revision"),
        (
            server().tool(Tool::new("say hello", hello)),
            "tool `say hello`: expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`",
        ),
        (server().tool(Tool::new("", hello)), "tool ``: expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`"),
        (
            server().tool(Tool::new("é", hello)),
            "tool `é`: expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`",
        ),
        (
            server().tool(Tool::new("text", |it: String| async move { it })),
            "tool `text`: expected the arguments to be a struct with named fields",
        ),
        (
            server().tool(Tool::new("list", |it: Vec<u8>| async move { it })),
            "tool `list`: expected the arguments to be a struct with named fields",
        ),
        (
            server().tool(Tool::new("both", |a: One, _: Two| async move { a.one })),
            "tool `both`: expected one parameter that takes the arguments, but found 2",
        ),
        (
            server().tool(Tool::new("schema", echo).input_schema(json!({ "type": "string" }))),
            "tool `schema`: expected the input schema to have `\"type\": \"object\"`",
        ),
        (server().prompt(Prompt::new("", hello)), "prompt ``: expected a name"),
        (
            server().prompt(Prompt::new("both", |a: One, _: Two| async move { a.one })),
            "prompt `both`: expected one parameter that takes the arguments, but found 2",
        ),
        (
            server().resource(Resource::new("a://b", "B", echo)),
            "resource `a://b`: expected no arguments: a resource has one URI; use a `ResourceTemplate` for many",
        ),
        (
            server().resource(Resource::new("b", "B", hello)),
            "resource `b`: expected a URI that begins with a scheme, such as `file:`",
        ),
        (
            server().resource_template(ResourceTemplate::new("{one}", "B", echo)),
            "resource template `{one}`: expected a URI that begins with a scheme, such as `file:`",
        ),
        (
            server().resource_template(ResourceTemplate::new("a://{one", "B", echo)),
            "resource template `a://{one`: expected `}` after `{one`",
        ),
        (
            server().resource_template(ResourceTemplate::new("a://{two}", "B", echo)),
            "resource template `a://{two}`: expected `a://{two}` to have the variable `{one}` of its handler",
        ),
        (
            server().resource_template(ResourceTemplate::new("a://{one}/{two}", "B", echo)),
            "resource template `a://{one}/{two}`: expected the handler of `a://{one}/{two}` to take `two`, but it does not",
        ),
        (
            server().resource_template(ResourceTemplate::new("a://{one}", "B", |it: u8| async move {
                it.to_string()
            })),
            "resource template `a://{one}`: expected the arguments to be a struct with named fields",
        ),
    ] {
        assert_eq!(refused(server).await.1, message);
    }
}

#[tokio::test]
async fn names_both_places_of_a_name_that_is_declared_twice() {
    let (first, tool) = (line!(), Tool::new("hello", hello));
    let (second, again) = (line!(), Tool::new("hello", hello));
    let (line, message) = refused(server().tool(tool).tool(again)).await;
    assert_eq!(line, second);
    let other = message.strip_prefix("tool `hello`: expected the name once, but it is also declared at ");
    let other = other.and_then(|place| place.strip_prefix(file!())).unwrap_or_else(|| panic!("{message}"));
    assert!(other.starts_with(&format!(":{first}:")), "{message}");

    let (line, nameless) = (line!(), Server::new(""));
    assert_eq!(refused(nameless).await.0, line);

    for (server, name) in [
        (server().prompt(Prompt::new("a", hello)).prompt(Prompt::new("a", hello)), "prompt `a`"),
        (
            server().resource(Resource::new("a:b", "A", hello)).resource(Resource::new("a:b", "B", hello)),
            "resource `a:b`",
        ),
        (
            server()
                .resource_template(ResourceTemplate::new("a:{one}", "A", echo))
                .resource_template(ResourceTemplate::new("a:{one}", "B", echo)),
            "resource template `a:{one}`",
        ),
    ] {
        let message = refused(server).await.1;
        assert!(message.starts_with(&format!("{name}: expected the name once, but it is")), "{message}");
    }
}

#[tokio::test]
async fn a_tool_and_a_prompt_may_share_a_name() {
    let server = server().tool(Tool::new("same", hello)).prompt(Prompt::new("same", hello));
    server.serve(tokio::io::empty(), tokio::io::sink()).await.expect("nothing is wrong");
}

/// Returns `members` as the result of `revision`: the newest names its kind and the server.
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

/// Asks a server of its own, in `revision`.
async fn ask(server: Server, revision: &str, method: &str, params: &str) -> String {
    Raw::session(server, revision).await.ask(&request(revision, "1", method, params)).await
}

/// Calls `tool` in each of `revisions` and expects these members of the result.
async fn returns(tool: impl Fn() -> Tool, revisions: &[&str], members: &str) {
    for revision in revisions {
        let params = format!(r#"{{"name":"{}","arguments":{{}}}}"#, tool().name());
        let answer = ask(server().tool(tool()), revision, "tools/call", &params).await;
        assert_eq!(answer, result("1", &in_revision(revision, members)), "{revision}");
    }
}

/// Returns the `outputSchema` that `tool` is listed with.
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
async fn a_number_is_structured_content_only_where_that_may_be_no_object() {
    let tool = || Tool::new("t", || async { 3.5 });
    let text = r#""content":[{"type":"text","text":"3.5"}]"#;
    returns(tool, &REVISIONS[..4], text).await;
    returns(tool, &[MODERN], &format!(r#"{text},"structuredContent":3.5"#)).await;
    for revision in REVISIONS {
        let expected = if revision == MODERN { json!({ "type": "number" }) } else { Value::Null };
        assert_eq!(output_schema(tool(), revision).await, expected, "{revision}");
    }
    // JSON has no such number.
    let answer =
        ask(server().tool(Tool::new("t", || async { f64::NAN })), LEGACY, "tools/call", r#"{"name":"t"}"#);
    let answer = answer.await;
    assert!(
        answer.contains("expected a finite number, but found NaN") && answer.contains(r#""isError":true"#),
        "{answer}"
    );
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

    // Anything that can be displayed passes through `?`, without its sources.
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
    assert_eq!(answer, raw::text("1", r#"{\"more\":[2],\"z\":\"1\"}"#));
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
        // A handler that says so in its own words, URIs of nobody, and variables that do not fit.
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
    let arguments = r#"[{"name":"topic","description":"What it is about.","required":true},{"name":"words","required":false}]"#;
    for revision in REVISIONS {
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

/// The answer of a prompt that is one text of the user.
fn said(text: &str) -> String {
    result("1", &format!(r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":"{text}"}}}}]}}"#))
}

fn five() -> Server {
    let tools = ["a", "b", "c", "d", "e"].map(|name| Tool::new(name, hello));
    tools.into_iter().fold(server().page_size(2), Server::tool)
}

/// Returns the names on the page at `cursor`, and the next cursor.
async fn page(server: Server, revision: &str, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let params = cursor.map_or("{}".to_owned(), |cursor| format!(r#"{{"cursor":"{cursor}"}}"#));
    let page = ask(server, revision, "tools/list", &params).await;
    let page: Value = serde_json::from_str(&page).expect("JSON");
    let tools = page["result"]["tools"].as_array().unwrap_or_else(|| panic!("{page}"));
    let names = tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect();
    (names, page["result"].get("nextCursor").map(|cursor| cursor.as_str().expect("a string").to_owned()))
}

#[tokio::test]
async fn a_list_is_paged_and_its_cursors_outlive_the_server() {
    for revision in REVISIONS {
        // Each page is asked of a server that was built anew.
        let (names, cursor) = page(five(), revision, None).await;
        assert_eq!(names, ["a", "b"]);
        let (names, cursor) = page(five(), revision, cursor.as_deref()).await;
        assert_eq!(names, ["c", "d"]);
        assert!(cursor.is_some());
        assert_eq!(page(five(), revision, cursor.as_deref()).await, (vec!["e".to_owned()], None));
    }
    // A last page that is full has no empty one behind it, and an empty list is a page.
    assert_eq!(page(five().page_size(5), LEGACY, None).await.1, None);
    let (names, _) = page(five().page_size(0), LEGACY, None).await;
    assert_eq!(names, ["a"], "a page has at least one entry");
}

#[tokio::test]
async fn the_client_joins_all_pages() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let client = testing::client_with(five(), Client::builder().era(era)).await.expect("a client");
        let names: Vec<_> = client.list_tools().await.expect("tools").into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e"]);
        assert_eq!(client.list_raw(List::Tools).await.expect("tools").len(), 5);
    }
}

#[tokio::test]
async fn a_cursor_that_was_not_given_out_is_refused() {
    let (_, cursor) = page(five(), LEGACY, None).await;
    let cursor = cursor.expect("another page");
    let more = five().tool(Tool::new("f", hello));
    let refused = |cursor: &str| {
        let message = format!("expected `cursor` to be a `nextCursor` of this list, but found {cursor:?}");
        error("1", -32602, &message)
    };
    for (server, cursor) in [(five(), ""), (five(), "2"), (five(), &cursor[1..]), (more, &cursor)] {
        let params = format!(r#"{{"cursor":"{cursor}"}}"#);
        assert_eq!(ask(server, LEGACY, "tools/list", &params).await, refused(cursor));
    }
    let params = format!(r#"{{"cursor":"{cursor}"}}"#);
    let other_list = five().prompt(Prompt::new("p", hello));
    assert_eq!(ask(other_list, LEGACY, "prompts/list", &params).await, refused(&cursor));
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
        // The result of a call is never fresh.
        assert!(!ask(server(), revision, "tools/call", r#"{"name":"t"}"#).await.contains("ttlMs"));
    }
    assert!(ask(server(), MODERN, "server/discover", "{}").await.contains(hinted));
}

#[tokio::test]
async fn says_what_it_is_and_what_it_can_in_both_eras() {
    let server = || {
        Server::new("declared")
            .version("1.2.3")
            .title("Declared")
            .description("For tests.")
            .website("https://example.com")
            .icon(Icon { src: "https://example.com/i.png".to_owned(), ..Icon::default() })
            .instructions("Be \"kind\".")
            .experimental("x", json!({ "y": 1 }))
            .extension("com.example/ui", json!({ "z": [2] }))
            .tool(Tool::new("t", hello))
            .resource_template(ResourceTemplate::new("a://{one}", "A", echo))
    };
    let capabilities = r#""capabilities":{"experimental":{"x":{"y":1}},"extensions":{"com.example/ui":{"z":[2]}},"resources":{},"tools":{}}"#;
    let short = r#""name":"declared","version":"1.2.3""#;
    let long = format!(
        r#"{short},"title":"Declared","description":"For tests.","websiteUrl":"https://example.com","icons":[{{"src":"https://example.com/i.png"}}]"#
    );
    let titled = format!(r#"{short},"title":"Declared""#);
    for (revision, info) in
        [("2024-11-05", short), ("2025-03-26", short), ("2025-06-18", &titled), (LEGACY, &long)]
    {
        let hello = Raw::connect(server()).ask(&raw::initialize(revision)).await;
        let members = format!(
            r#"{{"protocolVersion":"{revision}",{capabilities},"serverInfo":{{{info}}},"instructions":"Be \"kind\"."}}"#
        );
        assert_eq!(hello, result("0", &members));
    }
    let discovered = ask(server(), MODERN, "server/discover", "{}").await;
    let versions = r#"["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]"#;
    let members = format!(
        r#"{{"resultType":"complete","supportedVersions":{versions},{capabilities},"instructions":"Be \"kind\".","ttlMs":0,"cacheScope":"private","_meta":{{"io.modelcontextprotocol/serverInfo":{{{long}}}}}}}"#
    );
    assert_eq!(discovered, result("1", &members));

    let client = testing::client(server()).await.expect("a client");
    assert_eq!(client.hello().instructions.as_deref(), Some("Be \"kind\"."));
    assert_eq!(client.hello().capabilities.experimental("x"), Some(&json!({ "y": 1 })));
    assert_eq!(client.hello().capabilities.extension("com.example/ui"), Some(&json!({ "z": [2] })));
}

#[tokio::test]
async fn what_is_not_declared_does_not_exist() {
    let tools = || server().tool(Tool::new("t", hello));
    let hello = Raw::connect(tools()).ask(&raw::initialize(LEGACY)).await;
    assert!(hello.contains(r#""capabilities":{"tools":{}}"#), "{hello}");
    for revision in REVISIONS {
        for method in [
            "prompts/list",
            "prompts/get",
            "resources/list",
            "resources/read",
            "resources/templates/list",
            "completion/complete",
        ] {
            let message = format!("expected a method of this server, but found `{method}`");
            assert_eq!(
                ask(tools(), revision, method, "{}").await,
                error("1", -32601, &message),
                "{revision}"
            );
        }
    }
    // A server of nothing at all is a server too.
    let hello = Raw::connect(server()).ask(&raw::initialize(LEGACY)).await;
    assert!(hello.contains(r#""capabilities":{}"#), "{hello}");
}

#[tokio::test]
async fn serves_only_the_revisions_it_is_told_to() {
    let old =
        || server().tool(Tool::new("t", hello)).revisions(&[Revision::V2025_06_18, Revision::V2024_11_05]);
    for (asked, got) in [(LEGACY, "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-06-18")] {
        let answer = Raw::connect(old()).ask(&raw::initialize(asked)).await;
        assert!(answer.contains(&format!(r#""protocolVersion":"{got}""#)), "{answer}");
    }
    let refused = ask(old(), MODERN, "tools/list", "{}").await;
    let message = r#"expected a protocol version of ["2025-06-18", "2024-11-05"], but found "2026-07-28""#;
    let data = r#"{"requested":"2026-07-28","supported":["2025-06-18","2024-11-05"]}"#;
    assert_eq!(refused, error_with_data("1", -32022, message, data));
    let client = testing::client(old()).await.expect("a client");
    assert_eq!((client.revision(), client.revision().era()), (Revision::V2025_06_18, Era::Legacy));
}

#[tokio::test]
async fn an_entry_that_is_added_twice_has_one_place_and_the_error_says_so() {
    let tool = Tool::new("hello", hello);
    let message = refused(server().tool(tool.clone()).tool(tool)).await.1;
    assert_eq!(message, "tool `hello`: expected the name once, but it was added twice");
}
