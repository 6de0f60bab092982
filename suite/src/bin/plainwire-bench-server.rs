//! The server that benchmarks measure: five tools and, with `MCP_TOOLS=n`, n more that do nothing.
//!
//! `MCP_CT=1` takes the single-threaded runtime. `MCP_SLOW_MS=n` raises what counts as a slow first step, for counts
//! under an emulator in which everything is slow.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use plainwire::prelude::*;
use serde_json::{Map, Value, json};

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Echo {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Blob {
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Sleep {
    ms: u64,
}

static ACTIVE: AtomicI64 = AtomicI64::new(0);

/// Counts a handler for as long as it runs, however it ends.
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

async fn nap(it: Sleep) -> &'static str {
    let _running = Running::start();
    tokio::time::sleep(Duration::from_millis(it.ms)).await;
    "slept"
}

async fn sleep(it: Sleep, ctx: Context) -> &'static str {
    let _running = Running::start();
    tokio::select! {
        () = tokio::time::sleep(Duration::from_millis(it.ms)) => {}
        () = ctx.cancelled() => {}
    }
    "slept"
}

fn server(dummies: usize) -> Server {
    let mut server = Server::new("plainwire-bench")
        .page_size(10_000)
        .tool(Tool::new("echo", |it: Echo| async move { it.message }).description("Give back the message"))
        .tool(
            Tool::new("blob", |it: Blob| async move { "x".repeat(it.bytes) })
                .description("Give a text of so many bytes"),
        )
        .tool(Tool::new("sleep", sleep).description("Sleep, and stop when cancelled"))
        .tool(Tool::new("nap", nap).description("Sleep, knowing nothing of cancellation"))
        .tool(
            Tool::new("active", || async { ACTIVE.load(Ordering::SeqCst).to_string() })
                .description("How many sleep or nap handlers run"),
        );
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

fn main() -> plainwire::Result<()> {
    let dummies = std::env::var("MCP_TOOLS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut runtime = match std::env::var_os("MCP_CT") {
        Some(_) => tokio::runtime::Builder::new_current_thread(),
        None => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = runtime.enable_all().build().expect("a runtime");
    let mut server = server(dummies);
    if let Some(millis) = std::env::var("MCP_SLOW_MS").ok().and_then(|n| n.parse().ok()) {
        server = server.slow_step(Duration::from_millis(millis));
    }
    runtime.block_on(server.stdio())
}
