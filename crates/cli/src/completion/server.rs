//! Completes the word at the cursor with the names that a server lists.
//!
//! It starts the server's command, which is after `--`, exactly as it is written, with the environment that all
//! commands give to a server. It starts nothing if there is no `--`, or if a shell would expand a word of that
//! command. One completion takes at most [`DEADLINE`]. After a failure there are no candidates.

use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

use clap::{CommandFactory as _, Parser as _};
use clap_complete::CompletionCandidate;
use clap_complete::engine::ArgValueCompleter;
use plainwire::Client;
use plainwire::client::Target;
use plainwire::client::process::Stderr;
use plainwire::model::CompleteRequest;
use plainwire_inspect::{Kind, Shape};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::line::Line;
use crate::args::{Ask, Call, CallTool, Cli, Command, Describe, KnownClient, Read, Watch};
use crate::arguments::assignment;
use crate::exit::ServerChoice;
use crate::{connect, target, visible};

/// The maximal time for one completion, including the start and the end of the server.
const DEADLINE: Duration = Duration::from_secs(3);

/// The time that the server has to exit before it is killed. It is a part of [`DEADLINE`].
const GRACE: Duration = Duration::from_millis(500);

/// The time that the server has for the handshake. It is a part of [`DEADLINE`]: after it, the server is killed
/// within 0.6 s.
const FOR_CONNECTION: Duration = Duration::from_millis(2_400);

/// The maximal number of candidates of one completion: a longer list is of no use.
const MAX_CANDIDATES: usize = 1_000;

/// The maximal number of characters of one candidate.
const MAX_CHARS: usize = 500;

/// A candidate, and its description.
pub(crate) type Suggestion = (String, String);

/// Returns clap's definition of the command line. If `line` names a server's command, the arguments that take
/// names of that server get completers. Without `line` no argument gets one.
pub(super) fn command(line: Option<&Line>) -> clap::Command {
    let mut command = with_names(Cli::command());
    let Some(written) = line.and_then(written) else { return command };
    let written = Arc::new(written);
    for (name, arg) in [
        ("call", "name"),
        ("call", "arguments"),
        ("describe", "name"),
        ("prompt", "name"),
        ("prompt", "arguments"),
        ("read", "uri"),
        ("watch", "uris"),
    ] {
        let written = written.clone();
        let completer = ArgValueCompleter::new(move |typed: &OsStr| {
            typed.to_str().map_or_else(Vec::new, |typed| complete(&written, arg, typed))
        });
        // `mut_arg` would move the argument after the other positional ones.
        let add = |it: clap::Arg| if it.get_id() == arg { it.add(completer.clone()) } else { it };
        command = command.mut_subcommand(name, |it| it.mut_args(add));
    }
    command
}

/// Adds completers to the arguments that take the name of a server in a configuration file of this user.
fn with_names(command: clap::Command) -> clap::Command {
    let of_files = |own_only: bool| {
        ArgValueCompleter::new(move |typed: &OsStr| {
            let names = target::names(|file| !own_only || file.client == KnownClient::Plainwire);
            let typed = typed.to_string_lossy().into_owned();
            names
                .into_iter()
                .filter(|name| fits(name, &typed))
                .take(MAX_CANDIDATES)
                .map(CompletionCandidate::new)
                .collect()
        })
    };
    let names: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| {
        let of_servers = |it: clap::Command| match it.find_subcommand("remove") {
            Some(_) => it.mut_subcommand("remove", |it| it.mut_args(|arg| arg.add(of_files(true)))),
            None => it,
        };
        command.mut_subcommand(name, |it| {
            of_servers(it)
                .mut_args(|arg| if arg.get_long() == Some("server") { arg.add(of_files(false)) } else { arg })
        })
    })
}

/// Parses the line as if it were complete. `None` if it can't be parsed, if the cursor is not before `--`, or
/// if a shell would expand a word of the server's command.
fn written(line: &Line) -> Option<Command> {
    let behind = line.words.iter().position(|word| word.text == "--")?;
    if line.index >= behind || !line.words[behind..].iter().all(|word| word.plain) {
        return None;
    }
    Cli::try_parse_from(line.words.iter().map(|word| &word.text)).ok().map(|cli| cli.command)
}

/// Returns the candidates for the argument `arg`. `typed` is the part of it that the user has written
/// already.
fn complete(written: &Command, arg: &str, typed: &str) -> Vec<CompletionCandidate> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let found = runtime.ok().and_then(|runtime| runtime.block_on(ask(written, arg, typed)));
    let found =
        found.unwrap_or_default().into_iter().filter(|(text, _)| fits(text, typed)).take(MAX_CANDIDATES);
    found
        .map(|(text, help)| {
            let help = help.lines().next().map(ToOwned::to_owned).filter(|help| !help.is_empty());
            CompletionCandidate::new(text).help(help.map(Into::into))
        })
        .collect()
}

/// Returns whether `text` is a candidate for a word that begins with `typed`.
pub(crate) fn fits(text: &str, typed: &str) -> bool {
    text.starts_with(typed) && !text.starts_with('-') && text.chars().count() <= MAX_CHARS
        // A candidate with invisible characters must not get onto a command line.
        && visible::line(text) == text
}

/// Returns what the server lists for the word at `index` of a command, whose first word has the index 0.
pub(crate) async fn suggestions(
    client: &Client,
    written: &Command,
    index: usize,
    typed: &str,
) -> Option<Vec<Suggestion>> {
    let arg = match (written, index) {
        (Command::Call(_) | Command::Prompt(_) | Command::Describe(_), 1) => "name",
        (Command::Call(_) | Command::Prompt(_), _) => "arguments",
        (Command::Read(_), 1) => "uri",
        _ => return None,
    };
    let mut found = find(client, written, arg, typed).await?;
    found.truncate(MAX_CANDIDATES);
    Some(found)
}

