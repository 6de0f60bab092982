//! The command line: what can be written, and what each word means.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use plainwire_inspect::lint::{Client, RULES, Severity};

use crate::convert::{Convert, Patch};

/// Serve, ask and watch MCP servers.
#[derive(Debug, Parser)]
#[command(name = "plainwire", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 the tool or a check failed, 2 wrong usage, 3 the server could not be \
                          started or spoken to, 4 the server answered with an error.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play one call in each of the five revisions and show every byte.
    Demo,
    /// Serve one of the built-in servers on stdin and stdout, or over HTTP.
    Serve(Serve),
    /// List the tools, resources, templates and prompts of a server.
    List(List),
    /// Call a tool.
    Call(Call),
    /// Read a resource.
    Read(Read),
    /// Get a prompt.
    Prompt(Call),
    /// Ask whether a server answers, and how fast.
    Ping(Ask),
    /// Say each time when a resource or a list of a server changes.
    Watch(Watch),
    /// Sign in at a server over HTTP that asks for a token, with a browser.
    #[command(after_help = LOGIN)]
    Login(Login),
    /// Forget the tokens for a server, and have its authorization server forget them too.
    Logout(Logout),
    /// List the servers in the configuration files of clients, and check whether they work.
    Servers(Servers),
    /// Write a server into the configuration file of a client.
    Install(Install),
    /// Convert rich text: ADF, Confluence storage format, wiki markup, Markdown.
    Convert(Convert),
    /// Edit one section of a rich text as Markdown, and leave the rest as it is.
    Patch(Patch),
    /// Count what the tools of a server cost a model.
    Tokens(Tokens),
    /// Say what models and clients will not like about the tools of a server.
    Lint(Lint),
    /// Make a project: a server with one tool and its test.
    #[command(override_usage = "plainwire new --path <CHECKOUT> <NAME>")]
    New(New),
    /// Print a script that lets a shell complete commands, and the names that a server has.
    #[command(after_help = COMPLETION)]
    Completion(Completion),
}

const COMPLETION: &str = "For bash, in ~/.bashrc: source <(plainwire completion bash)\n\nIn bash and zsh, names of \
                          tools, prompts, arguments and resources are completed as well, if the command of the server \
                          stands behind `--` already: it is started each time, for at most 3 seconds.";

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Which server.
    pub(crate) server: Builtin,
    /// Serve http://ADDRESS/mcp instead of stdin and stdout, as in `127.0.0.1:8000`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<String>,
    /// Serve the HTTP+SSE of 2024-11-05 too, at /sse.
    #[arg(long, requires = "http")]
    pub(crate) sse: bool,
    /// Ask clients over HTTP for a token: FILE has a name, a blank and a token per line.
    #[arg(long, value_name = "FILE", requires = "http", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// Serve https:// with the certificates in FILE (PEM), the server's own first.
    #[arg(long, value_name = "FILE", requires_all = ["http", "tls_key"], value_hint = ValueHint::FilePath)]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM, no passphrase).
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = ValueHint::FilePath)]
    pub(crate) tls_key: Option<PathBuf>,
    /// Write every frame to FILE, or to stderr; secrets become `*`.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub(crate) trace: Option<Option<PathBuf>>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Builtin {
    /// calculate, get_timestamp, sleep, count, ask, server://info, server://calculations
    Reference,
}

/// What all commands that ask a server have in common.
#[derive(Clone, Debug, Args)]
pub(crate) struct Ask {
    /// How to find out which revision the server speaks.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) era: Era,
    /// Let the server work below PATH, if it asks where it may; can be given more than once.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) root: Vec<PathBuf>,
    /// Speak JSON: results come as JSON. On `call` and `prompt`, `--json=OBJECT` also gives the arguments.
    #[arg(long, value_name = "OBJECT", num_args = 0..=1, require_equals = true)]
    pub(crate) json: Option<Option<String>>,
    /// Write every frame to FILE, or to stderr; secrets become `*`.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub(crate) trace: Option<Option<PathBuf>>,
    /// Give up after so many seconds without an answer and without progress.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) whom: Whom,
}

