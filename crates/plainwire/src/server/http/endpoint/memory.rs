//! The memory that an endpoint keeps for its callers, counted in bytes: bodies of requests (large ones twice) until
//! their calls end, answers until they are sent, and records of sessions.
//!
//! In: claims, each before its memory is allocated. Out: the claim, or the limit that it would exceed. Memory
//! that handlers allocate is not counted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::header::RETRY_AFTER;
use http::{HeaderValue, Response};
use plainwire_proto::envelope::Id;
use plainwire_proto::error::{Error, ErrorKind};

use super::answer;
use super::body::Body;
use super::caller_id::{ByCaller, CallerId};
use super::usage::give_back;
use crate::runtime;
use crate::server::connection::calls::{Budget, Held};

/// The share of the machine's memory that all callers together get by default: a quarter. What a handler makes
/// of a body often takes several times as much as the body.
const SHARE: usize = 4;

/// The memory that is counted for every request beside its body, in bytes: its record, its buffers, and an
/// answer of this size.
pub(crate) const REQUEST: usize = 16 << 10;

/// The longest time for which a caller's requests are refused after an answer was dropped: as long as `retry-after`
/// says.
const SHORT: Duration = Duration::from_secs(1);

/// The largest number of callers for whom a dropped answer is remembered.
const SHORT_CALLERS: usize = 1_024;

/// The memory that an endpoint keeps for its callers.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Whether `Taken::short` may have entries, so that most requests need not look.
    is_short: AtomicBool,
    /// The most bytes of all callers together. One caller gets at most half of it.
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// Invariant: these numbers are not 0, and `all` is their sum.
    by_caller: ByCaller<usize>,
    /// The dropped answers of the last moment, by caller: the size of the answer, and the time until which it
    /// counts ([`SHORT`]).
    short: ByCaller<(usize, Instant)>,
}

impl Taken {
    /// Returns whether a caller still has no room for an answer like the one that was dropped.
    fn is_short(&mut self, caller: &CallerId, most: usize) -> bool {
        let Some((bytes, until)) = self.short.get(caller) else { return false };
        let taken = self.by_caller.get(caller).copied().unwrap_or_default();
        let is_short = taken.saturating_add(*bytes) > most && Instant::now() < *until;
        if !is_short {
            self.short.remove(caller);
        }
        is_short
    }

    fn grow(&mut self, caller: &CallerId, more: usize, most: usize) -> Result<(), OverMemory> {
        // Checked first, so that no caller is inserted without a claim.
        if more > most / 2 {
            return Err(OverMemory::Caller(most / 2));
        }
        let all = self.all.saturating_add(more);
        match self.by_caller.get_mut(caller) {
            Some(of_caller) if of_caller.saturating_add(more) > most / 2 => {
                return Err(OverMemory::Caller(most / 2));
            }
            _ if all > most => return Err(OverMemory::All(most)),
            Some(of_caller) => *of_caller += more,
            None => drop(self.by_caller.insert(caller.clone(), more)),
        }
        self.all = all;
        Ok(())
    }
}

/// Bytes of a caller, counted until this is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    bytes: usize,
    caller: CallerId,
    memory: Arc<Memory>,
}

/// The limit that a claim would exceed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OverMemory {
    /// All callers together have too much. Holds the limit in bytes.
    All(usize),
    /// The caller has too much. Holds the limit in bytes.
    Caller(usize),
}

impl Memory {
    /// Creates a count with this limit for all callers; `None` means the default share of the machine's memory.
    pub(crate) fn new(most: Option<usize>) -> Self {
        let most = most.unwrap_or_else(|| runtime::memory() / SHARE);
        Self { is_short: AtomicBool::new(false), most, taken: Mutex::default() }
    }

    /// Claims memory for `caller`.
    ///
    /// # Errors
    /// The limit that would be exceeded. Nothing is claimed then.
    pub(crate) fn claim(self: &Arc<Self>, caller: &CallerId, bytes: usize) -> Result<Claim, OverMemory> {
        let mut claim = Claim { bytes: 0, caller: caller.clone(), memory: Arc::clone(self) };
        claim.grow_to(bytes)?;
        Ok(claim)
    }

