//! Request state: data that a call leaves with its client between two rounds, as `requestState`.
//!
//! In: the answers, results of steps and open questions of a round. Out: sealed text. The next round turns
//! the text back into this data. Text that this server did not seal for this request is refused with the same
//! message for every reason; the reason is only logged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plainwire_proto::codec;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::json::shorten;
use plainwire_proto::model::{InputMethod, RawJson};
use plainwire_proto::seal::{Binding, Opened, Refusal, SealingKeys, UsedStates};
use serde::{Deserialize, Serialize};

use crate::runtime::{LinePause, random};
use crate::server::principal::Principal;

/// The part of a server that seals and opens its request state (`requestState`).
pub(crate) struct Sealer {
    keys: SealingKeys,
    /// The pauses between log lines about refused states, by reason.
    refusals: Mutex<Vec<(Refusal, LinePause)>>,
    server: String,
    /// The time for which a sealed state is valid.
    ttl: Duration,
    /// The states used so far; `None` if a state may be used more than once.
    used: Option<Mutex<Used>>,
    version: String,
}

/// The parts of a request to which its `requestState` is bound: a request that differs in one of them can't
/// use that state.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) arguments: String,
    pub(crate) method: &'static str,
    pub(crate) name: String,
    pub(crate) principal: Option<Arc<Principal>>,
}

/// The state of a call between two rounds (runs of its handler), sent to the client as `requestState`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RequestState {
    /// The questions that were sent to the client and are not answered yet, by key.
    pub(super) asked: HashMap<String, QuestionId>,
    /// Answers, and results of steps ([`crate::Context::step`]), by the key of the question or step.
    pub(super) kept: HashMap<String, KeptValue>,
    /// The number of rounds of the call that have ended.
    #[serde(default)]
    pub(super) rounds: usize,
    /// The salt of digests. It is secret, so that a client can't construct two questions with one digest.
    #[serde(with = "bytes")]
    pub(super) salt: [u8; 32],
    /// Answers, by key, that the client sent without a state, before it was asked. Never part of the sealed
    /// state: once a question has used an answer, the answer is in `kept`.
    #[serde(skip)]
    pub(super) unasked: HashMap<String, RawJson>,
}

/// The identity of a question: its method and a digest of its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct QuestionId {
    #[serde(with = "bytes")]
    pub(super) digest: [u8; 16],
    #[serde(with = "method")]
    pub(super) method: InputMethod,
}

/// A value from an earlier round: an answer, or the result of a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptValue {
    /// The question that the value answers; `None` if the value is the result of a step.
    pub(super) question: Option<QuestionId>,
    pub(super) value: RawJson,
}

/// The opened `requestState` and the answers (`inputResponses`) that came with a request.
#[derive(Debug)]
pub(crate) struct Carried {
    /// The answers to questions in `state.asked`, by key.
    responses: HashMap<String, RawJson>,
    state: RequestState,
}

impl Sealer {
    /// Creates the sealer of a server. Without `keys` it uses a random key.
    pub(crate) fn new(
        keys: Option<SealingKeys>,
        (server, version): (&str, &str),
        ttl: Duration,
        single_use: bool,
    ) -> Self {
        let keys = keys.unwrap_or_else(|| SealingKeys::new(&[random::bytes()]).expect("one key is enough"));
        Self {
            keys,
            refusals: Mutex::default(),
            server: server.to_owned(),
            ttl,
            used: single_use.then(Mutex::default),
            version: version.to_owned(),
        }
    }

    /// Seals `state` for the request `origin`. `unix` is the present time since 1970.
    ///
    /// # Errors
    /// `Internal` for a state that is too large.
    pub(crate) fn seal(
        &self,
        origin: &Origin,
        state: &RequestState,
        unix: Duration,
    ) -> Result<String, Error> {
        let body = serde_json::to_string(state).unwrap_or_default();
        self.keys.seal(random::bytes(), &self.binding(origin), unix.saturating_add(self.ttl), &body).map_err(|_| {
            let limit = plainwire_proto::seal::MAX_BYTES;
            let text = format!(
                "expected what is kept between rounds to take at most about {} bytes ({limit} when it is sealed: limit \
                 `request_state`), but found {}: keep less, such as a key of what you store",
                limit / 4 * 3,
                body.len()
            );
            Error::new(ErrorKind::Internal, text)
        })
    }

