//! An HTTP server that counts its running and its dropped calls, for tests of proxies between client and
//! server.
//!
//! The first line of stderr has its address.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use plainwire::prelude::*;

#[derive(Clone, Default)]
struct Seen {
    dropped: Arc<AtomicUsize>,
    running: Arc<AtomicUsize>,
}

struct Run(Seen, bool);

impl Drop for Run {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, SeqCst);
        self.0.dropped.fetch_add(usize::from(!self.1), SeqCst);
    }
}

/// Counts, and says so each time.
#[tool]
async fn count(to: u32, ms: u64, seen: State<Seen>, ctx: Context) -> String {
    let mut run = begin(&seen);
    for n in 1..=to {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        ctx.progress(n.into(), Some(to.into()), None);
    }
    run.1 = true;
    format!("counted to {to}")
}

/// Says nothing for a while.
#[tool]
async fn wait(ms: u64, seen: State<Seen>) -> &'static str {
    let mut run = begin(&seen);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    run.1 = true;
    "waited"
}

/// How many calls run, and how many were dropped.
#[tool]
async fn seen(seen: State<Seen>) -> String {
    format!("{} {}", seen.running.load(SeqCst), seen.dropped.load(SeqCst))
}

fn begin(seen: &Seen) -> Run {
    seen.running.fetch_add(1, SeqCst);
    Run(seen.clone(), false)
}

#[tokio::main]
async fn main() -> Result<()> {
    plainwire::server!("counting")
        .state(Seen::default())
        .tool(count)
        .tool(wait)
        .tool(seen)
        .http("127.0.0.1:0")
        .await
}
