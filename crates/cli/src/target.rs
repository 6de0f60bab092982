//! Finds the target of a client command: a command, a URL, or an entry of a configuration file.
//!
//! In: the command line, the environment, a file with a token, configuration files. Out: a target. Tokens
//! come from the environment or from a file, because other users of the machine can see a command line.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use hyper::header::{HeaderName, HeaderValue};
use plainwire::client::Target;
use plainwire::client::config::{Config, ConfigEntry, Input, Variables};
use plainwire::client::http::Remote;
use plainwire::client::process::{Program, Stderr};

use crate::exit::{Failure, ServerChoice};
use crate::paths::{self, ConfigFile, Scope};
use crate::quote::quoted;
use crate::{meant, output, secret_file, slips, visible};

/// Returns the target that the command line names.
pub(crate) fn of(choice: &ServerChoice) -> Result<Target, Failure> {
    let target = match (&choice.url, &choice.server) {
        (Some(url), _) => with_headers(remote(url)?, choice)?.into(),
        (_, Some(name)) => match (entry(name, choice)?, of_http(choice)) {
            (Target::Remote(remote), _) => with_headers(remote, choice)?.into(),
            (_, Some(option)) => return Err(no_url(name, option)),
            (target, None) => target,
        },
        _ if choice.config.is_some() => return Err(unnamed(choice)),
        _ => command(choice)?.into(),
    };
    Ok(match target {
        Target::Command(program) => {
            // What a server writes to its stderr must not get into a question to the user.
            let program = match &choice.server_log {
                None => program.stderr(Stderr::Keep),
                Some(None) => program.stderr_to(output::to_stderr),
                Some(Some(path)) => program.stderr(Stderr::Keep).stderr_file(log_file(path)?),
            };
            let program = if is_cargo(choice) { program.inherit(OF_CARGO) } else { program };
            choice.env.iter().try_fold(program, with_variable)?.into()
        }
        other => other,
    })
}

/// Opens the file of `--server-log=FILE`.
fn log_file(path: &Path) -> Result<File, Failure> {
    let opened = secret_file::create(path, File::options().append(true));
    opened.map_err(|error| Failure::usage(format!("--server-log={}: {error}", path.display())))
}

/// The variables without which `cargo run` builds anew, or finds no compiler. They hold no secrets.
const OF_CARGO: [&str; 4] = ["CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];

/// Returns whether the command of the server is `cargo`, or `plainwire dev` with `cargo`.
fn is_cargo(choice: &ServerChoice) -> bool {
    let is_cargo = |words: &[OsString]| words.first().is_some_and(|program| program == "cargo");
    let is_dev = |words: &[OsString]| {
        let [program, dev, rest @ ..] = words else { return false };
        let server = rest.iter().position(|word| word == "--").map_or(&rest[..0], |at| &rest[at + 1..]);
        dev == "dev" && Path::new(program).file_stem().is_some_and(|it| it == "plainwire") && is_cargo(server)
    };
    is_cargo(&choice.command) || is_dev(&choice.command)
}

/// Adds a variable that `--env=NAME` or `--env=NAME=VALUE` names to the environment of a server.
fn with_variable(program: Program, text: &String) -> Result<Program, Failure> {
    match text.split_once('=') {
        // The message does not show the value: it may be a secret.
        Some(("", _)) => Err(Failure::usage("expected --env=NAME=VALUE, but found no name".to_owned())),
        Some((name, value)) => Ok(program.env(name, value)),
        None if variable(text).is_some() => Ok(program.inherit([text])),
        None => Err(Failure {
            hint: Some("`--env NAME=VALUE` sets a variable that is not set here".to_owned()),
            ..Failure::usage(format!(
                "--env {}: expected the variable to be set, but found nothing",
                visible::line(text)
            ))
        }),
    }
}

fn command(choice: &ServerChoice) -> Result<Command, Failure> {
    let mut words = choice.command.iter();
    let program = words.next().ok_or_else(|| Failure::usage("expected a command after `--`".into()))?;
    let text = program.to_string_lossy();
    if text.is_empty() {
        return Err(Failure::usage("expected a command after `--`, but found an empty word".to_owned()));
    }
    if text.starts_with("http://") || text.starts_with("https://") {
        let found = text.split(['?', '#']).next().unwrap_or_default();
        let (scheme, rest) = found.split_once("://").unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        // The part before `@` may be a password.
        let found = format!("{scheme}://{}{path}", authority.rsplit('@').next().unwrap_or_default());
        return Err(Failure {
            hint: Some("write a URL after `--url`, without `--`".into()),
            ..Failure::usage(format!("expected a command after `--`, but found {found}"))
        });
    }
    let mut command = Command::new(program);
    command.args(words);
    Ok(command)
}

fn remote(url: &str) -> Result<Remote, Failure> {
    if !url.contains("://") {
        // The part before `@` and the query may hold a secret.
        let url = if url.contains(['?', '@', '#']) { "…" } else { url };
        let hint = (!url.is_empty()).then(|| format!("--url {}", slips::with_scheme(url)));
        return Err(Failure {
            hint,
            ..Failure::usage(format!("expected a URL with `http://` or `https://`, but found {url:?}"))
        });
    }
    Ok(Remote::new(url))
}

/// Sets the headers and the token of the command line, in place of those of an entry.
fn with_headers(mut remote: Remote, choice: &ServerChoice) -> Result<Remote, Failure> {
    if choice.allow_unencrypted {
        remote = remote.allow_unencrypted();
    }
    let token = token(choice)?;
    let headers = headers(choice)?;
    let authorized = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("authorization")).count();
    if authorized + usize::from(token.is_some()) > 1 {
        let text = "expected one --header Authorization, --bearer-env or --token-file, but found several";
        return Err(Failure::usage(text.to_owned()));
    }
    for (at, (name, value)) in headers.iter().enumerate() {
        let is_first = !headers[..at].iter().any(|(it, _)| it.eq_ignore_ascii_case(name));
        remote = if is_first { remote.set_header(*name, *value) } else { remote.header(*name, *value) };
    }
    Ok(match token {
        Some(token) => remote.bearer_token(token),
        None => remote,
    })
}

