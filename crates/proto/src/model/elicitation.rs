//! Elicitation: what a server asks the person behind a client.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What is asked of a person. Source: `ElicitRequestParams`.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicitation {
    /// A form, filled in inside the client. Never for secrets: those go to a URL.
    Form {
        /// Why it is asked.
        message: String,
        /// The JSON of `requestedSchema`.
        schema: String,
    },
    /// A page to be opened. What happens there never reaches the client.
    Url {
        /// `elicitationId`, which only 2025-11-25 sends.
        id: String,
        /// Why it should be opened.
        message: String,
        /// Where it is.
        url: String,
    },
}

impl Elicitation {
    /// Returns the host of the page as it is written in the URL, without a port; a form has none.
    ///
    /// What stands before an `@` is no host, and `\\` ends it, as browsers have it.
    pub fn host(&self) -> Option<&str> {
        let Self::Url { url, .. } = self else { return None };
        let (_, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '\\', '?', '#']).next()?;
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        let end = place.rfind(':').filter(|&at| !place[at..].contains(']')).unwrap_or(place.len());
        Some(&place[..end]).filter(|host| !host.is_empty())
    }

    /// Returns whether the host has a part in Punycode, such as `xn--bcher-kva`: what a browser shows for it can look
    /// like another host.
    ///
    /// Spec: 2025-11-25 and 2026-07-28 `elicitation` "Safe URL Handling": whoever shows the URL should warn of it.
    pub fn is_punycode(&self) -> bool {
        let is_puny = |label: &str| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
        self.host().is_some_and(|host| host.split('.').any(is_puny))
    }
}

/// What a person did about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// They filled in the form, or agreed to open the page.
    Accept,
    /// They said no.
    Decline,
    /// They went away without a word.
    Cancel,
}

impl ElicitAction {
    /// Returns the word of the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// The answer to an elicitation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ElicitResult {
    /// What the person did.
    pub action: ElicitAction,
    /// The filled-in form; only [`ElicitAction::Accept`] of a form has one.
    pub content: Option<Map<String, Value>>,
}

impl ElicitResult {
    /// Makes the answer of a person who filled in the form: a struct, a map or `json!({ … })` with its fields.
    ///
    /// Anything else is the field `value`, as a form for a type that is no struct calls it: `accept("Ada")` is
    /// `{ "value": "Ada" }`. A `None` is a field left empty.
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
    /// As `json!` does, for a value that has no JSON, such as a map whose keys are lists.
    pub fn accept(content: impl Serialize) -> Self {
        let content = serde_json::to_value(content).expect("a form's content has JSON");
        let mut fields = match content {
            Value::Object(fields) => fields,
            value => Map::from_iter([("value".to_owned(), value)]),
        };
        // Source: `ElicitResult.content`, in which nothing is null.
        fields.retain(|_, value| !value.is_null());
        Self { action: ElicitAction::Accept, content: Some(fields) }
    }

    /// Makes the answer of a person who agreed to open a page.
    pub fn agree() -> Self {
        Self { action: ElicitAction::Accept, content: None }
    }

    /// Makes the answer of a person who said no.
    pub fn decline() -> Self {
        Self { action: ElicitAction::Decline, content: None }
    }

    /// Makes the answer of a person who went away.
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
