//! The stream of a session for what belongs to no request, opened again whenever it ends.

use http::StatusCode;
use plainwire_proto::sse::Events;

use super::connection::{Connection, Sent};
use super::response::{Position, kind};

impl Connection {
    /// Listens until the server says that it has no such stream, or that the session is over.
    pub(crate) async fn listen(&self) {
        let mut position = Position::default();
        while self.messages.get().is_none() {
            match self.get(position.last_id.clone().as_deref()).await {
                Ok(Sent { mut response, .. }) => match response.status() {
                    StatusCode::OK if kind(response.headers()) == "text/event-stream" => {
                        // Nothing is awaited here, so that nothing is cut off.
                        let mut events = Events::new(self.limit);
                        let _ = self.read_events((&mut response, &mut events), &mut position, None).await;
                    }
                    // The next request begins another session, and nothing could be missed before.
                    StatusCode::NOT_FOUND => position.last_id = None,
                    status if status.is_server_error() => {}
                    status => return tracing::debug!("there is no stream of the session: HTTP {status}"),
                },
                Err(_) => tracing::debug!("the stream of the session is not there"),
            }
            tokio::time::sleep(position.wait()).await;
        }
    }
}
