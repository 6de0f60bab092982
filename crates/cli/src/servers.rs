//! `plainwire servers`: what stands in the configuration files of clients, and whether it works.
//!
//! In: files. Out: a table or JSON on stdout. A file that can't be read, and an entry that is wrong, is no matter for the
//! others. With `--check` each server is asked who it is and what it has, all at the same time, each with its deadline.
//! Nothing is shown of arguments, variables and headers.

use std::future::{Future, poll_fn};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use plainwire::config::{Config, Entry, Transport, Variables};
use plainwire::process::Stderr;
use plainwire::proto::cursor::List;
use plainwire::proto::peer::RequestOptions;
use plainwire::proto::revision::Era;
use plainwire::{Client, Target};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::args::{Known, Servers, Whom};
use crate::exit::{Exit, Failure};
use crate::output::{self, Column};
use crate::places::{self, Scope};
use crate::{keep, target, visible};

/// Servers that are asked at the same time.
const AT_ONCE: usize = 16;

/// How long a server may take to leave, before it is asked by SIGTERM.
const FAREWELL: Duration = Duration::from_secs(1);

/// Characters of a cell.
const MAX_CHARS: usize = 120;

/// A file with what was read.
struct File {
    client: Option<Known>,
    config: Config,
    path: PathBuf,
    /// The project that it is a part for.
    project: Option<PathBuf>,
    scope: Scope,
}

/// What became of an entry.
enum Outcome {
    Disabled,
    Failed(String),
    /// Nobody was asked.
    Listed,
    Works(Facts),
}

/// What a server said of itself.
struct Facts {
    counts: Vec<(&'static str, usize)>,
    era: &'static str,
    name: String,
    revision: &'static str,
    version: String,
}

pub(crate) async fn run(it: Servers) -> Result<Exit, Failure> {
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
        show(&files, &outcomes)?;
    }
    if it.check && files.iter().any(|file| !is_checked(&it, file) && !file.config.entries().is_empty()) {
        let text = "servers of this folder were not started: whoever has made it says which commands run";
        output::words(&format!("{text}\n\nhint: --config FILE checks those of one file\n"));
    }
    Ok(if all_well { Exit::Done } else { Exit::NotContent })
}

/// The files to read: the one that was named, whether it is there or not, or all that are there.
fn paths(it: &Servers) -> Vec<(Option<Known>, Scope, PathBuf)> {
    match &it.config {
        Some(path) => vec![(None, Scope::User, path.clone())],
        None => {
            let there = places::here().into_iter().filter(|it| it.path.is_file());
            there.map(|it| (Some(it.client), it.scope, it.path)).collect()
        }
    }
}

/// What a file of this user keeps for the folder that the command runs in. It was this user who put it there.
fn project(client: Option<Known>, scope: Scope, path: &Path) -> Option<File> {
    let folder = places::project(client?, scope)?;
    // What is wrong with the file has been said.
    let config = Config::read_project(path, &folder).ok().filter(|it| !it.entries().is_empty())?;
    Some(File { client, config, path: path.to_path_buf(), project: Some(folder), scope })
}

/// A folder that came from elsewhere does not get its commands run by listing what is in it.
fn is_checked(it: &Servers, file: &File) -> bool {
    it.check && file.scope == Scope::User
}

async fn outcomes(it: &Servers, files: &[File], variables: &Variables) -> Vec<Vec<Outcome>> {
    let deadline = Duration::from_secs(it.timeout);
    let room = Semaphore::new(AT_ONCE);
    let room = &room;
    let ask = |file: &File, entry: &Entry| -> Pin<Box<dyn Future<Output = Outcome>>> {
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
                let whom = Whom {
                    server: Some(entry.name().to_owned()),
                    config: it.config.clone(),
                    ..Whom::default()
                };
                Box::pin(check(target, whom, deadline))
            }
        }
    };
    let entries = files.iter().flat_map(|file| file.config.entries().iter().map(move |entry| (file, entry)));
    let asked = entries.map(|(file, entry)| {
        let asked = ask(file, entry);
        async move {
            let _place = room.acquire().await;
            asked.await
        }
    });
    let mut outcomes = all(asked.collect()).await.into_iter();
    files.iter().map(|file| outcomes.by_ref().take(file.config.entries().len()).collect()).collect()
}

