//! Exit codes, and failures with a message and a hint.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use plainwire::proto::error::ErrorKind;
use plainwire_oauth::AuthFault;

use crate::elicit::page;
use crate::visible;

/// The outcome of the command, and its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: the command succeeded.
    Done,
    /// 1: the tool was called and failed.
    ToolFailed,
    /// 1: a check failed: `tokens`, `lint` or `servers` reported a problem, or a conversion lost content or
    /// has an invalid result.
    CheckFailed,
    /// 2: the command line, or a file that it names, is wrong.
    Usage,
    /// 3: the server could not be started, or the server or its authorization server could not be reached or
    /// gave no usable answer. Also if stdout can't be written, stored tokens can't be read, or the async
    /// runtime can't be started.
    Unreachable,
    /// 4: the server, or its authorization server, answered with an error or refuses the request.
    Refused,
    /// 130: the user pressed Ctrl-C, and the request was cancelled.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::ToolFailed | Exit::CheckFailed => 1,
            Exit::Usage => 2,
            Exit::Unreachable => 3,
            Exit::Refused => 4,
            // As shells report a program that SIGINT has ended: 128 and the number of the signal.
            Exit::Interrupted => 130,
        })
    }
}

/// The server of a client command: a command, a URL, or an entry of a configuration file.
// Defined here and not in `args`, which depends on this module: failures name the server in their hints.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ServerChoice {
    /// The server at URL, over HTTP.
    #[arg(long, value_name = "URL", conflicts_with_all = ["server", "command"], value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
    /// Send a header with each request to a server over HTTP; can be given more than once. For tokens, use --bearer-env
    /// or --token-file.
    #[arg(long, value_name = "NAME: VALUE", conflicts_with = "command")]
    pub(crate) header: Vec<String>,
    /// Send the token in the environment variable VARIABLE, as `Authorization: Bearer`.
    #[arg(long, value_name = "VARIABLE", conflicts_with_all = ["command", "token_file"])]
    pub(crate) bearer_env: Option<String>,
    /// Send the token in FILE, as `Authorization: Bearer`.
    #[arg(long, value_name = "FILE", conflicts_with = "command", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// Send tokens and other secrets even if the URL is another machine's and begins with http, so that everybody on the
    /// way can read them.
    #[arg(long, conflicts_with = "command")]
    pub(crate) allow_unencrypted: bool,
    /// The entry NAME of a configuration file; without --config, of one of your own files that `plainwire servers` lists.
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub(crate) server: Option<String>,
    /// The configuration file of --server, with `mcpServers` as in most clients, or `servers` as in VS Code.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "command"], value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Answer `${input:ID}` in the configuration file with the environment variable VARIABLE; can be given more than once.
    // clap does not enforce `requires` if an argument is present that conflicts with the required one: that is why the
    // conflicts are listed too.
    #[arg(long, value_name = "ID=VARIABLE", requires = "server", conflicts_with_all = ["url", "command"])]
    pub(crate) input_env: Vec<String>,
    /// Give the server the environment variable NAME, with VALUE or else with its value here; can be given more than
    /// once. Without it, a server gets PATH, HOME and a few others, and those that a configuration file names.
    #[arg(long, value_name = "NAME[=VALUE]", conflicts_with = "url")]
    pub(crate) env: Vec<String>,
    /// Show what the server writes to its stderr, or write it to FILE. Without it, only its last lines are shown, if it
    /// fails.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "url", value_hint = ValueHint::FilePath)]
    pub(crate) server_log: Option<Option<PathBuf>>,
    /// The server: a command that speaks MCP on its stdin and stdout.
    #[arg(last = true, required_unless_present_any = ["config", "url", "server"], value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// An error that ends the command: the message and the hint for stderr, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) hint: Option<String>,
    pub(crate) text: String,
}

impl Failure {
    /// Returns an error in the command line.
    pub(crate) fn usage(text: String) -> Self {
        Self { exit: Exit::Usage, hint: None, text }
    }

    /// Returns an error for a check that failed.
    pub(crate) fn check_failed(text: String, hint: &str) -> Self {
        Self { exit: Exit::CheckFailed, hint: Some(hint.into()), text }
    }

    /// Returns an error for a server that can't or won't do what was requested.
    pub(crate) fn refused(text: String) -> Self {
        Self { exit: Exit::Refused, hint: None, text }
    }

    /// Returns an error with the exit code of [`Exit::Unreachable`] and the hint to trace the frames.
    pub(crate) fn unreachable(text: &str) -> Self {
        Self { exit: Exit::Unreachable, hint: Some(TRACE.into()), text: text.to_owned() }
    }

