//! `#[tool]`, `#[resource]`, `#[prompt]` and `#[server]`: the entries that they make of functions, as clients
//! see them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use plainwire::handler::{Call, FromCall, Rejected, Signature, ViaCall};
use plainwire::prelude::*;
use plainwire::{Entries, model};
use serde_json::json;

use crate::{only_tool, schema, serve};

/// Adds two numbers
/// and returns the sum.
///
/// # Panics
/// Never.
#[tool(read_only)]
async fn add(
    /// First addend.
    a: f64,
    /// Second addend.
    b: f64,
) -> f64 {
    a + b
}

#[tokio::test]
async fn a_function_becomes_a_tool_and_stays_a_function() {
    assert_eq!(add(1.0, 2.0).await, 3.0);
    let client = serve(plainwire::server!("calculator").tool(add)).await;
    assert_eq!(client.call::<f64>("add", json!({ "a": 1, "b": 2 })).await.expect("a sum"), 3.0);
}

#[tokio::test]
async fn doc_comments_are_descriptions() {
    let tool = only_tool(plainwire::server!().tool(add)).await;
    assert_eq!(tool.name, "add");
    assert_eq!(tool.description.as_deref(), Some("Adds two numbers and returns the sum."));
    assert_eq!(tool.annotations.as_ref().and_then(|it| it.read_only_hint), Some(true));
    assert_eq!(
        schema(&tool),
        json!({
            "type": "object",
            "properties": {
                "a": { "type": "number", "description": "First addend." },
                "b": { "type": "number", "description": "Second addend." },
            },
            "required": ["a", "b"],
            "additionalProperties": false,
        })
    );
}

