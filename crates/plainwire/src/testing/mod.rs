//! Helpers for tests without a process and without a network.
//!
//! In: a server, and handlers for its questions. Out: a client that is connected to the server, in one era of
//! the protocol or in each.
//!
//! - [`show()`] writes results and lists as text for snapshots.
//! - [`contract`] compares the entries of a server with a reviewed file.
//! - [`transcript`] records sessions and replays them to servers and to clients.
//! - [`fault`] simulates a bad connection between client and server.

use plainwire_proto::peer::EraChoice;

use crate::client::{Client, ClientBuilder};
use crate::error::Result;
use crate::server::Server;
use crate::stream::memory;

pub mod fault;
mod lock;
mod show;
pub mod transcript;

pub use lock::contract;
pub use show::{Show, show};

/// Connects a client to `server` inside this process, in memory.
///
/// ```
/// use plainwire::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// let server = Server::new("demo").tool(Tool::new("hello", || async { "Hello!" }));
/// let client = plainwire::testing::client(server).await?;
/// assert_eq!(client.call::<String>("hello", json!({})).await?, "Hello!");
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`crate::Error::Declaration`] if the server is declared wrongly.
pub async fn client(server: Server) -> Result<Client> {
    client_with(server, Client::builder()).await
}

/// Like [`client`], but with the settings of `client`, such as a certain revision or a tap.
///
/// # Errors
/// The errors of [`client`].
pub async fn client_with(server: Server, client: ClientBuilder) -> Result<Client> {
    client.connect(server).await
}

/// Like [`client_with`], but over a connection that applies `faults` to the bytes between client and server.
///
/// ```
/// use plainwire::Client;
/// use plainwire::prelude::*;
/// use plainwire::testing::{self, fault::{Fault, Faults}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// let server = Server::new("demo").tool(Tool::new("hello", || async { "Hello!" }));
/// let faults = Faults::new().to_server(Fault::Split(1)).to_client(Fault::Split(1));
/// let client = testing::client_over(server, Client::builder(), faults).await?;
/// assert_eq!(client.call::<String>("hello", json!({})).await?, "Hello!");
/// # Ok(()) }
/// ```
///
/// # Errors
/// The errors of [`client`], and those that the faults cause while the client connects.
pub async fn client_over(server: Server, client: ClientBuilder, faults: fault::Faults) -> Result<Client> {
    let (ours, theirs) = faults.between(memory::pair());
    crate::server::connection::serve_in_background(server.into_connection(theirs)?);
    client.stream(ours).await
}

/// Runs `check` once per era, each time with a fresh server and a client of that era.
///
/// The eras differ for questions of a handler: in the legacy era they are requests of the server; in the
/// modern era the client sends the answers in a repeated request, for which the handler runs again.
///
/// ```
/// use plainwire::model::{ElicitResult, Elicitation};
/// use plainwire::{Client, prelude::*};
///
/// async fn greet(ctx: Context) -> Result<String, ToolError> {
///     let name: String = ctx.elicit("name", "Who are you?").await?.accepted()?;
///     Ok(format!("Hello, {name}!"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// let ada = async |_: Elicitation| ElicitResult::accept("Ada");
/// plainwire::testing::in_each_era(
///     || Server::new("demo").tool(Tool::new("greet", greet)),
///     Client::builder().on_elicit(ada),
///     async |client| {
///         assert_eq!(client.call::<String>("greet", plainwire::serde_json::json!({})).await?, "Hello, Ada!");
///         Ok(())
///     },
/// )
/// .await
/// # }
/// ```
///
/// # Errors
/// The errors of [`client`], and those of `check`.
pub async fn in_each_era(
    server: impl Fn() -> Server,
    client: ClientBuilder,
    check: impl AsyncFn(Client) -> Result<()>,
) -> Result<()> {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        check(client_with(server(), client.clone().era(era)).await?).await?;
    }
    Ok(())
}
