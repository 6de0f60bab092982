//! The tasks of a client connection over HTTP: one for each frame that is sent. The task of the frame that
//! opens a session continues, and listens for messages that belong to no request.
//!
//! Invariant: a request whose task still runs is in the map `open`, so that a cancel can stop the task. All
//! tasks stop when the connection ends.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll};

use plainwire_proto::envelope::Id;
use plainwire_proto::peer::{Peer, TransmitKind};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::link::Incoming;
use crate::client::http::{Arrived, Connection, Outbound};
use crate::runtime::TaskSet;
use crate::stream::{Direction, Tap};

/// The most frames in flight, that is, HTTP requests that have not ended; each may be a TCP connection. 256:
/// a fourth of the files that a process may open by default.
const MAX_IN_FLIGHT: usize = 256;

/// The most received messages that wait for the connection task. While the queue is full, responses are not
/// read.
pub(crate) const ARRIVALS: usize = 64;

/// The link of a client connection to its server, over HTTP.
pub(crate) struct Http {
    arrived: mpsc::Receiver<Arrived>,
    connection: Arc<Connection>,
    /// The tasks of the requests in flight, by request id. A request that opened a session stays here.
    open: HashMap<Id, AbortHandle>,
    tap: Option<Tap>,
    tasks: TaskSet<Sent>,
}

/// The result of a task that has sent a frame and read the response, or has failed to do so. The last message
/// of the response is here and not in the queue `arrived`. So the connection task is woken only once, for the
/// last message and the end of the response.
struct Sent {
    /// The id of the request; `None` if the frame was no request, or if it opened the session.
    id: Option<Id>,
    /// The answer to the request, or the error with which it failed; `None` if the frame was no request, or
    /// if its answer arrives on another stream.
    last: Option<Arrived>,
}

impl Http {
    pub(super) fn new(
        connection: Arc<Connection>,
        arrived: mpsc::Receiver<Arrived>,
        tap: Option<Tap>,
    ) -> Self {
        Self { arrived, connection, open: HashMap::new(), tap, tasks: TaskSet::default() }
    }

    pub(super) fn is_backlogged(&self) -> bool {
        self.tasks.len() >= MAX_IN_FLIGHT
    }

    pub(super) fn gather(&mut self, peer: &mut Peer, mut see: impl FnMut(&[u8])) {
        while let Some(transmit) = peer.poll_transmit() {
            if matches!(transmit.kind, TransmitKind::Close(_)) {
                continue;
            }
            let out = Outbound::read(transmit.bytes, peer.revision());
            if let Some(sent) = out.cancels.as_ref().and_then(|id| self.open.remove(id)) {
                sent.abort();
                // Spec: 2026-07-28 `streamable-http`: closing the stream cancels the request; no message is
                // sent.
                if out.is_modern() {
                    continue;
                }
            }
            if let Some(tap) = &self.tap {
                tap.see(Direction::Out, out.bytes());
            }
            see(out.bytes());
            self.begin(out);
        }
    }

    fn begin(&mut self, out: Outbound) {
        let connection = Arc::clone(&self.connection);
        let id = out.id.clone();
        let done = id.clone();
        let sent = if let Some(gate) = connection.opens(&out) {
            self.tasks.spawn(async move {
                let last = connection.send(out).await;
                drop(gate);
                connection.listen().await;
                Sent { id: None, last }
            })
        } else {
            self.tasks.spawn(async move { Sent { last: connection.send(out).await, id: done } })
        };
        if let Some(id) = id {
            self.open.insert(id, sent);
        }
    }

    pub(super) fn poll_in(
        &mut self,
        cx: &mut Context<'_>,
        mut take: impl FnMut(Incoming<'_>),
    ) -> Result<bool, String> {
        let mut came = self.poll_arrived(cx, &mut take)?;
        while let Poll::Ready(Some(ended)) = self.tasks.poll_next(cx) {
            came = true;
            match ended {
                Ok((_, Sent { id, last })) => {
                    // Messages that arrived earlier on the same stream go first.
                    self.poll_arrived(cx, &mut take)?;
                    drop(id.and_then(|id| self.open.remove(&id)));
                    last.map_or(Ok(()), |last| self.pass(last, &mut take))?;
                }
                Err(error) if error.is_panic() => return Err(format!("sending failed: {error}")),
                Err(_) => {}
            }
        }
        Ok(came)
    }

    fn poll_arrived(
        &mut self,
        cx: &mut Context<'_>,
        take: &mut impl FnMut(Incoming<'_>),
    ) -> Result<bool, String> {
        let mut came = false;
        while let Poll::Ready(Some(arrived)) = self.arrived.poll_recv(cx) {
            came = true;
            self.pass(arrived, take)?;
        }
        Ok(came)
    }

    fn pass(&self, arrived: Arrived, take: &mut impl FnMut(Incoming<'_>)) -> Result<(), String> {
        match arrived {
            Arrived::Failed { id, error } => take(Incoming::Failed(id, error)),
            Arrived::Gone(why) => return Err(why),
            Arrived::Message(inbound) => {
                if let Some(tap) = &self.tap {
                    tap.see(Direction::In, inbound.text.as_bytes());
                }
                take(Incoming::Message(inbound));
            }
            Arrived::Renewed => take(Incoming::Renewed),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;
    use std::time::Duration;

    use plainwire_proto::peer::Limits;

    use super::*;
    use crate::client::http::Remote;
    use crate::client::known_tools::KnownTools;
    use crate::error::Error;

    fn failed(number: i128) -> Arrived {
        Arrived::Failed { id: Id::Integer(number), error: Error::Closed { why: String::new() } }
    }

    #[tokio::test]
    async fn passes_on_what_came_on_a_stream_before_its_answer() {
        let (arrives, arrived) = mpsc::channel(ARRIVALS);
        let remote = Remote::new("http://127.0.0.1:1/mcp");
        let limits = (Limits::default(), Duration::from_secs(1));
        let connection =
            Connection::new(&remote, limits, KnownTools::default(), arrives.clone()).expect("a URL");
        let mut http = Http::new(Arc::new(connection), arrived, None);
        // Two requests have ended. The second has passed on a message before its answer.
        for number in [1, 3] {
            http.tasks.spawn(async move { Sent { id: None, last: Some(failed(number)) } });
        }
        tokio::task::yield_now().await;
        let mut order = Vec::new();
        let came = http.poll_in(&mut Context::from_waker(Waker::noop()), |incoming| {
            let Incoming::Failed(Id::Integer(number), _) = incoming else { return };
            if order.is_empty() {
                arrives.try_send(failed(2)).expect("room");
            }
            order.push(number);
        });
        assert!(came.expect("nothing is gone"));
        assert_eq!(order, [1, 2, 3]);
    }
}
