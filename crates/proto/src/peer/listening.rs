//! The subscriptions of a modern client: for each, a `subscriptions/listen` request that stays open, and the
//! notifications that the server sends for it.
//!
//! In: a filter, and notifications that name a subscription. Out: [`Event::SubscriptionNotice`]. Change
//! notifications of legacy servers belong to no subscription and are not handled here.

use serde::Deserialize;

use super::{Event, Now, Peer, RequestKey, RequestOptions, SubscriptionNotice};
use crate::codec;
use crate::cursor::List;
use crate::envelope::{Id, Params};
use crate::json::write::Object;
use crate::json::{Span, shorten};
use crate::model::SubscriptionFilter;

/// The method of the request that opens a subscription.
pub(super) const METHOD: &str = "subscriptions/listen";

impl Peer {
    /// Opens a subscription to the changes that `filter` names; modern servers only.
    ///
    /// The subscription has no deadline. Its first event is [`SubscriptionNotice::Acknowledged`]; its last
    /// event is [`SubscriptionNotice::Ended`] or [`Event::Failed`]. To end it from this side, call
    /// [`Peer::cancel`] with the returned key; no event follows.
    pub fn listen(&mut self, filter: &SubscriptionFilter, now: Now) -> RequestKey {
        let mut params = Vec::new();
        let mut object = Object::open(&mut params);
        codec::subscription_filter(object.name("notifications"), filter);
        object.close();
        let params = String::from_utf8(params).unwrap_or_default();
        self.request(METHOD, &params, RequestOptions::UNLIMITED, now)
    }

    pub(super) fn is_listening(&self, id: &Id) -> bool {
        self.listening(id).is_some()
    }

    /// Handles a notification that names a subscription.
    ///
    /// Spec: 2026-07-28 `subscriptions` "Receiving Notifications". The id keeps its type: `1` is not `"1"`.
    pub(super) fn handle_news(&mut self, frame: &str, id: Span, method: Span, params: Params) {
        let Some(request) = Id::parse(id.text(frame)).and_then(|id| self.listening(&id)) else {
            let found = shorten(id.text(frame)).into_owned();
            return self.note(&format!("notification for the subscription {found}, which is not open"));
        };
        match news(&method.string(frame).unwrap_or_default(), params.all.map_or("{}", |it| it.text(frame))) {
            Ok(news) => self.events.push_back(Event::SubscriptionNotice { request, news }),
            Err(why) => self.note(&why),
        }
    }

    /// Ends a subscription that the server has cancelled.
    ///
    /// Spec: 2026-07-28 `cancellation`: a server ends a subscription by cancelling it, or by its result.
    pub(super) fn handle_listening_cancelled(&mut self, id: &Id) {
        if let Some((request, _)) = self.answered(id) {
            self.listening_ended(request);
        }
    }

    pub(super) fn listening_ended(&mut self, request: RequestKey) {
        self.events.push_back(Event::SubscriptionNotice { request, news: SubscriptionNotice::Ended });
    }

    /// Returns the key of the open subscription of this client whose request has this id.
    fn listening(&self, id: &Id) -> Option<RequestKey> {
        let Id::Integer(number) = id else { return None };
        let key = RequestKey(u64::try_from(*number).ok()?);
        (self.outbound.method(key)? == METHOD).then_some(key)
    }
}

fn news(method: &str, params: &str) -> Result<SubscriptionNotice, String> {
    #[derive(Deserialize)]
    struct Acknowledged {
        notifications: SubscriptionFilter,
    }
    #[derive(Deserialize)]
    struct Updated {
        uri: String,
    }
    let unreadable =
        |error: serde_json::Error| format!("expected the parameters of `{method}`, but found {error}");
    match method {
        "notifications/subscriptions/acknowledged" => serde_json::from_str::<Acknowledged>(params)
            .map(|it| SubscriptionNotice::Acknowledged(it.notifications))
            .map_err(unreadable),
        "notifications/resources/updated" => serde_json::from_str::<Updated>(params)
            .map(|it| SubscriptionNotice::ResourceUpdated(it.uri))
            .map_err(unreadable),
        "notifications/prompts/list_changed" => Ok(SubscriptionNotice::ListChanged(List::Prompts)),
        "notifications/resources/list_changed" => Ok(SubscriptionNotice::ListChanged(List::Resources)),
        "notifications/tools/list_changed" => Ok(SubscriptionNotice::ListChanged(List::Tools)),
        _ => Err(format!("expected news of a subscription, but found `{}`", shorten(method))),
    }
}
