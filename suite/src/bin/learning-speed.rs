//! The speed and the memory of the learning server beside the reference server, in one run:
//! `cargo build --release && cargo run --release -p plainwire-suite --bin learning-speed target/release/plainwire`.
//!
//! In: the path of the command. Out: a table on stdout. Both servers are processes on pipes; the reference server, which adds two
//! numbers, is the floor of a call.

#![allow(clippy::print_stdout, reason = "the table is for people")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use plainwire_suite::program::call;
use serde_json::{Value, json};

/// The number of starts, and of calls, of which the median is shown.
const STARTS: usize = 21;
const CALLS: usize = 301;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"speed","version":"1"}}}"#;

struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    fn start(command: &str, words: &[&str]) -> std::io::Result<Self> {
        let mut child =
            Command::new(command).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let mut server = Self { child, stdin, stdout: BufReader::new(stdout) };
        server.ask(INITIALIZE)?;
        Ok(server)
    }

    fn ask(&mut self, line: &str) -> std::io::Result<String> {
        writeln!(self.stdin, "{line}")?;
        let mut answer = String::new();
        self.stdout.read_line(&mut answer)?;
        Ok(answer)
    }

    /// Returns the median time of a call.
    fn time(&mut self, tool: &str, arguments: &Value) -> std::io::Result<Duration> {
        let mut times = Vec::new();
        for id in 0..CALLS {
            let line = call(id as u64 + 2, tool, arguments.clone());
            let began = Instant::now();
            let answer = self.ask(&line)?;
            times.push(began.elapsed());
            assert!(!answer.contains("\"isError\":true"), "{answer}");
        }
        Ok(median(times))
    }

    /// Returns the resident memory, in MiB.
    fn resident(&self) -> std::io::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap_or_default();
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(f64::NAN) / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

fn main() -> std::io::Result<()> {
    let command = std::env::args().nth(1).unwrap_or_else(|| "target/release/plainwire".to_owned());
    let folder = tempfile::tempdir()?;
    let vault = folder.path().join("vault.db");
    let vault = vault.to_str().expect("a path");
    let learning = ["serve", "learning", "--data", vault, "--profile", "data"];
    let start = |words: &[&str]| -> std::io::Result<Duration> {
        let began = Instant::now();
        Server::start(&command, words)?;
        Ok(began.elapsed())
    };
    println!("first start, which makes the vault  {:>9.2?}", start(&learning)?);
    let starts =
        |words: &[&str]| (0..STARTS).map(|_| start(words)).collect::<Result<Vec<_>, _>>().map(median);
    println!("start                               {:>9.2?}", starts(&learning)?);
    println!("floor: start of the reference       {:>9.2?}", starts(&["serve", "reference"])?);
    let mut server = Server::start(&command, &learning)?;
    for (tool, arguments) in [
        ("search_resources", json!({ "query": "rust async" })),
        ("search_resources", json!({ "query": "tokoi" })),
        ("discover_resources", json!({ "query": "where do I start with Rust?" })),
        ("discover_resources", json!({ "query": "software supply chain signing", "explain": true })),
        ("get_resource", json!({ "id": "raft-paper" })),
    ] {
        println!("{:<36}{:>9.2?}", format!("{tool} {}", arguments["query"]), server.time(tool, &arguments)?);
    }
    println!("resident at most                    {:>6.1} MiB", server.resident()?);
    let mut reference = Server::start(&command, &["serve", "reference"])?;
    let floor = reference.time("calculate", &json!({ "expression": "1 + 2" }))?;
    println!("floor: a call of the reference      {floor:>9.2?}");
    println!("floor: resident of the reference    {:>6.1} MiB", reference.resident()?);
    Ok(())
}
