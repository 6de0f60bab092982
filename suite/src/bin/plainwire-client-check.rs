//! Checks our client against servers of other projects: `plainwire-client-check SERVER ERA (URL | COMMAND…)`.
//!
//! SERVER is one of the names in [`check`], ERA is `auto`, `legacy` or `modern`. The program prints a line
//! for each check that passes, and stops with an error at the first one that fails. `third_party/servers.sh`
//! starts the servers.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use plainwire::client::http::Remote;
use plainwire::client::{ClientBuilder, Sampling};
use plainwire::model::{
    CompleteRequest, Content, CreateMessageResult, ElicitResult, Elicitation, Root, SubscriptionFilter,
};
use plainwire::proto::peer::EraChoice;
use plainwire::{Client, Error, Result};
use serde_json::{Value, json};

/// Numbers of the elicitations (`forms`) and the sampling requests that the server has sent so far.
#[derive(Clone, Default)]
struct Asked {
    forms: Arc<AtomicUsize>,
    samples: Arc<AtomicUsize>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, era, target @ ..] = words.as_slice() else { return Err(usage()) };
    let (asked, builder) = builder(era)?;
    let client = connect(builder, target).await?;
    right(format!("{server} speaks {}", client.revision()));
    check(server, &client, &asked).await?;
    let began = Instant::now();
    client.close().await;
    expect(began.elapsed() < Duration::from_secs(10), "it leaves, or is made to")
}

fn usage() -> Error {
    Error::Target { message: "expected SERVER ERA (URL | COMMAND…)".to_owned() }
}

fn builder(era: &str) -> Result<(Asked, ClientBuilder)> {
    let asked = Asked::default();
    let (forms, samples) = (Arc::clone(&asked.forms), Arc::clone(&asked.samples));
    let sampling = Sampling::new(move |_| {
        samples.fetch_add(1, Ordering::SeqCst);
        async { Ok(CreateMessageResult::text("a-model", "sampled by the check")) }
    });
    let builder = Client::builder()
        .era(match era {
            "auto" => EraChoice::Auto,
            "legacy" => EraChoice::Legacy,
            "modern" => EraChoice::Modern,
            _ => return Err(usage()),
        })
        .roots(vec![Root::new("file:///tmp/roots")])
        .on_sample(sampling.consent(|_| async { true }))
        .on_elicit(move |question| {
            forms.fetch_add(1, Ordering::SeqCst);
            let answer = match &question {
                Elicitation::Form { schema, .. } => ElicitResult::accept(filled(schema)),
                _ => ElicitResult::decline(),
            };
            async move { answer }
        });
    Ok((asked, builder))
}

async fn connect(builder: ClientBuilder, target: &[String]) -> Result<Client> {
    match target {
        [url] if url.starts_with("http") => builder.remote(Remote::new(url)).await,
        [program, arguments @ ..] => {
            let mut command = Command::new(program);
            command.args(arguments);
            builder.command(command).await
        }
        [] => Err(usage()),
    }
}

/// Returns a filled-in form: its required fields, with values that fit the schema.
fn filled(schema: &str) -> Value {
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let fields = required.iter().filter_map(Value::as_str).map(|name| {
        let field = &schema["properties"][name];
        let first = field["enum"].get(0).or(field["oneOf"].get(0).and_then(|it| it.get("const")));
        let value = match (first, field["type"].as_str()) {
            (Some(first), _) => first.clone(),
            (None, Some("boolean")) => json!(true),
            (None, Some("integer" | "number")) => field.get("minimum").cloned().unwrap_or_else(|| json!(7)),
            _ => json!("Ada"),
        };
        (name.to_owned(), value)
    });
    Value::Object(fields.collect())
}

async fn check(server: &str, client: &Client, asked: &Asked) -> Result<()> {
    match server {
        "everything" => everything(client, asked).await,
        "python" => python(client, asked).await,
        "fastmcp" => fastmcp(client).await,
        "fastmcp-elicitation" => fastmcp_elicitation(client, asked).await,
        _ => Err(usage()),
    }
}

