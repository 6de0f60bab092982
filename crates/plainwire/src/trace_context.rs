//! The trace context of a call: W3C Trace Context, carried in `_meta`.
//!
//! In: the `_meta` of a request, in any revision, or the parts of a trace. Out: the valid parts of the trace, or
//! the `_meta` that carries them. An invalid part of a `_meta` is treated as absent. Spans are opened by
//! [`crate::server::layer::trace()`].

use std::fmt;
use std::sync::Arc;

use plainwire_proto::json::write::Object;
use serde_json::Value;

/// The trace that a call is part of. Only its syntax has been checked.
///
/// Source: 2026-07-28, basic, "`_meta`"; W3C Trace Context; W3C Baggage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    baggage: Option<String>,
    traceparent: String,
    tracestate: Option<String>,
}

/// The length of the longest `tracestate` that is read, in bytes. W3C requires at least 512 to be passed on.
const MAX_TRACESTATE: usize = 512;
/// The length of the longest `baggage` that is read, in bytes. W3C requires at least 8,192 to be passed on.
const MAX_BAGGAGE: usize = 8_192;

/// The number of `tracestate` members that W3C allows.
const MAX_MEMBERS: usize = 32;

impl TraceContext {
    /// Reads the trace context from the JSON of `_meta`; `None` without a valid `traceparent`.
    pub(crate) fn of(meta: &str) -> Option<Self> {
        if !is_mentioned(meta) {
            return None;
        }
        let meta: Value = serde_json::from_str(meta).ok()?;
        let text = |key: &str| meta.get(key)?.as_str();
        let traceparent = text("traceparent").filter(|it| is_traceparent(it))?.to_owned();
        let tracestate = text("tracestate").filter(|it| is_tracestate(it)).map(ToOwned::to_owned);
        let baggage = text("baggage").filter(|it| is_baggage(it)).map(ToOwned::to_owned);
        Some(Self { baggage, traceparent, tracestate })
    }

    /// Makes a trace context from a `traceparent`, as the propagator of a tracing library writes it; `None` if that
    /// is not valid.
    ///
    /// ```
    /// use plainwire::client::TraceContext;
    ///
    /// let parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    /// let trace = TraceContext::new(parent).expect("a valid traceparent").with_tracestate("vendor=1");
    /// assert_eq!((trace.parent_id(), trace.tracestate()), ("00f067aa0ba902b7", Some("vendor=1")));
    /// ```
    pub fn new(traceparent: &str) -> Option<Self> {
        let traceparent = Some(traceparent).filter(|it| is_traceparent(it))?.to_owned();
        Some(Self { baggage: None, traceparent, tracestate: None })
    }

    /// Sets the vendor data of tracing systems. An invalid `tracestate`, or one with more than 512 bytes, is left
    /// out.
    #[must_use]
    pub fn with_tracestate(mut self, tracestate: &str) -> Self {
        self.tracestate = Some(tracestate).filter(|it| is_tracestate(it)).map(ToOwned::to_owned);
        self
    }

    /// Sets the baggage. An invalid `baggage`, or one with more than 8 KiB, is left out.
    #[must_use]
    pub fn with_baggage(mut self, baggage: &str) -> Self {
        self.baggage = Some(baggage).filter(|it| is_baggage(it)).map(ToOwned::to_owned);
        self
    }

    /// Adds the `_meta` that carries the trace to `params`, the parameters of a request, unless they have a trace.
    pub(crate) fn add_to(&self, params: &str) -> String {
        #[derive(serde::Deserialize)]
        struct Params<'p> {
            #[serde(borrow, rename = "_meta")]
            meta: &'p serde_json::value::RawValue,
        }
        let known = serde_json::from_str::<Params<'_>>(params).ok().filter(|_| is_mentioned(params));
        if known.is_some_and(|it| Self::of(it.meta.get()).is_some()) {
            return params.to_owned();
        }
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        let mut meta = Object::open(object.name("_meta"));
        meta.string("traceparent", &self.traceparent);
        meta.maybe_string("tracestate", self.tracestate());
        meta.maybe_string("baggage", self.baggage());
        meta.close();
        let rest = params.trim().strip_prefix('{').unwrap_or("}").trim_start();
        out.extend_from_slice(if rest == "}" { b"" } else { b"," });
        out.extend_from_slice(rest.as_bytes());
        String::from_utf8(out).unwrap_or_default()
    }

    /// Returns the whole `traceparent`: `00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01`.
    pub fn traceparent(&self) -> &str {
        &self.traceparent
    }

    /// Returns the trace id: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        &self.traceparent[3..35]
    }

    /// Returns the id of the caller's span: 16 hexadecimal digits.
    pub fn parent_id(&self) -> &str {
        &self.traceparent[36..52]
    }

    /// Returns whether the caller records the trace.
    pub fn is_sampled(&self) -> bool {
        u8::from_str_radix(&self.traceparent[53..55], 16).is_ok_and(|flags| flags & 1 == 1)
    }

    /// Returns the vendor data of tracing systems, if it is valid and has at most 512 bytes.
    pub fn tracestate(&self) -> Option<&str> {
        self.tracestate.as_deref()
    }

    /// Returns the baggage, `key=value` data for all services of the trace, if it is valid and has at most 8
    /// KiB.
    pub fn baggage(&self) -> Option<&str> {
        self.baggage.as_deref()
    }
}

