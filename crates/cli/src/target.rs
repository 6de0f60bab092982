//! From the words about a server to what a client connects to.
//!
//! In: the command line, the environment, a file with a token, configuration files. Out: a target. Tokens come from the
//! environment or from a file: a command line is for everybody on the machine to see.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use plainwire::Target;
use plainwire::config::{Config, Input, Variables};
use plainwire::process::Stderr;
use plainwire::transport::http_client::Remote;

use crate::args::Whom;
use crate::exit::Failure;
use crate::places::{self, Place, Scope};

/// Returns what the command line names.
pub(crate) fn of(whom: &Whom) -> Result<Target, Failure> {
    let target = match (&whom.url, &whom.server) {
        (Some(url), _) => remote(url, whom)?.into(),
        (_, Some(name)) => entry(name, whom)?,
        _ => command(whom)?.into(),
    };
    Ok(match target {
        // Its stderr is ours: what it says stands above what we say, and is not said twice.
        Target::Command(program) => program.stderr(Stderr::AsTheCommandSays).into(),
        other => other,
    })
}

fn command(whom: &Whom) -> Result<Command, Failure> {
    let mut words = whom.command.iter();
    let program = words.next().ok_or_else(|| Failure::usage("expected a command behind `--`".into()))?;
    let text = program.to_string_lossy();
    if text.starts_with("http://") || text.starts_with("https://") {
        let found = text.split(['?', '#']).next().unwrap_or_default();
        let (scheme, rest) = found.split_once("://").unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        // Who has a password in a URL has it there.
        let found = format!("{scheme}://{}{path}", authority.rsplit('@').next().unwrap_or_default());
        return Err(Failure {
            hint: Some("a URL stands behind `--url`, without `--`".into()),
            ..Failure::usage(format!("expected a command behind `--`, but found {found}"))
        });
    }
    let mut command = Command::new(program);
    command.args(words);
    Ok(command)
}

fn remote(url: &str, whom: &Whom) -> Result<Remote, Failure> {
    let mut remote = Remote::new(url);
    for header in &whom.header {
        let (name, value) = self::header(header)?;
        remote = remote.header(name, value);
    }
    Ok(match token(whom)? {
        Some(token) => remote.bearer_token(token),
        None => remote,
    })
}

/// Splits `Name: value`.
pub(crate) fn header(text: &str) -> Result<(&str, &str), Failure> {
    text.split_once(':').map(|(name, value)| (name.trim(), value.trim())).ok_or_else(|| {
        // Not what stands there: it may well be a secret.
        Failure::usage("expected --header='NAME: VALUE', but found no colon".into())
    })
}

fn token(whom: &Whom) -> Result<Option<String>, Failure> {
    let (token, place) = match (&whom.bearer_env, &whom.token_file) {
        (Some(name), _) => (variable(name).unwrap_or_default(), format!("--bearer-env {name}")),
        (_, Some(path)) => {
            let place = format!("--token-file {}", path.display());
            let text = fs::read_to_string(path);
            (text.map_err(|error| Failure::usage(format!("{place}: {error}")))?, place)
        }
        _ => return Ok(None),
    };
    match token.trim() {
        token if !token.is_empty() && !token.contains(char::is_whitespace) => Ok(Some(token.to_owned())),
        "" => Err(Failure::usage(format!("{place}: expected a token, but found nothing"))),
        _ => Err(Failure::usage(format!("{place}: expected a token and nothing else"))),
    }
}

fn entry(name: &str, whom: &Whom) -> Result<Target, Failure> {
    let config = match &whom.config {
        Some(path) => Config::read(path)?,
        None => find(name)?,
    };
    Ok(config.entry(name)?.target(&variables(&whom.input_env)?)?)
}

/// Looks for the one file of this user that has the server. Those of the folder are left out: whoever has made it would say
/// which command runs.
fn find(name: &str) -> Result<Config, Failure> {
    let mine = places::here().into_iter().filter(|it| it.scope == Scope::User && it.path.exists());
    let mut found: Vec<(PathBuf, Config)> =
        mine.filter_map(|it| configured(name, &it).map(|config| (it.path, config))).collect();
    let files = |found: &[(PathBuf, Config)]| {
        found.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let hint = |text: &str| Some(text.to_owned());
    match &found[..] {
        [_] => Ok(found.remove(0).1),
        [] => Err(Failure {
            hint: hint("`plainwire servers` lists them; --config FILE names another file"),
            ..Failure::usage(format!(
                "expected a server {name:?} in one of your configuration files, but found none"
            ))
        }),
        more => Err(Failure {
            hint: hint("--config FILE says which"),
            ..Failure::usage(format!(
                "expected one server {name:?}, but found one in each of {}",
                files(more)
            ))
        }),
    }
}

/// What a file has under this name: what it keeps for this folder comes before what it has for all of them.
fn configured(name: &str, place: &Place) -> Option<Config> {
    let has = |config: &Config| config.entry(name).is_ok();
    let of_project = || {
        let folder = places::project(place.client, place.scope)?;
        Config::read_project(&place.path, folder).ok().filter(has)
    };
    of_project().or_else(|| Config::read(&place.path).ok().filter(has))
}

/// What stands for variables in configuration files: the environment, and what `--input-env` says.
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
    // A name with `=` or NUL has no value, and asking for it is an error of the program's.
    let legal = !name.is_empty() && !name.contains(['=', '\0']);
    legal.then(|| env::var(name).ok())?
}

/// Whether a program of this name would be found.
pub(crate) fn is_in_path(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    let names = [program.to_owned(), format!("{program}.exe"), format!("{program}.cmd")];
    env::split_paths(&folders).any(|folder| names.iter().any(|name| Path::is_file(&folder.join(name))))
}
