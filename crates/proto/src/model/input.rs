//! What a server asks of a client while it works on a request of that client, and what it is answered.

use super::{ClientCapability, CreateMessage, CreateMessageResult, ElicitResult, Elicitation, Root};

/// One question of a server.
#[derive(Clone, Debug)]
pub enum InputRequest {
    /// `elicitation/create`: for the person.
    Elicit(Elicitation),
    /// `roots/list`: for the client itself.
    ListRoots,
    /// `sampling/createMessage`: for the model.
    Sample(Box<CreateMessage>),
}

impl InputRequest {
    /// Returns which method asks it.
    pub const fn method(&self) -> InputMethod {
        match self {
            Self::Elicit(_) => InputMethod::Elicit,
            Self::ListRoots => InputMethod::ListRoots,
            Self::Sample(_) => InputMethod::Sample,
        }
    }

    /// Returns what a client has to have declared to be asked this.
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

/// The methods by which servers ask.
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
    /// Returns the method that the wire calls `text`.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Elicit, Self::ListRoots, Self::Sample].into_iter().find(|method| method.as_str() == text)
    }

    /// Returns the word of the wire.
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
    /// What the person did.
    Elicit(ElicitResult),
    /// Where the server may work.
    ListRoots(Vec<Root>),
    /// What the model said.
    Sample(Box<CreateMessageResult>),
}

/// A result that is none yet: the server has questions first. Source: `InputRequiredResult`.
#[derive(Clone, Debug, Default)]
pub struct InputRequired {
    /// Questions by key, in the order of the wire. None at all means: try again.
    pub requests: Vec<(String, InputRequest)>,
    /// What to send back with the answers, exactly as it is.
    pub state: Option<String>,
}
