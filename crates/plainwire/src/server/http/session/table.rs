//! The sessions of an endpoint: those that something goes on in are here, all of them are in the store.
//!
//! In: an id and who sends it. Out: the session, restored from its record if this process does not have it: it may have
//! rested, or another replica may have begun it. So a session at rest costs its record.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::Session;
use super::begun::Begun;
use super::record::Record;
use super::relay::{Others, Said};
use crate::runtime;
use crate::runtime::random;
use crate::server::Built;
use crate::server::context::Principal;
use crate::server::http::endpoint::{Caller, Place};
use crate::server::store::{Store, StoreError};

/// After so long without anything going on, a session is left to the store.
const REST: Duration = Duration::from_secs(5);

/// How long a session lives whose client has not said `notifications/initialized`: time for that, and no more. 60 s.
const FRESH: Duration = Duration::from_secs(60);

/// More than any clock is asked for: 30 years.
const FOREVER: Duration = Duration::from_secs(30 * 365 * 86_400);

pub(crate) struct Sessions {
    begun: Begun,
    built: Arc<Built>,
    idle: Duration,
    live: Mutex<Live>,
    /// `None` if there are no other replicas.
    others: Option<Others>,
    pub(crate) store: Arc<dyn Store>,
}

#[derive(Default)]
struct Live {
    by_id: HashMap<Box<str>, Entry>,
    /// Whether there is a task that lets sessions go.
    is_swept: bool,
}

struct Entry {
    principal: Option<Arc<Principal>>,
    /// The generation of the record in the store.
    saved: u64,
    session: Arc<Session>,
    /// Until then it has not expired.
    until: Instant,
    /// Whether it was asked for since the last sweep.
    used: bool,
}

impl Sessions {
    pub(crate) fn new(
        built: Arc<Built>,
        store: Arc<dyn Store>,
        idle: Duration,
        most: usize,
        others: Option<Others>,
    ) -> Self {
        let idle = idle.min(FOREVER);
        Self { begun: Begun::new(most), built, idle, live: Mutex::default(), others, store }
    }

    /// Returns how many sessions a caller may have.
    pub(crate) fn most(&self) -> usize {
        self.begun.most()
    }

    /// Begins a session that nobody can find until [`Self::keep`]; `None` if its caller has too many.
    pub(crate) fn begin(&self, caller: Caller) -> Option<New> {
        let place = self.begun.place(&caller.who)?;
        let (id, principal) = (random::id(), caller.principal);
        let session = Session::new(&self.built, principal.clone(), &id, Arc::clone(&self.store));
        Some(New { id, place, principal, session: Arc::new(session) })
    }

    /// Keeps a session that has agreed on a revision, and returns its id.
    ///
    /// # Errors
    /// If there are too many, or the store fails.
    pub(crate) async fn keep(self: &Arc<Self>, new: New) -> Result<String, StoreError> {
        let New { id, place, principal, session } = new;
        let Some((saved, record)) = session.record(principal.as_deref()) else { return Ok(id) };
        let until = Instant::now() + self.idle_of(&session);
        self.store.create(&id, &record.to_bytes(), self.idle_of(&session)).await?;
        self.begun.enter(&id, place, until);
        self.enter(&id, Entry { principal, saved, session, until, used: true });
        Ok(id)
    }

