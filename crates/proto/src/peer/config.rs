//! Configuration of a connection: implementation info, capabilities, limits, timeouts.

use std::time::Duration;

use crate::codec::Encoder;
use crate::model::{CacheHint, Capabilities, Implementation};
use crate::revision::{Era, Revision};

/// Limits of one connection. Past a limit the answer is an error that names the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Messages in a batch. 1,000: more than any known client sends at once.
    pub batch: usize,
    /// Levels of nesting in a message, at most 1,024. 128: the limit of other parsers.
    pub depth: usize,
    /// Bytes of an incoming message. 16 MiB: a photograph in base64.
    pub frame_in: usize,
    /// Bytes of an outgoing message. 64 MiB: known clients can receive that much.
    pub frame_out: usize,
    /// Requests in flight at a time. 4,096: each takes some KiB.
    pub in_flight: usize,
    /// `subscriptions/listen` requests at a time; they do not count as `in_flight`. 16: one for each window
    /// of a client.
    pub listens: usize,
    /// Subscriptions to resources, of sessions and listens together. 1,024: more than a user looks at.
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

/// Configuration that all connections of a server share.
#[derive(Debug)]
pub struct ServerConfig {
    /// The cache hint of the result of `server/discover`.
    pub cache_hint: CacheHint,
    /// The capabilities offered. Methods of other capabilities are answered with "method not found".
    pub capabilities: Capabilities,
    /// The server's name and version. Not public, since the encoders are built from it.
    pub(super) info: Implementation,
    /// Instructions to the model on using the server.
    pub instructions: Option<String>,
    /// Silence of a session's client after which the server sends a `ping`; as much silence again is reported
    /// as [`super::Event::Unresponsive`]. `None`, the default, means never.
    pub keep_alive: Option<Duration>,
    /// The limits of each connection.
    pub limits: Limits,
    /// The revisions served, oldest first.
    pub revisions: Vec<Revision>,
    /// One encoder per revision, built once.
    pub(super) encoders: [Encoder; Revision::ALL.len()],
}

impl ServerConfig {
    /// Creates the configuration of a server that serves every revision.
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

    /// Returns the encoder for results in `revision`.
    pub fn encoder(&self, revision: Revision) -> &Encoder {
        &self.encoders[revision.index()]
    }

    pub(super) fn newest_legacy(&self) -> Option<Revision> {
        self.revisions.iter().copied().filter(|r| r.era() == Era::Legacy).max()
    }
}

/// The handshakes that a client tries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// Tries `server/discover` first, and falls back to `initialize`.
    #[default]
    Auto,
    /// `initialize` only.
    Legacy,
    /// `server/discover` only.
    Modern,
}

/// Configuration of a client's connection.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The capabilities offered to the server.
    pub capabilities: Capabilities,
    /// The handshakes to try.
    pub era: EraChoice,
    /// The client's name and version.
    pub info: Implementation,
    /// Time to wait for the answer to `initialize`. 60 s: cold starts are slow.
    pub initialize_timeout: Duration,
    /// Silence of a session's server after which the client sends a `ping`; as much silence again is reported
    /// as [`super::Event::Unresponsive`]. `None`, the default, means never.
    pub keep_alive: Option<Duration>,
    /// The limits of the connection.
    pub limits: Limits,
    /// Time to wait for the answer to `server/discover`. 5 s: a server that a package runner starts may still
    /// be loading, and a server that does not answer at all is treated as legacy.
    pub probe_timeout: Duration,
    /// The revisions that the client speaks; the newest one in common with the server is used.
    pub revisions: Vec<Revision>,
}

impl ClientConfig {
    /// Creates the configuration of a client that speaks every revision.
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
