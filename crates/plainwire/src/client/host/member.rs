//! The description of a server of a host: its name, and how to connect to it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::retry::Retry;
use crate::client::process::Restart;
use crate::client::{Client, ClientBuilder, Eras, Target};
use crate::error::Result;

/// Time that a listing waits for one server. 5 s: a user waits for the listing.
const DEADLINE: Duration = Duration::from_secs(5);

/// Time limit for connecting to a server. 60 s: as long as `initialize` may take; some servers install
/// themselves first.
const CONNECT_DEADLINE: Duration = Duration::from_secs(60);

/// The most attempts in a row to connect to a server again. 10: with the pauses below, they last for about
/// five minutes if the server is needed all the time.
const AGAIN: u32 = 10;

/// The pause before the second attempt in a row, and the longest pause.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

type Connecting = Pin<Box<dyn Future<Output = Result<Client>> + Send>>;

/// The description of a server of a host.
///
/// A server from [`Self::to`] or [`Self::reconnecting`] is connected to again when it is needed and its
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

/// Makes the connections of a server.
pub(crate) enum Connector {
    Again(Box<dyn FnMut() -> Connecting + Send>),
    Once(Option<Connecting>),
}

impl Connector {
    /// Begins another connection, if one is allowed.
    pub(crate) fn next(&mut self) -> Option<Connecting> {
        match self {
            Self::Again(connect) => Some(connect()),
            Self::Once(connecting) => connecting.take(),
        }
    }
}

impl Member {
    /// Describes a server with an open connection, under a name of your choice. If the connection ends, the
    /// host does not connect again.
    pub fn connected(name: impl Into<String>, client: Client) -> Self {
        Self::connecting(name, async { Ok(client) })
    }

    /// Describes a server that the future `connecting` connects to, concurrently with the other servers. If
    /// the connection ends, the host does not connect again.
    pub fn connecting(
        name: impl Into<String>,
        connecting: impl Future<Output = Result<Client>> + Send + 'static,
    ) -> Self {
        Self::new(name, How::Once(Box::pin(connecting)))
    }

    /// Describes a server that `connect` connects to. The host calls it each time that the server is needed
    /// and there is no connection.
    pub fn reconnecting<F>(name: impl Into<String>, mut connect: impl FnMut() -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<Client>> + Send + 'static,
    {
        Self::new(name, How::Again(Box::new(move || Box::pin(connect()))))
    }

    /// Describes a server by its target: a command, a URL, an entry of a configuration file. The host
    /// connects to it as often as needed, but to a [`Server`](crate::Server) of this program only once.
    pub fn to(name: impl Into<String>, target: impl Into<Target>) -> Self {
        Self::to_with(name, target, Client::builder())
    }

    /// Like [`Self::to`], but with a client that `builder` describes.
    ///
    /// The host remembers the eras of its servers, unless the builder has its own
    /// [`Eras`](crate::client::ClientBuilder::eras).
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

    /// Sets the prefix of the host's names for its tools and prompts. By default, the name of the server.
    /// With an empty prefix the server's own names are used.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Sets how long a listing or a call waits for this server. 5 s by default.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the time limit for connecting. 60 s by default.
    pub fn connect_deadline(mut self, deadline: Duration) -> Self {
        self.connect_deadline = deadline;
        self
    }

    /// Sets how often in a row the host connects to the server again, and the pauses. By default 10 times: at
    /// once, after 1 s, and then with a pause that doubles each time, up to 60 s.
    ///
    /// The host connects only when a listing or a call needs the server. A connection that lasts for longer
    /// than the longest pause resets the count. After the last attempt the server has
    /// [`Failed`](super::Connection::Failed). Remove and add it to begin again.
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

    /// Returns the connector of this server. It uses the host's memory of `eras`.
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
                        // Invariant: the first call of `again`, above, returned a target, so each further one
                        // does.
                        builder.connect(target.expect("a target that can be connected to again")).await
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
