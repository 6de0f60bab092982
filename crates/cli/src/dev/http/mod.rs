//! Clients over HTTP, and the server behind them, which serves HTTP at an address of its own.
//!
//! In: requests of clients at `--http`, and changes of files. Out: the responses of the server at `--url`. Only one
//! server can have that address, so a restart ends the old server before it starts the new one. Requests that arrive
//! meanwhile wait for the new server.

mod asked;
mod forward;
mod front;
mod process;
mod session;
mod standing;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::Uri;
use hyper::http::uri::Scheme;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, Receiver};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::build_process::BuildProcess;
use super::signals::Signals;
use super::{DRAIN, MAX_EVENTS, Plan, server};
use crate::exit::{Exit, Failure};
use crate::{output, slips};
use front::Front;
use process::Process;

/// The time between two attempts to connect to a server that starts.
const ATTEMPT: Duration = Duration::from_millis(20);

/// The time after which the developer is told that the server accepts no connections yet.
const SILENCE: Duration = Duration::from_secs(5);

/// Serves clients at `address`, in front of the server at `url`, until a signal ends it.
pub(super) async fn run(plan: Plan, address: &str, url: &str) -> Result<Exit, Failure> {
    let url = upstream(url)?;
    let listener = listen(address).await?;
    let own = listener.local_addr().map_err(|error| not_listening(address, &error))?;
    let upstream: Option<SocketAddr> = url.authority().and_then(|it| it.as_str().parse().ok());
    if upstream == Some(own) {
        let text = format!("expected --url to have another address than --http, but found {own} in both");
        let hint = Some("the server itself needs a port of its own, which --url names".to_owned());
        return Err(Failure { hint, ..Failure::usage(text) });
    }
    if accepts(&url).await {
        let text = format!("expected the address of --url to be free, but another program listens at {url}");
        let hint = "end that program, perhaps the server of an earlier `plainwire dev` that was killed: `plainwire dev` \
                    starts the server itself";
        let hint = Some(hint.to_owned());
        return Err(Failure { exit: Exit::Unreachable, hint, text });
    }
    output::note(&format!("clients connect to http://{own}{}", url.path()));
    let front = Arc::new(Front::new(url));
    let signals = Signals::new().map_err(Failure::runtime)?;
    let (mut running, build_process) = (None, BuildProcess::default());
    let ended = tokio::select! {
        () = develop(plan, &build_process, &front, &mut running) => Exit::Done,
        () = front::serve(listener, Arc::clone(&front)) => Exit::Done,
        exit = signals.asked_to_end() => exit,
    };
    build_process.end();
    if let Some(server) = running {
        front.pause();
        server.end().await;
    }
    Ok(ended)
}

/// Reads the URL of the server.
fn upstream(url: &str) -> Result<Uri, Failure> {
    let wrong = |why: &str| {
        Failure::usage(format!("expected a URL such as http://127.0.0.1:8000/mcp as --url, but {why}"))
    };
    if !url.contains("://") && slips::is_url(url) {
        let hint = Some(format!("--url {}", slips::with_scheme(url)));
        return Err(Failure { hint, ..wrong(&format!("found {url:?}")) });
    }
    let parsed: Uri = url.parse().map_err(|error| wrong(&format!("found {url:?}: {error}")))?;
    // The command starts the server on this machine, where nobody is on the way.
    if parsed.scheme() != Some(&Scheme::HTTP) {
        return Err(wrong(&format!("found {url:?}")));
    }
    Ok(parsed)
}

async fn listen(address: &str) -> Result<TcpListener, Failure> {
    let numeric = address.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let parsed: SocketAddr = numeric.as_deref().unwrap_or(address).parse().map_err(|error| {
        Failure::usage(format!(
            "expected an address and port such as 127.0.0.1:8001 as --http, but found {address:?}: {error}"
        ))
    })?;
    // A server under development is not for others, and may not ask who calls.
    if !parsed.ip().is_loopback() {
        return Err(Failure::usage(format!(
            "expected a loopback address such as 127.0.0.1:8001 as --http, but found {address:?}"
        )));
    }
    TcpListener::bind(parsed).await.map_err(|error| not_listening(address, &error))
}

fn not_listening(address: &str, error: &std::io::Error) -> Failure {
    let is_in_use = error.kind() == std::io::ErrorKind::AddrInUse;
    let hint =
        is_in_use.then(|| "another program listens there; --http 127.0.0.1:0 takes a free port".to_owned());
    Failure { exit: Exit::Unreachable, hint, text: format!("listening at {address} failed: {error}") }
}