/// Returns an option of the command line that only a server over HTTP has.
fn of_http(choice: &ServerChoice) -> Option<&'static str> {
    match choice {
        it if it.bearer_env.is_some() => Some("--bearer-env"),
        it if it.token_file.is_some() => Some("--token-file"),
        it if !it.header.is_empty() => Some("--header"),
        it if it.allow_unencrypted => Some("--allow-unencrypted"),
        _ => None,
    }
}

/// Returns the error for an option of HTTP beside the entry of a command.
fn no_url(name: &str, option: &str) -> Failure {
    let name = visible::line(name);
    Failure {
        hint: Some(slips::ENV.to_owned()),
        ..Failure::usage(format!("expected {option} with a server over HTTP, but {name:?} is a command"))
    }
}

/// Returns the headers of the command line.
fn headers(choice: &ServerChoice) -> Result<Vec<(&str, &str)>, Failure> {
    choice.header.iter().map(|text| header(text)).collect()
}

/// Splits a header `NAME: VALUE` into name and value.
pub(crate) fn header(text: &str) -> Result<(&str, &str), Failure> {
    text.split_once(':').map(|(name, value)| (name.trim(), value.trim())).ok_or_else(|| {
        // The message does not show the text: it may be a secret.
        Failure::usage("expected --header='NAME: VALUE', but found no colon".into())
    })
}

/// Refuses a URL that no client can use. One with variables is known only to the client.
pub(crate) fn check_url(url: &str) -> Result<(), Failure> {
    if url.contains("${") {
        return Ok(());
    }
    // Its message shows no secret.
    Remote::new(url).url().map(drop).map_err(|error| Failure::usage(error.to_string()))
}

/// Returns the name and the value of a header that is legal in HTTP. The messages do not show the value: it may be a
/// secret.
pub(crate) fn legal_header(text: &str) -> Result<(String, String), Failure> {
    let (name, value) = header(text)?;
    let wrong = match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
        (Ok(_), Ok(_)) => return Ok((name.to_owned(), value.to_owned())),
        (Ok(_), Err(_)) => {
            format!("expected --header {name} with a value on one line, but found a control character")
        }
        (Err(_), _) if name.is_empty() => {
            "expected --header with a name before the colon, but found none".to_owned()
        }
        // The name may be a secret too, as in `Bearer TOKEN:`.
        (Err(_), _) => {
            "expected --header with letters, digits and `-` before the colon, but found another character"
                .to_owned()
        }
    };
    Err(Failure::usage(wrong))
}