    /// Lets a session live for as long as others, since its client is ready now.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn admit(&self, id: &str) -> Result<(), StoreError> {
        let until = Instant::now() + self.idle;
        if self.store.touch(id, self.idle).await? {
            self.lives(id, until);
        }
        Ok(())
    }

    /// Finds a session of this principal; `None` if there is none, and if it is somebody else's.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn find(
        self: &Arc<Self>,
        id: &str,
        principal: Option<&Arc<Principal>>,
    ) -> Result<Option<Arc<Session>>, StoreError> {
        let here = self.use_entry(id, |entry| {
            (entry.principal.as_ref() == principal).then(|| Arc::clone(&entry.session))
        });
        match here {
            Some(Some(session)) => return Ok(self.touch(id, &session).await?.map(|_| session)),
            Some(None) => return Ok(None),
            None => {}
        }
        let Some(record) = self.store.load(id).await? else {
            self.forget(id);
            return Ok(None);
        };
        let Some(record) = Record::parse(&record) else {
            return Err(StoreError::failed("expected the record of a session, but found something else"));
        };
        if record.principal.as_deref() != principal.map(|it| it.name.as_str()) {
            return Ok(None);
        }
        let restored =
            Session::restore(&self.built, principal.cloned(), id, Arc::clone(&self.store), &record);
        let Some(session) = restored.map(Arc::new) else { return Ok(None) };
        let Some(until) = self.touch(id, &session).await? else { return Ok(None) };
        let saved = session.generation();
        let entry = Entry { principal: principal.cloned(), saved, session, until, used: true };
        Ok(Some(self.enter(id, entry)))
    }

    /// Looks at a session that is here, which counts as a use of it.
    fn use_entry<T>(&self, id: &str, look: impl FnOnce(&Entry) -> T) -> Option<T> {
        let mut live = self.lock();
        let entry = live.by_id.get_mut(id)?;
        entry.used = true;
        Some(look(entry))
    }

    /// Lets a session live on, and returns until when; `None` if it has ended.
    async fn touch(&self, id: &str, session: &Session) -> Result<Option<Instant>, StoreError> {
        let idle = self.idle_of(session);
        let until = Instant::now() + idle;
        if self.store.touch(id, idle).await? {
            self.lives(id, until);
            return Ok(Some(until));
        }
        self.forget(id);
        Ok(None)
    }

    /// How long a session lives in which nothing goes on.
    fn idle_of(&self, session: &Session) -> Duration {
        if session.is_initialized() { self.idle } else { self.idle.min(FRESH) }
    }

    /// Writes the record of a session if it has changed.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn save(&self, id: &str, session: &Session) -> Result<(), StoreError> {
        let (saved, principal) = match self.lock().by_id.get(id) {
            Some(entry) => (entry.saved, entry.principal.clone()),
            None => return Ok(()),
        };
        if session.generation() == saved {
            return Ok(());
        }
        let Some((generation, record)) = session.record(principal.as_deref()) else { return Ok(()) };
        self.store.save(id, &record.to_bytes()).await?;
        self.tell(&Said::Reload(id)).await?;
        if let Some(entry) = self.lock().by_id.get_mut(id) {
            entry.saved = entry.saved.max(generation);
        }
        Ok(())
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn remove(&self, id: &str) -> Result<(), StoreError> {
        self.store.remove(id).await?;
        self.forget(id);
        // It has ended: those who do not hear of it find that out.
        if let Err(error) = self.tell(&Said::End(id)).await {
            tracing::warn!("other replicas do not hear that a session has ended: {}", error.in_full());
        }
        Ok(())
    }

    /// Tells other replicas something about a session that may go on there.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn tell(&self, said: &Said<'_>) -> Result<(), StoreError> {
        match &self.others {
            Some(others) => others.tell(said).await,
            None => Ok(()),
        }
    }

    /// Takes what another replica has said. Returns the session that has to be reloaded for it.
    pub(crate) fn hear(&self, said: &Said<'_>) -> Option<Arc<Session>> {
        let here = |id: &str| self.lock().by_id.get(id).map(|entry| Arc::clone(&entry.session));
        match said {
            Said::Change(change) => self.built.shared.bus.publish_here(change),
            Said::End(id) => self.forget(id),
            Said::Message(id, text) => here(id).into_iter().for_each(|session| session.post_relayed(text)),
            Said::Reload(id) => return here(id),
        }
        None
    }

    /// Takes note that a session is as its record says.
    pub(crate) fn reloaded(&self, session: &Session) {
        if let Some(entry) = self.lock().by_id.get_mut(session.id()) {
            entry.saved = session.generation();
        }
    }

    /// Ends what goes on in all sessions that are here: the server is about to end.
    pub(crate) fn end(&self) {
        let live = std::mem::take(&mut self.lock().by_id);
        live.into_values().for_each(|entry| entry.session.end());
    }

    /// Enters a session, unless it was entered meanwhile; returns the one that counts.
    fn enter(self: &Arc<Self>, id: &str, entry: Entry) -> Arc<Session> {
        let mut live = self.lock();
        if !std::mem::replace(&mut live.is_swept, true) {
            runtime::spawn_detached(sweep(Arc::downgrade(self)));
        }
        Arc::clone(&live.by_id.entry(id.into()).or_insert(entry).session)
    }

    /// Returns the time to the next turn. Short sessions need more of them, or they expire in between.
    fn pause(&self) -> Duration {
        REST.min(self.idle / 4).max(Duration::from_millis(10))
    }

    /// Lets go of sessions in which nothing goes on. Returns what the store is to be asked, `None` if there are none.
    fn turn(&self) -> Option<Vec<(Arc<str>, Question)>> {
        let (now, margin) = (Instant::now(), 2 * self.pause());
        let mut live = self.lock();
        live.by_id.retain(|_, entry| {
            let used = std::mem::take(&mut entry.used);
            // Whoever holds it besides this table is about to use it.
            let is_held = Arc::strong_count(&entry.session) > 1 || !entry.session.is_idle();
            // What the store has not taken would be lost.
            used || is_held || entry.saved != entry.session.generation()
        });
        if live.by_id.is_empty() && self.begun.is_empty() {
            live.by_id.shrink_to_fit();
            live.is_swept = false;
            return None;
        }
        let touched = live.by_id.iter().filter_map(|(id, entry)| {
            let idle = self.idle_of(&entry.session);
            // Each is touched once or twice in that time, and not in each turn.
            let is_due = entry.until.saturating_duration_since(now) < margin.max(idle / 2);
            if is_due && entry.session.is_busy() {
                return Some((Arc::from(&**id), Question::Touch(idle)));
            }
            (entry.until <= now).then(|| (Arc::from(&**id), Question::IsThere))
        });
        let mut asked: Vec<_> = touched.collect();
        drop(live);
        let unused = self.begun.due(now, self.idle).into_iter();
        asked.extend(unused.map(|id| (id, Question::IsThere)));
        Some(asked)
    }

    /// Takes note that a session has not expired until then.
    fn lives(&self, id: &str, until: Instant) {
        if let Some(entry) = self.lock().by_id.get_mut(id) {
            entry.until = until;
        }
        self.begun.lives(id, until);
    }

    fn forget(&self, id: &str) {
        self.begun.ended(id);
        let gone = self.lock().by_id.remove(id);
        if let Some(entry) = gone {
            entry.session.end();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sessions {
    /// Nobody can reach them any more, and nothing goes on that nobody can stop.
    fn drop(&mut self) {
        self.end();
    }
}

/// A session that is about to begin.
pub(crate) struct New {
    id: String,
    place: Place,
    principal: Option<Arc<Principal>>,
    pub(crate) session: Arc<Session>,
}

/// What the store is asked about a session.
enum Question {
    /// Whether it is there: it may have expired.
    IsThere,
    /// To let it live for so long.
    Touch(Duration),
}

/// Lets go of sessions in which nothing goes on, keeps those alive in which something does, and ends when there are none.
///
/// It holds the sessions for moments only, so that they end when their server is dropped.
async fn sweep(sessions: Weak<Sessions>) {
    loop {
        let Some(pause) = sessions.upgrade().map(|it| it.pause()) else { return };
        tokio::time::sleep(pause).await;
        let Some((store, asked)) =
            sessions.upgrade().and_then(|it| Some((Arc::clone(&it.store), it.turn()?)))
        else {
            return;
        };
        for (id, question) in asked {
            let now = Instant::now();
            let lives = match question {
                Question::IsThere => store.load(&id).await.map(|record| record.is_some()),
                Question::Touch(idle) => store.touch(&id, idle).await,
            };
            let Some(sessions) = sessions.upgrade() else { return };
            match (lives, question) {
                (Ok(true), Question::Touch(idle)) => sessions.lives(&id, now + idle),
                // Touched elsewhere, by then at the latest.
                (Ok(true), Question::IsThere) => sessions.lives(&id, now + sessions.idle),
                (Ok(false), _) => sessions.forget(&id),
                (Err(error), _) => {
                    tracing::warn!("whether a session is still there is not known: {}", error.in_full());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