/// Subtracts. Returns the difference.
///
/// # Arguments
/// * `from` - What to take away from,
///   with its sign.
/// - `ctx`: Not for clients.
/// - `r#type`: A kind.
#[tool]
async fn subtract(
    from: i64,
    ctx: &Context,
    r#type: String,
    /// What to take away.
    #[range(0..=9)]
    by: i64,
) -> i64 {
    drop((ctx, r#type));
    from - by
}

#[tokio::test]
async fn a_section_of_the_doc_comment_describes_arguments() {
    let tool = only_tool(Server::new("s").tool(subtract)).await;
    assert_eq!(tool.description.as_deref(), Some("Subtracts. Returns the difference."));
    let schema = schema(&tool);
    let described = ["from", "type", "by"].map(|name| schema["properties"][name]["description"].clone());
    assert_eq!(described, ["What to take away from, with its sign.", "A kind.", "What to take away."]);
}

#[tokio::test]
async fn the_server_has_the_name_and_the_version_of_the_package() {
    let client = serve(plainwire::server!().tool(add)).await;
    let server = client.hello().server_info.as_ref().expect("a name");
    assert_eq!((&*server.name, &*server.version), ("plainwire", env!("CARGO_PKG_VERSION")));
}

/// Finds things.
#[tool(name = "find.things", title = "Find", idempotent, open_world, timeout = "5s", icon = picture())]
async fn find(
    #[length(1..=10)] query: String,
    #[default(7)]
    #[range(1..=100)]
    limit: u32,
    #[default("en")] language: String,
    #[serde(rename = "type")] kind: Option<String>,
    #[range(..1.0)] fuzz: Option<f64>,
) -> String {
    format!("{query} {limit} {language} {kind:?} {fuzz:?}")
}

fn picture() -> model::Icon {
    model::Icon::new("https://example.com/find.png")
}

#[tokio::test]
async fn options_and_defaults_are_in_the_tool() {
    let tool = only_tool(plainwire::server!().tool(find)).await;
    assert_eq!((&*tool.name, tool.title.as_deref(), tool.icons.len()), ("find.things", Some("Find"), 1));
    let schema = schema(&tool);
    assert_eq!(schema["required"], json!(["query"]));
    assert_eq!(schema["properties"]["limit"]["default"], 7);
    assert_eq!(schema["properties"]["limit"]["maximum"], 100);
    assert_eq!(schema["properties"]["language"]["default"], "en");
    assert_eq!(schema["properties"]["query"]["maxLength"], 10);
    assert_eq!(schema["properties"]["fuzz"]["exclusiveMaximum"], 1.0);
    assert!(schema["properties"]["type"].is_object());
}

#[tokio::test]
async fn missing_and_null_arguments_take_their_defaults() {
    let client = serve(plainwire::server!().tool(find)).await;
    let found = |arguments| client.call::<String>("find.things", arguments);
    assert_eq!(found(json!({ "query": "a" })).await.expect("text"), "a 7 en None None");
    let null = json!({ "query": "a", "limit": null, "language": null, "type": null, "fuzz": 0.5 });
    assert_eq!(found(null).await.expect("text"), "a 7 en None Some(0.5)");
    assert_eq!(
        found(json!({ "query": "a", "type": "b", "limit": 1 })).await.expect("text"),
        "a 1 en Some(\"b\") None"
    );
}

#[tokio::test]
async fn arguments_out_of_bounds_are_named() {
    let client = serve(plainwire::server!().tool(find)).await;
    for (arguments, expected) in [
        (json!({ "query": "a", "limit": 0 }), "`arguments.limit` to be at least 1"),
        (json!({ "query": "a", "limit": 101 }), "`arguments.limit` to be at most 100"),
        (json!({ "query": "" }), "`arguments.query` to have at least 1"),
        (json!({ "query": "12345678901" }), "`arguments.query` to have at most 10"),
        (json!({ "query": "a", "fuzz": 1.0 }), "`arguments.fuzz` to be less than 1"),
        (json!({ "limit": 1 }), "`arguments.query`"),
        (json!({ "query": "a", "quarry": 1 }), "`quarry`"),
    ] {
        let error = client.call::<String>("find.things", arguments).await.expect_err("out of bounds");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[derive(Default)]
struct Counter(AtomicU64);

/// Counts.
#[tool]
async fn count(mut by: u64, counter: State<Counter>, ctx: &Context, who: Option<Principal>) -> String {
    by += counter.0.fetch_add(by, Relaxed);
    format!("{by} {} {}", ctx.is_cancelled(), who.is_some())
}

#[tokio::test]
async fn parameters_come_from_the_call() {
    let client = serve(plainwire::server!().state(Counter::default()).tool(count)).await;
    for expected in ["2 false false", "4 false false"] {
        assert_eq!(client.call::<String>("count", json!({ "by": 2 })).await.expect("text"), expected);
    }
}

#[tokio::test]
async fn a_missing_state_is_a_mistake_in_the_declaration() {
    let error = plainwire::testing::client(plainwire::server!().tool(count)).await.expect_err("no counter");
    let text = error.to_string();
    assert!(
        text.contains("tool `count`: expected the server to have the state `macros::attributes::Counter`"),
        "{text}"
    );
    assert!(text.contains(file!()), "{text}");
    let twice = plainwire::server!().state(Counter::default()).state(Counter::default()).tool(count);
    let error = plainwire::testing::client(twice).await.expect_err("two counters");
    assert!(
        error.to_string().contains("expected one state of the type `macros::attributes::Counter`"),
        "{error}"
    );
}

#[tokio::test]
async fn a_tool_added_at_run_time_needs_its_state_too() {
    let mut server = plainwire::server!().tool(add);
    let handle = server.handle();
    let client = serve(server).await;
    let error = handle.add_tool(count).expect_err("no counter");
    assert!(error.to_string().contains("macros::attributes::Counter"), "{error}");
    handle.add_tool(find).expect("a tool that needs nothing");
    assert_eq!(client.list_tools().await.expect("a list").len(), 2);
}

/// Says who may not.
#[tool]
async fn whoami(who: Principal) -> String {
    who.name
}

#[tokio::test]
async fn a_principal_is_needed_where_it_is_asked_for() {
    let client = serve(plainwire::server!().tool(whoami)).await;
    let error = client.call::<String>("whoami", json!({})).await.expect_err("nobody");
    assert!(error.to_string().contains("has proved who it is"), "{error}");
}

struct Length(usize);

impl FromCall<ViaCall> for Length {
    fn declare(_: &mut Signature) {}

    fn from_call(call: &Call<'_>) -> Result<Self, Rejected> {
        Ok(Self(call.arguments().len()))
    }
}

/// Measures its arguments.
#[tool]
async fn measure(#[extract] length: Length, text: String) -> String {
    format!("{} {text}", length.0)
}

#[tokio::test]
async fn a_type_of_the_program_can_be_made_from_the_call() {
    let client = serve(plainwire::server!().tool(measure)).await;
    assert_eq!(client.call::<String>("measure", json!({ "text": "x" })).await.expect("text"), "12 x");
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// What to find.
    words: Vec<String>,
    #[serde(default)]
    options: BTreeMap<String, bool>,
}

/// Searches.
#[tool]
async fn search(#[arguments] it: Search, ctx: Context) -> usize {
    assert!(!ctx.is_cancelled());
    it.words.len() + it.options.len()
}

#[tokio::test]
async fn a_struct_can_hold_all_arguments() {
    let client = serve(plainwire::server!().tool(search)).await;
    let tool = &client.list_tools().await.expect("a list")[0];
    assert_eq!(schema(tool)["properties"]["words"]["description"], "What to find.");
    assert_eq!(client.call::<usize>("search", json!({ "words": ["a", "b"] })).await.expect("a number"), 2);
}

/// A shape to measure.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    /// A round one.
    Circle {
        radius: f64,
    },
    Square {
        side: f64,
    },
}

/// Returns the area.
#[tool]
async fn area(shape: Shape) -> f64 {
    match shape {
        Shape::Circle { radius } => radius * radius * 3.0,
        Shape::Square { side } => side * side,
    }
}

#[tokio::test]
async fn enums_with_data_are_one_of_their_forms() {
    let client = serve(plainwire::server!().tool(area)).await;
    let square = json!({ "shape": { "kind": "square", "side": 3 } });
    assert_eq!(client.call::<f64>("area", square).await.expect("a number"), 9.0);
    let error =
        client.call::<f64>("area", json!({ "shape": { "kind": "square" } })).await.expect_err("no side");
    assert!(error.to_string().contains("`arguments.shape.side`"), "{error}");
}

/// A file of the project.
#[resource("project://{directory}/{+path}", mime_type = "text/plain", complete(directory = directories))]
async fn file(directory: String, path: String) -> Result<String, ToolError> {
    match &*directory {
        "src" => Ok(format!("{directory}: {path}")),
        _ => Err(ToolError::not_found("there is no such directory")),
    }
}

async fn directories(_: Completing) -> Vec<String> {
    vec!["src".to_owned()]
}

/// The state of the project.
#[resource("status://now", name = "Status", subscribable)]
async fn status() -> &'static str {
    "well"
}

/// Asks for a review.
#[prompt(title = "Review", complete(language = directories))]
async fn review(
    /// Which language.
    language: String,
    lines: Option<u32>,
) -> String {
    format!("Review this {language} of {lines:?} lines.")
}

#[tokio::test]
async fn functions_become_resources_templates_and_prompts() {
    let client = serve(plainwire::server!().resource(file).resource(status).prompt(review)).await;
    let read = async |uri: &str| client.read_resource(uri).await.map(|it| format!("{:?}", it.contents));
    assert!(read("status://now").await.expect("a status").contains("well"));
    assert!(read("project://src/a/b.rs").await.expect("a file").contains("src: a/b.rs"));
    let error = read("project://lib/a").await.expect_err("another directory");
    assert!(error.to_string().contains("there is no such directory"), "{error}");
    let resources = client.list_resources().await.expect("a list");
    assert_eq!(
        (&*resources[0].name, resources[0].description.as_deref()),
        ("Status", Some("The state of the project."))
    );
    let templates = client.list_resource_templates().await.expect("a list");
    assert_eq!((&*templates[0].name, templates[0].mime_type.as_deref()), ("file", Some("text/plain")));
    let prompts = client.list_prompts().await.expect("a list");
    assert_eq!(prompts[0].arguments.len(), 2);
    let prompt =
        client.get_prompt("review", json!({ "language": "Rust", "lines": "3" })).await.expect("a prompt");
    assert_eq!(prompt.messages[0].content.as_text(), Some("Review this Rust of Some(3) lines."));
}

struct Library<S> {
    store: S,
}

trait Store: Send + Sync + 'static {
    fn title(&self, number: usize) -> Option<String>;
}

impl Store for Vec<&'static str> {
    fn title(&self, number: usize) -> Option<String> {
        self.get(number).map(|title| (*title).to_owned())
    }
}

