//! The commands that query a server once and print the result: `list`, `call`, `read`, `prompt`, `ping`.

use std::time::{Duration, Instant};

use plainwire::Client;
use plainwire::model::{CallToolResult, Content, RawJson, ReadResourceResult};
use plainwire::proto::cursor::List;
use plainwire::proto::revision::Era;
use plainwire_inspect::Entry;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::args::{self, Ask, Call, CallTool, Read};
use crate::arguments::{Arguments, Built};
use crate::connect::{with_client, with_client_and_user};
use crate::exit::{Exit, Failure};
use crate::notices::with_log;
use crate::progress::with_bar;
use crate::{describe, listing, output, progress, save, slips, tools, visible};

/// The maximal time to list the tools of the server if the list is needed only for a hint.
const HINT_DEADLINE: Duration = Duration::from_secs(2);

/// Runs `plainwire list`: prints the tools, resources, templates and prompts of a server.
pub(crate) async fn list(it: args::List) -> Result<Exit, Failure> {
    with_client(&it.ask, async |client| list_on(client, &it).await).await
}

pub(crate) async fn list_on(client: &Client, it: &args::List) -> Result<Exit, Failure> {
    let capabilities = &client.hello().capabilities;
    let mut all = Vec::new();
    for list in [List::Tools, List::Resources, List::ResourceTemplates, List::Prompts] {
        if list.method().split('/').next().is_some_and(|name| capabilities.has(name)) {
            let mut entries = client.list_raw(list).await?;
            tools::filter(&mut entries, it.filter.as_deref());
            all.push((list.member(), entries));
        }
    }
    if it.ask.json.is_some() {
        output::json_lists(&all)?;
    } else {
        if let Some(text) = &it.filter {
            all.retain(|(_, entries)| !entries.is_empty());
            if all.is_empty() {
                output::note(&format!("nothing in the lists has {text:?} in its name or description"));
            }
        }
        listing::show(client, &all, it.long)?;
    }
    Ok(Exit::Done)
}

/// Runs `plainwire call`: calls a tool and prints its result.
pub(crate) async fn call(it: CallTool) -> Result<Exit, Failure> {
    // Wrong words are reported before the server starts.
    let arguments = Arguments::parse(inline(&it.call.ask), &it.call.arguments)?;
    with_client_and_user(&it.call.ask, it.call.meanwhile.no_input, async |client| {
        interruptible(client, with_log(client, it.call.meanwhile.log, call_with(client, &it, arguments)))
            .await
    })
    .await
}

pub(crate) async fn call_on(client: &Client, it: &CallTool) -> Result<Exit, Failure> {
    let arguments = Arguments::parse(inline(&it.call.ask), &it.call.arguments)?;
    call_with(client, it, arguments).await
}

async fn call_with(client: &Client, it: &CallTool, arguments: Arguments) -> Result<Exit, Failure> {
    let CallTool { call, out } = it;
    let Built { object, misfits } = by_schema(client, &call.name, arguments).await?;
    let params = json!({ "name": call.name, "arguments": object }).to_string();
    let raw = match request(client, "tools/call", &params, call.explain).await {
        Err(failure) if failure.exit == Exit::Refused => {
            let hint = hint(client, call, misfits, &failure.text).await.or(failure.hint);
            return Err(Failure { hint, ..failure });
        }
        answer => answer?,
    };
    let result: CallToolResult = read_as(&raw)?;
    match out {
        _ if call.ask.json.is_some() => output::json(&raw)?,
        Some(file) if !result.is_error => {
            save::block(file, &result.content)?.into_iter().try_for_each(output::content)?;
        }
        _ => output::tool_result(&result)?,
    }
    if result.is_error
        && let Some(hint) = hint(client, call, misfits, &text_of(&result)).await
    {
        output::note(&format!("\nhint: {hint}"));
    }
    Ok(if result.is_error { Exit::ToolFailed } else { Exit::Done })
}

/// Runs `plainwire read`: prints the contents of a resource.
pub(crate) async fn read(it: Read) -> Result<Exit, Failure> {
    with_client_and_user(&it.ask, it.meanwhile.no_input, async |client| {
        interruptible(client, with_log(client, it.meanwhile.log, read_on(client, &it))).await
    })
    .await
}

