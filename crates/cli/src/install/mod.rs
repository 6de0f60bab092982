//! `plainwire install` and `plainwire uninstall`: write a server into the configuration file of a client, and
//! remove it.
//!
//! In: the command line and the file. Out: the file with the changed entry and no other change, and a backup of
//! the old file; or the difference, with `--dry-run`. [`edit`] changes the text, [`file`] reads and writes,
//! [`difference`] computes the difference.

mod difference;
mod edit;
mod file;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::args::{ClientFile, Install, KnownClient, Uninstall};
use crate::exit::{Exit, Failure};
use crate::paths::{self, Scope};
use crate::{folder_lock, meant, output, quote, slips, target, visible};
use edit::{Edit, EntryPath, Existing, NewEntry};

/// Runs `plainwire install`.
pub(crate) fn run(it: &Install) -> Result<Exit, Failure> {
    let path = path(&it.place)?;
    let wanted = wanted(it)?;
    let name = name(it)?;
    let place = EntryPath { list: list(it.place.client), name: &name };
    let shown_path = visible::line(&path.display().to_string());
    let broken = |why: String| Failure::usage(format!("{shown_path}: {why}"));
    let _held = folder_lock::hold(&path, !it.place.dry_run).map_err(broken)?;
    let before = file::read(&path).map_err(broken)?;
    let text = before.as_deref().unwrap_or_default();
    let other = if place.list == "servers" { "mcpServers" } else { "servers" };
    if edit::names(text, place.list).is_empty() && !edit::names(text, other).is_empty() {
        return Err(Failure {
            hint: Some("choose the client whose file this is, or another file".to_owned()),
            ..Failure::usage(format!(
                "expected a file with `{}`, as {} names its servers, but {shown_path} has `{other}`",
                place.list,
                paths::name(it.place.client)
            ))
        });
    }
    let existing = if it.server.force { Existing::Overwrite } else { Existing::Refuse };
    let after = match edit::edit(text, place, &wanted, existing).map_err(broken)? {
        Edit::Changed(after) => after,
        Edit::Other(keys) => return Err(taken(it, &name, &shown_path, &keys)),
        Edit::Same => {
            output::line(&format!("{name:?} is in {shown_path} already, nothing to change"))?;
            return Ok(Exit::Done);
        }
    };
    let written = format!("wrote {name:?} into {shown_path}");
    write(&it.place, &path, (before.as_deref(), &after), place, &written)?;
    warn(it);
    Ok(Exit::Done)
}

/// Runs `plainwire uninstall`.
pub(crate) fn uninstall(it: &Uninstall) -> Result<Exit, Failure> {
    let path = path(&it.place)?;
    let place = EntryPath { list: list(it.place.client), name: &it.name };
    let shown_path = visible::line(&path.display().to_string());
    let broken = |why: String| Failure::usage(format!("{shown_path}: {why}"));
    let _held = folder_lock::hold(&path, false).map_err(broken)?;
    let before = file::read(&path).map_err(broken)?;
    let (text, name) = (before.as_deref().unwrap_or_default(), visible::short_line(&it.name, 80));
    let Some(after) = edit::remove(text, place).map_err(broken)? else {
        let names = edit::names(text, place.list);
        let hint = match meant::nearest(&it.name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {}?", quote::quoted(near)),
            None => "`plainwire servers` lists the names in the files of clients".to_owned(),
        };
        let found = if before.is_some() { "none" } else { "no such file" };
        return Err(Failure {
            hint: Some(hint),
            ..Failure::usage(format!("expected a server {name:?} in {shown_path}, but found {found}"))
        });
    };
    let written = format!("removed {name:?} from {shown_path}");
    write(&it.place, &path, (before.as_deref(), &after), place, &written)?;
    Ok(Exit::Done)
}

/// Returns the key of the object with all servers in a file of `client`.
fn list(client: KnownClient) -> &'static str {
    if client == KnownClient::Vscode { "servers" } else { "mcpServers" }
}

