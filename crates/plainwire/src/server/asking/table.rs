//! The questions and steps of one call: which keys were used, what is known, what is still to be asked.
//!
//! In: keys, from the handler; a wake-up and the end of a round, from the driver. Out: what is known under a key, or
//! the questions that end the round. Nothing is sent from here.
//!
//! Shared by the handler, tasks that it may have started, and the driver; the lock is held for moments only.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use plainwire_proto::codec::{self, KeyedRequest};
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{InputMethod, RawJson};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::state::{Carried, Kept, State};
use crate::server::handler::ToolError;

#[derive(Debug)]
pub(super) struct Table {
    inner: Mutex<Inner>,
    /// Wakes everyone in [`Table::released`].
    over: Notify,
}

#[derive(Debug)]
struct Inner {
    /// Whether the call is over for those who ask: it is answered, or its round has ended.
    closed: bool,
    /// Whether nobody will answer any more, although the call goes on.
    forgone: bool,
    max_keys: usize,
    /// Questions of this round that nobody has answered, in the order in which they were asked.
    open: Vec<KeyedRequest>,
    /// Whether the handler's future is gone, or will never be polled again.
    released: bool,
    /// Made with the first thing that has to be kept: most calls ask nothing, and its salt is drawn from the system.
    state: Option<State>,
    /// How many steps run.
    steps: usize,
    used: HashSet<String>,
    /// How long the call has waited for answers, and since when it does again.
    waited: Duration,
    waiting: usize,
    waiting_since: Option<Instant>,
    waker: Option<Waker>,
}

impl Table {
    pub(super) fn new(max_keys: usize, carried: Option<Carried>) -> Self {
        let state = carried.map(Carried::into_state);
        let inner = Mutex::new(Inner {
            closed: false,
            forgone: false,
            max_keys,
            open: Vec::new(),
            released: false,
            state,
            steps: 0,
            used: HashSet::new(),
            waited: Duration::ZERO,
            waiting: 0,
            waiting_since: None,
            waker: None,
        });
        Self { inner, over: Notify::new() }
    }

    /// Takes `key` for a question or a step of this call.
    ///
    /// # Errors
    /// For a key that was taken before, for one too many, and for a call that is over.
    pub(super) fn reserve(&self, key: &str) -> Result<(), ToolError> {
        let mut it = self.lock();
        if it.closed {
            return Err(call_over(key));
        }
        if it.used.len() >= it.max_keys {
            let text = format!(
                "expected at most {} questions and steps in one call (limit `questions`), but found one more, `{key}`",
                it.max_keys
            );
            return Err(ToolError::new("too_many_questions", text));
        }
        if !it.used.insert(key.to_owned()) {
            let text = format!("expected each key once in a call, but found `{key}` again");
            return Err(ToolError::new("repeated_key", text).hint("in a loop, write the number into the key"));
        }
        Ok(())
    }

    /// Returns `name`, or what is made of it by a number, so that the key was not used yet.
    pub(super) fn free_key(&self, name: &str) -> String {
        let it = self.lock();
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        let mut keys = std::iter::once(name.to_owned()).chain(numbered);
        keys.find(|key| !it.used.contains(key)).unwrap_or_default()
    }

