//! Threads beside the workers, for steps of handlers that have no place on a worker or probably block.
//!
//! In: steps that want such a thread, each with its caller. Out: a place for each. Callers take turns, so that a
//! caller with many calls delays another caller by a few steps only; the steps of one caller run in the order in
//! which they asked. At first there are as many places as workers, so that handlers that compute do not take the
//! processors from all other tasks, however many calls there are. A step that runs for long probably blocks, and
//! needs no processor: it makes room for another step, up to [`ASIDE`] in all.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The largest number of steps that run on threads of their own at a time. Each may hold such a thread until
/// its handler stops blocking. 64: an eighth of the blocking threads that tokio starts by default, since
/// handlers use these for other work too.
pub(crate) const ASIDE: usize = 64;

/// The number of a caller whose steps take turns with those of others. Callers with the same number count as one.
pub(crate) type Lane = u64;

/// The threads beside the workers of one runtime.
#[derive(Debug)]
pub(super) struct Aside {
    /// The number of places before any step has run for long.
    few: usize,
    steps: Mutex<Steps>,
}

#[derive(Debug, Default)]
struct Steps {
    /// The number of running steps that have made room for another one.
    long: usize,
    next: u64,
    running: BTreeMap<u64, Age>,
    /// The lanes with waiting steps, in the order of their turns.
    turns: VecDeque<Lane>,
    /// The steps that wait, by lane. No queue is empty.
    waiting: BTreeMap<Lane, VecDeque<oneshot::Sender<AsidePlace>>>,
}

impl Steps {
    /// Takes the step whose turn it is from those that wait. A step whose call is gone has no turn.
    fn next_waiting(&mut self) -> Option<oneshot::Sender<AsidePlace>> {
        loop {
            let lane = self.turns.pop_front()?;
            let queue = self.waiting.get_mut(&lane)?;
            let step = std::iter::from_fn(|| queue.pop_front()).find(|step| !step.is_closed());
            if queue.is_empty() {
                self.waiting.remove(&lane);
            } else {
                self.turns.push_back(lane);
            }
            if step.is_some() {
                return step;
            }
        }
    }
}

/// The time that a step has run, counted in calls of [`Aside::look`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    /// No look since it began.
    New,
    /// One look or more.
    Seen,
    /// Two looks or more. It has made room for another step.
    Long,
}

impl Aside {
    /// `workers` is the number of worker threads of the runtime.
    pub(super) fn new(workers: usize) -> Self {
        Self { few: workers.min(ASIDE), steps: Mutex::default() }
    }

    /// Waits for a place for a step of `lane`.
    pub(super) async fn enter(self: Arc<Self>, lane: Lane) -> AsidePlace {
        let (step, turn) = oneshot::channel();
        {
            let mut steps = self.lock();
            let Steps { turns, waiting, .. } = &mut *steps;
            let queue = waiting.entry(lane).or_default();
            if queue.is_empty() {
                turns.push_back(lane);
            }
            queue.push_back(step);
        }
        self.admit();
        match turn.await {
            Ok(place) => place,
            // Never: the queue drops no step before its future, which is this one.
            Err(_) => std::future::pending().await,
        }
    }

    /// Gives the free places to steps that wait.
    fn admit(self: &Arc<Self>) {
        loop {
            let (step, number) = {
                let mut steps = self.lock();
                if steps.running.len() >= self.few + steps.long {
                    return;
                }
                let Some(step) = steps.next_waiting() else { return };
                let number = steps.next;
                steps.next += 1;
                steps.running.insert(number, Age::New);
                (step, number)
            };
            if let Err(mut place) = step.send(AsidePlace { aside: Arc::clone(self), number: Some(number) }) {
                // Its call is gone. The drop of the place would call this function again.
                place.number = None;
                self.end(number);
            }
        }
    }

    /// Removes a step from those that run.
    fn end(&self, number: u64) {
        let mut steps = self.lock();
        if steps.running.remove(&number) == Some(Age::Long) {
            // The step that it has made room for has its place now.
            steps.long -= 1;
        }
    }

    /// Returns whether any step runs beside the workers.
    pub(super) fn is_used(&self) -> bool {
        !self.lock().running.is_empty()
    }

