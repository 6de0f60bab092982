//! The commonest slips in a command line, each answered with the line to type.
//!
//! In: an error of the parser, and the words. Out: a failure whose hint is the corrected line; `None` for another
//! error, which clap words itself. The line is only shown, never run.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::Cli;
use crate::exit::Failure;
use crate::meant::nearest;
use crate::quote::quoted;
use crate::target;

/// The subcommands that take a server.
const CLIENTS: [&str; 14] = [
    "call", "describe", "dev", "install", "lint", "list", "login", "ping", "prompt", "read", "schemas",
    "shell", "tokens", "watch",
];

/// The subcommands that begin with the name of an entry.
const NAMES: [&str; 3] = ["call", "describe", "prompt"];

/// Options of other clients that are followed by an argument `key=text`.
const BEFORE_ARGUMENTS: [&str; 5] = ["--arg", "--argument", "--param", "--prompt-args", "--tool-arg"];

/// Options that people guess in order to send a token.
const TOKENS: [&str; 7] =
    ["--api-key", "--auth", "--authorization", "--bearer", "--bearer-token", "--key", "--token"];

/// Returns the failure for a slip that is known. `words` is the command line, without the program.
pub(crate) fn known(error: &clap::Error, words: &[String]) -> Option<Failure> {
    if words.len() > 1 && words[0] == "--" {
        let line = words.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" ");
        return Some(Failure {
            hint: Some(format!("plainwire list {line}")),
            ..Failure::usage("expected a command of `plainwire` before `--`, but found none".to_owned())
        });
    }
    if let Some(failure) = no_value(error, words) {
        return Some(failure);
    }
    let unknown = unknown_command(error, words).or_else(|| unknown_help(error, words));
    if let Some(failure) = unknown.or_else(|| unknown_of_servers(error, words)) {
        return Some(failure);
    }
    let command = match words {
        [first, second, ..] if first == "servers" && second == "add" => "servers add",
        [first, ..] if CLIENTS.contains(&first.as_str()) => first.as_str(),
        _ => return None,
    };
    let end = words.iter().position(|it| it == "--").unwrap_or(words.len());
    let own = &words[..end];
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (at, fixed) = match (error.kind(), context(ContextKind::InvalidArg)) {
        // An entry of a file has no option for the token itself, which would be written into it.
        (ErrorKind::UnknownArgument, Some(option))
            if ["install", "servers add"].contains(&command)
                && (option == "--token-file" || TOKENS.contains(&option)) =>
        {
            return Some(Failure {
                hint: Some("`--bearer-env VARIABLE` names the variable with the token".to_owned()),
                ..Failure::usage(format!("expected an option of `plainwire {command}`, but found {option:?}"))
            });
        }
        // A guess at how to send a token. The token is not repeated.
        (ErrorKind::UnknownArgument, Some(option)) if TOKENS.contains(&option) => {
            return Some(Failure {
                hint: Some("`--bearer-env VARIABLE` and `--token-file FILE` send a token".to_owned()),
                ..Failure::usage(format!("expected an option of `plainwire {command}`, but found {option:?}"))
            });
        }
        // For a mistyped option, clap names the right one. Its guess may also be far off.
        (ErrorKind::UnknownArgument, Some(option))
            if context(ContextKind::SuggestedArg).is_some_and(|near| is_near(option, near)) =>
        {
            // Without clap's own tip to write the option after `--`, where the command of the server stands.
            let near = context(ContextKind::SuggestedArg).unwrap_or_default();
            return Some(Failure {
                hint: Some(format!("did you mean {near}?")),
                ..Failure::usage(format!("expected an option of `plainwire {command}`, but found {option:?}"))
            });
        }
        (ErrorKind::UnknownArgument, Some(option))
            if option.starts_with('-') && !option.starts_with("--") =>
        {
            let word = own.iter().find(|word| word.starts_with(option) && !word.starts_with("--"))?;
            let hint = match word.trim_start_matches('-') {
                given if given.contains('=') && ["call", "prompt"].contains(&command) => {
                    format!("an argument has no `-`: {}", quoted(given))
                }
                _ => format!("`plainwire {command} --help` lists the options"),
            };
            return Some(Failure {
                hint: Some(hint),
                ..Failure::usage(format!("expected an option of `plainwire {command}`, but found {word:?}"))
            });
        }
        (ErrorKind::UnknownArgument, Some(option)) if option.starts_with("--") => {
            if !["call", "prompt"].contains(&command) {
                return Some(Failure {
                    hint: Some(format!("`plainwire {command} --help` lists them")),
                    ..Failure::usage(format!(
                        "expected an option of `plainwire {command}`, but found {option:?}"
                    ))
                });
            }
            if option == "--out" && command == "prompt" {
                return Some(Failure {
                    hint: Some("`>` writes the output into a file".to_owned()),
                    ..Failure::usage(
                        "expected an option of `plainwire prompt`, but found \"--out\"".to_owned(),
                    )
                });
            }
            as_word(own, option)?
        }
        (ErrorKind::ArgumentConflict, Some(option)) if end < words.len() && is_of_url(option) => {
            let name = option.split(' ').next().unwrap_or_default();
            return Some(Failure {
                hint: Some(ENV.to_owned()),
                ..Failure::usage(format!("expected {name} with a server over HTTP, but found a command"))
            });
        }
        (ErrorKind::UnknownArgument, Some(word)) => {
            let at = own.iter().position(|it| it == word)?;
            if let Some(option) = own.get(at.wrapping_sub(1)).filter(|it| WITH_FILE.contains(&it.as_str())) {
                return Some(Failure {
                    hint: Some(format!("{option}={}", quoted(word))),
                    ..Failure::usage(format!(
                        "expected {option} and its file in one word, but found {word:?}"
                    ))
                });
            }
            if let Some(failure) = beside_a_server(command, word, end < words.len()) {
                return Some(failure);
            }
            // The word after the name can only be the command of the server.
            let is_command = command == "servers add" && !own[at].contains('=');
            (at, as_server(&own[at]).or_else(|| is_command.then(|| after_dashes(&own[at])))?)
        }
        (ErrorKind::MissingRequiredArgument, _) if command == "watch" && misses(error, "<URI>") => {
            return Some(Failure {
                hint: Some("`--lists` watches the lists of tools, resources and prompts".to_owned()),
                ..Failure::usage("expected the URI of a resource, but found none".to_owned())
            });
        }
        // A variable that is empty leaves nothing behind `--`.
        (ErrorKind::MissingRequiredArgument, _) if end + 1 == words.len() => {
            return no_server(command, error);
        }
        (ErrorKind::MissingRequiredArgument, _) if end == words.len() => {
            // The name of a server may also be that of a program.
            let first = if command == "servers add" { 3 } else { 1 };
            let mut servers = (first..own.len()).filter(|&at| is_server(&own[at]) && !is_value(own, at));
            let found = match (servers.next(), servers.next()) {
                // The name of a tool may be that of a program, too.
                (Some(1), Some(later)) if NAMES.contains(&command) => Some(later),
                (first, _) => first,
            };
            let Some(at) = found else { return no_server(command, error) };
            (at, as_server(&own[at])?)
        }
        _ => return None,
    };
    let found = &own[at];
    let line = own[..at]
        .iter()
        .map(|it| quoted(it))
        .chain([fixed.text])
        .chain(words[at + 1 + fixed.eaten..].iter().map(|it| quoted(it)));
    let line = line.collect::<Vec<_>>().join(" ");
    Some(Failure {
        hint: Some(format!("plainwire {line}")),
        ..Failure::usage(format!("expected {}, but found {found:?}", fixed.expected))
    })
}

