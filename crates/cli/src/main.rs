//! The command `plainwire`: from argv to exit code.
//!
//! Results go to stdout, words about them to stderr. What an exit code means is said in [`exit::Exit`].

mod args;
mod arguments;
mod ask;
mod demo;
mod exit;
mod output;
mod serve;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Demo => demo::run().await,
        Command::Serve(serve) => serve::run(serve).await,
        Command::List(ask) => ask::list(ask).await,
        Command::Call(call) => ask::call(call).await,
        Command::Read(read) => ask::read(read).await,
        Command::Prompt(call) => ask::prompt(call).await,
        Command::Ping(ask) => ask::ping(ask).await,
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            output::failure(&failure);
            failure.exit.into()
        }
    }
}
