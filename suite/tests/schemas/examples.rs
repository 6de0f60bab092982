//! Tests with the official examples of 2026-07-28: each is read, written back, and must still be valid and
//! complete.
//!
//! An example of a type that is not listed here fails the test, so that no type is forgotten.

use std::time::Duration;

use plainwire::model::{
    CacheHint, CacheScope, CallToolResult, Capabilities, Content, EmbeddedResource, GetPromptResult, Prompt,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, ServerHello, Tool,
};
use plainwire::proto::codec::{self, Encoder};
use plainwire::proto::cursor::List;
use plainwire::proto::error::Error;
use plainwire::proto::peer::{ClientConfig, Event, Now, Peer, ServerConfig};
use plainwire::proto::revision::Revision;
use plainwire_suite::{files_below, official_spec};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::oracle::Oracles;

const REVISION: Revision = Revision::V2026_07_28;

/// The types of the schema that have no type in this repository: parameters and messages, which the engine
/// reads directly, and parts of completion, elicitation, sampling, roots, subscriptions and logging. Forms
/// are tested in `forms`.
const NOT_MODELLED: [&str; 44] = [
    "BooleanSchema",
    "CallToolRequestParams",
    "CancelledNotification",
    "CancelledNotificationParams",
    "CompleteRequest",
    "CompleteRequestParams",
    "CompleteResult",
    "CompleteResultResponse",
    "CreateMessageRequest",
    "CreateMessageRequestParams",
    "CreateMessageResult",
    "ElicitRequest",
    "ElicitRequestFormParams",
    "ElicitRequestURLParams",
    "ElicitResult",
    "GetPromptRequestParams",
    "InputRequests",
    "InputRequiredResult",
    "InputResponses",
    "ListRootsRequest",
    "ListRootsResult",
    "LoggingMessageNotification",
    "LoggingMessageNotificationParams",
    "ModelPreferences",
    "NumberSchema",
    "PaginatedRequestParams",
    "ProgressNotification",
    "ProgressNotificationParams",
    "PromptListChangedNotification",
    "ResourceListChangedNotification",
    "ResourceUpdatedNotification",
    "ResourceUpdatedNotificationParams",
    "Root",
    "SamplingMessage",
    "StringSchema",
    "SubscriptionsAcknowledgedNotification",
    "SubscriptionsListenRequest",
    "SubscriptionsListenResult",
    "SubscriptionsListenResultResponse",
    "TitledMultiSelectEnumSchema",
    "TitledSingleSelectEnumSchema",
    "ToolListChangedNotification",
    "UntitledMultiSelectEnumSchema",
    "UntitledSingleSelectEnumSchema",
];

