//! Who owes an answer to whom, told from the frames alone.
//!
//! In: frames that reached one side, and frames that this side wrote. Out: a panic when an id was answered more often than
//! it was asked, when what was written is no message, and at the end when an answer is missing. Nothing here asks the
//! engines; only ids are read by their code.

use std::collections::BTreeMap;

use plainwire::proto::envelope::Id;

use super::super::json;

/// The requests to one side, and its answers.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    asked: BTreeMap<Id, Asked>,
    /// Answers without an id that may be written: one for each frame or message that came in.
    nameless: usize,
    /// Answers with any id that may be written: one for each frame that may have been no JSON.
    wild: usize,
}

#[derive(Debug, Default)]
struct Asked {
    /// How often something with this id came in.
    heard: usize,
    /// How often it was a request that has to be answered.
    due: usize,
    /// How often it was cancelled, whether or not it was there.
    cancelled: usize,
    answered: usize,
}

/// What is known of a frame before it is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// An engine wrote it, and its requests will be answered.
    Answerable,
    /// An engine wrote it, but this side does not answer it in its revision.
    Refusable,
    /// Somebody made it up.
    Noise,
}

impl Ledger {
    /// Takes note of a frame that reaches this side.
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

    /// Takes note of a frame that this side writes, and returns how many requests and how many answers are in it.
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

    /// Everything that was asked is answered or was cancelled.
    pub(super) fn settle(&self, whose: &str) {
        for (id, asked) in &self.asked {
            assert!(asked.answered + asked.cancelled >= asked.due, "{whose} left {id} open: {asked:?}");
        }
    }
}
