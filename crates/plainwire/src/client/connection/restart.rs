//! A server that died, started again: the process, the handshake, and what goes on behind it.
//!
//! In: the reason why a connection ended. Out: another stream, with a peer that has to find its server in the revision
//! that was agreed on. A call that was open is made again only if that does no harm; otherwise nobody knows what became
//! of it, and that is what its caller is told.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use plainwire_proto::json::shorten;
use plainwire_proto::model::{LogLevel, ToolAnnotations};
use plainwire_proto::peer::{Now, Peer, RequestOptions};
use serde::Deserialize;

use super::questions::Questions;
use super::rounds::Call;
use super::state::Desk;
use crate::client::process::{Program, Restart, Slot, start};
use crate::client::{is_harmless, is_replayable, too_late};
use crate::error::Error;
use crate::stream::Stream;

/// What it takes to start a server again.
pub(crate) struct Revival {
    began: Instant,
    policy: Restart,
    program: Program,
    slot: Slot,
    /// How often in a row.
    times: u32,
}

impl Revival {
    pub(crate) fn new(program: Program, policy: Restart, slot: Slot) -> Self {
        Self { began: Instant::now(), policy, program, slot, times: 0 }
    }

    /// Says more of the end of the process.
    pub(super) async fn explain(&self, why: &str) -> String {
        self.slot.explain(why).await
    }

    /// Takes note that the last process had greeted us: one that ran long enough begins the count anew.
    pub(super) fn has_greeted(&mut self) {
        if self.policy.is_well(self.began.elapsed()) {
            self.times = 0;
        }
    }

    /// Sees off what is left of the last process, waits, and starts the next one.
    ///
    /// # Errors
    /// Why there is none, in addition to `why` it is needed.
    pub(super) async fn start(&mut self, why: &str) -> Result<Stream, String> {
        let mut why = why.to_owned();
        if let Some(process) = self.slot.take() {
            process.end_soon().await;
        }
        loop {
            let Some(wait) = self.policy.wait(self.times) else {
                return Err(format!("{why}; it was started again {} times", self.times));
            };
            self.times += 1;
            tracing::warn!("the server is started again in {wait:?}: {why}");
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

/// The request by which sessions are told of log levels.
pub(super) const SET_LEVEL: &str = "logging/setLevel";

/// Tools of which something is remembered. 10,000: ten times what any client can show to a model.
const MOST: usize = 10_000;

/// What a connection keeps for the next one.
#[derive(Default)]
pub(super) struct Kept {
    /// What is made again once the server is there.
    calls: Vec<Call>,
    /// Why the next server was not taken.
    pub(super) failed: Option<String>,
    harmless: HashSet<String>,
    /// Whether the next server has to greet first.
    pub(super) is_waiting: bool,
    pub(super) log_level: Option<LogLevel>,
    /// The parameters of the last `logging/setLevel`, which is what a session has in its place.
    pub(super) set_level: Option<(String, RequestOptions)>,
}

impl Kept {
    /// Takes note of the tools in a result of `tools/list`.
    pub(super) fn learn(&mut self, result: &str) {
        #[derive(Deserialize)]
        struct Page {
            tools: Vec<Hinted>,
        }
        #[derive(Deserialize)]
        struct Hinted {
            annotations: Option<ToolAnnotations>,
            name: String,
        }
        let Ok(page) = serde_json::from_str::<Page>(result) else { return };
        for tool in page.tools {
            if !is_harmless(tool.annotations.as_ref()) {
                self.harmless.remove(&tool.name);
            } else if self.harmless.len() < MOST {
                self.harmless.insert(tool.name);
            }
        }
    }

    fn may_repeat(&self, call: &Call) -> bool {
        !call.is_repeated && self.is_harmless(call)
    }

    /// Whether it makes no difference if a call took place.
    fn is_harmless(&self, call: &Call) -> bool {
        let name = name(&call.ask.params);
        is_replayable(&call.ask.method, name.as_deref(), |name| self.harmless.contains(name))
    }

    /// The error of a call that was open when its connection ended for good.
    pub(super) fn lost(&self, call: &Call, why: &str) -> Error {
        let why = why.to_owned();
        if self.is_harmless(call) {
            Error::Closed { why }
        } else {
            Error::OutcomeUnknown { what: title(call), why }
        }
    }
}

impl Desk {
    /// Ends what ends with a server, and keeps the rest for the next one.
    pub(super) fn interrupt(&mut self, why: &str) {
        self.kept.failed = None;
        self.kept.is_waiting = true;
        self.is_lost = false;
        self.tickets.clear();
        // The next one is another process, and perhaps another version.
        self.cache.as_ref().inspect(|cache| cache.forget_all());
        // Whoever thinks about a question of that server stops; its keys mean nothing to the next one.
        for (_, thinking) in self.requests.drain() {
            thinking.abort();
        }
        self.questions = Questions::default();
        for call in std::mem::take(&mut self.waiting).into_values() {
            if self.kept.may_repeat(&call) {
                self.kept.calls.push(call);
            } else {
                let what = title(&call);
                drop(call.ask.answer.send(Err(Error::OutcomeUnknown { what, why: why.to_owned() })));
            }
        }
        // What a call leaves with us between two rounds only the server that is gone could read.
        for round in std::mem::take(&mut self.rounds).into_values() {
            drop(round.call.ask.answer.send(Err(Error::Closed { why: why.to_owned() })));
        }
        self.listens.interrupt(why);
    }

    /// Goes on with a server that has greeted again.
    pub(super) fn revive(&mut self, peer: &mut Peer, now: Now) {
        if !std::mem::take(&mut self.kept.is_waiting) {
            return;
        }
        if let Some(level) = self.kept.log_level {
            peer.set_log_level(Some(level));
        }
        if let Some((params, options)) = &self.kept.set_level {
            // Nobody waits for the answer.
            peer.request(SET_LEVEL, params, *options, now);
        }
        self.listens.restarted(peer, now);
        for mut call in std::mem::take(&mut self.kept.calls) {
            let hard = call.until.saturating_sub(now.monotonic);
            if hard == Duration::ZERO {
                let error = too_late(&call.ask.method, "hard");
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

    /// Tells those whose calls wait for a server that does not come any more.
    pub(super) fn give_up(&mut self, why: &str) {
        for call in std::mem::take(&mut self.kept.calls) {
            drop(call.ask.answer.send(Err(Error::Closed { why: why.to_owned() })));
        }
    }
}

/// What a call is, for people.
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
