//! The command line: what can be written, and what each word means.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

/// Serve, ask and watch MCP servers.
#[derive(Debug, Parser)]
#[command(name = "plainwire", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 the tool failed, 2 wrong usage, 3 the server could not be started \
                          or spoken to, 4 the server answered with an error.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play one call in each of the five revisions and show every byte.
    Demo,
    /// Serve one of the built-in servers on stdin and stdout.
    Serve(Serve),
    /// List the tools, resources, templates and prompts of a server.
    List(Ask),
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
    /// The server: a command that speaks MCP on its stdin and stdout.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool or prompt.
    pub(crate) name: String,
    /// `key=text` or `key:=json`.
    #[arg(value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
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
