//! Serves the fixtures: over stdio without arguments or with `--stdio`, or with `--http PORT` at
//! `http://127.0.0.1:PORT/mcp`.

use plainwire_conformance::server;

/// The transport that the arguments choose.
enum Transport {
    Http(u16),
    Stdio,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    match transport(std::env::args().skip(1))? {
        Transport::Http(port) => Ok(server().http(&format!("127.0.0.1:{port}")).await?),
        Transport::Stdio => Ok(server().stdio().await?),
    }
}

fn transport(arguments: impl Iterator<Item = String>) -> Result<Transport, String> {
    let arguments: Vec<String> = arguments.collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["--stdio"] => Ok(Transport::Stdio),
        ["--http", port] => match port.parse() {
            Ok(port) => Ok(Transport::Http(port)),
            Err(_) => Err(format!("expected a port behind `--http`, but found {port:?}")),
        },
        _ => {
            Err(format!("expected `--http PORT`, `--stdio` or nothing, but found `{}`", arguments.join(" ")))
        }
    }
}
