//! Tests of the era, the status and the session of HTTP requests, as tables. Sources: 2026-07-28
//! `streamable-http`, 2025-11-25 `basic/transports`, and the conformance scenarios `server-stateless` and
//! `http-header-validation`.

use super::*;
use crate::envelope;
use crate::json::Span;

mod modern;
mod params;

type Pairs<'p> = &'p [(&'p str, &'p str)];

const ALL: Endpoint<'_> = Endpoint { revisions: &Revision::ALL };
const MODERN: Endpoint<'_> = Endpoint { revisions: &[Revision::V2026_07_28] };
const NEWER: Endpoint<'_> = Endpoint { revisions: &[Revision::V2025_11_25, Revision::V2026_07_28] };

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn parse(frame: &str) -> Result<Message, Malformed> {
    envelope::parse(frame, Span::whole(frame), 16)
}

/// Returns a modern request. `params` is the text of further members of its parameters, with a comma before
/// each member.
fn modern(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{META}{params}}}}}"#)
}

fn request(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{}}}}"#)
}

fn code(refusal: &Refusal) -> String {
    format!("{} {}", refusal.status, refusal.error.code(refusal.revision))
}

#[track_caller]
fn check(frame: &str, headers: Pairs<'_>, endpoint: Endpoint<'_>, expected: &str) {
    let class = match classify(frame, &parse(frame), headers, endpoint) {
        Ok(Class::Session(id)) => format!("session {id}"),
        Ok(class) => format!("{class:?}"),
        Err(refusal) => code(&refusal),
    };
    assert_eq!(class, expected, "{frame} {headers:?}");
}

const V26: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");
const V25C: (&str, &str) = ("Mcp-Protocol-Version", "2025-11-25");
const V25A: (&str, &str) = ("mcp-protocol-version", "2025-03-26");
const V24: (&str, &str) = (VERSION, "2024-11-05");
const UNKNOWN: (&str, &str) = (VERSION, "2099-01-01");
const S: (&str, &str) = ("MCP-Session-Id", "abc");

#[test]
fn a_version_in_the_body_makes_a_request_modern_whatever_else_it_says() {
    for method in ["tools/list", "initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        for headers in [&[V26][..], &[], &[V25C], &[UNKNOWN], &[S, V25C], &[V26, UNKNOWN]] {
            check(&modern(method, ""), headers, ALL, "Modern");
        }
    }
    // If the version has the wrong type, the request is modern and gets an error later.
    let wrong = r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}}"#;
    check(wrong, &[S], ALL, "Modern");
}

#[test]
fn a_modern_header_above_a_body_without_version_is_a_mistake() {
    for method in ["tools/list", "ping", "initialize"] {
        check(&request(method), &[V26], ALL, "400 -32602");
        check(&request(method), &[V26, S], ALL, "400 -32602");
    }
    for method in ["server/discover", "subscriptions/listen"] {
        for headers in [&[][..], &[S], &[V25C]] {
            check(&request(method), headers, ALL, "400 -32602");
        }
    }
    // As on stdio, a request whose `_meta` has only some of the modern fields counts as modern and is
    // refused. In a session, such a request is an ordinary one.
    let half = r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    check(half, &[], ALL, "400 -32602");
    check(half, &[S], ALL, "session abc");
}

#[test]
fn initialize_begins_a_session_whatever_version_the_header_has() {
    for headers in [&[][..], &[V25C], &[V24], &[UNKNOWN], &[S]] {
        check(&request("initialize"), headers, ALL, "Initialize");
    }
    // Spec: 2026-07-28 `versioning`: a server that serves only modern revisions refuses `initialize`, and
    // lists the versions that it supports.
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    let refusal = classify(frame, &parse(frame), [V25C].as_slice(), MODERN).expect_err("no handshake");
    assert_eq!(code(&refusal), "400 -32022");
    let data = r#"{"requested":"2025-11-25","supported":["2026-07-28"]}"#;
    assert_eq!(refusal.error.data(), Some(data));
}

#[test]
fn a_session_comes_before_the_version_of_the_header() {
    for headers in [&[S][..], &[S, V25C], &[S, UNKNOWN], &[UNKNOWN, S]] {
        check(&request("tools/list"), headers, ALL, "session abc");
        check(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, headers, ALL, "session abc");
        check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, headers, ALL, "session abc");
        check(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, headers, ALL, "session abc");
    }
}

#[test]
fn a_legacy_request_without_a_session_is_refused_in_the_terms_of_its_version() {
    let list = request("tools/list");
    check(&list, &[V25C], ALL, "400 -32600");
    check(&list, &[V24], ALL, "400 -32600");
    check(&list, &[], ALL, "400 -32020");
    check(&list, &[], NEWER, "400 -32020");
    check(&list, &[UNKNOWN], ALL, "400 -32022");
    check(&list, &[V25A], NEWER, "400 -32022");
    check(&list, &[V25A, V25C], ALL, "400 -32020");
    check(&list, &[V25A, (VERSION, " 2025-03-26\t")], ALL, "400 -32020");
    check(&list, &[V25A, V25A], ALL, "400 -32600");
    check(&list, &[(VERSION, "2025-03-26é")], ALL, "400 -32020");
}

#[test]
fn a_modern_notification_is_taken_and_a_legacy_one_needs_a_place() {
    let plain = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#;
    check(plain, &[V26], ALL, "ModernNotification");
    check(plain, &[V26, S], ALL, "ModernNotification");
    check(plain, &[V25C], ALL, "400 -32600");
    check(plain, &[], ALL, "400 -32020");
    let tagged = format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{{META}}}}}"#);
    check(&tagged, &[], ALL, "ModernNotification");
}