#[server]
impl<S: Store> Library<S> {
    /// Returns the title of a book.
    #[tool(read_only)]
    async fn title(&self, #[range(0..3)] number: usize, ctx: &Context) -> Result<String, ToolError> {
        assert!(!ctx.is_cancelled());
        self.found(number)
    }

    /// A book.
    #[resource("book://{number}")]
    async fn book(self: Arc<Self>, number: usize) -> Result<String, ToolError> {
        self.found(number)
    }

    /// Returns how many rules there are.
    #[tool]
    async fn rules() -> u32 {
        3
    }

    /// Asks for a summary.
    #[plainwire::prompt]
    async fn summary(&self, number: usize) -> Result<String, ToolError> {
        Ok(format!("Summarise {}.", self.found(number)?))
    }

    fn found(&self, number: usize) -> Result<String, ToolError> {
        self.store.title(number).ok_or_else(|| ToolError::not_found("there is no such book"))
    }
}

#[server(part = counting)]
impl<S: Store> Library<S> {
    /// Counts the books.
    #[tool]
    async fn books(&self) -> usize {
        (0..).take_while(|&n| self.store.title(n).is_some()).count()
    }
}

#[tokio::test]
async fn methods_of_a_type_are_added_together() {
    let library = Arc::new(Library { store: vec!["Moss", "Stone"] });
    let server = plainwire::server!("library").with(Arc::clone(&library).counting());
    let server = server.with(Arc::clone(&library)).with(Entries::new().tool(add));
    let client = serve(server).await;
    let names: Vec<_> = client.list_tools().await.expect("a list").into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["books", "title", "rules", "add"]);
    assert_eq!(client.call::<usize>("books", json!({})).await.expect("a number"), 2);
    assert_eq!(client.call::<u32>("rules", json!({})).await.expect("a number"), 3);
    assert_eq!(client.call::<String>("title", json!({ "number": 1 })).await.expect("a title"), "Stone");
    let error = client.call::<String>("title", json!({ "number": 3 })).await.expect_err("out of range");
    assert!(error.to_string().contains("`arguments.number` to be less than 3"), "{error}");
    assert!(client.read_resource("book://0").await.is_ok());
    let prompt = client.get_prompt("summary", json!({ "number": "0" })).await.expect("a prompt");
    assert_eq!(prompt.messages[0].content.as_text(), Some("Summarise Moss."));
    assert_eq!(library.title(0, &test_context().await).await.expect("a title"), "Moss");
}

/// Returns the context of a call.
async fn test_context() -> Context {
    let (send, receive) = std::sync::mpsc::channel();
    let lend = Tool::new("lend", move |ctx: Context| {
        send.send(ctx).expect("somebody who takes it");
        async {}
    });
    serve(Server::new("lender").tool(lend)).await.call_tool("lend", json!({})).await.expect("an answer");
    receive.recv().expect("a context")
}

#[tokio::test]
async fn one_name_twice_is_found_when_it_serves() {
    let again = Tool::of(find).title("again");
    let error =
        plainwire::testing::client(plainwire::server!().tool(find).tool(again)).await.expect_err("twice");
    assert!(error.to_string().contains("find.things"), "{error}");
}

#[tokio::test]
async fn a_state_that_is_given_as_an_arc_is_named_in_the_error() {
    let shared = plainwire::server!().state(Arc::new(Counter::default())).tool(count);
    let error =
        shared.serve(tokio::io::empty(), tokio::io::sink()).await.expect_err("no such state").to_string();
    assert!(error.contains("Counter`; `Arc<"), "{error}");
    assert!(error.contains("is there: give the value itself, `State` shares it"), "{error}");
}
