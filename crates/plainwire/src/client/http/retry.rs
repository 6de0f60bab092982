//! Attempts to deliver one message over HTTP, until it has an answer or nothing is left to try.
//!
//! In: a frame of the peer. Out: its answer. A request that may have arrived is sent again only if that does
//! no harm (`client/replayable.rs`). If the server has lost the session, a new one begins, once for all
//! requests that find out.

use super::connection::{Connection, INITIALIZED, Sent, Unsent, no_session};
use super::response::{Cut, Position, discard};
use super::session::ID;
use super::{Arrived, Inbound, Outbound};
use crate::error::{Error, Result};

const LISTEN: &str = "subscriptions/listen";

/// The attempts that were made for one frame.
#[derive(Default)]
struct Tried {
    /// Whether a new session was begun because of this frame.
    is_renewed: bool,
    /// Whether the frame was sent again although it may have arrived.
    is_replayed: bool,
    /// The attempts to make a lost `subscriptions/listen` again; `None` if none was needed.
    listening: Option<Position>,
}

impl Connection {
    /// Sends a frame, again and again until it is delivered or may not be sent again. Returns the answer;
    /// `None` if there is none, or if it arrives on another stream.
    pub(super) async fn deliver(&self, out: &Outbound) -> Result<Option<Inbound>> {
        let mut tried = Tried::default();
        if out.method == "logging/setLevel" {
            self.session().log_level = Some(out.bytes.clone());
        }
        loop {
            let sent = match self.post(out).await {
                Ok(sent) => sent,
                // The server may be restarting.
                Err(Unsent::Refused(Error::Unreachable { why, .. })) if tried.listening.is_some() => {
                    self.try_again(out, &mut tried, &why).await?;
                    continue;
                }
                Err(Unsent::Refused(error)) => return Err(error),
                Err(Unsent::Unknown(why)) => {
                    self.try_again(out, &mut tried, &why).await?;
                    continue;
                }
            };
            if let Some(position) = tried.listening.as_mut().filter(|_| sent.response.status().is_success()) {
                position.is_new = true;
                self.tell(Arrived::Renewed).await;
            }
            let generation = sent.generation;
            match self.take(out, sent).await {
                Ok(answer) => return Ok(answer),
                Err(Cut::Failed(error)) => return Err(error),
                Err(Cut::NoSession) if !tried.is_renewed && !out.is_handshake() => {
                    tried.is_renewed = true;
                    self.renew(generation).await?;
                }
                Err(Cut::NoSession) => return Err(no_session()),
                Err(Cut::Lost(why)) => self.try_again(out, &mut tried, &why).await?,
            }
        }
    }

    /// Decides whether a frame that may have arrived is sent once more. `Ok` means yes. For a subscription,
    /// waits first.
    ///
    /// # Errors
    /// If sending the frame again could do harm, or if it was sent again already.
    async fn try_again(&self, out: &Outbound, tried: &mut Tried, why: &str) -> Result<()> {
        if out.method == LISTEN {
            // Without a limit: the attempts end when the `Listen` is dropped.
            tracing::info!("a subscription is made again: {why}");
            tokio::time::sleep(tried.listening.get_or_insert_default().wait()).await;
            return Ok(());
        }
        let is_replayed = std::mem::replace(&mut tried.is_replayed, true);
        // There is no connection yet, so nothing can have taken place.
        if is_replayed && out.is_handshake() {
            return Err(Error::Closed { why: why.to_owned() });
        }
        if is_replayed || !out.is_replayable(&self.tools) {
            return Err(Error::OutcomeUnknown { what: out.title(), why: why.to_owned() });
        }
        tracing::info!("{} is sent again: {why}", out.title());
        Ok(())
    }

    /// Begins a new session after the session with the number `generation` was lost. Does nothing if another
    /// request has already begun a new session.
    pub(super) async fn renew(&self, generation: u64) -> Result<()> {
        let _alone = self.gate.write().await;
        self.within_begin_timeout(self.begin_again(generation)).await
    }

    async fn begin_again(&self, generation: u64) -> Result<()> {
        let before = self.session().clone();
        let (true, Some(initialize)) = (before.generation == generation, before.initialize) else {
            return Ok(());
        };
        let initialize = Outbound::read(initialize.into(), None);
        let refused = |unsent| match unsent {
            Unsent::Refused(error) => error,
            Unsent::Unknown(why) => Error::Closed { why },
        };
        let Sent { response, .. } = self.post(&initialize).await.map_err(refused)?;
        let id = response.headers().get(ID).cloned();
        let answer = self.read_alone(&initialize, response).await?;
        if !self.session().begin(id, &answer.text) {
            let why = "the session ended, and the server offered another revision for the new one".to_owned();
            return Err(Error::Closed { why });
        }
        let initialized = format!(r#"{{"jsonrpc":"2.0","method":"{INITIALIZED}"}}"#);
        let mut again = vec![Outbound::read(initialized.into(), None)];
        again.extend(before.log_level.map(|frame| Outbound::read(frame.into(), None)));
        for frame in again {
            let Sent { response, .. } = self.post(&frame).await.map_err(refused)?;
            discard(response).await;
        }
        self.tell(Arrived::Renewed).await;
        Ok(())
    }
}
