//! The server of these tests, and two clients that see every byte: one without sockets, and one with them.

pub(crate) mod service_client;
pub(crate) mod socket_client;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainwire::http::Http;
use plainwire::prelude::*;

/// Counts of the handlers of `wait` and `tick`: those that run, and those that were dropped before their end.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    pub(crate) dropped: Arc<AtomicUsize>,
    pub(crate) running: Arc<AtomicUsize>,
}

pub(crate) struct Run(pub(crate) Seen, pub(crate) bool);

impl Drop for Run {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        self.0.dropped.fetch_add(usize::from(!self.1), Ordering::SeqCst);
    }
}

#[tool]
async fn echo(text: String) -> String {
    text
}

/// Counts, and says so each time.
#[tool]
async fn count(to: u32, #[default(0)] pause_ms: u64, ctx: Context) -> String {
    for n in 1..=to {
        ctx.progress(n.into(), Some(to.into()), None);
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
    }
    format!("counted to {to}")
}

#[tool]
async fn wait(ms: u64, seen: State<Seen>) -> &'static str {
    seen.running.fetch_add(1, Ordering::SeqCst);
    let mut run = Run(Seen::clone(&seen), false);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    run.1 = true;
    "waited"
}

/// Asks for a name.
#[tool]
async fn greet(ctx: Context) -> Result<String, ToolError> {
    #[data]
    struct Name {
        name: String,
    }
    let name: Name = ctx.elicit("name", "Your name?").await?.accepted()?;
    Ok(format!("Hello, {}!", name.name))
}

/// Lets its reader go in between.
#[tool]
async fn leave(ctx: Context) -> &'static str {
    ctx.progress(1.0, None, None);
    ctx.close_stream(Duration::from_millis(10));
    tokio::time::sleep(Duration::from_millis(50)).await;
    "still here"
}

#[tool]
pub(crate) async fn whoami(principal: Principal) -> String {
    principal.name
}

pub(crate) fn server(seen: &Seen) -> Server {
    plainwire::server!("web")
        .state(seen.clone())
        .tool(echo)
        .tool(count)
        .tool(wait)
        .tool(greet)
        .tool(leave)
        .resource(Resource::new("a://1", "1", || async { "1" }).subscribable())
}

pub(crate) fn http() -> Http {
    Http::new(server(&Seen::default()))
}