/// Replaces the text of the file, and prints `written`. With --dry-run, shows the difference instead.
fn write(
    it: &ClientFile,
    path: &Path,
    (before, after): (Option<&str>, &str),
    place: EntryPath<'_>,
    written: &str,
) -> Result<(), Failure> {
    let shown_path = visible::line(&path.display().to_string());
    if it.dry_run {
        output::line(&format!("{shown_path} would change:"))?;
        let lines = difference::difference(before.unwrap_or_default(), after, place);
        return Ok(lines.iter().try_for_each(|it| output::line(it))?);
    }
    let is_private = it.file.is_none() && !it.project;
    let backup = file::replace(path, before, after, is_private);
    let backup = backup.map_err(|why| Failure::usage(format!("{shown_path}: {why}")))?;
    output::line(written)?;
    if let Some(backup) = backup {
        output::line(&format!("the previous file is {}", visible::line(&backup.display().to_string())))?;
    }
    if it.file.is_none() && it.client != KnownClient::Plainwire {
        output::line(&format!(
            "restart {}: it may read the file only when it starts",
            paths::name(it.client)
        ))?;
    }
    Ok(())
}

fn path(it: &ClientFile) -> Result<PathBuf, Failure> {
    if let Some(file) = &it.file {
        let folder = file.parent().filter(|it| !it.as_os_str().is_empty() && !it.is_dir());
        return match folder {
            None => Ok(file.clone()),
            // Probably mistyped: no client would read the file there.
            Some(folder) => Err(Failure::usage(format!(
                "--file {}: expected the folder {} to exist, but found none",
                visible::line(&file.display().to_string()),
                visible::line(&folder.display().to_string())
            ))),
        };
    }
    let scope = if it.project { Scope::Project } else { Scope::User };
    let found =
        paths::config_files().into_iter().find(|place| place.client == it.client && place.scope == scope);
    found.map(|it| it.path).ok_or_else(|| Failure {
        hint: Some("--file FILE names the file".into()),
        ..Failure::usage(match scope {
            Scope::Project => format!("{} has no file for projects", paths::name(it.client)),
            Scope::User => "expected HOME or APPDATA to be set, but found neither".to_owned(),
        })
    })
}

fn taken(it: &Install, name: &str, path: &str, keys: &[String]) -> Failure {
    let keys: Vec<_> = keys.iter().map(|it| format!("`{it}`")).collect();
    Failure {
        hint: Some(format!(
            "--force overwrites it, {} picks another name",
            if it.is_servers_add() { "NAME" } else { "--name NAME" }
        )),
        ..Failure::usage(format!(
            "expected no other server {name:?} in {path}, but found one that differs in {}",
            keys.join(", ")
        ))
    }
}

/// Returns the entry to write, in the format of the client.
fn wanted(it: &Install) -> Result<NewEntry, Failure> {
    let Some(url) = &it.server.url else {
        let command = command(it)?;
        let kind =
            matches!(it.place.client, KnownClient::ClaudeCode | KnownClient::Vscode).then_some("stdio");
        let env = it.server.env.iter().map(|text| variable(text)).collect::<Result<Vec<_>, _>>()?;
        check_once("--env", &env, |one, other| one == other)?;
        return Ok(NewEntry::Command { args: command.1, command: command.0, env, kind });
    };
    if it.place.client == KnownClient::ClaudeDesktop {
        return Err(Failure {
            hint: Some("add the URL in Claude Desktop: Settings, Connectors".into()),
            ..Failure::usage(
                "expected a command for Claude Desktop, whose file has no URLs, but found --url".into(),
            )
        });
    }
    if !url.starts_with("https://") && !url.starts_with("http://") && !url.starts_with("${") {
        // The part before `@` and the query may hold a secret.
        let shown = if url.contains(['?', '@', '#']) { "…" } else { url };
        let is_host = shown == url && !url.is_empty() && !url.contains("://");
        return Err(Failure {
            hint: is_host.then(|| format!("--url {}", quote::quoted(&slips::with_scheme(url)))),
            ..Failure::usage(format!(
                "expected --url with `http://` or `https://`, but found {:?}",
                visible::short_line(shown, 80)
            ))
        });
    }
    target::check_url(url)?;
    let given = it.server.header.iter().map(|text| target::legal_header(text));
    let token = it.server.bearer_env.iter().map(|name| bearer(it.place.client, name));
    let headers = given.chain(token).collect::<Result<Vec<_>, _>>()?;
    check_once("--header", &headers, str::eq_ignore_ascii_case)?;
    Ok(NewEntry::Url {
        headers,
        key: if it.place.client == KnownClient::Windsurf { "serverUrl" } else { "url" },
        kind: matches!(it.place.client, KnownClient::ClaudeCode | KnownClient::Vscode).then_some("http"),
        url: url.clone(),
    })
}

