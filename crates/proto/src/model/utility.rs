//! Small values of the protocol: roots, log messages, completions, subscriptions.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::RawJson;
use crate::error::{Error, ErrorKind};

/// A directory or file that a client lets a server work in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Root {
    /// The name of the directory or file, for people.
    #[serde(default)]
    pub name: Option<String>,
    /// The `file://` URI of the directory or file.
    pub uri: String,
}

impl Root {
    /// Creates a root from a `file://` URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { name: None, uri: uri.into() }
    }

    /// Creates a root from a `file://` URI with a name for people.
    pub fn named(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), uri: uri.into() }
    }
}

/// The severity of a log message, from the lowest to the highest. Source: RFC 5424.
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
    /// All levels, from the lowest severity to the highest.
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

    /// Returns the level's name on the wire.
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

    /// Returns the level whose name on the wire is `text`; `None` if there is none.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }
}

/// A log message of a server to its client.
#[derive(Clone, Debug)]
pub struct LogMessage {
    /// The logged data, any JSON value.
    pub data: RawJson,
    /// The severity of the message.
    pub level: LogLevel,
    /// The name of the part of the server that logs.
    pub logger: Option<String>,
}

/// A request of a client for suggested values of an argument or variable. Source: `CompleteRequest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompleteRequest {
    /// The name of the prompt's argument, or the template's variable, whose value is completed.
    pub argument: String,
    /// The values of the other arguments or variables, as far as they are known.
    pub arguments: BTreeMap<String, String>,
    /// The prompt or resource template that has the argument or variable.
    pub reference: CompletionReference,
    /// The beginning of the value, as the user typed it so far.
    pub value: String,
}

/// A prompt or resource template whose arguments or variables can be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletionReference {
    /// The prompt of this name.
    Prompt(String),
    /// The resource template with this text (`file:///{path}`), or a resource with this URI.
    Resource(String),
}

impl CompleteRequest {
    /// Creates a request to complete `argument` of the prompt `name`; `value` is the text typed so far.
    pub fn prompt(name: impl Into<String>, argument: impl Into<String>, value: impl Into<String>) -> Self {
        Self::new(CompletionReference::Prompt(name.into()), argument.into(), value.into())
    }

    /// Creates a request to complete the variable `argument` of a resource template; `value` is the text
    /// typed so far.
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

    /// Adds known values of other arguments or variables to the request.
    #[must_use]
    pub fn with_arguments<N: Into<String>, V: Into<String>>(
        mut self,
        arguments: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.arguments.extend(arguments.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Parses the parameters of `completion/complete`.
    ///
    /// # Errors
    /// `InvalidParams` if `json` does not have the parameters of `completion/complete`.
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

/// Suggested values of an argument or a variable, the answer to a [`CompleteRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// Whether there are more suggested values than those in `values`.
    #[serde(default)]
    pub has_more: bool,
    /// The total number of suggested values, including those left out; `None` if it is not known.
    #[serde(default)]
    pub total: Option<u64>,
    /// The suggested values, the best first; at most [`Completion::MAX_VALUES`].
    pub values: Vec<String>,
}

impl Completion {
    /// The largest number of values in one answer. Source: `CompleteResult`.
    pub const MAX_VALUES: usize = 100;

    /// Creates an answer with the first [`Self::MAX_VALUES`] of `values`, and the total number of `values`.
    pub fn of(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(Self::MAX_VALUES);
        Self { has_more: total > values.len(), total: Some(total as u64), values }
    }
}

/// The changes that a client wants a server to report. Source: `SubscriptionFilter`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionFilter {
    /// Whether to report changes of the list of prompts.
    pub prompts_list_changed: bool,
    /// The URIs of the resources whose changes to report. Reading more than 100,000 is an error.
    #[serde(deserialize_with = "uris")]
    pub resource_subscriptions: Vec<String>,
    /// Whether to report changes of the list of resources.
    pub resources_list_changed: bool,
    /// Whether to report changes of the list of tools.
    pub tools_list_changed: bool,
}

/// The most URIs in a filter that is read. 100,000: a hundred times more than servers of this crate accept by default.
const MAX_URIS: usize = 100_000;

/// Reads a list of at most [`MAX_URIS`] strings. There is a limit since a short string takes more memory than its text.
fn uris<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Uris;
    impl<'de> Visitor<'de> for Uris {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a sequence")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
            let mut uris = Vec::new();
            while let Some(uri) = list.next_element()? {
                if uris.len() == MAX_URIS {
                    let why = format!("expected at most {MAX_URIS} URIs, but found more");
                    return Err(serde::de::Error::custom(why));
                }
                uris.push(uri);
            }
            Ok(uris)
        }
    }
    deserializer.deserialize_seq(Uris)
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
    fn a_filter_names_at_most_100000_resources() {
        let read = |count: usize| {
            let uris = vec!["\"\""; count].join(",");
            serde_json::from_str::<SubscriptionFilter>(&format!(r#"{{"resourceSubscriptions":[{uris}]}}"#))
        };
        assert_eq!(read(100_000).expect("a filter").resource_subscriptions.len(), 100_000);
        let error = read(100_001).expect_err("too many").to_string();
        assert!(error.starts_with("expected at most 100000 URIs, but found more"), "{error}");
    }

    #[test]
    fn says_how_much_of_a_completion_is_left_out() {
        let completion = Completion::of((0..101).map(|n| n.to_string()).collect());
        assert_eq!((completion.values.len(), completion.total, completion.has_more), (100, Some(101), true));
        assert!(!Completion::of(vec!["a".to_owned()]).has_more);
    }
}
