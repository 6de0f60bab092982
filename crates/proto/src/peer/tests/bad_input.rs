//! Tests of input that cannot be served: each kind, and the whole frame that answers it.

use proptest::prelude::*;

use super::*;

/// Checks that the server answers `frame` with `expected`, and that it serves the next request as usual.
fn answered(server: &mut Server, frame: impl AsRef<[u8]>, expected: &[String]) {
    let shown = String::from_utf8_lossy(frame.as_ref()).chars().take(200).collect::<String>();
    assert_eq!(server.serve(frame), expected, "{shown}");
    assert_eq!(server.serve(call("\"next\"", "")), [result("\"next\"", "{}")], "after {shown}");
    assert_eq!(server.peer.in_flight(), 0, "{shown}");
}

/// Checks that the server does not answer `frame`, and reports it as [`Event::Ignored`] with the text `note`.
fn ignored(server: &mut Server, frame: impl AsRef<[u8]>, note: &str) {
    assert_eq!(server.hears(&frame), [format!("ignored: {note}")]);
    answered(server, frame, &[]);
}

fn nested(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

#[test]
fn text_that_is_no_json_is_a_parse_error() {
    for (frame, message) in [
        ("hello", "expected a JSON value at byte 0, but found 'h'"),
        ("", "expected a JSON value at byte 0, but found the end of the message"),
        ("{", "expected `,` or `}` at byte 1, but found the end of the message"),
        ("{]", "expected a string at byte 1, but found ']'"),
        ("nul", "expected `true`, `false` or `null` at byte 0, but found 'n'"),
        ("\u{feff}{}", "expected a JSON value at byte 0, but found '\\u{feff}'"),
        ("\0", "expected a JSON value at byte 0, but found '\\0'"),
        (
            r#"{"jsonrpc":"2.0","method":"tools/list","params":{"a":01},"id":1}"#,
            "expected `,` or `}` at byte 54, but found '1'",
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"method\":\"a\nb\"}",
            "expected no control character in a string at byte 28, but found '\\n'",
        ),
    ] {
        answered(&mut Server::speaking(V25C), frame, &[error(None, -32700, message)]);
    }
}

#[test]
fn a_parse_error_has_the_id_that_stood_before_it() {
    for (frame, id, message) in [
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"a":}}"#,
            "7",
            "expected a JSON value at byte 60, but found '}'",
        ),
        (r#"{"id":"a","x" 1}"#, "\"a\"", "expected `:` at byte 14, but found '1'"),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping"} {}"#,
            "7",
            "expected the end of the message at byte 41, but found '{'",
        ),
        (r#"{"id":"a""#, "\"a\"", "expected `,` or `}` at byte 9, but found the end of the message"),
        (r#"{"id":7 "#, "7", "expected `,` or `}` at byte 8, but found the end of the message"),
    ] {
        answered(&mut Server::speaking(V25C), frame, &[error(id, -32700, message)]);
    }
}