#[test]
fn every_official_example_of_what_we_model_is_read_and_written_back_whole() {
    let Some(spec) = official_spec() else { return };
    let (oracles, mut faults, mut judged) = (Oracles::new(spec.clone()), String::new(), 0);
    for path in files_below(&spec.join("examples"), ".json") {
        let kind = path.parent().and_then(|folder| folder.file_name()).expect("a folder").to_string_lossy();
        if NOT_MODELLED.contains(&&*kind) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("an example");
        let mut example: Value = serde_json::from_str(&text).expect("JSON");
        if kind.ends_with("Request") {
            if let Err(error) = served(&text) {
                faults += &format!("{}: {error}\n", path.display());
            }
            judged += 1;
            continue;
        }
        // A type like `CallToolResultResponse` is a message whose result is a `CallToolResult`.
        let kind = kind.strip_suffix("Response").filter(|it| it.ends_with("Result")).unwrap_or(&kind);
        let whole = example.get("jsonrpc").is_some();
        let member = if kind.ends_with("Error") { "/error" } else { "/result" };
        if let (true, Some(inner)) = (whole, example.pointer(member)) {
            example = inner.clone();
        }
        let written =
            written_back(kind, &example).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // The schema defines some errors as whole messages.
        let valid = match whole && kind.ends_with("Error") {
            true => json!({ "jsonrpc": "2.0", "id": 1, "error": written }),
            false => written.clone(),
        };
        for fault in oracles.faults(REVISION, kind, &valid).into_iter().chain(lost(kind, &example, &written))
        {
            faults += &format!("{}: {fault}\n", path.display());
        }
        judged += 1;
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert!(judged > 50, "there are more examples than that: {judged}");
}

/// Reads `example` as the type `kind` of the schema, and writes it back.
fn written_back(kind: &str, example: &Value) -> Result<Value, serde_json::Error> {
    let (text, encoder, hint) = (example.to_string(), Encoder::new(REVISION, None), hint(example));
    let mut out = Vec::new();
    match kind {
        "AudioContent" | "EmbeddedResource" | "ImageContent" | "ResourceLink" | "TextContent"
        | "ToolResultContent" | "ToolUseContent" => {
            codec::content(&mut out, &read::<Content>(&text)?, REVISION)
        }
        "BlobResourceContents" | "TextResourceContents" => {
            let resource: ResourceContents = read(&text)?;
            let block = Content::Resource(EmbeddedResource { annotations: None, meta: None, resource });
            codec::content(&mut out, &block, REVISION);
            return Ok(read::<Value>(std::str::from_utf8(&out).unwrap_or_default())?["resource"].take());
        }
        "CallToolResult" => encoder.call_tool(&mut out, &read::<CallToolResult>(&text)?),
        "ClientCapabilities" | "ServerCapabilities" => {
            out = serde_json::to_vec(&read::<Capabilities>(&text)?)?;
        }
        "DiscoverResult" => out = discovered(&introduced(&text), hint),
        "GetPromptResult" => encoder.get_prompt(&mut out, &read::<GetPromptResult>(&text)?),
        "ListPromptsResult" => page(&mut out, List::Prompts, example, codec::prompt)?,
        "ListResourcesResult" => page(&mut out, List::Resources, example, codec::resource)?,
        "ListResourceTemplatesResult" => {
            page(&mut out, List::ResourceTemplates, example, codec::resource_template)?;
        }
        "ListToolsResult" => page(&mut out, List::Tools, example, codec::tool)?,
        "Prompt" => codec::prompt(&mut out, &read::<Prompt>(&text)?, REVISION),
        "ReadResourceResult" => encoder.read_resource(&mut out, &read::<ReadResourceResult>(&text)?, hint),
        "Resource" => codec::resource(&mut out, &read::<Resource>(&text)?, REVISION),
        "ResourceTemplate" => codec::resource_template(&mut out, &read::<ResourceTemplate>(&text)?, REVISION),
        "Tool" => codec::tool(&mut out, &read::<Tool>(&text)?, REVISION),
        _ if kind.ends_with("Error") => Error::from_wire(&text, "tools/call").write(&mut out, REVISION),
        _ => panic!("{kind}: expected a type of this test, or one of `NOT_MODELLED`"),
    }
    serde_json::from_slice(&out)
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}

fn page<T: DeserializeOwned>(
    out: &mut Vec<u8>,
    list: List,
    example: &Value,
    each: impl Fn(&mut Vec<u8>, &T, Revision),
) -> Result<(), serde_json::Error> {
    let entries: Vec<T> = read(&example[list.member()].to_string())?;
    let next = example["nextCursor"].as_str();
    Encoder::new(REVISION, None).page(out, list, &entries, next, hint(example), each);
    Ok(())
}

fn hint(example: &Value) -> CacheHint {
    let scope = if example["cacheScope"] == "public" { CacheScope::Public } else { CacheScope::Private };
    CacheHint { scope, ttl: Duration::from_millis(example["ttlMs"].as_u64().unwrap_or_default()) }
}

/// Returns the server description that a client of this repository reads from `result`, a result of
/// `server/discover`.
fn introduced(result: &str) -> ServerHello {
    let mut client = Peer::client(ClientConfig::new(plainwire::model::Implementation::new("suite", "0")));
    client.connect(Now::default());
    let asked = client.poll_transmit().expect("`server/discover`");
    let id = &serde_json::from_slice::<Value>(&asked.bytes).expect("JSON")["id"];
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    client.handle_frame(answer.as_bytes(), Now::default());
    match client.poll_event() {
        Some(Event::Connected(hello)) => *hello,
        other => panic!("expected a connection, but found {other:?}"),
    }
}

/// Returns the result of `server/discover` that a server with the description `hello` sends.
fn discovered(hello: &ServerHello, hint: CacheHint) -> Vec<u8> {
    #[derive(Deserialize)]
    struct Answer {
        result: Value,
    }
    let info = hello.server_info.clone().unwrap_or_default();
    let mut config = ServerConfig::new(info, hello.capabilities.clone());
    config.instructions.clone_from(&hello.instructions);
    config.cache_hint = hint;
    config.revisions = vec![hello.revision];
    let mut server = Peer::server(config.into());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": hello.revision.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": meta } });
    server.handle_frame(ask.to_string().as_bytes(), Now::default());
    let answer = server.poll_transmit().expect("an answer").bytes;
    serde_json::from_slice::<Answer>(&answer).expect("a result").result.to_string().into_bytes()
}

/// Passes a request to a server with prompts, resources and tools. Returns an error unless the server reports
/// the request to its handlers or answers it with a result.
fn served(request: &str) -> Result<(), String> {
    let mut capabilities = Capabilities::default();
    for name in ["prompts", "resources", "tools"] {
        capabilities.declare(name, json!({}));
    }
    let info = plainwire::model::Implementation::new("suite", "0");
    let mut server = Peer::server(ServerConfig::new(info, capabilities).into());
    server.handle_frame(request.as_bytes(), Now::default());
    match (server.poll_event(), server.poll_transmit()) {
        (Some(Event::Request { .. }), None) => Ok(()),
        (None, Some(answer)) if answer.bytes.windows(8).any(|it| it == b"\"result\"") => Ok(()),
        (event, answer) => Err(format!("expected the request to be taken, but found {event:?} {answer:?}")),
    }
}

/// Returns a line, with the path, for each value in `example` that is missing in `written` or is different
/// there. A missing `isError` counts as `false`.
fn lost(path: &str, example: &Value, written: &Value) -> Vec<String> {
    match (example, written) {
        (Value::Object(before), Value::Object(after)) => before
            .iter()
            // A missing `isError` means `false`.
            .filter(|(name, value)| !(*name == "isError" && **value == false && !after.contains_key(*name)))
            .flat_map(|(name, value)| {
                let path = format!("{path}.{name}");
                after.get(name).map_or_else(|| vec![format!("lost {path}")], |it| lost(&path, value, it))
            })
            .collect(),
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            let each = before.iter().zip(after).enumerate();
            each.flat_map(|(n, (before, after))| lost(&format!("{path}[{n}]"), before, after)).collect()
        }
        (before, after) if before == after => Vec::new(),
        (before, after) => vec![format!("{path}: expected {before}, but found {after}")],
    }
}