fn token(choice: &ServerChoice) -> Result<Option<String>, Failure> {
    let (token, place) = match (&choice.bearer_env, &choice.token_file) {
        (Some(name), _) => match variable(name) {
            Some(token) => (token, format!("--bearer-env {name}")),
            None => return Err(no_token(name)),
        },
        (_, Some(path)) => {
            let place = format!("--token-file {}", path.display());
            let text = secret_file::read(path);
            (text.map_err(|error| Failure::usage(format!("{place}: {error}")))?, place)
        }
        _ => return Ok(None),
    };
    match token.trim() {
        token if !token.is_empty() && !token.contains(char::is_whitespace) => Ok(Some(token.to_owned())),
        "" => Err(Failure::usage(format!("{place}: expected a token, but found nothing"))),
        token if token.starts_with("Bearer ") => {
            Err(Failure::usage(format!("{place}: expected the token without the word `Bearer`")))
        }
        _ => Err(Failure::usage(format!("{place}: expected a token and nothing else"))),
    }
}

/// Returns whether a text looks like the name of a variable, and not like a secret.
pub(crate) fn is_variable(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Returns the error for a variable of --bearer-env that is not set. It shows the name only if it looks like one: a token
/// in its place would be shown too.
fn no_token(name: &str) -> Failure {
    let (text, hint) = match is_variable(name) {
        true => (
            format!("--bearer-env {name}: expected the variable to be set, but found nothing"),
            format!("`export {name}=…` sets it to the token"),
        ),
        false => (
            "--bearer-env: expected the name of an environment variable that is set, but found none"
                .to_owned(),
            "export VARIABLE with the token, and then give its name, as in `--bearer-env VARIABLE`"
                .to_owned(),
        ),
    };
    Failure { hint: Some(hint), ..Failure::usage(text) }
}

fn entry(name: &str, choice: &ServerChoice) -> Result<Target, Failure> {
    let config = match &choice.config {
        Some(path) => Config::read(path)?,
        None => find(name)?,
    };
    let entry = config.entry(name).map_err(|error| {
        let names = config.entries().iter().map(ConfigEntry::name);
        let failure = Failure::from(error);
        match meant::nearest(name, names) {
            None if config.entries().is_empty() => Failure { hint: Some(FORM.to_owned()), ..failure },
            Some(near) => {
                Failure { hint: Some(format!("did you mean --server {}?", quoted(near))), ..failure }
            }
            None => failure,
        }
    })?;
    if entry.is_disabled() {
        output::to_stderr(&format!(
            "warning: the file disables the server {:?}, which starts now\n",
            visible::short_line(name, 80)
        ));
    }
    let mut variables = variables(&choice.input_env)?;
    // What the command line sets needs no variable of the entry.
    for (name, _) in headers(choice)? {
        variables = variables.without_header(name);
    }
    if choice.bearer_env.is_some() || choice.token_file.is_some() {
        variables = variables.without_header("authorization");
    }
    entry.target(&variables).map_err(|error| match (unset(&choice.input_env), Failure::from(error)) {
        (Some(name), failure) if failure.hint.is_some() => {
            Failure { hint: Some(format!("the variable {name} of --input-env is not set")), ..failure }
        }
        (_, failure) => failure,
    })
}

/// Returns a variable of --input-env that is not set.
fn unset(input_env: &[String]) -> Option<&str> {
    let mut names = input_env.iter().filter_map(|text| Some(text.split_once('=')?.1));
    names.find(|name| variable(name).is_none()).map(|name| if is_variable(name) { name } else { "…" })
}

/// The hint for a file without servers.
const FORM: &str =
    r#"such a file has servers by name: {"mcpServers": {"NAME": {"command": "PROGRAM", "args": ["WORD"]}}}"#;

/// Returns the error for --config without --server, with the names of the servers in the file.
fn unnamed(choice: &ServerChoice) -> Failure {
    let Some(path) = &choice.config else { return Failure::usage("expected --server NAME".to_owned()) };
    match Config::read(path) {
        Err(error) => error.into(),
        Ok(config) => {
            let names: Vec<String> =
                config.entries().iter().map(|entry| visible::short_line(entry.name(), 80)).collect();
            let names = if names.is_empty() { "no servers".to_owned() } else { names.join(", ") };
            Failure {
                hint: Some(format!("{} has {names}", visible::line(&path.display().to_string()))),
                ..Failure::usage("expected --server NAME with --config, but found none".to_owned())
            }
        }
    }
}

/// Returns the configuration file of this user that has the entry `name`. Fails if no file or more than one
/// has it. Files of the current folder are ignored: otherwise the author of the folder would choose the
/// command that runs.
fn find(name: &str) -> Result<Config, Failure> {
    let mine = paths::config_files().into_iter().filter(|it| it.scope == Scope::User && it.path.exists());
    let mut found: Vec<(PathBuf, Config)> =
        mine.filter_map(|it| configured(name, &it).map(|config| (it.path, config))).collect();
    let files = |found: &[(PathBuf, Config)]| {
        found.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let hint = |text: &str| Some(text.to_owned());
    match &found[..] {
        [_] => Ok(found.remove(0).1),
        [] => Err(Failure {
            hint: of_folder(name)
                .map(|file| format!("it is in {file}: add `--config {file}`"))
                .or_else(|| Some(format!("did you mean --server {}?", quoted(&near(name)?))))
                .or_else(|| hint("`plainwire servers` lists them; --config FILE names another file")),
            ..Failure::usage(format!(
                "expected a server {name:?} in one of your configuration files, but found none"
            ))
        }),
        more => Err(Failure {
            hint: hint("--config FILE chooses one"),
            ..Failure::usage(format!(
                "expected one server {name:?}, but found one in each of {}",
                files(more)
            ))
        }),
    }
}

/// Returns the configuration file of the current folder that has the entry `name`.
fn of_folder(name: &str) -> Option<String> {
    let files = paths::config_files().into_iter().filter(|it| it.scope == Scope::Project);
    let mut found = files.filter(|it| Config::read(&it.path).is_ok_and(|config| config.entry(name).is_ok()));
    found.next().map(|it| quoted(&it.path.display().to_string()))
}

/// Returns the name of an entry in the user's configuration files that is near to `name`.
fn near(name: &str) -> Option<String> {
    let names = names(|_| true);
    meant::nearest(name, names.iter().map(String::as_str)).map(ToOwned::to_owned)
}

/// Returns the names of the entries in the configuration files of this user that are chosen. Files that can't be read
/// are left out.
pub(crate) fn names(is_chosen: impl Fn(&ConfigFile) -> bool) -> Vec<String> {
    let mine = paths::config_files().into_iter().filter(|it| it.scope == Scope::User && is_chosen(it));
    let read = mine.filter_map(|it| Config::read(&it.path).ok()).collect::<Vec<_>>();
    read.iter().flat_map(|config| config.entries()).map(|entry| entry.name().to_owned()).collect()
}

/// Returns the file's entries for the current folder if `name` is one of them, else its entries for all
/// folders if `name` is one of those. `None` if the file has no such entry or can't be read.
fn configured(name: &str, place: &ConfigFile) -> Option<Config> {
    let has = |config: &Config| config.entry(name).is_ok();
    let of_project = || {
        let folder = paths::project(place.client, place.scope)?;
        Config::read_project(&place.path, folder).ok().filter(has)
    };
    of_project().or_else(|| Config::read(&place.path).ok().filter(has))
}

/// Returns the values for variables in configuration files. `${input:ID}` gets the value of the environment
/// variable that --input-env names for ID; other variables come from the environment directly.
pub(crate) fn variables(input_env: &[String]) -> Result<Variables, Failure> {
    let pair = |text: &String| {
        let (id, name) = text
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("expected --input-env=ID=VARIABLE, but found {text:?}")))?;
        Ok((id.to_owned(), name.to_owned()))
    };
    let answers: Vec<(String, String)> = input_env.iter().map(pair).collect::<Result<_, Failure>>()?;
    let answer = move |input: &Input| {
        let (_, name) = answers.iter().find(|(id, _)| *id == input.id)?;
        variable(name)
    };
    Ok(Variables::new(variable).inputs(answer))
}

pub(crate) fn variable(name: &str) -> Option<String> {
    // A name with `=` or NUL has no value, and `env::var` may panic on it.
    let legal = !name.is_empty() && !name.contains(['=', '\0']);
    legal.then(|| env::var(name).ok())?
}

/// Returns whether a folder of PATH has a file of this name, perhaps with the ending `.exe` or `.cmd`.
pub(crate) fn is_in_path(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    let names = [program.to_owned(), format!("{program}.exe"), format!("{program}.cmd")];
    env::split_paths(&folders).any(|folder| names.iter().any(|name| Path::is_file(&folder.join(name))))
}
