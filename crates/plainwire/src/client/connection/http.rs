//! The tasks of a client connection over HTTP: one for each frame that is sent. The task of the frame that
//! opens a session continues, and listens for messages that belong to no request.
//!
//! Invariant: a request whose task still runs is in the map `open`, so that a cancel can stop the task. All
//! tasks stop when the connection ends.

use std::collections::{HashMap, VecDeque};
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

/// The most answers to requests of the server that are sent at a time. While there are more, no message of the
/// server is handled. 64: a fourth of [`MAX_IN_FLIGHT`].
const MAX_ANSWERS: usize = 64;

/// The most received messages that wait for the connection task. While the queue is full, responses are not
/// read.
pub(crate) const ARRIVALS: usize = 64;

/// The link of a client connection to its server, over HTTP.
pub(crate) struct Http {
    /// The answers to requests of the server that wait to be sent, while [`MAX_ANSWERS`] other answers are being
    /// sent.
    answers: VecDeque<Outbound>,
    arrived: mpsc::Receiver<Arrived>,
    connection: Arc<Connection>,
    /// The results of tasks that have ended, until the messages that came before them are handled.
    ended: VecDeque<Sent>,
    /// The tasks of the requests in flight, by request id.
    open: HashMap<Id, AbortHandle>,
    /// The number of tasks that send an answer.
    sending: usize,
    /// The number of tasks that send a notification other than the one that opens the session.
    notifying: usize,
    tap: Option<Tap>,
    tasks: TaskSet<Sent>,
}

/// The result of a task that has sent a frame and read the response, or has failed to do so. The last message
/// of the response is here and not in the queue `arrived`. So the connection task is woken only once, for the
/// last message and the end of the response.
struct Sent {
    /// The id of the request; `None` if the frame was no request.
    id: Option<Id>,
    kind: Kind,
    /// The answer to the request, or the error with which it failed; `None` if the frame was no request, or
    /// if its answer arrives on another stream.
    last: Option<Arrived>,
}

/// The kind of a frame that a task sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Answer,
    Notification,
    /// The notification that opens the session. Its task listens afterwards.
    Opening,
    Request,
}

impl Http {
    pub(super) fn new(
        connection: Arc<Connection>,
        arrived: mpsc::Receiver<Arrived>,
        tap: Option<Tap>,
    ) -> Self {
        Self {
            answers: VecDeque::new(),
            arrived,
            connection,
            ended: VecDeque::new(),
            open: HashMap::new(),
            sending: 0,
            notifying: 0,
            tap,
            tasks: TaskSet::default(),
        }
    }

    pub(super) fn is_backlogged(&self) -> bool {
        self.tasks.len() - self.sending >= MAX_IN_FLIGHT - MAX_ANSWERS
    }

    /// Returns whether no answer and no notification is being sent.
    pub(super) fn is_flushed(&self) -> bool {
        self.sending == 0 && self.notifying == 0 && self.answers.is_empty()
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
            if out.is_answer() && self.sending >= MAX_ANSWERS {
                self.answers.push_back(out);
            } else {
                self.begin(out);
            }
        }
    }

    fn begin(&mut self, out: Outbound) {
        let connection = Arc::clone(&self.connection);
        let id = out.id.clone();
        let done = id.clone();
        let gate = connection.opens(&out);
        let kind = match &gate {
            Some(_) => Kind::Opening,
            None if out.is_answer() => Kind::Answer,
            None if id.is_some() => Kind::Request,
            None => Kind::Notification,
        };
        self.sending += usize::from(kind == Kind::Answer);
        self.notifying += usize::from(kind == Kind::Notification);
        let sent = if let Some(gate) = gate {
            self.tasks.spawn(async move {
                let last = connection.send(out).await;
                drop(gate);
                connection.listen().await;
                Sent { id: None, kind, last }
            })
        } else {
            self.tasks.spawn(async move { Sent { last: connection.send(out).await, id: done, kind } })
        };
        if let Some(id) = id {
            self.open.insert(id, sent);
        }
    }

    /// Returns the next event; `None` if there is none, or while answers to the server wait for others to be
    /// sent.
    ///
    /// # Errors
    /// The reason why nothing more will arrive.
    pub(super) fn next(&mut self, cx: &mut Context<'_>) -> Result<Option<Incoming<'_>>, String> {
        loop {
            if self.answers.is_empty() {
                // Messages that arrived before the end of a task go first.
                if let Poll::Ready(Some(arrived)) = self.arrived.poll_recv(cx) {
                    return self.pass(arrived).map(Some);
                }
                if let Some(Sent { id, last, .. }) = self.ended.pop_front() {
                    drop(id.and_then(|id| self.open.remove(&id)));
                    match last {
                        Some(last) => return self.pass(last).map(Some),
                        None => continue,
                    }
                }
            }
            match self.tasks.poll_next(cx) {
                Poll::Ready(Some(Ok((_, sent)))) => {
                    self.sending -= usize::from(sent.kind == Kind::Answer);
                    self.notifying -= usize::from(sent.kind == Kind::Notification);
                    if sent.kind == Kind::Answer
                        && let Some(next) = self.answers.pop_front()
                    {
                        self.begin(next);
                    }
                    self.ended.push_back(sent);
                }
                Poll::Ready(Some(Err(error))) if error.is_panic() => {
                    return Err(format!("sending failed: {error}"));
                }
                // The task of a request that was cancelled.
                Poll::Ready(Some(Err(_))) => {}
                Poll::Ready(None) | Poll::Pending => return Ok(None),
            }
        }
    }

    fn pass<'i>(&self, arrived: Arrived) -> Result<Incoming<'i>, String> {
        match arrived {
            Arrived::Failed { id, error } => Ok(Incoming::Failed(id, error)),
            Arrived::Gone(why) => Err(why),
            Arrived::Message(inbound) => {
                if let Some(tap) = &self.tap {
                    tap.see(Direction::In, inbound.text.as_bytes());
                }
                Ok(Incoming::Message(inbound))
            }
            Arrived::Renewed => Ok(Incoming::Renewed),
        }
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
            http.tasks
                .spawn(async move { Sent { id: None, kind: Kind::Request, last: Some(failed(number)) } });
        }
        tokio::task::yield_now().await;
        let mut order = Vec::new();
        let mut cx = Context::from_waker(Waker::noop());
        while let Some(incoming) = http.next(&mut cx).expect("nothing is gone") {
            let Incoming::Failed(Id::Integer(number), _) = incoming else { panic!("another event") };
            if order.is_empty() {
                arrives.try_send(failed(2)).expect("room");
            }
            order.push(number);
        }
        assert_eq!(order, [1, 2, 3]);
    }
}
