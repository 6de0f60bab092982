//! A client on stdin and stdout, and the servers behind it, which speak on their stdin and stdout.
//!
//! In: frames of the client on stdin, changes of files, and the frames of the server. Out: frames on stdout.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;

use super::build_process::BuildProcess;
use super::proxy::{Action, Proxy};
use super::room::Waiting;
use super::server::{self, Server};
use super::signals::Signals;
use super::{DRAIN, MAX_EVENTS, Plan, watch};
use crate::exit::{Exit, Failure};
use crate::output;

/// An event that the loop of `plainwire dev` handles.
pub(super) enum Event {
    /// A signal asks the process to end with this exit code.
    Asked(Exit),
    Built(bool),
    Changed(String),
    Client(Waiting),
    ClientEnd,
    Server(u64, Waiting),
    ServerEnd(u64),
}

/// Serves the client on stdin and stdout until it closes stdin.
pub(super) fn run(plan: Plan) -> Result<Exit, Failure> {
    let (events, received) = sync_channel(MAX_EVENTS);
    let sink = events.clone();
    thread::spawn(move || plan.watched.each_change(|path| sink.send(Event::Changed(path)).is_ok()));
    listen_to_signals(events.clone())?;
    let sink = events.clone();
    thread::spawn(move || {
        server::frames_of_client(io::stdin(), &sink);
        let _ = sink.send(Event::ClientEnd);
    });
    let mut development = Development {
        began: Instant::now(),
        build: plan.build,
        building: None,
        build_process: BuildProcess::default(),
        command: plan.command,
        events,
        has_run: false,
        proxy: Proxy::default(),
        running: None,
        retiring: Vec::new(),
    };
    development.changed("");
    let mut has_left = false;
    loop {
        // While an old server drains, it is looked at again and again.
        let pause = if development.retiring.is_empty() { Duration::from_secs(3_600) } else { watch::LOOK };
        match received.recv_timeout(pause) {
            // A build that fails is shown, and a server that can't be started is named, even if the client has left.
            Ok(Event::ClientEnd) if development.is_first() => has_left = true,
            Ok(Event::ClientEnd) => break,
            Ok(Event::Asked(exit)) => {
                development.end();
                return Ok(exit);
            }
            Ok(event) => development.handle(event)?,
            Err(_) => {}
        }
        // Also while an old server reports progress all the time.
        development.drain()?;
        if has_left && !development.is_first() {
            break;
        }
    }
    if let Some(exit) = development.finish(&received)? {
        development.end();
        return Ok(exit);
    }
    let has_run = development.has_run;
    development.end();
    Ok(if has_run { Exit::Done } else { Exit::Unreachable })
}

/// Starts the thread that waits for signals. Returns once they no longer end the process by themselves: its server has
/// to be ended too.
fn listen_to_signals(events: SyncSender<Event>) -> Result<(), Failure> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(Failure::runtime)?;
    let (ready, listening) = sync_channel(1);
    thread::spawn(move || {
        runtime.block_on(async {
            let signals = Signals::new();
            let _ = ready.send(signals.as_ref().map(drop).map_err(ToString::to_string));
            if let Ok(signals) = signals {
                let _ = events.send(Event::Asked(signals.asked_to_end().await));
            }
        });
    });
    let listens = listening.recv().unwrap_or_else(|_| Err("the thread for signals has ended".to_owned()));
    listens.map_err(|error| Failure::runtime(io::Error::other(error)))
}

/// The state of the loop.
struct Development {
    began: Instant,
    build: Vec<OsString>,
    /// Whether a build runs, and whether a file has changed since it began.
    building: Option<bool>,
    build_process: BuildProcess,
    command: Vec<OsString>,
    events: SyncSender<Event>,
    /// Whether any server was started.
    has_run: bool,
    proxy: Proxy,
    /// The servers that are replaced and still answer requests, each with the time at which it has to end.
    retiring: Vec<(Server, Instant)>,
    running: Option<Server>,
}

impl Development {
    /// Returns whether the first server is still to be built or started.
    fn is_first(&self) -> bool {
        self.building.is_some() && !self.has_run
    }

