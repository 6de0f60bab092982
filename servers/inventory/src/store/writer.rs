//! The thread that changes the file.
//!
//! In: changes that wait. Out: their outcomes, after the commit. All changes that wait are written in one transaction, in
//! savepoints: one that fails, or that is only tried out, is taken back alone. So the wait for the disk is shared.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use plainwire_sqlite::FileError;
use rusqlite::Connection;

use super::Clock;
use crate::fault::Fault;
use crate::runtime;
use crate::work::{Outcome, Work};

/// The largest number of changes that wait.
pub const MAX_WAITING: usize = 4_096;

/// The largest number of changes in one commit.
const MAX_GROUP: usize = 256;

/// The sending side of the thread. Dropped, it waits until the thread has closed the file, which then is whole without its log.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Option<SyncSender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    /// The connection, which the thread has while it writes.
    connection: Arc<Mutex<Connection>>,
    clock: Clock,
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was told to those who waited for it.
            let _ = thread.join();
        }
    }
}

/// Work for the thread, in two steps: in the transaction, and after it.
trait Job: Send {
    /// Does the work. Returns whether it is to be kept.
    fn run(&mut self, db: &Connection, clock: Clock) -> bool;
    /// Answers. `error` is that of the commit.
    fn answer(self: Box<Self>, error: Option<FileError>);
}

impl Writer {
    pub(super) fn start(connection: Connection, clock: Clock) -> Result<Self, FileError> {
        let (queue, jobs) = sync_channel(MAX_WAITING);
        connection.set_prepared_statement_cache_capacity(256);
        let connection = Arc::new(Mutex::new(connection));
        let own = Arc::clone(&connection);
        let started = runtime::thread("inventory", move || run(&own, clock, &jobs));
        let failed = |error| FileError::Unfit(format!("no thread can be started for it: {error}"));
        Ok(Self { queue: Some(queue), thread: Some(started.map_err(failed)?), connection, clock })
    }

    /// Lets the thread make a change, or try it out, and answers with its outcome.
    pub(super) fn change(
        &self,
        is_applied: bool,
        change: impl FnOnce(&mut Work<'_>) -> Result<(), Fault> + Send + 'static,
        answer: impl FnOnce(Result<Outcome, Fault>) + Send + 'static,
    ) {
        self.send(made(is_applied, change), answer);
    }

    /// Makes a change on this thread if no other one is being made, and otherwise like [`Self::change`]; waits for it. So a
    /// caller that may block pays for no change of threads.
    pub(super) fn change_here(
        &self,
        is_applied: bool,
        change: impl FnOnce(&mut Work<'_>) -> Result<(), Fault> + Send + 'static,
    ) -> Result<Outcome, Fault> {
        let (send, receive) = sync_channel(1);
        let answer = move |outcome| drop(send.send(outcome));
        let work = made(is_applied, change);
        match self.connection.try_lock() {
            Ok(db) => {
                let task = Task { work: Some(work), answer, outcome: None };
                settle(&db, self.clock, vec![Box::new(task)], || None);
            }
            Err(_) => self.send(work, answer),
        }
        receive.recv().unwrap_or_else(|_| Err(ended()))
    }

    /// Lets the thread read, and answers.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
        answer: impl FnOnce(Result<T, Fault>) + Send + 'static,
    ) {
        self.send(move |db: &Connection, _| (question(db), false), answer);
    }

    fn send<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, Clock) -> (Result<T, Fault>, bool) + Send + 'static,
        answer: impl FnOnce(Result<T, Fault>) + Send + 'static,
    ) {
        let task = Task { work: Some(work), answer, outcome: None };
        let Some(queue) = &self.queue else { return };
        if let Err(refused) = queue.try_send(Box::new(task)) {
            let (TrySendError::Full(job) | TrySendError::Disconnected(job)) = refused;
            job.answer(Some(FileError::Unfit(format!("{MAX_WAITING} changes wait already"))));
        }
    }
}

struct Task<T, W, A> {
    work: Option<W>,
    answer: A,
    outcome: Option<Result<T, Fault>>,
}

