//! The description of a server of a host: its name, and how to connect to it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::timeout;

use super::retry_schedule::Retry;
use crate::client::process::Restart;
use crate::client::{Client, ClientBuilder, Eras, Target};
use crate::error::{Error, Result};

/// The default time that a listing or a call waits for one server. 5 s: a user waits for the listing.
const DEADLINE: Duration = Duration::from_secs(5);

/// The default time limit for connecting to a server. 60 s: as long as `initialize` may take; some servers
/// install themselves first.
const CONNECT_DEADLINE: Duration = Duration::from_secs(60);

/// The default limit of attempts in a row to connect to a server again. 10: with the pauses of [`PAUSES`],
/// they last for about four minutes if the server is needed all the time.
const AGAIN: u32 = 10;

/// The default pause before the second attempt in a row to connect again, and the longest pause.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

type Connecting = Pin<Box<dyn Future<Output = Result<Client>> + Send>>;

/// The description of a server of a host.
///
/// If the connection to a server from [`Self::to`] or [`Self::reconnecting`] has ended or could not be made,
/// the host connects again when the server is needed: see [`Self::retry`].
#[must_use = "a member does nothing until a host has it"]
pub struct Member {
    pub(super) connect_deadline: Duration,
    how: How,
    pub(super) deadline: Duration,
    pub(super) name: String,
    pub(super) prefix: Option<String>,
    retry: Restart,
}

/// The way to connect to a server: by a function that makes each connection, by one future, or to a target.
enum How {
    Again(Box<dyn FnMut() -> Connecting + Send>),
    Once(Connecting),
    Target { builder: Box<ClientBuilder>, target: Target },
}

/// The source of connections to a server: a function that makes each connection, or the future of the only
/// connection until it is taken.
pub(crate) enum Connector {
    Again(Box<dyn FnMut() -> Connecting + Send>),
    Once(Option<Connecting>),
}

impl Connector {
    /// Returns the future that makes the next connection; `None` if the only one was already taken.
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

    /// Describes a server that `connect` connects to. The host calls `connect` once at the start. It calls it
    /// again when the server is needed and there is no connection, as [`Self::retry`] permits.
    pub fn reconnecting<F>(name: impl Into<String>, mut connect: impl FnMut() -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<Client>> + Send + 'static,
    {
        Self::new(name, How::Again(Box::new(move || Box::pin(connect()))))
    }

    /// Describes a server by its target: a command, a URL, an entry of a configuration file. The host
    /// connects to it as [`Self::retry`] permits, but only once to a [`Server`](crate::Server) of this
    /// program or to another [`Target::Stream`].
    pub fn to(name: impl Into<String>, target: impl Into<Target>) -> Self {
        Self::to_with(name, target, Client::builder())
    }

    /// Like [`Self::to`], but with a client that `builder` describes.
    ///
    /// The host remembers which of its servers are legacy, unless `builder` has its own memory of eras:
    /// [`ClientBuilder::eras`].
    pub fn to_with(name: impl Into<String>, target: impl Into<Target>, builder: ClientBuilder) -> Self {
        let name = name.into();
        let target = match target.into() {
            // The lines of several servers arrive on one stderr.
            Target::Command(program) => program.labelled(&name).into(),
            other => other,
        };
        Self::new(name, How::Target { builder: Box::new(builder), target })
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

    /// Sets the prefix of the host's names for the tools and prompts of this server. By default it is the
    /// name of the server. If the prefix is empty, the host's names are the server's own names, as far as
    /// models accept them.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Sets how long a listing or a call waits for this server. 5 s by default.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the time limit of each attempt to connect to this server. 60 s by default.
    pub fn connect_deadline(mut self, deadline: Duration) -> Self {
        self.connect_deadline = deadline;
        self
    }

    /// Sets how many times in a row the host tries to connect again after a connection has ended or could not
    /// be made, and the pauses before these attempts. By default 10 times: at once, after 1 s, and then with
    /// a pause that doubles each time, up to 60 s.
    ///
    /// The host connects again only when a listing or a call needs the server. A connection that lasts longer
    /// than the longest pause resets the count. If no attempt is left, the state of the server is
    /// [`Failed`](super::Connection::Failed). To begin again, remove the server from the host and add it.
    pub fn retry(mut self, policy: Restart) -> Self {
        self.retry = policy;
        self
    }

    /// Returns the schedule of attempts to connect to this server again.
    pub(super) fn retries(&self) -> Retry {
        let again = match &self.how {
            How::Again(_) => true,
            How::Once(_) => false,
            How::Target { target, .. } => target.again().is_some(),
        };
        Retry::new(again.then_some(self.retry))
    }

    /// Returns the connector of this server. `eras` is the host's memory of legacy servers, used if the
    /// builder has none.
    pub(super) fn connector(self, eras: &Eras) -> Connector {
        let deadline = self.connect_deadline;
        match self.how {
            How::Again(mut connect) => {
                Connector::Again(Box::new(move || Box::pin(in_time(connect(), deadline))))
            }
            How::Once(connecting) => Connector::Once(Some(Box::pin(in_time(connecting, deadline)))),
            How::Target { builder, target } => {
                // The error of the builder has what the server has written to its stderr.
                let builder = builder.or_eras(eras).within(deadline);
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

/// Awaits a connection for at most `deadline`.
async fn in_time(connecting: Connecting, deadline: Duration) -> Result<Client> {
    timeout(deadline, connecting).await.unwrap_or_else(|_| {
        let why = format!("expected a connection within {deadline:?}, but there is none");
        Err(Error::Closed { why })
    })
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("name", &self.name).finish_non_exhaustive()
    }
}
