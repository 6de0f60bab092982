//! Tests of the envelope: frames in, messages or exact errors out.

use super::*;
use crate::revision::Revision;

fn read(frame: &str) -> Result<Message, Malformed> {
    parse(frame, Span::new(0, frame.len()), 128)
}

/// Checks that `frame` is refused with an error that has this code, id and message.
fn refuses(frame: &str, code: i32, id: Option<Id>, text: &str) {
    let malformed = read(frame).expect_err(frame);
    assert_eq!(malformed.error.code(Revision::NEWEST), code, "{frame}");
    assert_eq!(malformed.id, id, "{frame}");
    assert_eq!(malformed.error.message(), text, "{frame}");
    assert!(malformed.answer, "{frame}");
}

#[test]
fn reads_a_call_in_one_pass() {
    let frame = r#" {"params":{"_meta":{"progressToken":7,"x":[1]},"name":"a\u0064d","arguments":{"a":1}},
        "method":"tools/call","id":"7","jsonrpc":"2.0","extra":{}} "#;
    let Ok(Message::Request { id, method, params }) = read(frame) else { panic!("no request") };
    assert_eq!(id, Id::String("7".into()));
    assert_eq!(method.string(frame).as_deref(), Some("tools/call"));
    assert_eq!(params.name.and_then(|s| s.string(frame)).as_deref(), Some("add"));
    assert_eq!(params.arguments.map(|s| s.text(frame)), Some(r#"{"a":1}"#));
    assert_eq!(params.meta.progress_token.map(|s| s.text(frame)), Some("7"));
    assert_eq!(params.meta.all.map(|s| s.text(frame)), Some(r#"{"progressToken":7,"x":[1]}"#));
}

#[test]
fn keeps_ids_with_their_type() {
    for (text, id) in [
        ("1", Some(Id::Integer(1))),
        ("\"1\"", Some(Id::String("1".into()))),
        ("-5", Some(Id::Integer(-5))),
        ("18446744073709551615", Some(Id::Integer(u64::MAX.into()))),
        ("\"req-\\u0034\"", Some(Id::String("req-4".into()))),
        ("1.5", None),
        ("null", None),
        ("{}", None),
    ] {
        assert_eq!(Id::parse(text), id, "{text}");
        if let Some(id) = id {
            let mut out = Vec::new();
            id.write(&mut out);
            assert_eq!(Id::parse(std::str::from_utf8(&out).expect("UTF-8")), Some(id));
        }
    }
}

#[test]
fn says_what_was_expected_and_found() {
    let one = Some(Id::Integer(1));
    let invalid = -32600;
    refuses("[1]", invalid, None, "expected a message to be an object, but found an array");
    refuses("\"hi\"", invalid, None, "expected a message to be an object, but found a string");
    refuses("{}", invalid, None, "expected `jsonrpc` to be \"2.0\", but found nothing");
    refuses(
        r#"{"id":1,"method":"x"}"#,
        invalid,
        one.clone(),
        "expected `jsonrpc` to be \"2.0\", but found nothing",
    );
    refuses(
        r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#,
        invalid,
        one.clone(),
        "expected `jsonrpc` to be \"2.0\", but found \"1.0\"",
    );
    refuses(r#"{"jsonrpc":"2.0","id":1}"#, invalid, one.clone(), "expected `method`, but found nothing");
    refuses(
        r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
        invalid,
        one.clone(),
        "expected `method` to be a string, but found 5",
    );
    refuses(
        r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
        invalid,
        None,
        "expected `id` to be a string or a whole number, but found null",
    );
    refuses(
        r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#,
        invalid,
        None,
        "expected `id` to be a string or a whole number, but found 1.5",
    );
    refuses(
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#,
        invalid,
        None,
        "expected `id` once, but found it twice",
    );
    refuses(
        r#"{"jsonrpc":"2.0","params":[1],"method":"x","id":1}"#,
        -32602,
        one.clone(),
        "expected `params` to be an object, but found an array",
    );
    refuses(
        r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":tru}}"#,
        -32700,
        one,
        "expected `true`, `false` or `null` at byte 51, but found 't'",
    );
    refuses(
        r#"{"jsonrpc":"2.0","method":"x""#,
        -32700,
        None,
        "expected `,` or `}` at byte 29, but found the end of the message",
    );
}

#[test]
fn refuses_a_tool_with_two_names() {
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#;
    refuses(frame, -32600, Some(Id::Integer(1)), "expected `params.name` once, but found it twice");
    for member in ["progressToken", "io.modelcontextprotocol/protocolVersion"] {
        let frame = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"M":"a","M":"b"}}}"#;
        let why = format!("expected `params._meta.{member}` once, but found it twice");
        refuses(&frame.replace('M', member), -32600, Some(Id::Integer(1)), &why);
    }
}

#[test]
fn finds_the_id_of_a_message_that_is_too_deep() {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let frame = format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"x":{deep}}},"id":9}}"#);
    let malformed = read(&frame).expect_err("too deep");
    assert_eq!(malformed.id, Some(Id::Integer(9)));
    assert_eq!(malformed.error.code(Revision::NEWEST), -32600);
    assert!(malformed.error.message().contains("limit `depth`"), "{}", malformed.error.message());
}