/// A function of a program that returns the trace that its current request is part of.
#[derive(Clone)]
pub(crate) struct TraceSource(Arc<dyn Fn() -> Option<TraceContext> + Send + Sync>);

impl TraceSource {
    pub(crate) fn new(current: impl Fn() -> Option<TraceContext> + Send + Sync + 'static) -> Self {
        Self(Arc::new(current))
    }

    pub(crate) fn current(&self) -> Option<TraceContext> {
        (self.0)()
    }
}

impl fmt::Debug for TraceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TraceSource")
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.traceparent)
    }
}

/// Returns whether the JSON of `_meta` may contain a trace; most requests have none. Any `\u` escape counts
/// as well, because it may be a letter of the key `traceparent`.
fn is_mentioned(meta: &str) -> bool {
    meta.contains("traceparent") || meta.contains("\\u")
}

/// Returns whether `text` is `version-traceid-parentid-flags`. Later versions may append more.
fn is_traceparent(text: &str) -> bool {
    let hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let id = |text: &str, digits: usize| hex(text, digits) && text.bytes().any(|b| b != b'0');
    let mut parts = text.splitn(5, '-');
    let mut part = || parts.next().unwrap_or_default();
    let (version, trace, parent, flags) = (part(), part(), part(), part());
    let ends = version != "00" || parts.next().is_none();
    hex(version, 2) && version != "ff" && id(trace, 32) && id(parent, 16) && hex(flags, 2) && ends
}

/// Returns whether `text` is a list of `key=value` members, separated by commas. Empty members are allowed.
fn is_tracestate(text: &str) -> bool {
    let is_key = |key: &str| {
        (1..=256).contains(&key.len())
            && key.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-*/@".contains(&b))
    };
    let is_value = |value: &str| {
        (1..=256).contains(&value.len()) && value.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'=')
    };
    let is_member = |member: &str| {
        let member = member.trim_matches([' ', '\t']);
        member.is_empty() || member.split_once('=').is_some_and(|(key, value)| is_key(key) && is_value(value))
    };
    text.len() <= MAX_TRACESTATE && text.split(',').count() <= MAX_MEMBERS && text.split(',').all(is_member)
}

