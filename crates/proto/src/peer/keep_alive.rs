//! Keep-alive check: sends a `ping` after a long silence, and reports the other side as unresponsive after a
//! second silence of the same length.
//!
//! In: the current time, and the time of the most recent message. Out: a ping, or
//! [`super::Event::Unresponsive`]. Only legacy revisions have pings; 2026-07-28 has none. If the end of a
//! silence is too far in the future for a [`Duration`], the check does nothing.

use std::time::Duration;

use super::{Event, Now, Peer, RequestKey, RequestOptions, Role};
use crate::revision::Feature;

/// State of the keep-alive check: first it waits for a silence; with `asked`, it has sent a ping and waits
/// for any message; with `over`, it has reported the other side as unresponsive and stops.
#[derive(Debug, Default)]
pub(super) struct KeepAlive {
    /// The key of this peer's ping that is not answered yet, and the monotonic time at which it was sent. If
    /// the program was delayed, this is later than the time at which the ping was due.
    asked: Option<(RequestKey, Duration)>,
    /// Length of the silence after which the check acts; `None` turns the check off.
    every: Option<Duration>,
    /// The monotonic time at which the most recent message of the other side came in.
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
    /// Returns the monotonic time at which the other side will have been silent for too long; `None` if the
    /// check is off or over, or if pings are not allowed.
    pub(super) fn silence_ends(&self) -> Option<Duration> {
        let every = self.keep_alive.every.filter(|_| !self.keep_alive.over && self.may_ping())?;
        let KeepAlive { asked, heard, .. } = self.keep_alive;
        let since = asked.map_or(heard, |(_, asked_at)| heard.max(asked_at));
        since.checked_add(every).filter(|&ends| ends < Duration::MAX)
    }

    /// Does nothing unless the other side has been silent for too long. Then sends a ping; or, if an earlier
    /// ping is still unanswered, reports the other side as unresponsive.
    pub(super) fn check_silence(&mut self, now: Now) {
        if self.silence_ends().is_none_or(|ends| now.monotonic < ends) {
            return;
        }
        if let Some((asked, _)) = self.keep_alive.asked.take() {
            self.keep_alive.over = true;
            self.outbound.close(asked);
            self.events.push_back(Event::Unresponsive);
        } else {
            // The ping has no deadline: the report depends on any message coming in, not on this one answer.
            let ping = self.request("ping", "{}", RequestOptions::UNLIMITED, now);
            self.keep_alive.asked = Some((ping, now.monotonic));
        }
    }

    /// Handles the answer to this peer's ping, a result or an error.
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
