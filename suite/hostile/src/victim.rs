//! The programs under test: a server and a client, each with Plainwire.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use plainwire::client::Target;
use plainwire::model::SubscriptionFilter;
use plainwire::prelude::*;
use plainwire::proto::peer::{Limits, RequestOptions};
use plainwire::{Client, Error, http::Http};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::time::{sleep as pause, timeout};

use crate::gauge::{self, Reading};

/// The memory that a server under test keeps for its callers. One of them gets half. A run may take more than that,
/// because the copies that running calls make of their arguments are not counted: on each thread about twice the size
/// of a body.
const MEMORY: usize = 48 << 20;

/// Give back the message
#[tool]
async fn echo(message: String) -> String {
    message
}

/// Give a text of so many bytes
#[tool]
async fn blob(bytes: usize) -> String {
    "x".repeat(bytes.min(2_000_000))
}

/// Sleep
#[tool]
async fn sleep(ms: u64) -> &'static str {
    pause(Duration::from_millis(ms.min(5_000))).await;
    "slept"
}

#[data]
struct Choice {
    which: String,
}

/// Ask the user
#[tool]
async fn ask(context: Context) -> std::result::Result<String, ToolError> {
    let answer = context.elicit::<Choice>("choice", "Which one?").await?;
    Ok(format!("{}", matches!(answer, Answer::Accepted(_))))
}

/// Count the roots, after some time
#[tool]
async fn folders(ms: u64, context: Context) -> std::result::Result<usize, ToolError> {
    pause(Duration::from_millis(ms.min(5_000))).await;
    Ok(context.list_roots("roots").await?.len())
}

/// Do nothing
#[tool]
async fn nothing() -> &'static str {
    "nothing"
}

/// A note
#[resource("note://{name}")]
async fn note(name: String) -> String {
    name
}

fn server() -> Server {
    let limits = Limits { memory: Some(MEMORY), ..Limits::default() };
    Server::new("victim")
        .limits(limits)
        .ask_timeout(Duration::from_secs(2))
        .single_use_states()
        .log_level(None)
        .tool(echo)
        .tool(blob)
        .tool(sleep)
        .tool(ask)
        .tool(folders)
        .tool(nothing)
        .resource(note)
}

/// Serves on stdin and stdout, or over HTTP. Says on stderr where it tells its numbers, and where it serves: everybody,
/// and those who have a token.
pub(crate) async fn serve(http: bool) -> Result<()> {
    let failed = |source| Error::Io { doing: "opening a port", source };
    let port = gauge::serve(Handle::current()).map_err(failed)?;
    if !http {
        let _ = writeln!(std::io::stderr(), "numbers {port}");
        return server().stdio().await;
    }
    let bind = async || {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        listener.local_addr().map(|address| (listener, address))
    };
    let (open, address) = bind().await.map_err(failed)?;
    let (guarded, other) = bind().await.map_err(failed)?;
    let _ = writeln!(std::io::stderr(), "numbers {port} {address} {other}");
    let guard = web().bearer_token("ada", "token-of-ada").bearer_token("bob", "token-of-bob");
    let (open, guarded) = tokio::join!(
        web().serve_on(open, std::future::pending()),
        guard.serve_on(guarded, std::future::pending())
    );
    open.and(guarded)
}

fn web() -> Http {
    Http::new(server())
        .http_sse()
        .session_idle(Duration::from_secs(1))
        .head_timeout(Duration::from_secs(2))
        .body_timeout(Duration::from_secs(2))
        .send_timeout(Duration::from_secs(2))
        .keep_alive_timeout(Duration::from_secs(2))
}

/// Connects to a hostile server and to an honest one at `honest`, and makes calls to both; to the honest one with
/// `rest` between two of them. Writes to stdout what became of them.
pub(crate) async fn connect(hostile: Target, honest: SocketAddr, rest: Duration) -> Result<()> {
    let friend = Client::connect(format!("http://{honest}/mcp").as_str()).await?;
    for _ in 0..20 {
        friend.call_tool("echo", json!({ "message": "m" })).await?;
    }
    pause(Duration::from_millis(100)).await;
    gauge::reset_peak();
    let before = Reading::of_this_process(&Handle::current());

    let slowest = Arc::new(AtomicU64::new(0));
    let friend = Arc::new(friend);
    let calling = tokio::spawn({
        let (friend, slowest) = (Arc::clone(&friend), Arc::clone(&slowest));
        async move {
            loop {
                let began = Instant::now();
                let _ = friend.call_tool("echo", json!({ "message": "m" })).await;
                slowest.fetch_max(began.elapsed().as_millis() as u64, Ordering::Relaxed);
                pause(rest).await;
            }
        }
    });
    // The deadlines below are 1 s and 3 s; the rest is for a machine that is busy.
    let ended = timeout(Duration::from_secs(15), visit(hostile)).await;
    let peak = Reading::of_this_process(&Handle::current());
    calling.abort();
    let _ = calling.await;
    let mut after = Reading::of_this_process(&Handle::current());
    for _ in 0..100 {
        if after.tasks <= before.tasks && after.descriptors <= before.descriptors {
            break;
        }
        pause(Duration::from_millis(50)).await;
        after = Reading::of_this_process(&Handle::current());
    }
    let report = json!({
        "hung": ended.is_err(),
        "ended": ended.unwrap_or_default(),
        "slowest_ms": slowest.load(Ordering::Relaxed),
        "grew_kib": peak.peak.saturating_sub(before.memory),
        "descriptors": after.descriptors.saturating_sub(before.descriptors),
        "most_descriptors": peak.descriptors.saturating_sub(before.descriptors),
        "tasks": after.tasks.saturating_sub(before.tasks),
    });
    let _ = writeln!(std::io::stdout(), "{report}");
    Ok(())
}

/// Makes requests to a hostile server. Returns what became of each: `ok`, or the kind of its error.
async fn visit(hostile: Target) -> Vec<String> {
    let deadlines = RequestOptions { idle: Duration::from_secs(1), hard: Duration::from_secs(3) };
    let builder = Client::builder()
        .deadlines(deadlines)
        .connect_deadline(Duration::from_secs(3))
        .on_elicit(|_| async { std::future::pending().await });
    let client = match builder.connect(hostile).await {
        Ok(client) => client,
        Err(error) => return vec![format!("connect: {}", kind(&error))],
    };
    let filter = SubscriptionFilter { tools_list_changed: true, ..SubscriptionFilter::default() };
    let calls = (0..10).map(|_| client.call_tool("echo", json!({ "message": "m" })));
    let mut ends: Vec<_> = Vec::new();
    let (calls, listed, _listening) = tokio::join!(join(calls), client.list_tools(), client.listen(filter));
    ends.extend(calls.into_iter().map(|call| call.map_or_else(|error| kind(&error), |_| "ok".to_owned())));
    ends.push(listed.map_or_else(|error| kind(&error), |_| "ok".to_owned()));
    ends.push(client.revision().to_string());
    client.close().await;
    ends
}

async fn join<F: Future>(calls: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut calls: Vec<_> = calls.map(Box::pin).collect();
    let mut ended = Vec::new();
    std::future::poll_fn(|cx| {
        calls.retain_mut(|call| match call.as_mut().poll(cx) {
            std::task::Poll::Ready(end) => {
                ended.push(end);
                false
            }
            std::task::Poll::Pending => true,
        });
        if calls.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    ended
}

/// Returns the name of an error's variant.
fn kind(error: &Error) -> String {
    let debug = format!("{error:?}");
    debug.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default().to_owned()
}
