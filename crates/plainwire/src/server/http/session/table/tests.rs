//! Tests of which sessions stay in memory, and how often the store is accessed for them.

use std::sync::atomic::{AtomicUsize, Ordering};

use plainwire_proto::envelope;
use plainwire_proto::json::Span;
use tokio::time::sleep;

use super::*;
use crate::server::connection::calls::Attached;
use crate::server::http::endpoint;
use crate::server::http::session::{Posted, Reply};
use crate::server::store::StoreFuture;
use crate::server::store::double::{Doubled, StoreDouble};
use crate::server::store::memory::Memory;

const IDLE: Duration = Duration::from_secs(1_800);

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const SUBSCRIBE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a://1"}}"#;

/// A store in memory that counts the calls of `load` and `touch` in `asked`, and whose `save` can be made to
/// fail.
#[derive(Default)]
struct Counting {
    asked: AtomicUsize,
    fails: AtomicUsize,
    memory: Memory,
}

impl StoreDouble for Counting {
    fn memory(&self) -> &Memory {
        &self.memory
    }

    fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.memory.load(session)
    }

    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool> {
        match self.fails.load(Ordering::SeqCst) {
            0 => self.memory.save(session, record),
            _ => Box::pin(async { Err(StoreError::failed("no")) }),
        }
    }

    fn touch<'s>(&'s self, session: &'s str, idle: Duration) -> StoreFuture<'s, bool> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.memory.touch(session, idle)
    }
}

fn sessions(idle: Duration) -> (Arc<Doubled<Counting>>, Arc<Sessions>) {
    let store = Arc::<Doubled<Counting>>::default();
    let sessions = sessions_in(&store, idle);
    (store, sessions)
}

/// Makes the table of sessions of one more replica, which shares `store` with the other replicas.
fn sessions_in(store: &Arc<Doubled<Counting>>, idle: Duration) -> Arc<Sessions> {
    let server = crate::server!("sessions");
    let server = server.resource(crate::Resource::new("a://1", "1", || async { "1" }).subscribable());
    let slow = async || {
        sleep(Duration::from_secs(1)).await;
        "slow"
    };
    let server = server.tool(crate::Tool::new("slow", slow));
    let (built, _) = server.build(None).expect("a legal server");
    let store: Arc<dyn Store> = Arc::<Doubled<Counting>>::clone(store);
    let others = OtherReplicas::new(&store);
    let sessions = Arc::new(Sessions::new(Arc::clone(&built), store, idle, 10, Some(others.clone())));
    others.listen(&built.shared.bus, &sessions);
    sessions
}

fn memory() -> Claim {
    Arc::new(endpoint::Memory::new(None)).claim(&"ada".into(), 1).expect("room")
}

fn post(session: &Arc<Session>, text: &str) -> Reply {
    let parsed = envelope::parse(text, Span::whole(text), 64);
    session.post(Posted::Message(text, parsed), Attached::default()).reply
}

async fn begin(sessions: &Arc<Sessions>) -> String {
    let caller = Caller::test("ada");
    let new = sessions.begin(caller, memory()).expect("a slot");
    assert!(matches!(post(&new.session, INITIALIZE), Reply::Answer(_)));
    sessions.keep(new).await.expect("a store with room")
}

/// Begins a session and completes its handshake. Returns its id and the session.
async fn ready(sessions: &Arc<Sessions>) -> (String, Arc<Session>) {
    let id = begin(sessions).await;
    let session = sessions.find(&id, None).await.expect("a store").expect("a session");
    assert!(matches!(post(&session, INITIALIZED), Reply::Accepted));
    sessions.save(&id, &session).await.expect("a store");
    sessions.admit(&id).await.expect("a store");
    (id, session)
}

fn here(sessions: &Sessions) -> usize {
    sessions.lock().by_id.len()
}

