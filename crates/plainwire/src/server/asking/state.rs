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
use plainwire_proto::seal::{Binding, Refusal, SealingKeys, UsedStates};
use serde::{Deserialize, Serialize};

use crate::runtime::random;
use crate::server::principal::Principal;

/// The part of a server that seals and opens its request state (`requestState`).
pub(crate) struct Sealer {
    keys: SealingKeys,
    server: String,
    /// The time for which a sealed state is valid.
    ttl: Duration,
    /// The states used so far, by the name of the principal; `None` if a state may be used more than once.
    used: Option<Mutex<HashMap<Option<String>, UsedStates>>>,
    version: String,
}

/// The number of used states of one principal that a server remembers, about 1 MiB: one principal can't use up
/// what others need.
const MAX_USED: usize = 10_000;

/// The number of used states of callers without a principal, who can't be told apart here.
const MAX_USED_OF_ANYBODY: usize = 100_000;

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
                "expected what is kept between rounds to take at most {limit} bytes (limit `request_state`), but \
                 found {} before it was sealed",
                body.len()
            );
            Error::new(ErrorKind::Internal, text)
        })
    }

    /// Opens `state`, and takes the answers to its open questions from `responses`. Answers to other
    /// questions are ignored. `unix` is the present time since 1970.
    ///
    /// # Errors
    /// `InvalidParams` for a state that is invalid, expired, already used or of another request, and for
    /// malformed answers.
    pub(crate) fn open(
        &self,
        origin: &Origin,
        state: &str,
        responses: &str,
        unix: Duration,
    ) -> Result<Carried, Error> {
        let refused = |refusal: Refusal| {
            let name = shorten(&origin.name);
            tracing::warn!("refused a request state of {} {name:?}: {refusal}", origin.method);
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
            let principal = origin.principal.as_ref().map(|principal| principal.name.clone());
            let most = if principal.is_some() { MAX_USED } else { MAX_USED_OF_ANYBODY };
            let mut used = used.lock().unwrap_or_else(PoisonError::into_inner);
            let used = used.entry(principal).or_insert_with(|| UsedStates::new(most));
            used.take(&opened, unix).map_err(refused)?;
        }
        Ok(Carried { responses: taken, state })
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

    #[test]
    fn each_principal_may_use_10000_states_and_all_callers_without_one_100000() {
        let sealer = Sealer::new(None, ("s", "1"), Duration::from_secs(60), true);
        let unix = Duration::from_secs(1);
        let origin = |name: Option<&str>| Origin {
            arguments: "{}".to_owned(),
            method: "tools/call",
            name: "t".to_owned(),
            principal: name.map(|name| Arc::new(Principal { name: name.to_owned() })),
        };
        let used = |origin: &Origin| {
            let sealed = sealer.seal(origin, &RequestState::default(), unix).expect("a small state");
            sealer.open(origin, &sealed, "{}", unix).map(drop)
        };
        for (caller, room) in [(origin(Some("ada")), 10_000), (origin(None), 100_000)] {
            for _ in 0..room {
                used(&caller).expect("room");
            }
            used(&caller).expect_err("no room");
        }
        used(&origin(Some("bob"))).expect("room of his own");
    }
}
