//! The capabilities that a client or a server declares.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::revision::{Feature, Revision};

/// The capabilities of a client or a server: the object on the wire, including unknown members.
///
/// Shape: `{"tools": {"listChanged": true}, "experimental": {…}, "extensions": {"io.example/x": {…}}}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Capabilities(pub Map<String, Value>);

impl Capabilities {
    /// Returns whether the capability `name` is declared, with any settings.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns whether the boolean setting `setting` of the capability `name` is true, as in
    /// `tools.listChanged`.
    pub fn is_on(&self, name: &str, setting: &str) -> bool {
        self.0.get(name).and_then(|settings| settings.get(setting)) == Some(&Value::Bool(true))
    }

    /// Returns the settings of an extension, such as `io.modelcontextprotocol/ui`; `None` if it is not
    /// declared.
    pub fn extension(&self, identifier: &str) -> Option<&Value> {
        self.0.get("extensions")?.get(identifier)
    }

    /// Returns the settings of an experimental capability; `None` if it is not declared.
    pub fn experimental(&self, name: &str) -> Option<&Value> {
        self.0.get("experimental")?.get(name)
    }

    /// Returns whether `includeContext` may be sent to a client of `revision` that declared these
    /// capabilities.
    ///
    /// Spec: 2025-11-25 and 2026-07-28 `sampling` "Capabilities": only with `sampling.context`. Older
    /// revisions have no such capability, so `includeContext` may always be sent there.
    pub fn takes_context(&self, revision: Revision) -> bool {
        !revision.has(Feature::SamplingTools) || self.as_object_at("/sampling/context")
    }

    /// Returns whether there is an object at `path`, a JSON pointer without escapes such as
    /// `/sampling/context`.
    fn as_object_at(&self, path: &str) -> bool {
        let mut names = path.split('/').skip(1);
        let first = names.next().and_then(|name| self.0.get(name));
        names.fold(first, |at, name| at?.get(name)).is_some_and(Value::is_object)
    }

    /// Declares the capability `name` with `settings`.
    pub fn declare(&mut self, name: &str, settings: Value) {
        self.0.insert(name.to_owned(), settings);
    }

    /// Declares `key` with `settings` inside the capability `name`, which is `experimental` or `extensions`.
    ///
    /// Settings that are not an object become `{}`, since the schema requires objects.
    pub fn declare_in(&mut self, name: &str, key: &str, settings: Value) {
        let settings = if settings.is_object() { settings } else { Value::Object(Map::new()) };
        let map = self.0.entry(name).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(map) = map {
            map.insert(key.to_owned(), settings);
        }
    }
}

/// A capability that a client must declare before a server may ask a question that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientCapability {
    /// `elicitation`, in form mode: the client can show the user a form to fill in.
    Elicitation,
    /// `elicitation.url`: the client can ask the user to open a page.
    ElicitationUrl,
    /// `roots`: the client names the directories and files that the server may work in.
    Roots,
    /// `sampling`: the client can let a model answer a question.
    Sampling,
    /// `sampling.tools`: the client can let a model answer a question, and use tools for that.
    SamplingTools,
}

impl ClientCapability {
    /// Returns whether the protocol revision `revision` has this capability.
    pub fn exists_in(self, revision: Revision) -> bool {
        match self {
            Self::Elicitation => revision.has(Feature::Elicitation),
            Self::ElicitationUrl => revision.has(Feature::UrlElicitation),
            Self::Roots | Self::Sampling => true,
            Self::SamplingTools => revision.has(Feature::SamplingTools),
        }
    }

    /// Returns whether a client that speaks `revision` and declared `declared` has this capability.
    pub fn is_in(self, declared: &Capabilities, revision: Revision) -> bool {
        let has = |path: &str| declared.as_object_at(path);
        if !self.exists_in(revision) {
            return false;
        }
        match self {
            // Spec: 2025-11-25 "Capabilities": `{}` means form mode only. Older clients send `{}`, with the
            // same meaning.
            Self::Elicitation => {
                has("/elicitation") && (has("/elicitation/form") || !has("/elicitation/url"))
            }
            Self::ElicitationUrl => has("/elicitation/url"),
            Self::Roots => has("/roots"),
            Self::Sampling => has("/sampling"),
            Self::SamplingTools => has("/sampling/tools"),
        }
    }

