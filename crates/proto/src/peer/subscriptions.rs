//! The subscriptions of the clients of a server: legacy subscriptions, `subscriptions/listen`, and the change
//! notifications sent for both.
//!
//! In: the subscriptions that the program accepts, and changes. Out: acknowledgements, notifications, and the
//! results that end listens. The program decides which resources exist, and reports when they change. A
//! *listen* is a `subscriptions/listen` request. It stays in the in-flight table until one side ends it, so
//! that it can be cancelled, but does not count as in flight.

use std::collections::{BTreeMap, BTreeSet};

use super::inbound::{Answer, Open};
use super::server::request_meta;
use super::{CallKey, Event, Peer, Request, Role, Route, Transmit, TransmitKind};
use crate::codec;
use crate::cursor::List;
use crate::envelope::{self, Id, Params};
use crate::error::{Error, ErrorKind};
use crate::json::write::Object;
use crate::model::{Capabilities, SubscriptionFilter};
use crate::revision::Revision;

/// A change that clients can subscribe to: the entries of a list, or the contents of a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// The entries of a list have changed. A change of resource templates is reported as a change of
    /// resources.
    List(List),
    /// The contents of the resource with this URI have changed.
    Resource(String),
}

/// Largest size of the URI of a subscription, in bytes. 8 KiB: what web servers accept as a URL.
const MAX_URI: usize = 8 << 10;

/// The key in `_meta` under which the notifications and the final result of a `subscriptions/listen` request
/// carry the id of this request.
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The changes that the client of one connection is notified of.
///
/// Invariant: `watched` has, for each URI, the number of its appearances in `legacy` and in accepted
/// `listens`; `uris` is the sum of these numbers.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    /// Number of changes so far to the set of notifications that the client gets.
    pub(super) generation: u64,
    /// The URIs of the resources that the legacy session subscribes to.
    pub(super) legacy: BTreeSet<Box<str>>,
    /// The `subscriptions/listen` requests, accepted or not, by key.
    listens: BTreeMap<CallKey, Listen>,
    uris: usize,
    watched: BTreeMap<Box<str>, u32>,
}

/// A `subscriptions/listen` request. States: requested, while the program has not accepted it; then `open`,
/// until it is cancelled or ended.
#[derive(Debug)]
struct Listen {
    filter: SubscriptionFilter,
    id: Id,
    open: bool,
}

impl Subscriptions {
    /// Adds a `subscriptions/listen` request that the program has not accepted yet. A URI that its filter
    /// names twice counts once.
    pub(super) fn want(&mut self, key: CallKey, id: &Id, mut filter: SubscriptionFilter) {
        let mut seen = BTreeSet::new();
        filter.resource_subscriptions.retain(|uri| seen.insert(uri.clone()));
        self.listens.insert(key, Listen { filter, id: id.clone(), open: false });
    }

    /// Returns the number of `subscriptions/listen` requests, including those not accepted yet.
    pub(super) fn listens(&self) -> usize {
        self.listens.len()
    }

    /// Removes the `subscriptions/listen` request `key`. Returns whether it existed.
    pub(super) fn end(&mut self, key: CallKey) -> bool {
        let Some(listen) = self.listens.remove(&key) else { return false };
        if listen.open {
            self.generation += 1;
            listen.filter.resource_subscriptions.iter().for_each(|uri| self.unwatch(uri));
        }
        true
    }

    pub(super) fn watch(&mut self, uri: &str) {
        self.uris += 1;
        match self.watched.get_mut(uri) {
            Some(count) => *count += 1,
            None => drop(self.watched.insert(uri.into(), 1)),
        }
    }

    pub(super) fn unwatch(&mut self, uri: &str) {
        let Some(count) = self.watched.get_mut(uri) else { return };
        self.uris -= 1;
        *count -= 1;
        if *count == 0 {
            self.watched.remove(uri);
        }
    }
}

