//! The client that the benchmarks in `suite/bench` measure: `plainwire-bench-client stdio|http ERA SERVER
//! [CALLS]`.
//!
//! ERA is a revision: `2026-07-28`, or any other word for 2025-11-25. SERVER is a program or a URL, CALLS the
//! number of calls.

use std::process::Command;
use std::sync::Arc;

use plainwire::Client;
use plainwire::client::http::Remote;
use plainwire::proto::revision::Revision;
use serde::Serialize;
use tokio::runtime::Runtime;

#[path = "../../bench/src/calling.rs"]
mod calling;
#[path = "../../bench/src/tasks.rs"]
mod tasks;

use calling::{Over, STATELESS, Words};
use tasks::Tasks;

#[derive(Clone)]
struct Plainwire(Arc<Client>);

#[derive(Serialize)]
struct Echo {
    message: String,
}

#[derive(Serialize)]
struct Blob {
    bytes: usize,
}

impl Plainwire {
    async fn connect(words: &Words) -> Result<Self, String> {
        let revision =
            if words.revision == STATELESS { Revision::V2026_07_28 } else { Revision::V2025_11_25 };
        let builder = Client::builder().revisions(&[revision]);
        let connected = match words.over {
            Over::Http => builder.connect(Remote::new(&words.server)).await,
            Over::Stdio => builder.connect(Command::new(&words.server)).await,
        };
        connected.map(|client| Self(Arc::new(client))).map_err(|error| error.to_string())
    }

    async fn call(&self, name: &str, arguments: impl Serialize) -> Result<String, String> {
        self.0.call(name, arguments).await.map_err(|error| error.to_string())
    }
}

impl tasks::Client for Plainwire {
    async fn echo(&self, message: String) -> Result<String, String> {
        self.call("echo", Echo { message }).await
    }

    async fn blob(&self, bytes: usize) -> Result<String, String> {
        self.call("blob", Blob { bytes }).await
    }
}

fn main() -> Result<(), String> {
    let words = Words::read()?;
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let client = runtime.block_on(Plainwire::connect(&words))?;
    calling::report(&mut Tasks { client, runtime }, words.calls)
}
