//! Signals from running calls to their connection, and the queue that carries them.
//!
//! In: progress, questions and answers of calls. Out: [`Signal`]s, in order. Nothing is written to the client
//! here. The channel is unbounded, but other limits bound the number of signals in it: see [`Signals`].

use std::any::Any;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as Poller, Poll, Waker};
use std::time::Duration;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{InputMethod, LogLevel, RawJson};
use plainwire_proto::peer::CallKey;
use tokio::sync::{mpsc, oneshot};

use super::Logs;
use crate::server::result::Refusal;
use crate::server::roots::KnownRoots;

/// The queue of signals from the calls of one connection. Created for the first call that needs it, because
/// most calls need none.
#[derive(Debug, Default)]
pub(crate) struct Channel(OnceCell<(Signals, mpsc::UnboundedReceiver<Signal>)>);

impl Channel {
    /// Returns the sending half of the queue, which is cloned into calls.
    pub(crate) fn signals(&self) -> &Signals {
        &self.0.get_or_init(Signals::new).0
    }

    /// Takes the next signal. Never `Ready(None)`, since the channel itself holds a sender. Pending if no
    /// call has needed the queue yet; then `cx` is not woken.
    pub(crate) fn poll_next(&mut self, cx: &mut Poller<'_>) -> Poll<Option<Signal>> {
        match self.0.get_mut() {
            Some((_, queue)) => queue.poll_recv(cx),
            None => Poll::Pending,
        }
    }

    /// Takes the next signal, if there is one.
    pub(crate) fn try_next(&mut self) -> Option<Signal> {
        self.0.get_mut()?.1.try_recv().ok()
    }

    /// Waits for the next signal of running calls; `None` if no call has needed the queue.
    pub(crate) async fn next(&mut self) -> Option<Signal> {
        self.0.get_mut()?.1.recv().await
    }

    /// Returns the size of all answers in the queue, in bytes.
    pub(crate) fn unsent_answers(&self) -> usize {
        self.0.get().map_or(0, |(signals, _)| signals.unsent_answers.load(Ordering::Relaxed))
    }
}

/// The source from which a call gets the sending half of its connection's queue: the queue, which is created if it
/// does not exist yet, or the sending half itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SignalSource<'c> {
    Channel(&'c Channel),
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only sessions over HTTP record calls"))]
    Signals(&'c Signals),
}

impl<'c> SignalSource<'c> {
    pub(crate) fn signals(self) -> &'c Signals {
        match self {
            Self::Channel(channel) => channel.signals(),
            Self::Signals(signals) => signals,
        }
    }
}

/// A question (elicitation, sampling or roots) to the client of a session, sent as a request.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) call: CallKey,
    pub(crate) method: InputMethod,
    /// The `params` of the request, as JSON text.
    pub(crate) params: String,
}

/// A claim of memory, which ends when it is dropped.
pub(crate) type Claimed = Arc<dyn Any + Send + Sync>;

/// A signal from a running call to its connection.
#[derive(Debug)]
pub(crate) enum Signal {
    /// The call asks the client a question; `answer` gets the JSON of the client's result, or the error.
    Ask {
        answer: oneshot::Sender<Result<RawJson, Error>>,
        question: Question,
        /// The number of this question on its connection, by which [`Self::Withdraw`] names it.
        ticket: u64,
    },
    /// The HTTP stream on which the client waits for this call is to be closed; the client reconnects after
    /// `retry`.
    CloseStream {
        key: CallKey,
        retry: Duration,
    },
    /// The call has ended with an answer: the JSON of `result`, or an error.
    Done {
        answer: Result<Vec<u8>, Refusal>,
        /// The claim of memory for the answer, given back when this is dropped; `None` if nobody counts it.
        claim: Option<Claimed>,
        key: CallKey,
    },
    /// The call was dropped without an answer.
    Ended(CallKey),
    Log {
        key: CallKey,
        level: LogLevel,
        logger: Option<String>,
        /// The content of the log message: the text of a JSON value.
        data: String,
    },
    Progress {
        key: CallKey,
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    },
    /// The user is done with the web page with this id.
    PageComplete {
        id: String,
        /// The call that asked for the page. While it runs, the report goes to its stream.
        key: CallKey,
    },
    /// The answer to the question with this number (`ticket` in [`Self::Ask`]) is no longer wanted.
    Withdraw(u64),
}

/// The sending half of the queue of [`Signal`]s. The channel is unbounded, but other limits bound the number
/// of signals in it: a call sends one `Done` or `Ended`, the limit `in_flight` bounds calls, `questions`
/// bounds the questions of a call, and [`MAX_PROGRESS`] bounds progress; equal limits bound log messages and
/// reports about web pages.
#[derive(Clone, Debug)]
pub(crate) struct Signals(Arc<Shared>);

