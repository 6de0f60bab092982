//! The commands that query a server once and print the result: `list`, `call`, `read`, `prompt`, `ping`.

use std::time::Instant;

use plainwire::Client;
use plainwire::model::{CallToolResult, Content, RawJson, ReadResourceResult};
use plainwire::proto::cursor::List;
use plainwire::proto::revision::Era;
use plainwire_inspect::Entry;
use serde_json::{Value, json};

use crate::args::{self, As, Ask, Call, CallTool, Read};
use crate::arguments::{Arguments, Built, Misfit};
use crate::connect::{with_client, with_client_and_user};
use crate::exit::{Exit, Failure};
use crate::meant::Meant;
use crate::notices::with_log;
use crate::progress::with_bar;
use crate::{cost, listing, meant, output, progress, save, tools, visible};

/// Runs `plainwire list`: prints the tools, resources, templates and prompts of a server.
pub(crate) async fn list(it: args::List) -> Result<Exit, Failure> {
    with_client(&it.ask, async |client| list_on(client, &it).await).await
}

pub(crate) async fn list_on(client: &Client, it: &args::List) -> Result<Exit, Failure> {
    let capabilities = &client.hello().capabilities;
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    for list in [List::Tools, List::Resources, List::ResourceTemplates, List::Prompts] {
        if list.method().split('/').next().is_some_and(|name| capabilities.has(name)) {
            match tools::list_if_known(client, list).await {
                Ok(Some(mut entries)) => {
                    tools::filter(&mut entries, it.filter.as_deref());
                    all.push((list.member(), entries));
                }
                Ok(None) => {}
                // The other lists are shown.
                Err(error @ plainwire::Error::Rpc(_)) => failed.push((list, Failure::from(error))),
                Err(error) => return Err(error.into()),
            }
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
    let exit = failed.first().map_or(Exit::Done, |(_, failure)| failure.exit);
    for (list, failure) in failed {
        output::failure(&Failure { text: format!("{}: {}", list.method(), failure.text), ..failure });
    }
    Ok(exit)
}

/// Runs `plainwire call`: calls a tool and prints its result.
pub(crate) async fn call(it: CallTool) -> Result<Exit, Failure> {
    // Wrong words are reported before the server starts.
    let arguments = Arguments::parse(inline(&it.call.ask), &it.call.arguments)?;
    with_client_and_user(&it.call.ask, it.call.meanwhile.no_input, async |client| {
        let work = with_log(client, it.call.meanwhile.log, call_with(client, &it, arguments));
        interruptible(client, &it.call.ask, work).await
    })
    .await
}

pub(crate) async fn call_on(client: &Client, it: &CallTool) -> Result<Exit, Failure> {
    let arguments = Arguments::parse(inline(&it.call.ask), &it.call.arguments)?;
    call_with(client, it, arguments).await
}

async fn call_with(client: &Client, it: &CallTool, arguments: Arguments) -> Result<Exit, Failure> {
    let CallTool { call, cost: shows_cost, out } = it;
    let Built { object, misfits } = by_schema(client, &call.name, arguments).await?;
    let params = params(&call.name, &object)?;
    let raw = match request(client, "tools/call", &params, call.explain).await {
        Err(failure) if failure.exit == Exit::Refused => {
            let hint = hint(client, call, misfits, &failure.text).await.or(failure.hint);
            return Err(Failure { hint, ..failure });
        }
        answer => answer?,
    };
    let result: CallToolResult = read_as(&raw)?;
    if call.ask.json.is_none() {
        check_has_content(&raw)?;
    }
    match out {
        _ if call.ask.json.is_some() => output::json(&raw)?,
        Some(file) if !result.is_error => {
            save::block(file, &result.content)?.into_iter().try_for_each(output::content)?;
        }
        _ => output::tool_result(&result)?,
    }
    if *shows_cost {
        cost::show(&result);
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
        interruptible(client, &it.ask, with_log(client, it.meanwhile.log, read_on(client, &it))).await
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
        let work = with_log(client, call.meanwhile.log, prompt_with(client, &call, arguments));
        interruptible(client, &call.ask, work).await
    })
    .await
}

pub(crate) async fn prompt_on(client: &Client, call: &Call) -> Result<Exit, Failure> {
    let arguments = Arguments::parse(inline(&call.ask), &call.arguments)?;
    prompt_with(client, call, arguments).await
}

async fn prompt_with(client: &Client, call: &Call, arguments: Arguments) -> Result<Exit, Failure> {
    let params = params(&call.name, &arguments.of_prompt()?)?;
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
    ask: &Ask,
    work: impl Future<Output = Result<Exit, Failure>>,
) -> Result<Exit, Failure> {
    let before = client.server_stderr().unwrap_or_default();
    let done = tokio::select! {
        done = work => done,
        _ = tokio::signal::ctrl_c() => Err(Failure::interrupted()),
    };
    // The error stands before what the server wrote.
    let done = match done {
        Err(failure) if failure.exit == Exit::Refused => {
            output::failure(&failure);
            Ok(failure.exit)
        }
        done => done,
    };
    // With `--server-log`, it was shown or written when it came.
    if ask.choice.server_log.is_none() && matches!(done, Ok(Exit::ToolFailed | Exit::Refused)) {
        let after = client.server_stderr().unwrap_or_default();
        // Only the last lines are kept, so those from before may be gone.
        show_last(after.strip_prefix(&before).unwrap_or(&after).trim());
    }
    done
}

/// The maximal number of lines of a server's stderr that are shown below its answer.
const MAX_LINES: usize = 5;

/// Prints the last lines of a server's stderr, if there are any.
fn show_last(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(MAX_LINES)..];
    let head = match lines.len() - last.len() {
        _ if last.is_empty() => return,
        0 => "the server wrote to its stderr:".to_owned(),
        _ => "the server wrote to its stderr (`--server-log` shows all of it):".to_owned(),
    };
    output::note(&format!("{head}\n{}", visible::quoted(&last.join("\n")).trim_end()));
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

/// Returns the hint for a call that failed with `text`. The hint names the arguments that do not fit: those that the text
/// names, or else all. Or it says that the server asks questions in sessions only, or that the tool may be one for hosts
/// only. `None` if none of these explains the failure.
async fn hint(client: &Client, call: &Call, misfits: Vec<Misfit>, text: &str) -> Option<String> {
    let named: Vec<&Misfit> = misfits.iter().filter(|it| names(text, &it.key)).collect();
    let named = if named.is_empty() { misfits.iter().collect() } else { named };
    if !named.is_empty() {
        return Some(named.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n"));
    }
    if text.contains("(code -32021)") {
        let no_input =
            call.meanwhile.no_input.then(|| "the tool asks a question: leave out `--no-input`".to_owned());
        return no_input.or_else(|| match call.ask.r#as {
            None => Some(
                "the tool needs something that hosts have: `--as host` declares it, without a model behind it".to_owned(),
            ),
            Some(As::Plain) => Some("without `--as plain`, the command declares what it can do".to_owned()),
            Some(As::Host) => None,
        });
    }
    // The words of FastMCP 4 about a tool that asks the client in 2026-07-28.
    if client.revision().era() == Era::Modern && text.contains("server-initiated requests") {
        let why = "this server asks questions in sessions only: connect with `--era legacy`";
        return Some(why.to_owned());
    }
    if says_what_was_meant(text) {
        return None;
    }
    match meant::by(client, List::Tools, &call.name).await {
        Meant::Unknown if call.ask.r#as.is_none() => Some(
            "`plainwire list` shows the tools. Some servers list a tool only for hosts: `--as host` declares what a host \
             declares"
                .to_owned(),
        ),
        Meant::Unknown => None,
        meant => meant.hint(),
    }
}

