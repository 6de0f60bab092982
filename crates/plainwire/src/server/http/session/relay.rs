//! Notices between replicas with one store: changes of lists and resources, messages of clients for calls at
//! other replicas, and sessions whose record has changed or that have ended.
//!
//! In: changes and messages at this replica, and notices from the store's channel. Out: notices for the other
//! replicas, and the effects of their notices here. There is one subscription per server, made when the
//! server begins, so that no notice is missed.

use std::future::poll_fn;
use std::sync::{Arc, Weak};

use plainwire_proto::cursor::List;
use plainwire_proto::peer::Change;
use tokio::sync::mpsc;

use super::Session;
use super::table::Sessions;
use crate::runtime;
use crate::runtime::random;
use crate::server::changes::Bus;
use crate::server::store::{Heard, Store, StoreError};

const CHANNEL: &str = "plainwire";

/// The largest number of changes of lists and resources that wait to be published. Further ones are dropped:
/// clients could not follow so many.
const MAX_WAITING: usize = 1_024;

/// A notice from one replica to the others.
#[derive(Debug, PartialEq)]
pub(crate) enum ReplicaNotice<'s> {
    /// A list of tools, prompts, resources or templates has changed, or a resource has.
    Change(Change),
    /// The session with this id has ended.
    End(&'s str),
    /// In the session with the first string as its id, the client has sent the second string: the text of a
    /// notification or an answer.
    Message(&'s str, &'s str),
    /// The record of the session with this id has changed.
    Reload(&'s str),
}

/// The other replicas with the same store.
#[derive(Clone)]
pub(crate) struct OtherReplicas {
    /// The random number of this replica, by which it ignores its own notices.
    own: u64,
    store: Arc<dyn Store>,
}

impl OtherReplicas {
    pub(crate) fn new(store: &Arc<dyn Store>) -> Self {
        Self { own: u64::from_ne_bytes(random::bytes()), store: Arc::clone(store) }
    }

    /// Sends a notice to all other replicas.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub(crate) async fn tell(&self, said: &ReplicaNotice<'_>) -> Result<(), StoreError> {
        self.store.publish(CHANNEL, &said.to_bytes(self.own)).await
    }

    /// Spawns the task that passes notices on in both directions, for as long as the server exists.
    pub(crate) fn listen(self, bus: &Bus, sessions: &Arc<Sessions>) {
        let (outside, changes) = mpsc::channel(MAX_WAITING);
        bus.tell_outside(outside);
        runtime::spawn_detached(run(self, Arc::downgrade(sessions), changes));
    }
}

async fn run(others: OtherReplicas, sessions: Weak<Sessions>, mut changes: mpsc::Receiver<Change>) {
    let mut heard = match others.store.subscribe(CHANNEL).await {
        Ok(heard) => heard,
        Err(error) => return tracing::error!("notices of other replicas can't be received: {error}"),
    };
    loop {
        tokio::select! {
            change = changes.recv() => {
                let Some(change) = change else { return };
                if let Err(error) = others.tell(&ReplicaNotice::Change(change)).await {
                    tracing::warn!("a change can't be published to other replicas: {error}");
                }
            }
            heard = poll_fn(|cx| heard.poll_next(cx)) => match heard {
                Some(Ok(Heard::Message(bytes))) => {
                    let Some(here) = sessions.upgrade() else { return };
                    let changed = ReplicaNotice::parse(&bytes, others.own).and_then(|said| here.hear(&said));
                    // `here` is dropped before the access to the store: if the server drops the sessions
                    // meanwhile, they have to end.
                    drop(here);
                    if let Some(session) = changed {
                        reload(&session, &sessions).await;
                    }
                }
                Some(Ok(Heard::Missed(count))) => tracing::warn!("{count} notices of other replicas are lost"),
                Some(Err(error)) => tracing::warn!("notices of other replicas can't be received: {error}"),
                None => return,
            },
        }
    }
}

/// Reloads a session that another replica has changed.
async fn reload(session: &Arc<Session>, sessions: &Weak<Sessions>) {
    match (session.reload().await, sessions.upgrade()) {
        (Ok(()), Some(sessions)) => sessions.reloaded(session),
        (Ok(()), None) => {}
        (Err(error), _) => {
            let error = error.in_full();
            tracing::warn!("a session can't be reloaded after another replica changed it: {error}");
        }
    }
}

