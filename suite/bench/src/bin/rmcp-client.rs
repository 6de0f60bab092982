//! The measured client of rmcp, written as its documentation shows.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, ClientConfig, JsonObject, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, object};
use tokio::process::Command;
use tokio::runtime::Runtime;

#[path = "../calling.rs"]
mod calling;
#[path = "../tasks.rs"]
mod tasks;

use calling::{Over, STATELESS, Words};
use tasks::{Client, Tasks};

#[derive(Clone)]
struct Rmcp(Arc<RunningService<RoleClient, ClientConfig>>);

impl Rmcp {
    async fn connect(words: &Words) -> Result<Self, String> {
        let lifecycle = match &*words.revision {
            STATELESS => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
            _ => ClientLifecycleMode::Initialize,
        };
        let info = ClientConfig::default();
        let connected = match words.over {
            Over::Http => {
                let transport = StreamableHttpClientTransport::from_uri(&*words.server);
                info.serve_with_lifecycle(transport, lifecycle).await
            }
            Over::Stdio => {
                let child = TokioChildProcess::new(Command::new(&words.server));
                info.serve_with_lifecycle(child.map_err(|error| error.to_string())?, lifecycle).await
            }
        };
        connected.map(|service| Self(Arc::new(service))).map_err(|error| error.to_string())
    }

    async fn call(&self, name: &'static str, arguments: JsonObject) -> Result<String, String> {
        let params = CallToolRequestParams::new(name).with_arguments(arguments);
        let result = self.0.call_tool(params).await.map_err(|error| error.to_string())?;
        let text = result.content.into_iter().find_map(|block| Some(block.as_text()?.text.clone()));
        text.ok_or_else(|| "expected text, but found none".into())
    }
}

impl Client for Rmcp {
    async fn echo(&self, message: String) -> Result<String, String> {
        self.call("echo", object!({ "message": message })).await
    }

    async fn blob(&self, bytes: usize) -> Result<String, String> {
        self.call("blob", object!({ "bytes": bytes })).await
    }
}

fn main() -> Result<(), String> {
    let words = Words::read()?;
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let client = runtime.block_on(Rmcp::connect(&words))?;
    calling::report(&mut Tasks { client, runtime }, words.calls)
}
