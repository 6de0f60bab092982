//! One program that talks to many servers: their lists as one, their tools under names that stay.
//!
//! In: servers under names, connected or on their way. Out: merged lists with what is missing in them, calls that find their
//! server, one stream of changes. A server that is slow or gone holds up nobody else; one that is gone is connected to again
//! when somebody needs it, and not before. Nothing that may have run is asked twice.
//!
//! Each server has a task in `driver::host`, which connects, listens and fetches; `known` is what it shares with us.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use plainwire_proto::cursor::List;
use plainwire_proto::model::{CallToolResult, GetPromptResult, ReadResourceResult};
use plainwire_proto::revision::Revision;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Client, Eras, Recorder, Stage, Trace, value_of};
use crate::error::{Error, Result};
use crate::schema::arguments;

mod changes;
mod find;
mod known;
mod link;
mod listing;
mod member;
mod names;
mod retry;
pub(crate) mod task;

use changes::Changes;
pub use changes::HostChange;
use find::Found;
use known::Known;
pub use listing::{Collision, Entry, Listing, Part, PartState};
pub use member::Member;
use task::Keeping;

/// Many servers, as one.
///
/// ```
/// use plainwire::prelude::*;
/// use plainwire::host::{Host, Member};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// # let jira = plainwire::testing::client(Server::new("a").tool(Tool::new("search", || async { "ABC-1" }))).await?;
/// # let wiki = plainwire::testing::client(Server::new("b").tool(Tool::new("search", || async { "A page" })));
/// let host = Host::start([
///     Member::connected("jira", jira),
///     Member::connecting("wiki", wiki),
/// ])?;
/// assert_eq!(host.call::<String>("jira__search", json!({})).await?, "ABC-1");
/// assert_eq!(host.tools().await.entries.len(), 2);
/// # Ok(()) }
/// ```
///
/// A tool or a prompt is called `PREFIX__NAME`, where the prefix is the name of its server, or what [`Member::prefix`] says.
/// Another server changes no name. The name that the server has for it will do as well, as long as no other server has the
/// same: otherwise it is [`Error::Ambiguous`].
///
/// Dropping the host ends all connections.
pub struct Host {
    changes: Arc<Changes>,
    eras: Eras,
    /// Never held while anything is waited for.
    seats: Mutex<Vec<Seat>>,
}

/// A server of a host, with the task that looks after it.
struct Seat {
    known: Arc<Known>,
    task: Keeping,
}

/// A server of a host, as it is at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerState {
    /// How far connecting is.
    pub connection: Connection,
    /// The host's name for it.
    pub name: String,
    /// What the names of its tools and prompts begin with, before `__`.
    pub prefix: String,
}

/// How far connecting to a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// It is there, in this revision, as far as is known: over HTTP a call will tell.
    Connected(Revision),
    /// It has not ended yet, one way or the other.
    Connecting,
    /// There is none, and will be none.
    Failed {
        /// Why.
        why: String,
    },
    /// It has ended, or could not be made. It is made again when somebody lists or calls.
    Lost {
        /// Why.
        why: String,
    },
}

impl Host {
    /// Begins to connect to all `members`, side by side, and does not wait for any of them.
    ///
    /// # Errors
    /// [`Error::Target`] for a name that is given twice, and for a prefix that is, or that can't be one: at most 32 characters
    /// of `A-Z a-z 0-9 _ -`, without `__` and without `_` at its end. A server whose name is no prefix needs
    /// [`Member::prefix`].
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(members: impl IntoIterator<Item = Member>) -> Result<Self> {
        let members: Vec<Member> = members.into_iter().collect();
        let host = Self { changes: Arc::default(), eras: Eras::new(), seats: Mutex::default() };
        let mut known: Vec<Arc<Known>> = Vec::new();
        for member in &members {
            let another = host.admit(&known, member)?;
            known.push(Arc::new(another));
        }
        host.seats().extend(known.into_iter().zip(members).map(|(known, member)| host.seat(known, member)));
        Ok(host)
    }

