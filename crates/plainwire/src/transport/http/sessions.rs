//! The sessions of an endpoint: those that something goes on in are here, all of them are in the store.
//!
//! In: an id and who sends it. Out: the session, restored from its record if this process does not have it: it may have
//! rested, or another replica may have begun it. So a session at rest costs its record.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::relay::{Others, Said};
use crate::context::Principal;
use crate::driver;
use crate::driver::session::{Record, Session};
use crate::random;
use crate::server::Built;
use crate::store::{Store, StoreError};

/// After so long without anything going on, a session is left to the store.
const REST: Duration = Duration::from_secs(5);

pub(super) struct Sessions {
    built: Arc<Built>,
    idle: Duration,
    live: Mutex<Live>,
    /// `None` if there are no other replicas.
    others: Option<Others>,
    pub(super) store: Arc<dyn Store>,
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
    /// Whether it was asked for since the last sweep.
    used: bool,
}

impl Sessions {
    pub(super) fn new(
        built: Arc<Built>,
        store: Arc<dyn Store>,
        idle: Duration,
        others: Option<Others>,
    ) -> Self {
        Self { built, idle, live: Mutex::default(), others, store }
    }

    /// Begins a session that nobody can find until [`Self::keep`].
    pub(super) fn begin(&self, principal: Option<Arc<Principal>>) -> (String, Arc<Session>) {
        let id: String = random::bytes::<16>().iter().map(|byte| format!("{byte:02x}")).collect();
        let session = Session::new(&self.built, principal, &id, Arc::clone(&self.store));
        (id, Arc::new(session))
    }

    /// Keeps a session that was initialized.
    ///
    /// # Errors
    /// If there are too many, or the store fails.
    pub(super) async fn keep(
        self: &Arc<Self>,
        id: &str,
        session: &Arc<Session>,
        principal: Option<Arc<Principal>>,
    ) -> Result<(), StoreError> {
        let Some((saved, record)) = session.record(principal.as_deref()) else { return Ok(()) };
        self.store.create(id, &record.to_bytes(), self.idle).await?;
        self.enter(id, Entry { principal, saved, session: Arc::clone(session), used: true });
        Ok(())
    }

    /// Finds a session of this principal; `None` if there is none, and if it is somebody else's.
    ///
    /// # Errors
    /// If the store fails.
    pub(super) async fn find(
        self: &Arc<Self>,
        id: &str,
        principal: Option<&Arc<Principal>>,
    ) -> Result<Option<Arc<Session>>, StoreError> {
        if !self.store.touch(id, self.idle).await? {
            self.forget(id);
            return Ok(None);
        }
        if let Some(entry) = self.lock().by_id.get_mut(id) {
            entry.used = true;
            let is_theirs = entry.principal.as_ref() == principal;
            return Ok(is_theirs.then(|| Arc::clone(&entry.session)));
        }
        let Some(record) = self.store.load(id).await? else { return Ok(None) };
        let Some(record) = Record::parse(&record) else {
            return Err(StoreError::Failed(
                "expected the record of a session, but found something else".to_owned(),
            ));
        };
        if record.principal.as_deref() != principal.map(|it| it.name.as_str()) {
            return Ok(None);
        }
        let restored =
            Session::restore(&self.built, principal.cloned(), id, Arc::clone(&self.store), &record);
        let Some(session) = restored.map(Arc::new) else { return Ok(None) };
        let entry = Entry { principal: principal.cloned(), saved: session.generation(), session, used: true };
        Ok(Some(self.enter(id, entry)))
    }

    /// Writes the record of a session if it has changed.
    ///
    /// # Errors
    /// If the store fails.
    pub(super) async fn save(&self, id: &str, session: &Session) -> Result<(), StoreError> {
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
    pub(super) async fn remove(&self, id: &str) -> Result<(), StoreError> {
        self.store.remove(id).await?;
        self.forget(id);
        self.tell(&Said::End(id)).await
    }

    /// Tells other replicas something about a session that may go on there.
    ///
    /// # Errors
    /// If the store fails.
    pub(super) async fn tell(&self, said: &Said<'_>) -> Result<(), StoreError> {
        match &self.others {
            Some(others) => others.tell(said).await,
            None => Ok(()),
        }
    }

    /// Takes what another replica has said.
    pub(super) async fn hear(&self, said: &Said<'_>) {
        let here = |id: &str| self.lock().by_id.get(id).map(|entry| Arc::clone(&entry.session));
        match said {
            Said::Change(change) => self.built.shared.bus.publish_here(change),
            Said::End(id) => self.forget(id),
            Said::Message(id, text) => here(id).into_iter().for_each(|session| session.post_relayed(text)),
            Said::Reload(id) => {
                let Some(session) = here(id) else { return };
                if let Err(error) = session.reload().await {
                    tracing::warn!("a session goes on as it was before another replica changed it: {error}");
                }
            }
        }
    }

    /// Ends what goes on in all sessions that are here: the server is about to end.
    pub(super) fn end(&self) {
        let live = std::mem::take(&mut self.lock().by_id);
        live.into_values().for_each(|entry| entry.session.end());
    }

    /// Enters a session, unless it was entered meanwhile; returns the one that counts.
    fn enter(self: &Arc<Self>, id: &str, entry: Entry) -> Arc<Session> {
        let mut live = self.lock();
        if !std::mem::replace(&mut live.is_swept, true) {
            driver::spawn_detached(sweep(Arc::downgrade(self)));
        }
        Arc::clone(&live.by_id.entry(id.into()).or_insert(entry).session)
    }

    fn forget(&self, id: &str) {
        let gone = self.lock().by_id.remove(id);
        if let Some(entry) = gone {
            entry.session.end();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets go of sessions in which nothing goes on, keeps those alive in which something does, and ends when there are none.
async fn sweep(sessions: std::sync::Weak<Sessions>) {
    loop {
        tokio::time::sleep(REST).await;
        let Some(sessions) = sessions.upgrade() else { return };
        let here = {
            let mut live = sessions.lock();
            live.by_id.retain(|_, entry| {
                let used = std::mem::take(&mut entry.used);
                // Whoever holds it besides this table is about to use it.
                used || Arc::strong_count(&entry.session) > 1 || !entry.session.is_idle()
            });
            if live.by_id.is_empty() {
                live.by_id.shrink_to_fit();
                live.is_swept = false;
                return;
            }
            let here = live.by_id.iter();
            here.map(|(id, entry)| (id.clone(), Arc::clone(&entry.session))).collect::<Vec<_>>()
        };
        for (id, session) in here {
            let there = match session.is_busy() {
                true => sessions.store.touch(&id, sessions.idle).await,
                false => sessions.store.load(&id).await.map(|record| record.is_some()),
            };
            match there {
                Ok(true) => {}
                Ok(false) => sessions.forget(&id),
                Err(error) => tracing::warn!("whether a session is still there is not known: {error}"),
            }
        }
    }
}
