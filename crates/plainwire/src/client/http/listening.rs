//! The stream of a session for messages that belong to no request. The client opens it again whenever it
//! ends.

use http::StatusCode;
use plainwire_proto::sse::Events;

use super::Arrived;
use super::connection::{Connection, Sent};
use super::response::{Position, kind};

impl Connection {
    /// Passes the messages of the session's stream to the connection task, until the server says that it has
    /// no such stream. Does nothing in HTTP+SSE.
    pub(crate) async fn listen(&self) {
        let mut position = Position::default();
        while self.messages.get().is_none() {
            match self.get(position.last_id.clone().as_deref()).await {
                Ok(Sent { mut response, generation }) => match response.status() {
                    StatusCode::OK if kind(response.headers()) == "text/event-stream" => {
                        // No answer is awaited here, so reading can't fail.
                        let mut events = Events::new(self.limits.frame_in);
                        let _ = self.read_events((&mut response, &mut events), &mut position, None).await;
                    }
                    // A client that only listens sends no request that would notice the lost session.
                    StatusCode::NOT_FOUND => {
                        position.last_id = None;
                        if let Err(error) = self.renew(generation).await {
                            tracing::debug!("a new session could not begin: {error}");
                        }
                    }
                    status if status.is_server_error() => {}
                    // The server has kept no events of the broken stream: messages may have been missed.
                    _ if position.last_id.take().is_some() => self.tell(Arrived::Renewed).await,
                    status => {
                        return tracing::debug!("the server offers no stream for the session: HTTP {status}");
                    }
                },
                Err(_) => tracing::debug!("the stream of the session could not be opened"),
            }
            tokio::time::sleep(position.wait()).await;
        }
    }
}