#[test]
fn a_number_at_the_end_of_what_can_be_read_is_no_certain_id() {
    let message = "expected `,` or `}` at byte 7, but found the end of the message";
    answered(&mut Server::speaking(V25C), r#"{"id":7"#, &[error(None, -32700, message)]);
    let message = "expected UTF-8, but found the byte 0xff at 7";
    answered(&mut Server::speaking(V25C), b"{\"id\":7\xff}", &[error(None, -32700, message)]);
}

#[test]
fn bytes_that_are_no_utf_8_are_a_parse_error() {
    for (frame, id, message) in [
        (&b"\xff\xfe"[..], None, "expected UTF-8, but found the byte 0xff at 0"),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xc3\x28\"}",
            Some("7"),
            "expected UTF-8, but found the byte 0xc3 at 34",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"method\":\"x\xed\xa0\x80\"}",
            None,
            "expected UTF-8, but found the byte 0xed at 28",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\xff",
            Some("7"),
            "expected UTF-8, but found the byte 0xff at 40",
        ),
    ] {
        answered(&mut Server::speaking(V25C), frame, &[error(id, -32700, message)]);
    }
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    for (frame, id, message) in [
        ("5", None, "expected a message to be an object, but found a number"),
        ("null", None, "expected a message to be an object, but found null"),
        ("\"x\"", None, "expected a message to be an object, but found a string"),
        ("{}", None, "expected `jsonrpc` to be \"2.0\", but found nothing"),
        (r#"{"id":7,"method":"ping"}"#, Some("7"), "expected `jsonrpc` to be \"2.0\", but found nothing"),
        (
            r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
            Some("7"),
            "expected `jsonrpc` to be \"2.0\", but found \"1.0\"",
        ),
        (
            r#"{"jsonrpc":2.0,"id":7,"method":"ping"}"#,
            Some("7"),
            "expected `jsonrpc` to be \"2.0\", but found 2.0",
        ),
        (r#"{"jsonrpc":"2.0","id":7}"#, Some("7"), "expected `method`, but found nothing"),
        (r#"{"jsonrpc":"2.0"}"#, None, "expected `method`, but found nothing"),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
            Some("7"),
            "expected `method` to be a string, but found 5",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":null}"#,
            Some("7"),
            "expected `method` to be a string, but found null",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"ping"}"#,
            Some("7"),
            "expected `method` once, but found it twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"id":7,"method":"ping"}"#,
            Some("7"),
            "expected `id` once, but found it twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{},"params":{}}"#,
            Some("7"),
            "expected `params` once, but found it twice",
        ),
    ] {
        answered(&mut Server::speaking(V25C), frame, &[error(id, -32600, message)]);
    }
}

#[test]
fn an_id_is_a_string_or_a_whole_number() {
    for id in ["null", "1.5", "1e2", "true", "{}", "[1]", &"9".repeat(50)] {
        let message = format!("expected `id` to be a string or a whole number, but found {id}");
        answered(&mut Server::speaking(V25C), request(id, "ping"), &[error(None, -32600, &message)]);
    }
}

#[test]
fn an_unreadable_id_is_answered_with_null_where_the_id_is_required() {
    let message = "expected a JSON value at byte 0, but found 'h'";
    for (revision, id) in [(V24, Some("null")), (V25A, Some("null")), (V25B, Some("null")), (V25C, None)] {
        answered(&mut Server::speaking(revision), "hello", &[error(id, -32700, message)]);
    }
    assert_eq!(Server::fresh().serve("hello"), [error("null", -32700, message)]);
}

#[test]
fn params_are_an_object() {
    for (params, found) in [
        ("[]", "an array"),
        ("null", "null"),
        ("5", "a number"),
        ("\"x\"", "a string"),
        ("true", "a boolean"),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{params}}}"#);
        let message = format!("expected `params` to be an object, but found {found}");
        answered(&mut Server::speaking(V25C), frame, &[error("7", -32602, &message)]);
    }
}