pub(crate) async fn read_on(client: &Client, read: &Read) -> Result<Exit, Failure> {
    let params = json!({ "uri": read.uri }).to_string();
    let raw = match request(client, "resources/read", &params, false).await {
        Err(failure) => return Err(near(client, List::Resources, &read.uri, failure).await),
        Ok(raw) => raw,
    };
    match &read.out {
        _ if read.ask.json.is_some() => output::json(&raw)?,
        Some(file) => save::resource(file, &read_as::<ReadResourceResult>(&raw)?.contents)?,
        None => output::resource(&read_as(&raw)?)?,
    }
    Ok(Exit::Done)
}

/// Runs `plainwire prompt`: gets a prompt and prints its messages.
pub(crate) async fn prompt(call: Call) -> Result<Exit, Failure> {
    let arguments = Arguments::parse(inline(&call.ask), &call.arguments)?;
    with_client_and_user(&call.ask, call.meanwhile.no_input, async |client| {
        interruptible(client, with_log(client, call.meanwhile.log, prompt_with(client, &call, arguments)))
            .await
    })
    .await
}

pub(crate) async fn prompt_on(client: &Client, call: &Call) -> Result<Exit, Failure> {
    let arguments = Arguments::parse(inline(&call.ask), &call.arguments)?;
    prompt_with(client, call, arguments).await
}

async fn prompt_with(client: &Client, call: &Call, arguments: Arguments) -> Result<Exit, Failure> {
    let params = json!({ "name": call.name, "arguments": arguments.of_prompt()? }).to_string();
    let raw = match request(client, "prompts/get", &params, call.explain).await {
        Err(failure) => return Err(near(client, List::Prompts, &call.name, failure).await),
        Ok(raw) => raw,
    };
    if call.ask.json.is_some() {
        output::json(&raw)?;
    } else {
        output::prompt(&read_as(&raw)?)?;
    }
    Ok(Exit::Done)
}

/// Runs `plainwire ping`: prints how fast a server answers a ping.
pub(crate) async fn ping(ask: Ask) -> Result<Exit, Failure> {
    with_client(&ask, async |client| ping_on(client, &ask).await).await
}

pub(crate) async fn ping_on(client: &Client, ask: &Ask) -> Result<Exit, Failure> {
    let began = Instant::now();
    client.ping().await?;
    let took = began.elapsed();
    let server = client.server_info().cloned().unwrap_or_default();
    let (name, version, revision) = (&server.name, &server.version, client.revision().as_str());
    if ask.json.is_some() {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let facts =
            json!({ "name": name, "version": version, "protocolVersion": revision, "micros": micros });
        output::json(&facts)?;
    } else {
        let name = if name.is_empty() { "the server" } else { name };
        let server = visible::line(&format!("{name} {version}"));
        output::line(&format!("{server} speaks {revision} and answered in {took:.1?}"))?;
    }
    Ok(Exit::Done)
}

/// Runs work until it ends or the user presses Ctrl-C. The work is then dropped, which cancels its request. If the
/// work failed, shows what the server has written to its stderr meanwhile.
async fn interruptible(
    client: &Client,
    work: impl Future<Output = Result<Exit, Failure>>,
) -> Result<Exit, Failure> {
    let before = client.server_stderr().unwrap_or_default();
    let done = tokio::select! {
        done = work => done,
        _ = tokio::signal::ctrl_c() => Err(Failure::interrupted()),
    };
    if matches!(done, Ok(Exit::ToolFailed) | Err(Failure { exit: Exit::Refused, .. })) {
        let after = client.server_stderr().unwrap_or_default();
        // Only the last lines are kept, so those from before may be gone.
        let new = after.strip_prefix(&before).unwrap_or(&after).trim();
        if !new.is_empty() {
            output::note(&format!("the server wrote to its stderr:\n{}", visible::quoted(new).trim_end()));
        }
    }
    done
}

/// Makes a request, prints its progress on stderr and returns its result. With `explain`, also prints the
/// steps of the request with their times on stderr.
async fn request(client: &Client, method: &str, params: &str, explain: bool) -> Result<RawJson, Failure> {
    let what = format!("waiting for the answer to `{method}`; Ctrl-C cancels");
    if !explain {
        return Ok(with_bar(&what, client.request(method, params).on_progress(progress::show)).await?);
    }
    let (raw, trace) = with_bar(&what, client.request_traced(method, params, progress::show)).await;
    output::note(&trace.to_string());
    Ok(raw?)
}

