//! The small values: roots, log levels, completions, subscriptions.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::RawJson;
use crate::error::{Error, ErrorKind};

/// A place in which a client lets a server work.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Root {
    /// What people call it.
    #[serde(default)]
    pub name: Option<String>,
    /// A `file://` URI.
    pub uri: String,
}

impl Root {
    /// Makes a root of a `file://` URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { name: None, uri: uri.into() }
    }

    /// Makes a root of a `file://` URI that people call `name`.
    pub fn named(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), uri: uri.into() }
    }
}

/// How much a log message matters, least first. Source: RFC 5424.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the words are the RFC's")]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    /// All levels, least first.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// Returns the word of the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// Returns the level that the wire calls `text`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }
}

/// A log message of a server.
#[derive(Clone, Debug)]
pub struct LogMessage {
    /// Any JSON value.
    pub data: RawJson,
    /// How much it matters.
    pub level: LogLevel,
    /// Which part of the server speaks.
    pub logger: Option<String>,
}

/// What a client wants to have completed. Source: `CompleteRequest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompleteRequest {
    /// The argument or the variable.
    pub argument: String,
    /// What the others are, as far as that is known.
    pub arguments: BTreeMap<String, String>,
    /// Whose argument it is.
    pub reference: CompletionReference,
    /// What has been typed of it.
    pub value: String,
}

/// What has arguments or variables that can be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletionReference {
    /// The prompt of this name.
    Prompt(String),
    /// The resource template with this text, or a resource with this URI.
    Resource(String),
}

impl CompleteRequest {
    /// Asks what `argument` of the prompt `name` might be, of which `value` has been typed.
    pub fn prompt(name: impl Into<String>, argument: impl Into<String>, value: impl Into<String>) -> Self {
        Self::new(CompletionReference::Prompt(name.into()), argument.into(), value.into())
    }

    /// Asks what the variable `argument` of a resource template might be, of which `value` has been typed.
    pub fn resource(
        uri_template: impl Into<String>,
        argument: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self::new(CompletionReference::Resource(uri_template.into()), argument.into(), value.into())
    }

    fn new(reference: CompletionReference, argument: String, value: String) -> Self {
        Self { argument, arguments: BTreeMap::new(), reference, value }
    }

    /// Adds what other arguments or variables are.
    #[must_use]
    pub fn with_arguments<N: Into<String>, V: Into<String>>(
        mut self,
        arguments: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.arguments.extend(arguments.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Reads the parameters of `completion/complete`.
    ///
    /// # Errors
    /// `InvalidParams` for what does not fit.
    pub fn parse(json: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Params {
            argument: Argument,
            #[serde(default)]
            context: Option<Context>,
            r#ref: Reference,
        }
        #[derive(Deserialize)]
        struct Argument {
            name: String,
            value: String,
        }
        #[derive(Deserialize)]
        struct Context {
            #[serde(default)]
            arguments: Option<BTreeMap<String, String>>,
        }
        #[derive(Deserialize)]
        struct Reference {
            name: Option<String>,
            r#type: String,
            uri: Option<String>,
        }
        let invalid = |text: String| Error::new(ErrorKind::InvalidParams, text);
        let it: Params = serde_json::from_str(json).map_err(|error| {
            invalid(format!("expected the parameters of `completion/complete`, but found: {error}"))
        })?;
        let missing = |name| invalid(format!("expected `ref.{name}` to be a string, but found nothing"));
        let reference = match &*it.r#ref.r#type {
            "ref/prompt" => CompletionReference::Prompt(it.r#ref.name.ok_or_else(|| missing("name"))?),
            "ref/resource" => CompletionReference::Resource(it.r#ref.uri.ok_or_else(|| missing("uri"))?),
            found => {
                let found = crate::json::shorten(found);
                return Err(invalid(format!(
                    "expected `ref.type` to be ref/prompt or ref/resource, but found {found:?}"
                )));
            }
        };
        Ok(Self {
            argument: it.argument.name,
            arguments: it.context.and_then(|context| context.arguments).unwrap_or_default(),
            reference,
            value: it.argument.value,
        })
    }
}

/// What an argument or a variable might be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// Whether there are more than are given.
    #[serde(default)]
    pub has_more: bool,
    /// How many there are.
    #[serde(default)]
    pub total: Option<u64>,
    /// At most [`Completion::MAX_VALUES`], the best first.
    pub values: Vec<String>,
}

impl Completion {
    /// How many values one answer holds. Source: `CompleteResult`.
    pub const MAX_VALUES: usize = 100;

    /// Makes the answer that says as much of `values` as fits.
    pub fn of(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(Self::MAX_VALUES);
        Self { has_more: total > values.len(), total: Some(total as u64), values }
    }
}

/// What a client wants to hear about. Source: `SubscriptionFilter`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionFilter {
    /// Changes of the list of prompts.
    pub prompts_list_changed: bool,
    /// Changes of these resources, by URI.
    pub resource_subscriptions: Vec<String>,
    /// Changes of the list of resources.
    pub resources_list_changed: bool,
    /// Changes of the list of tools.
    pub tools_list_changed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_every_level_and_knows_their_order() {
        for level in LogLevel::ALL {
            assert_eq!(LogLevel::parse(level.as_str()), Some(level));
        }
        assert!(LogLevel::Debug < LogLevel::Warning && LogLevel::Warning < LogLevel::Emergency);
        assert_eq!(LogLevel::parse("Warning"), None);
    }

    #[test]
    fn makes_what_it_reads() {
        let wire = |reference: &str| {
            let json = format!(
                r#"{{"ref":{reference},"argument":{{"name":"n","value":"v"}},"context":{{"arguments":{{"a":"b"}}}}}}"#
            );
            CompleteRequest::parse(&json).expect("a request")
        };
        let prompt = CompleteRequest::prompt("p", "n", "v").with_arguments([("a", "b")]);
        assert_eq!(prompt, wire(r#"{"type":"ref/prompt","name":"p"}"#));
        let resource = CompleteRequest::resource("x:{n}", "n", "v").with_arguments([("a", "b")]);
        assert_eq!(resource, wire(r#"{"type":"ref/resource","uri":"x:{n}"}"#));
        let root = |json: &str| serde_json::from_str::<Root>(json).expect("a root");
        assert_eq!(Root::new("file:///a"), root(r#"{"uri":"file:///a"}"#));
        assert_eq!(Root::named("file:///a", "A"), root(r#"{"uri":"file:///a","name":"A"}"#));
    }

    #[test]
    fn says_how_much_of_a_completion_is_left_out() {
        let completion = Completion::of((0..101).map(|n| n.to_string()).collect());
        assert_eq!((completion.values.len(), completion.total, completion.has_more), (100, Some(101), true));
        assert!(!Completion::of(vec!["a".to_owned()]).has_more);
    }
}