/// Refuses a name that an option gives twice: an entry has room for one value.
fn check_once(
    option: &str,
    given: &[(String, String)],
    is_same: impl Fn(&str, &str) -> bool,
) -> Result<(), Failure> {
    let names = given.iter().map(|(name, _)| name.as_str()).enumerate();
    let twice = names.filter(|(at, name)| given[..*at].iter().any(|it| is_same(&it.0, name)));
    match twice.map(|(_, name)| visible::short_line(name, 80)).next() {
        None => Ok(()),
        Some(name) => Err(Failure::usage(format!("expected {option} {name} once, but found it twice"))),
    }
}

/// Returns the header with the token in the environment variable `name`, in the syntax of the client.
fn bearer(client: KnownClient, name: &str) -> Result<(String, String), Failure> {
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if name.is_empty() || name.starts_with(|it: char| it.is_ascii_digit()) || !is_name {
        // The message does not show the text: it may be the token.
        let text = "expected --bearer-env with the name of an environment variable, but found no such name";
        return Err(Failure {
            hint: Some("`--bearer-env TOKEN`: the client reads the variable when it starts".to_owned()),
            ..Failure::usage(text.to_owned())
        });
    }
    let reference = match client {
        KnownClient::ClaudeCode | KnownClient::ClaudeDesktop | KnownClient::Plainwire => {
            format!("${{{name}}}")
        }
        KnownClient::Cursor | KnownClient::Vscode | KnownClient::Windsurf => format!("${{env:{name}}}"),
    };
    Ok(("Authorization".to_owned(), format!("Bearer {reference}")))
}

fn variable(text: &str) -> Result<(String, String), Failure> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        // The message does not show the text: it may be a secret.
        _ => Err(Failure {
            hint: Some("`--env NAME=VALUE`: the file gets the value too".to_owned()),
            ..Failure::usage("expected --env=NAME=VALUE, but found no name or no `=`".into())
        }),
    }
}

/// Returns the program and its arguments. A client runs the program in another folder, so a relative path is
/// made absolute, except a bare name, which the client finds in PATH, and a path with `${`. With --project it
/// stays relative, since the client runs it in the folder of the project.
fn command(it: &Install) -> Result<(String, Vec<String>), Failure> {
    let text = |word: &std::ffi::OsString| {
        word.to_str()
            .map(ToOwned::to_owned)
            .ok_or_else(|| Failure::usage("expected a command in UTF-8".into()))
    };
    let mut words = it.server.command.iter().map(text);
    let program = words.next().ok_or_else(|| Failure::usage("expected a command after `--`".into()))??;
    if program.is_empty() {
        return Err(Failure::usage("expected a command after `--`, but found an empty word".into()));
    }
    let path = Path::new(&program);
    let program = if path.components().count() > 1
        && path.is_relative()
        && !it.place.project
        && !program.contains("${")
    {
        let path = std::path::absolute(path);
        let path =
            path.map_err(|error| Failure::usage(format!("expected a current folder, but found: {error}")))?;
        path.to_string_lossy().into_owned()
    } else {
        program
    };
    Ok((program, words.collect::<Result<_, _>>()?))
}

