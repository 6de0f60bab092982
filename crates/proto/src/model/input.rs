//! Questions of a server to its client while a request of that client is in flight, and their answers.

use super::{ClientCapability, CreateMessage, CreateMessageResult, ElicitResult, Elicitation, Root};

/// One question of a server.
#[derive(Clone, Debug)]
pub enum InputRequest {
    /// `elicitation/create`: a question to the user.
    Elicit(Elicitation),
    /// `roots/list`: a question to the client program, for the directories and files that the server may work
    /// in.
    ListRoots,
    /// `sampling/createMessage`: a question to the model.
    Sample(Box<CreateMessage>),
}

impl InputRequest {
    /// Returns the method that asks this question.
    pub const fn method(&self) -> InputMethod {
        match self {
            Self::Elicit(_) => InputMethod::Elicit,
            Self::ListRoots => InputMethod::ListRoots,
            Self::Sample(_) => InputMethod::Sample,
        }
    }

    /// Returns the capability that the client must have declared for this question.
    pub fn requires(&self) -> ClientCapability {
        match self {
            Self::Elicit(Elicitation::Form { .. }) => ClientCapability::Elicitation,
            Self::Elicit(Elicitation::Url { .. }) => ClientCapability::ElicitationUrl,
            Self::ListRoots => ClientCapability::Roots,
            Self::Sample(it) if it.uses_tools() => ClientCapability::SamplingTools,
            Self::Sample(_) => ClientCapability::Sampling,
        }
    }
}

/// The methods of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputMethod {
    /// `elicitation/create`
    Elicit,
    /// `roots/list`
    ListRoots,
    /// `sampling/createMessage`
    Sample,
}

impl InputMethod {
    /// Returns the method with the name `text`; `None` if questions have no such method.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Elicit, Self::ListRoots, Self::Sample].into_iter().find(|method| method.as_str() == text)
    }

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Elicit => "elicitation/create",
            Self::ListRoots => "roots/list",
            Self::Sample => "sampling/createMessage",
        }
    }
}

/// The answer to a question of a server.
#[derive(Clone, Debug)]
pub enum InputResponse {
    /// The user's answer.
    Elicit(ElicitResult),
    /// The directories and files that the server may work in.
    ListRoots(Vec<Root>),
    /// The model's answer.
    Sample(Box<CreateMessageResult>),
}

/// A result that asks questions instead of giving an answer. Source: `InputRequiredResult`.
#[derive(Clone, Debug, Default)]
pub struct InputRequired {
    /// The questions by key, in the order of the wire. If there are none, the client repeats the request with
    /// the state alone.
    pub requests: Vec<(String, InputRequest)>,
    /// The state to send back with the answers, unchanged; `None` if there is none.
    pub state: Option<String>,
}
