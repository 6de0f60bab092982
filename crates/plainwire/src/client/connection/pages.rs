//! Pages that a legacy server has asked a person to open: the end of which of them is worth a notice.
//!
//! In: the ids of questions and of refusals, answers, `notifications/elicitation/complete`. Out: whether to hand it on.

use std::collections::VecDeque;

use plainwire_proto::error::Error;
use plainwire_proto::model::{ElicitAction, Elicitation, InputRequest, InputResponse};
use plainwire_proto::peer::CallKey;
use serde::Deserialize;

use super::questions::End;

/// Pages that may still end. 64, as many as questions at a time; the oldest is forgotten for one more.
pub(super) const MAX_PAGES: usize = 64;

/// Spec: 2025-11-25 `elicitation` "Error Handling", `URLElicitationRequiredError`.
const REQUIRED: i32 = -32042;

/// Spec: 2025-11-25 `elicitation` "Completion Notifications for URL Mode Elicitation": unknown ids and those of pages
/// that have ended already must be ignored.
#[derive(Default)]
pub(super) struct Pages {
    /// Oldest first, with the request that asked for it.
    open: VecDeque<(Option<CallKey>, String)>,
}

impl Pages {
    /// Takes note of a question. A page may end before its person has said that it is open, so that this is where its
    /// id becomes known; [`Self::answered`] forgets it if they refuse.
    pub(super) fn asked(&mut self, key: CallKey, question: &InputRequest) {
        if let InputRequest::Elicit(Elicitation::Url { id, .. }) = question {
            self.add(Some(key), id.clone());
        }
    }

    /// Takes the end of a question.
    pub(super) fn answered(&mut self, key: CallKey, end: &End) {
        let accepted =
            matches!(end, End::Answered(Ok(InputResponse::Elicit(it))) if it.action == ElicitAction::Accept);
        if !accepted {
            self.open.retain(|(asked_by, _)| *asked_by != Some(key));
        }
    }

    /// Takes an error of the server: one that wants pages opened first names them.
    pub(super) fn refused(&mut self, error: &Error) {
        #[derive(Deserialize)]
        struct Required {
            elicitations: Vec<Page>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Page {
            elicitation_id: String,
        }
        let data = error.data().filter(|_| error.received_code() == Some(REQUIRED));
        let required = data.and_then(|data| serde_json::from_str::<Required>(data).ok());
        for page in required.into_iter().flat_map(|it| it.elicitations) {
            self.add(None, page.elicitation_id);
        }
    }

    /// Returns whether the page `id` was open until now.
    pub(super) fn complete(&mut self, id: &str) -> bool {
        let before = self.open.len();
        self.open.retain(|(_, open)| open != id);
        self.open.len() < before
    }

    fn add(&mut self, key: Option<CallKey>, id: String) {
        if self.open.len() >= MAX_PAGES {
            self.open.pop_front();
        }
        self.open.push_back((key, id));
    }
}
