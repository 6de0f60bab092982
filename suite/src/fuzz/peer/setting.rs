//! Configuration of the two engines, and the requests from which their programs choose.
//!
//! In: bytes of a fuzzer. Out: limits, revisions, deadlines and capabilities; lists of requests and URIs.

use std::time::Duration;

use plainwire::proto::model::Capabilities;
use plainwire::proto::peer::{Limits, RequestOptions};
use plainwire::proto::revision::Revision;
use serde_json::json;

use super::super::bytes::Bytes;

pub(super) fn limits(bytes: &mut Bytes<'_>) -> Limits {
    let default = Limits::default();
    Limits {
        batch: [default.batch, 4][bytes.below(2)],
        frame_out: [default.frame_out, 600][bytes.below(2)],
        in_flight: [default.in_flight, 1, 3][bytes.below(3)],
        listens: [default.listens, 2][bytes.below(2)],
        subscriptions: [default.subscriptions, 3][bytes.below(2)],
        ..default
    }
}

/// Returns the revisions whose bits are set in the next byte; all revisions if the byte selects none or is at
/// least 128.
pub(super) fn revisions(bytes: &mut Bytes<'_>) -> Vec<Revision> {
    let bits = bytes.byte();
    let wanted = |n: usize| bits >= 128 || bits & 31 == 0 || bits >> n & 1 == 1;
    (0..).zip(Revision::ALL).filter(|(n, _)| wanted(*n)).map(|(_, revision)| revision).collect()
}

pub(super) fn offered() -> Capabilities {
    let mut offered = Capabilities::default();
    offered.declare("completions", json!({}));
    offered.declare("logging", json!({}));
    offered.declare("prompts", json!({ "listChanged": true }));
    offered.declare("resources", json!({ "listChanged": true, "subscribe": true }));
    offered.declare("tools", json!({ "listChanged": true }));
    offered
}

pub(super) fn options(bytes: &mut Bytes<'_>) -> RequestOptions {
    let times = [
        Duration::from_secs(60),
        Duration::MAX,
        Duration::ZERO,
        Duration::from_millis(1),
        Duration::from_secs(600),
    ];
    RequestOptions { idle: times[bytes.below(times.len())], hard: times[bytes.below(times.len())] }
}

pub(super) const URIS: [&str; 5] = ["a://1", "a://2", "b://1", "b://2", "c://é"];

pub(super) const REQUESTS: [(&str, &str); 13] = [
    ("tools/call", r#"{"name":"t"}"#),
    ("tools/call", r#"{"name":"t","arguments":{"a":[{}]},"requestState":"s","inputResponses":{}}"#),
    ("tools/call", r#"{"name":5}"#),
    ("tools/list", "{}"),
    ("tools/list", r#"{"cursor":"c"}"#),
    ("prompts/get", r#"{"name":"p","arguments":{}}"#),
    ("resources/read", r#"{"uri":"a://1"}"#),
    ("resources/subscribe", r#"{"uri":"a://1"}"#),
    ("resources/subscribe", r#"{"uri":"a://2"}"#),
    ("resources/unsubscribe", r#"{"uri":"a://1"}"#),
    ("completion/complete", r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}"#),
    ("logging/setLevel", r#"{"level":"debug"}"#),
    ("ping", "{}"),
];