impl<T, W, A> Job for Task<T, W, A>
where
    T: Send,
    W: FnOnce(&Connection, Clock) -> (Result<T, Fault>, bool) + Send,
    A: FnOnce(Result<T, Fault>) + Send,
{
    fn run(&mut self, db: &Connection, clock: Clock) -> bool {
        let Some(work) = self.work.take() else { return false };
        let (outcome, is_kept) = catch_unwind(AssertUnwindSafe(|| work(db, clock)))
            .unwrap_or_else(|_| (Err(FileError::Unfit("a change panicked".to_owned()).into()), false));
        self.outcome = Some(outcome);
        is_kept
    }

    fn answer(self: Box<Self>, error: Option<FileError>) {
        let outcome = match (error, self.outcome) {
            (Some(error), _) => Err(error.into()),
            (None, Some(outcome)) => outcome,
            (None, None) => Err(ended()),
        };
        (self.answer)(outcome);
    }
}

/// The error of a thread that is gone.
pub(super) fn ended() -> Fault {
    FileError::Unfit("its thread has ended".to_owned()).into()
}

/// Returns a change as work: its outcome, and whether it is to be kept.
fn made(
    is_applied: bool,
    change: impl FnOnce(&mut Work<'_>) -> Result<(), Fault> + Send + 'static,
) -> impl FnOnce(&Connection, Clock) -> (Result<Outcome, Fault>, bool) + Send + 'static {
    move |db, clock| {
        let mut work = Work::new(db, clock.now());
        let done = change(&mut work);
        let outcome = work.outcome(done, is_applied);
        let is_kept = outcome.as_ref().is_ok_and(|it| !it.is_preview);
        (outcome, is_kept)
    }
}

fn run(connection: &Mutex<Connection>, clock: Clock, jobs: &Receiver<Box<dyn Job>>) {
    while let Ok(first) = jobs.recv() {
        let db = connection.lock().unwrap_or_else(PoisonError::into_inner);
        settle(&db, clock, vec![first], || jobs.try_recv().ok());
    }
}

/// Runs and answers the jobs of a group, and those that `more` has by then.
fn settle(
    db: &Connection,
    clock: Clock,
    mut group: Vec<Box<dyn Job>>,
    more: impl FnMut() -> Option<Box<dyn Job>>,
) {
    let committed = write(db, clock, more, &mut group);
    if committed.is_err() && !db.is_autocommit() {
        let _ = db.execute_batch("ROLLBACK");
    }
    for job in group {
        job.answer(committed.as_ref().err().map(again));
    }
}

/// Runs the first job, and those that have come by then, in one transaction. Only what follows a change that is kept needs
/// a savepoint.
fn write(
    db: &Connection,
    clock: Clock,
    mut more: impl FnMut() -> Option<Box<dyn Job>>,
    group: &mut Vec<Box<dyn Job>>,
) -> rusqlite::Result<()> {
    let say = |what: &str| db.prepare_cached(what)?.execute([]).map(|_| ());
    let (mut at, mut is_kept) = (0, false);
    while let Some(job) = group.get_mut(at) {
        say(if is_kept { "SAVEPOINT one" } else { "BEGIN IMMEDIATE" })?;
        match (job.run(db, clock), is_kept) {
            (true, false) => is_kept = true,
            (true, true) => say("RELEASE one")?,
            (false, false) => say("ROLLBACK")?,
            (false, true) => {
                say("ROLLBACK TO one")?;
                say("RELEASE one")?;
            }
        }
        at += 1;
        if at == group.len() && at < MAX_GROUP {
            group.extend(more());
        }
    }
    if is_kept { say("COMMIT") } else { Ok(()) }
}

/// Returns an error again, for each job of a group.
fn again(error: &rusqlite::Error) -> FileError {
    match error {
        rusqlite::Error::SqliteFailure(code, text) => {
            rusqlite::Error::SqliteFailure(*code, text.clone()).into()
        }
        other => FileError::Unfit(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{channel, sync_channel};

    use super::*;

    #[test]
    fn changes_that_wait_have_a_limit() {
        let connection = Connection::open_in_memory().expect("a database");
        let writer = Writer::start(connection, Clock::default()).expect("a thread");
        let (go, wait) = channel::<()>();
        let (begun, has_begun) = sync_channel(1);
        let first = move |_: &Connection| {
            let _ = begun.send(());
            let _ = wait.recv();
            Ok(())
        };
        writer.ask(first, |_| {});
        has_begun.recv().expect("the first one runs");
        let (answers, told) = channel();
        for _ in 0..=MAX_WAITING {
            let answers = answers.clone();
            writer.ask(|_| Ok(()), move |answer| drop(answers.send(answer)));
        }
        let refused = told.recv().expect("an answer").expect_err("too many wait");
        assert_eq!(refused.text(), "4096 changes wait already");
        drop(go);
        assert!((0..MAX_WAITING).all(|_| told.recv().is_ok_and(|it| it.is_ok())), "the others are done");
    }
}
