//! The server that benchmarks measure: five tools and, with `MCP_TOOLS=n`, n more that do nothing.
//!
//! It serves stdio, or with `--http PORT` `http://127.0.0.1:PORT/mcp`, or with `--http PORT CERTIFICATE KEY`
//! the same over HTTPS (feature `http`, on by default). `MCP_CT=1` selects the single-threaded runtime. `MCP_SLOW_MS=n` raises the limit
//! above which the first step of a handler counts as slow, for counts under an emulator in which everything
//! is slow. `MCP_OUTPUTS=FOLDER` keeps large results whole in FOLDER.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

#[cfg(feature = "http")]
use plainwire::http::Http;
use plainwire::outputs::{Folder, Settings};
use plainwire::prelude::*;
use serde_json::{Map, Value, json};

static ACTIVE: AtomicI64 = AtomicI64::new(0);

/// A guard in a handler. The handler counts as active until the guard is dropped.
struct Running;

impl Running {
    fn start() -> Self {
        ACTIVE.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        ACTIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Give back the message
#[tool]
async fn echo(message: String) -> String {
    message
}

/// Give a text of so many bytes
#[tool]
async fn blob(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// Sleep, and stop when cancelled
#[tool]
async fn sleep(ms: u64, ctx: Context) -> &'static str {
    let _running = Running::start();
    tokio::select! {
        () = tokio::time::sleep(Duration::from_millis(ms)) => {}
        () = ctx.cancelled() => {}
    }
    "slept"
}

/// Sleep, knowing nothing of cancellation
#[tool]
async fn nap(ms: u64) -> &'static str {
    let _running = Running::start();
    tokio::time::sleep(Duration::from_millis(ms)).await;
    "slept"
}

/// Returns the number of running sleep and nap handlers
#[tool]
async fn active() -> String {
    ACTIVE.load(Ordering::SeqCst).to_string()
}

fn server(dummies: usize) -> Server {
    let server = Server::new("plainwire-bench").page_size(10_000);
    let mut server = server.tool(echo).tool(blob).tool(sleep).tool(nap).tool(active);
    for n in 0..dummies {
        let dummy = Tool::new(format!("dummy_{n}"), |_: Map<String, Value>| async { "ok" });
        server =
            server.tool(dummy.description("A dummy tool that does nothing of use").input_schema(json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "Where to look" },
                    "limit": { "type": "integer", "description": "At most this many" },
                    "deep": { "type": "boolean" }
                },
                "required": ["path"]
            })));
    }
    server
}

fn main() -> Result<()> {
    let dummies = std::env::var("MCP_TOOLS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut runtime = match std::env::var_os("MCP_CT") {
        Some(_) => tokio::runtime::Builder::new_current_thread(),
        None => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = runtime.enable_all().build().expect("a runtime");
    let mut server = server(dummies);
    if let Some(folder) = std::env::var_os("MCP_OUTPUTS") {
        server = server.outputs(Settings::new(Folder::open(folder).expect("a folder")));
    }
    if let Some(millis) = std::env::var("MCP_SLOW_MS").ok().and_then(|n| n.parse().ok()) {
        server = server.slow_step(Duration::from_millis(millis));
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        #[cfg(feature = "http")]
        ["--http", port, files @ ..] => {
            // Benchmarks keep 10,000 connections or streams idle, which is the default limit, and open
            // further connections to measure them.
            let http = Http::new(server).max_connections(20_000).max_connections_per_address(20_000);
            let http = match files {
                [certificate, key] => http.tls(certificate, key),
                _ => http,
            };
            runtime.block_on(http.serve(&format!("127.0.0.1:{port}")))
        }
        _ => runtime.block_on(server.stdio()),
    }
}