/// Returns whether a program accepts connections at the address of a URL.
async fn accepts(url: &Uri) -> bool {
    let host = url.host().unwrap_or_default().trim_matches(['[', ']']);
    let port = url.port_u16().unwrap_or(80);
    TcpStream::connect((host, port)).await.is_ok()
}

/// Builds the server, runs it, and does so again after each change.
async fn develop(plan: Plan, build_process: &BuildProcess, front: &Front, running: &mut Option<Process>) {
    let Plan { build, command, watched } = plan;
    let (sink, mut changes) = mpsc::channel(MAX_EVENTS);
    std::thread::spawn(move || watched.each_change(|path| sink.blocking_send(path).is_ok()));
    // Whether the server that runs has accepted no connection yet.
    let mut is_starting = false;
    loop {
        if running.is_none() {
            front.pause();
        }
        let is_good = built(&build, build_process, front, running).await;
        // A file that changed during the build is not in it.
        if noted(&mut changes) {
            continue;
        }
        if is_good {
            restart(&command, front, running).await;
            is_starting = true;
        } else {
            let state = if running.is_some() { "; the server that runs goes on" } else { "" };
            if running.is_none() {
                front.stop("its build failed");
            }
            output::note(&format!("the build failed{state}"));
        }
        let changed = loop {
            let is_running = running.is_some();
            tokio::select! {
                path = changes.recv() => break path,
                status = exited(running) => {
                    gone(&status, front, running);
                    if is_starting {
                        output::note(&format!("it has accepted no connection at {}; does it serve HTTP there?", front.url()));
                    }
                }
                () = started(front), if is_starting && is_running => is_starting = false,
            }
        };
        let Some(path) = changed else { return };
        output::note(&format!("{path} has changed"));
        noted(&mut changes);
    }
}

/// Builds the server. Returns whether the build succeeded.
async fn built(
    words: &[OsString],
    build_process: &BuildProcess,
    front: &Front,
    running: &mut Option<Process>,
) -> bool {
    if words.is_empty() {
        return true;
    }
    let (words, build_process, (done, mut built)) =
        (words.to_vec(), build_process.clone(), oneshot::channel());
    // Not a blocking task of the runtime: the runtime would wait for it when the command ends.
    std::thread::spawn(move || done.send(build_process.run(&words)));
    loop {
        tokio::select! {
            is_good = &mut built => return is_good.unwrap_or(false),
            status = exited(running) => gone(&status, front, running),
        }
    }
}

/// Waits until the server that runs exits by itself. Returns its exit status.
async fn exited(running: &mut Option<Process>) -> String {
    match running {
        Some(server) => server.exited().await,
        None => std::future::pending().await,
    }
}

/// Handles the exit of a server.
fn gone(status: &str, front: &Front, running: &mut Option<Process>) {
    front.stop(format!("it ended ({status})"));
    *running = None;
    output::note(&format!("the server ended ({status}); it is started again after the next change"));
}

/// Shows the files that have changed. Returns whether there are any.
fn noted(changes: &mut Receiver<String>) -> bool {
    let mut has_any = false;
    while let Ok(path) = changes.try_recv() {
        output::note(&format!("{path} has changed"));
        has_any = true;
    }
    has_any
}

/// Ends the server that runs, once it has answered its requests or had time for it, and starts the next one.
async fn restart(command: &[OsString], front: &Front, running: &mut Option<Process>) {
    if let Some(old) = running.take() {
        front.finish();
        let _ = timeout(DRAIN, front.idle()).await;
        front.pause();
        old.end().await;
    } else {
        front.pause();
    }
    match Process::start(command) {
        Ok(server) => *running = Some(server),
        Err(error) => {
            front.stop("it could not be started");
            output::note(&server::not_started(command, &error));
        }
    }
}

/// Waits until the server accepts connections, and lets requests through.
async fn started(front: &Front) {
    let listening = async {
        while !accepts(front.url()).await {
            sleep(ATTEMPT).await;
        }
    };
    let mut listening = std::pin::pin!(listening);
    if timeout(SILENCE, &mut listening).await.is_err() {
        // Requests need not wait: the server may listen elsewhere.
        let url = front.url();
        front.stop(format!("it accepts no connections at {url}"));
        output::note(&format!(
            "the server accepts no connections at {url} yet; does its command name this address?"
        ));
        listening.await;
    }
    output::note(if front.resume() == 1 { "the server was started" } else { "the server was restarted" });
}
