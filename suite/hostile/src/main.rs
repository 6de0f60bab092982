//! A hostile client and a hostile server, played against Plainwire, and the bounds that it keeps meanwhile.
//!
//! ```sh
//! cargo run --release -p plainwire-hostile             # all of it, about 15 minutes
//! cargo run -p plainwire-hostile -- --short            # a tenth of each repetition, as in `.ci/run`
//! cargo run --release -p plainwire-hostile -- --only HTTP/2        # a part of the name
//! cargo run --release -p plainwire-hostile -- --only "server Sse"  # hostile servers over HTTP+SSE
//! cargo run --release -p plainwire-hostile -- --faults  # 10,000 calls through a proxy with faults, in each era
//! cargo run --release -p plainwire-hostile -- --batches # 10,000 batches of 500 calls
//! ```
//!
//! [`behaviours`] is the list. Each line of the output is one behaviour over one transport: the memory that it
//! cost, the longest time that an honest caller waited for an answer, what was left of descriptors and tasks, and
//! how long it took. A bound that is not kept is printed with `FAIL`, and makes the exit code 1.

#![expect(clippy::disallowed_methods, reason = "the rule about tasks is for the library")]

mod batches;
mod behaviours;
mod client;
mod faults;
mod gauge;
mod honest;
mod judge;
mod server;
mod text;
mod trials;
mod victim;

use std::process::ExitCode;

use judge::Run;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["victim-server", transport] => ended(runtime().block_on(victim::serve(transport == "http"))),
        ["victim-client", honest, scale, ref target @ ..] => {
            let (Ok(honest), Ok(scale)) = (honest.parse(), scale.parse()) else { return ExitCode::from(2) };
            let target = match target {
                ["url", url] => (*url).into(),
                ["stdio", name] => {
                    let Ok(program) = std::env::current_exe() else { return ExitCode::from(2) };
                    let mut command = std::process::Command::new(program);
                    command.args(["play", name, &format!("{scale}")]);
                    command.into()
                }
                _ => return ExitCode::from(2),
            };
            ended(runtime().block_on(victim::connect(target, honest, honest::pause(scale))))
        }
        ["play", name, scale] => {
            let behaviour = behaviours::of_servers().find(|it| it.name == name);
            let (Some(behaviour), Ok(scale)) = (behaviour, scale.parse()) else { return ExitCode::from(2) };
            server::stdio::serve(behaviour, scale);
            ExitCode::SUCCESS
        }
        _ => match Run::parse(&words) {
            Some(run) => run.all(),
            None => ExitCode::from(2),
        },
    }
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().expect("a runtime")
}

fn ended(result: plainwire::Result<()>) -> ExitCode {
    if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