/// Waits for all of them. There are few, so that each is looked at whenever one has news.
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

async fn check(target: Target, whom: Whom, deadline: Duration) -> Outcome {
    let target = match target {
        // Many at the same time would write over each other.
        Target::Command(program) => program.stderr(Stderr::Keep).grace(FAREWELL).into(),
        other => other,
    };
    let until = Instant::now() + deadline;
    let failed = |failure: Failure| Outcome::Failed(failure.at(&whom).with_login());
    let late =
        || Outcome::Failed(format!("expected an answer within {} s, but found none", deadline.as_secs()));
    let target = match timeout_at(until, keep::with_tokens(target)).await {
        Ok(Ok(target)) => target,
        Ok(Err(failure)) => return failed(failure),
        Err(_) => return late(),
    };
    let options = RequestOptions { idle: deadline, ..RequestOptions::default() };
    // By its own deadline, and not by dropping it: a server that was started is gone before we go on.
    let connecting =
        Client::builder().deadlines(options).connect_deadline(until - Instant::now()).connect(target);
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
            counts.push((what, client.list_raw(list).await?.len()));
        }
    }
    let server = client.hello().server_info.clone().unwrap_or_default();
    let revision = client.revision();
    let era = if revision.era() == Era::Modern { "modern" } else { "legacy" };
    Ok(Facts { counts, era, name: server.name, revision: revision.as_str(), version: server.version })
}

fn transport(entry: &Entry) -> &'static str {
    match entry.transport() {
        Ok(Transport::Http) => "http",
        Ok(Transport::Stdio) => "stdio",
        _ => "?",
    }
}

fn show(files: &[File], outcomes: &[Vec<Outcome>]) -> Result<(), Failure> {
    if files.is_empty() {
        output::words("no configuration file of a client was found\n");
    }
    for (n, (file, outcomes)) in files.iter().zip(outcomes).enumerate() {
        let whose = file.client.map(|it| match &file.project {
            Some(folder) => {
                format!(" ({}, for {})", places::name(it), visible::line(&folder.display().to_string()))
            }
            None => format!(" ({})", places::name(it)),
        });
        let whose = whose.unwrap_or_default();
        let gap = if n == 0 { "" } else { "\n" };
        output::line(&format!("{gap}{}{whose}", visible::line(&file.path.display().to_string())))?;
        let rows: Vec<_> = file.config.entries().iter().zip(outcomes).map(|it| row(it.0, it.1)).collect();
        if rows.is_empty() {
            output::line("  no servers")?;
        }
        output::table(&rows, [Column::Left; 4])?;
    }
    Ok(())
}

fn row(entry: &Entry, outcome: &Outcome) -> [String; 4] {
    let cell = |text: &str| visible::short_line(text, MAX_CHARS);
    let said = match outcome {
        Outcome::Disabled => "disabled".to_owned(),
        Outcome::Failed(why) => format!("error: {}", visible::line(why)),
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

fn one_as_json(file: &File, entry: &Entry, outcome: &Outcome) -> Value {
    let mut value = json!({
        "client": file.client.map(places::name),
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
        // One after the other, the first would wait for ever.
        let first: Pin<Box<dyn Future<Output = u8>>> = Box::pin(async { told.await.unwrap_or(0) });
        let second: Pin<Box<dyn Future<Output = u8>>> = Box::pin(async { tell.send(1).map_or(0, |()| 2) });
        assert_eq!(all(vec![first, second]).await, [1, 2]);
        assert_eq!(all(Vec::<std::future::Ready<u8>>::new()).await, [0; 0]);
    }
}