    /// Makes room for another step for each step that has run during two looks, up to [`ASIDE`] steps in all. Called
    /// at regular intervals while steps run.
    pub(super) fn look(self: &Arc<Self>) {
        let mut steps = self.lock();
        let Steps { long, running, .. } = &mut *steps;
        for age in running.values_mut() {
            match age {
                Age::New => *age = Age::Seen,
                Age::Seen if self.few + *long < ASIDE => {
                    *age = Age::Long;
                    *long += 1;
                }
                Age::Seen | Age::Long => {}
            }
        }
        drop(steps);
        self.admit();
    }

    fn lock(&self) -> MutexGuard<'_, Steps> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place for one step beside the workers. Dropping it ends the step.
#[derive(Debug)]
pub(super) struct AsidePlace {
    aside: Arc<Aside>,
    /// The number of the step; `None` if the place was given back.
    number: Option<u64>,
}

impl Drop for AsidePlace {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        self.aside.end(number);
        self.aside.admit();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::task::Poll;

    use tokio::task::unconstrained;

    use super::*;

    /// A step that waits for its place.
    type Waiting = Pin<Box<dyn Future<Output = AsidePlace>>>;

    /// Steps that ask for a place, in order, and the places of those that have one.
    struct Asking {
        aside: Arc<Aside>,
        places: Vec<AsidePlace>,
        waiting: Vec<Waiting>,
    }

    impl Asking {
        fn new(workers: usize, count: usize) -> Self {
            let aside = Arc::new(Aside::new(workers));
            let waiting = (0..count).map(|_| Box::pin(Arc::clone(&aside).enter(0)) as _).collect();
            Self { aside, places: Vec::new(), waiting }
        }

        /// Returns the number of steps that run.
        async fn running(&mut self) -> usize {
            let Self { places, waiting, .. } = self;
            // All are asked, however many that are.
            unconstrained(poll_fn(|cx| {
                waiting.retain_mut(|it| match it.as_mut().poll(cx) {
                    Poll::Ready(place) => {
                        places.push(place);
                        false
                    }
                    Poll::Pending => true,
                });
                Poll::Ready(())
            }))
            .await;
            self.places.len()
        }
    }

    #[tokio::test]
    async fn steps_that_run_for_long_make_room_until_they_end() {
        let mut steps = Asking::new(2, 10);
        assert_eq!(steps.running().await, 2);
        steps.aside.look();
        assert_eq!(steps.running().await, 2);
        steps.aside.look();
        assert_eq!(steps.running().await, 4);
        // The two that end have made room already.
        steps.places.drain(..2);
        assert_eq!(steps.running().await, 2);
        // These two have not.
        steps.places.clear();
        assert_eq!(steps.running().await, 2);
        (steps.places, steps.waiting) = Default::default();
        assert!(!steps.aside.is_used());
    }

    /// Polls each step that waits once, in order. Returns the numbers of those that got a place, with the places.
    async fn entered(waiting: &mut [Option<Waiting>]) -> Vec<(usize, AsidePlace)> {
        unconstrained(poll_fn(|cx| {
            let mut entered = Vec::new();
            for (n, it) in waiting.iter_mut().enumerate() {
                if let Some(Poll::Ready(place)) = it.as_mut().map(|it| it.as_mut().poll(cx)) {
                    *it = None;
                    entered.push((n, place));
                }
            }
            Poll::Ready(entered)
        }))
        .await
    }

    #[tokio::test]
    async fn callers_take_turns_and_a_step_that_is_gone_has_none() {
        let aside = Arc::new(Aside::new(1));
        // Ninety-eight steps of one caller, then two of another.
        let mut waiting: Vec<_> =
            (0..100).map(|n| Some(Box::pin(Arc::clone(&aside).enter(n / 98)) as Waiting)).collect();
        let mut order = Vec::new();
        for round in 0.. {
            if round == 2 {
                // The client of these calls has left.
                waiting[2..90].iter_mut().for_each(|it| *it = None);
            }
            let entered = entered(&mut waiting).await;
            let [(n, _)] = entered[..] else { break };
            order.push(n);
        }
        assert_eq!(order, [0, 1, 98, 90, 99, 91, 92, 93, 94, 95, 96, 97]);
        assert!(!aside.is_used() && aside.lock().waiting.is_empty());
    }

    #[tokio::test]
    async fn so_many_steps_run_and_no_more_however_long_they_take() {
        for workers in [1, 2, 48, 64, 100] {
            let mut steps = Asking::new(workers, 2 * ASIDE);
            for _ in 0..3 * ASIDE {
                assert!(steps.running().await <= ASIDE, "{workers} workers");
                steps.aside.look();
            }
            assert_eq!(steps.running().await, ASIDE, "{workers} workers");
        }
    }
}