    /// Returns the error for a server that does not answer within `seconds`.
    pub(crate) fn too_late(seconds: u64) -> Self {
        let text = format!("expected an answer within {seconds} s, but found none");
        Self { hint: Some(SILENT.into()), ..Self::unreachable(&text) }
    }

    /// Returns the error for Ctrl-C.
    pub(crate) fn interrupted() -> Self {
        Self { exit: Exit::Interrupted, hint: None, text: "cancelled".to_owned() }
    }

    /// Fits the failure to this server: leaves out the last words of a server whose stderr was shown, names the token that
    /// was refused, or completes the `plainwire login` command, and leaves out the option for the stderr of a process if
    /// the server is reached by its URL.
    pub(crate) fn with_server(mut self, choice: &ServerChoice) -> Self {
        if choice.server_log == Some(None)
            && let Some(at) = self.text.find("; its last words on stderr:")
        {
            // They were shown when they came.
            self.text.truncate(at);
        }
        if choice.server_log.is_some() {
            self.hint.take_if(|hint| hint == LOG);
        }
        self.hint = self.hint.map(|hint| match hint.as_str() {
            LOGIN | TOKEN if has_no_scheme(choice) => NO_SCHEME.to_owned(),
            LOGIN | TOKEN => match (&choice.bearer_env, &choice.token_file) {
                (Some(variable), _) => format!("check the token in the variable {variable}"),
                (_, Some(file)) => {
                    format!("check the token in {}", visible::line(&file.display().to_string()))
                }
                _ => hint.replace("plainwire login", &login(choice)),
            },
            LOG if choice.url.is_some() => TRACE.to_owned(),
            SILENT if choice.url.is_some() => SILENT_HTTP.to_owned(),
            _ => hint,
        });
        self
    }

    /// Returns whether stdout can't be written any more.
    pub(crate) fn is_of_stdout(&self) -> bool {
        self.exit == Exit::Done || self.text.starts_with(NOT_WRITTEN)
    }

    /// Returns the message. If the hint is to sign in, it follows after `;`.
    pub(crate) fn text_with_login_hint(self) -> String {
        match self.hint {
            Some(hint) if hint.contains("plainwire login") => format!("{}; {hint}", self.text),
            _ => self.text,
        }
    }

    /// Returns an error for an async runtime that could not be started.
    pub(crate) fn runtime(error: io::Error) -> Self {
        Self {
            exit: Exit::Unreachable,
            hint: None,
            text: format!("starting the async runtime failed: {error}"),
        }
    }
}

