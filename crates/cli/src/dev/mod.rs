//! `plainwire dev`: serves a server under development, and restarts it when its sources change.
//!
//! In: frames of a client on stdin, changes of files, and the frames of the server. Out: frames on stdout, and on
//! stderr the calls, the output of builds, and the log of the server. The client stays connected: after a restart it
//! is told that everything may have changed. If a build fails, the server that runs goes on.

mod proxy;
mod room;
mod server;
mod watch;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::args::Dev;
use crate::exit::{Exit, Failure};
use crate::{output, visible};
use proxy::{Action, Proxy};
use room::Waiting;
use server::Server;
use watch::Watched;

/// The time between two looks at the sources.
const LOOK: Duration = Duration::from_millis(200);

/// The time for a server that is replaced to answer its open requests.
const DRAIN: Duration = Duration::from_secs(5);

/// The maximal number of events that wait to be handled.
const MAX_EVENTS: usize = 256;

/// An event that the loop of `plainwire dev` handles.
pub(crate) enum Event {
    Built(bool),
    Changed(String),
    Client(Waiting),
    ClientEnd,
    Server(u64, Waiting),
    ServerEnd(u64),
}

/// Runs `plainwire dev`.
pub(crate) fn run(it: Dev) -> Result<Exit, Failure> {
    let (events, received) = sync_channel(MAX_EVENTS);
    let roots = if it.watch.is_empty() { vec![".".into()] } else { it.watch };
    let (mut watched, sink) = (Watched::new(roots), events.clone());
    thread::spawn(move || {
        loop {
            thread::sleep(LOOK);
            let Some(path) = watched.changed() else { continue };
            if sink.send(Event::Changed(visible::line(&path.display().to_string()))).is_err() {
                return;
            }
        }
    });
    let sink = events.clone();
    thread::spawn(move || {
        server::frames_of_client(io::stdin(), &sink);
        let _ = sink.send(Event::ClientEnd);
    });
    let build = match it.build {
        Some(line) => shlex::split(&line)
            .filter(|words| !words.is_empty())
            .map(|words| words.into_iter().map(OsString::from).collect())
            .ok_or_else(|| Failure::usage(format!("expected a command as --build, but found {line:?}")))?,
        None => cargo_build(&it.command),
    };
    let mut development = Development {
        began: Instant::now(),
        build,
        building: None,
        command: it.command,
        events,
        proxy: Proxy::default(),
        running: None,
        retiring: Vec::new(),
    };
    development.changed("");
    loop {
        // While an old server drains, it is looked at again and again.
        let pause = if development.retiring.is_empty() { Duration::from_secs(3_600) } else { LOOK };
        match received.recv_timeout(pause) {
            Ok(Event::ClientEnd) => break,
            Ok(event) => development.handle(event)?,
            Err(_) => development.drain()?,
        }
    }
    development.end();
    Ok(Exit::Done)
}

/// Returns the build of a server that `cargo run` starts: `cargo build` with the same options. Nothing for another
/// command.
fn cargo_build(command: &[OsString]) -> Vec<OsString> {
    let [cargo, run, rest @ ..] = command else { return Vec::new() };
    if cargo != "cargo" || !(run == "run" || run == "r") {
        return Vec::new();
    }
    let options = rest.iter().take_while(|it| *it != "--").cloned();
    [cargo.clone(), "build".into()].into_iter().chain(options).collect()
}

/// The state of `plainwire dev`.
struct Development {
    began: Instant,
    build: Vec<OsString>,
    /// Whether a build runs, and whether a file has changed since it began.
    building: Option<bool>,
    command: Vec<OsString>,
    events: SyncSender<Event>,
    proxy: Proxy,
    /// The servers that are replaced and still answer requests, each with the time at which it has to end.
    retiring: Vec<(Server, Instant)>,
    running: Option<Server>,
}

