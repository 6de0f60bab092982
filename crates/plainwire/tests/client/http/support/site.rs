//! A server of this crate that runs on a port of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainwire::ServerHandle;
use plainwire::client::http::Remote;
use plainwire::http::Http;
use plainwire::model::{CacheHint, CacheScope};
use plainwire::prelude::*;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Counts of the calls of the tools `write` and `wait` of the server.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    /// The number of times that the tool `write` ran.
    pub(crate) written: Arc<AtomicUsize>,
    /// The number of calls of the tool `wait` that were dropped before their end.
    pub(crate) dropped: Arc<AtomicUsize>,
}

struct Dropped(Seen, bool);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(usize::from(!self.1), Ordering::SeqCst);
    }
}

#[tool(read_only)]
async fn echo(text: String) -> String {
    text
}

/// Changes something each time.
#[tool]
async fn write(seen: State<Seen>, ctx: Context) -> String {
    ctx.progress(1.0, None, Some("writing"));
    format!("written {}", 1 + seen.written.fetch_add(1, Ordering::SeqCst))
}

#[tool(read_only)]
async fn count(to: u32, ctx: Context) -> String {
    for n in 1..=to {
        ctx.progress(n.into(), Some(to.into()), None);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    format!("counted to {to}")
}

#[tool]
async fn wait(ms: u64, seen: State<Seen>) -> &'static str {
    let mut dropped = Dropped(Seen::clone(&seen), false);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    dropped.1 = true;
    "waited"
}

#[tool]
async fn greet(ctx: Context) -> Result<String, ToolError> {
    #[data]
    struct Name {
        name: String,
    }
    let name: Name = ctx.elicit("name", "Your name?").await?.accepted()?;
    Ok(format!("Hello, {}!", name.name))
}

/// Tells which region it was asked in, which stands in a header too.
#[tool]
async fn region(#[header("Region")] region: String) -> String {
    region
}

pub(crate) fn server(seen: &Seen) -> Server {
    let hint = CacheHint { scope: CacheScope::Public, ttl: Duration::from_secs(60) };
    let server = plainwire::server!("site").state(seen.clone()).cache(hint);
    let server = server.tool(echo).tool(write).tool(count).tool(wait).tool(greet).tool(region);
    server.resource(Resource::new("a://1", "1", || async { "1" }).subscribable())
}

/// A server that runs until the value is dropped.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) handle: ServerHandle,
    pub(crate) seen: Seen,
    _task: JoinSet<()>,
}

impl Site {
    pub(crate) async fn new() -> Self {
        Self::with(|http| http).await
    }

    pub(crate) async fn with(adapt: impl FnOnce(Http) -> Http) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        Self::on(listener, adapt)
    }

    pub(crate) fn on(listener: TcpListener, adapt: impl FnOnce(Http) -> Http) -> Self {
        let address = listener.local_addr().expect("an address");
        let seen = Seen::default();
        let mut server = server(&seen);
        let handle = server.handle();
        let http = adapt(Http::new(server));
        let mut task = JoinSet::new();
        task.spawn(async move {
            http.serve_on(listener, std::future::pending()).await.expect("a legal server");
        });
        Self { address, handle, seen, _task: task }
    }

    pub(crate) fn remote(&self) -> Remote {
        remote(self.address)
    }

    pub(crate) fn written(&self) -> usize {
        self.seen.written.load(Ordering::SeqCst)
    }
}

pub(crate) fn remote(address: SocketAddr) -> Remote {
    Remote::new(format!("http://{address}/mcp"))
}
