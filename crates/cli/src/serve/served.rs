//! Serving with the options that each built-in server has.
//!
//! In: a server, and the options. Out: it is served on stdin and stdout, or over HTTP.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use plainwire::Server;
use plainwire::http::Http;
use plainwire::outputs::{self, Folder};
use plainwire::stream::tap::Tap;

use crate::exit::{Exit, Failure};
use crate::{output, secret_file};

/// The options that each server has.
#[derive(Debug, Args)]
pub(crate) struct Shared {
    /// Serve http://ADDRESS/mcp instead of stdin and stdout, as in `127.0.0.1:8000`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<String>,
    /// Also serve HTTP+SSE of 2024-11-05, at /sse.
    #[arg(long, requires = "http")]
    pub(crate) sse: bool,
    /// Require a token from clients over HTTP: FILE has a name, a blank and a token per line.
    #[arg(long, value_name = "FILE", requires = "http", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// Serve https:// with the certificates in FILE (PEM), the server's own certificate first.
    #[arg(long, value_name = "FILE", requires_all = ["http", "tls_key"], value_hint = ValueHint::FilePath)]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM, no passphrase).
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = ValueHint::FilePath)]
    pub(crate) tls_key: Option<PathBuf>,
    /// The form of the log on stderr: lines of text, or JSON objects for programs that read them.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) log: LogFormat,
    /// Write every frame to FILE, or to stderr without FILE; secrets are masked with `*`.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub(crate) trace: Option<Option<PathBuf>>,
    /// Keep large results whole in FOLDER, and send a short form with links. The folder is made if it does not exist.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) outputs: Option<PathBuf>,
    /// The largest result that is sent as it is, in bytes.
    #[arg(long, value_name = "BYTES", requires = "outputs", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(512..))]
    pub(crate) outputs_threshold: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Applies the options that each server has.
pub(super) fn with_options(mut server: Server, args: &Shared) -> Result<Server, Failure> {
    if let Some(path) = &args.outputs {
        let folder = Folder::open(path)
            .map_err(|error| Failure::usage(format!("--outputs {}: {error}", path.display())))?;
        server = server.outputs(outputs::Settings::new(folder).threshold(args.outputs_threshold as usize));
    }
    if args.log == LogFormat::Json {
        server = server.log_json();
    }
    if let Some(tap) = tap(args.trace.clone())? {
        server = server.tap(tap);
    }
    Ok(server)
}

/// Serves on stdin and stdout, or over HTTP.
pub(super) async fn serve(server: Server, args: &Shared) -> Result<(), Failure> {
    match &args.http {
        None => Ok(server.stdio().await?),
        Some(address) => serve_http(Http::new(server), address, args).await,
    }
}

/// Serves an endpoint at an address, with the options that each server has.
pub(super) async fn serve_http(mut http: Http, address: &str, args: &Shared) -> Result<(), Failure> {
    check_address(address)?;
    if args.sse {
        http = http.http_sse();
    }
    for (name, token) in args.token_file.as_deref().map(tokens).transpose()?.unwrap_or_default() {
        http = http.bearer_token(name, token);
    }
    if let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) {
        check_file("--tls-cert", certificate)?;
        check_file("--tls-key", key)?;
        http = http.tls(certificate, key);
    }
    http.serve(address).await.map_err(|error| not_served(error, address))
}

/// Refuses an address without a host or a port.
fn check_address(address: &str) -> Result<(), Failure> {
    let parts = address.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    match parts.and_then(|(_, port)| port.parse::<u16>().ok()) {
        Some(_) => Ok(()),
        None => Err(Failure::usage(format!(
            "expected --http with an address and a port, as in `--http 127.0.0.1:8000`, but found {address:?}"
        ))),
    }
}

fn check_file(option: &str, path: &Path) -> Result<(), Failure> {
    let opened = File::open(path);
    opened.map(drop).map_err(|error| Failure::usage(format!("{option} {}: {error}", path.display())))
}

/// Converts an error of serving into a failure. Its hint is not that of a client's error.
fn not_served(error: plainwire::Error, address: &str) -> Failure {
    let in_use =
        matches!(&error, plainwire::Error::Io { source, .. } if source.kind() == io::ErrorKind::AddrInUse);
    let host = address.rsplit_once(':').map(|(host, _)| host).filter(|_| in_use);
    // The certificate or its key: files of the command line.
    let is_file = matches!(&error, plainwire::Error::Io { doing, .. } if doing.ends_with("TLS"));
    let hint = host.map(|host| format!("--http {host}:0 takes a free port"));
    let failure = Failure { hint, ..error.into() };
    if is_file { Failure { exit: Exit::Usage, ..failure } } else { failure }
}

/// Reads the names and tokens in the file of `--token-file`, one pair on each line. Blank lines and lines
/// that begin with `#` are ignored.
fn tokens(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let failed = |why: String| Failure::usage(format!("--token-file {}: {why}", path.display()));
    let text = secret_file::read(path).map_err(|error| failed(error.to_string()))?;
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let tokens: Result<Vec<_>, Failure> = lines
        .map(|(at, line)| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [name, token] => Ok((name.to_owned(), token.to_owned())),
            // The message does not show the line: it may be a secret.
            _ => Err(failed(format!("expected a name and a token in line {}", at + 1))),
        })
        .collect();
    let again = tokens.as_ref().ok().and_then(|tokens| {
        let mut rest = tokens.iter();
        rest.find(|(_, token)| tokens.iter().filter(|(_, other)| other == token).count() > 1)
    });
    if let Some((name, _)) = again {
        return Err(failed(format!("expected each token once, but found the token of {name:?} twice")));
    }
    match tokens {
        // Without tokens the server would admit every client, against the intent of the option.
        Ok(tokens) if tokens.is_empty() => Err(failed("expected at least one token, but found none".into())),
        tokens => tokens,
    }
}

/// The file of `--trace=FILE`. Says once if it can't be written, as on a full disk.
struct TraceFile {
    file: File,
    has_failed: bool,
}

impl io::Write for TraceFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).inspect_err(|error| {
            if !std::mem::replace(&mut self.has_failed, true) {
                output::to_stderr(&format!("warning: the file of --trace is not complete: {error}\n"));
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Returns the tap that writes each frame to FILE, or to stderr without FILE, for `--trace[=FILE]`; `None`
/// without the option. An existing FILE is overwritten.
pub(crate) fn tap(trace: Option<Option<PathBuf>>) -> Result<Option<Tap>, Failure> {
    match trace {
        None => Ok(None),
        Some(None) => Ok(Some(Tap::stderr())),
        Some(Some(path)) => match secret_file::create(&path, File::options().write(true).truncate(true)) {
            Ok(file) => Ok(Some(Tap::lines(TraceFile { file, has_failed: false }))),
            Err(error) => Err(Failure::usage(format!("--trace={}: {error}", path.display()))),
        },
    }
}
