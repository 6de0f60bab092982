//! The measured server of rmcp with the tools of the benchmark, written as its documentation shows, on the
//! runtime of `#[tokio::main]`.
//!
//! It serves stdio, or with `--http PORT` HTTP through `axum` at `/mcp`. Unlike rmcp's examples it sets
//! TCP_NODELAY: without it each answer would wait 40 ms, which would hide everything else.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use axum::serve::ListenerExt as _;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ServerCapabilities, ServerConfig, Tool};
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use serde::Deserialize;

static ACTIVE: AtomicI64 = AtomicI64::new(0);

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

#[derive(Deserialize, schemars::JsonSchema)]
struct Echo {
    message: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Blob {
    bytes: usize,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Nap {
    ms: u64,
}

#[derive(Clone)]
struct Bench {
    tool_router: ToolRouter<Self>,
}

fn text(text: impl Into<String>) -> Result<CallToolResult, ErrorData> {
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
}

#[tool_router]
impl Bench {
    fn new(dummies: usize) -> Self {
        let mut tool_router = Self::tool_router();
        for n in 0..dummies {
            let schema: JsonObject = serde_json::from_value(serde_json::json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "Where to look" },
                    "limit": { "type": "integer", "description": "At most this many" },
                    "deep": { "type": "boolean" }
                },
                "required": ["path"]
            }))
            .expect("an object");
            let tool = Tool::new(format!("dummy_{n}"), "A dummy tool that does nothing of use", schema);
            tool_router.add_route(ToolRoute::new_dyn(tool, |_| {
                Box::pin(async { Ok(CallToolResult::success(vec![ContentBlock::text("ok")]).into()) })
            }));
        }
        Self { tool_router }
    }

    #[tool(description = "Give back the message")]
    async fn echo(&self, Parameters(it): Parameters<Echo>) -> Result<CallToolResult, ErrorData> {
        text(it.message)
    }

    #[tool(description = "Give a text of so many bytes")]
    async fn blob(&self, Parameters(it): Parameters<Blob>) -> Result<CallToolResult, ErrorData> {
        text("x".repeat(it.bytes))
    }

    #[tool(description = "Sleep, knowing nothing of cancellation")]
    async fn nap(&self, Parameters(it): Parameters<Nap>) -> Result<CallToolResult, ErrorData> {
        let _running = Running::start();
        tokio::time::sleep(Duration::from_millis(it.ms)).await;
        text("slept")
    }

    #[tool(description = "How many naps run")]
    async fn active(&self) -> Result<CallToolResult, ErrorData> {
        text(ACTIVE.load(Ordering::SeqCst).to_string())
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Bench {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main]
async fn main() {
    let dummies = std::env::var("MCP_TOOLS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--http", port] => http(port, dummies).await,
        ["--http", ..] => panic!("expected --http PORT: there is no TLS here"),
        _ => {
            let service = Bench::new(dummies).serve(stdio()).await.expect("a handshake");
            let _ = service.waiting().await;
        }
    }
}

async fn http(port: &str, dummies: usize) {
    let service = StreamableHttpService::new(
        move || Ok(Bench::new(dummies)),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("a free port");
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a socket"));
    axum::serve(listener, router).await.expect("a listener");
}
