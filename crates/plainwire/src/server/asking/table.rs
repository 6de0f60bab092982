//! The questions and steps of one call: the keys in use, the values from earlier rounds, and the open
//! questions.
//!
//! In: keys, questions and results of steps, from the handler. Out: the value of a key, for the handler; the
//! questions that end the round, for the connection. Nothing is sent from here.
//!
//! Shared by the handler, tasks that it may have started, and the task that runs the call. The lock is held
//! only briefly.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use plainwire_proto::codec::{self, KeyedRequest};
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{InputMethod, RawJson};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::state::{Carried, KeptValue, RequestState};
use crate::server::result::ToolError;

/// The questions and steps of one call.
#[derive(Debug)]
pub(crate) struct Table {
    inner: Mutex<Inner>,
    /// Wakes the tasks that wait in [`Table::released`].
    over: Notify,
}

#[derive(Debug)]
struct Inner {
    /// Whether new questions and steps are refused, because the call or its round has ended.
    closed: bool,
    /// Whether no more answers will come, because the call was cancelled, although it continues.
    expects_no_answers: bool,
    /// The largest number of questions and steps in one round of the call. Also the largest number of rounds.
    max_keys: usize,
    /// The open questions of this round (modern era), in the order in which they were asked.
    open: Vec<KeyedRequest>,
    /// Whether the handler's future is dropped, or will never be polled again.
    released: bool,
    /// The request state of the call; `None` until the first question, or the first result of a step, needs
    /// it: most calls have neither, and the salt is read from the system.
    state: Option<RequestState>,
    /// The number of running steps.
    steps: usize,
    /// The keys of the questions and steps of this round.
    used: HashSet<String>,
    /// The time that the call has waited for answers, without the wait that began at `waiting_since`.
    waited: Duration,
    /// The number of questions to the client (legacy era) that wait for an answer now.
    waiting: usize,
    /// The time since which `waiting` is above 0; `None` while it is 0.
    waiting_since: Option<Instant>,
    /// The waker of the task that runs the call.
    waker: Option<Waker>,
}