    /// Opens `state`, and takes the answers to its open questions from `responses`. Answers to other
    /// questions are ignored. `caller` is the name of the caller, or of its network; empty if neither is known.
    /// `unix` is the present time since 1970.
    ///
    /// # Errors
    /// `InvalidParams` for a state that is invalid, expired, already used or of another request, and for
    /// malformed answers.
    pub(crate) fn open(
        &self,
        (origin, caller): (&Origin, &str),
        state: &str,
        responses: &str,
        unix: Duration,
    ) -> Result<Carried, Error> {
        let refused = |refusal: Refusal| {
            self.log(refusal, origin, caller);
            let text =
                "expected `requestState` as this server sent it with its questions, but found another one";
            Error::new(ErrorKind::InvalidParams, text)
        };
        let opened = self.keys.open(state, &self.binding(origin), unix).map_err(refused)?;
        let state: RequestState =
            serde_json::from_str(&opened.body).map_err(|_| refused(Refusal::Malformed))?;
        let mut taken = HashMap::new();
        for (key, response) in codec::members(responses).unwrap_or_default() {
            if let Some(question) = state.asked.get(&key) {
                codec::read_input_response(question.method, response.get()).map_err(|error| {
                    error.clone().saying(format!("`inputResponses.{key}`: {}", error.message()))
                })?;
                taken.insert(key, response);
            }
        }
        // The state is marked as used last, so that a client that sent a malformed answer can try again with
        // it.
        if let Some(used) = &self.used {
            let mut used = used.lock().unwrap_or_else(PoisonError::into_inner);
            let taken = used.take(origin.principal.as_deref(), caller, &opened, unix);
            drop(used);
            taken.map_err(refused)?;
        }
        Ok(Carried { responses: taken, state })
    }

    /// Logs a refusal, unless one for the same reason was logged within the last 10 seconds.
    fn log(&self, refusal: Refusal, origin: &Origin, caller: &str) {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        let at = refusals.iter().position(|(known, _)| *known == refusal).unwrap_or_else(|| {
            refusals.push((refusal, LinePause::default()));
            refusals.len() - 1
        });
        let due = refusals[at].1.count();
        drop(refusals);
        if let Some(left_out) = due {
            let (method, name) = (origin.method, shorten(&origin.name));
            let caller = origin.principal.as_ref().map_or(caller, |principal| &principal.name);
            let caller = if caller.is_empty() { "an unknown caller" } else { caller };
            tracing::warn!(
                left_out,
                "refused a request state of {method} {name:?} of {caller}: {refusal} ({left_out} more for this \
                 reason since the last line)"
            );
        }
    }

    fn binding<'b>(&'b self, origin: &'b Origin) -> Binding<'b> {
        Binding {
            principal: origin.principal.as_ref().map(|principal| principal.name.as_str()),
            method: origin.method,
            name: &origin.name,
            arguments: &origin.arguments,
            server: &self.server,
            version: &self.version,
        }
    }
}

impl Carried {
    /// Makes the value for a request with answers but without a state. A client may know in advance which
    /// questions a call asks. Its answers are equally untrusted before and after the question; the seal
    /// protects only the server's own values.
    pub(crate) fn unasked(responses: &str) -> Self {
        let unasked = codec::members(responses).unwrap_or_default().into_iter().collect();
        Self { responses: HashMap::new(), state: RequestState { unasked, ..RequestState::fresh() } }
    }

    /// Returns the state with which the next round begins: questions that are answered now become kept
    /// values.
    ///
    /// The answer to a question that the round does not reach is kept as well, so that the user is not asked
    /// twice.
    pub(crate) fn into_state(self) -> RequestState {
        let Self { responses, mut state } = self;
        for (key, value) in responses {
            if let Some(question) = state.asked.remove(&key) {
                state.kept.insert(key, KeptValue { question: Some(question), value });
            }
        }
        state
    }
}

impl RequestState {
    /// Creates an empty state with a random salt.
    pub(crate) fn fresh() -> Self {
        Self { salt: random::bytes(), ..Self::default() }
    }

    /// Returns the identity of the question of `method` with `params`.
    pub(super) fn question(&self, method: InputMethod, params: &str) -> QuestionId {
        QuestionId { digest: plainwire_proto::seal::digest(&self.salt, params), method }
    }
}

/// The states that were used so far.
#[derive(Default)]
struct Used {
    /// The number of entries that were added to `of_network` since it was cleaned.
    added: usize,
    /// The used states, by the name of the principal. All callers without a principal share the key `None`, whatever
    /// their network: each of them could send a state that another one has used.
    by_principal: HashMap<Option<String>, UsedStates>,
    /// The expiries of the states that callers without a principal have used, by network. Expired ones are
    /// removed only when their network has [`MAX_USED`] entries, and after every [`MAX_USED_OF_ANYBODY`] additions.
    of_network: HashMap<String, Vec<Duration>>,
}

/// The largest number of used states of one principal or one network that a server remembers, so that one caller
/// can't use up the room of others. For a principal this is about 1 MiB.
const MAX_USED: usize = 10_000;

/// The largest number of used states of all callers without a principal that a server remembers.
const MAX_USED_OF_ANYBODY: usize = 100_000;