#[test]
fn an_answer_outside_a_session_is_refused() {
    for frame in [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, r#"{"jsonrpc":"2.0","id":1,"error":{}}"#] {
        for headers in [&[][..], &[V26], &[V26, S], &[V25C]] {
            check(frame, headers, ALL, "400 -32600");
        }
    }
    // A malformed answer is passed to the session too, because the session waits for an answer.
    check(r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#, &[S], ALL, "session abc");
    check(r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#, &[], ALL, "400 -32600");
}

#[test]
fn what_is_no_message_is_refused_with_400() {
    check("{", &[], ALL, "400 -32700");
    check("", &[S], ALL, "400 -32700");
    check("7", &[V26], ALL, "400 -32600");
    check(r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[]}"#, &[V25C], ALL, "400 -32602");
    let refused =
        |headers: Pairs<'_>| classify("{", &parse("{"), headers, ALL).expect_err("no JSON").revision;
    assert_eq!([refused(&[]), refused(&[V24])], [Revision::V2026_07_28, Revision::V2024_11_05]);
}

#[test]
fn a_batch_needs_the_revision_that_has_them() {
    let batch = " [{}]";
    check(batch, &[S], ALL, "session abc");
    for headers in [&[V25A][..], &[V25C], &[V24], &[V26], &[V26, S]] {
        check(batch, headers, ALL, "400 -32600");
    }
    check(batch, &[], NEWER, "400 -32600");
    let refused = |revision| check_batch(batch, revision).is_err();
    assert_eq!(Revision::ALL.map(refused), [true, false, true, true, true]);
    assert_eq!(check_batch("{}", Revision::V2025_11_25), Ok(()));
}

#[test]
fn an_id_of_a_session_is_visible_ascii_within_its_limit() {
    let longest = "x".repeat(128);
    for (value, expected) in [
        ("!", Some("!")),
        ("~", Some("~")),
        (&longest, Some(&longest[..])),
        ("  abc ", Some("abc")),
        ("", None),
        ("a b", None),
        ("a\tb", None),
        ("a\u{7f}", None),
        ("é", None),
        (&format!("{longest}x"), None),
    ] {
        let headers = [(SESSION, value)];
        match session_id(headers.as_slice()) {
            Ok(found) => assert_eq!(found, expected, "{value:?}"),
            Err(refusal) => {
                assert_eq!((code(&refusal).as_str(), expected), ("400 -32600", None), "{value:?}")
            }
        }
    }
    assert_eq!(session_id([V26].as_slice()), Ok(None));
    assert!(session_id([S, S].as_slice()).is_ok());
    assert!(session_id([S, (SESSION, "other")].as_slice()).is_err());
    assert!(!is_session_id(b"\xff"));
}

#[test]
fn who_names_a_revision_with_sessions_has_to_name_a_session() {
    let status = |headers: &[(&str, &str)]| {
        named_session(headers, NEWER).map(|id| id.map(ToOwned::to_owned)).map_err(|refusal| code(&refusal))
    };
    assert_eq!(status(&[S, V25C]), Ok(Some("abc".to_owned())));
    assert_eq!(status(&[V25C]), Err("400 -32600".to_owned()));
    for headers in [&[][..], &[V26], &[V25A], &[UNKNOWN]] {
        assert_eq!(status(headers), Ok(None), "{headers:?}");
    }
}

#[test]
fn a_session_takes_its_own_version_another_legacy_one_and_none() {
    use Revision::*;
    for (revision, headers, ok) in [
        (V2025_11_25, &[][..], true),
        (V2025_11_25, &[V25C], true),
        (V2025_06_18, &[V25C], true),
        (V2025_06_18, &[UNKNOWN], false),
        (V2025_11_25, &[V26], false),
        (V2025_11_25, &[V25C, V25A], false),
        // This revision is not among the two that the endpoint serves here.
        (V2025_11_25, &[V25A], false),
        // The revisions of these sessions do not define the version header, so it is ignored.
        (V2025_03_26, &[UNKNOWN], true),
        (V2024_11_05, &[V26], true),
    ] {
        let found = check_session(headers, revision, NEWER);
        assert_eq!(found.is_ok(), ok, "{revision} {headers:?}");
        if let Err(refusal) = found {
            assert_eq!((refusal.status, refusal.revision), (400, revision));
        }
    }
}

#[test]
fn an_answer_repeats_the_id_of_requests_only() {
    let id = |frame: &str| answered_id(&parse(frame)).map(ToString::to_string);
    assert_eq!(id(&request("a")).as_deref(), Some("1"));
    assert_eq!(id(r#"{"jsonrpc":"1.0","id":"x","method":"a"}"#).as_deref(), Some("\"x\""));
    for frame in [
        r#"{"jsonrpc":"2.0","method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        "{",
    ] {
        assert_eq!(id(frame), None, "{frame}");
    }
}

#[test]
fn each_kind_of_error_has_its_status() {
    use ErrorKind::*;
    for (kind, before, answer) in [
        (MethodNotFound, 404, 200),
        (HeaderMismatch, 400, 200),
        (InvalidParams, 400, 200),
        (InvalidRequest, 400, 200),
        (MissingClientCapability, 400, 400),
        (Parse, 400, 200),
        (UnsupportedVersion, 400, 200),
        (Overloaded, 503, 200),
        (Internal, 500, 200),
        (ResourceNotFound, 200, 200),
        (UrlElicitationRequired, 200, 200),
        (Application(7), 200, 200),
    ] {
        assert_eq!((status_before_handler(&kind), status_of_answer(&kind)), (before, answer), "{kind:?}");
    }
}
