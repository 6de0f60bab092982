//! `plainwire servers`: lists the servers in the configuration files of clients, and checks them.
//!
//! In: files. Out: a table or JSON on stdout. An unreadable file or an invalid entry does not affect the
//! others. `--check` connects to the servers in parallel, each with its own deadline, and prints their names,
//! revisions and numbers of entries. It leaves out files of the project in the current folder, unless
//! `--config` names one. Arguments, variables and headers are never shown.

use std::future::{Future, poll_fn};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use plainwire::Client;
use plainwire::client::Target;
use plainwire::client::config::{Config, ConfigEntry, Variables};
use plainwire::client::process::Stderr;
use plainwire::proto::cursor::List;
use plainwire::proto::peer::RequestOptions;
use plainwire::proto::revision::Era;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::args::{ChangeServers, ClientFile, KnownClient, Servers, Uninstall};
use crate::exit::{Exit, Failure, ServerChoice};
use crate::output::{self, Column};
use crate::paths::{self, Scope};
use crate::{connect, install, target, token_store, tools, visible};

/// The maximal number of servers that are checked at the same time.
const AT_ONCE: usize = 16;

/// The time for a server to exit before it gets SIGTERM.
const GRACE: Duration = Duration::from_secs(1);

/// The maximal number of characters in a cell of the table.
const MAX_CHARS: usize = 120;

/// A configuration file with its entries, or the part of a file that is for one project.
struct File {
    client: Option<KnownClient>,
    config: Config,
    path: PathBuf,
    /// The folder of the project that the entries are for; `None` for entries that are for all folders.
    project: Option<PathBuf>,
    scope: Scope,
}

/// The result for one entry of a configuration file.
enum Outcome {
    Disabled,
    Failed(String),
    /// The entry is valid and not disabled, and its server was not checked.
    Listed,
    Works(Facts),
}

