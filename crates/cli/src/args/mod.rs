//! The command line: subcommands, options and their help texts.

mod setup;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use plainwire::model::LogLevel;
use plainwire::proto::revision::Revision;
use plainwire_inspect::lint::{Client, RULES, Severity};

use crate::atlassian::AtlassianCommand;
use crate::convert::{Convert, Patch};
use crate::exit::ServerChoice;
use crate::inventory::InventoryCommand;
use crate::patterns::PatternsCommand;
use crate::serve::options::Serve;
use setup::LOGIN;
pub(crate) use setup::{
    ChangeServers, ClientFile, Install, KnownClient, Login, Logout, Servers, Site, Uninstall,
};

/// Serve, call and watch MCP servers.
#[derive(Debug, Parser)]
#[command(name = "plainwire", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 the tool or a check failed, 2 wrong usage, 3 the server could not be \
                          started or reached, 4 the server answered with an error, 130 cancelled by Ctrl-C.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play one call in each of the five revisions and show every byte.
    Demo,
    /// Serve one of the built-in servers on stdin and stdout, or over HTTP.
    Serve(Serve),
    /// List the tools, resources, templates and prompts of a server.
    List(List),
    /// Show everything about a tool: its description, parameters, hints and cost, and a call to paste.
    Describe(Describe),
    /// Call a tool.
    Call(CallTool),
    /// Read a resource.
    Read(Read),
    /// Get a prompt.
    Prompt(Call),
    /// Check whether a server answers, and how fast.
    Ping(Ask),
    /// Keep one server, and type commands for it.
    Shell(Session),
    /// Serve a server under development on stdin and stdout, and restart it when its sources change.
    Dev(Dev),
    /// Print a line each time a resource or a list of a server changes.
    Watch(Watch),
    /// Sign in with a browser at a server over HTTP that requires a token.
    #[command(after_help = LOGIN)]
    Login(Login),
    /// Delete the tokens for a server, and revoke them at its authorization server.
    Logout(Logout),
    /// List the servers in the configuration files of clients, check whether they work, and name servers of your own.
    Servers(Servers),
    /// Write a server into the configuration file of a client.
    Install(Install),
    /// Remove a server from the configuration file of a client.
    Uninstall(Uninstall),
    /// Convert rich text: ADF, Confluence storage format, wiki markup, Markdown.
    Convert(Convert),
    /// Replace one section of a rich text by Markdown, and keep every other byte.
    Patch(Patch),
    /// Count the tokens that the tools of a server cost a model.
    Tokens(Tokens),
    /// Report tools of a server that models and clients will have trouble with.
    Lint(Lint),
    /// List the kinds of values that the tools of a server return, or print their JSON Schemas.
    Schemas(Schemas),
    /// Check the settings for Jira, and the site that they lead to.
    Atlassian(AtlassianCommand),
    /// Check, copy, fill and print an inventory.
    Inventory(InventoryCommand),
    /// Check the data file of a pattern library.
    Patterns(PatternsCommand),
    /// Create a project: a server or a client, with a test.
    #[command(override_usage = "plainwire new --path <CHECKOUT> <NAME>")]
    New(New),
    /// Print the script that lets a shell complete commands and the names of a server.
    #[command(after_help = COMPLETION)]
    Completion(Completion),
}

const COMPLETION: &str = "For bash, in ~/.bashrc: source <(plainwire completion bash)\n\nbash, fish and zsh also \
                          complete the names of tools, prompts, arguments and resources, if the server's command is \
                          already written after `--`. Each completion starts that command, for at most 3 seconds.";

