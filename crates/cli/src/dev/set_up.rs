//! The set-up of a session by its client, which each new server has to learn: `initialize`, the log level, and the
//! subscriptions to resources.
//!
//! In: messages of the client. Out: the messages to send again.

use std::collections::BTreeMap;

use serde_json::Value;

/// The maximal number of bytes of the messages that are remembered for one session.
const MAX_BYTES: usize = 1 << 20;

/// The set-up of one session.
#[derive(Debug, Default)]
pub(super) struct SetUp {
    /// The size of the remembered messages, as JSON.
    bytes: usize,
    /// The request `initialize`; `None` in the modern era.
    initialize: Option<Value>,
    /// Whether the client has sent `notifications/initialized`.
    is_initialized: bool,
    /// The last two requests for a log level, the newest last: that one may be refused.
    log_levels: Vec<Value>,
    /// The subscriptions, by URI.
    subscribed: BTreeMap<String, Value>,
}

impl SetUp {
    /// Remembers what a message of the client sets up. Returns whether there was room for it.
    pub(super) fn note(&mut self, message: &Value) -> bool {
        let uri = message["params"]["uri"].as_str().unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        let earlier = match method {
            "notifications/initialized" => {
                self.is_initialized = true;
                None
            }
            "initialize" => self.initialize.take(),
            "logging/setLevel" if self.log_levels.len() == 2 => Some(self.log_levels.remove(0)),
            // The same request again changes nothing, even if it is refused.
            "resources/subscribe" if self.subscribed.contains_key(uri) => return true,
            "resources/unsubscribe" => self.subscribed.remove(uri),
            _ => None,
        };
        self.bytes -= earlier.as_ref().map_or(0, size);
        if !["initialize", "logging/setLevel", "resources/subscribe"].contains(&method) {
            return true;
        }
        let bytes = self.bytes + size(message);
        if bytes > MAX_BYTES {
            return false;
        }
        self.bytes = bytes;
        match method {
            "initialize" => self.initialize = Some(message.clone()),
            "logging/setLevel" => self.log_levels.push(message.clone()),
            _ => drop(self.subscribed.insert(uri.to_owned(), message.clone())),
        }
        true
    }

    /// Forgets the request with this id, which was refused.
    pub(super) fn refused(&mut self, id: &Value) {
        let is_it = |it: &Value| it["id"] == *id;
        let uri = self.subscribed.iter().find(|(_, it)| is_it(it)).map(|(uri, _)| uri.clone());
        let level = self.log_levels.iter().position(is_it).map(|at| self.log_levels.remove(at));
        let subscribed = uri.and_then(|uri| self.subscribed.remove(&uri));
        let gone = [self.initialize.take_if(|it| is_it(it)), level, subscribed];
        self.bytes -= gone.iter().flatten().map(size).sum::<usize>();
    }

    /// Returns the request `initialize`.
    pub(super) fn initialize(&self) -> Option<&Value> {
        self.initialize.as_ref()
    }

    /// Returns whether the client has ended the handshake, so that a new server has to be greeted for it.
    pub(super) fn is_initialized(&self) -> bool {
        self.is_initialized
    }

    /// Returns the requests that follow the handshake with a new server.
    pub(super) fn requests(&self) -> impl Iterator<Item = &Value> {
        self.subscribed.values().chain(self.log_levels.last())
    }

    /// Returns the URIs of the subscriptions.
    pub(super) fn uris(&self) -> impl Iterator<Item = &String> {
        self.subscribed.keys()
    }
}

/// Returns the size of a message as JSON.
fn size(message: &Value) -> usize {
    message.to_string().len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_a_session_1_mib_is_remembered() {
        let mut set_up = SetUp::default();
        let subscribe = |n: usize| json!({ "method": "resources/subscribe", "params": { "uri": format!("{n}{}", "u".repeat(100_000)) } });
        assert!((0..10).all(|n| set_up.note(&subscribe(n))) && !set_up.note(&subscribe(10)));
        // The same again takes no more room, and what is gone takes none.
        assert!(set_up.note(&subscribe(9)));
        let mut gone = subscribe(0);
        gone["method"] = "resources/unsubscribe".into();
        assert!(set_up.note(&gone) && set_up.note(&subscribe(10)) && set_up.uris().count() == 10);
        assert!(!set_up.note(&json!({ "method": "initialize", "params": { "pad": "p".repeat(100_000) } })));
        assert_eq!(set_up.initialize(), None);
        let mut refused = SetUp::default();
        let level = |id: u8, level: &str| json!({ "id": id, "method": "logging/setLevel", "params": { "level": level } });
        assert!(refused.note(&level(1, "debug")) && refused.note(&level(2, "loud")));
        refused.refused(&json!(2));
        assert_eq!(refused.requests().next(), Some(&level(1, "debug")), "the level before holds again");
        refused.refused(&json!(1));
        for method in ["resources/subscribe", "logging/setLevel"] {
            refused.note(&json!({ "id": 7, "method": method, "params": { "uri": "a" } }));
        }
        refused.refused(&json!(7));
        assert_eq!((refused.requests().count(), refused.bytes), (0, 0));
    }
}
