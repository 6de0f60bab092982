//! What replicas with one store tell each other: changes, and what a client said to one of them that may be meant for a
//! call at another.
//!
//! In: what happens here, and what the store's bus says. Out: the same, the other way. One subscription per process, from
//! its beginning, so that nothing is said before anybody listens.

use std::future::poll_fn;
use std::sync::{Arc, Weak};

use plainwire_proto::cursor::List;
use plainwire_proto::peer::Change;
use tokio::sync::mpsc;

use super::Session;
use super::table::Sessions;
use crate::runtime;
use crate::runtime::random;
use crate::server::catalog::Bus;
use crate::server::store::{Heard, Store, StoreError};

const CHANNEL: &str = "plainwire";

/// Changes that wait to be told; more of them at once than anybody could follow.
const MAX_WAITING: usize = 1_024;

/// What one replica tells the others.
#[derive(Debug, PartialEq)]
pub(crate) enum Said<'s> {
    Change(Change),
    /// The session has ended.
    End(&'s str),
    /// The client has sent this notification, or this answer, in the session.
    Message(&'s str, &'s str),
    /// The record of the session has changed.
    Reload(&'s str),
}

/// The other replicas.
#[derive(Clone)]
pub(crate) struct Others {
    /// The number of this replica, so that it does not hear itself.
    own: u64,
    store: Arc<dyn Store>,
}

impl Others {
    pub(crate) fn new(store: &Arc<dyn Store>) -> Self {
        Self { own: u64::from_ne_bytes(random::bytes()), store: Arc::clone(store) }
    }

    /// Tells all other replicas.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn tell(&self, said: &Said<'_>) -> Result<(), StoreError> {
        self.store.publish(CHANNEL, &said.to_bytes(self.own)).await
    }

    /// Passes on what is said, both ways, for as long as there is a server.
    pub(crate) fn listen(self, bus: &Bus, sessions: &Arc<Sessions>) {
        let (outside, changes) = mpsc::channel(MAX_WAITING);
        bus.tell_outside(outside);
        runtime::spawn_detached(run(self, Arc::downgrade(sessions), changes));
    }
}

async fn run(others: Others, sessions: Weak<Sessions>, mut changes: mpsc::Receiver<Change>) {
    let mut heard = match others.store.subscribe(CHANNEL).await {
        Ok(heard) => heard,
        Err(error) => return tracing::error!("other replicas can't be heard: {error}"),
    };
    loop {
        tokio::select! {
            change = changes.recv() => {
                let Some(change) = change else { return };
                if let Err(error) = others.tell(&Said::Change(change)).await {
                    tracing::warn!("other replicas do not hear of a change: {error}");
                }
            }
            heard = poll_fn(|cx| heard.poll_next(cx)) => match heard {
                Some(Ok(Heard::Message(bytes))) => {
                    let Some(here) = sessions.upgrade() else { return };
                    let changed = Said::parse(&bytes, others.own).and_then(|said| here.hear(&said));
                    // Not held while the store is asked: dropped meanwhile, they end.
                    drop(here);
                    if let Some(session) = changed {
                        reload(&session, &sessions).await;
                    }
                }
                Some(Ok(Heard::Missed(count))) => tracing::warn!("{count} messages of other replicas are lost"),
                Some(Err(error)) => tracing::warn!("other replicas can't be heard: {error}"),
                None => return,
            },
        }
    }
}

/// Goes on with a session as another replica has left it.
async fn reload(session: &Arc<Session>, sessions: &Weak<Sessions>) {
    match (session.reload().await, sessions.upgrade()) {
        (Ok(()), Some(sessions)) => sessions.reloaded(session),
        (Ok(()), None) => {}
        (Err(error), _) => {
            let error = error.in_full();
            tracing::warn!("a session goes on as it was before another replica changed it: {error}");
        }
    }
}

