//! A host: one program that is connected to many servers. It merges their lists, and gives their tools and
//! prompts stable names.
//!
//! In: descriptions of servers ([`Member`]). Out: merged lists that say which parts are missing, calls that
//! are routed to the right server, and one stream of changes. A slow or lost server delays a listing only up
//! to the server's deadline. The host connects to a lost server again only when a listing or a call needs it.
//! Connecting again never repeats a request. Only the client may repeat one, once, if that does no harm.
//!
//! Each server has a task, which connects, listens and fetches (`task`). The host and this task share a
//! record of the server (`known`).

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

mod call;
mod changes;
mod find;
mod known;
mod link;
mod listing;
mod member;
mod names;
mod retry_schedule;
pub(crate) mod task;

pub use call::HostCall;
use changes::Changes;
pub use changes::HostChange;
use find::Found;
use known::Known;
pub use listing::{Collision, HostEntry, Listing, ListingPart, ListingState};
pub use member::Member;
use task::ServerTask;

/// A group of servers that is used like one server.
///
/// ```
/// use plainwire::prelude::*;
/// use plainwire::client::host::{Host, Member};
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
/// The host's name for a tool or a prompt is `PREFIX__NAME`. The prefix is the name of its server, or the one
/// set by [`Member::prefix`]. These names do not depend on the other servers. The server's own name for the
/// tool or prompt works too, if no other server has an entry with the same name: otherwise the error is
/// [`Error::Ambiguous`].
///
/// Dropping the host ends all connections.
pub struct Host {
    /// The changes of servers' lists that the program has not read yet.
    changes: Arc<Changes>,
    /// The memory of which servers are legacy, for clients that have none of their own.
    eras: Eras,
    /// The servers, in the order in which they were added. Never locked across an `await`.
    seats: Mutex<Vec<Seat>>,
}

/// The host's record of one server, and the task of that server.
struct Seat {
    known: Arc<Known>,
    task: ServerTask,
}

/// The current state of a server of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerState {
    /// The state of the connection to the server.
    pub connection: Connection,
    /// The host's name for the server.
    pub name: String,
    /// The prefix of the host's names for the server's tools and prompts, before `__`.
    pub prefix: String,
}

/// The state of the connection to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// The connection is open, and uses this revision. Over HTTP only the next call shows whether the server
    /// is still there.
    Connected(Revision),
    /// The host is connecting to the server.
    Connecting,
    /// There is no connection, and the host will not connect again.
    Failed {
        /// The reason why there is no connection. To connect again, remove the server from the host and add it.
        why: String,
    },
    /// The connection has ended, or could not be made. A listing or a call connects again, but not before the
    /// pause that [`Member::retry`] sets is over.
    Lost {
        /// The reason why the connection has ended or could not be made.
        why: String,
    },
}

impl Host {
    /// Begins to connect to all `members` concurrently, and returns without waiting.
    ///
    /// # Errors
    /// [`Error::Target`] if two members have the same name or the same prefix, or if a prefix is invalid. A
    /// prefix has at most 32 characters of `A-Z a-z 0-9 _ -`, without `__` and without `_` at its end. If the
    /// name of a server is not a valid prefix, set one with [`Member::prefix`].
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

    /// Begins to connect to another server, and returns without waiting. [`Self::next_change`] reports its
    /// lists when they arrive.
    ///
    /// # Errors
    /// Like [`Self::start`], also if a current server has the name or the prefix.
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

    /// Removes a server from the host, and ends its connection like [`Client::close`]. [`Self::next_change`]
    /// reports that its lists are gone. Its name and its prefix are free at once.
    ///
    /// Calls in flight continue, and the connection ends when all of them have ended. Cancel safe: the server
    /// is removed in any case, and its connection then ends in the background.
    ///
    /// # Errors
    /// [`Error::Unknown`] if no server has this name.
    pub async fn remove(&self, server: &str) -> Result<()> {
        let Seat { known, task } = self.take(server).ok_or_else(|| self.no_server(server))?;
        let client = known.leave();
        known.farewell();
        task.end().await;
        drop(known);
        if let Some(client) = client {
            client.close_if_last().await;
        }
        Ok(())
    }

    fn take(&self, server: &str) -> Option<Seat> {
        let mut seats = self.seats();
        let place = seats.iter().position(|seat| seat.known.name == server)?;
        Some(seats.remove(place))
    }