/// Returns whether `text` is a list of `key=value` members with properties, separated by commas.
fn is_baggage(text: &str) -> bool {
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    let is_member = |member: &str| {
        member.split_once('=').is_some_and(|(key, value)| {
            let key = key.trim_matches([' ', '\t']);
            !key.is_empty()
                && key.bytes().all(is_token)
                && value.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t') && !b"\"\\".contains(&b))
        })
    };
    text.len() <= MAX_BAGGAGE && text.split(',').all(is_member)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    fn of(meta: &Value) -> Option<TraceContext> {
        TraceContext::of(&meta.to_string())
    }

    #[test]
    fn reads_the_parts_of_a_trace() {
        let meta = json!({
            "other": 1, "traceparent": PARENT, "tracestate": "rojo=00f067aa0ba902b7, congo@x=t61 r,", "baggage": "user=Ada%20L;p=1",
        });
        let trace = of(&meta).expect("a trace");
        assert_eq!(trace.traceparent(), PARENT);
        assert_eq!(trace.to_string(), PARENT);
        assert_eq!(trace.trace_id(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(trace.parent_id(), "00f067aa0ba902b7");
        assert!(trace.is_sampled());
        assert_eq!(trace.tracestate(), Some("rojo=00f067aa0ba902b7, congo@x=t61 r,"));
        assert_eq!(trace.baggage(), Some("user=Ada%20L;p=1"));
    }

    #[test]
    fn a_trace_that_was_added_to_parameters_is_found_there() {
        let trace = TraceContext::new(PARENT).expect("valid").with_tracestate("a=1").with_baggage("b=\u{7f}");
        assert_eq!((trace.tracestate(), trace.baggage()), (Some("a=1"), None));
        for (params, rest) in [("{}", ""), (" { } ", ""), (r#"{"a":{}}"#, r#","a":{}"#)] {
            let with = trace.add_to(params);
            let expected = format!(r#"{{"_meta":{{"traceparent":"{PARENT}","tracestate":"a=1"}}{rest}}}"#);
            assert_eq!(with, expected);
        }
        assert_eq!(TraceContext::new("00-0-0-00"), None);
    }

    #[test]
    fn finds_a_key_that_is_written_with_an_escape() {
        let meta = format!(r#"{{"trace\u0070arent":"{PARENT}"}}"#);
        assert!(TraceContext::of(&meta).is_some());
    }

    #[test]
    fn takes_only_what_has_the_shape_of_a_traceparent() {
        let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7");
        for (text, valid) in [
            (PARENT.to_owned(), true),
            (format!("00-{trace}-{parent}-00"), true),
            (format!("cc-{trace}-{parent}-01-what-comes-later"), true),
            (format!("00-{trace}-{parent}-01-more"), false),
            (format!("00-{trace}-{parent}-01-"), false),
            (format!("ff-{trace}-{parent}-01"), false),
            (format!("0-{trace}-{parent}-01"), false),
            (format!("00-{}-{parent}-01", trace.to_uppercase()), false),
            (format!("00-{}-{parent}-01", "0".repeat(32)), false),
            (format!("00-{trace}-{}-01", "0".repeat(16)), false),
            (format!("00-{trace}-{parent}"), false),
            (format!("00-{trace}-{parent}-0"), false),
            (format!("00-{trace}-{parent}-0é"), false),
            (String::new(), false),
        ] {
            assert_eq!(of(&json!({ "traceparent": text })).is_some(), valid, "{text}");
        }
        assert_eq!(of(&json!({ "traceparent": 7 })), None);
        assert_eq!(of(&json!({ "tracestate": "a=1", "baggage": "a=1" })), None);
    }

    #[test]
    fn an_unsampled_trace_says_so() {
        let trace = of(&json!({ "traceparent": PARENT.replace("-01", "-02") })).expect("a trace");
        assert!(!trace.is_sampled());
    }

    #[test]
    fn a_state_has_at_most_512_bytes_and_32_members_and_a_baggage_8_kib() {
        let member = |bytes: usize| format!("a={}", "x".repeat(bytes - 2));
        let state = |text: &str| {
            of(&json!({ "traceparent": PARENT, "tracestate": text })).expect("a trace").tracestate().is_some()
        };
        let of_bytes = |bytes: usize| state(&format!("{},{}", member(255), member(bytes - 256)));
        assert_eq!([of_bytes(512), of_bytes(513)], [true, false]);
        let of_members = |count: usize| state(&vec!["a=1"; count].join(","));
        assert_eq!([of_members(32), of_members(33)], [true, false]);
        let baggage = |bytes: usize| {
            let text = member(bytes);
            of(&json!({ "traceparent": PARENT, "baggage": text })).expect("a trace").baggage().is_some()
        };
        assert_eq!([baggage(8_192), baggage(8_193)], [true, false]);
    }

    #[test]
    fn leaves_out_a_state_and_a_baggage_of_another_shape() {
        let many = vec!["a=1"; 33].join(",");
        let long = format!("a={}", "x".repeat(257));
        for state in ["a", "A=1", "a=", "a=b=c", "a=é", &many, &long, &"a=1,".repeat(200)] {
            let trace = of(&json!({ "traceparent": PARENT, "tracestate": state })).expect("a trace");
            assert_eq!(trace.tracestate(), None, "{state}");
        }
        for baggage in ["", "a", "=1", "a b=1", "a=\"1\"", "a=é", &format!("a={}", "x".repeat(8_192))] {
            let trace = of(&json!({ "traceparent": PARENT, "baggage": baggage })).expect("a trace");
            assert_eq!(trace.baggage(), None, "{baggage}");
        }
    }
}
