//! How the command ends: exit codes, and failures with a hint.

use std::io;
use std::process::ExitCode;

use plainwire::auth::AuthFault;

use crate::args::Whom;
use crate::visible;

/// What an exit code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: all went well.
    Done,
    /// 1: the tool was called and failed.
    ToolFailed,
    /// 1: the tools were looked at, and are not as they should be.
    NotContent,
    /// 2: the command line is wrong.
    Usage,
    /// 3: the server could not be started or spoken to.
    Unreachable,
    /// 4: the server answered with an error.
    Refused,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::ToolFailed | Exit::NotContent => 1,
            Exit::Usage => 2,
            Exit::Unreachable => 3,
            Exit::Refused => 4,
        })
    }
}

/// Why the command could not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) hint: Option<String>,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) fn usage(text: String) -> Self {
        Self { exit: Exit::Usage, hint: Some("`plainwire help` shows how commands are written".into()), text }
    }

    /// The tools are not as they should be.
    pub(crate) fn not_content(text: String, hint: &str) -> Self {
        Self { exit: Exit::NotContent, hint: Some(hint.into()), text }
    }

    /// The server said that it can't or won't.
    pub(crate) fn refused(text: String) -> Self {
        Self { exit: Exit::Refused, hint: None, text }
    }

    /// The server is not there any more.
    pub(crate) fn gone(text: &str) -> Self {
        let hint = Some("`--trace` shows every frame".into());
        Self { exit: Exit::Unreachable, hint, text: text.to_owned() }
    }

    /// Has the hint to sign in, if there is one, name the command that does for this server.
    pub(crate) fn at(mut self, whom: &Whom) -> Self {
        if self.hint.as_deref() == Some(TOKEN) {
            self.hint = Some(TOKEN.replace("plainwire login", &login(whom)));
        }
        self
    }

    /// Returns what went wrong, and how to sign in if that is what is missing: on one line.
    pub(crate) fn with_login(self) -> String {
        match self.hint {
            Some(hint) if hint.contains("plainwire login") => format!("{}; {hint}", self.text),
            _ => self.text,
        }
    }

    pub(crate) fn runtime(error: io::Error) -> Self {
        Self { exit: Exit::Unreachable, hint: None, text: format!("starting to work failed: {error}") }
    }
}

impl From<plainwire::Error> for Failure {
    fn from(error: plainwire::Error) -> Self {
        let source =
            std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
        let trace = Some("`--trace` shows every frame");
        let (exit, hint) = match &error {
            plainwire::Error::Rpc(answer) if answer.received_code().is_some() => (Exit::Refused, None),
            plainwire::Error::Http { status: 401 | 403, .. } => (Exit::Refused, Some(TOKEN)),
            plainwire::Error::Auth { fault, .. } => match fault {
                AuthFault::LoginNeeded => (Exit::Refused, Some(TOKEN)),
                AuthFault::Settings => (Exit::Usage, None),
                AuthFault::Store => (Exit::Unreachable, Some(STORE)),
                AuthFault::Unreachable => (Exit::Unreachable, None),
                _ => (Exit::Refused, None),
            },
            plainwire::Error::Http { .. } => (Exit::Refused, trace),
            plainwire::Error::Target { .. } => (Exit::Usage, None),
            plainwire::Error::Unreachable { .. } => {
                (Exit::Unreachable, Some("check the URL, and whether the server runs"))
            }
            plainwire::Error::Io { .. } => (Exit::Unreachable, Some("check the command behind `--`")),
            _ => (Exit::Unreachable, trace),
        };
        Self { exit, hint: hint.map(Into::into), text: format!("{error}{source}") }
    }
}

/// The command that signs in at a server. Of a URL only what is no secret: then it is to be completed.
fn login(whom: &Whom) -> String {
    let name = match (&whom.url, &whom.server) {
        (Some(url), _) if url.contains(['?', '@', '#']) => "--url …".to_owned(),
        (Some(url), _) => format!("--url {}", visible::line(url)),
        (_, Some(name)) => {
            let config = whom.config.as_ref().map(|it| format!("--config {} ", it.display()));
            visible::line(&format!("{}--server {name}", config.unwrap_or_default()))
        }
        _ => return "plainwire login".to_owned(),
    };
    format!("plainwire login {name}")
}

/// What to do when a server lets nobody in.
const TOKEN: &str =
    "`plainwire login` signs in by OAuth; `--bearer-env VARIABLE` and `--token-file FILE` send a token";

/// What to do when kept tokens can't be read.
const STORE: &str = "`plainwire help login` says where tokens are kept, and what PLAINWIRE_TOKEN_KEY is";

impl From<io::Error> for Failure {
    /// Only our own output goes this way. Whoever reads it may stop when they have seen enough, as `head` does: that is
    /// the end, and nobody is told.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { exit: Exit::Done, hint: None, text: String::new() };
        }
        Self { exit: Exit::Unreachable, hint: None, text: format!("writing to stdout failed: {error}") }
    }
}
