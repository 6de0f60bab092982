//! [`Server::run`]: the arguments of the program choose the transport.
//!
//! In: a [`Server`], and the arguments and variables of the process. Out: the server on stdio or over HTTP,
//! or the help on stdout.

use std::io::{self, Write as _};
use std::{env, path};

use crate::error::{Error, Result};
use crate::server::Server;

const OPTIONS: &str = "without options, the server serves stdin and stdout.

options:
  --http ADDRESS          serve http://ADDRESS/mcp instead, as in `--http 127.0.0.1:8000`
  --bearer-env VARIABLE   with --http: require the bearer token in this environment variable; may be repeated
  --help                  print this text
";

/// The request that the arguments of the program make.
#[derive(Debug, PartialEq, Eq)]
enum Request {
    Help,
    Http {
        address: String,
        /// The names of the variables with tokens.
        variables: Vec<String>,
    },
    Stdio,
}

impl Server {
    /// Serves stdin and stdout like [`Self::stdio`], or Streamable HTTP if the program was started with
    /// `--http ADDRESS` (feature `http`).
    ///
    /// ```no_run
    /// use plainwire::prelude::*;
    ///
    /// #[tokio::main]
    /// async fn main() -> Result<()> {
    ///     plainwire::server!("calculator").run().await
    /// }
    /// ```
    ///
    /// `calculator` serves stdio. `calculator --http 127.0.0.1:8000` serves `http://127.0.0.1:8000/mcp`.
    /// `--bearer-env VARIABLE`, which may be repeated, requires a bearer token: the value of the environment
    /// variable. The name of the variable is the name of the [`Principal`](crate::Principal). `--help` prints
    /// these options and returns. For other options, call [`Self::stdio`] and `http::Http` yourself.
    ///
    /// # Errors
    /// [`Error::Io`] if the arguments can't be used, and the errors of [`Self::stdio`] and `Http::serve`.
    pub async fn run(self) -> Result<()> {
        let words = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        match request(words).map_err(unusable)? {
            Request::Help => {
                let program = env::args_os().next().unwrap_or_default();
                let name = path::Path::new(&program).file_name().unwrap_or_default().to_string_lossy();
                write!(io::stdout(), "usage: {name} [--http ADDRESS [--bearer-env VARIABLE]...]\n\n{OPTIONS}")
                    .map_err(|source| Error::Io { doing: "printing the help", source })
            }
            Request::Http { address, variables } => self.run_http(&address, variables).await,
            Request::Stdio => self.stdio().await,
        }
    }

    #[cfg(feature = "http")]
    async fn run_http(self, address: &str, variables: Vec<String>) -> Result<()> {
        let mut http = crate::server::http::Http::new(self);
        for variable in variables {
            let token = token(&variable, env::var_os(&variable)).map_err(unusable)?;
            http = http.bearer_token(variable, token);
        }
        http.serve(address).await
    }

    #[cfg(not(feature = "http"))]
    async fn run_http(self, _: &str, _: Vec<String>) -> Result<()> {
        Err(unusable(
            "expected no `--http`: the program is built without the feature `http` of the crate `plainwire`"
                .to_owned(),
        ))
    }
}

fn unusable(message: String) -> Error {
    Error::Io {
        doing: "reading the program's arguments",
        source: io::Error::new(io::ErrorKind::InvalidInput, message),
    }
}