/// Which server, and how to get in: a command, a URL, or an entry of a configuration file.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Whom {
    /// The server at URL, over HTTP.
    #[arg(long, value_name = "URL", conflicts_with_all = ["server", "command"], value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
    /// Send a header with each request to URL; can be given more than once. For tokens, use --bearer-env or --token-file.
    // `requires` alone is no rule of clap's beside something that excludes what is required.
    #[arg(long, value_name = "NAME: VALUE", requires = "url", conflicts_with_all = ["server", "command"])]
    pub(crate) header: Vec<String>,
    /// Send the token in the environment variable VARIABLE, as `Authorization: Bearer`.
    #[arg(long, value_name = "VARIABLE", requires = "url", conflicts_with_all = ["server", "command", "token_file"])]
    pub(crate) bearer_env: Option<String>,
    /// Send the token in FILE, as `Authorization: Bearer`.
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with_all = ["server", "command"], value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// The server NAME of a configuration file; without --config, of one of yours that `plainwire servers` lists.
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub(crate) server: Option<String>,
    /// The configuration file of --server: `mcpServers` as most clients have them, or `servers` of VS Code.
    #[arg(long, value_name = "FILE", requires = "server", conflicts_with_all = ["url", "command"], value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Answer `${input:ID}` in the configuration file with the environment variable VARIABLE; can be given more than once.
    #[arg(long, value_name = "ID=VARIABLE", requires = "server", conflicts_with_all = ["url", "command"])]
    pub(crate) input_env: Vec<String>,
    /// The server: a command that speaks MCP on its stdin and stdout.
    #[arg(last = true, required_unless_present_any = ["url", "server"], value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

const LOGIN: &str = "The other commands use what is kept here, and renew it: in the keychain of the system, else in files for \
                     your eyes only, which are encrypted if PLAINWIRE_TOKEN_KEY has a key (32 bytes, as `openssl rand \
                     -hex 32` prints them).";

#[derive(Debug, Args)]
pub(crate) struct Login {
    /// Ask for a token on the client's own behalf: nobody signs in.
    #[arg(long, requires = "client_secret_env")]
    pub(crate) client_credentials: bool,
    /// The id of a client that was registered beforehand.
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// A document at an https URL that describes this client, for authorization servers that read such documents.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) client_id_metadata: Option<String>,
    /// The secret of --client-id is in the environment variable VARIABLE.
    #[arg(long, value_name = "VARIABLE", requires = "client_id")]
    pub(crate) client_secret_env: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Open no browser: print the URL of the page on stderr.
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Ask for SCOPE in place of what the server names; can be given more than once.
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<String>,
    /// Give up after so many seconds without a person signing in.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) site: Site,
}

#[derive(Debug, Args)]
pub(crate) struct Logout {
    #[command(flatten)]
    pub(crate) site: Site,
}