impl Table {
    pub(crate) fn new(max_keys: usize, carried: Option<Carried>) -> Self {
        let state = carried.map(Carried::into_state);
        let inner = Mutex::new(Inner {
            closed: false,
            expects_no_answers: false,
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

    /// Reserves `key` for a question or a step of this call.
    ///
    /// # Errors
    /// If the key was used before in this round, if the round already has `max_keys` keys, or if the round or
    /// the call has ended.
    pub(crate) fn reserve(&self, key: &str) -> Result<(), ToolError> {
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

    /// Returns a key that is not used yet: `name`, or else the first free one of `name-2`, `name-3` and so
    /// on.
    pub(crate) fn free_key(&self, name: &str) -> String {
        let it = self.lock();
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        let mut keys = std::iter::once(name.to_owned()).chain(numbered);
        keys.find(|key| !it.used.contains(key)).unwrap_or_default()
    }

    /// Returns a number that no other live table has.
    pub(crate) fn id(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Returns the JSON of the answer, if the client has already given one to this question under this key.
    /// Otherwise adds the question to those that end the round, and returns `None`.
    pub(crate) fn answer(&self, key: &str, method: InputMethod, params: &str) -> Option<RawJson> {
        let mut guard = self.lock();
        let it = &mut *guard;
        let state = it.state.get_or_insert_with(RequestState::fresh);
        let question = state.question(method, params);
        if let Some(kept) = state.kept.get(key) {
            if kept.question.as_ref() == Some(&question) {
                return Some(kept.value.clone());
            }
            tracing::warn!(
                "the question `{key}` differs from the one that was answered under this key: it is asked again"
            );
            state.kept.remove(key);
        }
        if let Some(value) = state.unasked.remove(key)
            && codec::read_input_response(method, value.get()).is_ok()
        {
            state.kept.insert(key.to_owned(), KeptValue { question: Some(question), value: value.clone() });
            return Some(value);
        }
        it.open.push(KeyedRequest { key: key.to_owned(), method, params: params.to_owned() });
        drop(guard);
        // This may run on another task than the call, so the task of the call is woken to end the round.
        self.wake();
        None
    }

    /// Removes an open question whose future was dropped. Has no effect if the round has ended already.
    pub(crate) fn withdraw(&self, key: &str) {
        self.lock().open.retain(|it| it.key != key);
    }

    /// Returns the JSON of the result that the step `key` had in an earlier round, if it was run.
    pub(crate) fn result(&self, key: &str) -> Option<RawJson> {
        let it = self.lock();
        let kept = it.state.as_ref()?.kept.get(key)?;
        kept.question.is_none().then(|| kept.value.clone())
    }

    /// Keeps the result of the step `key` for later rounds.
    pub(crate) fn keep(&self, key: &str, value: RawJson) {
        let mut it = self.lock();
        let state = it.state.get_or_insert_with(RequestState::fresh);
        state.kept.insert(key.to_owned(), KeptValue { question: None, value });
    }

    pub(crate) fn step_begins(&self) {
        self.lock().steps += 1;
    }

    pub(crate) fn step_ends(&self) {
        self.lock().steps -= 1;
        self.wake();
    }

    pub(crate) fn has_steps(&self) -> bool {
        self.lock().steps > 0
    }

    pub(crate) fn wait_begins(&self) {
        let mut it = self.lock();
        it.waiting += 1;
        it.waiting_since.get_or_insert_with(Instant::now);
    }

    pub(crate) fn wait_ends(&self) {
        let mut it = self.lock();
        it.waiting -= 1;
        if it.waiting == 0
            && let Some(since) = it.waiting_since.take()
        {
            it.waited += since.elapsed();
        }
    }

    /// Returns how long the call has waited for answers so far.
    pub(crate) fn waited(&self) -> Duration {
        let it = self.lock();
        it.waited + it.waiting_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Sets the waker of the task that runs the call.
    pub(crate) fn watch(&self, waker: &Waker) {
        let mut it = self.lock();
        if !it.waker.as_ref().is_some_and(|known| known.will_wake(waker)) {
            it.waker = Some(waker.clone());
        }
    }

    pub(crate) fn wake(&self) {
        let waker = self.lock().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Marks the handler's future as dropped, so that tasks which the handler started and which wait for an
    /// answer can end. Refuses further questions and steps.
    pub(crate) fn release(&self) {
        let mut it = self.lock();
        it.closed = true;
        it.released = true;
        drop(it);
        self.over.notify_waiters();
    }

    /// Marks the call as one that gets no more answers, and wakes the tasks that wait for one.
    pub(crate) fn expect_no_answers(&self) {
        self.lock().expects_no_answers = true;
        self.over.notify_waiters();
    }

    /// Waits until no answer can come any more, and returns the error for the question `key`. There are two
    /// cases. The call was cancelled, but its handler continues. Or the handler's future is dropped, and a
    /// task that the handler started still waits here.
    pub(crate) async fn released(&self, key: &str) -> ToolError {
        loop {
            let over = self.over.notified();
            if self.lock().is_over() {
                return call_over(key);
            }
            over.await;
        }
    }

    /// Ends the round if there are open questions and no step runs. Returns the questions and the state for
    /// the next round, or an error if the call has had more than `max_keys` rounds. `None` if the round
    /// continues.
    ///
    /// The limit of rounds ends a call whose handler asks a different question under the same key in each
    /// round, and so never gets past this key.
    pub(crate) fn take_round(&self) -> Option<Result<(Vec<KeyedRequest>, RequestState), Error>> {
        let mut it = self.lock();
        if it.open.is_empty() || it.steps > 0 || it.closed {
            return None;
        }
        it.closed = true;
        let mut state = it.state.take().unwrap_or_else(RequestState::fresh);
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
    /// Returns whether no answer can come any more.
    fn is_over(&self) -> bool {
        self.released || self.expects_no_answers
    }
}

fn call_over(key: &str) -> ToolError {
    ToolError::new("call_over", format!("expected to ask `{key}` while the call lasts, but it is over"))
}
