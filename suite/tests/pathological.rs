//! Tests with inputs of a megabyte that are made to be slow. The time that they take must grow linearly with
//! their length.
//!
//! In: texts that repeat one awkward part. Out: the functions that took longer than the limit. The limit is
//! many times the time of linear code on a busy machine in a debug build. Quadratic code takes many times the
//! limit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plainwire::proto::envelope;
use plainwire::proto::error::{Error, ErrorKind};
use plainwire::proto::form::Form;
use plainwire::proto::frame::Lines;
use plainwire::proto::json::Span;
use plainwire::proto::model::{Capabilities, Implementation};
use plainwire::proto::peer::{Now, Peer, ServerConfig};
use plainwire::proto::seal::{Binding, SealingKeys};

const LENGTH: usize = 1 << 20;
const LIMIT: Duration = Duration::from_secs(20);

/// Returns `start`, then `part` repeated to a length of a megabyte, then `end`.
fn text(start: &str, part: &str, end: &str) -> String {
    format!("{start}{}{end}", part.repeat(LENGTH / part.len()))
}

/// Returns frames of a megabyte: some are messages, others are almost messages.
fn frames() -> Vec<String> {
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{arguments}}}}}"#
        )
    };
    vec![
        call(&text("[", "[", "")),
        call(&text("", r#"{"a":"#, "")),
        call(&text("", "[", &text("", "]", ""))),
        call(&text("[", "{},", "{}]")),
        call(&text("{", r#""a":1,"#, r#""a":1}"#)),
        call(&text("\"", r"\u0041", "\"")),
        call(&text("\"", r"\ud83d\ude00", "\"")),
        call(&text("\"", "\\\\\\\"", "")),
        call(&text("", " \n", "1")),
        call(&text("", "9", "")),
        call(&text("[", "-0.1E-9,", "null]")),
        text("{", r#""id":1,"#, r#""jsonrpc":"2.0"}"#),
        text("{", r#""\u0069d":1,"#, "}"),
        text(r#"{"id":1,"params":{"#, r#""_meta":{"progressToken":1},"#, r#""a":1}}"#),
        text("[", "{},", "1]"),
        text("[", "[],", ""),
        text("", "[", ""),
        text("\"", "\u{e9}", ""),
        text("", "\u{feff}", ""),
    ]
}

#[track_caller]
fn in_time<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    let took = begin.elapsed();
    assert!(took < LIMIT, "{what}… took {took:?}");
    result
}

fn start(text: &str) -> &str {
    let end = text.char_indices().nth(120).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

#[test]
fn a_frame_is_read_in_time_that_grows_with_its_length() {
    for frame in frames() {
        let whole = Span::of(0, frame.len()).expect("a frame of a megabyte or two");
        in_time(start(&frame), || {
            drop(envelope::parse(&frame, whole, 128));
            drop(envelope::split_batch(&frame, 128, 1_000));
            envelope::cut_off(&frame, 128, Error::new(ErrorKind::Parse, "cut"));
        });
    }
}

#[test]
fn a_server_takes_a_frame_in_time_that_grows_with_its_length() {
    let mut capabilities = Capabilities::default();
    capabilities.declare("tools", serde_json::json!({}));
    let config = Arc::new(ServerConfig::new(Implementation::new("s", "1"), capabilities));
    for frame in frames() {
        let mut server = Peer::server(Arc::clone(&config));
        server.handle_frame(INITIALIZE.as_bytes(), Now::default());
        in_time(start(&frame), || server.handle_frame(frame.as_bytes(), Now::default()));
    }
}

/// The handshake of 2025-03-26, the only revision that has batches.
const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#;

#[test]
fn lines_are_found_in_time_that_grows_with_their_length_however_they_are_cut() {
    for (part, step) in [("\n", 7), ("x", 7), ("x\r\n", 3), (" \n", 4_096), ("xxxxxxx\n", 1)] {
        let bytes = text("", part, "").into_bytes();
        in_time(&format!("{part:?} by {step}"), || {
            let mut lines = Lines::new(16 << 20);
            for piece in bytes.chunks(step) {
                lines.space()[..piece.len()].copy_from_slice(piece);
                lines.filled(piece.len());
                while lines.next_frame().is_some() {}
            }
        });
    }
}

#[test]
fn a_form_and_an_answer_are_read_in_time_that_grows_with_their_length() {
    let form = |inside: &str| format!(r#"{{"type":"object","properties":{{{inside}}}}}"#);
    let schemas = [
        form(&text("", r#""a":{"type":"string"},"#, r#""b":{"type":"string"}"#)),
        form(&text(r#""a":{"type":"string","enum":["#, r#""b","#, r#""b"]}"#)),
        form(&text(r#""a":{"type":"string","oneOf":["#, r#"{"const":"b"},"#, r#"{"const":"b"}]}"#)),
        form(&text(r#""a":{"anyOf":"#, "[", "")),
        text(r#"{"type":"object","properties":{},"required":["#, r#""a","#, r#""a"]}"#),
        text(r#"{"type":"object","properties":{"a":{"type":"string","pattern":""#, "(a*)*", r#""}}}"#),
    ];
    for schema in &schemas {
        drop(in_time(start(schema), || Form::parse(schema)));
    }
    let choices: Vec<String> = (0..Form::MAX_CHOICES).map(|n| format!("\"c{n}\"")).collect();
    let field = format!(r#"{{"type":"array","items":{{"type":"string","enum":[{}]}}}}"#, choices.join(","));
    let fields: Vec<String> = (0..Form::MAX_FIELDS).map(|n| format!(r#""field {n}":{field}"#)).collect();
    let largest = in_time("the largest form", || Form::parse(&form(&fields.join(",")))).expect("a form");
    let line = text("", "c999,", "");
    let content = (0..100_000).map(|n| (format!("unknown {n}"), serde_json::Value::Null)).collect();
    in_time("answers to the largest form", || {
        drop(largest.fields[0].read(&line));
        drop(largest.check(&content));
    });
}

#[test]
fn arguments_are_bound_to_a_state_in_time_that_grows_with_their_length() {
    let keys = SealingKeys::new(&[[7; 32]]).expect("a key");
    // The first eight frames are calls, which together have every kind of value in their arguments.
    for arguments in frames().into_iter().take(8) {
        let binding = Binding {
            principal: None,
            method: "tools/call",
            name: "t",
            arguments: &arguments,
            server: "s",
            version: "1",
        };
        in_time(start(&arguments), || {
            let state = keys.seal([1; 24], &binding, Duration::MAX, "").expect("a short state");
            keys.open(&state, &binding, Duration::ZERO).expect("its own arguments");
        });
    }
}
