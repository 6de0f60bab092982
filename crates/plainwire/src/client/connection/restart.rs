//! Restarts of a server process that has ended: the new process, and the state that the new connection takes
//! over.
//!
//! In: the reason why a connection ended. Out: a stream to the new process, and the calls and subscriptions
//! to make again on it. An open call is made again only if that does no harm. Otherwise its outcome is
//! unknown, and its caller gets that as an error.

use std::time::{Duration, Instant};

use plainwire_proto::json::shorten;
use plainwire_proto::model::LogLevel;
use plainwire_proto::peer::{Now, Peer, RequestOptions};
use serde::Deserialize;

use super::questions::Questions;
use super::rounds::Call;
use super::state::ConnectionState;
use crate::client::is_replayable;
use crate::client::known_tools::KnownTools;
use crate::client::process::{Program, Restart, Slot, start};
use crate::error::Error;
use crate::stream::Stream;

/// The restarts of a server process: its program, the policy, and the number of restarts in a row.
pub(crate) struct Restarting {
    /// The time at which the current process was started.
    began: Instant,
    policy: Restart,
    program: Program,
    slot: Slot,
    /// The number of restarts in a row: since the start, or since a process ran longer than the policy's
    /// longest wait.
    times: u32,
}

impl Restarting {
    pub(crate) fn new(program: Program, policy: Restart, slot: Slot) -> Self {
        Self { began: Instant::now(), policy, program, slot, times: 0 }
    }

    /// Returns `why`, the reason why the connection ended, with the exit status of the process and its last
    /// lines on stderr.
    pub(super) async fn explain(&self, why: &str) -> String {
        self.slot.explain(why).await
    }

    /// Resets the count of restarts in a row if the process that has ended ran longer than the longest wait
    /// of the policy. Called only for a process that had completed its handshake.
    pub(super) fn has_greeted(&mut self) {
        if self.policy.is_well(self.began.elapsed()) {
            self.times = 0;
        }
    }

    /// Shuts down the current process, waits, and starts the next one. If that fails, waits and tries again.
    /// `why` is the reason for the restart.
    ///
    /// # Errors
    /// The reason for the last restart, and the number of restarts in a row, if the policy permits no further
    /// one.
    pub(super) async fn start(&mut self, why: &str) -> Result<Stream, String> {
        let mut why = why.to_owned();
        // The process stays in its slot, where later calls find out why it ended.
        if self.policy.wait(self.times).is_none() {
            return Err(format!("{why}; the server was restarted {} times", self.times));
        }
        if let Some(process) = self.slot.take() {
            process.end_soon().await;
        }
        loop {
            let Some(wait) = self.policy.wait(self.times) else {
                return Err(format!("{why}; the server was restarted {} times", self.times));
            };
            self.times += 1;
            tracing::warn!("the server restarts in {wait:?}: {why}");
            tokio::time::sleep(wait).await;
            match start(&self.program) {
                Ok((stream, process)) => {
                    self.slot.put(process);
                    self.began = Instant::now();
                    return Ok(stream);
                }
                Err(error) => why = format!("{error:?}"),
            }
        }
    }
}

/// The request that sets the log level of a session.
pub(super) const SET_LEVEL: &str = "logging/setLevel";

/// The state that is carried over to the connection to a restarted server.
#[derive(Default)]
pub(super) struct CarriedOver {
    /// The calls to make again after the handshake with the restarted server.
    calls: Vec<Call>,
    /// The reason why the handshake with the restarted server failed; `None` if it has not failed.
    pub(super) failed: Option<String>,
    /// Whether the server is being restarted: from the end of the old process until the handshake with the
    /// new one is complete.
    pub(super) is_waiting: bool,
    /// The log level that the program set at a modern server.
    pub(super) log_level: Option<LogLevel>,
    /// The log level that the program set at a legacy server: the parameters and the deadlines of the newest
    /// `logging/setLevel`.
    pub(super) set_level: Option<(String, RequestOptions)>,
    pub(super) tools: KnownTools,
}

impl CarriedOver {
    pub(super) fn new(tools: KnownTools) -> Self {
        Self { tools, ..Self::default() }
    }

