//! Count of requests and answers on one side, from the frames alone.
//!
//! In: frames that one side received, and frames that it wrote. Out: a panic if an id was answered more often
//! than requested, if a written frame is no message, or at the end if an answer is missing. The count does
//! not use the engines' state; of their code it uses only the parser of ids.

use std::collections::BTreeMap;

use plainwire::proto::envelope::Id;

use super::super::json;

/// The requests that one side received, and its answers.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// The messages that this side received and the answers that it wrote, by id.
    asked: BTreeMap<Id, Asked>,
    /// Number of answers without an id that may still be written: one for each received frame, and one for
    /// each message in it.
    nameless: usize,
    /// Number of answers with an unexpected id that may still be written: one for each made-up frame, since
    /// its id is unknown here if it is not JSON.
    wild: usize,
}

#[derive(Debug, Default)]
struct Asked {
    /// Number of received messages with this id. An answer with an unexpected id also counts as one.
    heard: usize,
    /// Number of received requests with this id that must be answered.
    due: usize,
    /// Number of received cancellations of this id, whether or not it was in use.
    cancelled: usize,
    answered: usize,
}

/// Origin of a frame, known before it is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// An engine wrote the frame, and its requests will be answered.
    Answerable,
    /// An engine wrote the frame, but this side need not answer the requests in it: because of its revision,
    /// or because it refuses the batch.
    Refusable,
    /// The fuzzer made the frame up.
    Noise,
}

impl Ledger {
    /// Records a frame that this side receives.
    pub(super) fn hear(&mut self, frame: &str, origin: Origin) {
        self.nameless += 1;
        self.wild += usize::from(origin == Origin::Noise);
        for message in json::messages(frame) {
            self.nameless += 1;
            let Some(members) = json::members(&message) else { continue };
            self.hear_message(&members, origin);
        }
    }

    fn hear_message(&mut self, members: &[(String, String)], origin: Origin) {
        let id = json::last(members, "id").and_then(Id::parse);
        let method = json::last(members, "method").and_then(json::string);
        if let Some(id) = id {
            let asked = self.asked.entry(id).or_default();
            asked.heard += 1;
            asked.due += usize::from(method.is_some() && origin == Origin::Answerable);
        }
        let target = match method.as_deref() {
            Some("notifications/cancelled") => "requestId",
            Some("$/cancelRequest") => "id",
            _ => return,
        };
        let params = json::last(members, "params").and_then(json::members).unwrap_or_default();
        if let Some(id) = json::last(&params, target).and_then(Id::parse) {
            self.asked.entry(id).or_default().cancelled += 1;
        }
    }

    /// Records a frame that this side writes, and returns the numbers of requests and of answers in it.
    pub(super) fn say(&mut self, frame: &str) -> (usize, usize) {
        assert!(json::is_json(frame) && !frame.contains(['\n', '\r']), "{frame:?}");
        let (mut requests, mut answers) = (0, 0);
        for message in json::messages(frame) {
            let members = json::members(&message).unwrap_or_else(|| panic!("no object: {frame}"));
            let get = |name| json::last(&members, name);
            assert_eq!(get("jsonrpc"), Some("\"2.0\""), "{frame}");
            let id = get("id").map(|id| (id, Id::parse(id)));
            match (get("method"), get("result"), get("error")) {
                (Some(method), None, None) => {
                    assert!(json::string(method).is_some() && id.is_none_or(|it| it.1.is_some()), "{frame}");
                    assert!(get("params").is_none_or(|it| it.starts_with('{')), "{frame}");
                    requests += usize::from(get("id").is_some());
                }
                (None, Some(_), None) => {
                    answers += 1;
                    self.answer(id.and_then(|it| it.1).unwrap_or_else(|| panic!("no id: {frame}")), frame);
                }
                (None, None, Some(error)) => {
                    answers += 1;
                    assert!(error.starts_with('{'), "{frame}");
                    match id {
                        None | Some(("null", _)) => self.answer_nobody(frame),
                        Some((_, id)) => self.answer(id.unwrap_or_else(|| panic!("no id: {frame}")), frame),
                    }
                }
                _ => panic!("no message: {frame}"),
            }
        }
        (requests, answers)
    }

    fn answer(&mut self, id: Id, frame: &str) {
        let asked = self.asked.entry(id).or_default();
        asked.answered += 1;
        if asked.answered > asked.heard {
            asked.heard += 1;
            assert!(self.wild > 0, "answered more often than asked: {frame}");
            self.wild -= 1;
        }
    }

    fn answer_nobody(&mut self, frame: &str) {
        assert!(self.nameless > 0, "answered more often than asked: {frame}");
        self.nameless -= 1;
    }

    /// Checks that every request was answered or cancelled.
    pub(super) fn settle(&self, whose: &str) {
        for (id, asked) in &self.asked {
            assert!(asked.answered + asked.cancelled >= asked.due, "{whose} left {id} open: {asked:?}");
        }
    }
}
