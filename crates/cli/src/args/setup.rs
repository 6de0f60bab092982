//! The options of commands for configuration files and tokens: `servers`, `install`, `uninstall`, `login`, `logout`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

pub(super) const LOGIN: &str = "The other commands use the stored tokens and renew them. Tokens are stored in the system's keychain, or in \
                     files that only you can read if there is no keychain. If PLAINWIRE_TOKEN_KEY is set to a key (32 \
                     bytes, as `openssl rand -hex 32` prints them), they are stored in encrypted files instead.";

#[derive(Debug, Args)]
pub(crate) struct Login {
    /// Request a token for the client itself, without a user.
    #[arg(long, requires = "client_secret_env")]
    pub(crate) client_credentials: bool,
    /// The id of a client that is already registered.
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// A document at an https URL that describes this client, for authorization servers that read such documents.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) client_id_metadata: Option<String>,
    /// Environment variable with the secret of --client-id.
    #[arg(long, value_name = "VARIABLE", requires = "client_id")]
    pub(crate) client_secret_env: Option<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not open a browser: print the URL of the page on stderr.
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Request SCOPE in place of the scopes that the server names; can be given more than once.
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<String>,
    /// Seconds to wait for you to sign in.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = super::seconds)]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) site: Site,
}

#[derive(Debug, Args)]
pub(crate) struct Logout {
    #[command(flatten)]
    pub(crate) site: Site,
}

/// The server of `login` and `logout`: a URL, or an entry of a configuration file.
#[derive(Clone, Debug, Args)]
pub(crate) struct Site {
    /// The server at URL.
    #[arg(long, value_name = "URL", conflicts_with = "server", required_unless_present = "server", value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
    /// The entry NAME of a configuration file; without --config, of one of your own files that `plainwire servers` lists.
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
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Servers {
    #[command(subcommand)]
    pub(crate) change: Option<ChangeServers>,
    /// Read FILE instead of the configuration files of known clients.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Connect to all servers in parallel and print what they offer. This starts the commands in the files.
    #[arg(long)]
    pub(crate) check: bool,
    /// Answer `${input:ID}` in the files with the environment variable VARIABLE; can be given more than once.
    #[arg(long, value_name = "ID=VARIABLE")]
    pub(crate) input_env: Vec<String>,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Seconds that --check waits for each server.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = super::seconds)]
    pub(crate) timeout: u64,
}

/// A configuration file of a client, for commands that change it.
#[derive(Debug, Args)]
pub(crate) struct ClientFile {
    /// The client whose configuration file to change.
    pub(crate) client: KnownClient,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Change FILE instead of the client's own file.
    #[arg(long, value_name = "FILE", conflicts_with = "project", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Change the project's file in this folder, which others may share.
    #[arg(long)]
    pub(crate) project: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    #[command(flatten)]
    pub(crate) place: ClientFile,
    /// The client's name for the server.
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct Install {
    #[command(flatten)]
    pub(crate) place: ClientFile,
    /// The client's name for the server; by default the name of the program or the host.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) server: NewServer,
}

/// A server that is written into a configuration file.
#[derive(Debug, Args)]
pub(crate) struct NewServer {
    /// Send the token in the environment variable VARIABLE to URL, as `Authorization: Bearer`. The file names the
    /// variable, and does not contain the token.
    #[arg(long, value_name = "VARIABLE", requires = "url", conflicts_with = "command")]
    pub(crate) bearer_env: Option<String>,
    /// Set a variable in the environment of COMMAND; can be given more than once. VALUE is written as it is.
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "url")]
    pub(crate) env: Vec<String>,
    /// Overwrite another server of the same name.
    #[arg(long)]
    pub(crate) force: bool,
    /// Send a header with each request to URL; can be given more than once. VALUE is written as it is.
    #[arg(long, value_name = "NAME: VALUE", requires = "url", conflicts_with = "command")]
    pub(crate) header: Vec<String>,
    /// The server at URL.
    #[arg(long, value_name = "URL", conflicts_with = "command", value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
    /// The server: a command that speaks MCP on its stdin and stdout.
    #[arg(last = true, required_unless_present = "url", value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ChangeServers {
    /// Give a server a name of your own, for `--server NAME`.
    Add(AddServer),
    /// Remove a name that `servers add` gave.
    Remove {
        /// The name.
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddServer {
    /// The name, for `--server NAME`.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) server: NewServer,
}

impl From<AddServer> for Install {
    fn from(AddServer { name, server }: AddServer) -> Self {
        Self { place: ClientFile::own(), name: Some(name), server }
    }
}

impl Install {
    /// Returns whether this is `servers add`, which takes the name as a word.
    pub(crate) fn is_servers_add(&self) -> bool {
        self.place.client == KnownClient::Plainwire
    }
}

impl ClientFile {
    /// Returns this command's own file.
    pub(crate) fn own() -> Self {
        Self { client: KnownClient::Plainwire, dry_run: false, file: None, project: false }
    }
}

/// The clients whose configuration files this command can find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KnownClient {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    /// This command itself, for `servers add`.
    #[value(skip)]
    Plainwire,
    Vscode,
    Windsurf,
}