impl Development {
    fn handle(&mut self, event: Event) -> Result<(), Failure> {
        let now = self.began.elapsed();
        match event {
            Event::Changed(path) => {
                self.changed(&path);
                Ok(())
            }
            Event::Built(is_good) => self.built(is_good),
            Event::Client(line) => {
                let actions = self.proxy.handle_client(line.take(), now);
                self.apply(actions)
            }
            Event::Server(generation, line) => {
                let actions = self.proxy.handle_server(generation, line.take(), now);
                self.apply(actions)
            }
            Event::ServerEnd(generation) => self.ended(generation),
            Event::ClientEnd => Ok(()),
        }
    }

    /// Handles a change of a file: builds, or starts the server again if there is nothing to build.
    fn changed(&mut self, path: &str) {
        if !path.is_empty() {
            output::note(&format!("{path} has changed"));
        }
        if self.building.is_some() {
            self.building = Some(true);
            return;
        }
        self.building = Some(false);
        if self.build.is_empty() {
            let _ = self.events.try_send(Event::Built(true));
        } else {
            server::build(self.build.clone(), self.events.clone());
        }
    }

    fn built(&mut self, is_good: bool) -> Result<(), Failure> {
        if self.building.take() == Some(true) {
            self.changed("");
            return Ok(());
        }
        if !is_good {
            let state = if self.running.is_some() { "; the server that runs goes on" } else { "" };
            output::note(&format!("the build failed{state}"));
            return Ok(());
        }
        let (generation, actions) = self.proxy.started();
        if let Some(old) = self.running.take() {
            self.retiring.push((old, Instant::now() + DRAIN));
        }
        match Server::start(&self.command, generation, &self.events) {
            Ok(server) => {
                self.running = Some(server);
                output::note(if generation == 1 { "the server runs" } else { "the server was restarted" });
            }
            Err(error) => output::note(&format!("starting the server failed: {error}")),
        }
        self.apply(actions)?;
        self.drain()
    }

    /// Ends servers that were replaced, once they have answered their requests or had time for it.
    fn drain(&mut self) -> Result<(), Failure> {
        let mut kept = Vec::new();
        for (server, until) in std::mem::take(&mut self.retiring) {
            if self.proxy.is_needed(server.generation) && Instant::now() < until {
                kept.push((server, until));
                continue;
            }
            let actions = self.proxy.ended(server.generation);
            server.end();
            self.apply(actions)?;
        }
        self.retiring = kept;
        Ok(())
    }

    /// Handles the end of a server's output. A server that ends by itself is started again after the next change.
    fn ended(&mut self, generation: u64) -> Result<(), Failure> {
        if let Some(server) = self.running.take_if(|it| it.generation == generation) {
            let status = server.end();
            output::note(&format!("the server ended ({status}); it is started again after the next change"));
        }
        let actions = self.proxy.ended(generation);
        self.apply(actions)
    }

    fn apply(&mut self, actions: Vec<Action>) -> Result<(), Failure> {
        for action in actions {
            match action {
                Action::Say(line) => output::note(&line),
                // Frames are for a program. A terminal gets them escaped, as JSON.
                Action::ToClient(frame) => output::frame(&frame)?,
                Action::ToServer(generation, frame) => {
                    let running = self.running.iter().chain(self.retiring.iter().map(|(server, _)| server));
                    let server = running.into_iter().find(|it| it.generation == generation);
                    if server.is_some_and(|server| !server.send(frame)) {
                        output::note("a frame is dropped: the server does not read its input");
                    }
                }
            }
        }
        Ok(())
    }

    fn end(self) {
        let running = self.running.into_iter().chain(self.retiring.into_iter().map(|(server, _)| server));
        running.for_each(|server| drop(server.end()));
        let _ = io::stdout().flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_run_is_built_by_cargo_build() {
        let words = |line: &str| {
            shlex::split(line).expect("words").into_iter().map(OsString::from).collect::<Vec<_>>()
        };
        for (command, build) in [
            ("cargo run --release -- --port 1", "cargo build --release"),
            ("cargo r", "cargo build"),
            ("cargo test", ""),
            ("target/debug/server run", ""),
        ] {
            assert_eq!(cargo_build(&words(command)), words(build), "{command}");
        }
    }
}
