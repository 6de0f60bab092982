//! Tests without a process and without a network.

use crate::client::{Client, ClientBuilder};
use crate::driver;
use crate::error::Result;
use crate::server::Server;
use crate::transport::memory;

/// Connects a client to `server` inside this process.
///
/// ```
/// use plainwire::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// let server = Server::new("demo").tool(Tool::new("hello", || async { "Hello!" }));
/// let client = plainwire::testing::client(server).await?;
/// assert_eq!(client.call::<String>("hello", serde_json::json!({})).await?, "Hello!");
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`crate::Error::Declaration`] if the server is declared wrongly.
pub async fn client(server: Server) -> Result<Client> {
    client_with(server, Client::builder()).await
}

/// As [`client`], for a client of a certain revision or with a tap.
///
/// # Errors
/// As [`client`].
pub async fn client_with(server: Server, client: ClientBuilder) -> Result<Client> {
    let (ours, theirs) = memory::pair();
    driver::serve_in_background(server.into_connection(theirs)?);
    client.stream(ours).await
}
