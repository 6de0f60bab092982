//! The open pages: web pages that a legacy server has asked the user to open, and has not reported as
//! complete yet.
//!
//! In: ids from questions and from errors, answers, and `notifications/elicitation/complete`. Out: whether
//! such a notification is passed to the program.

use std::collections::VecDeque;

use plainwire_proto::error::Error;
use plainwire_proto::model::{ElicitAction, Elicitation, InputRequest, InputResponse};
use plainwire_proto::peer::CallKey;
use serde::Deserialize;

use super::questions::QuestionOutcome;

/// The most open pages that are remembered. 64: as many as questions of one server at a time. A further page
/// replaces the oldest.
pub(super) const MAX_PAGES: usize = 64;

/// The most bytes of the id of a page that is remembered. 8 KiB: two hundred times more than a UUID.
const MAX_ID: usize = 8 << 10;

/// The code of the error that requires pages to be opened first.
///
/// Spec: 2025-11-25 `elicitation` "Error Handling", `URLElicitationRequiredError`.
const REQUIRED: i32 = -32042;

/// The ids of the open pages: those that the server has not reported as complete.
///
/// Spec: 2025-11-25 `elicitation` "Completion Notifications for URL Mode Elicitation": notifications with
/// unknown ids, or about pages that are already complete, must be ignored.
#[derive(Default)]
pub(super) struct Pages {
    /// The key of the question that asked for the page, and the id of the page, oldest first. A page from an
    /// error has no key.
    open: VecDeque<(Option<CallKey>, String)>,
}

impl Pages {
    /// Remembers the page of a question. The server may report the page as complete before the handler has
    /// answered, so the id is remembered here and not with the answer. [`Self::answered`] forgets it if the
    /// user refuses.
    pub(super) fn asked(&mut self, key: CallKey, question: &InputRequest) {
        if let InputRequest::Elicit(Elicitation::Url { id, .. }) = question {
            self.add(Some(key), id.clone());
        }
    }

    /// Forgets the page of a question that the user has not accepted.
    pub(super) fn answered(&mut self, key: CallKey, outcome: &QuestionOutcome) {
        let accepted = matches!(outcome, QuestionOutcome::Answered(Ok(InputResponse::Elicit(it))) if it.action == ElicitAction::Accept);
        if !accepted {
            self.open.retain(|(asked_by, _)| *asked_by != Some(key));
        }
    }

    /// Remembers the pages that an error of the server requires to be opened first.
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

    /// Forgets the page `id`, which the server reports as complete. Returns whether the page was open.
    pub(super) fn complete(&mut self, id: &str) -> bool {
        let before = self.open.len();
        self.open.retain(|(_, open)| open != id);
        self.open.len() < before
    }

    fn add(&mut self, key: Option<CallKey>, id: String) {
        if id.len() > MAX_ID {
            let found = id.len();
            return tracing::warn!(
                "the end of a page is not reported: expected `elicitationId` to have at most {MAX_ID} bytes, but \
                 found {found}"
            );
        }
        if self.open.len() >= MAX_PAGES {
            self.open.pop_front();
        }
        self.open.push_back((key, id));
    }
}

#[cfg(test)]
mod tests {
    use plainwire_proto::error::ErrorKind;

    use super::*;

    #[test]
    fn a_page_with_an_id_of_more_than_8_kib_is_not_remembered() {
        for (length, is_kept) in [(8 << 10, true), ((8 << 10) + 1, false)] {
            let id = "i".repeat(length);
            let data = serde_json::json!({ "code": REQUIRED, "message": "", "data": { "elicitations": [{ "elicitationId": id }] } });
            let mut pages = Pages::default();
            pages.refused(&Error::from_wire(&data.to_string(), "tools/call"));
            assert_eq!(pages.complete(&id), is_kept, "{length}");
        }
        let mut pages = Pages::default();
        pages.refused(&Error::new(ErrorKind::Internal, "another error"));
        assert!(!pages.complete(""));
    }
}
