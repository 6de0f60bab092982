//! Configuration of a connection: implementation info, capabilities, limits, timeouts.

use std::time::Duration;

use crate::codec::Encoder;
use crate::model::{CacheHint, Capabilities, Implementation};
use crate::revision::{Era, Revision};

/// The limits of one connection. If a limit is exceeded, the error names the limit. The documentation of each
/// field gives its default, and the reason for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest number of messages in a batch. Default 1,000: more than any known client sends at once.
    pub batch: usize,
    /// Largest number of nesting levels in a message; use at most 1,024. Default 128: the limit of other
    /// parsers.
    pub depth: usize,
    /// Largest size of an incoming message in bytes, less than 4 GiB. Default 16 MiB: enough for a photograph in base64.
    pub frame_in: usize,
    /// Largest size of an outgoing answer in bytes. Default 64 MiB: known clients can receive that much.
    pub frame_out: usize,
    /// Largest number of requests of the other side in flight at a time. Default 4,096: each takes some KiB.
    pub in_flight: usize,
    /// Largest number of `subscriptions/listen` requests at a time, which do not count as `in_flight`.
    /// Default 16: one for each window of a client.
    pub listens: usize,
    /// Largest number of bytes that a server over HTTP keeps for its callers: bodies of requests until their
    /// calls end, answers until they are sent, and records of sessions. One caller gets at most half. Default
    /// `None`: a quarter of the memory of the machine, or of its container.
    pub memory: Option<usize>,
    /// Largest number of subscriptions to resources, of the session and of all listens together. Default
    /// 1,024: more than a user looks at.
    pub subscriptions: usize,
}

impl Limits {
    /// Checks that messages within these limits can be read: `frame_in` is below 4 GiB, since places in a message
    /// are kept in 32 bits, and `depth` is at most 1,024, since reading a level of nesting takes some stack.
    ///
    /// # Errors
    /// The limit that is too large, with what was expected.
    pub fn check(&self) -> Result<(), String> {
        let most = u32::MAX as usize;
        for (name, most, found) in [("frame_in", most, self.frame_in), ("depth", 1_024, self.depth)] {
            if found > most {
                return Err(format!("expected the limit `{name}` to be at most {most}, but found {found}"));
            }
        }
        Ok(())
    }
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
            memory: None,
            subscriptions: 1_024,
        }
    }
}

/// The configuration that all connections of a server share.
#[derive(Debug)]
pub struct ServerConfig {
    /// The cache hint of the result of `server/discover`.
    pub cache_hint: CacheHint,
    /// The capabilities offered. Methods of other capabilities are answered with "method not found".
    pub capabilities: Capabilities,
    /// The server's name and version. Not public, since the encoders were built from it.
    pub(super) info: Implementation,
    /// Instructions to the model on using the server.
    pub instructions: Option<String>,
    /// Length of a silence of a session's client after which the server sends a `ping`. If the silence then
    /// goes on for as long again, the server reports [`super::Event::Unresponsive`]. `None`, the default,
    /// means no check.
    pub keep_alive: Option<Duration>,
    /// The limits of each connection.
    pub limits: Limits,
    /// The revisions served, oldest first.
    pub revisions: Vec<Revision>,
    /// One encoder for each revision, in the order of [`Revision::ALL`], built once.
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

/// The configuration of a client's connection.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The capabilities that the client declares.
    pub capabilities: Capabilities,
    /// The handshakes to try.
    pub era: EraChoice,
    /// The client's name and version.
    pub info: Implementation,
    /// Time to wait for the answer to `initialize`; more than 10 minutes count as 10 minutes. Default 60 s:
    /// cold starts are slow.
    pub initialize_timeout: Duration,
    /// Length of a silence of a session's server after which the client sends a `ping`. If the silence then
    /// goes on for as long again, the client reports [`super::Event::Unresponsive`]. `None`, the default,
    /// means no check.
    pub keep_alive: Option<Duration>,
    /// The limits of the connection.
    pub limits: Limits,
    /// Time to wait for the answer to `server/discover`. Default 5 s: a server that a package runner starts
    /// may still be loading, and a server that does not answer at all is treated as legacy.
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