#[test]
fn a_request_that_is_too_deep_is_answered_however_its_id_is_written() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for (written, id) in [(r#""\u0069d":7"#, Some(Id::Integer(7))), (r#""id":1.5"#, None)] {
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"a":{deep}}},{written}}}"#);
        let malformed = read(&frame).expect_err(&frame);
        assert_eq!((malformed.id, malformed.answer), (id, true), "{frame}");
    }
}

#[test]
fn of_two_ids_neither_is_answered_whatever_else_is_wrong() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    let too_deep = format!(r#"{{"id":1,"id":2,"jsonrpc":"2.0","method":"x","params":{{"a":{deep}}}}}"#);
    let later = format!(r#"{{"id":1,"jsonrpc":"2.0","method":"x","params":{{"a":{deep}}},"id":2}}"#);
    for frame in [&too_deep, &later, r#"{"jsonrpc":"2.0","id":"a","id":"b","method":"x","params":tru}"#] {
        assert_eq!(read(frame).expect_err(frame).id, None, "{frame}");
    }
    let cut = cut_off(r#"{"id":"a","id":"b","method":"#, 128, Error::new(ErrorKind::InvalidRequest, "x"));
    assert_eq!(cut.id, None);
}

#[test]
fn owes_no_answer_for_a_malformed_notification_or_answer() {
    for frame in [
        r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
    ] {
        assert!(!read(frame).expect_err(frame).answer, "{frame}");
    }
}

#[test]
fn accepts_an_error_without_a_readable_id() {
    for frame in [r#"{"jsonrpc":"2.0","error":{}}"#, r#"{"jsonrpc":"2.0","id":null,"error":{}}"#] {
        assert!(matches!(read(frame), Ok(Message::Error { id: None, .. })), "{frame}");
    }
}

#[test]
fn splits_a_batch_and_bounds_it() {
    let frame = r#"[{"a":1}, 2 ,[3]]"#;
    let texts: Vec<_> = split_batch(frame, 8, 3).expect("a batch").iter().map(|s| s.text(frame)).collect();
    assert_eq!(texts, [r#"{"a":1}"#, "2", "[3]"]);
    let message = |result: Result<_, Malformed>| result.expect_err("refused").error.message().to_owned();
    assert_eq!(
        message(split_batch(frame, 8, 2)),
        "expected a batch to hold at most 2 messages (limit `batch`)"
    );
    assert_eq!(message(split_batch("[]", 8, 2)), "expected a batch to hold a message, but found `[]`");
}

#[test]
fn names_the_missing_id_the_way_each_revision_wants_it() {
    let broken = Error::new(ErrorKind::Parse, "x");
    let written = |revision| {
        let mut out = Vec::new();
        error(&mut out, None, &broken, revision);
        String::from_utf8(out).expect("UTF-8")
    };
    assert_eq!(written(None), r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#);
    assert_eq!(
        written(Some(Revision::V2025_11_25)),
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#
    );
}
