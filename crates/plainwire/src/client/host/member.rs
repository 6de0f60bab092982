//! A server of a host that is being described: its name, and how it is connected to.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::retry::Retry;
use crate::client::process::Restart;
use crate::client::{Client, ClientBuilder, Eras, Target};
use crate::error::Result;

/// How long a listing waits for one server. 5 s: a person waits for it.
const DEADLINE: Duration = Duration::from_secs(5);

/// How long a server may take to connect. 60 s: as long as `initialize` may take; some install themselves first.
const CONNECT_DEADLINE: Duration = Duration::from_secs(60);

/// How often in a row a server is connected to again. 10: with the pauses below, some five minutes of somebody asking.
const AGAIN: u32 = 10;

/// How long to wait before the second time in a row, and how long that may get.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

type Connecting = Pin<Box<dyn Future<Output = Result<Client>> + Send>>;

/// A server of a host that is being described.
///
/// What is described by [`Self::to`] or [`Self::reconnecting`] is connected to again when somebody needs it and its
/// connection has ended, or could not be made: see [`Self::retry`].
#[must_use = "a member does nothing until a host has it"]
pub struct Member {
    pub(super) connect_deadline: Duration,
    how: How,
    pub(super) deadline: Duration,
    pub(super) name: String,
    pub(super) prefix: Option<String>,
    retry: Restart,
}

enum How {
    Again(Box<dyn FnMut() -> Connecting + Send>),
    Once(Connecting),
    Target { builder: Box<ClientBuilder>, target: Target },
}

/// What makes the connections of a server.
pub(crate) enum Connector {
    Again(Box<dyn FnMut() -> Connecting + Send>),
    Once(Option<Connecting>),
}

impl Connector {
    /// Begins another connection, if there may be one.
    pub(crate) fn next(&mut self) -> Option<Connecting> {
        match self {
            Self::Again(connect) => Some(connect()),
            Self::Once(connecting) => connecting.take(),
        }
    }
}

impl Member {
    /// Describes a server that is connected already, under a name of the program's choice. Its connection is not made again.
    pub fn connected(name: impl Into<String>, client: Client) -> Self {
        Self::connecting(name, async { Ok(client) })
    }

    /// Describes a server that `connecting` connects to, beside all the others. Its connection is not made again.
    pub fn connecting(
        name: impl Into<String>,
        connecting: impl Future<Output = Result<Client>> + Send + 'static,
    ) -> Self {
        Self::new(name, How::Once(Box::pin(connecting)))
    }

    /// Describes a server that `connect` connects to each time that there is no connection and somebody needs one.
    pub fn reconnecting<F>(name: impl Into<String>, mut connect: impl FnMut() -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<Client>> + Send + 'static,
    {
        Self::new(name, How::Again(Box::new(move || Box::pin(connect()))))
    }

    /// Describes a server by what a client connects to: a command, a URL, an entry of a configuration file. It is connected
    /// to as often as need be; a [`Server`](crate::Server) of this program once.
    pub fn to(name: impl Into<String>, target: impl Into<Target>) -> Self {
        Self::to_with(name, target, Client::builder())
    }

    /// As [`Self::to`], as a client that `builder` describes.
    ///
    /// What is found out of the eras of servers is remembered by the host, unless the builder has
    /// [`Eras`](crate::ClientBuilder::eras) of its own.
    pub fn to_with(name: impl Into<String>, target: impl Into<Target>, builder: ClientBuilder) -> Self {
        Self::new(name, How::Target { builder: Box::new(builder), target: target.into() })
    }

    fn new(name: impl Into<String>, how: How) -> Self {
        Self {
            connect_deadline: CONNECT_DEADLINE,
            deadline: DEADLINE,
            how,
            name: name.into(),
            prefix: None,
            retry: Restart::default().at_most(AGAIN).backoff(PAUSES.0, PAUSES.1),
        }
    }

    /// Sets what the names of its tools and prompts begin with. Its own name by default; without any text they have the names
    /// that the server gave them.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Sets how long a listing, and a call, waits for this server. 5 s by default.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets how long it may take to connect. 60 s by default.
    pub fn connect_deadline(mut self, deadline: Duration) -> Self {
        self.connect_deadline = deadline;
        self
    }

    /// Sets how often in a row it is connected to again, and how far apart. 10 times by default: at once, after 1 s, and then
    /// after twice as long each time, up to 60 s.
    ///
    /// Nothing is tried before somebody lists or calls. A connection that has lasted for longer than the longest pause is
    /// none in a row. After the last time the server has [`Failed`](super::Connection::Failed): removed and added again,
    /// it begins anew.
    pub fn retry(mut self, policy: Restart) -> Self {
        self.retry = policy;
        self
    }

    pub(super) fn retries(&self) -> Retry {
        let again = match &self.how {
            How::Again(_) => true,
            How::Once(_) => false,
            How::Target { target, .. } => target.again().is_some(),
        };
        Retry::new(again.then_some(self.retry))
    }

    /// What connects to it, with what the host knows of eras.
    pub(super) fn connector(self, eras: &Eras) -> Connector {
        match self.how {
            How::Again(connect) => Connector::Again(connect),
            How::Once(connecting) => Connector::Once(Some(connecting)),
            How::Target { builder, target } => {
                let builder = builder.or_eras(eras);
                if target.again().is_none() {
                    return Connector::Once(Some(Box::pin(builder.connect(target))));
                }
                Connector::Again(Box::new(move || {
                    let (builder, target) = (builder.clone(), target.again());
                    Box::pin(async move {
                        // Invariant: it has just been asked whether there is another.
                        builder.connect(target.expect("a target that there may be many of")).await
                    })
                }))
            }
        }
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("name", &self.name).finish_non_exhaustive()
    }
}