    /// Returns what tells this table from all others that live.
    pub(super) fn id(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Returns the answer to a question, or puts the question among those that end the round.
    pub(super) fn answer(&self, key: &str, method: InputMethod, params: &str) -> Option<RawJson> {
        let mut guard = self.lock();
        let it = &mut *guard;
        let state = it.state.get_or_insert_with(State::fresh);
        let question = state.question(method, params);
        if let Some(kept) = state.kept.get(key) {
            if kept.question.as_ref() == Some(&question) {
                return Some(kept.value.clone());
            }
            tracing::warn!("`{key}` is not what was answered under that key: it is asked again");
            state.kept.remove(key);
        }
        if let Some(value) = state.unasked.remove(key)
            && codec::read_input_response(method, value.get()).is_ok()
        {
            state.kept.insert(key.to_owned(), Kept { question: Some(question), value: value.clone() });
            return Some(value);
        }
        it.open.push(KeyedRequest { key: key.to_owned(), method, params: params.to_owned() });
        drop(guard);
        // Another task may have asked: whoever runs the call has to look.
        self.wake();
        None
    }

    /// Takes a question back whose asker is gone, if the round has not ended with it.
    pub(super) fn withdraw(&self, key: &str) {
        self.lock().open.retain(|it| it.key != key);
    }

    /// Returns the result that a step had in an earlier round.
    pub(super) fn result(&self, key: &str) -> Option<RawJson> {
        let it = self.lock();
        let kept = it.state.as_ref()?.kept.get(key)?;
        kept.question.is_none().then(|| kept.value.clone())
    }

    pub(super) fn keep(&self, key: &str, value: RawJson) {
        let mut it = self.lock();
        let state = it.state.get_or_insert_with(State::fresh);
        state.kept.insert(key.to_owned(), Kept { question: None, value });
    }

    pub(super) fn step_begins(&self) {
        self.lock().steps += 1;
    }

    pub(super) fn step_ends(&self) {
        self.lock().steps -= 1;
        self.wake();
    }

    pub(super) fn has_steps(&self) -> bool {
        self.lock().steps > 0
    }

    pub(super) fn wait_begins(&self) {
        let mut it = self.lock();
        it.waiting += 1;
        it.waiting_since.get_or_insert_with(Instant::now);
    }

    pub(super) fn wait_ends(&self) {
        let mut it = self.lock();
        it.waiting -= 1;
        if it.waiting == 0
            && let Some(since) = it.waiting_since.take()
        {
            it.waited += since.elapsed();
        }
    }

    /// How long the call has waited for answers so far.
    pub(super) fn waited(&self) -> Duration {
        let it = self.lock();
        it.waited + it.waiting_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Remembers whom to wake when there is something to look at.
    pub(super) fn watch(&self, waker: &Waker) {
        let mut it = self.lock();
        if !it.waker.as_ref().is_some_and(|known| known.will_wake(waker)) {
            it.waker = Some(waker.clone());
        }
    }

    pub(super) fn wake(&self) {
        let waker = self.lock().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Takes note that the handler's future is gone: what it left behind, as tasks of its own, may end now.
    pub(super) fn release(&self) {
        let mut it = self.lock();
        it.closed = true;
        it.released = true;
        drop(it);
        self.over.notify_waiters();
    }

    /// Takes note that nobody will answer any more: whoever waits for it hears so.
    pub(super) fn forgo(&self) {
        self.lock().forgone = true;
        self.over.notify_waiters();
    }

    /// Waits until nobody can answer any more: the handler's future is gone, which only tasks that outlive it ever
    /// see, or it goes on without.
    pub(super) async fn released(&self, key: &str) -> ToolError {
        loop {
            let over = self.over.notified();
            if self.lock().is_over() {
                return call_over(key);
            }
            over.await;
        }
    }

    /// Ends the round if there are questions and no step runs: returns them, and what to keep.
    ///
    /// A question that is another one each time is asked each time, but not for ever.
    pub(super) fn take_round(&self) -> Option<Result<(Vec<KeyedRequest>, State), Error>> {
        let mut it = self.lock();
        if it.open.is_empty() || it.steps > 0 || it.closed {
            return None;
        }
        it.closed = true;
        let mut state = it.state.take().unwrap_or_else(State::fresh);
        state.rounds += 1;
        if state.rounds > it.max_keys {
            let text = format!(
                "expected a call to end within {} rounds (limit `questions`), but found that it asks again for `{}`",
                it.max_keys, it.open[0].key
            );
            return Some(Err(Error::new(ErrorKind::Internal, text)));
        }
        let questions = std::mem::take(&mut it.open);
        let asked = questions.iter().map(|it| (it.key.clone(), state.question(it.method, &it.params)));
        state.asked = asked.collect();
        Some(Ok((questions, state)))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Whether nobody can answer any more.
    fn is_over(&self) -> bool {
        self.released || self.forgone
    }
}

fn call_over(key: &str) -> ToolError {
    ToolError::new("call_over", format!("expected to ask `{key}` while the call lasts, but it is over"))
}
