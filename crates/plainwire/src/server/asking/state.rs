//! What a call leaves with its client between two rounds: answers, results of steps, open questions.
//!
//! In: what the last round ended with. Out: sealed text for `requestState`; and back, for the round that follows.
//! A state from anywhere else is refused with one and the same sentence; only the log says why.

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
use crate::server::context::Principal;

/// What seals and opens the states of a server.
pub(crate) struct Sealer {
    keys: SealingKeys,
    server: String,
    /// How long a state is good for.
    ttl: Duration,
    /// The states that were used, if each may be used once.
    used: Option<Mutex<UsedStates>>,
    version: String,
}

/// States that a server remembers as used: some MiB.
const MAX_USED: usize = 100_000;

/// The request that a state belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) arguments: String,
    pub(crate) method: &'static str,
    pub(crate) name: String,
    pub(crate) principal: Option<Arc<Principal>>,
}

/// What is kept from one round to the next.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// Questions that the client was sent and that are not answered yet.
    pub(super) asked: HashMap<String, Question>,
    /// What is known already.
    pub(super) kept: HashMap<String, Kept>,
    /// How many rounds there were.
    #[serde(default)]
    pub(super) rounds: usize,
    /// For digests: nobody outside knows it, so that nobody can aim at two questions with the same digest.
    #[serde(with = "bytes")]
    pub(super) salt: [u8; 32],
    /// Answers that came without a state. Never sent: what was asked in the meantime is in `kept`.
    #[serde(skip)]
    pub(super) unasked: HashMap<String, RawJson>,
}

/// What makes a question the same question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Question {
    #[serde(with = "bytes")]
    pub(super) digest: [u8; 16],
    #[serde(with = "method")]
    pub(super) method: InputMethod,
}

/// Something that needs no second time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    /// What was asked; none for a step.
    pub(super) question: Option<Question>,
    pub(super) value: RawJson,
}

/// A state that came back, and the answers that came with it.
#[derive(Debug)]
pub(crate) struct Carried {
    responses: HashMap<String, RawJson>,
    state: State,
}

impl Sealer {
    /// Makes the sealer of a server. Without `keys` it makes one of its own, which nobody else has.
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
            used: single_use.then(|| Mutex::new(UsedStates::new(MAX_USED))),
            version: version.to_owned(),
        }
    }

    /// Seals a state.
    ///
    /// # Errors
    /// `Internal` for one that is too large to be sent around.
    pub(super) fn seal(&self, origin: &Origin, state: &State, unix: Duration) -> Result<String, Error> {
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

    /// Opens a state and takes the answers that its questions got; other answers are ignored.
    ///
    /// # Errors
    /// `InvalidParams` for a state that is not good here and now, and for answers that are none.
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
        let state: State = serde_json::from_str(&opened.body).map_err(|_| refused(Refusal::Malformed))?;
        let mut taken = HashMap::new();
        for (key, response) in codec::members(responses).unwrap_or_default() {
            if let Some(question) = state.asked.get(&key) {
                codec::read_input_response(question.method, response.get()).map_err(|error| {
                    error.clone().saying(format!("`inputResponses.{key}`: {}", error.message()))
                })?;
                taken.insert(key, response);
            }
        }
        // Last: a client whose answer was malformed may send a better one.
        if let Some(used) = &self.used {
            used.lock().unwrap_or_else(PoisonError::into_inner).take(&opened, unix).map_err(refused)?;
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
    /// Takes answers that came without a state. A client may know what it will be asked; its answers are no more worth of
    /// trust after a question than before it, and a state protects what is not theirs.
    pub(crate) fn unasked(responses: &str) -> Self {
        let unasked = codec::members(responses).unwrap_or_default().into_iter().collect();
        Self { responses: HashMap::new(), state: State { unasked, ..State::fresh() } }
    }

    /// What is known and what is open at the beginning of the round.
    ///
    /// All answers are kept, not only those that this round gets to: nobody wants to be asked twice.
    pub(super) fn into_state(self) -> State {
        let Self { responses, mut state } = self;
        for (key, value) in responses {
            if let Some(question) = state.asked.remove(&key) {
                state.kept.insert(key, Kept { question: Some(question), value });
            }
        }
        state
    }
}

impl State {
    /// A state of a call that has none yet.
    pub(super) fn fresh() -> Self {
        Self { salt: random::bytes(), ..Self::default() }
    }

    /// What makes a question of `method` with `params` the same question again.
    pub(super) fn question(&self, method: InputMethod, params: &str) -> Question {
        Question { digest: plainwire_proto::seal::digest(&self.salt, params), method }
    }
}

/// Bytes as text, which is a third of what they are as numbers.
mod bytes {
    use plainwire_proto::base64;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<const N: usize, S: Serializer>(
        bytes: &[u8; N],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&base64::encode_url(bytes))
    }

    pub(super) fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; N], D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = base64::decode_url(&text).and_then(|bytes| bytes.try_into().ok());
        bytes.ok_or_else(|| D::Error::custom("expected bytes in base64"))
    }
}

/// The word of the wire for a method.
mod method {
    use plainwire_proto::model::InputMethod;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(method: &InputMethod, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(method.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<InputMethod, D::Error> {
        let text = String::deserialize(deserializer)?;
        InputMethod::parse(&text).ok_or_else(|| D::Error::custom("expected a method that asks"))
    }
}