impl Listen {
    fn hears(&self, list: List) -> bool {
        self.open
            && match list {
                List::Prompts => self.filter.prompts_list_changed,
                List::Resources | List::ResourceTemplates => self.filter.resources_list_changed,
                List::Tools => self.filter.tools_list_changed,
            }
    }

    fn write_meta(&self, object: &mut Object<'_>) {
        let mut meta = Object::open(object.name("_meta"));
        self.id.write(meta.name(SUBSCRIPTION_ID));
        meta.close();
    }

    /// Writes the notification that acknowledges a `subscriptions/listen` request.
    ///
    /// Spec: the acknowledgement leaves out the parts of the filter that were not accepted.
    fn write_acknowledged(&self, out: &mut Vec<u8>) {
        envelope::begin_notification(out, "notifications/subscriptions/acknowledged");
        let mut params = Object::open(out);
        self.write_meta(&mut params);
        codec::subscription_filter(params.name("notifications"), &self.filter);
        params.close();
        envelope::end(out);
    }
}

impl Peer {
    /// Adds a `subscriptions/listen` request to the in-flight table and reports it as [`Event::Request`].
    /// Answers it with an error instead if its filter is invalid or a limit is exceeded.
    pub(super) fn serve_listen(
        &mut self,
        frame: &str,
        id: Id,
        params: Params,
        answer: Answer,
        revision: Revision,
    ) {
        let read = filter(params.all.map_or("{}", |span| span.text(frame)));
        let found = read.and_then(|filter| Ok((filter, request_meta(frame, params, revision, None)?)));
        let (filter, meta) = match found {
            // The limit holds for the requested URIs, even if the program would accept only a few of them.
            Ok((filter, _)) if filter.resource_subscriptions.len() > self.limits.subscriptions => {
                let error = too_many(self.limits.subscriptions, filter.resource_subscriptions.len());
                return self.send_error(answer, Route::Unsolicited, Some(&id), &error, Some(revision));
            }
            Ok(found) if self.listens() < self.limits.listens => found,
            Ok(_) => {
                let limit = self.limits.listens;
                let text = format!(
                    "expected at most {limit} listens at a time (limit `listens`), but found one more"
                );
                let error = Error::new(ErrorKind::Overloaded, text);
                return self.send_error(answer, Route::Unsolicited, Some(&id), &error, Some(revision));
            }
            Err(error) => {
                return self.send_error(answer, Route::Unsolicited, Some(&id), &error, Some(revision));
            }
        };
        // Spec: a listen has neither progress nor log messages.
        let open = Open { is_listen: true, ..Open::new(id.clone(), answer, revision) };
        let key = self.inbound.open(open);
        self.subscriptions.want(key, &id, filter);
        self.events.push_back(Event::Request { key, request: Request::Listen, meta });
    }

    /// Accepts the `subscriptions/listen` request `key` and acknowledges it. `may_subscribe` returns whether
    /// the client may subscribe to the resource with a given URI.
    ///
    /// Some parts of the filter are not accepted: resources for which `may_subscribe` returns false, lists
    /// whose changes the server has not declared to report, and all resources if the server has not declared
    /// subscriptions.
    /// Over the limit `subscriptions`, the request is answered with an error. Does nothing if it was
    /// cancelled in the meantime.
    pub fn accept_listen(&mut self, key: CallKey, may_subscribe: impl Fn(&str) -> bool) {
        let Role::Server(session) = &self.role else { return };
        let Some(listen) = self.subscriptions.listens.get_mut(&key).filter(|listen| !listen.open) else {
            return;
        };
        let offered = session.capabilities();
        let filter = &mut listen.filter;
        filter.prompts_list_changed &= offered.is_on("prompts", "listChanged");
        filter.resources_list_changed &= offered.is_on("resources", "listChanged");
        filter.tools_list_changed &= offered.is_on("tools", "listChanged");
        let subscribes = offered.is_on("resources", "subscribe");
        filter.resource_subscriptions.retain(|uri| subscribes && may_subscribe(uri));
        let found = self.subscriptions.uris + filter.resource_subscriptions.len();
        if found > self.limits.subscriptions {
            return self.respond_error(key, &too_many(self.limits.subscriptions, found));
        }
        if let Some(found) =
            filter.resource_subscriptions.iter().map(|uri| uri.len()).find(|it| *it > MAX_URI)
        {
            return self.respond_error(key, &too_long(found));
        }
        listen.open = true;
        let uris = listen.filter.resource_subscriptions.clone();
        uris.iter().for_each(|uri| self.subscriptions.watch(uri));
        self.subscriptions.generation += 1;
        let mut out = self.pool.take();
        self.subscriptions.listens[&key].write_acknowledged(&mut out);
        self.transmit(TransmitKind::Message, Route::Listen(key), out);
    }