    /// Claims memory for a request of `caller` that begins, without its body. After an answer was dropped, requests are
    /// refused until there is room for an answer like it, or [`SHORT`] has passed: otherwise they would be carried out,
    /// and their answers dropped too.
    ///
    /// # Errors
    /// The limit that would be exceeded.
    pub(crate) fn admit(self: &Arc<Self>, caller: &CallerId) -> Result<Claim, OverMemory> {
        self.check(caller)?;
        self.claim(caller, REQUEST)
    }

    /// Checks that `caller` has room again for an answer like the one that was dropped a moment ago. Succeeds
    /// if none was dropped.
    ///
    /// # Errors
    /// The limit that the answer would have exceeded.
    pub(crate) fn check(&self, caller: &CallerId) -> Result<(), OverMemory> {
        if !self.is_short.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut taken = self.lock();
        let is_short = taken.is_short(caller, self.most / 2);
        self.is_short.store(!taken.short.is_empty(), Ordering::Relaxed);
        if is_short { Err(OverMemory::Caller(self.most / 2)) } else { Ok(()) }
    }

    /// Claims memory for an answer of `bytes`, except for the first [`REQUEST`] bytes: the claim of its
    /// request has room for these.
    ///
    /// # Errors
    /// The limit that would be exceeded. The answer is dropped then.
    pub(crate) fn claim_answer(
        self: &Arc<Self>,
        caller: &CallerId,
        bytes: usize,
    ) -> Result<Claim, OverMemory> {
        self.claim(caller, bytes.saturating_sub(REQUEST)).inspect_err(|_| {
            let (mut taken, now) = (self.lock(), Instant::now());
            if taken.short.len() >= SHORT_CALLERS {
                taken.short.retain(|_, (_, until)| now < *until);
            }
            if taken.short.len() < SHORT_CALLERS {
                taken.short.insert(caller.clone(), (bytes, now + SHORT));
                self.is_short.store(true, Ordering::Relaxed);
            }
        })
    }

    /// Counts memory that is there already, such as that of an event that was read from a store: even over the limit,
    /// so that nothing more is claimed then.
    pub(crate) fn count(self: &Arc<Self>, caller: &CallerId, bytes: usize) -> Claim {
        let mut taken = self.lock();
        taken.all = taken.all.saturating_add(bytes);
        match taken.by_caller.get_mut(caller) {
            Some(of_caller) => *of_caller = of_caller.saturating_add(bytes),
            None if bytes > 0 => drop(taken.by_caller.insert(caller.clone(), bytes)),
            None => {}
        }
        drop(taken);
        Claim { bytes, caller: caller.clone(), memory: Arc::clone(self) }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claim {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Claims more, so that the claim has `bytes` in all. Does nothing if it has them already.
    ///
    /// # Errors
    /// The limit that would be exceeded. The claim stays as it was.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), OverMemory> {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else { return Ok(()) };
        self.memory.lock().grow(&self.caller, more, self.memory.most)?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut taken = self.memory.lock();
        taken.all -= self.bytes;
        give_back(&mut taken.by_caller, &self.caller, self.bytes);
    }
}

/// The memory of one caller, from which its calls claim room for their answers.
pub(crate) struct CallerMemory {
    pub(crate) caller: CallerId,
    pub(crate) memory: Arc<Memory>,
}

impl Budget for CallerMemory {
    fn claim(&self, bytes: usize) -> Result<Held, Error> {
        match self.memory.claim_answer(&self.caller, bytes) {
            Ok(claim) => Ok(Arc::new(claim)),
            Err(over) => Err(Error::new(ErrorKind::Overloaded, over.text(&dropped(bytes)))),
        }
    }

    fn check(&self) -> Result<(), Error> {
        let refuse = |over: OverMemory| Error::new(ErrorKind::Overloaded, over.text(""));
        self.memory.check(&self.caller).map_err(refuse)
    }

    fn caller(&self) -> &str {
        self.caller.as_str()
    }

    fn lane(&self) -> u64 {
        self.caller.hash()
    }
}

/// Returns the end of the message about an answer of `bytes` for which there is no memory.
fn dropped(bytes: usize) -> String {
    format!("; the request was carried out, and its answer of {bytes} bytes is dropped")
}

impl OverMemory {
    /// Makes the response: 429 at the limit of a caller, 503 at the limit of all.
    pub(crate) fn response(&self, asked: Option<&Id>) -> Response<Body> {
        self.response_saying(asked, "")
    }

    /// Makes the response to a request whose answer of `bytes` is dropped because of the limit.
    pub(crate) fn response_instead(&self, asked: Option<&Id>, bytes: usize) -> Response<Body> {
        self.response_saying(asked, &dropped(bytes))
    }