    /// Checks that no server in `there` has the name or the prefix of `member`, and returns the record of the
    /// new server.
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
        let task = ServerTask::start(Arc::clone(&known), member.connector(&self.eras));
        Seat { known, task }
    }

    fn seats(&self) -> MutexGuard<'_, Vec<Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the records of the servers that the host has now.
    fn members(&self) -> Vec<Arc<Known>> {
        self.seats().iter().map(|seat| Arc::clone(&seat.known)).collect()
    }

    fn no_server(&self, server: &str) -> Error {
        let members = self.members();
        let names = members.iter().map(|known| known.name.as_str());
        let meant = arguments::nearest(server, names).map(str::to_owned);
        Error::Unknown { meant, name: server.to_owned(), what: "server" }
    }

    /// Returns the states of the servers, in the order in which the servers were added.
    pub fn servers(&self) -> Vec<ServerState> {
        self.seats().iter().map(|seat| seat.known.server_state()).collect()
    }

    /// Returns the client of a server, for requests that [`Host`] has no method for. Waits for its connection
    /// up to its deadline, and connects again if the connection has ended and an attempt is due. Cancel safe.
    ///
    /// Call this method each time that you need the client: the client that it returns never connects again.
    ///
    /// # Errors
    /// [`Error::Unknown`] if no server has this name; [`Error::Unreachable`] if the server is not connected.
    pub async fn client(&self, server: &str) -> Result<Client> {
        let known = self.members().into_iter().find(|known| known.name == server);
        known.ok_or_else(|| self.no_server(server))?.client().await
    }

    /// Returns the tools of all servers. Cancel safe.
    ///
    /// Waits for each server up to its deadline. For a server that takes longer, the listing has the entries
    /// that last arrived from it, and [`Listing::parts`] says so; further listings do not wait for that
    /// server until it has answered. While a server reports changes of the list, the list is requested again
    /// only after a change. If a connection has ended, the host connects again if an attempt is due.
    pub async fn tools(&self) -> Listing {
        self.list(List::Tools).await
    }

    /// Returns the resources of all servers, like [`Self::tools`]. Several servers may have the same URI.
    pub async fn resources(&self) -> Listing {
        self.list(List::Resources).await
    }

    /// Returns the resource templates of all servers, like [`Self::resources`].
    pub async fn resource_templates(&self) -> Listing {
        self.list(List::ResourceTemplates).await
    }

    /// Returns the prompts of all servers, like [`Self::tools`].
    pub async fn prompts(&self) -> Listing {
        self.list(List::Prompts).await
    }

    /// Returns the next change: a server's list that differs from before. The new list is fetched already.
    /// Cancel safe.
    ///
    /// Changes that arrive between two calls are reported once each. A list that arrives after a listing had
    /// to leave it out is a change too.
    pub async fn next_change(&self) -> HostChange {
        self.changes.next().await
    }

    /// Calls a tool. Cancel safe, like [`Client::request`].
    ///
    /// Connects again before the call if the connection has ended and an attempt is due. The host itself
    /// never makes a sent call again. If the connection ends during the call, the client makes the call again
    /// if it can and if that does no harm; otherwise this returns an error.
    ///
    /// # Errors
    /// [`Error::Unknown`] if no server has an entry of this name; [`Error::Ambiguous`] if several servers
    /// have one; [`Error::Unreachable`] if the server is not connected; otherwise like [`Client::call_tool`].
    pub fn call_tool(&self, name: &str, arguments: impl Serialize) -> HostCall<'_, CallToolResult> {
        HostCall::new(self, name, arguments, Ok)
    }

    /// Calls a tool and returns its value, like [`Client::call`].
    ///
    /// # Errors
    /// Like [`Self::call_tool`] and [`Client::call`].
    pub fn call<T: DeserializeOwned + 'static>(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> HostCall<'_, T> {
        HostCall::new(self, name, arguments, |result| value_of(&result))
    }

    /// Calls a tool, and returns a trace of the call.
    ///
    /// # Errors
    /// Like [`Self::call_tool`]. The trace is returned in any case.
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
        let trace = recorder.finish(client.as_ref(), "tools/call", server, &result, is_error);
        (result, trace)
    }

    /// Gets a prompt. Its arguments are strings.
    ///
    /// # Errors
    /// Like [`Self::call_tool`].
    pub async fn get_prompt(&self, name: &str, arguments: impl Serialize) -> Result<GetPromptResult> {
        let found = self.find(List::Prompts, name).await?;
        let client = found.known.client().await?;
        let result = client.get_prompt(&found.own, arguments).await;
        found.known.heed(&client, &result);
        result
    }

    /// Reads a resource of the server that lists it, else of the server whose template matches it.
    ///
    /// # Errors
    /// Like [`Self::call_tool`]. If several servers have the resource, read it from one of them with
    /// [`Self::client`].
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult> {
        let found: Found = self.find(List::Resources, uri).await?;
        let client = found.known.client().await?;
        let result = client.read_resource(uri).await;
        found.known.heed(&client, &result);
        result
    }

    /// Ends all connections and the child processes of their servers, like [`Client::close`].
    pub async fn close(self) {
        let seats = std::mem::take(&mut *self.seats());
        let clients: Vec<_> = seats.iter().map(|seat| seat.known.leave()).collect();
        for seat in seats {
            seat.task.end().await;
        }
        // A client with other owners ends when its last owner drops it.
        let clients = clients.into_iter().flatten();
        all(clients.map(|client| Box::pin(client.close_if_last()) as Boxed<'_, ()>).collect()).await;
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

/// One server's part of a listing: its state and its entries.
type PartOf = (ListingState, Arc<[listing::Named]>);

type Boxed<'f, T> = Pin<Box<dyn Future<Output = T> + Send + 'f>>;

/// Runs all futures concurrently, and returns their values in the order of the futures.
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