/// The options that a file may follow after `=`.
const WITH_FILE: [&str; 2] = ["--server-log", "--trace"];

/// Returns the failure for a word that is a name: that of a saved server, or a name beside the command of a server.
fn beside_a_server(command: &str, word: &str, has_server: bool) -> Option<Failure> {
    let hint = match command {
        _ if !has_server && target::names(|_| true).iter().any(|it| it == word) => {
            format!("--server {} names a server of your configuration files", quoted(word))
        }
        "install" if !word.contains(['/', '.', '=']) => format!("--name {} is the name", quoted(word)),
        "describe" if has_server => {
            "one tool at a time; `plainwire list --long` shows all of them".to_owned()
        }
        "read" if has_server => "one URI at a time".to_owned(),
        _ if has_server => format!("the server follows `--` already: leave out {}", quoted(word)),
        _ => return None,
    };
    Some(Failure { hint: Some(hint), ..Failure::usage(format!("expected an option, but found {word:?}")) })
}

/// The hint for an option of HTTP beside a command.
pub(crate) const ENV: &str =
    "leave it out: it is for a server over HTTP; `--env` gives variables to a command";

fn is_of_url(option: &str) -> bool {
    ["--bearer-env", "--header", "--token-file"].iter().any(|it| option.starts_with(it))
}