impl Used {
    /// Records that a state was used. `network` is that of a caller without a principal; empty if it is not known.
    ///
    /// # Errors
    /// Like [`UsedStates::take`]; `Full` also for a network that has used [`MAX_USED`] states.
    fn take(
        &mut self,
        principal: Option<&Principal>,
        network: &str,
        opened: &Opened,
        unix: Duration,
    ) -> Result<(), Refusal> {
        let network = Some(network).filter(|it| principal.is_none() && !it.is_empty());
        if network.is_some_and(|network| self.is_full(network, unix)) {
            return Err(Refusal::Full);
        }
        let most = if principal.is_some() { MAX_USED } else { MAX_USED_OF_ANYBODY };
        let principal = principal.map(|principal| principal.name.clone());
        self.by_principal.entry(principal).or_insert_with(|| UsedStates::new(most)).take(opened, unix)?;
        if let Some(network) = network {
            self.count(network, opened.expires, unix);
        }
        Ok(())
    }

    fn is_full(&mut self, network: &str, unix: Duration) -> bool {
        let Some(expiries) = self.of_network.get_mut(network) else { return false };
        if expiries.len() >= MAX_USED {
            expiries.retain(|expires| *expires > unix);
        }
        expiries.len() >= MAX_USED
    }

    fn count(&mut self, network: &str, expires: Duration, unix: Duration) {
        self.added += 1;
        if self.added >= MAX_USED_OF_ANYBODY {
            self.added = 0;
            self.of_network.retain(|_, expiries| {
                expiries.retain(|expires| *expires > unix);
                !expiries.is_empty()
            });
        }
        self.of_network.entry(network.to_owned()).or_default().push(expires);
    }
}

/// Serializes bytes as base64 for URLs, which takes a third of the size of a list of numbers.
mod bytes {
    use plainwire_proto::base64;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<const N: usize, S: Serializer>(
        bytes: &[u8; N],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&base64::encode_url(bytes))
    }

    pub(crate) fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; N], D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = base64::decode_url(&text).and_then(|bytes| bytes.try_into().ok());
        bytes.ok_or_else(|| D::Error::custom("expected bytes in base64"))
    }
}

/// Serializes a method as its name on the wire.
mod method {
    use plainwire_proto::model::InputMethod;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(method: &InputMethod, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(method.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<InputMethod, D::Error> {
        let text = String::deserialize(deserializer)?;
        InputMethod::parse(&text).ok_or_else(|| D::Error::custom("expected a method that asks"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of used states, and the number of the next state.
    #[derive(Default)]
    struct Record(Used, u64);

    impl Record {
        /// Uses a state that has not been used before, and that expires after a minute.
        fn take(&mut self, principal: Option<&str>, network: &str, unix: u64) -> Result<(), Refusal> {
            self.1 += 1;
            let mut id = [0; 24];
            id[..8].copy_from_slice(&self.1.to_le_bytes());
            let opened = Opened { body: String::new(), expires: Duration::from_secs(unix + 60), id };
            let principal = principal.map(|name| Principal { name: name.to_owned() });
            self.0.take(principal.as_ref(), network, &opened, Duration::from_secs(unix))
        }
    }

    #[test]
    fn each_caller_may_use_10000_states_and_all_callers_without_a_principal_100000() {
        let mut used = Record::default();
        for (principal, network, room) in [
            (Some("ada"), "192.0.2.1", 10_000),
            (None, "192.0.2.1", 10_000),
            (None, "192.0.2.2", 10_000),
            (None, "", 80_000),
        ] {
            for _ in 0..room {
                assert_eq!(used.take(principal, network, 1), Ok(()), "{principal:?} {network}");
            }
            assert_eq!(used.take(principal, network, 1), Err(Refusal::Full), "{principal:?} {network}");
        }
        assert_eq!(used.take(Some("bob"), "192.0.2.1", 1), Ok(()));
        assert_eq!(used.take(None, "192.0.2.3", 1), Err(Refusal::Full), "the room of all is taken");
        assert_eq!(used.take(None, "192.0.2.1", 61), Ok(()), "the states have expired");
    }

    #[test]
    fn what_is_kept_of_networks_does_not_grow_for_ever() {
        let mut used = Record::default();
        for minute in 0..40 {
            for n in 0..9_000 {
                assert_eq!(used.take(None, &format!("2001:db8:{minute}:{n}::/64"), minute * 60), Ok(()));
            }
        }
        assert!(used.0.of_network.len() <= 2 * MAX_USED_OF_ANYBODY, "{}", used.0.of_network.len());
    }

    #[test]
    fn a_state_that_was_used_from_one_network_is_used_for_all() {
        let (sealer, unix) = (Sealer::new(None, ("s", "1"), Duration::from_secs(60), true), Duration::ZERO);
        let (arguments, name) = ("{}".to_owned(), "t".to_owned());
        let origin = Origin { arguments, method: "tools/call", name, principal: None };
        let sealed = sealer.seal(&origin, &RequestState::default(), unix).expect("a small state");
        let open = |network| sealer.open((&origin, network), &sealed, "{}", unix);
        open("192.0.2.1").expect("the first use");
        for network in ["192.0.2.1", "192.0.2.2", ""] {
            open(network).expect_err("a second use");
        }
    }
}