/// Returns whether a text has `name` as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let is_part = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
    text.match_indices(name).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next())
    })
}

/// Adds to a refusal of the server what the user probably meant by `name`, if `list` of the server does not have it.
async fn near(client: &Client, list: List, name: &str, failure: Failure) -> Failure {
    // An error that does not repeat the name is about something else, unless the name is a template.
    let is_about_name = failure.text.contains(name) || name.contains('{');
    let is_explained = failure.hint.is_some() || says_what_was_meant(&failure.text);
    if failure.exit != Exit::Refused || is_explained || !is_about_name {
        return failure;
    }
    Failure { hint: meant::by(client, list, name).await.hint(), ..failure }
}

/// Returns whether the server itself suggests another name.
fn says_what_was_meant(text: &str) -> bool {
    text.contains("did you mean")
}

/// Refuses a result with neither of the members that have what the tool returned.
fn check_has_content(raw: &RawJson) -> Result<(), Failure> {
    let members: serde_json::Map<String, Value> = read_as(raw)?;
    if members.contains_key("content") || members.contains_key("structuredContent") {
        return Ok(());
    }
    let names: Vec<String> =
        members.keys().take(10).map(|it| format!("`{}`", visible::short_line(it, 80))).collect();
    let found = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    let message = format!("expected the result of a tool to have `content`, but found {found}");
    Err(plainwire::Error::Decode { message }.into())
}

/// Returns the parameters of a call as JSON.
fn params(name: &str, arguments: &impl serde::Serialize) -> Result<String, Failure> {
    #[derive(serde::Serialize)]
    struct Params<'p, A> {
        name: &'p str,
        arguments: &'p A,
    }
    serde_json::to_string(&Params { name, arguments }).map_err(|error| Failure::usage(error.to_string()))
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
