//! A server in this process, and a client of it whose frames are recorded.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::Client;
use plainwire::client::ClientBuilder;
use plainwire::model::{CacheHint, CacheScope};
use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use plainwire::stream::tap::{Direction, Tap};
use plainwire::testing::client_with;
use serde_json::Value;

pub(crate) const TTL: Duration = Duration::from_secs(60);

/// All frames of a client: direction, size in bytes, and message.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<(Direction, usize, Value)>>>);

impl Seen {
    fn tap(&self) -> Tap {
        let seen = Arc::clone(&self.0);
        Tap::new(move |frame| {
            let message = serde_json::from_slice(frame.bytes).expect("JSON");
            seen.lock().expect("no panic").push((frame.direction, frame.bytes.len(), message));
        })
    }

    /// Returns the number of requests that the client has sent for `method`.
    pub(crate) fn asked(&self, method: &str) -> usize {
        let seen = self.0.lock().expect("no panic");
        seen.iter().filter(|(way, _, frame)| *way == Direction::Out && frame["method"] == method).count()
    }

    /// Returns the number of bytes in the frames of direction `way` whose message has this JSON-RPC id.
    pub(crate) fn bytes(&self, way: Direction, id: u64) -> u64 {
        let seen = self.0.lock().expect("no panic");
        let found = seen.iter().filter(|(direction, _, frame)| *direction == way && frame["id"] == id);
        found.map(|(_, bytes, _)| *bytes as u64).sum()
    }
}

pub(crate) fn hint(scope: CacheScope) -> CacheHint {
    CacheHint { scope, ttl: TTL }
}

pub(crate) fn tool(name: &str) -> Tool {
    Tool::new(name, || async { "done" })
}

pub(crate) fn server() -> Server {
    Server::new("tapped")
        .cache(hint(CacheScope::Public))
        .tool(tool("one"))
        .resource(Resource::new("a:1", "one", || async { "1" }).subscribable())
        .resource(Resource::new("a:2", "two", || async { "2" }))
}

pub(crate) async fn connect(server: Server, builder: ClientBuilder) -> (Client, Seen) {
    let seen = Seen::default();
    let client = client_with(server, builder.tap(seen.tap())).await.expect("a connection");
    (client, seen)
}

pub(crate) fn modern() -> ClientBuilder {
    Client::builder().era(EraChoice::Modern)
}