/// Returns what the arguments ask for. The error is the text for the user.
fn request(words: impl IntoIterator<Item = String>) -> Result<Request, String> {
    let (mut address, mut variables, mut words) = (None, Vec::new(), words.into_iter());
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let mut value = |what: &str, example: &str| {
            let value = value.clone().or_else(|| words.next()).filter(|it| !it.is_empty());
            value.ok_or_else(|| format!("expected {what} behind `{name}`, as in `{name} {example}`"))
        };
        match name {
            "--help" | "-h" => return Ok(Request::Help),
            "--http" if address.is_some() => return Err("expected `--http` once, but found it twice".into()),
            "--http" => address = Some(value("an address", "127.0.0.1:8000")?),
            "--bearer-env" => variables.push(value("the name of an environment variable", "TOKEN")?),
            _ => {
                return Err(format!(
                    "expected `--http ADDRESS`, `--bearer-env VARIABLE`, `--help` or nothing, but found {word:?}"
                ));
            }
        }
    }
    match address {
        Some(address) => Ok(Request::Http { address, variables }),
        None if variables.is_empty() => Ok(Request::Stdio),
        None => Err("expected `--http ADDRESS` beside `--bearer-env`: tokens are for HTTP".to_owned()),
    }
}

/// Returns the token in a variable. The error is the text for the user, without the token.
#[cfg(feature = "http")]
fn token(variable: &str, value: Option<std::ffi::OsString>) -> Result<String, String> {
    let wrong = |found: &str| {
        // A token in place of the name would be shown here.
        let is_name =
            variable.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        let name =
            if is_name { variable } else { "the argument of `--bearer-env` (not shown: it may be a token)" };
        format!(
            "expected {name} to name an environment variable with a token in visible ASCII characters, {found}"
        )
    };
    let Some(value) = value else { return Err(wrong("but there is no such variable")) };
    let is_visible = !value.is_empty() && value.as_encoded_bytes().iter().all(u8::is_ascii_graphic);
    let text = value.into_string().ok().filter(|_| is_visible);
    text.ok_or_else(|| wrong("but its value is empty or has other characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Result<Request, String> {
        request(words.iter().map(ToString::to_string))
    }

    #[test]
    fn arguments_choose_the_transport() {
        let http = |address: &str, variables: &[&str]| Request::Http {
            address: address.to_owned(),
            variables: variables.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(asked(&[]), Ok(Request::Stdio));
        assert_eq!(asked(&["--http", "[::1]:80"]), Ok(http("[::1]:80", &[])));
        let both = ["--bearer-env", "A", "--http=127.0.0.1:0", "--bearer-env=B"];
        assert_eq!(asked(&both), Ok(http("127.0.0.1:0", &["A", "B"])));
        assert_eq!(asked(&["--http", "127.0.0.1:0", "--help"]), Ok(Request::Help));
    }

    #[test]
    fn arguments_that_it_does_not_have_are_refused_with_those_that_it_has() {
        for (words, expected) in [
            (
                &["--htp", "x"][..],
                "expected `--http ADDRESS`, `--bearer-env VARIABLE`, `--help` or nothing, but found \"--htp\"",
            ),
            (&["--http"], "expected an address behind `--http`, as in `--http 127.0.0.1:8000`"),
            (&["--http="], "expected an address behind `--http`, as in `--http 127.0.0.1:8000`"),
            (&["--http", "a", "--http", "b"], "expected `--http` once, but found it twice"),
            (&["--bearer-env", "A"], "expected `--http ADDRESS` beside `--bearer-env`: tokens are for HTTP"),
        ] {
            assert_eq!(asked(words), Err(expected.to_owned()));
        }
    }

    #[cfg(feature = "http")]
    #[test]
    fn a_token_is_never_repeated() {
        assert_eq!(token("TOKEN", Some("s3cret".into())), Ok("s3cret".to_owned()));
        let missing = token("TOKEN", None).expect_err("no variable");
        assert!(
            missing.contains("expected TOKEN to name") && missing.ends_with("no such variable"),
            "{missing}"
        );
        for value in ["", "s3cret s3cret", "s3cr\u{e9}t"] {
            let error = token("TOKEN", Some(value.into())).expect_err("no token");
            assert!(
                error.ends_with("is empty or has other characters") && !error.contains("s3cr"),
                "{error}"
            );
        }
        let swapped = token("s3cret-s3cret", None).expect_err("a token in place of a name");
        assert!(!swapped.contains("s3cret"), "{swapped}");
    }
}
