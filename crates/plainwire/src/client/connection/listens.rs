//! Subscriptions of one connection. A modern server gets one `subscriptions/listen` for each, which stays
//! open. A legacy server gets one `resources/subscribe` for each URI, and reports changes of lists to all its
//! clients without a request.

use std::collections::{BTreeSet, HashMap};

use plainwire_proto::cursor::List;
use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::model::{Capabilities, SubscriptionFilter};
use plainwire_proto::peer::{Now, Peer, RequestKey, RequestOptions, SubscriptionNotice};
use plainwire_proto::revision::Feature;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::client::{AskToListen, Speaker};
use crate::error::{Error, Result};

/// The subscriptions to changes of the server, on one connection.
#[derive(Default)]
pub(super) struct Listens {
    /// The subscriptions that have not ended, by ticket: the client's number of the subscription.
    open: HashMap<u64, Listening>,
    /// The ticket of the subscription that a request belongs to, by the request's key. The requests are open
    /// `subscriptions/listen` and unanswered `resources/subscribe`.
    requests: HashMap<RequestKey, u64>,
}

/// One subscription to changes of the server.
struct Listening {
    /// The number of `resources/subscribe` requests that are not answered yet.
    due: usize,
    /// The changes that the server agreed to report.
    honoured: SubscriptionFilter,
    /// The peer's key of the open `subscriptions/listen` request; `None` at a legacy server.
    key: Option<RequestKey>,
    /// The channel to the caller that waits for the subscription to begin; `None` once it has begun.
    opened: Option<oneshot::Sender<Result<SubscriptionFilter>>>,
    options: RequestOptions,
    speaker: Speaker,
}

impl Listening {
    /// Reports to the waiting caller that the subscription has begun.
    fn begin(&mut self) {
        if let Some(opened) = self.opened.take() {
            let _ = opened.send(Ok(self.honoured.clone()));
        }
    }

    fn fail(self, error: Error) {
        if let Some(opened) = self.opened {
            let _ = opened.send(Err(error));
        }
    }
}

impl Listens {
    /// Begins a subscription: sends its requests. At a legacy server, a subscription that needs no
    /// `resources/subscribe` has begun at once.
    pub(super) fn begin(&mut self, ask: AskToListen, server: &Capabilities, peer: &mut Peer, now: Now) {
        let AskToListen { filter, opened, options, speaker, ticket } = ask;
        let mut listening = Listening {
            due: 0,
            honoured: SubscriptionFilter::default(),
            key: None,
            opened: Some(opened),
            options,
            speaker,
        };
        if !is_legacy(peer) {
            let key = peer.listen(&filter, now);
            self.requests.insert(key, ticket);
            listening.key = Some(key);
        } else {
            listening.honoured = honoured(filter, server);
            if !listening.honoured.resource_subscriptions.is_empty() {
                for uri in listening.speaker.uris() {
                    let key = peer.request("resources/subscribe", &of(uri), options, now);
                    self.requests.insert(key, ticket);
                    listening.due += 1;
                }
            }
            if listening.due == 0 {
                listening.begin();
            }
        }
        self.open.insert(ticket, listening);
    }

    /// Handles news from a modern server about the subscription that `request` opened: the subscription has
    /// begun or ended, or something has changed.
    pub(super) fn hear(&mut self, request: RequestKey, news: SubscriptionNotice, peer: &mut Peer, now: Now) {
        let Some(&ticket) = self.requests.get(&request) else { return };
        let Some(listening) = self.open.get_mut(&ticket) else { return };
        let listens = match news {
            SubscriptionNotice::Acknowledged(mut filter) => {
                if listening.opened.is_some() {
                    // The filter is kept: nothing in it that the program has not asked for, and nothing twice.
                    let (speaker, mut named) = (&listening.speaker, BTreeSet::new());
                    filter.resource_subscriptions.retain(|uri| speaker.has(uri) && named.insert(uri.clone()));
                    listening.honoured = filter;
                    listening.begin();
                }
                true
            }
            SubscriptionNotice::Ended => {
                let text = "expected the server to acknowledge the subscription, but it ended it";
                return self.fail(request, || Error::Rpc(Refusal::new(ErrorKind::InvalidRequest, text)));
            }
            SubscriptionNotice::ListChanged(list) => listening.speaker.tell_list(list),
            SubscriptionNotice::ResourceUpdated(uri) => listening.speaker.tell_resource(&uri),
        };
        if !listens {
            self.end(ticket, peer, now);
        }
    }

    /// Passes the change of a list of a legacy server to all subscriptions.
    pub(super) fn hear_list(&mut self, list: List, peer: &mut Peer, now: Now) {
        self.tell_all(peer, now, |speaker| speaker.tell_list(list));
    }

    /// Passes a change of the resource `uri` of a legacy server to all subscriptions.
    pub(super) fn hear_resource(&mut self, uri: &str, peer: &mut Peer, now: Now) {
        self.tell_all(peer, now, |speaker| speaker.tell_resource(uri));
    }

    fn tell_all(&mut self, peer: &mut Peer, now: Now, tell: impl Fn(&Speaker) -> bool) {
        let legacy = self.open.iter().filter(|(_, listening)| listening.key.is_none());
        let gone: Vec<u64> = legacy.filter(|(_, it)| !tell(&it.speaker)).map(|(&ticket, _)| ticket).collect();
        for ticket in gone {
            self.end(ticket, peer, now);
        }
    }