/// Checks our client against `@modelcontextprotocol/server-everything`.
async fn everything(client: &Client, asked: &Asked) -> Result<()> {
    lists(client, 13, 7, 1, 4).await?;
    says(client, "echo", json!({ "message": "hé\n\"x\"" }), "hé").await?;
    says(client, "get-sum", json!({ "a": 2, "b": 3 }), "5").await?;
    let weather = client.call_tool("get-structured-content", json!({ "location": "Chicago" })).await?;
    expect(weather.structured_content.is_some(), "structured content is there")?;
    let image = client.call_tool("get-tiny-image", json!({})).await?;
    expect(image.content.iter().any(|it| matches!(it, Content::Image { .. })), "a picture is there")?;
    let wrong = client.call_tool("get-sum", json!({ "a": "two" })).await;
    expect(wrong.is_err() || wrong.is_ok_and(|it| it.is_error), "wrong arguments are refused")?;
    unknown(client).await?;
    progress(client, "trigger-long-running-operation", json!({ "duration": 1, "steps": 4 }), 4).await?;
    cancellation(client, "trigger-long-running-operation", json!({ "duration": 60, "steps": 2 })).await?;
    asks(
        client,
        &asked.samples,
        "trigger-sampling-request",
        json!({ "prompt": "hi" }),
        "sampled by the check",
    )
    .await?;
    asks(client, &asked.forms, "trigger-elicitation-request", json!({}), "Ada").await?;
    says(client, "get-roots-list", json!({}), "file:///tmp/roots").await?;
    prompt(client, "args-prompt", json!({ "city": "Paris", "state": "Texas" }), "Paris").await?;
    let request = CompleteRequest::prompt("completable-prompt", "department", "E");
    let completion = client.complete(&request).await?;
    expect(completion.values.contains(&"Engineering".to_owned()), "an argument is completed")?;
    resources(client).await?;
    updates(client, "demo://resource/dynamic/text/1", "toggle-subscriber-updates", Duration::from_secs(12))
        .await
}

/// Checks our client against the everything server of the official Python SDK.
async fn python(client: &Client, asked: &Asked) -> Result<()> {
    lists(client, 20, 3, 1, 4).await?;
    says(client, "test_simple_text", json!({}), "simple text").await?;
    let mixed = client.call_tool("test_multiple_content_types", json!({})).await?;
    expect(mixed.content.len() == 3, "content of several kinds is there")?;
    let failed = client.call_tool("test_error_handling", json!({})).await?;
    expect(failed.is_error, "a tool that fails says so in its result")?;
    unknown(client).await?;
    progress(client, "test_tool_with_progress", json!({}), 3).await?;
    if client.revision().era() == plainwire::proto::revision::Era::Legacy {
        asks(client, &asked.samples, "test_sampling", json!({ "prompt": "hi" }), "sampled by the check")
            .await?;
        asks(client, &asked.forms, "test_elicitation", json!({ "message": "who?" }), "accept").await?;
        says(client, "test_reconnection", json!({}), "").await?;
    } else {
        asks(client, &asked.samples, "test_input_required_result_sampling", json!({}), "").await?;
        asks(client, &asked.forms, "test_input_required_result_elicitation", json!({}), "").await?;
        asks(client, &asked.forms, "test_input_required_result_multi_round", json!({}), "").await?;
        says(client, "test_input_required_result_request_state", json!({}), "").await?;
        says(client, "test_x_mcp_header", json!({ "region": "Zürich" }), "").await?;
    }
    prompt(client, "test_prompt_with_arguments", json!({ "arg1": "one", "arg2": "two" }), "one").await?;
    resources(client).await
}

/// Checks our client against the example `testing_demo` of FastMCP.
async fn fastmcp(client: &Client) -> Result<()> {
    lists(client, 3, 1, 1, 2).await?;
    let sum: i64 = client.call("add", json!({ "a": 2, "b": 40 })).await?;
    expect(sum == 42, "a number is a number")?;
    says(client, "greet", json!({ "name": "Ada" }), "Hello, Ada!").await?;
    let wrong = client.call_tool("add", json!({ "a": "two", "b": 1 })).await;
    expect(wrong.is_err() || wrong.is_ok_and(|it| it.is_error), "wrong arguments are refused")?;
    unknown(client).await?;
    let read = client.read_resource("demo://greeting/Ada").await?;
    expect(read.contents[0].as_text() == Some("Welcome to FastMCP, Ada!"), "a template is read")?;
    prompt(client, "explain", json!({ "topic": "herons" }), "herons").await?;
    resources(client).await
}

