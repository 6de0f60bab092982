//! The commands that ask a server: connect, ask one thing, show the answer.

use std::process::Command;
use std::time::Instant;

use plainwire::Client;
use plainwire::model::{CallToolResult, RawJson};
use plainwire::proto::cursor::List;
use plainwire::proto::peer::EraChoice;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

use crate::args::{Ask, Call, Era, Read};
use crate::exit::{Exit, Failure};
use crate::{arguments, output, serve};

/// `plainwire list`
pub(crate) async fn list(ask: Ask) -> Result<Exit, Failure> {
    let client = connect(&ask).await?;
    let offered =
        |list: List| client.hello().capabilities.has(list.method().split('/').next().unwrap_or_default());
    let mut all = Vec::new();
    for list in [List::Tools, List::Resources, List::ResourceTemplates, List::Prompts] {
        if offered(list) {
            let entries = client.list_raw(list).await?;
            all.push((list.member(), entries));
        }
    }
    if ask.json.is_some() {
        let object: Map<String, Value> =
            all.into_iter().map(|(name, it)| (name.to_owned(), json!(it))).collect();
        output::json(&object)?;
    } else {
        output::lists(&client, &all)?;
    }
    Ok(Exit::Done)
}

/// `plainwire call`
pub(crate) async fn call(call: Call) -> Result<Exit, Failure> {
    let arguments = arguments::parse(inline(&call.ask), &call.arguments)?;
    let client = connect(&call.ask).await?;
    let params = json!({ "name": call.name, "arguments": arguments }).to_string();
    let raw = client.request_with_progress("tools/call", &params, output::progress).await?;
    let result: CallToolResult = read_as(&raw)?;
    if call.ask.json.is_some() {
        output::json(&raw)?;
    } else {
        output::tool_result(&result)?;
    }
    Ok(if result.is_error { Exit::ToolFailed } else { Exit::Done })
}

/// `plainwire read`
pub(crate) async fn read(read: Read) -> Result<Exit, Failure> {
    let client = connect(&read.ask).await?;
    let raw = client.request("resources/read", &json!({ "uri": read.uri }).to_string()).await?;
    if read.ask.json.is_some() {
        output::json(&raw)?;
    } else {
        output::resource(&read_as(&raw)?)?;
    }
    Ok(Exit::Done)
}

/// `plainwire prompt`
pub(crate) async fn prompt(call: Call) -> Result<Exit, Failure> {
    let arguments = arguments::parse(inline(&call.ask), &call.arguments)?;
    let client = connect(&call.ask).await?;
    let params = json!({ "name": call.name, "arguments": arguments }).to_string();
    let raw = client.request("prompts/get", &params).await?;
    if call.ask.json.is_some() {
        output::json(&raw)?;
    } else {
        output::prompt(&read_as(&raw)?)?;
    }
    Ok(Exit::Done)
}

/// `plainwire ping`
pub(crate) async fn ping(ask: Ask) -> Result<Exit, Failure> {
    let client = connect(&ask).await?;
    let began = Instant::now();
    client.ping().await?;
    let took = began.elapsed();
    let server = client.hello().server_info.clone().unwrap_or_default();
    if ask.json.is_some() {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let revision = client.revision().as_str();
        let facts = json!({ "name": server.name, "version": server.version, "protocolVersion": revision, "micros": micros });
        output::json(&to_raw_value(&facts).map_err(|error| Failure::usage(error.to_string()))?)?;
    } else {
        output::line(&format!(
            "{} {} speaks {} and answered in {took:.1?}",
            server.name,
            server.version,
            client.revision()
        ))?;
    }
    Ok(Exit::Done)
}

fn inline(ask: &Ask) -> Option<&str> {
    ask.json.as_ref().and_then(Option::as_deref)
}

async fn connect(ask: &Ask) -> Result<Client, Failure> {
    let mut client = Client::builder().era(match ask.era {
        Era::Auto => EraChoice::Auto,
        Era::Legacy => EraChoice::Legacy,
        Era::Modern => EraChoice::Modern,
    });
    if let Some(tap) = serve::tap(ask.trace.clone())? {
        client = client.tap(tap);
    }
    let mut words = ask.command.iter();
    let program = words.next().ok_or_else(|| Failure::usage("expected a command behind `--`".into()))?;
    let mut command = Command::new(program);
    command.args(words);
    Ok(client.command(command).await?)
}

fn read_as<T: serde::de::DeserializeOwned>(raw: &RawJson) -> Result<T, Failure> {
    serde_json::from_str(raw.get()).map_err(|error| {
        plainwire::Error::Decode { message: format!("expected another result: {error}") }.into()
    })
}