#[tokio::test(start_paused = true)]
async fn a_session_is_left_to_the_store_when_nobody_reads_its_stream_any_more() {
    let (store, sessions) = sessions(IDLE);
    let (id, session) = ready(&sessions).await;
    let stream = session.listen().await.expect("a store").expect("a session");
    let (first, second) = (session.read(stream), session.read(stream));
    drop((session, first));
    sleep(Duration::from_secs(300)).await;
    assert_eq!(here(&sessions), 1, "it is being read");
    drop(second);
    sleep(Duration::from_secs(30)).await;
    assert_eq!(here(&sessions), 1, "whoever comes back soon has missed nothing");
    sleep(Duration::from_secs(60)).await;
    assert_eq!(here(&sessions), 0);
    // The stream has ended in the store, so a client that resumes it later does not wait for it.
    let mut tail = store.tail(&id, stream, 1).await.expect("a store").expect("a stream that is kept");
    assert_eq!(std::future::poll_fn(|cx| tail.poll_next(cx)).await, None);
    assert!(sessions.find(&id, None).await.expect("a store").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_session_rests_after_a_batch_as_after_anything_else() {
    let (_, sessions) = sessions(IDLE);
    let caller = Caller::test("ada");
    let new = sessions.begin(caller, memory()).expect("a slot");
    assert!(matches!(post(&new.session, &INITIALIZE.replace("2025-11-25", "2025-03-26")), Reply::Answer(_)));
    let id = sessions.keep(new).await.expect("a store with room");
    let session = sessions.find(&id, None).await.expect("a store").expect("a session");
    let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}]"#;
    let later = session.post(Posted::Batch(batch), Attached::default()).reply;
    assert!(matches!(later, Reply::Later(_)));
    drop((later, session));
    sleep(Duration::from_secs(30)).await;
    assert_eq!(here(&sessions), 0);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_another_replica_has_changed_is_left_to_the_store_too() {
    let (store, here_first) = sessions(IDLE);
    let (id, session) = ready(&here_first).await;
    let other = sessions_in(&store, IDLE);
    sleep(Duration::from_secs(1)).await;
    let there = other.find(&id, None).await.expect("a store").expect("a session");
    assert!(matches!(post(&there, SUBSCRIBE), Reply::Answer(_)));
    let before = session.generation();
    other.save(&id, &there).await.expect("a store");
    sleep(Duration::from_secs(1)).await;
    assert_ne!(session.generation(), before, "it has heard of it");
    drop((session, there));
    sleep(Duration::from_secs(60)).await;
    assert_eq!((here(&here_first), here(&other)), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_nobody_came_to_read_keeps_nothing_either() {
    let (_, sessions) = sessions(IDLE);
    let (_, session) = ready(&sessions).await;
    session.listen().await.expect("a store").expect("a session");
    drop(session);
    sleep(Duration::from_secs(90)).await;
    assert_eq!(here(&sessions), 0);
}

#[tokio::test(start_paused = true)]
async fn the_store_is_asked_about_a_session_before_it_may_expire_and_not_all_the_time() {
    let (store, sessions) = sessions(IDLE);
    let (id, session) = ready(&sessions).await;
    let stream = session.listen().await.expect("a store").expect("a session");
    let reading = session.read(stream);
    drop(session);
    store.asked.store(0, Ordering::SeqCst);
    sleep(10 * IDLE).await;
    let asked = store.asked.swap(0, Ordering::SeqCst);
    assert!((10..=30).contains(&asked), "asked {asked} times in 10 times its life");
    assert!(store.load(&id).await.expect("a store").is_some(), "it was kept alive");
    drop(reading);
    sleep(2 * IDLE).await;
    assert!(store.asked.load(Ordering::SeqCst) <= 6);
    assert_eq!(here(&sessions), 0);
    assert!(sessions.slots.is_empty(), "its slot is free when it has expired");
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_change_the_store_has_not_taken_is_not_let_go() {
    let (store, sessions) = sessions(IDLE);
    let (id, session) = ready(&sessions).await;
    store.fails.store(1, Ordering::SeqCst);
    assert!(matches!(post(&session, SUBSCRIBE), Reply::Answer(_)));
    sessions.save(&id, &session).await.expect_err("a store that fails");
    drop(session);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(here(&sessions), 1);
    store.fails.store(0, Ordering::SeqCst);
    let session = sessions.find(&id, None).await.expect("a store").expect("a session");
    sessions.save(&id, &session).await.expect("a store");
    drop(session);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(here(&sessions), 0);
}

#[tokio::test(start_paused = true)]
async fn a_session_lives_for_a_minute_until_its_client_is_ready() {
    let (store, sessions) = sessions(IDLE);
    let fresh = begin(&sessions).await;
    let (kept, _) = ready(&sessions).await;
    sleep(Duration::from_secs(50)).await;
    assert!(store.load(&fresh).await.expect("a store").is_some());
    sleep(Duration::from_secs(20)).await;
    assert!(store.load(&fresh).await.expect("a store").is_none());
    assert!(sessions.find(&kept, None).await.expect("a store").is_some());
    sleep(Duration::from_secs(100)).await;
    assert!(sessions.find(&kept, None).await.expect("a store").is_some());
}

/// The sweeper locks the table of all sessions. If it waited for one of them, all others would wait with it.
#[tokio::test]
async fn the_table_never_waits_for_a_session() {
    let (_, sessions) = sessions(IDLE);
    let (id, session) = ready(&sessions).await;
    let (tell, told) = std::sync::mpsc::channel();
    let table = Arc::clone(&sessions);
    session.while_locked(|| {
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
            runtime.block_on(async {
                let asked = table.turn();
                let found = table.find(&id, None).await;
                let _ = tell.send((asked.is_some(), found.is_ok_and(|found| found.is_some())));
            });
        });
        assert_eq!(told.recv_timeout(Duration::from_secs(5)), Ok((true, true)));
    });
}
