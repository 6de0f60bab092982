//! A server of this program as the target of a client.
//!
//! Apart from [`crate::testing`], this is the only file that uses both the server half and the client half.

use crate::client::Target;
use crate::server::Server;
use crate::server::connection::serve_in_background;
use crate::stream::memory;

impl From<Server> for Target {
    /// Converts a server to a target. The server starts when a client connects, and ends with the client.
    fn from(server: Server) -> Self {
        Self::open(move || {
            let (ours, theirs) = memory::pair();
            serve_in_background(server.into_connection(theirs)?);
            Ok(ours)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::client::Client;
    use crate::error::Error;
    use crate::server::Server;
    use crate::server::entry::Tool;

    #[tokio::test]
    async fn connects_to_a_server_of_this_program_and_sees_what_is_wrong_with_it() {
        let server = Server::new("s").tool(Tool::new("one", || async { 1 }));
        let client = Client::connect(server).await.expect("a server that is right");
        assert_eq!(client.call::<u8>("one", serde_json::json!({})).await.expect("an answer"), 1);
        let twice =
            Server::new("s").tool(Tool::new("one", || async { 1 })).tool(Tool::new("one", || async { 2 }));
        let error = Client::connect(twice).await.expect_err("one name for two tools");
        assert!(matches!(error, Error::Declaration { .. }), "{error}");
    }
}
