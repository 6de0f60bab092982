//! The futures of a connection over HTTP: one for each frame that goes out, and one that listens.
//!
//! Invariant: `open` has the requests whose future still runs. All of them stop with the connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll};

use plainwire_proto::envelope::Id;
use plainwire_proto::frame::Frame;
use plainwire_proto::peer::{Peer, TransmitKind};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::link::Incoming;
use crate::transport::http_client::{Arrived, Connection, Outbound};
use crate::transport::tap::{Direction, Tap};

/// Frames on their way at a time, each of which may be a connection of TCP. 256: a fourth of the files that a process may
/// open by default.
const MOST: usize = 256;

/// What came and was not looked at. More waits with its response.
pub(crate) const ARRIVALS: usize = 64;

pub(super) struct Http {
    arrived: mpsc::Receiver<Arrived>,
    connection: Arc<Connection>,
    open: HashMap<Id, AbortHandle>,
    tap: Option<Tap>,
    tasks: JoinSet<Option<Id>>,
}

impl Http {
    pub(super) fn new(
        connection: Arc<Connection>,
        arrived: mpsc::Receiver<Arrived>,
        tap: Option<Tap>,
    ) -> Self {
        Self { arrived, connection, open: HashMap::new(), tap, tasks: JoinSet::new() }
    }

    pub(super) fn is_backlogged(&self) -> bool {
        self.tasks.len() >= MOST
    }

    pub(super) fn gather(&mut self, peer: &mut Peer, mut see: impl FnMut(&[u8])) {
        while let Some(transmit) = peer.poll_transmit() {
            if matches!(transmit.kind, TransmitKind::Close(_)) {
                continue;
            }
            let out = Outbound::read(transmit.bytes, peer.revision());
            if let Some(sent) = out.cancels.as_ref().and_then(|id| self.open.remove(id)) {
                sent.abort();
                // Spec: 2026-07-28 `streamable-http`: to close the stream is to cancel, and nothing is sent.
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
        let sent = if let Some(alone) = connection.opens(&out) {
            self.tasks.spawn(async move {
                connection.send(out).await;
                drop(alone);
                connection.listen().await;
                None
            })
        } else {
            self.tasks.spawn(async move {
                connection.send(out).await;
                done
            })
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
        let mut came = false;
        while let Poll::Ready(Some(arrived)) = self.arrived.poll_recv(cx) {
            came = true;
            match arrived {
                Arrived::Failed { id, error } => take(Incoming::Failed(id, error)),
                Arrived::Frame(bytes) => {
                    if let Some(tap) = &self.tap {
                        tap.see(Direction::In, &bytes);
                    }
                    take(Incoming::Frame(Frame::Line(&bytes)));
                }
                Arrived::Gone(why) => return Err(why),
                Arrived::Renewed => take(Incoming::Renewed),
            }
        }
        while let Poll::Ready(Some(ended)) = self.tasks.poll_join_next(cx) {
            came = true;
            match ended {
                Ok(id) => drop(id.and_then(|id| self.open.remove(&id))),
                Err(error) if error.is_panic() => return Err(format!("sending failed: {error}")),
                Err(_) => {}
            }
        }
        Ok(came)
    }
}
