//! Members of the hosts under test: servers in this process, and a scripted legacy server that can be slow or
//! dead.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::Client;
use plainwire::client::host::{Listing, Member};
use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use plainwire::testing;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::watch;
use tokio::task::JoinSet;

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn tool(name: &str) -> Tool {
    let says = name.to_owned();
    Tool::new(name, move || {
        let says = says.clone();
        async move { says }
    })
}

pub(crate) fn server(tools: &[&str]) -> Server {
    tools.iter().fold(Server::new("some"), |server, name| server.tool(tool(name)))
}

pub(crate) fn member(name: &'static str, server: Server) -> Member {
    Member::connecting(name, testing::client(server))
}

pub(crate) fn names(listing: &Listing) -> Vec<&str> {
    listing.entries.iter().map(|entry| entry.name.as_str()).collect()
}

/// The behaviour of a scripted server, which a test can change while the server runs.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    /// Whether the server closes the connection.
    pub(crate) is_dead: bool,
    /// Whether the server leaves requests unanswered.
    pub(crate) is_slow: bool,
    pub(crate) list_changed: bool,
    pub(crate) tools: Value,
}

impl Default for Mode {
    fn default() -> Self {
        let tools = json!([{ "name": "hello", "inputSchema": { "type": "object" } }]);
        Self { is_dead: false, is_slow: false, list_changed: true, tools }
    }
}

/// A scripted legacy server. `asked` has the methods of all messages that it has received.
pub(crate) struct Scripted {
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
    pub(crate) mode: watch::Sender<Mode>,
    pub(crate) _task: JoinSet<()>,
}

impl Scripted {
    pub(crate) fn asked(&self, method: &str) -> usize {
        self.asked.lock().expect("no panic").iter().filter(|asked| *asked == method).count()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Mode)) {
        self.mode.send_modify(change);
    }
}

pub(crate) async fn scripted(mode: Mode) -> (Client, Scripted) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (mode, changes) = watch::channel(mode);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let mut task = JoinSet::new();
    task.spawn(serve(theirs, changes, Arc::clone(&asked)));
    let (reader, writer) = tokio::io::split(ours);
    let client =
        Client::builder().era(EraChoice::Legacy).streams(reader, writer).await.expect("a connection");
    (client, Scripted { asked, mode, _task: task })
}

async fn serve(
    stream: tokio::io::DuplexStream,
    mut mode: watch::Receiver<Mode>,
    asked: Arc<Mutex<Vec<String>>>,
) {
    let (from, mut to) = tokio::io::split(stream);
    let mut lines = BufReader::new(from).lines();
    let mut waiting: Vec<Value> = Vec::new();
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return };
                let message: Value = serde_json::from_str(&line).expect("JSON");
                asked.lock().expect("no panic").push(message["method"].as_str().unwrap_or_default().to_owned());
                waiting.push(message);
            }
            changed = mode.changed() => if changed.is_err() { return },
        }
        let now = mode.borrow_and_update().clone();
        if now.is_dead {
            return;
        }
        if now.is_slow {
            continue;
        }
        for message in waiting.drain(..) {
            let result = match message["method"].as_str() {
                Some("initialize") => {
                    let tools = json!({ "listChanged": now.list_changed });
                    json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": tools } })
                }
                Some("tools/list") => json!({ "tools": now.tools }),
                Some("tools/call") => {
                    json!({ "content": [{ "type": "text", "text": message["params"]["name"] }] })
                }
                _ => continue,
            };
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            if to.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }
}
