//! The command `plainwire`: parses argv, runs one subcommand and returns its exit code.
//!
//! Results go to stdout, all other output to stderr. [`exit::Exit`] lists the exit codes.

mod above;
mod args;
mod arguments;
mod ask;
mod atlassian;
mod completion;
mod connect;
mod convert;
mod cost;
mod demo;
mod describe;
mod dev;
mod elicit;
mod exit;
mod folder_lock;
mod held;
mod install;
mod inventory;
mod jsonc;
mod lint;
mod listing;
mod login;
mod meant;
mod new;
mod notices;
mod output;
mod paths;
mod patterns;
mod progress;
mod quote;
mod roots;
mod save;
mod schemas;
mod secret_file;
mod serve;
mod servers;
mod shell;
mod slips;
mod target;
mod terminal;
mod token_store;
mod tokens;
mod tools;
mod visible;
mod warnings;
mod watch;
mod whole_file;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;
use tokio::runtime::Builder;

use args::{Cli, Command};
use exit::{Exit, Failure};

fn main() -> ExitCode {
    if let Some(done) = completion::answer() {
        return done;
    }
    let parsed = Cli::try_parse().map_err(|error| {
        let words: Vec<String> =
            std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
        slips::known(&error, &words).unwrap_or_else(|| {
            // Help and versions are errors to clap as well.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            match error.print().and_then(|()| io::stdout().flush()) {
                Err(failed) if exit == Exit::Done => failed.into(),
                _ => Failure { exit, ..Failure::usage(String::new()) },
            }
        })
    });
    match parsed.and_then(|cli| run(cli.command)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            output::failure(&failure);
            failure.exit.into()
        }
    }
}

/// Refuses `--json=OBJECT` on commands that have no arguments to set.
fn check_json(command: &Command) -> Result<(), Failure> {
    let ask = match command {
        Command::List(it) => &it.ask,
        Command::Describe(it) => &it.ask,
        Command::Read(it) => &it.ask,
        Command::Ping(it) => it,
        Command::Watch(it) => &it.ask,
        Command::Tokens(it) => &it.ask,
        Command::Lint(it) => &it.ask,
        Command::Schemas(it) => &it.ask,
        _ => return Ok(()),
    };
    match &ask.json {
        Some(Some(object)) => Err(Failure::usage(format!(
            "expected `--json` without a value, which only `call` and `prompt` take, but found {object:?}"
        ))),
        _ => Ok(()),
    }
}

fn run(command: Command) -> Result<Exit, Failure> {
    check_json(&command)?;
    // Only a server handles calls in parallel. For every other command one thread is enough.
    let mut runtime = match &command {
        Command::Serve(_) | Command::Demo => Builder::new_multi_thread(),
        _ => Builder::new_current_thread(),
    };
    let runtime = runtime.enable_all().build().map_err(Failure::runtime)?;
    if !matches!(command, Command::Serve(_) | Command::Demo) {
        warnings::show();
    }
    runtime.block_on(async {
        match command {
            Command::Demo => demo::run().await,
            Command::Serve(serve) => serve::run(serve).await,
            Command::List(list) => ask::list(list).await,
            Command::Describe(it) => describe::run(it).await,
            Command::Call(call) => ask::call(call).await,
            Command::Read(read) => ask::read(read).await,
            Command::Prompt(call) => ask::prompt(call).await,
            Command::Ping(ask) => ask::ping(ask).await,
            Command::Shell(it) => shell::run(it).await,
            Command::Dev(it) => dev::run(it).await,
            Command::Watch(watch) => watch::run(watch).await,
            Command::Login(it) => login::login(it).await,
            Command::Logout(it) => login::logout(it).await,
            Command::Servers(it) => servers::run(it).await,
            Command::Install(it) => install::run(&it),
            Command::Uninstall(it) => install::uninstall(&it),
            Command::Convert(it) => convert::run(&it),
            Command::Patch(it) => convert::patch(&it),
            Command::Tokens(it) => tokens::run(it).await,
            Command::Lint(it) => lint::run(it).await,
            Command::Schemas(it) => schemas::run(it).await,
            Command::Atlassian(it) => atlassian::run(it).await,
            Command::Inventory(it) => inventory::run(it),
            Command::Patterns(it) => patterns::run(&it),
            Command::New(it) => new::run(&it),
            Command::Completion(it) => completion::script(it.shell),
        }
    })
}