    /// Accepts the legacy request `key` to subscribe to the resource `uri`; the program has checked that the
    /// resource exists. Over the limit `subscriptions`, answers the request with an error instead.
    pub fn subscribe(&mut self, key: CallKey, uri: &str) {
        if !self.subscriptions.legacy.contains(uri) {
            if uri.len() > MAX_URI {
                return self.respond_error(key, &too_long(uri.len()));
            }
            let found = self.subscriptions.uris + 1;
            if found > self.limits.subscriptions {
                return self.respond_error(key, &too_many(self.limits.subscriptions, found));
            }
            self.subscriptions.legacy.insert(uri.into());
            self.subscriptions.watch(uri);
            self.subscriptions.generation += 1;
        }
        self.respond_empty(key);
    }

    /// Accepts the legacy request `key` to unsubscribe from `uri`, whether or not a subscription exists.
    pub fn unsubscribe(&mut self, key: CallKey, uri: &str) {
        if self.subscriptions.legacy.remove(uri) {
            self.subscriptions.unwatch(uri);
            self.subscriptions.generation += 1;
        }
        self.respond_empty(key);
    }

    /// Notifies the client of a change, once for each of its subscriptions that cover the change.
    ///
    /// Spec: legacy sessions are notified of list changes without a subscription, after
    /// `notifications/initialized`.
    pub fn changed(&mut self, change: &Change) {
        let (method, uri) = match change {
            Change::List(List::Prompts) => ("notifications/prompts/list_changed", None),
            Change::List(List::Resources | List::ResourceTemplates) => {
                ("notifications/resources/list_changed", None)
            }
            Change::List(List::Tools) => ("notifications/tools/list_changed", None),
            Change::Resource(uri) => ("notifications/resources/updated", Some(uri.as_str())),
        };
        let session_hears = match change {
            Change::List(list) => self.session_hears(*list),
            Change::Resource(uri) => self.subscriptions.legacy.contains(uri.as_str()),
        };
        let mut sent = Vec::new();
        if session_hears {
            sent.push((Route::Unsolicited, None));
        }
        for (key, listen) in &self.subscriptions.listens {
            let hears = match change {
                Change::List(list) => listen.hears(*list),
                Change::Resource(uri) => listen.open && listen.filter.resource_subscriptions.contains(uri),
            };
            if hears {
                sent.push((Route::Listen(*key), Some(listen)));
            }
        }
        for (route, listen) in sent {
            let mut out = self.pool.take();
            envelope::begin_notification(&mut out, method);
            let mut params = Object::open(&mut out);
            if let Some(listen) = listen {
                listen.write_meta(&mut params);
            }
            params.maybe_string("uri", uri);
            params.close();
            envelope::end(&mut out);
            self.transmits.push_back(Transmit { kind: TransmitKind::Message, route, bytes: out });
        }
    }

