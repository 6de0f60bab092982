//! Elicitation: what a server asks the person behind a client.

use serde::Deserialize;
use serde_json::{Map, Value};

/// What is asked of a person. Source: `ElicitRequestParams`.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicitation {
    /// A form, filled in inside the client. Never for secrets: those go to a URL.
    Form {
        /// Why it is asked.
        message: String,
        /// The JSON of `requestedSchema`.
        schema: String,
    },
    /// A page to be opened. What happens there never reaches the client.
    Url {
        /// `elicitationId`, which only 2025-11-25 sends.
        id: String,
        /// Why it should be opened.
        message: String,
        /// Where it is.
        url: String,
    },
}

/// What a person did about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// They filled in the form, or agreed to open the page.
    Accept,
    /// They said no.
    Decline,
    /// They went away without a word.
    Cancel,
}

impl ElicitAction {
    /// Returns the word of the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// The answer to an elicitation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ElicitResult {
    /// What the person did.
    pub action: ElicitAction,
    /// The filled-in form; only [`ElicitAction::Accept`] of a form has one.
    pub content: Option<Map<String, Value>>,
}

impl ElicitResult {
    /// Makes the answer of a person who filled in the form.
    pub fn accept(content: Map<String, Value>) -> Self {
        Self { action: ElicitAction::Accept, content: Some(content) }
    }

    /// Makes the answer of a person who agreed to open a page.
    pub fn agree() -> Self {
        Self { action: ElicitAction::Accept, content: None }
    }

    /// Makes the answer of a person who said no.
    pub fn decline() -> Self {
        Self { action: ElicitAction::Decline, content: None }
    }

    /// Makes the answer of a person who went away.
    pub fn cancel() -> Self {
        Self { action: ElicitAction::Cancel, content: None }
    }
}
