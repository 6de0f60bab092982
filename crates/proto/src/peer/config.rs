//! What a connection is made from: who we are, what we offer, how much we take.

use std::time::Duration;

use crate::codec::Encoder;
use crate::model::{CacheHint, Capabilities, Implementation};
use crate::revision::{Era, Revision};

/// How much one connection may ask for. Past a limit the answer is an error that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Messages in a batch. 1,000: more than any client sends at once.
    pub batch: usize,
    /// Levels of nesting in a message, at most 1,024. 128: what other parsers take.
    pub depth: usize,
    /// Bytes of a message that comes in. 16 MiB: a photograph in base64.
    pub frame_in: usize,
    /// Bytes of a message that goes out. 64 MiB: what clients are known to survive.
    pub frame_out: usize,
    /// Requests being worked on at a time. 4,096: some KiB each.
    pub in_flight: usize,
    /// `subscriptions/listen` at a time, which do not count as requests being worked on. 16: one for each window.
    pub listens: usize,
    /// Resources that are subscribed to, by sessions and listens together. 1,024: more than anybody looks at.
    pub subscriptions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch: 1_000,
            depth: 128,
            frame_in: 16 << 20,
            frame_out: 64 << 20,
            in_flight: 4_096,
            listens: 16,
            subscriptions: 1_024,
        }
    }
}

/// What every connection of a server has in common.
#[derive(Debug)]
pub struct ServerConfig {
    /// How long `server/discover` stays fresh.
    pub cache_hint: CacheHint,
    /// What is offered. Methods of anything else do not exist.
    pub capabilities: Capabilities,
    /// Who we are. Fixed: the encoders were made from it.
    pub(super) info: Implementation,
    /// How a model should use the server.
    pub instructions: Option<String>,
    /// After how much silence of a session's client to `ping` it; after as much again it is [`super::Event::Unresponsive`].
    /// Never by default.
    pub keep_alive: Option<Duration>,
    /// How much a connection may ask for.
    pub limits: Limits,
    /// The revisions that are served, oldest first.
    pub revisions: Vec<Revision>,
    /// One encoder per revision, made once.
    pub(super) encoders: [Encoder; Revision::ALL.len()],
}

impl ServerConfig {
    /// Makes the configuration of a server that serves every revision.
    pub fn new(info: Implementation, capabilities: Capabilities) -> Self {
        let encoders = Revision::ALL.map(|revision| Encoder::new(revision, Some(&info)));
        Self {
            cache_hint: CacheHint::default(),
            capabilities,
            info,
            instructions: None,
            keep_alive: None,
            limits: Limits::default(),
            revisions: Revision::ALL.to_vec(),
            encoders,
        }
    }

    /// Returns what writes results in `revision`.
    pub fn encoder(&self, revision: Revision) -> &Encoder {
        &self.encoders[revision.index()]
    }

    pub(super) fn newest_legacy(&self) -> Option<Revision> {
        self.revisions.iter().copied().filter(|r| r.era() == Era::Legacy).max()
    }
}

/// How a client finds out what its server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// Asks by `server/discover`, and falls back to `initialize`.
    #[default]
    Auto,
    /// `initialize` only.
    Legacy,
    /// `server/discover` only.
    Modern,
}

/// What a client's connection is made from.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// What we can do for the server.
    pub capabilities: Capabilities,
    /// How to find the server's era.
    pub era: EraChoice,
    /// Who we are.
    pub info: Implementation,
    /// How long to wait for the answer to `initialize`. 60 s: cold starts are slow.
    pub initialize_timeout: Duration,
    /// After how much silence of a session's server to `ping` it; after as much again it is [`super::Event::Unresponsive`].
    /// Never by default.
    pub keep_alive: Option<Duration>,
    /// How much the server may ask for.
    pub limits: Limits,
    /// How long to wait for an answer to the very first request. 5 s: a server that was started by a package
    /// runner may still be loading, and one that says nothing at all is legacy.
    pub probe_timeout: Duration,
    /// The revisions that we speak; the newest that both have is taken.
    pub revisions: Vec<Revision>,
}

impl ClientConfig {
    /// Makes the configuration of a client that speaks every revision.
    pub fn new(info: Implementation) -> Self {
        Self {
            capabilities: Capabilities::default(),
            era: EraChoice::Auto,
            info,
            initialize_timeout: Duration::from_secs(60),
            keep_alive: None,
            limits: Limits::default(),
            probe_timeout: Duration::from_secs(5),
            revisions: Revision::ALL.to_vec(),
        }
    }
}
