//! Elicitation: questions of a server to the user of a client.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A question of a server to the user. Source: `ElicitRequestParams`.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicitation {
    /// A form that the user fills in inside the client. Never for secrets: use a URL for those.
    Form {
        /// The text that the user sees above the form: the reason for asking.
        message: String,
        /// The JSON Schema of the form (`requestedSchema`), as JSON text.
        schema: String,
    },
    /// A page that the user opens in a browser. Data that the user enters there never reaches the client.
    Url {
        /// The id of the question (`elicitationId`), which only 2025-11-25 has.
        id: String,
        /// The text that the user sees: the reason for opening the page.
        message: String,
        /// The URL of the page.
        url: String,
    },
}

impl Elicitation {
    /// Returns the host of the page as written in the URL, without a port; `None` for a form, and for a URL
    /// without a host.
    ///
    /// Text before an `@` is not part of the host, and a backslash ends the host, as in browsers.
    pub fn host(&self) -> Option<&str> {
        let Self::Url { url, .. } = self else { return None };
        let (_, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '\\', '?', '#']).next()?;
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        let end = place.rfind(':').filter(|&at| !place[at..].contains(']')).unwrap_or(place.len());
        Some(&place[..end]).filter(|host| !host.is_empty())
    }

    /// Returns whether a label of the host is in Punycode, such as `xn--bcher-kva`: a browser may display it
    /// so that it looks like another host.
    ///
    /// Spec: 2025-11-25 and 2026-07-28 `elicitation` "Safe URL Handling": clients that show the URL should
    /// warn about it.
    pub fn is_punycode(&self) -> bool {
        let is_puny = |label: &str| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
        self.host().is_some_and(|host| host.split('.').any(is_puny))
    }
}

/// The reaction of the user to an elicitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// The user filled in the form, or agreed to open the page.
    Accept,
    /// The user declined to answer or to open the page.
    Decline,
    /// The user dismissed the question without an answer.
    Cancel,
}

impl ElicitAction {
    /// Returns the action's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// The answer of a client to an elicitation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ElicitResult {
    /// The reaction of the user.
    pub action: ElicitAction,
    /// The values of the form's fields; only [`ElicitAction::Accept`] of a form has them.
    pub content: Option<Map<String, Value>>,
}

impl ElicitResult {
    /// Creates the answer of a user who filled in the form. `content` is a struct, a map or `json!({ … })`
    /// with the values of the form's fields.
    ///
    /// Any other `content` becomes the field `value`: `accept("Ada")` is `{ "value": "Ada" }`. A form for a
    /// type that is not a struct has one field with this name. A field that is `None` is left out.
    ///
    /// ```
    /// use plainwire_proto::model::ElicitResult;
    /// use serde_json::json;
    ///
    /// let ada = ElicitResult::accept(json!({ "name": "Ada", "title": null }));
    /// assert_eq!(ada, ElicitResult::accept([("name", "Ada")].into_iter().collect::<std::collections::HashMap<_, _>>()));
    /// assert_eq!(ElicitResult::accept(7), ElicitResult::accept(json!({ "value": 7 })));
    /// ```
    ///
    /// # Panics
    /// Like `json!`, for a value that cannot be JSON, such as a map whose keys are lists.
    pub fn accept(content: impl Serialize) -> Self {
        let content = serde_json::to_value(content).expect("a form's content has JSON");
        let mut fields = match content {
            Value::Object(fields) => fields,
            value => Map::from_iter([("value".to_owned(), value)]),
        };
        // Source: `ElicitResult.content`, whose values are never null.
        fields.retain(|_, value| !value.is_null());
        Self { action: ElicitAction::Accept, content: Some(fields) }
    }

    /// Creates the answer of a user who agreed to open a page.
    pub fn agree() -> Self {
        Self { action: ElicitAction::Accept, content: None }
    }

    /// Creates the answer of a user who declined.
    pub fn decline() -> Self {
        Self { action: ElicitAction::Decline, content: None }
    }

    /// Creates the answer of a user who dismissed the question.
    pub fn cancel() -> Self {
        Self { action: ElicitAction::Cancel, content: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, host: Option<&str>, is_punycode: bool) {
        let page = Elicitation::Url { id: String::new(), message: String::new(), url: url.to_owned() };
        assert_eq!((page.host(), page.is_punycode()), (host, is_punycode), "{url}");
    }

    #[test]
    fn knows_the_host_of_a_page_and_whether_it_may_look_like_another() {
        check("https://example.com/xn--a:b@c?d", Some("example.com"), false);
        check("https://login.XN--bcher-kva.example:8443?x", Some("login.XN--bcher-kva.example"), true);
        check("https://not-xn--a.example", Some("not-xn--a.example"), false);
        check("https://xn--bank.example@evil.example#a", Some("evil.example"), false);
        check("https://evil.example\\@bank.example", Some("evil.example"), false);
        check("https://[::1]:8/", Some("[::1]"), false);
        check("https://b\u{e9}.example", Some("b\u{e9}.example"), false);
        check("https:///path", None, false);
        check("mailto:a@xn--b.example", None, false);
        let form = Elicitation::Form { message: String::new(), schema: "https://xn--a.example".to_owned() };
        assert_eq!((form.host(), form.is_punycode()), (None, false));
    }

    #[test]
    fn takes_a_bare_value_for_the_field_value_and_none_for_an_empty_field() {
        #[derive(Serialize)]
        struct Who {
            name: &'static str,
            title: Option<u8>,
        }
        let content = |result: ElicitResult| serde_json::to_string(&result.content).expect("JSON");
        assert_eq!(content(ElicitResult::accept(Who { name: "Ada", title: None })), r#"{"name":"Ada"}"#);
        assert_eq!(content(ElicitResult::accept("Ada")), r#"{"value":"Ada"}"#);
        assert_eq!(content(ElicitResult::accept(["a", "b"])), r#"{"value":["a","b"]}"#);
        assert_eq!(content(ElicitResult::accept(None::<u8>)), "{}");
        assert_eq!(content(ElicitResult::accept(())), "{}");
        assert_eq!(content(ElicitResult::accept(Map::new())), "{}");
    }
}
