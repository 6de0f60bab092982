//! Threads beside the workers, for steps of handlers that have no place on a worker or probably block.
//!
//! In: steps that want such a thread. Out: a place for each, in the order in which they asked. At first there
//! are as many places as workers, so that handlers that compute do not take the processors from all other
//! tasks, however many calls there are. A step that runs for long probably blocks, and needs no processor:
//! it makes room for another step, up to [`ASIDE`] in all.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The largest number of steps that run on threads of their own at a time. Each may hold such a thread until
/// its handler stops blocking. 64: an eighth of the blocking threads that tokio starts by default, since
/// handlers use these for other work too.
pub(crate) const ASIDE: usize = 64;

/// The threads beside the workers of one runtime.
#[derive(Debug)]
pub(super) struct Aside {
    /// The number of places before any step has run for long.
    few: usize,
    permits: Arc<Semaphore>,
    steps: Mutex<Steps>,
}

#[derive(Debug, Default)]
struct Steps {
    /// The number of running steps that have made room for another one.
    long: usize,
    next: u64,
    running: BTreeMap<u64, Age>,
}

/// The time that a step has run, in looks.
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
        let few = workers.min(ASIDE);
        Self { few, permits: Arc::new(Semaphore::new(few)), steps: Mutex::default() }
    }

    /// Waits for a place.
    pub(super) async fn enter(self: Arc<Self>) -> AsidePlace {
        // The semaphore is never closed.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        let number = {
            let mut steps = self.lock();
            let number = steps.next;
            steps.next += 1;
            steps.running.insert(number, Age::New);
            number
        };
        AsidePlace { aside: self, number, permit }
    }

    /// Returns whether any step runs beside the workers.
    pub(super) fn is_used(&self) -> bool {
        !self.lock().running.is_empty()
    }

    /// Makes room for another step for each one that has run since the look before the last one. Called at
    /// regular intervals while steps run.
    pub(super) fn look(&self) {
        let mut steps = self.lock();
        let Steps { long, running, .. } = &mut *steps;
        for age in running.values_mut() {
            match age {
                Age::New => *age = Age::Seen,
                Age::Seen if self.few + *long < ASIDE => {
                    *age = Age::Long;
                    *long += 1;
                    self.permits.add_permits(1);
                }
                Age::Seen | Age::Long => {}
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Steps> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place for one step beside the workers. Dropping it ends the step.
#[derive(Debug)]
pub(super) struct AsidePlace {
    aside: Arc<Aside>,
    number: u64,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for AsidePlace {
    fn drop(&mut self) {
        let mut steps = self.aside.lock();
        if steps.running.remove(&self.number) == Some(Age::Long) {
            steps.long -= 1;
            // The step that it has made room for has its place now.
            self.permit.take().into_iter().for_each(OwnedSemaphorePermit::forget);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::task::Poll;

    use tokio::task::unconstrained;

    use super::*;

    /// Steps that ask for a place, in order, and the places of those that have one.
    struct Asking {
        aside: Arc<Aside>,
        places: Vec<AsidePlace>,
        waiting: Vec<Pin<Box<dyn Future<Output = AsidePlace>>>>,
    }

    impl Asking {
        fn new(workers: usize, count: usize) -> Self {
            let aside = Arc::new(Aside::new(workers));
            let waiting = (0..count).map(|_| Box::pin(Arc::clone(&aside).enter()) as _).collect();
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
        assert_eq!(steps.aside.permits.available_permits(), 2);
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