impl<'s> Said<'s> {
    /// As bytes: the number of the replica, what it is, for sessions the length of the id and the id, and the rest.
    fn to_bytes(&self, own: u64) -> Vec<u8> {
        let (tag, id, text) = match self {
            Self::Change(Change::List(list)) => (b'l', "", list.method()),
            Self::Change(Change::Resource(uri)) => (b'u', "", uri.as_str()),
            Self::End(id) => (b'e', *id, ""),
            Self::Message(id, text) => (b'm', *id, *text),
            Self::Reload(id) => (b'r', *id, ""),
        };
        // Ids have at most 128 bytes.
        let length = u8::try_from(id.len()).unwrap_or_default();
        [own.to_be_bytes().as_slice(), &[tag, length], id.as_bytes(), text.as_bytes()].concat()
    }

    /// Reads what another replica than `own` has said; `None` for anything else.
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
    use crate::server::store::memory::Memory;
    use crate::server::store::{StoreFuture, Subscription, Tail};

    /// A store on which nothing is said until there are permits.
    struct Held {
        may_speak: Semaphore,
        said: AtomicUsize,
        store: Memory,
    }

    impl Store for Held {
        fn create<'s>(&'s self, session: &'s str, record: &'s [u8], idle: Duration) -> StoreFuture<'s, ()> {
            self.store.create(session, record, idle)
        }

        fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>> {
            self.store.load(session)
        }

        fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool> {
            self.store.save(session, record)
        }

        fn touch<'s>(&'s self, session: &'s str, idle: Duration) -> StoreFuture<'s, bool> {
            self.store.touch(session, idle)
        }

        fn remove<'s>(&'s self, session: &'s str) -> StoreFuture<'s, bool> {
            self.store.remove(session)
        }

        fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> StoreFuture<'s, u64> {
            self.store.append(session, stream, event)
        }

        fn close<'s>(&'s self, session: &'s str, stream: u64) -> StoreFuture<'s, ()> {
            self.store.close(session, stream)
        }

        fn tail<'s>(
            &'s self,
            session: &'s str,
            stream: u64,
            after: u64,
        ) -> StoreFuture<'s, Option<Box<dyn Tail>>> {
            self.store.tail(session, stream, after)
        }

        fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> StoreFuture<'s, ()> {
            Box::pin(async move {
                self.may_speak.acquire().await.expect("nobody closes it").forget();
                self.said.fetch_add(1, Ordering::SeqCst);
                self.store.publish(channel, message).await
            })
        }

        fn subscribe<'s>(&'s self, channel: &'s str) -> StoreFuture<'s, Box<dyn Subscription>> {
            self.store.subscribe(channel)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn changes_wait_for_a_slow_bus_up_to_a_limit_and_hold_up_nobody() {
        let (built, _) = crate::server!("relay").build(None).expect("a legal server");
        let held = Held { may_speak: Semaphore::new(0), said: AtomicUsize::new(0), store: Memory::default() };
        let store = Arc::new(held);
        let replicas: Arc<dyn Store> = Arc::<Held>::clone(&store);
        let sessions = Sessions::new(Arc::clone(&built), Arc::clone(&replicas), Duration::MAX, 1, None);
        let sessions = Arc::new(sessions);
        Others::new(&replicas).listen(&built.shared.bus, &sessions);
        let publish = |n: usize| built.shared.bus.publish(&Change::Resource(format!("a://{n}")));
        publish(0);
        // It is on its way, and waits there.
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
            Said::Change(Change::List(List::Tools)),
            Said::Change(Change::Resource("a://1".to_owned())),
            Said::End("5e55"),
            Said::Message("5e55", "{}"),
            Said::Reload("5e55"),
        ] {
            let bytes = said.to_bytes(1);
            assert_eq!(Said::parse(&bytes, 1), None);
            assert_eq!(Said::parse(&bytes, 2), Some(said));
        }
        for bytes in [
            b"".as_slice(),
            b"1234567",
            b"12345678e",
            b"12345678x\x00",
            b"12345678e\x05id",
            b"12345678m\x00\xff",
        ] {
            assert_eq!(Said::parse(bytes, 0), None, "{bytes:?}");
        }
    }
}
