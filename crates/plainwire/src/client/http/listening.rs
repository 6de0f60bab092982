//! The stream of a session for what belongs to no request, opened again whenever it ends.

use http::StatusCode;
use plainwire_proto::sse::Events;

use super::Arrived;
use super::connection::{Connection, Sent};
use super::response::{Position, kind};

impl Connection {
    /// Listens until the server says that it has no such stream, or that the session is over.
    pub(crate) async fn listen(&self) {
        let mut position = Position::default();
        while self.messages.get().is_none() {
            match self.get(position.last_id.clone().as_deref()).await {
                Ok(Sent { mut response, generation }) => match response.status() {
                    StatusCode::OK if kind(response.headers()) == "text/event-stream" => {
                        // Nothing is awaited here, so that nothing is cut off.
                        let mut events = Events::new(self.limits.frame_in);
                        let _ = self.read_events((&mut response, &mut events), &mut position, None).await;
                    }
                    // Whoever only listens would wait for ever in a session that is gone.
                    StatusCode::NOT_FOUND => {
                        position.last_id = None;
                        if let Err(error) = self.renew(generation).await {
                            tracing::debug!("the next session does not begin: {error}");
                        }
                    }
                    status if status.is_server_error() => {}
                    // The server has kept nothing of the stream that broke: what was missed is missed.
                    _ if position.last_id.take().is_some() => self.tell(Arrived::Renewed).await,
                    status => return tracing::debug!("there is no stream of the session: HTTP {status}"),
                },
                Err(_) => tracing::debug!("the stream of the session is not there"),
            }
            tokio::time::sleep(position.wait()).await;
        }
    }
}
