//! Whether the other side still lives: a `ping` after a long silence, and a verdict after as long again.
//!
//! In: the time, and that something was heard. Out: a ping, or [`super::Event::Unresponsive`]. Only sessions of older
//! revisions have pings; 2026-07-28 has none. Times that are too long to be told are never over.

use std::time::Duration;

use super::{Event, Now, Peer, RequestKey, RequestOptions, Role};
use crate::revision::Feature;

/// States: listening; `asked`, and waiting for any sign of life; `over`, after the verdict.
#[derive(Debug, Default)]
pub(super) struct KeepAlive {
    /// Our ping, and when it was sent: later than it was due, if the program was held up.
    asked: Option<(RequestKey, Duration)>,
    every: Option<Duration>,
    heard: Duration,
    over: bool,
}

impl KeepAlive {
    pub(super) fn new(every: Option<Duration>) -> Self {
        Self { every, ..Self::default() }
    }

    pub(super) fn heard(&mut self, now: Now) {
        self.heard = now.monotonic;
    }

    pub(super) fn is_ours(&self, request: RequestKey) -> bool {
        self.asked.is_some_and(|(asked, _)| asked == request)
    }
}

impl Peer {
    /// Returns when silence has lasted too long, if that is watched for.
    pub(super) fn silence_ends(&self) -> Option<Duration> {
        let every = self.keep_alive.every.filter(|_| !self.keep_alive.over && self.may_ping())?;
        let KeepAlive { asked, heard, .. } = self.keep_alive;
        let since = asked.map_or(heard, |(_, asked_at)| heard.max(asked_at));
        since.checked_add(every).filter(|&ends| ends < Duration::MAX)
    }

    /// Asks whether the other side is there, or gives up on it.
    pub(super) fn check_silence(&mut self, now: Now) {
        if self.silence_ends().is_none_or(|ends| now.monotonic < ends) {
            return;
        }
        if let Some((asked, _)) = self.keep_alive.asked.take() {
            self.keep_alive.over = true;
            self.outbound.close(asked);
            self.events.push_back(Event::Unresponsive);
        } else {
            // The verdict comes from the silence, not from this one answer: it has no deadline.
            let ping = self.request("ping", "{}", RequestOptions::UNLIMITED, now);
            self.keep_alive.asked = Some((ping, now.monotonic));
        }
    }

    /// Takes note of the answer to our ping, whatever it says.
    pub(super) fn is_alive(&mut self) {
        self.keep_alive.asked = None;
    }

    fn may_ping(&self) -> bool {
        match &self.role {
            Role::Client(session) => session.revision().is_some_and(|revision| revision.has(Feature::Ping)),
            Role::Server(session) => session.is_initialized(),
        }
    }
}
