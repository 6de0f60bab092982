//! The gate of a runtime: it keeps one worker thread free of handlers, so that a handler that blocks its thread
//! does not stop the server.
//!
//! In: the steps of calls, which are the code of a handler between two waits. Out: each step is run, or told to
//! wait. Nobody can tell in advance whether a step will block, so at most all workers but one run steps at a
//! time. Further steps run on [threads of their own](super::aside), as far as there are some; the others wait. Callers
//! take turns.
//!
//! A worker that blocks may be the one that waits for input and timers on behalf of all. Another worker takes
//! this over only when it is woken, so while steps run and none ends, a thread (the watch) wakes a worker every
//! [`GLANCE`].
//!
//! A runtime with a single thread can't do any of this: there, a step that blocks stops everything. On a
//! multi-threaded runtime with one worker, that worker runs one step at a time.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Id, RuntimeFlavor};

use super::aside::{Aside, AsidePlace, Lane};

/// Time between two looks of the watch. 10 ms: a fifth of the delay that a blocking handler may cause others.
const GLANCE: Duration = Duration::from_millis(10);

/// The number of looks without any step after which the watch ends, until the next step begins.
const IDLE_GLANCES: usize = 100;

/// The number of tries for a place on a worker before a step goes elsewhere. Most steps take less time than
/// these tries.
const TRIES: usize = 100;

/// Time for which a task tries again for a place on a worker before its step gets a thread of its own. To
/// get this thread takes longer than most steps.
const PATIENCE: Duration = Duration::from_micros(100);

/// The gate of a runtime, shared by the calls that run there.
#[derive(Debug)]
pub(crate) struct Gate {
    aside: Arc<Aside>,
    /// The number of steps on workers that have ended. By this number, the watch sees whether any step has
    /// ended since its last look.
    ended: AtomicUsize,
    /// The number of steps that run on workers now.
    here: AtomicUsize,
    /// The largest number of steps that may run on workers at a time; `None` on a runtime with a single thread,
    /// where every step runs at once.
    most: Option<usize>,
    /// Whether the watch runs.
    watched: AtomicBool,
}

thread_local! {
    /// The gate of the runtime that this thread has used last.
    static LATEST: RefCell<Option<(Id, Arc<Gate>)>> = const { RefCell::new(None) };
}

/// The gates of all runtimes of this process.
static GATES: Mutex<Vec<(Id, Weak<Gate>)>> = Mutex::new(Vec::new());

impl Gate {
    /// Returns the gate of the current runtime. Outside of a runtime, returns one that lets every step pass.
    pub(crate) fn current() -> Arc<Self> {
        let Ok(runtime) = Handle::try_current() else { return Arc::new(Self::new(None)) };
        let id = runtime.id();
        LATEST.with_borrow_mut(|latest| match latest {
            Some((known, gate)) if *known == id => Arc::clone(gate),
            _ => Arc::clone(&latest.insert((id, Self::of(&runtime))).1),
        })
    }

    /// Returns the gate of `runtime`. Makes one if the runtime has none.
    fn of(runtime: &Handle) -> Arc<Self> {
        let mut gates = GATES.lock().unwrap_or_else(PoisonError::into_inner);
        gates.retain(|(_, gate)| gate.strong_count() > 0);
        let known = gates.iter().find(|(id, _)| *id == runtime.id());
        if let Some(gate) = known.and_then(|(_, gate)| gate.upgrade()) {
            return gate;
        }
        let workers = match runtime.runtime_flavor() {
            RuntimeFlavor::MultiThread => Some(runtime.metrics().num_workers()),
            _ => None,
        };
        let gate = Arc::new(Self::new(workers));
        gates.push((runtime.id(), Arc::downgrade(&gate)));
        gate
    }

    /// `workers` is the number of worker threads; `None` on a runtime with a single thread.
    fn new(workers: Option<usize>) -> Self {
        Self {
            aside: Arc::new(Aside::new(workers.unwrap_or(1))),
            ended: AtomicUsize::new(0),
            here: AtomicUsize::new(0),
            most: workers.map(|workers| (workers - 1).max(1)),
            watched: AtomicBool::new(false),
        }
    }