/// Starts the server and requests the possible values of `arg`. The server is ended before this returns, unless it
/// has not exited by [`DEADLINE`]: then it is killed soon afterwards.
async fn ask(written: &Command, arg: &str, typed: &str) -> Option<Vec<Suggestion>> {
    let (Command::Call(CallTool { call: Call { ask, .. }, .. })
    | Command::Describe(Describe { ask, .. })
    | Command::Prompt(Call { ask, .. })
    | Command::Read(Read { ask, .. })
    | Command::Watch(Watch { ask, .. })) = written
    else {
        return None;
    };
    let (until, ask) = (Instant::now() + DEADLINE, quietly(ask));
    let Target::Command(program) = target::of(&ask.choice).ok()? else { return None };
    let program = program.stderr(Stderr::Keep).grace(GRACE);
    let builder = connect::builder(&ask).ok()?.connect_deadline(FOR_CONNECTION);
    let client = builder.command(program).await.ok()?;
    let found = timeout_at(until - GRACE, find(&client, written, arg, typed)).await.ok().flatten();
    let _ = timeout_at(until, client.close()).await;
    found
}

async fn find(client: &Client, written: &Command, arg: &str, typed: &str) -> Option<Vec<Suggestion>> {
    match (written, arg) {
        (Command::Call(_) | Command::Describe(_), "name") => {
            let tools = client.list_tools().await.ok()?;
            Some(tools.into_iter().map(|it| (it.name, it.description.unwrap_or_default())).collect())
        }
        (Command::Prompt(_), "name") => {
            let prompts = client.list_prompts().await.ok()?;
            Some(prompts.into_iter().map(|it| (it.name, it.description.unwrap_or_default())).collect())
        }
        (Command::Call(it), _) => arguments_of_tool(client, &it.call, typed).await,
        (Command::Prompt(call), _) => arguments_of_prompt(client, call, typed).await,
        (Command::Read(_) | Command::Watch(_), _) => uris(client).await,
        _ => None,
    }
}

/// Returns the URIs of the resources, and of each template the text before its first variable.
async fn uris(client: &Client) -> Option<Vec<Suggestion>> {
    let mut found: Vec<Suggestion> =
        client.list_resources().await.ok()?.into_iter().map(|it| (it.uri, it.name)).collect();
    let templates = client.list_resource_templates().await.unwrap_or_default();
    found.extend(templates.into_iter().filter_map(|it| {
        let (start, _) = it.uri_template.split_once('{')?;
        Some((start.to_owned(), it.name))
    }));
    found.sort();
    found.dedup_by(|one, other| one.0 == other.0);
    Some(found)
}

async fn arguments_of_tool(client: &Client, call: &Call, typed: &str) -> Option<Vec<Suggestion>> {
    let tool = client.list_tools().await.ok()?.into_iter().find(|tool| tool.name == call.name)?;
    let schema: Value = serde_json::from_str(tool.input_schema.get()).ok()?;
    let properties = schema.get("properties")?.as_object()?;
    let mut found = Vec::new();
    for (name, property) in properties.iter().filter(|(name, _)| is_open(call, name, typed)) {
        if typed.contains('=') {
            let values = choices(&Shape::of(property, &schema));
            let words = values.iter().filter_map(|value| assignment(name, value));
            found.extend(words.map(|word| (word, String::new())));
        } else {
            let help = property["description"].as_str().unwrap_or_default();
            found.push((format!("{name}="), help.to_owned()));
        }
    }
    Some(found)
}

/// Returns the values that the schema lists, except `null`. A schema of booleans
/// lists both.
fn choices(shape: &Shape<'_>) -> Vec<Value> {
    let listed: Vec<Value> = shape.values().filter(|it| !it.is_null()).cloned().collect();
    if listed.is_empty() && shape.allows(Kind::Boolean) {
        return vec![true.into(), false.into()];
    }
    listed
}

async fn arguments_of_prompt(client: &Client, call: &Call, typed: &str) -> Option<Vec<Suggestion>> {
    let prompt = client.list_prompts().await.ok()?.into_iter().find(|prompt| prompt.name == call.name)?;
    let Some((name, value)) = typed.split_once('=') else {
        let open = prompt.arguments.into_iter().filter(|it| is_open(call, &it.name, typed));
        return Some(open.map(|it| (format!("{}=", it.name), it.description.unwrap_or_default())).collect());
    };
    if !client.hello().capabilities.has("completions") {
        return None;
    }
    let others = call.arguments.iter().filter(|word| *word != typed);
    let settled = others.filter_map(|word| word.split_once('='));
    let request = CompleteRequest::prompt(prompt.name, name, value).with_arguments(settled);
    let completion = client.complete(&request).await.ok()?;
    let words = completion.values.into_iter().filter_map(|it| assignment(name, &it.into()));
    Some(words.map(|word| (word, String::new())).collect())
}

/// Returns whether `typed`, a word of the command line, can be completed to the argument `name`: it has no
/// other key, no other word sets this argument, and `name` has no `=` or `:`.
fn is_open(call: &Call, name: &str, typed: &str) -> bool {
    let key = |word: &str| word.split(['=', ':']).next().unwrap_or_default().to_owned();
    let given = call.arguments.iter().filter(|word| *word != typed).any(|word| key(word) == name);
    !given && !name.contains(['=', ':']) && (!typed.contains('=') || key(typed) == name)
}

/// Returns the options without those that write something: completing a command must not write its trace or the
/// log of its server.
fn quietly(ask: &Ask) -> Ask {
    Ask { choice: ServerChoice { server_log: None, ..ask.choice.clone() }, trace: None, ..ask.clone() }
}