    fn text(&self, more: &str) -> String {
        let (whose, most) = match self {
            Self::All(most) => ("of all callers", most),
            Self::Caller(most) => ("of a caller", most),
        };
        format!(
            "expected the requests, answers and sessions {whose} to take at most {most} bytes (limit `memory`), but found more{more}"
        )
    }

    fn response_saying(&self, asked: Option<&Id>, more: &str) -> Response<Body> {
        let status = if matches!(self, Self::All(_)) { 503 } else { 429 };
        let mut response = answer::refusal(status, asked, self.text(more));
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_gets_half_of_the_memory_and_gives_all_of_it_back() {
        let memory = Arc::new(Memory::new(Some(100)));
        let (ada, bob, eve): (CallerId, CallerId, CallerId) = ("ada".into(), "bob".into(), "eve".into());
        let mut first = memory.claim(&ada, 30).expect("room");
        assert_eq!(memory.claim(&ada, 21).err(), Some(OverMemory::Caller(50)));
        assert_eq!(first.grow_to(51), Err(OverMemory::Caller(50)));
        assert_eq!((first.grow_to(50), first.grow_to(10)), (Ok(()), Ok(())));
        let second = memory.claim(&bob, 50).expect("room");
        assert_eq!(memory.claim(&eve, 1).err(), Some(OverMemory::All(100)));
        drop(first);
        drop(memory.claim(&eve, 50).expect("room again"));
        drop(second);
        let taken = memory.lock();
        assert!(taken.all == 0 && taken.by_caller.is_empty(), "{taken:?}");
    }

    #[test]
    fn memory_that_is_there_already_counts_over_the_limit_too() {
        let memory = Arc::new(Memory::new(Some(100)));
        let ada: CallerId = "ada".into();
        let counted = memory.count(&ada, 80);
        assert_eq!(memory.claim(&ada, 1).err(), Some(OverMemory::Caller(50)));
        assert_eq!(memory.claim(&"bob".into(), 21).err(), Some(OverMemory::All(100)));
        drop(counted);
        let taken = memory.lock();
        assert!(taken.all == 0 && taken.by_caller.is_empty(), "{taken:?}");
    }

    #[test]
    fn after_a_dropped_answer_a_request_needs_room_for_one_like_it() {
        let memory = Arc::new(Memory::new(Some(8 * REQUEST)));
        let (ada, bob): (CallerId, CallerId) = ("ada".into(), "bob".into());
        let unread = memory.claim(&ada, 2 * REQUEST).expect("room");
        assert!(memory.claim_answer(&ada, 4 * REQUEST).is_err());
        assert_eq!(memory.admit(&ada).err(), Some(OverMemory::Caller(4 * REQUEST)));
        assert!(memory.admit(&bob).is_ok());
        drop(unread);
        assert!(memory.admit(&ada).is_ok(), "there is room");
        // An answer for which there is never room ends nothing for ever.
        assert!(memory.claim_answer(&ada, 100 * REQUEST).is_err());
        assert!(memory.admit(&ada).is_err());
        memory.lock().short.values_mut().for_each(|(_, until)| *until = Instant::now());
        assert!(memory.admit(&ada).is_ok(), "the time has passed");
        assert!(memory.lock().short.is_empty());
    }

    #[test]
    fn of_callers_whose_answers_were_dropped_1024_are_remembered() {
        let memory = Arc::new(Memory::new(Some(8 * REQUEST)));
        for n in 0..1_030 {
            assert!(memory.claim_answer(&CallerId::from(&*n.to_string()), 9 * REQUEST).is_err());
        }
        assert_eq!(memory.lock().short.len(), 1_024);
        memory.lock().short.values_mut().for_each(|(_, until)| *until = Instant::now());
        assert!(memory.claim_answer(&"ada".into(), 9 * REQUEST).is_err());
        assert_eq!(memory.lock().short.len(), 1);
    }

    #[test]
    fn numbers_that_overflow_are_over_the_limit() {
        let memory = Arc::new(Memory::new(Some(usize::MAX)));
        let _one = memory.claim(&"ada".into(), 1).expect("room");
        assert_eq!(memory.claim(&"ada".into(), usize::MAX).err(), Some(OverMemory::Caller(usize::MAX / 2)));
    }
}