    /// Returns the capabilities that the client should have declared, in the form in which the error -32021
    /// names them.
    pub fn to_capabilities(self) -> Capabilities {
        let (name, settings) = match self {
            Self::Elicitation => ("elicitation", json!({ "form": {} })),
            Self::ElicitationUrl => ("elicitation", json!({ "url": {} })),
            Self::Roots => ("roots", json!({})),
            Self::Sampling => ("sampling", json!({})),
            Self::SamplingTools => ("sampling", json!({ "tools": {} })),
        };
        let mut capabilities = Capabilities::default();
        capabilities.declare(name, settings);
        capabilities
    }

    /// Returns the name for error messages, such as `elicitation.url`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::ElicitationUrl => "elicitation.url",
            Self::Roots => "roots",
            Self::Sampling => "sampling",
            Self::SamplingTools => "sampling.tools",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_an_empty_elicitation_capability_for_forms_and_nothing_else() {
        let declared = |text: &str| serde_json::from_str::<Capabilities>(text).expect("capabilities");
        let has = |what: ClientCapability, text| what.is_in(&declared(text), Revision::NEWEST);
        use ClientCapability::*;
        assert!(has(Elicitation, r#"{"elicitation":{}}"#) && !has(ElicitationUrl, r#"{"elicitation":{}}"#));
        assert!(has(ElicitationUrl, r#"{"elicitation":{"url":{}}}"#));
        assert!(!has(Elicitation, r#"{"elicitation":{"url":{}}}"#));
        assert!(has(Elicitation, r#"{"elicitation":{"url":{},"form":{}}}"#));
        assert!(!has(Elicitation, "{}") && !has(Elicitation, r#"{"elicitation":null}"#));
        assert!(!has(SamplingTools, r#"{"sampling":{}}"#) && has(Sampling, r#"{"sampling":{}}"#));
    }

    #[test]
    fn asks_nobody_for_what_their_revision_does_not_have() {
        let all = r#"{"elicitation":{"form":{},"url":{}},"roots":{},"sampling":{"tools":{}}}"#;
        let declared: Capabilities = serde_json::from_str(all).expect("capabilities");
        let with = |what: ClientCapability| {
            Revision::ALL.into_iter().filter(|&r| what.is_in(&declared, r)).map(Revision::as_str).next()
        };
        assert_eq!(with(ClientCapability::Elicitation), Some("2025-06-18"));
        assert_eq!(with(ClientCapability::ElicitationUrl), Some("2025-11-25"));
        assert_eq!(with(ClientCapability::SamplingTools), Some("2025-11-25"));
        assert_eq!(with(ClientCapability::Sampling), Some("2024-11-05"));
        assert_eq!(with(ClientCapability::Roots), Some("2024-11-05"));
    }

    #[test]
    fn keeps_what_it_does_not_know() {
        let text = r#"{"experimental":{"x":{"y":1}},"future":{"a":[1]},"tools":{"listChanged":true}}"#;
        let capabilities: Capabilities = serde_json::from_str(text).expect("capabilities");
        assert!(capabilities.is_on("tools", "listChanged"));
        assert!(!capabilities.has("prompts"));
        assert_eq!(capabilities.experimental("x"), Some(&serde_json::json!({ "y": 1 })));
        assert_eq!(serde_json::to_string(&capabilities).expect("JSON"), text);
    }

    #[test]
    fn makes_an_object_of_settings_that_are_none() {
        let mut capabilities = Capabilities::default();
        capabilities.declare_in("experimental", "x", Value::Bool(true));
        assert_eq!(capabilities.experimental("x"), Some(&serde_json::json!({})));
    }
}