    /// Passes on what the servers still answer once their client has closed its input, and answers the rest. Returns
    /// the exit code of a signal that comes meanwhile.
    fn finish(&mut self, received: &Receiver<Event>) -> Result<Option<Exit>, Failure> {
        let exit = self.answered(received)?;
        let servers = self.running.iter().chain(self.retiring.iter().map(|(server, _)| server));
        let generations: Vec<u64> = servers.map(|server| server.generation).collect();
        for generation in generations {
            let actions = self.proxy.ended(generation, "was ended with its client");
            self.apply(actions)?;
        }
        Ok(exit)
    }

    /// Closes the input of the servers, and passes on what they answer, for at most [`DRAIN`] and the time for a server to
    /// say that it shuts down.
    fn answered(&mut self, received: &Receiver<Event>) -> Result<Option<Exit>, Failure> {
        let until = Instant::now() + DRAIN + super::child::GRACE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut running = self.running.iter().chain(self.retiring.iter().map(|(server, _)| server));
            let is_needed = running.any(|server| self.proxy.is_needed(server.generation));
            if left.is_zero() || !(is_needed || self.proxy.holds_back()) {
                return Ok(None);
            }
            // Frames that wait until the server is greeted have to reach it first.
            if !self.proxy.holds_back() {
                self.running.iter_mut().for_each(Server::close);
            }
            match received.recv_timeout(left) {
                Ok(Event::Asked(exit)) => return Ok(Some(exit)),
                Ok(event @ (Event::Server(..) | Event::ServerEnd(_))) => self.handle(event)?,
                Ok(_) => {}
                Err(_) => return Ok(None),
            }
            if self.running.is_none() && self.retiring.is_empty() {
                return Ok(None);
            }
        }
    }

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
            Event::Asked(_) | Event::ClientEnd => Ok(()),
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
            let (words, build_process, events) =
                (self.build.clone(), self.build_process.clone(), self.events.clone());
            thread::spawn(move || events.send(Event::Built(build_process.run(&words))));
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
            let actions = if self.running.is_some() {
                Vec::new()
            } else {
                self.proxy.down("its build failed, and `plainwire dev` shows why on its stderr")
            };
            return self.apply(actions);
        }
        if let Some(old) = self.running.take() {
            self.retiring.push((old, Instant::now() + DRAIN));
        }
        let actions = match Server::start(&self.command, self.proxy.next_generation(), &self.events) {
            Ok(server) => {
                let (generation, actions) = self.proxy.started();
                self.running = Some(server);
                self.has_run = true;
                output::note(if generation == 1 {
                    "the server was started"
                } else {
                    "the server was restarted"
                });
                actions
            }
            Err(error) => {
                let why = server::not_started(&self.command, &error);
                output::note(&why);
                self.proxy.down(&why)
            }
        };
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
            let actions = self.proxy.ended(server.generation, "was restarted");
            self.apply(actions)?;
            server.end();
        }
        self.retiring = kept;
        Ok(())
    }

    /// Handles the end of a server's output. A server that ends by itself is started again after the next change.
    fn ended(&mut self, generation: u64) -> Result<(), Failure> {
        if let Some(server) = self.running.take_if(|it| it.generation == generation) {
            let status = server::told(server.end());
            output::note(&format!("the server ended ({status}); it is started again after the next change"));
            let actions = self.proxy.ended(generation, &format!("ended ({status})"));
            self.apply(actions)?;
            let actions = self.proxy.down(&format!("it ended ({status})"));
            return self.apply(actions);
        }
        let actions = self.proxy.ended(generation, "was restarted");
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

    /// Ends the build and all servers. One that has failed is named: its client may have left before it could fail.
    fn end(self) {
        self.build_process.end();
        for (server, _) in self.retiring {
            server.end();
        }
        if let Some(failed) = self.running.and_then(Server::end).filter(|status| !status.success()) {
            output::note(&format!("the server ended ({failed})"));
        }
        let _ = io::stdout().flush();
    }
}
