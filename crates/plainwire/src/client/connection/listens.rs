//! Subscriptions of a connection: one request that stays open, or what older servers have instead of it.

use std::collections::HashMap;

use plainwire_proto::cursor::List;
use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::model::{Capabilities, SubscriptionFilter};
use plainwire_proto::peer::{News, Now, Peer, RequestKey, RequestOptions};
use plainwire_proto::revision::Feature;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::client::{AskToListen, Speaker};
use crate::error::{Error, Result};

#[derive(Default)]
pub(super) struct Listens {
    /// By ticket.
    open: HashMap<u64, Listening>,
    /// Which subscription a request belongs to: the one that stays open, or one `resources/subscribe`.
    requests: HashMap<RequestKey, u64>,
}

struct Listening {
    /// `resources/subscribe` that are not answered yet.
    due: usize,
    honoured: SubscriptionFilter,
    /// The request that stays open; legacy servers have none.
    key: Option<RequestKey>,
    /// Who waits for the beginning.
    opened: Option<oneshot::Sender<Result<SubscriptionFilter>>>,
    options: RequestOptions,
    speaker: Speaker,
}

impl Listening {
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

    /// Takes what a subscription hears.
    pub(super) fn hear(&mut self, request: RequestKey, news: News, peer: &mut Peer, now: Now) {
        let Some(&ticket) = self.requests.get(&request) else { return };
        let Some(listening) = self.open.get_mut(&ticket) else { return };
        let listens = match news {
            News::Acknowledged(filter) => {
                if listening.opened.is_some() {
                    listening.honoured = filter;
                    listening.begin();
                }
                true
            }
            News::Ended => {
                let text = "expected the server to acknowledge the subscription, but it ended it";
                return self.fail(request, || Error::Rpc(Refusal::new(ErrorKind::InvalidRequest, text)));
            }
            News::ListChanged(list) => listening.speaker.tell_list(list),
            News::ResourceUpdated(uri) => listening.speaker.tell_resource(&uri),
        };
        if !listens {
            self.end(ticket, peer, now);
        }
    }

    /// Takes what a legacy server says to everybody about a list.
    pub(super) fn hear_list(&mut self, list: List, peer: &mut Peer, now: Now) {
        self.tell_all(peer, now, |speaker| speaker.tell_list(list));
    }

    /// As [`Self::hear_list`], about a resource.
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

    /// Takes the answer to a `resources/subscribe`, or the error that ends a subscription. Returns what is not ours.
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

    /// Whether a request belongs to a subscription.
    #[cfg(feature = "http-client")]
    pub(super) fn has(&self, request: RequestKey) -> bool {
        self.requests.contains_key(&request)
    }

    /// Subscribes again, and tells of everything that was subscribed: nobody knows what has changed in between.
    pub(super) fn renewed(&mut self, peer: &mut Peer, now: Now) {
        for listening in self.open.values() {
            let heard = &listening.honoured;
            let lists = [
                (heard.prompts_list_changed, List::Prompts),
                (heard.resources_list_changed, List::Resources),
                (heard.tools_list_changed, List::Tools),
            ];
            for (_, list) in lists.into_iter().filter(|(is_heard, _)| *is_heard) {
                listening.speaker.tell_list(list);
            }
            for uri in &heard.resource_subscriptions {
                if listening.key.is_none() {
                    // Its answer says nothing new: a server that refuses it now has told of the last change.
                    peer.request("resources/subscribe", &of(uri), listening.options, now);
                }
                listening.speaker.tell_resource(uri);
            }
        }
    }

    /// Forgets what was asked of a server that is gone; what had not begun fails.
    pub(super) fn interrupt(&mut self, why: &str) {
        self.requests.clear();
        let unborn: Vec<u64> =
            self.open.iter().filter(|(_, it)| it.opened.is_some()).map(|(&ticket, _)| ticket).collect();
        for listening in unborn.into_iter().filter_map(|ticket| self.open.remove(&ticket)) {
            // The connection goes on: whoever keeps listening may try again.
            let what = "`subscriptions/listen`".to_owned();
            listening.fail(Error::OutcomeUnknown { what, why: why.to_owned() });
        }
    }

    /// Begins everything again at a server that has just begun itself.
    pub(super) fn restarted(&mut self, peer: &mut Peer, now: Now) {
        for (&ticket, listening) in self.open.iter_mut().filter(|(_, it)| it.key.is_some()) {
            let key = peer.listen(&listening.honoured, now);
            self.requests.insert(key, ticket);
            listening.key = Some(key);
        }
        self.renewed(peer, now);
    }

    /// Ends a subscription from here.
    pub(super) fn unlisten(&mut self, ticket: u64, peer: &mut Peer, now: Now) {
        self.end(ticket, peer, now);
    }

    /// Ends all of them: the connection is over.
    pub(super) fn close(&mut self, why: &str) {
        self.requests.clear();
        for listening in std::mem::take(&mut self.open).into_values() {
            listening.fail(Error::Closed { why: why.to_owned() });
        }
    }

    /// Takes note that the server has ended the subscription `request`.
    fn fail(&mut self, request: RequestKey, error: impl FnOnce() -> Error) {
        let ended = self.requests.remove(&request).and_then(|ticket| self.open.remove(&ticket));
        if let Some(listening) = ended {
            listening.fail(error());
        }
    }

    /// Ends a subscription and tells the server. What another one still wants to hear stays subscribed.
    fn end(&mut self, ticket: u64, peer: &mut Peer, now: Now) -> Option<Listening> {
        let listening = self.open.remove(&ticket)?;
        self.requests.retain(|_, other| *other != ticket);
        if let Some(key) = listening.key {
            // Nothing is sent if the server has ended it already.
            peer.cancel(key, "nobody listens any more");
        } else if !listening.honoured.resource_subscriptions.is_empty() {
            for uri in listening.speaker.uris() {
                if !self.open.values().any(|other| other.speaker.has(uri)) {
                    // Nobody waits for the answer.
                    peer.request("resources/unsubscribe", &of(uri), listening.options, now);
                }
            }
        }
        Some(listening)
    }
}

/// What a legacy server tells of `filter`: it says so in its capabilities.
fn honoured(filter: SubscriptionFilter, server: &Capabilities) -> SubscriptionFilter {
    let tells = |name| server.is_on(name, "listChanged");
    let uris =
        if server.is_on("resources", "subscribe") { filter.resource_subscriptions } else { Vec::new() };
    SubscriptionFilter {
        prompts_list_changed: filter.prompts_list_changed && tells("prompts"),
        resource_subscriptions: uris,
        resources_list_changed: filter.resources_list_changed && tells("resources"),
        tools_list_changed: filter.tools_list_changed && tells("tools"),
    }
}

pub(super) fn is_legacy(peer: &Peer) -> bool {
    peer.revision().is_some_and(|revision| revision.has(Feature::LegacySubscriptions))
}

fn of(uri: &str) -> String {
    format!(r#"{{"uri":{}}}"#, Value::from(uri))
}