/// Checks our client against the example `elicitation` of FastMCP.
async fn fastmcp_elicitation(client: &Client, asked: &Asked) -> Result<()> {
    asks(client, &asked.forms, "greet", json!({}), "Hello, Ada!").await?;
    asks(client, &asked.forms, "survey", json!({}), "lucky number is 7").await
}

async fn lists(
    client: &Client,
    tools: usize,
    resources: usize,
    templates: usize,
    prompts: usize,
) -> Result<()> {
    let found = [
        client.list_tools().await?.len(),
        client.list_resources().await?.len(),
        client.list_resource_templates().await?.len(),
        client.list_prompts().await?.len(),
    ];
    let least = [tools, resources, templates, prompts];
    let enough = found.iter().zip(least).all(|(found, least)| *found >= least);
    expect(enough, &format!("tools, resources, templates and prompts are listed: {found:?} of {least:?}"))
}

async fn says(client: &Client, tool: &str, arguments: Value, text: &str) -> Result<()> {
    let result = client.call_tool(tool, arguments).await?;
    let said: String = result.content.iter().filter_map(Content::as_text).collect();
    expect(!result.is_error && said.contains(text), &format!("`{tool}` says {text:?}: {said:?}"))
}

/// Checks that a call returns `text`, and that the server asks a question meanwhile, which raises `counter`.
async fn asks(
    client: &Client,
    counter: &AtomicUsize,
    tool: &str,
    arguments: Value,
    text: &str,
) -> Result<()> {
    let before = counter.load(Ordering::SeqCst);
    says(client, tool, arguments, text).await?;
    expect(counter.load(Ordering::SeqCst) > before, &format!("`{tool}` has asked"))
}

async fn unknown(client: &Client) -> Result<()> {
    let answer = client.call_tool("there-is-no-such-tool", json!({})).await;
    expect(answer.is_err() || answer.is_ok_and(|it| it.is_error), "an unknown tool is refused")
}

async fn progress(client: &Client, tool: &str, arguments: Value, least: usize) -> Result<()> {
    let heard = Arc::new(Mutex::new(0));
    let hears = Arc::clone(&heard);
    let count = move |_| *hears.lock().expect("nobody panics with it") += 1;
    let result = client.call_tool(tool, arguments).on_progress(count).await?;
    let heard = *heard.lock().expect("nobody panics with it");
    expect(!result.is_error && heard >= least, &format!("`{tool}` tells its progress: {heard} of {least}"))
}

/// Checks that a cancelled call does not harm the connection.
async fn cancellation(client: &Client, tool: &str, arguments: Value) -> Result<()> {
    let call = client.call_tool(tool, arguments);
    let given_up = tokio::time::timeout(Duration::from_millis(500), call).await.is_err();
    expect(given_up, "a long call is given up")?;
    client.ping().await?;
    expect(!client.list_tools().await?.is_empty(), "the connection goes on after a cancellation")
}

async fn prompt(client: &Client, name: &str, arguments: Value, text: &str) -> Result<()> {
    let prompt = client.get_prompt(name, arguments).await?;
    let said = format!("{:?}", prompt.messages);
    expect(said.contains(text), &format!("the prompt `{name}` says {text:?}"))
}

async fn resources(client: &Client) -> Result<()> {
    for resource in client.list_resources().await? {
        let read = client.read_resource(&resource.uri).await?;
        expect(!read.contents.is_empty(), &format!("{} is read", resource.uri))?;
    }
    let missing = client.read_resource("none://such").await;
    expect(missing.is_err(), "a resource that is not there is an error")
}

async fn updates(client: &Client, uri: &str, toggle: &str, patience: Duration) -> Result<()> {
    let filter =
        SubscriptionFilter { resource_subscriptions: vec![uri.to_owned()], ..SubscriptionFilter::default() };
    let mut listen = client.listen(filter).await?;
    client.call_tool(toggle, json!({})).await?;
    let heard = tokio::time::timeout(patience, listen.next()).await;
    client.call_tool(toggle, json!({})).await?;
    expect(matches!(heard, Ok(Some(_))), &format!("changes of {uri} are told"))
}

fn expect(is_so: bool, what: &str) -> Result<()> {
    if !is_so {
        return Err(Error::Mismatch { message: format!("expected that {what}") });
    }
    right(what);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a program for people and scripts")]
fn right(what: impl std::fmt::Display) {
    println!("ok {what}");
}