/// Returns the failure for a command without its only word, which is one of a few.
fn no_value(error: &clap::Error, words: &[String]) -> Option<Failure> {
    let [name] = words else { return None };
    if error.kind() != ErrorKind::MissingRequiredArgument || !["completion", "serve"].contains(&name.as_str())
    {
        return None;
    }
    let command = Cli::command();
    let values = command.find_subcommand(name)?.get_positionals().next()?.get_possible_values();
    let lines: Vec<String> =
        values.iter().map(|it| format!("`plainwire {name} {}`", it.get_name())).collect();
    let what = if name == "serve" { "a built-in server" } else { "a shell" };
    Some(Failure {
        hint: Some(lines.join(", ")),
        ..Failure::usage(format!("expected the name of {what}, but found none"))
    })
}

/// The first words that people know from other commands, and what they are here.
const ELSEWHERE: [(&str, &str); 9] = [
    ("auth", "login"),
    ("create", "new"),
    ("init", "new"),
    ("inspect", "shell"),
    ("prompts", "list"),
    ("resources", "list"),
    ("templates", "list"),
    ("tools", "list"),
    ("version", "--version"),
];

/// Returns the failure for the name of a tool in place of a command, before `--`.
fn unknown_command(error: &clap::Error, words: &[String]) -> Option<Failure> {
    let [first, ..] = words else { return None };
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some((_, here)) = ELSEWHERE.iter().find(|(name, _)| name == first)
    {
        return Some(Failure {
            hint: Some(format!("plainwire {here}")),
            ..Failure::usage(format!("expected a command of `plainwire`, but found {first:?}"))
        });
    }
    let is_near = error.get(ContextKind::SuggestedSubcommand).is_some();
    let has_argument = words.get(1).is_some_and(|word| word.contains('=') && !word.starts_with('-'));
    let is_unknown = error.kind() == ErrorKind::InvalidSubcommand && (!is_near || has_argument);
    if !is_unknown || !words.contains(&"--".to_owned()) {
        return None;
    }
    let line: Vec<String> = words.iter().map(|it| quoted(it)).collect();
    Some(Failure {
        hint: Some(format!("a tool is called by: plainwire call {}", line.join(" "))),
        ..Failure::usage(format!("expected a command of `plainwire`, but found {first:?}"))
    })
}

/// Returns the failure for a subcommand of `servers` that others have: the command itself lists them.
fn unknown_of_servers(error: &clap::Error, words: &[String]) -> Option<Failure> {
    let [servers, name, ..] = words else { return None };
    let is_unknown = matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument);
    if servers != "servers" || !is_unknown {
        return None;
    }
    let line = match name.as_str() {
        "list" | "ls" => "plainwire servers",
        "check" | "test" => "plainwire servers --check",
        "delete" | "rm" => "plainwire servers remove NAME",
        _ => return None,
    };
    let text = format!("expected a command of `plainwire servers`, but found {name:?}");
    Some(Failure { hint: Some(line.to_owned()), ..Failure::usage(text) })
}

/// Returns the failure for `plainwire help lst`. For `plainwire lst`, clap itself names the commands that are near.
fn unknown_help(error: &clap::Error, words: &[String]) -> Option<Failure> {
    let [help, name, ..] = words else { return None };
    if error.kind() != ErrorKind::InvalidSubcommand || help != "help" {
        return None;
    }
    let command = Cli::command();
    let near = nearest(name, command.get_subcommands().map(clap::Command::get_name));
    Some(Failure {
        hint: Some(near.map_or_else(
            || "`plainwire help` lists the commands".to_owned(),
            |near| format!("plainwire help {near}"),
        )),
        ..Failure::usage(format!("expected a command of `plainwire`, but found {name:?}"))
    })
}

/// Returns the failure of a command that lacks only its server; `None` if something else is missing too.
fn no_server(command: &str, error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return None };
    if command == "servers add" {
        let hint = Some("plainwire servers add NAME -- COMMAND".to_owned());
        return Some(Failure {
            hint,
            ..Failure::usage("expected the name and the command of a server".to_owned())
        });
    }
    let of_other = match command {
        "install" => Some("plainwire install CLIENT -- COMMAND; `--url URL` in place of `-- COMMAND`"),
        "login" => Some("plainwire login --url URL; `--server NAME` for one of a configuration file"),
        _ => None,
    };
    if let Some(hint) = of_other
        && let [only] = &missing[..]
        && (only.starts_with("<COMMAND>") || only.starts_with("--url"))
    {
        return Some(Failure {
            hint: Some(hint.to_owned()),
            ..Failure::usage("expected a server, but found none".to_owned())
        });
    }
    if let [name, server] = &missing[..]
        && ["<NAME>", "<URI>"].contains(&name.as_str())
        && server.starts_with("<COMMAND>")
    {
        let what = if name == "<URI>" { "the URI of a resource" } else { "a name" };
        let name = name.trim_matches(['<', '>']);
        return Some(Failure {
            hint: Some(format!(
                "plainwire {command} {name} -- COMMAND; `--url URL` or `--server NAME` in place of `-- COMMAND`"
            )),
            ..Failure::usage(format!("expected {what} and a server, but found neither"))
        });
    }
    if !matches!(&missing[..], [only] if only.starts_with("<COMMAND>"))
        || ["dev", "install", "login"].contains(&command)
    {
        return None;
    }
    Some(Failure {
        hint: Some(format!(
            "name the server by `plainwire {command} … -- COMMAND`, `--url URL` or `--server NAME`"
        )),
        ..Failure::usage("expected a server, but found none".to_owned())
    })
}