/// Programs that start many different servers, so that their names do not identify one.
const LAUNCHERS: [&str; 18] = [
    "bash", "bun", "bunx", "cargo", "deno", "docker", "dotnet", "env", "java", "node", "npm", "npx", "pipx",
    "python", "python3", "sh", "uv", "uvx",
];

/// The maximal number of characters in the name of a server.
const MAX_NAME: usize = 64;

fn name(it: &Install) -> Result<String, Failure> {
    let name = match &it.name {
        Some(name) => name.clone(),
        None => default_name(it)?,
    };
    let legal = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(legal) {
        return Err(Failure::usage(format!(
            "expected {} with 1 to {MAX_NAME} letters, digits, `-`, `_` and `.`, but found {:?}",
            if it.is_servers_add() { "NAME" } else { "--name=NAME" },
            visible::short_line(&name, 80)
        )));
    }
    Ok(name)
}

fn default_name(it: &Install) -> Result<String, Failure> {
    let unclear = |what: &str| {
        Failure::usage(format!(
            "expected --name=NAME, since {what} does not identify the server, but found none"
        ))
    };
    if let Some(url) = &it.server.url {
        return host(url).ok_or_else(|| unclear("the URL"));
    }
    let program =
        it.server.command.first().and_then(|it| Path::new(it).file_stem()?.to_str()).unwrap_or_default();
    if LAUNCHERS.contains(&program) {
        return Err(unclear(&format!("`{program}`")));
    }
    Ok(program.to_owned())
}

/// Returns the host of a URL, if it can be the name of a server; without the user in front of it, which may be a secret.
fn host(url: &str) -> Option<String> {
    let authority = url.split_once("://")?.1.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    Some(host).filter(|it| !it.is_empty() && !it.starts_with('[')).map(ToOwned::to_owned)
}

/// Options of `plainwire install` that few servers have.
const OWN_OPTIONS: [&str; 3] = ["--dry-run", "--force", "--project"];

/// Warns about a program that can't be found, since the client will not find it either, and about files that the client
/// would look for in another folder. This is no error: you can install the program later.
fn warn(it: &Install) {
    let words = it.server.command.iter().skip(1).filter_map(|word| word.to_str());
    let command = if it.is_servers_add() { "servers add" } else { "install" };
    for option in words.filter(|word| OWN_OPTIONS.contains(word)) {
        output::to_stderr(&format!(
            "warning: `{option}` became an argument of the server: the options of `plainwire {command}` go before `--`\n"
        ));
    }
    for word in it.server.command.iter().skip(1).filter_map(|it| it.to_str()) {
        if !it.place.project
            && !word.starts_with('-')
            && Path::new(word).is_relative()
            && Path::new(word).is_file()
        {
            output::to_stderr(&format!(
                "warning: the file {:?} is found only from this folder: write its whole path\n",
                visible::short_line(word, 80)
            ));
        }
    }
    let program = it.server.command.first().and_then(|it| it.to_str()).unwrap_or_default();
    let path = Path::new(program);
    let found = match path.components().count() {
        0 => true,
        1 => target::is_in_path(program),
        _ => path.is_file(),
    };
    let names_package =
        it.server.command.iter().any(|it| it.to_string_lossy().starts_with("--manifest-path"));
    if program == "cargo" && !names_package && !it.place.project {
        output::to_stderr(
            "warning: cargo finds the package only from this folder: add `--manifest-path FILE`\n",
        );
    }
    if !found && !program.contains("${") {
        output::to_stderr(&format!(
            "warning: the program {:?} was not found\n",
            visible::short_line(program, 80)
        ));
    }
}