    /// Ends every `subscriptions/listen` request with a result, as a server does before it shuts down.
    /// Returns whether there were any.
    ///
    /// Spec: 2026-07-28 subscriptions "Graceful Closure".
    pub fn end_listens(&mut self) -> bool {
        let keys: Vec<CallKey> = self.subscriptions.listens.keys().copied().collect();
        for &key in &keys {
            let encoder = self.encoder(key);
            let Some(listen) = self.subscriptions.listens.get(&key) else { continue };
            let mut meta = Vec::new();
            let mut object = Object::open(&mut meta);
            listen.id.write(object.name(SUBSCRIPTION_ID));
            object.close();
            let meta = String::from_utf8(meta).unwrap_or_default();
            self.respond(key, |out| encoder.empty_with(out, &meta));
        }
        !keys.is_empty()
    }

    /// Returns the number of `subscriptions/listen` requests, including those not accepted yet.
    /// [`Self::in_flight`] does not count them.
    pub fn listens(&self) -> usize {
        self.subscriptions.listens()
    }

    /// Returns a number that changes whenever the result of [`Self::hears`] or [`Self::watched`] may change.
    pub fn watch_generation(&self) -> u64 {
        self.subscriptions.generation
    }

    /// Returns whether the other side is notified of changes of `list`.
    pub fn hears(&self, list: List) -> bool {
        self.session_hears(list) || self.subscriptions.listens.values().any(|listen| listen.hears(list))
    }

    /// Returns the URIs of the resources that the other side subscribes to, each once and sorted.
    pub fn watched(&self) -> impl Iterator<Item = &str> {
        self.subscriptions.watched.keys().map(|uri| &**uri)
    }

    pub(super) fn session_hears_from_now_on(&mut self) {
        self.subscriptions.generation += 1;
    }

    fn session_hears(&self, list: List) -> bool {
        let Role::Server(session) = &self.role else { return false };
        let name = match list {
            List::Prompts => "prompts",
            List::Resources | List::ResourceTemplates => "resources",
            List::Tools => "tools",
        };
        session.is_initialized() && session.capabilities().is_on(name, "listChanged")
    }

    fn respond_empty(&mut self, key: CallKey) {
        let encoder = self.encoder(key);
        self.respond(key, |out| encoder.empty(out));
    }
}

/// Reads `params.notifications` of `subscriptions/listen`.
fn filter(params: &str) -> Result<SubscriptionFilter, Error> {
    #[derive(serde::Deserialize)]
    struct Listen<'p> {
        #[serde(borrow)]
        notifications: Option<&'p serde_json::value::RawValue>,
    }
    let invalid = |text| Error::new(ErrorKind::InvalidParams, text);
    let listen: Listen<'_> = serde_json::from_str(params).map_err(|error| {
        invalid(format!("expected the parameters of `subscriptions/listen`, but found: {error}"))
    })?;
    let found = listen.notifications.map_or("nothing", serde_json::value::RawValue::get);
    // Checked here because serde would also read a struct from an array.
    if !found.starts_with('{') {
        let found = crate::json::shorten(found);
        return Err(invalid(format!("expected `notifications` to be an object, but found {found}")));
    }
    serde_json::from_str(found)
        .map_err(|error| invalid(format!("expected `notifications` to be a filter, but found: {error}")))
}

/// Returns whether the client of a session in `revision` can subscribe to resources; `offered` are the
/// capabilities of the server.
pub(super) fn may_subscribe(revision: Revision, offered: &Capabilities) -> bool {
    revision.has(crate::revision::Feature::LegacySubscriptions) && offered.is_on("resources", "subscribe")
}

fn too_long(found: usize) -> Error {
    let text =
        format!("expected the URI of a subscription to have at most {MAX_URI} bytes, but found {found}");
    Error::new(ErrorKind::InvalidParams, text)
}

fn too_many(limit: usize, found: usize) -> Error {
    let text = format!(
        "expected at most {limit} subscriptions to resources (limit `subscriptions`), but found {found}"
    );
    Error::new(ErrorKind::Overloaded, text)
}