/// Returns whether a required argument is missing, by its name in the help.
fn misses(error: &clap::Error, name: &str) -> bool {
    let missing = error.get(ContextKind::InvalidArg);
    matches!(missing, Some(ContextValue::Strings(all)) if all.iter().any(|it| it.starts_with(name)))
}

/// Returns whether an option was probably mistyped for another one.
fn is_near(option: &str, other: &str) -> bool {
    nearest(option.trim_start_matches('-'), [other.trim_start_matches('-')]).is_some()
}

/// A correction: the text in place of a word.
struct Fixed {
    /// The number of following words that the text contains as well.
    eaten: usize,
    expected: &'static str,
    text: String,
}

/// Corrects `--query x`, which was meant as an argument of a tool.
fn as_word(own: &[String], option: &str) -> Option<(usize, Fixed)> {
    let at = own.iter().position(|it| it == option || it.starts_with(&format!("{option}=")))?;
    let expected = "an argument as `key=text`";
    let name = option.trim_start_matches('-');
    if BEFORE_ARGUMENTS.contains(&option)
        && let Some(word) = own.get(at + 1).filter(|it| it.contains('='))
    {
        return Some((at, Fixed { eaten: 1, expected, text: quoted(word) }));
    }
    Some(match own[at].split_once('=') {
        Some((_, value)) => (at, Fixed { eaten: 0, expected, text: quoted(&format!("{name}={value}")) }),
        None => match own.get(at + 1).filter(|it| !it.starts_with('-') && !it.contains('=')) {
            Some(value) => (at, Fixed { eaten: 1, expected, text: quoted(&format!("{name}={value}")) }),
            None => (at, Fixed { eaten: 0, expected, text: format!("{name}=true") }),
        },
    })
}

/// Corrects a server that is written without `--url` or `--`.
fn as_server(word: &str) -> Option<Fixed> {
    if is_url(word) {
        let text = format!("--url {}", quoted(&with_scheme(word)));
        return Some(Fixed { eaten: 0, expected: "a URL after `--url`", text });
    }
    is_server(word).then(|| after_dashes(word))
}

fn after_dashes(word: &str) -> Fixed {
    Fixed { eaten: 0, expected: "the command of a server after `--`", text: format!("-- {}", quoted(word)) }
}

/// Returns whether a word is the value of the option before it, as in `--trace ./file`.
fn is_value(own: &[String], at: usize) -> bool {
    own[at - 1].starts_with("--") && !own[at - 1].contains('=')
}

fn is_server(word: &str) -> bool {
    let is_path = word.starts_with(['/', '.', '~']) || word.contains('\\');
    !word.contains('=') && !word.starts_with('-') && (is_url(word) || is_path || target::is_in_path(word))
}

/// Returns whether a word is a URL, perhaps without its scheme: `localhost:8000/mcp`.
pub(crate) fn is_url(word: &str) -> bool {
    let authority = word.split('/').next().unwrap_or_default();
    let port = authority.rsplit_once(':').is_some_and(|(host, port)| {
        host.len() > 1 && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    word.starts_with("http://") || word.starts_with("https://") || port
}

/// Returns the URL with `http://`, if it has no scheme, and with both slashes behind `http:` and `https:`.
pub(crate) fn with_scheme(url: &str) -> String {
    if url.contains("://") {
        return url.to_owned();
    }
    let after = |scheme| Some((scheme, url.strip_prefix(scheme)?.strip_prefix(':')?));
    let (scheme, rest) = after("http").or_else(|| after("https")).unwrap_or(("http", url));
    format!("{scheme}://{}", rest.trim_start_matches('/'))
}

#[cfg(test)]
mod tests;
