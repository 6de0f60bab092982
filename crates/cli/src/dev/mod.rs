//! `plainwire dev`: serves a server under development, and restarts it when its sources change.
//!
//! In: changes of files, and the messages of clients and servers. Out: the same messages, and on stderr the calls, the
//! output of builds, and the log of the server. Clients stay connected: after a restart they are told that everything
//! may have changed. If a build fails, the server that runs goes on.
//!
//! [`stdio`] serves one client on stdin and stdout, [`http`] serves clients over HTTP.

mod batch;
mod build;
mod build_process;
mod changes;
mod child;
mod http;
mod proxy;
mod room;
mod server;
mod set_up;
mod signals;
mod stdio;
mod watch;

use std::ffi::OsString;
use std::time::Duration;

use crate::args::Dev;
use crate::exit::{Exit, Failure};

/// The time for a server that is replaced to answer its open requests.
const DRAIN: Duration = Duration::from_secs(5);

/// The maximal number of events that wait to be handled.
const MAX_EVENTS: usize = 256;

/// The maximal number of bytes of a frame. A longer one is left out.
const MAX_FRAME: usize = 64 << 20;

/// The server under development, as the options describe it.
struct Plan {
    build: Vec<OsString>,
    command: Vec<OsString>,
    watched: watch::Watched,
}

/// Runs `plainwire dev`.
pub(crate) async fn run(it: Dev) -> Result<Exit, Failure> {
    let build = match it.build {
        Some(line) => build::read(&line)?,
        None => build::of_cargo(&it.command),
    };
    if let Some(missing) = it.watch.iter().find(|path| !path.exists()) {
        let text = format!("--watch {}: expected a file or a folder, but found nothing", missing.display());
        return Err(Failure::usage(text));
    }
    let roots = if it.watch.is_empty() { vec![".".into()] } else { it.watch };
    let plan = Plan { build, command: it.command, watched: watch::Watched::new(roots) };
    match it.http.zip(it.url) {
        Some((address, url)) => http::run(plan, &address, &url).await,
        None => stdio::run(plan),
    }
}
