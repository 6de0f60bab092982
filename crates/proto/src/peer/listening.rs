//! Subscriptions of a client: a request that stays open, and what the server says about it meanwhile.
//!
//! In: what to listen for, and notifications that name a subscription. Out: [`Event::News`]. What legacy servers say
//! to everybody has no subscription and does not come here.

use serde::Deserialize;

use super::{Event, News, Now, Peer, RequestKey, RequestOptions};
use crate::codec;
use crate::cursor::List;
use crate::envelope::{Id, Params};
use crate::json::write::Object;
use crate::json::{Span, shorten};
use crate::model::SubscriptionFilter;

/// The request that stays open.
pub(super) const METHOD: &str = "subscriptions/listen";

impl Peer {
    /// Listens for what `filter` names; modern servers only.
    ///
    /// It has no deadline. [`News::Acknowledged`] comes first; [`News::Ended`] or [`Event::Failed`] is the end, and
    /// [`Peer::cancel`] ends it from here.
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

    /// Spec: 2026-07-28 `subscriptions` "Receiving Notifications". The id keeps its type: `1` is not `"1"`.
    pub(super) fn handle_news(&mut self, frame: &str, id: Span, method: Span, params: Params) {
        let Some(request) = Id::parse(id.text(frame)).and_then(|id| self.listening(&id)) else {
            let found = shorten(id.text(frame)).into_owned();
            return self.note(&format!("notification for the subscription {found}, which is not open"));
        };
        match news(&method.string(frame).unwrap_or_default(), params.all.map_or("{}", |it| it.text(frame))) {
            Ok(news) => self.events.push_back(Event::News { request, news }),
            Err(why) => self.note(&why),
        }
    }

    /// Spec: 2026-07-28 `cancellation`: a server ends a subscription by cancelling it, or by its result.
    pub(super) fn handle_listening_cancelled(&mut self, id: &Id) {
        if let Some((request, _)) = self.answered(id) {
            self.listening_ended(request);
        }
    }

    pub(super) fn listening_ended(&mut self, request: RequestKey) {
        self.events.push_back(Event::News { request, news: News::Ended });
    }

    /// The subscription of ours that goes by `id`.
    fn listening(&self, id: &Id) -> Option<RequestKey> {
        let Id::Integer(number) = id else { return None };
        let key = RequestKey(u64::try_from(*number).ok()?);
        (self.outbound.method(key)? == METHOD).then_some(key)
    }
}

fn news(method: &str, params: &str) -> Result<News, String> {
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
            .map(|it| News::Acknowledged(it.notifications))
            .map_err(unreadable),
        "notifications/resources/updated" => serde_json::from_str::<Updated>(params)
            .map(|it| News::ResourceUpdated(it.uri))
            .map_err(unreadable),
        "notifications/prompts/list_changed" => Ok(News::ListChanged(List::Prompts)),
        "notifications/resources/list_changed" => Ok(News::ListChanged(List::Resources)),
        "notifications/tools/list_changed" => Ok(News::ListChanged(List::Tools)),
        _ => Err(format!("expected news of a subscription, but found `{}`", shorten(method))),
    }
}