    /// Handles the answer to a `resources/subscribe`, or the error that ends a subscription. Returns the
    /// answer if the request belongs to no subscription, otherwise `None`.
    pub(super) fn settle<T>(
        &mut self,
        request: RequestKey,
        answer: Result<T>,
        peer: &mut Peer,
        now: Now,
    ) -> Option<Result<T>> {
        let Some(&ticket) = self.requests.get(&request) else { return Some(answer) };
        match answer {
            Ok(_) => {
                self.requests.remove(&request);
                if let Some(listening) = self.open.get_mut(&ticket) {
                    listening.due = listening.due.saturating_sub(1);
                    if listening.due == 0 {
                        listening.begin();
                    }
                }
            }
            Err(error) => {
                if let Some(listening) = self.end(ticket, peer, now) {
                    listening.fail(error);
                }
            }
        }
        None
    }

    /// Returns whether `request` is an open `subscriptions/listen` or an unanswered `resources/subscribe` of
    /// a subscription.
    #[cfg(feature = "http-client")]
    pub(super) fn has(&self, request: RequestKey) -> bool {
        self.requests.contains_key(&request)
    }

    /// After an interruption, subscribes again to the resources of a legacy server, and reports a change of
    /// everything that the subscriptions cover: changes may have been missed.
    pub(super) fn renewed(&mut self, peer: &mut Peer, now: Now) {
        for listening in self.open.values() {
            let filter = &listening.honoured;
            let lists = [
                (filter.prompts_list_changed, List::Prompts),
                (filter.resources_list_changed, List::Resources),
                (filter.tools_list_changed, List::Tools),
            ];
            for (_, list) in lists.into_iter().filter(|(is_subscribed, _)| *is_subscribed) {
                listening.speaker.tell_list(list);
            }
            for uri in &filter.resource_subscriptions {
                if listening.key.is_none() {
                    // The answer is ignored. If the server refuses, the change reported below is the last one
                    // of this resource.
                    peer.request("resources/subscribe", &of(uri), listening.options, now);
                }
                listening.speaker.tell_resource(uri);
            }
        }
    }

    /// Forgets the requests to a server that has ended. Subscriptions that had not begun fail.
    pub(super) fn interrupt(&mut self, why: &str) {
        self.requests.clear();
        let unopened: Vec<u64> =
            self.open.iter().filter(|(_, it)| it.opened.is_some()).map(|(&ticket, _)| ticket).collect();
        for listening in unopened.into_iter().filter_map(|ticket| self.open.remove(&ticket)) {
            // Not `Error::Closed`: the connection continues, so the caller may subscribe again.
            let what = "`subscriptions/listen`".to_owned();
            listening.fail(Error::OutcomeUnknown { what, why: why.to_owned() });
        }
    }

    /// Makes all subscriptions again at a restarted server.
    pub(super) fn restarted(&mut self, peer: &mut Peer, now: Now) {
        for (&ticket, listening) in self.open.iter_mut().filter(|(_, it)| it.key.is_some()) {
            let key = peer.listen(&listening.honoured, now);
            self.requests.insert(key, ticket);
            listening.key = Some(key);
        }
        self.renewed(peer, now);
    }

    /// Ends a subscription whose `Listen` the program has dropped.
    pub(super) fn unlisten(&mut self, ticket: u64, peer: &mut Peer, now: Now) {
        self.end(ticket, peer, now);
    }

    /// Ends all subscriptions, because the connection is over. Those that have not begun fail.
    pub(super) fn close(&mut self, why: &str) {
        self.requests.clear();
        for listening in std::mem::take(&mut self.open).into_values() {
            listening.fail(Error::Closed { why: why.to_owned() });
        }
    }

    /// Removes the subscription that `request` opened, because the server has ended it. If the subscription
    /// had not begun, its caller gets `error`.
    fn fail(&mut self, request: RequestKey, error: impl FnOnce() -> Error) {
        let ended = self.requests.remove(&request).and_then(|ticket| self.open.remove(&ticket));
        if let Some(listening) = ended {
            listening.fail(error());
        }
    }

    /// Ends a subscription, also at the server, and returns it. Resources that another subscription names
    /// stay subscribed.
    fn end(&mut self, ticket: u64, peer: &mut Peer, now: Now) -> Option<Listening> {
        let listening = self.open.remove(&ticket)?;
        self.requests.retain(|_, other| *other != ticket);
        if let Some(key) = listening.key {
            // The peer sends nothing if the server has already ended the subscription.
            peer.cancel(key, "the caller dropped the subscription");
        } else if !listening.honoured.resource_subscriptions.is_empty() {
            for uri in listening.speaker.uris() {
                if !self.open.values().any(|other| other.speaker.has(uri)) {
                    // The answer is ignored.
                    peer.request("resources/unsubscribe", &of(uri), listening.options, now);
                }
            }
        }
        Some(listening)
    }
}

/// Returns the part of `filter` that a legacy server reports changes for, according to its capabilities.
fn honoured(filter: SubscriptionFilter, server: &Capabilities) -> SubscriptionFilter {
    let reports = |name| server.is_on(name, "listChanged");
    let uris =
        if server.is_on("resources", "subscribe") { filter.resource_subscriptions } else { Vec::new() };
    SubscriptionFilter {
        prompts_list_changed: filter.prompts_list_changed && reports("prompts"),
        resource_subscriptions: uris,
        resources_list_changed: filter.resources_list_changed && reports("resources"),
        tools_list_changed: filter.tools_list_changed && reports("tools"),
    }
}

/// Returns whether the connection uses a revision with `resources/subscribe`.
pub(super) fn is_legacy(peer: &Peer) -> bool {
    peer.revision().is_some_and(|revision| revision.has(Feature::LegacySubscriptions))
}

/// Returns the `params` of a request about the resource `uri`.
fn of(uri: &str) -> String {
    format!(r#"{{"uri":{}}}"#, Value::from(uri))
}
