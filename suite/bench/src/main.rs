//! Compares servers or clients: each round measures every target once, in a different order; at the end it
//! prints medians.
//!
//! `plainwire-bench stdio|http|memory|client ROUNDS NAME=PATH…`; ratios refer to the first target. One thread
//! drives a server, so that the other CPUs are left to it; clients drive themselves. CPU time is read from
//! /proc and includes work that wall-clock time hides.

mod client;
mod http;
mod pipe;
mod process;
mod stdio;
mod table;

use table::Target;

const USAGE: &str = "expected stdio|http|memory|client ROUNDS NAME=PATH…";

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let mode = args.next().ok_or(USAGE)?;
    let rounds: usize = args.next().and_then(|n| n.parse().ok()).ok_or(USAGE)?;
    let targets = args.map(|arg| target(&arg)).collect::<Result<Vec<_>, _>>()?;
    match mode.as_str() {
        "stdio" => table::run(&targets, rounds, &[("stdio", |target| stdio::measure(&target.path))]),
        "http" => table::run(&targets, rounds, &http::speed::SECTIONS),
        "memory" => table::run(&targets, rounds, &http::memory::SECTIONS),
        "client" => table::run(&targets, rounds, &client::SECTIONS),
        _ => Err(USAGE.into()),
    }
}

fn target(arg: &str) -> Result<Target, String> {
    let (name, path) = arg.split_once('=').ok_or(USAGE)?;
    Ok(Target { name: name.into(), path: path.into() })
}