impl From<plainwire::Error> for Failure {
    fn from(error: plainwire::Error) -> Self {
        let source =
            std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
        let (exit, hint) = match &error {
            plainwire::Error::Rpc(answer) if answer.received_code().is_some() => {
                // The words of this client about a request that a server must not make.
                let hint = match answer.message() {
                    it if it.starts_with("expected a method of this client") => Some(ECHO),
                    // The words of a server of Plainwire.
                    it if it.starts_with("expected `requestState` as this server sent it") => Some(RESTARTED),
                    it if it.starts_with("expected the path /") => Some(PATH),
                    _ => None,
                };
                (Exit::Refused, hint)
            }
            plainwire::Error::Http { status: 403, message, .. } if message.contains("expected `host`") => {
                (Exit::Refused, Some(HOST))
            }
            plainwire::Error::Http { status: 401 | 403, challenge, .. } => {
                let offers_oauth = challenge.as_ref().is_some_and(|it| it.contains("resource_metadata"));
                (Exit::Refused, Some(if offers_oauth { LOGIN } else { TOKEN }))
            }
            plainwire::Error::Auth { fault, .. } => match fault {
                AuthFault::LoginNeeded => (Exit::Refused, Some(LOGIN)),
                AuthFault::Settings => (Exit::Usage, None),
                AuthFault::Store => (Exit::Unreachable, Some(STORE)),
                AuthFault::Unreachable => (Exit::Unreachable, None),
                _ => (Exit::Refused, None),
            },
            plainwire::Error::Http { status: 404 | 405, .. } => (Exit::Refused, Some(PATH)),
            // The server says itself when it is ready.
            plainwire::Error::Http { status: 503, .. } => (Exit::Refused, None),
            plainwire::Error::Http { message, .. } if message.to_lowercase().contains("<!doctype html") => {
                (Exit::Refused, Some(PAGE))
            }
            plainwire::Error::Http { .. } => (Exit::Refused, Some(TRACE)),
            plainwire::Error::Target { message } if message.contains("expected an answer to the input") => {
                (Exit::Usage, Some("`--input-env ID=VARIABLE` answers an input with an environment variable"))
            }
            plainwire::Error::Target { .. } => (Exit::Usage, None),
            plainwire::Error::Unreachable { why, .. } if why.contains("certificate") => {
                (Exit::Unreachable, Some(CERTIFICATE))
            }
            plainwire::Error::Unreachable { .. } => {
                (Exit::Unreachable, Some("check the URL, and whether the server runs"))
            }
            plainwire::Error::Io { .. } => (Exit::Unreachable, Some("check the command after `--`")),
            plainwire::Error::Rpc(other) if other.message().contains("the server to speak one of") => {
                (Exit::Unreachable, Some(REVISION))
            }
            plainwire::Error::Closed { why } if why.contains("invalid HTTP version") => {
                (Exit::Unreachable, Some("the server may speak https: write `https://` in the URL"))
            }
            plainwire::Error::Closed { why } => (Exit::Unreachable, Some(of_end(why))),
            plainwire::Error::OutcomeUnknown { .. } => (Exit::Unreachable, Some(LOG)),
            plainwire::Error::Deadline { .. } => (Exit::Unreachable, Some(SILENT)),
            plainwire::Error::Unanswered { why, .. } if why.message().contains("has no model") => {
                (Exit::Unreachable, Some(NO_MODEL))
            }
            plainwire::Error::Rpc(lacks) if lacks.message().contains("to declare `logging`") => {
                (Exit::Refused, Some(LOG))
            }
            // Known without a request, from what the server declares.
            plainwire::Error::Rpc(lacks) if *lacks.kind() == ErrorKind::MethodNotFound => {
                (Exit::Refused, None)
            }
            plainwire::Error::Rpc(late) if late.message().contains(" within ") => {
                (Exit::Unreachable, Some(if serves_http(late.message()) { HTTP } else { SILENT }))
            }
            _ => (Exit::Unreachable, Some(TRACE)),
        };
        let page = match &error {
            plainwire::Error::Rpc(answer) if *answer.kind() == ErrorKind::UrlElicitationRequired => {
                pages(answer.data())
            }
            _ => None,
        };
        let text = format!("{error}{source}");
        // The server's own hint goes before one of this command.
        let (text, own) = match &error {
            plainwire::Error::Rpc(answer) => match answer.message().split_once("\n\nhint: ") {
                Some((_, own)) => (text.replacen(&format!("\n\nhint: {own}"), "", 1), Some(own.to_owned())),
                None => (text, None),
            },
            _ => (text, None),
        };
        Self { exit, hint: page.or(own).or(hint.map(Into::into)), text }
    }
}

/// Returns the hint to open the pages that `data` names.
fn pages(data: Option<&str>) -> Option<String> {
    let data: serde_json::Value = serde_json::from_str(data?).ok()?;
    let urls = data["elicitations"].as_array()?.iter().filter_map(|it| it["url"].as_str());
    // Of a URL that is cut off, nobody can see where it leads.
    let urls = urls.filter(|url| url.len() <= MAX_URL);
    let pages: Vec<String> = urls.take(MAX_PAGES).map(page::in_one_line).collect();
    (!pages.is_empty())
        .then(|| format!("the server asks you to open {}, and then to call again", pages.join(", ")))
}

/// The maximal number of pages in a hint.
const MAX_PAGES: usize = 5;

/// The maximal number of bytes of a URL in a hint.
const MAX_URL: usize = 2_000;

/// Returns the `plainwire login` command for the server of `choice`. A URL that may contain a secret becomes
/// `…`, for the user to complete.
fn login(choice: &ServerChoice) -> String {
    let name = match (&choice.url, &choice.server) {
        (Some(url), _) if url.contains(['?', '@', '#']) => "--url …".to_owned(),
        (Some(url), _) => format!("--url {}", visible::line(url)),
        (_, Some(name)) => {
            let config = choice.config.as_ref().map(|it| format!("--config {} ", it.display()));
            visible::line(&format!("{}--server {name}", config.unwrap_or_default()))
        }
        _ => return "plainwire login".to_owned(),
    };
    format!("plainwire login {name}")
}

/// Returns the hint for the end of a connection, from what is known about it.
fn of_end(why: &str) -> &'static str {
    match () {
        () if serves_http(why) => HTTP,
        () if why.contains("which is not a message") => STDOUT,
        () => LOG,
    }
}

/// Returns whether the last words of a server say that it serves HTTP.
fn serves_http(text: &str) -> bool {
    let words = text.split_once("last words on stderr").map_or("", |(_, words)| words).to_lowercase();
    words.contains("http://") || words.contains("https://")
}

const TRACE: &str = "`--trace` shows every frame";

