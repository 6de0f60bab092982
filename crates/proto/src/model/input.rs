//! Questions of a server to its client while a request of that client is in flight, and their answers.

use super::{ClientCapability, CreateMessage, CreateMessageResult, ElicitResult, Elicitation, Root};

/// One question of a server to its client.
#[derive(Clone, Debug)]
pub enum InputRequest {
    /// `elicitation/create`: a question to the user.
    Elicit(Elicitation),
    /// `roots/list`: a question to the client program for the directories and files that the server may work
    /// in.
    ListRoots,
    /// `sampling/createMessage`: a question to a model of the client.
    Sample(Box<CreateMessage>),
}

impl InputRequest {
    /// Returns the method with which this question is asked.
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

/// The methods with which a server asks its client questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputMethod {
    /// `elicitation/create`, a question to the user.
    Elicit,
    /// `roots/list`, a question for directories and files.
    ListRoots,
    /// `sampling/createMessage`, a question to a model.
    Sample,
}

impl InputMethod {
    /// Returns the method of questions with the name `text`; `None` if `text` is no such method.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Elicit, Self::ListRoots, Self::Sample].into_iter().find(|method| method.as_str() == text)
    }

    /// Returns the method's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Elicit => "elicitation/create",
            Self::ListRoots => "roots/list",
            Self::Sample => "sampling/createMessage",
        }
    }
}

/// The answer of a client to a question of its server.
#[derive(Clone, Debug)]
pub enum InputResponse {
    /// The answer to `elicitation/create`: the user's.
    Elicit(ElicitResult),
    /// The answer to `roots/list`: the directories and files that the server may work in.
    ListRoots(Vec<Root>),
    /// The answer to `sampling/createMessage`: the model's.
    Sample(Box<CreateMessageResult>),
}

/// A result with which a server asks questions instead of answering the request. Source:
/// `InputRequiredResult`.
#[derive(Clone, Debug, Default)]
pub struct InputRequired {
    /// The questions, each with the key under which the client answers it, in the order of the wire. If there
    /// are none, the client repeats the request with the state alone.
    pub requests: Vec<(String, InputRequest)>,
    /// The state of the server, which the client sends back unchanged when it repeats the request; `None` if
    /// there is none.
    pub state: Option<String>,
}