    /// Begins to connect to another server, and does not wait for it. What it lists is told by [`Self::next_change`].
    ///
    /// # Errors
    /// As [`Self::start`], of the servers that are there.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn add(&self, member: Member) -> Result<()> {
        let mut seats = self.seats();
        let there: Vec<_> = seats.iter().map(|seat| Arc::clone(&seat.known)).collect();
        let known = self.admit(&there, &member)?.added();
        let seat = self.seat(Arc::new(known), member);
        seats.push(seat);
        Ok(())
    }

    /// Takes a server out of the host, and ends its connection as [`Client::close`] does. That its lists are gone is told by
    /// [`Self::next_change`]; its name and its prefix are free at once.
    ///
    /// Calls of it that are under way go on, and the connection ends with the last of them. Cancel safe: the server is gone
    /// in any case, and its connection ends without anybody who waits.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a name that no server has here.
    pub async fn remove(&self, server: &str) -> Result<()> {
        let Seat { known, task } = self.take(server).ok_or_else(|| self.no_server(server))?;
        let client = known.leave();
        known.farewell();
        task.end().await;
        drop(known);
        if let Some(client) = client.and_then(Arc::into_inner) {
            client.close().await;
        }
        Ok(())
    }

    fn take(&self, server: &str) -> Option<Seat> {
        let mut seats = self.seats();
        let place = seats.iter().position(|seat| seat.known.name == server)?;
        Some(seats.remove(place))
    }

    /// Checks the name and the prefix of a server beside those that are there.
    fn admit(&self, there: &[Arc<Known>], member: &Member) -> Result<Known> {
        let Member { name, prefix, .. } = member;
        let prefix = names::prefix(prefix.as_ref().unwrap_or(name))
            .map_err(|why| Error::Target { message: format!("the server {name:?}: {why}") })?;
        if there.iter().any(|other| other.name == *name || other.prefix == prefix) {
            let message = format!(
                "expected another name and another prefix for each server, but found {name:?} with the prefix {prefix:?} \
                 beside one that has the same"
            );
            return Err(Error::Target { message });
        }
        Ok(Known::new(name.clone(), prefix, member, Arc::clone(&self.changes)))
    }

    fn seat(&self, known: Arc<Known>, member: Member) -> Seat {
        let deadline = member.connect_deadline;
        let task = Keeping::start(Arc::clone(&known), member.connector(&self.eras), deadline);
        Seat { known, task }
    }

    fn seats(&self) -> MutexGuard<'_, Vec<Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The servers of this moment.
    fn members(&self) -> Vec<Arc<Known>> {
        self.seats().iter().map(|seat| Arc::clone(&seat.known)).collect()
    }

    fn no_server(&self, server: &str) -> Error {
        let members = self.members();
        let names = members.iter().map(|known| known.name.as_str());
        let meant = arguments::nearest(server, names).map(str::to_owned);
        Error::Unknown { meant, name: server.to_owned(), what: "server" }
    }

    /// Returns the servers in the order in which they were added.
    pub fn servers(&self) -> Vec<ServerState> {
        self.seats().iter().map(|seat| seat.known.server_state()).collect()
    }

    /// Returns the client of a server, for everything that a host does not do. Waits for its connection, as long as its
    /// deadline allows; one that has ended is made again. Cancel safe.
    ///
    /// Whoever keeps the client keeps a connection that is never made again: ask for it each time.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a name that no server has here; [`Error::Unreachable`] if it is not connected.
    pub async fn client(&self, server: &str) -> Result<Arc<Client>> {
        let known = self.members().into_iter().find(|known| known.name == server);
        known.ok_or_else(|| self.no_server(server))?.client().await
    }

    /// Returns the tools of all servers. Cancel safe.
    ///
    /// Each server is waited for at most as long as its deadline; then its last list stands for it, and [`Listing::parts`]
    /// says so. One that was late once is not waited for again until it has answered. A server that promises to tell changes
    /// is asked once. One whose connection has ended is connected to again, if it is time for that.
    pub async fn tools(&self) -> Listing {
        self.list(List::Tools).await
    }

    /// Returns the resources of all servers, as [`Self::tools`]. The same URI may come from several servers.
    pub async fn resources(&self) -> Listing {
        self.list(List::Resources).await
    }

    /// Returns the resource templates of all servers, as [`Self::resources`].
    pub async fn resource_templates(&self) -> Listing {
        self.list(List::ResourceTemplates).await
    }

    /// Returns the prompts of all servers, as [`Self::tools`].
    pub async fn prompts(&self) -> Listing {
        self.list(List::Prompts).await
    }

    /// Returns the next change: a list of a server that is another one now, fetched already. Cancel safe.
    ///
    /// Changes that come while nobody asks are told once each. A list that comes late, after a listing had to do without it,
    /// is a change too.
    pub async fn next_change(&self) -> HostChange {
        self.changes.next().await
    }

    /// Calls a tool. Cancel safe, as [`Client::request`].
    ///
    /// A connection that has ended is made again before the call is sent. A call that was sent is never made again by the
    /// host: if the connection ends meanwhile, that is its error.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a name that nobody has; [`Error::Ambiguous`] for one that several servers have;
    /// [`Error::Unreachable`] if its server is not connected; otherwise as [`Client::call_tool`].
    pub async fn call_tool(&self, name: &str, arguments: impl Serialize) -> Result<CallToolResult> {
        let found = self.find(List::Tools, name).await?;
        let client = found.known.client().await?;
        let result = client.call_tool(&found.own, arguments).await;
        found.known.heed(&client, &result);
        result
    }

    /// Calls a tool and returns its value, as [`Client::call`].
    ///
    /// # Errors
    /// As [`Self::call_tool`] and [`Client::call`].
    pub async fn call<T: DeserializeOwned>(&self, name: &str, arguments: impl Serialize) -> Result<T> {
        value_of(&self.call_tool(name, arguments).await?)
    }

    /// Calls a tool, and says what happened on the way.
    ///
    /// # Errors
    /// As [`Self::call_tool`]; there is a trace in any case.
    pub async fn call_traced(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> (Result<CallToolResult>, Trace) {
        let recorder = Recorder::start(name);
        let (mut server, mut client) = (None, None);
        let result = async {
            let found = self.find(List::Tools, name).await?;
            server = Some(found.known.name.clone());
            recorder.note(Stage::Resolved { name: found.own.clone(), server: found.known.name.clone() });
            let client = client.insert(found.known.client().await?);
            if let Some(fault) = found.fault(&arguments) {
                recorder.note(Stage::Checked { fault });
            }
            let result = client.call_noting(&found.own, arguments, &recorder).await;
            found.known.heed(client, &result);
            result
        };
        let result = result.await;
        let is_error = result.as_ref().is_ok_and(|result| result.is_error);
        let trace = recorder.finish(client.as_deref(), "tools/call", server, &result, is_error);
        (result, trace)
    }

    /// Gets a prompt; the arguments are strings.
    ///
    /// # Errors
    /// As [`Self::call_tool`].
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<GetPromptResult> {
        let found = self.find(List::Prompts, name).await?;
        let client = found.known.client().await?;
        let result = client.get_prompt(&found.own, arguments).await;
        found.known.heed(&client, &result);
        result
    }

    /// Reads a resource of the server that lists it, else of the one with a template that it belongs to.
    ///
    /// # Errors
    /// As [`Self::call_tool`]. Where several servers have it, [`Self::client`] reads that of one.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult> {
        let found: Found = self.find(List::Resources, uri).await?;
        let client = found.known.client().await?;
        let result = client.read_resource(uri).await;
        found.known.heed(&client, &result);
        result
    }

    /// Ends all connections, and the processes that were started for them, as [`Client::close`] does.
    pub async fn close(self) {
        let seats = std::mem::take(&mut *self.seats());
        let clients: Vec<_> = seats.iter().map(|seat| seat.known.leave()).collect();
        for seat in seats {
            seat.task.end().await;
        }
        // A client that somebody else has too ends with its last owner.
        let clients = clients.into_iter().flatten().filter_map(Arc::into_inner);
        all(clients.map(|client| Box::pin(client.close()) as Boxed<'_, ()>).collect()).await;
    }

    async fn list(&self, list: List) -> Listing {
        let members = self.members();
        let parts: Vec<_> = members.iter().map(|it| Box::pin(it.latest(list)) as Boxed<'_, PartOf>).collect();
        let parts = all(parts).await;
        let parts = members.iter().zip(&parts);
        listing::merge(list, parts.map(|(known, (state, all))| (known.name.as_str(), state.clone(), &**all)))
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = self.members();
        let names: Vec<&str> = members.iter().map(|known| known.name.as_str()).collect();
        f.debug_struct("Host").field("servers", &names).finish_non_exhaustive()
    }
}

/// What one server brings to a listing.
type PartOf = (PartState, Arc<[listing::Named]>);

type Boxed<'f, T> = Pin<Box<dyn Future<Output = T> + Send + 'f>>;

/// Waits for all of them, side by side.
async fn all<T>(mut futures: Vec<Boxed<'_, T>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(cx)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
