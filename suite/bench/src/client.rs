//! Cost of calls for the client. Each client is a program that measures itself against a floor server, which
//! does as little work as possible.
//!
//! In: the program of a client. Out: the rows that it prints; see `calling.rs`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::http::server::Server;
use crate::table::{Measures, Section, Target};

pub const SECTIONS: [Section; 3] = [
    ("client, stdio, 2025-11-25", |target| measure(target, "stdio", "2025-11-25", &floor("floor")?)),
    ("client, HTTP, 2025-11-25 (sessions)", |target| over_http(target, "2025-11-25")),
    ("client, HTTP, 2026-07-28 (no sessions)", |target| over_http(target, "2026-07-28")),
];

fn over_http(target: &Target, revision: &str) -> Result<Measures, String> {
    let server = Server::start(&floor("hyper-floor")?, 0)?;
    measure(target, "http", revision, &format!("http://127.0.0.1:{}/mcp", server.address.port))
}

fn measure(target: &Target, over: &str, revision: &str, server: &str) -> Result<Measures, String> {
    let mut command = Command::new(&target.path);
    command.args([over, revision, server]).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("{}: {error}", target.path))?;
    if !output.status.success() {
        return Err(format!("the client ended: {}", output.status));
    }
    String::from_utf8_lossy(&output.stdout).lines().map(row).collect()
}

/// Parses a row. It leaks the name, which does no harm: there are few names and they repeat.
fn row(line: &str) -> Result<(&'static str, f64), String> {
    let row = line.split_once('\t').and_then(|(name, value)| Some((name, value.parse().ok()?)));
    let (name, value) = row.ok_or_else(|| format!("expected a name and a number, but found {line:?}"))?;
    Ok((name.to_owned().leak(), value))
}

/// Returns the path of a floor server, which is in the folder of this program.
fn floor(name: &str) -> Result<String, String> {
    let path: PathBuf = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name(name);
    Ok(path.display().to_string())
}