    /// Returns whether the call may be made again on the restarted server: once, if it does no harm.
    fn may_repeat(&self, call: &Call) -> bool {
        !call.is_repeated && self.is_harmless(call)
    }

    /// Returns whether the call does no harm if it runs twice.
    fn is_harmless(&self, call: &Call) -> bool {
        let name = name(&call.ask.params);
        is_replayable(&call.ask.method, name.as_deref(), |name| self.tools.is_harmless(name))
    }

    /// Returns the error of a call whose deadline, `idle` or `hard`, has passed.
    pub(super) fn late(&self, call: &Call, limit: &'static str) -> Error {
        let RequestOptions { idle, hard } = call.ask.options;
        let time = if limit == "idle" { idle } else { hard };
        Error::Deadline { what: title(call), limit, time, may_have_run: !self.is_harmless(call) }
    }

    /// Returns the error of a call that was open when its connection ended without a restart.
    pub(super) fn lost(&self, call: &Call, why: &str) -> Error {
        let why = why.to_owned();
        if self.is_harmless(call) {
            Error::Closed { why }
        } else {
            Error::OutcomeUnknown { what: title(call), why }
        }
    }
}

impl ConnectionState {
    /// Drops the state that belongs to a server process that has ended, and keeps the calls and subscriptions
    /// that are made again with the restarted server. Other calls fail.
    pub(super) fn interrupt(&mut self, why: &str) {
        self.carried.failed = None;
        self.carried.is_waiting = true;
        self.is_lost = false;
        self.tickets.clear();
        // The restarted server may be another version of the program.
        self.cache.as_ref().inspect(|cache| cache.forget_all());
        // Handlers for questions of the old server stop: the keys of its requests mean nothing to the new
        // one.
        for (_, (handler, _)) in self.requests.drain() {
            handler.abort();
        }
        self.questions = Questions::default();
        for call in std::mem::take(&mut self.waiting).into_values() {
            if self.carried.may_repeat(&call) {
                self.carried.calls.push(call);
            } else {
                let what = title(&call);
                drop(call.ask.answer.send(Err(Error::OutcomeUnknown { what, why: why.to_owned() })));
            }
        }
        // A call between two rounds fails: only the old server can read the state that it has sent.
        for round in std::mem::take(&mut self.rounds).into_values() {
            drop(round.call.ask.answer.send(Err(Error::Closed { why: why.to_owned() })));
        }
        self.listens.interrupt(why);
    }

    /// After the handshake with a restarted server, sets the log level, subscribes, and makes calls again.
    /// Does nothing after the first handshake of the connection.
    pub(super) fn restart(&mut self, peer: &mut Peer, now: Now) {
        if !std::mem::take(&mut self.carried.is_waiting) {
            return;
        }
        if let Some(level) = self.carried.log_level {
            peer.set_log_level(Some(level));
        }
        if let Some((params, options)) = &self.carried.set_level {
            // The answer is ignored.
            peer.request(SET_LEVEL, params, *options, now);
        }
        self.listens.restarted(peer, now);
        for mut call in std::mem::take(&mut self.carried.calls) {
            let hard = call.until.saturating_sub(now.monotonic);
            if hard == Duration::ZERO {
                let error = self.carried.late(&call, "hard");
                drop(call.ask.answer.send(Err(error)));
            } else if !call.ask.answer.is_closed() {
                tracing::info!("{} is made again", title(&call));
                call.is_repeated = true;
                let options = RequestOptions { idle: call.ask.options.idle, hard };
                let key = peer.request(&call.ask.method, &call.ask.params, options, now);
                self.wait(key, call);
            }
        }
    }

    /// Fails the calls that wait for a restart of the server, because there will be none.
    pub(super) fn give_up(&mut self, why: &str) {
        for call in std::mem::take(&mut self.carried.calls) {
            drop(call.ask.answer.send(Err(Error::Closed { why: why.to_owned() })));
        }
    }
}

/// Returns the title of a call for messages: the method, and the name of its tool or prompt.
fn title(call: &Call) -> String {
    match name(&call.ask.params) {
        Some(name) => format!("`{}` of {:?}", call.ask.method, shorten(&name)),
        None => format!("`{}`", call.ask.method),
    }
}

fn name(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    serde_json::from_str::<Named>(params).ok().map(|it| it.name)
}
