//! The answer of a user to a question: accepted with a value, declined, or cancelled.
//!
//! In: the client's `ElicitResult`. Out: an [`Answer`]. Asking is done by [`crate::Context`].

use plainwire_proto::model::{ElicitAction, ElicitResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::server::result::ToolError;

/// The answer of a user to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a person may have said no"]
pub enum Answer<T> {
    /// The user filled in the form, or agreed to open the page.
    Accepted(T),
    /// The user declined.
    Declined,
    /// The user closed the question without an answer.
    Cancelled,
}

impl<T> Answer<T> {
    /// Returns the accepted value.
    ///
    /// # Errors
    /// An error with the code `declined` or `cancelled`, and a message for the model.
    pub fn accepted(self) -> Result<T, ToolError> {
        match self {
            Self::Accepted(value) => Ok(value),
            Self::Declined => Err(ToolError::new("declined", "the user declined")),
            Self::Cancelled => Err(ToolError::new("cancelled", "the user closed the question unanswered")),
        }
    }

    /// Returns the accepted value, or `None` if the user declined or cancelled.
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Accepted(value) => Some(value),
            Self::Declined | Self::Cancelled => None,
        }
    }

    /// Converts the client's result into an answer; `read` converts the result of a user who accepted.
    ///
    /// # Errors
    /// The error of `read`.
    pub(crate) fn of<E>(
        result: ElicitResult,
        read: impl FnOnce(ElicitResult) -> Result<T, E>,
    ) -> Result<Self, E> {
        match result.action {
            ElicitAction::Accept => read(result).map(Self::Accepted),
            ElicitAction::Cancel => Ok(Self::Cancelled),
            ElicitAction::Decline => Ok(Self::Declined),
        }
    }
}

/// A form without fields, to ask for a yes: `ctx.elicit::<Confirm>("sure", "Delete it?")`.
///
/// Some clients show such a form badly. For them ask for a `bool`, which is a form with one field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Confirm {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_no_from_nothing() {
        assert_eq!(Answer::Accepted(1).accepted().expect("a value"), 1);
        assert_eq!(Answer::<u8>::Declined.accepted().expect_err("a no").code(), "declined");
        assert_eq!(Answer::<u8>::Cancelled.accepted().expect_err("nothing").code(), "cancelled");
        assert_eq!(Answer::<u8>::Declined.into_option(), None);
    }
}