/// A server over HTTP.
#[derive(Clone, Debug, Args)]
pub(crate) struct Site {
    /// The server at URL.
    #[arg(long, value_name = "URL", conflicts_with = "server", required_unless_present = "server", value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
    /// The server NAME of a configuration file; without --config, of one of yours that `plainwire servers` lists.
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// The configuration file of --server.
    #[arg(long, value_name = "FILE", requires = "server", conflicts_with = "url", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Answer `${input:ID}` in the configuration file with the environment variable VARIABLE; can be given more than once.
    #[arg(long, value_name = "ID=VARIABLE", requires = "server", conflicts_with = "url")]
    pub(crate) input_env: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Servers {
    /// Read FILE instead of the files of clients that are known.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Connect to each server, all at the same time, and say what it is. This starts the commands in the files.
    #[arg(long)]
    pub(crate) check: bool,
    /// Answer `${input:ID}` in the files with the environment variable VARIABLE; can be given more than once.
    #[arg(long, value_name = "ID=VARIABLE")]
    pub(crate) input_env: Vec<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// With --check, give up on a server after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) timeout: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Install {
    /// Whose configuration.
    pub(crate) client: Known,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Set a variable in the environment of COMMAND; can be given more than once. VALUE is written as it is.
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "url")]
    pub(crate) env: Vec<String>,
    /// Change FILE instead of the client's own file.
    #[arg(long, value_name = "FILE", conflicts_with = "project", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Overwrite another server of the same name.
    #[arg(long)]
    pub(crate) force: bool,
    /// Send a header with each request to URL; can be given more than once. VALUE is written as it is.
    #[arg(long, value_name = "NAME: VALUE", requires = "url", conflicts_with = "command")]
    pub(crate) header: Vec<String>,
    /// What the client calls the server. By default that is the name of the program, or the host.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Change the file of the project in this folder, which others may share.
    #[arg(long)]
    pub(crate) project: bool,
    /// The server at URL.
    #[arg(long, value_name = "URL", conflicts_with = "command", value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
    /// The server: a command that speaks MCP on its stdin and stdout.
    #[arg(last = true, required_unless_present = "url", value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// Clients whose configuration files are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Known {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Vscode,
    Windsurf,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Show only what has TEXT in its name, URI or description, in small or capital letters.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct Tokens {
    /// Show the difference from the tools of another server: its command, quoted as one word.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) against: Option<String>,
    /// Exit with 1 if the tools have more than N tokens.
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// Show each tool, or each field of each tool.
    #[arg(long, value_enum, default_value = "tool")]
    pub(crate) by: By,
    /// Count only tools that have TEXT in their name or description, in small or capital letters.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Print the tools as text, roughly as a host puts them in front of a model.
    #[arg(long, conflicts_with_all = ["against", "by", "json"])]
    pub(crate) render: bool,
    /// Say what a conversation of N turns pays: the tools are sent on every turn.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) turns: Option<u32>,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Field,
    Tool,
}

#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// Do not apply RULE; can be given more than once.
    #[arg(long, value_name = "RULE", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(RULES.iter().map(|rule| rule.name)))]
    pub(crate) allow: Vec<String>,
    /// Leave out what matters only to other clients; can be given more than once.
    #[arg(long, value_name = "CLIENT", value_parser = clients())]
    pub(crate) client: Vec<Client>,
    /// Exit with 1 from this on; errors always do.
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) deny: Option<Deny>,
    /// Check only tools that have TEXT in their name or description, in small or capital letters.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

fn clients() -> impl TypedValueParser<Value = Client> {
    PossibleValuesParser::new(Client::ALL.map(Client::name)).try_map(|name| {
        Client::ALL.into_iter().find(|it| it.name() == name).ok_or("expected a client that is known")
    })
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
    Notes,
}

impl Deny {
    /// The least that is not accepted.
    pub(crate) fn severity(this: Option<Self>) -> Severity {
        match this {
            None => Severity::Error,
            Some(Self::Warnings) => Severity::Warning,
            Some(Self::Notes) => Severity::Note,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool or prompt.
    pub(crate) name: String,
    /// `key=text` or `key:=json`.
    #[arg(value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
    /// Say on stderr what happened to the call, step by step, each with its time.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Do not let the server ask questions. Without it they are shown on stderr and answered on stdin.
    #[arg(long)]
    pub(crate) no_input: bool,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    /// The resource.
    pub(crate) uri: String,
    /// Do not let the server ask questions. Without it they are shown on stderr and answered on stdin.
    #[arg(long)]
    pub(crate) no_input: bool,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The resources.
    #[arg(value_name = "URI", required_unless_present = "lists")]
    pub(crate) uris: Vec<String>,
    /// End after so many changes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,
    /// Watch the lists of tools, resources and prompts.
    #[arg(long)]
    pub(crate) lists: bool,
    /// Show what is in a resource after each change.
    #[arg(long)]
    pub(crate) read: bool,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The name of the project, and of the folder that it is made in.
    pub(crate) name: String,
    /// The checkout of the Plainwire repository that the project uses; required, since nothing is published yet.
    #[arg(long, value_name = "CHECKOUT", value_hint = ValueHint::DirPath)]
    pub(crate) path: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Completion {
    /// Which shell.
    pub(crate) shell: Shell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Era {
    /// `server/discover`, then `initialize` if that fails.
    Auto,
    /// `initialize` (up to 2025-11-25).
    Legacy,
    /// `server/discover` (2026-07-28).
    Modern,
}