    /// Takes a place for one step on the current thread; `None` if `most` steps run on workers already.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Place<'_>> {
        let Some(most) = self.most else { return Some(Place(None)) };
        for _ in 0..TRIES {
            if self.here.fetch_add(1, Ordering::SeqCst) < most {
                self.watch();
                return Some(Place(Some(self)));
            }
            self.here.fetch_sub(1, Ordering::SeqCst);
            std::hint::spin_loop();
        }
        None
    }

    /// Returns whether any step runs.
    fn is_used(&self) -> bool {
        self.here.load(Ordering::SeqCst) > 0 || self.aside.is_used()
    }

    /// Starts the watch unless it runs.
    fn watch(self: &Arc<Self>) {
        if self.watched.load(Ordering::SeqCst) || self.watched.swap(true, Ordering::SeqCst) {
            return;
        }
        let (gate, runtime) = (Arc::downgrade(self), Handle::current());
        let watch = thread::Builder::new().name("plainwire-watch".to_owned());
        if let Err(error) = watch.spawn(move || look_on(&gate, &runtime)) {
            tracing::warn!(
                "a tool that blocks its thread may hold up others: no thread to watch for it: {error}"
            );
            self.watched.store(false, Ordering::SeqCst);
        }
    }
}

/// Looks at the gate every [`GLANCE`]. While steps run on workers and none has ended since the last look, wakes
/// another worker. Ends when no step has run for a while.
fn look_on(gate: &Weak<Gate>, runtime: &Handle) {
    let (mut idle, mut seen) = (0, 0);
    loop {
        thread::sleep(GLANCE);
        let Some(gate) = gate.upgrade() else { return };
        let ended = gate.ended.load(Ordering::SeqCst);
        let is_quiet = std::mem::replace(&mut seen, ended) == ended;
        if is_quiet && gate.here.load(Ordering::SeqCst) > 0 {
            wake_a_worker(runtime);
        }
        gate.aside.look();
        idle = if is_quiet && !gate.is_used() { idle + 1 } else { 0 };
        if idle == IDLE_GLANCES {
            gate.watched.store(false, Ordering::SeqCst);
            // A step that began just before this line relies on the watch.
            if !gate.is_used() || gate.watched.swap(true, Ordering::SeqCst) {
                return;
            }
            idle = 0;
        }
    }
}

/// Wakes a worker that sleeps, by a task without content. Once this worker has nothing to do, it waits for
/// input and timers if no other worker does.
fn wake_a_worker(runtime: &Handle) {
    runtime.spawn(async {});
}

/// A place for one step on the current thread. Dropping it makes room for another step.
pub(crate) struct Place<'g>(Option<&'g Gate>);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(gate) = self.0 {
            gate.ended.fetch_add(1, Ordering::SeqCst);
            gate.here.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// The way of one call through the gate, step by step.
pub(crate) struct Passage {
    gate: Arc<Gate>,
    lane: Lane,
    /// The time of the first try for a place; `None` if no step waits for one.
    tried: Option<Instant>,
    /// The wait of a step for a thread of its own; `None` if no step waits for one.
    turn: Option<Pin<Box<dyn Future<Output = AsidePlace> + Send>>>,
}

impl Passage {
    /// Creates the way of a call. `lane` is the number of its caller.
    pub(crate) fn new(gate: &Arc<Gate>, lane: Lane) -> Self {
        Self { gate: Arc::clone(gate), lane, tried: None, turn: None }
    }

    /// Runs `step` on the current thread if there is a place, and otherwise on a thread of its own. Pending
    /// while neither is free; the task of `cx` is then woken for the next try. `blocks` says that the step will
    /// probably block, so that it takes no place on a worker.
    pub(crate) fn poll_step<T>(
        &mut self,
        cx: &mut Context<'_>,
        blocks: bool,
        step: impl FnOnce() -> T,
    ) -> Poll<T> {
        if self.gate.most.is_none() {
            return Poll::Ready(step());
        }
        if self.turn.is_none() && !blocks {
            if let Some(_place) = self.gate.enter() {
                self.tried = None;
                return Poll::Ready(step());
            }
            // Other tasks run before the next try.
            if self.tried.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        let aside = || Box::pin(Arc::clone(&self.gate.aside).enter(self.lane)) as _;
        let turn = self.turn.get_or_insert_with(aside);
        let _place = ready!(turn.as_mut().poll(cx));
        self.gate.watch();
        (self.tried, self.turn) = (None, None);
        Poll::Ready(tokio::task::block_in_place(step))
    }
}