/// The hint for a server that does not answer in time.
const SILENT: &str = "`--timeout SECONDS` waits longer; `--trace` shows every frame, `--server-log` what the server writes \
                      to its stderr";

/// The hint for a server behind a URL that does not answer in time.
const SILENT_HTTP: &str = "`--timeout SECONDS` waits longer; `--trace` shows every frame";

/// The hint for a server that is started as if it spoke on stdin and stdout, and serves HTTP.
const HTTP: &str = "the server seems to serve HTTP: `--url URL` connects to it";

/// The hint for a server that writes text to stdout.
pub(crate) const STDOUT: &str =
    "stdout is for messages of the protocol only: the log of a server belongs on stderr";

/// The hint for a program that ended before it said anything.
pub(crate) const NO_WORDS: &str =
    "the program wrote nothing to its stderr; does it speak MCP on its stdin and stdout?";

/// The hint for a server that ended.
pub(crate) const LOG: &str = "`--server-log` shows what the server writes to its stderr";

/// The hint for a server that has none of the revisions that the command line allows.
pub(crate) const REVISION: &str =
    "without `--revision` and `--era`, the command speaks every revision that it knows";

/// The hint for a URL that is not that of a server.
const PATH: &str = "check the path of the URL: most servers have `/mcp`, old ones `/sse`";

/// The hint for an answer to a question of a server that does not know the question any more.
const RESTARTED: &str = "the server has probably been restarted since it asked: call again";

/// The hint for a certificate that is not trusted.
const CERTIFICATE: &str = "`SSL_CERT_FILE=FILE` in the environment trusts the certificates in FILE (PEM); a self-signed one \
                           also needs `basicConstraints=CA:FALSE`";

/// The hint for a server that answers with a web page.
const PAGE: &str = "the answer is a web page: does the URL lead to an MCP server? Most have the path `/mcp`";

/// The hint for a server that offers OAuth.
const LOGIN: &str =
    "`plainwire login` signs in by OAuth; `--bearer-env VARIABLE` and `--token-file FILE` send a token";

/// The hint for a server that requires a token, and does not say whether it offers OAuth.
const TOKEN: &str = "`--bearer-env VARIABLE` and `--token-file FILE` send a token; `plainwire login` signs in by OAuth, \
                     if the server offers it";

/// Returns whether the command line has a header `Authorization` with one word, so without the name of a scheme.
fn has_no_scheme(choice: &ServerChoice) -> bool {
    let mut headers = choice.header.iter().filter_map(|text| text.split_once(':'));
    headers.any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("authorization") && !value.trim().contains(char::is_whitespace)
    })
}

/// The hint for a header `Authorization` that has only a token.
const NO_SCHEME: &str =
    "the header needs the word `Bearer` before the token: --header 'Authorization: Bearer …'";

/// The hint for a tool that asks the model of its client.
const NO_MODEL: &str = "the command has no model: a client with one can try this tool";

/// The hint for a server that refuses the host of the URL.
const HOST: &str =
    "the URL needs one of these hosts, or the server one more: `Http::allow_host` in a server of Plainwire";

/// The hint for a program that sends back what it gets.
const ECHO: &str = "the program sends back what it is sent, as `cat` does; is it an MCP server?";

/// The hint for stored tokens that can't be read.
const STORE: &str =
    "`plainwire help login` explains where tokens are stored, and what PLAINWIRE_TOKEN_KEY is";

/// The beginning of the error for a stdout that can't be written.
const NOT_WRITTEN: &str = "writing to stdout failed";

impl From<io::Error> for Failure {
    /// Converts an error of writing to stdout: no other I/O error is converted here. A reader that closes
    /// stdout early, as `head` does, is no error: the command ends without a message.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { exit: Exit::Done, hint: None, text: String::new() };
        }
        Self { exit: Exit::Unreachable, hint: None, text: format!("{NOT_WRITTEN}: {error}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_pages_in_an_error_5_are_shown() {
        let pages_of = |count: usize| {
            let all = vec![serde_json::json!({ "url": "https://a" }); count];
            pages(Some(&serde_json::json!({ "elicitations": all }).to_string()))
        };
        let shown = |count: usize| pages_of(count).expect("pages").matches("https://a").count();
        assert_eq!((shown(1), shown(6), pages_of(0)), (1, 5, None));
        let of_bytes = |bytes: usize| {
            let url = format!("https://a/{}", "x".repeat(bytes - 10));
            pages(Some(&serde_json::json!({ "elicitations": [{ "url": url }] }).to_string()))
        };
        assert!(of_bytes(2_000).is_some() && of_bytes(2_001).is_none());
    }
}
