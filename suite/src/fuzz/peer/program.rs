//! State of the program that uses one engine: the requests that it has to answer, and the requests that it
//! has made.
//!
//! In: events of an engine. Out: a panic for an impossible event: a request that ends twice, a repeated key,
//! progress of a finished request.

use std::collections::BTreeMap;

use plainwire::proto::json::Span;
use plainwire::proto::peer::{CallKey, Event, Peer, Request, RequestKey, SubscriptionNotice};

use super::super::bytes::Bytes;
use super::ledger::Ledger;

/// State of the program on one side of the connection.
#[derive(Debug, Default)]
pub(super) struct ProgramState {
    /// Requests of the other side that the program has not ended yet, by key.
    pub(super) calls: BTreeMap<CallKey, Call>,
    pub(super) ledger: Ledger,
    /// Keys of finished requests of the other side, in the order in which they ended.
    over: Vec<CallKey>,
    /// For each question of this side, by its key: the call during which it was asked.
    questions: BTreeMap<RequestKey, CallKey>,
    /// All requests that this side has made, by key, and how each has ended.
    requests: BTreeMap<RequestKey, Fate>,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) cancelled: bool,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Listen,
    Other,
    Subscribe(String),
    Unsubscribe(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Open,
    /// This side has cancelled the request: no event names it any more.
    GivenUp,
    Ended,
}

impl ProgramState {
    /// Records a request that this side has made.
    pub(super) fn asked(&mut self, request: RequestKey) {
        assert_eq!(self.requests.insert(request, Fate::Open), None, "a key was given out twice");
    }

    /// Records a question that this side has asked during `call`.
    pub(super) fn asked_for(&mut self, call: CallKey, request: RequestKey) {
        self.questions.insert(request, call);
        self.asked(request);
    }

    /// Returns one of the six latest requests of this side, open or not.
    pub(super) fn some_request(&self, bytes: &mut Bytes<'_>) -> Option<RequestKey> {
        self.requests.keys().rev().nth(bytes.below(self.requests.len().min(6))).copied()
    }

    pub(super) fn gave_up(&mut self, request: RequestKey) {
        if let Some(fate @ Fate::Open) = self.requests.get_mut(&request) {
            *fate = Fate::GivenUp;
        }
    }

    /// Returns one of the open requests of the other side.
    pub(super) fn some_call(&self, bytes: &mut Bytes<'_>) -> Option<CallKey> {
        self.calls.keys().nth(bytes.below(self.calls.len())).copied()
    }

    /// Returns the key of one of the six requests of the other side that ended last.
    pub(super) fn some_old_call(&self, bytes: &mut Bytes<'_>) -> Option<CallKey> {
        self.over.iter().rev().nth(bytes.below(self.over.len().min(6))).copied()
    }

    /// Records that a request of the other side has ended.
    pub(super) fn close(&mut self, key: CallKey) {
        if self.calls.remove(&key).is_some() {
            self.over.push(key);
        }
    }

    /// Handles events that the engine reported when it received `frame`; `frame` is empty for events without
    /// one.
    pub(super) fn take(&mut self, events: impl IntoIterator<Item = Event>, frame: &str) {
        for event in events {
            match event {
                Event::Request { key, request, .. } => {
                    let call = Call { cancelled: false, kind: kind(request, frame) };
                    assert!(self.calls.insert(key, call).is_none(), "{key:?} was given out twice");
                }
                Event::Cancelled { key, .. } => self.cancelled(key),
                Event::Result { request, result } | Event::InputRequired { request, result } => {
                    assert!(result.text(frame).starts_with('{'), "{frame}");
                    self.ended(request);
                }
                Event::Failed { request, .. }
                | Event::SubscriptionNotice { request, news: SubscriptionNotice::Ended } => {
                    self.ended(request);
                }
                Event::SubscriptionNotice { request, .. } | Event::Progress { request, .. } => {
                    assert_eq!(self.requests.get(&request), Some(&Fate::Open), "news of {request:?}");
                }
                Event::Notification { method, .. } => assert!(method.string(frame).is_some(), "{frame}"),
                _ => {}
            }
        }
    }

    fn cancelled(&mut self, key: CallKey) {
        let call =
            self.calls.get_mut(&key).unwrap_or_else(|| panic!("{key:?} was cancelled and is not open"));
        assert!(!call.cancelled, "{key:?} was cancelled twice");
        call.cancelled = true;
        // A listen has no handler whose end would free its slot.
        if call.kind == Kind::Listen {
            self.close(key);
        }
    }

    fn ended(&mut self, request: RequestKey) {
        let fate = self.requests.get_mut(&request).unwrap_or_else(|| panic!("{request:?} was never made"));
        assert_eq!(*fate, Fate::Open, "{request:?} ended once more");
        *fate = Fate::Ended;
    }

    fn open_requests(&self) -> usize {
        self.requests.values().filter(|fate| **fate == Fate::Open).count()
    }

    /// Checks that the counters of the engine equal those of the program, except that the engine may wait for
    /// two requests of its own. Also checks that no question outlives the call during which it was asked.
    pub(super) fn check(&self, peer: &Peer) {
        let listens = self.calls.values().filter(|call| call.kind == Kind::Listen).count();
        assert_eq!(peer.listens(), listens);
        assert_eq!(peer.in_flight(), self.calls.len() - listens);
        for (request, call) in &self.questions {
            let is_open = self.calls.get(call).is_some_and(|call| !call.cancelled);
            assert!(
                is_open || self.requests[request] != Fate::Open,
                "{request:?} outlives what it was asked for"
            );
        }
        // Besides the program's requests, the engine waits for answers to its own handshake and ping.
        let open = self.open_requests();
        assert!((open..=open + 2).contains(&peer.waiting()), "{} of {open} are waited for", peer.waiting());
    }

    /// Checks that nothing is open after the end of the connection.
    pub(super) fn check_end(&self, peer: &Peer) {
        assert_eq!((peer.in_flight(), peer.listens(), peer.waiting()), (0, 0, 0));
        assert_eq!(self.open_requests(), 0, "requests of which nothing was heard");
    }
}

fn kind(request: Request, frame: &str) -> Kind {
    let string =
        |span: Span| span.string(frame).unwrap_or_else(|| panic!("no string in {frame}")).into_owned();
    match request {
        Request::Listen => Kind::Listen,
        Request::Subscribe { uri } => Kind::Subscribe(string(uri)),
        Request::Unsubscribe { uri } => Kind::Unsubscribe(string(uri)),
        Request::CallTool { name, arguments } | Request::GetPrompt { name, arguments } => {
            drop(string(name));
            assert!(arguments.is_none_or(|it| it.text(frame).starts_with('{')), "{frame}");
            Kind::Other
        }
        Request::ReadResource { uri: it } | Request::List { cursor: Some(it), .. } => {
            drop(string(it));
            Kind::Other
        }
        Request::List { cursor: None, .. } | Request::Complete { .. } | Request::Input { .. } => Kind::Other,
    }
}