/// The state that the clones of [`Signals`] share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The ticket, the number of a question, that the next question gets.
    last_ticket: AtomicU64,
    pub(crate) logs: Logs,
    queue: mpsc::UnboundedSender<Signal>,
    /// The cached roots of the session on this connection.
    pub(crate) roots: KnownRoots,
    /// The wakers of the calls that wait until fewer answers are in the queue.
    paused: Mutex<BTreeMap<CallKey, Waker>>,
    /// The size of all answers in the queue, in bytes.
    unsent_answers: AtomicUsize,
    /// The number of reports about web pages in the queue.
    unsent_pages: AtomicUsize,
    /// The number of progress reports in the queue.
    unsent_progress: AtomicUsize,
}

impl Deref for Signals {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// The limit of unsent progress reports per connection: a screenful for each of a few dozen calls.
const MAX_PROGRESS: usize = 1_024;

/// The size of all queued answers above which no further call starts and no running call continues, in bytes. The
/// calls whose code runs at that moment, at most one on each thread, may still add their answers.
pub(crate) const MAX_ANSWERS: usize = 1 << 20;

impl Signals {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Signal>) {
        let (queue, signals) = mpsc::unbounded_channel();
        let shared = Shared {
            last_ticket: AtomicU64::default(),
            logs: Logs::default(),
            queue,
            roots: KnownRoots::default(),
            paused: Mutex::default(),
            unsent_answers: AtomicUsize::default(),
            unsent_pages: AtomicUsize::default(),
            unsent_progress: AtomicUsize::default(),
        };
        (Self(Arc::new(shared)), signals)
    }

    /// Sends a signal. After the connection has ended, the signal is dropped, because there is no client to
    /// send it to.
    pub(crate) fn send(&self, signal: Signal) {
        let _ = self.queue.send(signal);
    }

    /// Asks the client and waits for the answer. Cancel safe: dropping the future withdraws the question.
    pub(crate) async fn ask(&self, question: Question) -> Result<RawJson, Error> {
        let ticket = self.last_ticket.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.send(Signal::Ask { answer, question, ticket });
        let withdraw = Withdraw { signals: self, ticket };
        let gone = || Err(Error::new(ErrorKind::Internal, "the connection has ended"));
        let answer = answered.await.unwrap_or_else(|_| gone());
        std::mem::forget(withdraw);
        answer
    }

    /// Sends the report that the user is done with the web page `id`, unless [`MAX_PROGRESS`] such reports wait.
    pub(super) fn page_complete(&self, key: CallKey, id: &str) {
        if self.unsent_pages.fetch_add(1, Ordering::Relaxed) < MAX_PROGRESS {
            self.send(Signal::PageComplete { id: id.to_owned(), key });
        } else {
            self.page_taken();
            tracing::warn!(
                "a client is not told that a page is complete: {MAX_PROGRESS} such reports wait already"
            );
        }
    }

    /// Subtracts a report about a web page that left the queue from the number of unsent ones.
    pub(crate) fn page_taken(&self) {
        self.unsent_pages.fetch_sub(1, Ordering::Relaxed);
    }

    /// Sends the answer of a call.
    pub(crate) fn answer(&self, key: CallKey, answer: Result<Vec<u8>, Refusal>, claim: Option<Claimed>) {
        self.unsent_answers.fetch_add(answer.as_ref().map_or(0, Vec::len), Ordering::SeqCst);
        self.send(Signal::Done { answer, claim, key });
    }

    /// Subtracts an answer that left the queue from the size of the queued answers, and wakes the calls that wait
    /// for this.
    pub(crate) fn answer_taken(&self, answer: &Result<Vec<u8>, Refusal>) {
        let size = answer.as_ref().map_or(0, Vec::len);
        let before = self.unsent_answers.fetch_sub(size, Ordering::SeqCst);
        if before > MAX_ANSWERS && before - size <= MAX_ANSWERS {
            let paused = std::mem::take(&mut *self.paused.lock().unwrap_or_else(PoisonError::into_inner));
            paused.into_values().for_each(Waker::wake);
        }
    }

    /// Waits until the call `key` may continue: while more than [`MAX_ANSWERS`] bytes of answers are in the queue,
    /// because the client does not read, a call that continued would only add its own answer.
    pub(crate) fn poll_room(&self, key: CallKey, cx: &Poller<'_>) -> Poll<()> {
        if self.unsent_answers.load(Ordering::Relaxed) <= MAX_ANSWERS {
            return Poll::Ready(());
        }
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that an answer that is taken from now on finds the waker.
        if self.unsent_answers.load(Ordering::SeqCst) <= MAX_ANSWERS {
            return Poll::Ready(());
        }
        paused.insert(key, cx.waker().clone());
        Poll::Pending
    }

    /// Subtracts a progress report that left the queue from the number of unsent reports.
    pub(crate) fn progress_taken(&self) {
        self.unsent_progress.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts one more unsent progress report, unless there are [`MAX_PROGRESS`] already. Returns whether it
    /// was counted.
    pub(super) fn progress_has_room(&self) -> bool {
        let room = self.unsent_progress.fetch_add(1, Ordering::Relaxed) < MAX_PROGRESS;
        if !room {
            self.progress_taken();
        }
        room
    }
}

/// A guard in the future of a question: dropping it withdraws the question.
struct Withdraw<'s> {
    signals: &'s Signals,
    ticket: u64,
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        self.signals.send(Signal::Withdraw(self.ticket));
    }
}