impl<'s> ReplicaNotice<'s> {
    /// Encodes the notice: `own`, the number of this replica, in 8 bytes; a tag for the kind and the length
    /// of the session id (0 without one) in one byte each; the session id; and the text of the notice.
    fn to_bytes(&self, own: u64) -> Vec<u8> {
        let (tag, id, text) = match self {
            Self::Change(Change::List(list)) => (b'l', "", list.method()),
            Self::Change(Change::Resource(uri)) => (b'u', "", uri.as_str()),
            Self::End(id) => (b'e', *id, ""),
            Self::Message(id, text) => (b'm', *id, *text),
            Self::Reload(id) => (b'r', *id, ""),
        };
        // Session ids have at most 128 bytes.
        let length = u8::try_from(id.len()).unwrap_or_default();
        [own.to_be_bytes().as_slice(), &[tag, length], id.as_bytes(), text.as_bytes()].concat()
    }

    /// Parses a notice of another replica. `None` for a notice of the replica `own`, and for bytes that are
    /// no notice.
    fn parse(bytes: &'s [u8], own: u64) -> Option<Self> {
        let (replica, rest) = bytes.split_first_chunk::<8>()?;
        let ([tag, length], rest) = rest.split_first_chunk::<2>()?;
        let (id, text) = std::str::from_utf8(rest).ok()?.split_at_checked(usize::from(*length))?;
        match tag {
            _ if u64::from_be_bytes(*replica) == own => None,
            b'e' => Some(Self::End(id)),
            b'l' => {
                List::ALL.into_iter().find(|it| it.method() == text).map(|it| Self::Change(Change::List(it)))
            }
            b'm' => Some(Self::Message(id, text)),
            b'r' => Some(Self::Reload(id)),
            b'u' => Some(Self::Change(Change::Resource(text.to_owned()))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use tokio::sync::Semaphore;

    use super::*;
    use crate::server::store::StoreFuture;
    use crate::server::store::double::{Doubled, StoreDouble};
    use crate::server::store::memory::Memory;

    /// A store that publishes one message for each permit of `may_speak`, and counts published messages in
    /// `said`.
    struct BlockedStore {
        may_speak: Semaphore,
        said: AtomicUsize,
        store: Memory,
    }

    impl StoreDouble for BlockedStore {
        fn memory(&self) -> &Memory {
            &self.store
        }

        fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> StoreFuture<'s, ()> {
            Box::pin(async move {
                self.may_speak.acquire().await.expect("the semaphore is never closed").forget();
                self.said.fetch_add(1, Ordering::SeqCst);
                self.store.publish(channel, message).await
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn changes_wait_for_a_slow_bus_up_to_a_limit_and_hold_up_nobody() {
        let (built, _) = crate::server!("relay").build(None).expect("a legal server");
        let held = BlockedStore {
            may_speak: Semaphore::new(0),
            said: AtomicUsize::new(0),
            store: Memory::default(),
        };
        let store = Arc::new(Doubled(held));
        let replicas: Arc<dyn Store> = Arc::<Doubled<BlockedStore>>::clone(&store);
        let sessions = Sessions::new(Arc::clone(&built), Arc::clone(&replicas), Duration::MAX, 1, None);
        let sessions = Arc::new(sessions);
        OtherReplicas::new(&replicas).listen(&built.shared.bus, &sessions);
        let publish = |n: usize| built.shared.bus.publish(&Change::Resource(format!("a://{n}")));
        publish(0);
        // The store now holds back the first change.
        tokio::time::sleep(Duration::from_secs(1)).await;
        (0..2 * MAX_WAITING).for_each(publish);
        store.may_speak.add_permits(10 * MAX_WAITING);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(store.said.swap(0, Ordering::SeqCst), 1 + MAX_WAITING);
        publish(0);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(store.said.load(Ordering::SeqCst), 1, "there is room again");
    }

    #[test]
    fn hears_what_others_say_and_not_what_it_said_itself() {
        for said in [
            ReplicaNotice::Change(Change::List(List::Tools)),
            ReplicaNotice::Change(Change::Resource("a://1".to_owned())),
            ReplicaNotice::End("5e55"),
            ReplicaNotice::Message("5e55", "{}"),
            ReplicaNotice::Reload("5e55"),
        ] {
            let bytes = said.to_bytes(1);
            assert_eq!(ReplicaNotice::parse(&bytes, 1), None);
            assert_eq!(ReplicaNotice::parse(&bytes, 2), Some(said));
        }
        for bytes in [
            b"".as_slice(),
            b"1234567",
            b"12345678e",
            b"12345678x\x00",
            b"12345678e\x05id",
            b"12345678m\x00\xff",
        ] {
            assert_eq!(ReplicaNotice::parse(bytes, 0), None, "{bytes:?}");
        }
    }
}