/// Options of all commands that connect to a server.
#[derive(Clone, Debug, Args)]
pub(crate) struct Ask {
    /// Era of the protocol; `auto` detects it.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) era: Era,
    /// Speak only this revision of the protocol.
    #[arg(long, conflicts_with = "era", value_parser = revisions())]
    pub(crate) revision: Option<Revision>,
    /// Allow the server to work below PATH, if it asks for roots; can be given more than once.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) root: Vec<PathBuf>,
    /// Print JSON instead of text. On `call` and `prompt`, `--json=OBJECT` also sets the arguments.
    #[arg(long, value_name = "OBJECT", num_args = 0..=1, require_equals = true)]
    pub(crate) json: Option<Option<String>>,
    /// Write every frame to FILE, or to stderr without FILE; secrets are masked with `*`.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub(crate) trace: Option<Option<PathBuf>>,
    /// Seconds to wait for the server in all. Commands that may take long, such as `call`, wait so long for the
    /// connection, and then for an answer or a report of progress.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = seconds)]
    pub(crate) timeout: u64,
    /// Declare what a host declares, which answers questions and has a model and roots, or declare nothing. By default,
    /// `call`, `read` and `prompt` declare that you answer questions, and all other commands what a host declares.
    #[arg(long, value_enum)]
    pub(crate) r#as: Option<As>,
    #[command(flatten)]
    pub(crate) choice: ServerChoice,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Show only entries with TEXT in their name, URI or description, ignoring case.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Show descriptions whole, not only their first lines.
    #[arg(long)]
    pub(crate) long: bool,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct Describe {
    /// Name of the tool.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct Tokens {
    /// Show the difference from the tools of another server: its command, quoted as one word.
    #[arg(long, value_name = "COMMAND", conflicts_with = "by")]
    pub(crate) against: Option<String>,
    /// Exit with 1 if the tools have more than N tokens.
    #[arg(long, value_name = "N", value_parser = whole)]
    pub(crate) budget: Option<usize>,
    /// Show each tool, or each field of each tool.
    #[arg(long, value_enum, default_value = "tool")]
    pub(crate) by: By,
    /// Count only tools with TEXT in their name or description, ignoring case.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Print the tools as text, roughly as a host shows them to a model.
    #[arg(long, conflicts_with_all = ["against", "by", "json"])]
    pub(crate) render: bool,
    /// Print what a conversation of N turns costs: the tools are sent on every turn.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) turns: Option<u32>,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

/// The capabilities that the command declares to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum As {
    Host,
    Plain,
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
    /// Leave out findings that concern only other clients; can be given more than once.
    #[arg(long, value_name = "CLIENT", value_parser = clients())]
    pub(crate) client: Vec<Client>,
    /// Exit with 1 for these findings as well, not only for errors.
    #[arg(long, value_name = "SEVERITY", value_enum)]
    pub(crate) deny: Option<Deny>,
    /// Check only tools with TEXT in their name or description, ignoring case.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct Schemas {
    /// Write the schema of each kind into a file of the folder DIR.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

fn whole(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "expected a whole number")
}

/// Reads a whole number of seconds.
pub(super) fn seconds(text: &str) -> Result<u64, String> {
    let seconds = text.parse().ok().filter(|seconds| (1..=MAX_SECONDS).contains(seconds));
    seconds.ok_or_else(|| format!("expected a whole number of seconds, 1 to {MAX_SECONDS}"))
}

/// The longest time of an option: 11 days.
const MAX_SECONDS: u64 = 1_000_000;

fn revisions() -> impl TypedValueParser<Value = Revision> {
    PossibleValuesParser::new(Revision::ALL.map(Revision::as_str))
        .try_map(|name| Revision::parse(&name).ok_or("expected a revision"))
}

fn levels() -> impl TypedValueParser<Value = LogLevel> {
    PossibleValuesParser::new(LogLevel::ALL.map(LogLevel::as_str))
        .try_map(|name| LogLevel::parse(&name).ok_or("expected a level"))
}

fn clients() -> impl TypedValueParser<Value = Client> {
    PossibleValuesParser::new(Client::ALL.map(Client::name))
        .try_map(|name| Client::ALL.into_iter().find(|it| it.name() == name).ok_or("expected a known client"))
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
    Notes,
}

impl Deny {
    /// Returns the lowest severity of a finding that makes `plainwire lint` exit with 1.
    pub(crate) fn severity(this: Option<Self>) -> Severity {
        match this {
            None => Severity::Error,
            Some(Self::Warnings) => Severity::Warning,
            Some(Self::Notes) => Severity::Note,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CallTool {
    #[command(flatten)]
    pub(crate) call: Call,
    /// Print on stderr how many tokens each part of the result costs a model.
    #[arg(long)]
    pub(crate) cost: bool,
    /// Write the picture, sound or resource of the result to FILE.
    #[arg(long, value_name = "FILE", conflicts_with = "json", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
}

/// A call of a tool or a prompt.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The name: `call` takes that of a tool, `prompt` that of a prompt.
    pub(crate) name: String,
    /// An argument: `key=text` or `key:=json`; `key=@FILE` and `key=-` read the text from a file or from stdin. A
    /// text becomes the type that the schema of the tool names, `a.b=text` sets a member, and a list takes several
    /// words, or commas.
    #[arg(value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
    /// Print the steps of the call on stderr, each with its time.
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) meanwhile: Meanwhile,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    /// URI of the resource.
    pub(crate) uri: String,
    /// Write the contents to FILE, bytes as they are.
    #[arg(long, value_name = "FILE", conflicts_with = "json", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) meanwhile: Meanwhile,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

/// The options about what a server does while a request runs.
#[derive(Debug, Args)]
pub(crate) struct Meanwhile {
    /// Show log messages of the server of this level and above on stderr. Without it, a server of 2026-07-28 is asked for
    /// `info`, and an older server chooses.
    #[arg(long, value_parser = levels())]
    pub(crate) log: Option<LogLevel>,
    /// Do not let the server ask questions. By default they are shown on stderr and you answer on stdin.
    #[arg(long)]
    pub(crate) no_input: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Session {
    /// Do not let the server ask questions. By default they are shown on stderr and you answer on stdin.
    #[arg(long)]
    pub(crate) no_input: bool,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct Dev {
    /// Run this command before each start; if it fails, the server that runs goes on. By default `cargo build` with the
    /// options of a COMMAND that is `cargo run`, and nothing for other commands.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) build: Option<String>,
    /// Serve clients over HTTP at ADDRESS, such as 127.0.0.1:8001, in front of a server that serves HTTP at --url.
    #[arg(long, value_name = "ADDRESS", requires = "url")]
    pub(crate) http: Option<String>,
    /// The URL at which the server itself serves HTTP, such as http://127.0.0.1:8000/mcp.
    #[arg(long, value_name = "URL", requires = "http", value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
    /// Restart the server when a file below PATH changes; the current folder by default. Can be given more than once.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) watch: Vec<PathBuf>,
    /// The server: a command that speaks MCP on its stdin and stdout, or serves HTTP at --url.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// URIs of the resources.
    #[arg(value_name = "URI", required_unless_present = "lists")]
    pub(crate) uris: Vec<String>,
    /// Exit after N changes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,
    /// Watch the lists of tools, resources and prompts.
    #[arg(long)]
    pub(crate) lists: bool,
    /// Show the contents of a resource after each change.
    #[arg(long)]
    pub(crate) read: bool,
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// Name of the project and of its folder.
    pub(crate) name: String,
    /// Kind of the project.
    #[arg(long, value_enum, default_value = "stdio")]
    pub(crate) template: Template,
    /// Checkout of the Plainwire repository that the project uses; required, since nothing is published yet.
    #[arg(long, value_name = "CHECKOUT", value_hint = ValueHint::DirPath)]
    pub(crate) path: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    /// A server on stdin and stdout, with one tool.
    Stdio,
    /// A server over HTTP, with one tool.
    Http,
    /// A client that lists the tools of a server.
    Client,
    /// A server with a page beside its results (MCP Apps).
    Apps,
}

#[derive(Debug, Args)]
pub(crate) struct Completion {
    /// The shell that runs the script.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_waits_60_s_without_an_answer_and_without_progress() {
        for command in [["list"].as_slice(), &["call", "tool"], &["read", "a:b"], &["prompt", "p"], &["ping"]]
        {
            let line = ["plainwire"].iter().chain(command).chain(&["--", "server"]);
            let ask = match Cli::try_parse_from(line).expect("a command").command {
                Command::List(it) => it.ask,
                Command::Call(it) => it.call.ask,
                Command::Prompt(it) => it.ask,
                Command::Read(it) => it.ask,
                Command::Ping(it) => it,
                other => panic!("{other:?}"),
            };
            assert_eq!(ask.timeout, 60, "{command:?}");
        }
    }
}