/// Returns the texts of a result, joined.
fn text_of(result: &CallToolResult) -> String {
    result.content.iter().filter_map(Content::as_text).collect()
}

/// Returns the hint for a call that failed with `text`. The hint names the first argument that does not fit, or says
/// that the server asks questions in sessions only, or that the tool may be one for hosts only. `None` if none of these
/// explains the failure.
async fn hint(client: &Client, call: &Call, misfits: Vec<String>, text: &str) -> Option<String> {
    if let Some(misfit) = misfits.into_iter().next() {
        return Some(misfit);
    }
    // The words of FastMCP 4 about a tool that asks the client in 2026-07-28.
    if client.revision().era() == Era::Modern && text.contains("server-initiated requests") {
        let why = "this server asks questions in sessions only: `--era legacy` connects in one";
        return Some(why.to_owned());
    }
    if call.ask.r#as.is_some() {
        return None;
    }
    let listed = timeout(HINT_DEADLINE, tools::tools(client, None)).await.ok()?.ok()?;
    let is_unknown = !listed.iter().any(|tool| tool.name() == call.name);
    if let Some(near) = slips::nearest(&call.name, listed.iter().map(Entry::name)).filter(|_| is_unknown) {
        return Some(format!("did you mean {near:?}?"));
    }
    if is_unknown && let Some(other) = describe::other_kind(client, &call.name).await {
        return Some(other);
    }
    is_unknown.then(|| {
        "the server does not list this tool. Some servers list a tool only for hosts: `--as host` declares what a \
         host declares"
            .to_owned()
    })
}

/// Adds to a refusal the name that the user probably meant by `name`, if `list` of the server has one.
async fn near(client: &Client, list: List, name: &str, failure: Failure) -> Failure {
    if failure.exit != Exit::Refused || failure.hint.is_some() {
        return failure;
    }
    let known = known_names(client, list).await;
    let near = slips::nearest(name, known.iter().map(String::as_str)).filter(|near| *near != name);
    let near = near.map(|near| format!("did you mean {near:?}?"));
    let hint = match near {
        None if known_names(client, List::Tools).await.iter().any(|known| known == name) => {
            Some(format!("it is a tool: `plainwire call {} …` calls it", slips::quoted(name)))
        }
        near => near,
    };
    Failure { hint, ..failure }
}

/// Returns the names of the entries in a list of the server, or their URIs for resources; none if the server has
/// no such list, or does not return it soon.
pub(crate) async fn known_names(client: &Client, list: List) -> Vec<String> {
    let has_list = list.method().split('/').next().is_some_and(|it| client.hello().capabilities.has(it));
    if !has_list {
        return Vec::new();
    }
    let Ok(Ok(raw)) = timeout(HINT_DEADLINE, client.list_raw(list)).await else { return Vec::new() };
    let member = if list == List::Resources { "uri" } else { "name" };
    let name = |raw: &RawJson| {
        let entry = Entry::read(raw.get());
        entry.members().find(|(name, _)| *name == member)?.1.as_str().map(ToOwned::to_owned)
    };
    raw.iter().filter_map(name).collect()
}

/// Makes the arguments of the tool `name`, by its schema if they depend on it and the server lists the tool.
async fn by_schema(client: &Client, name: &str, arguments: Arguments) -> Result<Built, Failure> {
    let listed = if arguments.depend_on_schema() { tools::tools(client, None).await? } else { Vec::new() };
    let tool = listed.iter().find(|tool| tool.name() == name);
    arguments.build(tool.and_then(Entry::input_schema).unwrap_or(&Value::Bool(true)))
}

fn inline(ask: &Ask) -> Option<&str> {
    ask.json.as_ref().and_then(Option::as_deref)
}

pub(crate) fn read_as<T: serde::de::DeserializeOwned>(raw: &RawJson) -> Result<T, Failure> {
    serde_json::from_str(raw.get()).map_err(|error| {
        plainwire::Error::Decode { message: format!("the result is of another type than expected: {error}") }
            .into()
    })
}
