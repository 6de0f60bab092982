//! The command line: what can be written, and what each word means.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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
}

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
#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// How to find out which revision the server speaks.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) era: Era,
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
    #[command(flatten)]
    pub(crate) ask: Ask,
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    /// The resource.
    pub(crate) uri: String,
    #[command(flatten)]
    pub(crate) ask: Ask,
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