#[test]
fn parameters_have_the_type_that_the_method_wants() {
    for (method, params, message) in [
        ("tools/call", "{}", "expected `name` to be a string, but found nothing"),
        ("tools/call", r#"{"name":null}"#, "expected `name` to be a string, but found null"),
        ("tools/call", r#"{"name":5}"#, "expected `name` to be a string, but found 5"),
        (
            "tools/call",
            r#"{"name":"t","arguments":[1]}"#,
            "expected `arguments` to be an object, but found [1]",
        ),
        (
            "tools/call",
            r#"{"name":"t","arguments":"{}"}"#,
            "expected `arguments` to be an object, but found \"{}\"",
        ),
        ("prompts/get", r#"{"name":["p"]}"#, "expected `name` to be a string, but found [\"p\"]"),
        ("prompts/get", r#"{"name":"p","arguments":0}"#, "expected `arguments` to be an object, but found 0"),
        ("resources/read", "{}", "expected `uri` to be a string, but found nothing"),
        ("resources/read", r#"{"uri":{}}"#, "expected `uri` to be a string, but found {}"),
        ("tools/list", r#"{"cursor":5}"#, "expected `cursor` to be a string, but found 5"),
        ("prompts/list", r#"{"cursor":{}}"#, "expected `cursor` to be a string, but found {}"),
        ("resources/list", r#"{"cursor":[]}"#, "expected `cursor` to be a string, but found []"),
        (
            "resources/templates/list",
            r#"{"cursor":true}"#,
            "expected `cursor` to be a string, but found true",
        ),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
        answered(&mut Server::speaking(V25C), frame, &[error("7", -32602, message)]);
        let more = params[1..params.len() - 1].to_owned();
        let more = if more.is_empty() { more } else { format!(",{more}") };
        answered(&mut Server::speaking(V25C), modern("7", method, &more), &[error("7", -32602, message)]);
    }
}

#[test]
fn shows_at_most_80_characters_of_what_was_found() {
    let long = format!("[{}]", "é".repeat(200).replace('é', "\"é\",") + "1");
    let shown: String = long.chars().take(80).collect();
    let message = format!("expected `arguments` to be an object, but found {shown}…");
    answered(
        &mut Server::speaking(V25C),
        call("7", &format!(r#","arguments":{long}"#)),
        &[error("7", -32602, &message)],
    );
    let message = format!("expected a method of this server, but found `{}…`", "x".repeat(80));
    answered(&mut Server::speaking(V25C), request("7", &"x".repeat(500)), &[error("7", -32601, &message)]);
}

#[test]
fn a_malformed_request_is_answered_although_it_has_a_result() {
    let message = "expected `params` to be an object, but found an array";
    for outcome in ["result", "error"] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","{outcome}":{{}},"params":[]}}"#);
        answered(&mut Server::speaking(V25C), frame, &[error("7", -32602, message)]);
    }
}

#[test]
fn an_unknown_method_is_not_found() {
    for method in ["nonsense", "tools/", "tools", "tools/call/x", "Tools/call", "", "notifications/cancelled"]
    {
        let message = format!("expected a method of this server, but found `{method}`");
        answered(&mut Server::speaking(V25C), request("7", method), &[error("7", -32601, &message)]);
    }
}

#[test]
fn a_message_nested_too_deeply_is_refused_with_its_id() {
    let deep = nested(10_000);
    for frame in [
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"a":{deep}}}}}"#),
        format!(r#"{{"method":"tools/call","params":{{"a":{deep}}},"jsonrpc":"2.0","id":7}}"#),
        // Here `"id"` is also the text of a value, which must not be taken for the member name.
        format!(r#"{{"method":"tools/call","params":{{"a":{deep}}},"x":"id","id":7,"y":"\"id\":8"}}"#),
    ] {
        let at = frame.find('[').expect("a bracket") + 126;
        let message = format!("expected nesting within the limit `depth`, but found more at byte {at}");
        answered(&mut Server::speaking(V25C), frame, &[error("7", -32600, &message)]);
    }
}

#[test]
fn a_message_nested_too_deeply_without_a_readable_id_is_refused_without() {
    for frame in [
        "{\"a\":".repeat(10_000),
        "{\"a\":[".repeat(5_000),
        nested(10_000).replacen('[', "{\"a\":[", 1) + "}",
    ] {
        let sent = Server::speaking(V25C).serve(frame);
        assert_eq!(sent.len(), 1);
        assert!(sent[0].starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32600,"#), "{sent:?}");
    }
}

#[test]
fn takes_a_message_nested_as_deeply_as_the_limit_allows() {
    let mut server = Server::speaking(V25C);
    // The message and its `params` are two more levels.
    assert_eq!(server.serve(call("1", &format!(r#","x":{}"#, nested(126)))), [result("1", "{}")]);
    let frame = call("1", &format!(r#","x":{}"#, nested(127)));
    let at = frame.find('[').expect("a bracket") + 126;
    let message = format!("expected nesting within the limit `depth`, but found more at byte {at}");
    assert_eq!(server.serve(frame), [error("1", -32600, &message)]);
}

#[test]
fn a_notification_that_is_malformed_gets_no_answer() {
    let mut server = Server::speaking(V25C);
    let deep = nested(10_000);
    for (frame, note) in [
        (r#"{"method":"a"}"#.to_owned(), "expected `jsonrpc` to be \"2.0\", but found nothing"),
        (
            r#"{"jsonrpc":"2.0","method":"a","params":[]}"#.to_owned(),
            "expected `params` to be an object, but found an array",
        ),
        (r#"{"jsonrpc":"2.0","method":5}"#.to_owned(), "expected `method` to be a string, but found 5"),
        (
            format!(r#"{{"jsonrpc":"2.0","method":"a","params":{{"x":{deep}}}}}"#),
            "expected nesting within the limit `depth`, but found more at byte 170",
        ),
    ] {
        ignored(&mut server, frame, note);
    }
}

#[test]
fn an_answer_that_nobody_waits_for_is_ignored() {
    let mut server = Server::speaking(V25C);
    for (frame, note) in [
        (result("7", "{}"), "answer to 7, which was not asked"),
        (result("\"7\"", "{}"), "answer to \"7\", which was not asked"),
        (error("7", -1, "x"), "error for 7, which was not asked"),
        (error(None, -1, "x"), r#"error without an id: {"code":-1,"message":"x"}"#),
        (error("null", -1, "x"), r#"error without an id: {"code":-1,"message":"x"}"#),
        (r#"{"jsonrpc":"2.0","result":{}}"#.to_owned(), "expected `id` beside `result`, but found nothing"),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#.to_owned(),
            "expected `result` or `error`, but found both",
        ),
        (r#"{"id":7,"result":{}}"#.to_owned(), "expected `jsonrpc` to be \"2.0\", but found nothing"),
        (
            r#"{"jsonrpc":"2.0","id":null,"result":{}}"#.to_owned(),
            "expected `id` to be a string or a whole number, but found null",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":{"a":}}"#.to_owned(),
            "expected a JSON value at byte 38, but found '}'",
        ),
    ] {
        ignored(&mut server, frame, note);
    }
}

#[test]
fn a_cancellation_that_means_nothing_is_ignored() {
    let mut server = Server::speaking(V25C);
    let malformed = "expected `requestId` of a cancellation to be a string or a whole number";
    let with =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#);
    for (frame, note) in [
        (cancelled("99"), "cancellation of 99, which is not in flight"),
        (cancelled("\"x\""), "cancellation of \"x\", which is not in flight"),
        (with("{}"), malformed),
        (with(r#"{"requestId":null}"#), malformed),
        (with(r#"{"requestId":1.5}"#), malformed),
        (with(r#"{"requestId":{}}"#), malformed),
        (with(r#"{"id":7}"#), malformed),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#.to_owned(), malformed),
        (r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"requestId":1}}"#.to_owned(), malformed),
    ] {
        ignored(&mut server, frame, note);
    }
}

#[test]
fn progress_of_nothing_is_ignored() {
    let mut server = Server::speaking(V25C);
    let with =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#);
    let known = with(r#"{"progressToken":1,"progress":1}"#);
    ignored(&mut server, known, "progress of 1, which is not waited for");
    for params in ["{}", r#"{"progressToken":"x","progress":1}"#, r#"{"progressToken":1}"#] {
        let told = server.hears(with(params));
        assert!(told[0].starts_with("ignored: progress that can't be read: "), "{told:?}");
    }
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn a_frame_over_the_limit_is_refused_with_the_id_in_its_beginning() {
    let mut server = Server::limited(V25C, |limits| limits.frame_in = 100);
    let message = "expected a message of at most 100 bytes (limit `frame_in`), but found a longer one";
    for (prefix, id) in [
        (&br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"xxx"#[..], Some("7")),
        (br#"{"jsonrpc":"2.0","id":"req-42","method":"tools"#, Some("\"req-42\"")),
        (br#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"xxx"#, None),
        // The id may be incomplete: the next byte could be another digit.
        (br#"{"jsonrpc":"2.0","method":"tools/call","id":7"#, None),
        (br#"{"jsonrpc":"2.0","method":"tools/call","id":"7"#, None),
        // A complete request and white space after it.
        (br#"{"jsonrpc":"2.0","id":7,"method":"ping"}        "#, Some("7")),
        // Cut off within a character.
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xc3", Some("7")),
        (b"xxxxxxxx", None),
        (b"[[[[[[[[", None),
        (b"", None),
    ] {
        server.peer.handle_oversize(prefix, Now::default());
        assert_eq!(server.sent(), [error(id, -32600, message)], "{}", String::from_utf8_lossy(prefix));
        assert!(matches!(server.peer.poll_event(), Some(Event::Ignored(text)) if text == message));
        assert_eq!(server.serve(call("8", "")), [result("8", "{}")]);
    }
}

#[test]
fn an_answer_over_the_limit_that_nobody_waits_for_gets_no_answer() {
    let mut server = Server::speaking(V25C);
    server.peer.handle_oversize(br#"{"jsonrpc":"2.0","id":7,"result":{"content":"#, Now::default());
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn a_client_answers_nothing_that_is_no_request() {
    for revision in [V24, V25A, V25C, V26] {
        let mut client = Client::speaking(revision);
        for frame in ["hello", "{}", "[", r#"[{}]"#, "5", r#"{"id":5}"#, &nested(1_000)] {
            let told = client.hears(frame);
            assert!(told.iter().all(|it| it.starts_with("ignored: ")), "{frame}: {told:?}");
            assert!(!told.is_empty(), "{frame}");
        }
        client.0.client.handle_oversize(b"{\"jsonrpc\":", Now::default());
        client.hears(b"\xff");
        assert_eq!(client.sent(), [""; 0], "{revision}");
        assert_eq!(client.0.client.waiting(), 0);
    }
}

/// Frames that a client may send. `{id}` is replaced by an id.
const VALID: [&str; 14] = [
    r#"{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{"name":"t","arguments":{"a":[1,2.5e3,"x\n"]},"_meta":{"progressToken":"p"}}}"#,
    r#"{"method":"tools/list","params":{"cursor":"abc"},"jsonrpc":"2.0","id":{id}}"#,
    r#"{"jsonrpc":"2.0","id":{id},"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":"{id}","method":"prompts/get","params":{"name":"p"}}"#,
    r#"{"jsonrpc":"2.0","id":"{id}","method":"resources/read","params":{"uri":"a://é"}}"#,
    r#"{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","id":{id},"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":"t"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{id}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{id},"progress":0.5}}"#,
    r#"{"jsonrpc":"2.0","id":{id},"result":{"content":[]}}"#,
    r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32601,"message":"no"}}"#,
    r#"[{"jsonrpc":"2.0","id":{id},"method":"ping"},{"jsonrpc":"2.0","id":"b{id}","method":"tools/list"},{"jsonrpc":"2.0","method":"x"},5]"#,
];

/// A change to a frame. A position is a number that is taken modulo the length of the frame plus one.
#[derive(Clone, Debug)]
enum Change {
    Cut(usize, usize),
    Double(usize, usize),
    Insert(usize, Vec<u8>),
    Replace(usize, u8),
    Truncate(usize),
}

impl Change {
    fn apply(&self, frame: &mut Vec<u8>) {
        let place = |at: usize| at % (frame.len() + 1);
        match self {
            Self::Cut(at, length) => {
                let at = place(*at);
                let end = frame.len().min(at + length);
                frame.drain(at..end);
            }
            Self::Double(at, length) => {
                let at = place(*at);
                let end = frame.len().min(at + length);
                let copy = frame[at..end].to_vec();
                frame.splice(at..at, copy);
            }
            Self::Insert(at, bytes) => {
                let at = place(*at);
                frame.splice(at..at, bytes.iter().copied());
            }
            Self::Replace(at, byte) => {
                let at = place(*at);
                if let Some(slot) = frame.get_mut(at) {
                    *slot = *byte;
                }
            }
            Self::Truncate(at) => frame.truncate(place(*at)),
        }
    }
}

/// Pieces of text that are likely to break a frame or to change its meaning.
const TOKENS: &[&[u8]] = &[
    b"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"1",
    b"-",
    b"\\",
    b"\\u",
    b"\n",
    b" ",
    b"\0",
    b"\xff",
    b"\xc3\xa9",
    b"\"id\":5,",
    b"\"method\":\"x\",",
    b"\"params\":{},",
    b"\"result\":{},",
];

fn change() -> impl Strategy<Value = Change> {
    let token = prop::sample::select(TOKENS);
    prop_oneof![
        (any::<usize>(), 0..12usize).prop_map(|(at, length)| Change::Cut(at, length)),
        (any::<usize>(), 0..40usize).prop_map(|(at, length)| Change::Double(at, length)),
        (any::<usize>(), token).prop_map(|(at, bytes)| Change::Insert(at, bytes.to_vec())),
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        any::<usize>().prop_map(Change::Truncate),
    ]
}

/// Generates the state of a connection: `None` before the handshake, or the revision of a session.
fn state() -> impl Strategy<Value = Option<Revision>> {
    prop::sample::select(&[None, Some(V24), Some(V25A), Some(V25C)][..])
}

/// Returns the ids of the answers in a frame.
fn ids(sent: &str) -> Vec<serde_json::Value> {
    let answers = match serde_json::from_str(sent).expect("what is sent is JSON") {
        serde_json::Value::Array(answers) => answers,
        answer => vec![answer],
    };
    answers.iter().map(|answer| answer["id"].clone()).collect()
}

/// Returns the id that the answer to `message` must have: `null` if the id of the message can't be read.
/// Returns `None` if the message gets no answer.
fn due(message: &serde_json::Value) -> Option<serde_json::Value> {
    let has = |name| message.get(name).is_some();
    let id = message.get("id");
    let nobody_waits = if has("method") { id.is_none() } else { has("result") || has("error") };
    if nobody_waits {
        return None;
    }
    Some(id.filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned().unwrap_or_default())
}

/// Passes a frame to the server, and compares the answers with those that follow from parsing the frame by
/// serde_json.
fn check(server: &mut Server, frame: &[u8]) {
    let batches = server.peer.revision() == Some(V25A);
    let sent = server.serve(frame);
    let shown = String::from_utf8_lossy(frame);
    match serde_json::from_slice::<serde_json::Value>(frame) {
        Ok(serde_json::Value::Array(members)) if batches && !members.is_empty() => {
            let mut due: Vec<_> = members.iter().filter_map(due).map(|id| id.to_string()).collect();
            let mut found: Vec<_> = sent.iter().flat_map(|sent| ids(sent)).map(|id| id.to_string()).collect();
            due.sort();
            found.sort();
            // If only one of the two parsers can read an id, the other takes it for `null`.
            assert_eq!(found.len(), due.len(), "{shown}");
            // As below, for a message with two ids.
            let uncertain = sent.iter().any(|sent| sent.contains("expected `id` once"));
            let is_found = |id: &String| id == "null" || found.contains(id);
            assert!(uncertain || due.iter().all(is_found), "{shown}: {sent:?}");
            assert!(sent.len() <= 1, "{shown}: {sent:?}");
        }
        Ok(message) => match due(&message) {
            None => assert_eq!(sent, [""; 0], "{shown}"),
            Some(id) => {
                assert_eq!(sent.len(), 1, "{shown}: {sent:?}");
                // If a message has two ids, serde_json takes the last one, and this crate takes none.
                let uncertain = sent[0].contains("expected `id` once");
                assert!(id.is_null() || uncertain || ids(&sent[0]) == [id], "{shown}: {sent:?}");
            }
        },
        // The frame is not JSON, or has a number that only this crate can read.
        Err(_) => assert!(sent.len() <= 1, "{shown}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_of_any_kind_get_at_most_one_answer_each(
        state in state(),
        frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..4),
    ) {
        let mut server = state.map_or_else(Server::fresh, Server::speaking);
        let mut client = Client::speaking(state.unwrap_or(V26));
        client.call();
        for frame in frames {
            check(&mut server, &frame);
            server.peer.handle_oversize(&frame, Now::default());
            prop_assert!(server.sent().len() <= 1);
            client.hears(&frame);
            client.0.client.handle_oversize(&frame, Now::default());
            prop_assert_eq!(client.sent(), [""; 0]);
        }
        prop_assert_eq!(server.serve(request("1", "ping")).len(), 1);
        prop_assert_eq!(server.peer.in_flight(), 0);
    }

    #[test]
    fn a_changed_frame_gets_the_answer_that_its_sender_waits_for(
        state in state(),
        frames in prop::collection::vec((0..VALID.len(), prop::collection::vec(change(), 0..4)), 1..8),
    ) {
        let mut server = state.map_or_else(Server::fresh, Server::speaking);
        for (id, (template, changes)) in frames.into_iter().enumerate() {
            let mut frame = VALID[template].replace("{id}", &id.to_string()).into_bytes();
            changes.iter().for_each(|change| change.apply(&mut frame));
            check(&mut server, &frame);
        }
        prop_assert_eq!(server.peer.in_flight(), 0);
        prop_assert_eq!(server.serve(modern("\"last\"", "tools/list", "")), [result("\"last\"", MODERN_RESULT)]);
    }

    #[test]
    fn a_changed_frame_does_not_confuse_a_client(
        state in state(),
        frames in prop::collection::vec((0..VALID.len(), prop::collection::vec(change(), 0..4)), 1..8),
    ) {
        let mut client = Client::speaking(state.unwrap_or(V26));
        let requests: Vec<_> = (0..4).map(|_| client.call()).collect();
        let mut ended = std::collections::BTreeSet::new();
        for (id, (template, changes)) in frames.into_iter().enumerate() {
            let mut frame = VALID[template].replace("{id}", &id.to_string()).into_bytes();
            changes.iter().for_each(|change| change.apply(&mut frame));
            for told in client.hears(&frame) {
                if let Some(("result" | "failed", rest)) = told.split_once(' ') {
                    let number = rest.split(':').next().expect("a number").to_owned();
                    prop_assert!(ended.insert(number), "ended twice: {}", told);
                }
            }
        }
        prop_assert_eq!(ended.len() + client.0.client.waiting(), requests.len());
        client.waits(Duration::from_secs(600));
        prop_assert_eq!(client.0.client.waiting(), 0);
    }
}

/// A server keeps these for as long as a request or a session lasts, so that many of them could fill its
/// memory.
#[test]
fn what_is_kept_beyond_a_message_has_a_limit_in_bytes() {
    let id = |length: usize| format!("\"{}\"", "i".repeat(length - 2));
    let mut server = Server::speaking(V25C);
    assert_eq!(server.serve(request(&id(1_024), "ping")), [result(&id(1_024), "{}")]);
    let too_long = "expected `id` to have at most 1024 bytes, but found 1025";
    answered(&mut server, request(&id(1_025), "ping"), &[error(None, -32600, too_long)]);
    // A progress token is ignored like any other that is none.
    let with_token = |token: &str| call("1", &format!(r#","_meta":{{"progressToken":{token}}}"#));
    for (length, reports) in [(1_024, 1), (1_025, 0)] {
        let Some(Event::Request { key, .. }) = server.hear(with_token(&id(length))).pop() else { panic!() };
        server.peer.progress(key, 1.0, None, None);
        assert_eq!(server.sent().len(), reports);
        server.peer.respond(key, |out| out.extend_from_slice(b"{}"));
        assert_eq!(server.sent().len(), 1);
    }
    let described = |length: usize| {
        let fixed =
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"","version":"1"}}"#;
        let params = fixed.replacen("\"\"", &format!("\"{}\"", "n".repeat(length - fixed.len())), 1);
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#)
    };
    let mut server = Server::fresh();
    let too_long = "expected the parameters of `initialize` to have at most 65536 bytes, but found 65537";
    assert_eq!(server.serve(described(65_537)), [error("1", -32602, too_long)]);
    assert!(server.serve(described(65_536))[0].contains("result"));
}