/// The data that a checked server reported: its name, revision and numbers of entries.
struct Facts {
    counts: Vec<(&'static str, usize)>,
    era: &'static str,
    name: String,
    revision: &'static str,
    version: String,
}

pub(crate) async fn run(mut it: Servers) -> Result<Exit, Failure> {
    match it.change.take() {
        Some(ChangeServers::Add(added)) => return install::run(&added.into()),
        Some(ChangeServers::Remove { name }) => {
            return install::uninstall(&Uninstall { place: ClientFile::own(), name });
        }
        None => {}
    }
    let variables = target::variables(&it.input_env)?;
    let mut all_well = true;
    let mut files = Vec::new();
    for (client, scope, path) in paths(&it) {
        match Config::read(&path) {
            Ok(config) => {
                let part = project(client, scope, &path);
                files.push(File { client, config, path, project: None, scope });
                files.extend(part);
            }
            Err(error) => {
                output::failure(&Failure::from(error));
                all_well = false;
            }
        }
    }
    let outcomes = outcomes(&it, &files, &variables).await;
    all_well &= !outcomes.iter().flatten().any(|it| matches!(it, Outcome::Failed(_)));
    if it.json {
        output::json(&as_json(&files, &outcomes))?;
    } else {
        if files.is_empty() && all_well {
            output::to_stderr(
                "no configuration file of a client was found; `plainwire servers add NAME -- COMMAND` names a server\n",
            );
        }
        show(&files, &outcomes)?;
    }
    if it.check && files.iter().any(|file| !is_checked(&it, file) && !file.config.entries().is_empty()) {
        let text = "servers of this folder were not started: the author of the folder chose the commands";
        output::to_stderr(&format!("{text}\n\nhint: --config FILE checks the servers of one file\n"));
    }
    Ok(if all_well { Exit::Done } else { Exit::CheckFailed })
}

/// Returns the files to read: the file of --config, even if it does not exist, or all known configuration
/// files that exist.
fn paths(it: &Servers) -> Vec<(Option<KnownClient>, Scope, PathBuf)> {
    match &it.config {
        Some(path) => vec![(None, Scope::User, path.clone())],
        None => {
            let there = paths::config_files().into_iter().filter(|it| it.path.is_file());
            there.map(|it| (Some(it.client), it.scope, it.path)).collect()
        }
    }
}

/// Returns the entries for the current folder in a file of this user; `None` if there are none. Their servers
/// are checked like those of the other entries of the file, because the user added them too.
fn project(client: Option<KnownClient>, scope: Scope, path: &Path) -> Option<File> {
    let folder = paths::project(client?, scope)?;
    // An error in the file has been reported already.
    let config = Config::read_project(path, &folder).ok().filter(|it| !it.entries().is_empty())?;
    Some(File { client, config, path: path.to_path_buf(), project: Some(folder), scope })
}

/// Returns whether the servers of `file` are to be started. Those of a project's own file are not: the folder
/// may come from another person.
fn is_checked(it: &Servers, file: &File) -> bool {
    it.check && file.scope == Scope::User
}

async fn outcomes(it: &Servers, files: &[File], variables: &Variables) -> Vec<Vec<Outcome>> {
    let deadline = Duration::from_secs(it.timeout);
    let permits = Semaphore::new(AT_ONCE);
    let permits = &permits;
    let ask = |file: &File, entry: &ConfigEntry| -> Pin<Box<dyn Future<Output = Outcome>>> {
        let checked = is_checked(it, file);
        let target = entry.target(variables).map_err(|error| error.to_string());
        let known = entry.transport().map_err(|error| error.to_string());
        let disabled = entry.is_disabled();
        match (known, target) {
            (Err(why), _) => Box::pin(async { Outcome::Failed(why) }),
            _ if disabled => Box::pin(async { Outcome::Disabled }),
            _ if !checked => Box::pin(async { Outcome::Listed }),
            (_, Err(why)) => Box::pin(async { Outcome::Failed(why) }),
            (_, Ok(target)) => {
                let choice = ServerChoice {
                    server: Some(entry.name().to_owned()),
                    config: it.config.clone(),
                    ..ServerChoice::default()
                };
                Box::pin(check(target, choice, deadline))
            }
        }
    };
    let entries = files.iter().flat_map(|file| file.config.entries().iter().map(move |entry| (file, entry)));
    let asked = entries.map(|(file, entry)| {
        let asked = ask(file, entry);
        async move {
            let _permit = permits.acquire().await;
            asked.await
        }
    });
    let mut outcomes = all(asked.collect()).await.into_iter();
    files.iter().map(|file| outcomes.by_ref().take(file.config.entries().len()).collect()).collect()
}

/// Waits for all futures. They are few, so all unfinished ones are polled on each wake-up.
async fn all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.into_iter().map(|it| (Box::pin(it), None)).collect();
    poll_fn(|context| {
        for (future, done) in waiting.iter_mut().filter(|(_, done)| done.is_none()) {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                *done = Some(output);
            }
        }
        if waiting.iter().all(|(_, done)| done.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    waiting.into_iter().filter_map(|(_, done)| done).collect()
}

async fn check(target: Target, choice: ServerChoice, deadline: Duration) -> Outcome {
    let target = match target {
        // The stderr of servers that run in parallel would be mixed.
        Target::Command(program) => program.stderr(Stderr::Keep).grace(GRACE).into(),
        other => other,
    };
    let until = Instant::now() + deadline;
    let failed = |failure: Failure| Outcome::Failed(failure.with_server(&choice).text_with_login_hint());
    let late =
        || Outcome::Failed(format!("expected an answer within {} s, but found none", deadline.as_secs()));
    let target = match timeout_at(until, token_store::with_tokens(target)).await {
        Ok(Ok(target)) => target,
        Ok(Err(failure)) => return failed(failure),
        Err(_) => return late(),
    };
    let options = RequestOptions { idle: deadline, ..RequestOptions::default() };
    // The client gets the deadline, instead of a timeout around the future. So if connecting takes too long,
    // the server that was started has ended when the error is returned.
    let builder = connect::like_a_host(Client::builder()).roots(Vec::new()).deadlines(options);
    let connecting = builder.connect_deadline(until - Instant::now()).connect(target);
    let client = match connecting.await {
        Ok(client) => client,
        Err(error) => return failed(error.into()),
    };
    let outcome = match timeout_at(until, facts(&client)).await {
        Ok(Ok(facts)) => Outcome::Works(facts),
        Ok(Err(error)) => failed(error.into()),
        Err(_) => late(),
    };
    client.close().await;
    outcome
}

async fn facts(client: &Client) -> plainwire::Result<Facts> {
    let capabilities = &client.hello().capabilities;
    let mut counts = Vec::new();
    for (capability, list, what) in [
        ("tools", List::Tools, "tool"),
        ("resources", List::Resources, "resource"),
        ("resources", List::ResourceTemplates, "template"),
        ("prompts", List::Prompts, "prompt"),
    ] {
        if capabilities.has(capability) {
            let entries = tools::list_if_known(client, list).await?;
            counts.extend(entries.map(|entries| (what, entries.len())));
        }
    }
    let server = client.hello().server_info.clone().unwrap_or_default();
    let revision = client.revision();
    let era = if revision.era() == Era::Modern { "modern" } else { "legacy" };
    Ok(Facts { counts, era, name: server.name, revision: revision.as_str(), version: server.version })
}

fn transport(entry: &ConfigEntry) -> &'static str {
    match entry.transport() {
        Ok(transport) => transport.as_str(),
        _ => "?",
    }
}

fn show(files: &[File], outcomes: &[Vec<Outcome>]) -> Result<(), Failure> {
    for (n, (file, outcomes)) in files.iter().zip(outcomes).enumerate() {
        let whose = file.client.map(|it| match &file.project {
            Some(folder) => {
                format!(" ({}, for {})", paths::name(it), visible::line(&folder.display().to_string()))
            }
            None => format!(" ({})", paths::name(it)),
        });
        let whose = whose.unwrap_or_default();
        let gap = if n == 0 { "" } else { "\n" };
        output::line(&format!("{gap}{}{whose}", visible::line(&file.path.display().to_string())))?;
        let rows: Vec<_> = file.config.entries().iter().zip(outcomes).map(|it| row(it.0, it.1)).collect();
        if rows.is_empty() {
            output::line("  no servers")?;
        }
        output::table(&rows, [Column::Left; 4])?;
        for (entry, outcome) in file.config.entries().iter().zip(outcomes) {
            let Outcome::Failed(why) = outcome else { continue };
            let name = visible::short_line(entry.name(), MAX_CHARS);
            why.lines()
                .skip(1)
                .try_for_each(|more| output::line(&format!("    {name}: {}", visible::line(more))))?;
        }
    }
    Ok(())
}

fn row(entry: &ConfigEntry, outcome: &Outcome) -> [String; 4] {
    let cell = |text: &str| visible::short_line(text, MAX_CHARS);
    let said = match outcome {
        Outcome::Disabled => "disabled".to_owned(),
        // Further lines, such as the last words of a server, are shown below the table's row.
        Outcome::Failed(why) => format!("error: {}", visible::line(why.lines().next().unwrap_or_default())),
        Outcome::Listed => String::new(),
        Outcome::Works(it) => {
            let counts: Vec<_> = it.counts.iter().map(|(what, n)| output::counted(*n, what)).collect();
            let name = format!("{} {}", it.name, it.version);
            let parts = [cell(name.trim()), format!("{} ({})", it.revision, it.era), counts.join(", ")];
            parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("; ")
        }
    };
    let summary = entry.summary().unwrap_or_default();
    [format!("  {}", cell(entry.name())), transport(entry).to_owned(), cell(&summary), said]
}

fn as_json(files: &[File], outcomes: &[Vec<Outcome>]) -> Value {
    let servers = files.iter().zip(outcomes).flat_map(|(file, outcomes)| {
        file.config.entries().iter().zip(outcomes).map(|(entry, outcome)| one_as_json(file, entry, outcome))
    });
    json!({ "servers": servers.collect::<Vec<_>>() })
}

fn one_as_json(file: &File, entry: &ConfigEntry, outcome: &Outcome) -> Value {
    let mut value = json!({
        "client": file.client.map(paths::name),
        "disabled": entry.is_disabled(),
        "file": file.path.display().to_string(),
        "line": entry.line(),
        "name": entry.name(),
        "project": file.project.as_ref().map(|it| it.display().to_string()),
        "target": entry.summary().ok(),
        "transport": transport(entry),
    });
    match outcome {
        Outcome::Disabled | Outcome::Listed => {}
        Outcome::Failed(why) => value["error"] = json!(why),
        Outcome::Works(it) => {
            let counts: Map<String, Value> =
                it.counts.iter().map(|(what, n)| (format!("{what}s"), json!(n))).collect();
            let facts = json!({ "counts": counts, "era": it.era, "name": it.name, "protocolVersion": it.revision, "version": it.version });
            value["server"] = facts;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waits_for_all_at_the_same_time_and_keeps_their_order() {
        let (tell, told) = tokio::sync::oneshot::channel();
        // One after the other, the first future would wait for ever.
        let first: Pin<Box<dyn Future<Output = u8>>> = Box::pin(async { told.await.unwrap_or(0) });
        let second: Pin<Box<dyn Future<Output = u8>>> = Box::pin(async { tell.send(1).map_or(0, |()| 2) });
        assert_eq!(all(vec![first, second]).await, [1, 2]);
        assert_eq!(all(Vec::<std::future::Ready<u8>>::new()).await, [0; 0]);
    }
}
