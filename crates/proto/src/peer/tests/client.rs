//! Tests of a client's requests: their form and their outcome. Also tests of the server's requests to the
//! client.

use super::*;
use crate::cursor::List;

const SECOND: Duration = Duration::from_secs(1);

/// Makes a call that fails after 10 s without progress or after 25 s in total, and discards the frame that
/// the client would send.
fn watched(client: &mut Client) -> RequestKey {
    let options = RequestOptions { idle: 10 * SECOND, hard: 25 * SECOND };
    let key = client.0.client.request("tools/call", "{}", options, client.0.now);
    client.sent();
    key
}

fn progress(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#)
}

#[test]
fn a_modern_request_describes_itself() {
    let mut config = client_config(&[V26], EraChoice::Auto);
    config.capabilities.declare("sampling", json!({}));
    config.info.title = Some("C".to_owned());
    config.info.website_url = Some("https://c.example".to_owned());
    let mut pair = Pair::new(server_config(&Revision::ALL), config);
    pair.client.connect(pair.now);
    pair.drive(|_, _, _| {});
    let mut client = Client(pair);
    client.0.client.request("tools/call", r#"{"name":"t"}"#, RequestOptions::default(), client.0.now);
    assert_eq!(
        client.sent(),
        [concat!(
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","title":"C","websiteUrl":"https://c.example"},"#,
            r#""io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"#,
            r#""progressToken":2},"name":"t"}}"#
        )]
    );
}

#[test]
fn a_legacy_request_asks_for_progress_and_says_no_more() {
    for revision in &Revision::ALL[..4] {
        let mut client = Client::speaking(*revision);
        for (params, written) in [
            ("{}", r#"{"_meta":{"progressToken":2}}"#),
            (" { } ", r#"{"_meta":{"progressToken":3}}"#),
            ("{ \"a\": {\n} }", r#"{"_meta":{"progressToken":4},"a": { }}"#),
        ] {
            let key = client.0.client.request("x", params, RequestOptions::default(), client.0.now);
            assert_eq!(
                client.sent(),
                [format!(r#"{{"jsonrpc":"2.0","id":{},"method":"x","params":{written}}}"#, key.0)]
            );
        }
    }
}

#[test]
fn a_request_travels_to_the_server_and_its_answer_back() {
    for revision in Revision::ALL {
        let mut pair = Pair::new(server_config(&Revision::ALL), client_config(&[revision], EraChoice::Auto));
        pair.client.connect(pair.now);
        pair.drive(|_, _, _| {});
        let key = pair.client.request("tools/call", r#"{"name":"t"}"#, RequestOptions::default(), pair.now);
        pair.drive(|server, event, frame| {
            assert_eq!(told(event, frame), format!("{revision}: call \"t\" nothing"));
            let Event::Request { key, .. } = event else { return };
            server.progress(*key, 1.0, Some(2.0), None);
            let encoder = server.encoder(*key);
            server.respond(*key, |out| encoder.empty(out));
        });
        let expected = if revision == V26 { MODERN_RESULT } else { "{}" };
        assert_eq!(pair.wire[pair.wire.len() - 1], format!("< {}", result(&key.0.to_string(), expected)));
        let events = &pair.client_events[1..];
        assert!(
            matches!(events, [Event::Progress { request: a, .. }, Event::Result { request: b, .. }] if *a == key && *b == key),
            "{events:?}"
        );
        assert_eq!(pair.client.waiting(), 0);
        assert_eq!(pair.server.in_flight(), 0);
    }
}

#[test]
fn hands_a_result_over_as_it_is() {
    for answer in ["{}", r#"{"a":[1, 2]}"#, r#"{"resultType":"complete"}"#, r#"{"resultType":null,"b":1}"#] {
        let mut client = Client::speaking(V26);
        client.call();
        assert_eq!(client.hears(result("2", answer)), [format!("result 2: {answer}")]);
        assert_eq!(client.0.client.waiting(), 0);
    }
}

#[test]
fn a_result_of_an_unknown_type_is_a_failure() {
    for (answer, why) in [
        (r#"{"resultType":"odd"}"#, "expected `resultType` to be \"complete\", but found \"odd\""),
        (r#"{"resultType":7}"#, "expected `resultType` to be \"complete\", but found 7"),
        ("[]", "expected `result` to be an object, but found []"),
        (r#"["complete"]"#, "expected `result` to be an object, but found [\"complete\"]"),
        ("null", "expected `result` to be an object, but found null"),
        ("7", "expected `result` to be an object, but found 7"),
    ] {
        let mut client = Client::speaking(V26);
        client.call();
        assert_eq!(client.hears(result("2", answer)), [format!("failed 2: InvalidRequest: {why}")]);
        assert_eq!(client.0.client.waiting(), 0);
    }
}

#[test]
fn an_error_is_read_together_with_what_was_asked() {
    for (method, code, kind) in [
        ("tools/call", -32602, "InvalidParams"),
        ("tools/call", -32002, "InvalidParams"),
        ("resources/read", -32002, "ResourceNotFound"),
        ("resources/read", -32602, "ResourceNotFound"),
        ("tools/list", -32002, "Application(-32002)"),
        ("tools/list", -32601, "MethodNotFound"),
        ("tools/list", -32603, "Internal"),
        ("tools/list", -32800, "Application(-32800)"),
        ("tools/list", 42, "Application(42)"),
        ("tools/list", -32021, "MissingClientCapability"),
        ("tools/list", -32022, "UnsupportedVersion"),
    ] {
        let mut client = Client::speaking(V25C);
        client.0.client.request(method, "{}", RequestOptions::default(), client.0.now);
        assert_eq!(
            client.hears(error("2", code, "no")),
            [format!("failed 2: {kind}: no")],
            "{method} {code}"
        );
        assert_eq!(client.0.client.waiting(), 0);
    }
}

#[test]
fn keeps_what_an_error_says_beyond_its_message() {
    let mut client = Client::speaking(V25C);
    client.call();
    let frame = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no","data":{"a": 1}}}"#;
    client.0.client.handle_frame(frame.as_bytes(), client.0.now);
    let Some(Event::Failed { error, .. }) = client.0.client.poll_event() else { panic!("no failure") };
    assert_eq!(error.data(), Some(r#"{"a": 1}"#));
}

#[test]
fn a_broken_answer_ends_its_request() {
    let deep = "[".repeat(1_000) + &"]".repeat(1_000);
    for (frame, why) in [
        (
            r#"{"jsonrpc":"2.0","id":2,"result":{"a":}}"#.to_owned(),
            "Parse: expected a JSON value at byte 38, but found '}'",
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{}}"#.to_owned(),
            "InvalidRequest: expected `result` or `error`, but found both",
        ),
        (
            r#"{"id":2,"result":{}}"#.to_owned(),
            "InvalidRequest: expected `jsonrpc` to be \"2.0\", but found nothing",
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"a":{deep}}}}}"#),
            "InvalidRequest: expected nesting within the limit `depth`, but found more at byte 164",
        ),
    ] {
        let mut client = Client::speaking(V26);
        client.call();
        assert_eq!(client.hears(&frame), [format!("failed 2: {why}")]);
        assert_eq!(client.sent(), [""; 0]);
        assert_eq!(client.0.client.waiting(), 0);
    }
}

#[test]
fn an_answer_over_the_limit_ends_its_request() {
    let mut client = Client::speaking(V26);
    client.call();
    client.0.client.handle_oversize(br#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"te"#, client.0.now);
    assert_eq!(
        client.waits(Duration::ZERO),
        [
            "failed 2: InvalidRequest: expected a message of at most 16777216 bytes (limit `frame_in`), but found a longer one"
        ]
    );
    assert_eq!(client.sent(), [""; 0]);
}

#[test]
fn a_broken_request_of_the_server_does_not_end_a_request_with_the_same_id() {
    let mut client = Client::speaking(V25C);
    client.call();
    let told = client.hears(r#"{"jsonrpc":"2.0","id":2,"method":"roots/list","params":[]}"#);
    assert_eq!(told, ["ignored: expected `params` to be an object, but found an array"]);
    assert_eq!(client.hears(result("2", "{}")), ["result 2: {}"]);
}

#[test]
fn ignores_answers_that_nobody_waits_for() {
    let mut client = Client::speaking(V25C);
    client.call();
    for (frame, note) in [
        (result("3", "{}"), "answer to 3, which was not asked"),
        (result("-2", "{}"), "answer to -2, which was not asked"),
        (result("\"2\"", "{}"), "answer to \"2\", which was not asked"),
        (error("18446744073709551618", -1, "x"), "error for 18446744073709551618, which was not asked"),
        (error(None, -1, "x"), r#"error without an id: {"code":-1,"message":"x"}"#),
    ] {
        assert_eq!(client.hears(frame), [format!("ignored: {note}")]);
    }
    assert_eq!(client.hears(result("2", "{}")), ["result 2: {}"]);
    assert_eq!(client.hears(result("2", "{}")), ["ignored: answer to 2, which was not asked"]);
}

#[test]
fn a_request_fails_when_nothing_comes_in_time() {
    let mut client = Client::speaking(V25C);
    watched(&mut client);
    assert_eq!(client.0.client.poll_timeout(), Some(10 * SECOND));
    assert_eq!(client.waits(10 * SECOND - Duration::from_nanos(1)), [""; 0]);
    assert_eq!(
        client.waits(Duration::from_nanos(1)),
        [
            "failed 2: Late { is_idle: true }: expected an answer to `tools/call`, but the idle deadline of 10s passed"
        ]
    );
    assert_eq!(
        client.sent(),
        [concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"#,
            r#""reason":"expected an answer to `tools/call`, but the idle deadline of 10s passed"}}"#
        )]
    );
    assert_eq!(client.0.client.poll_timeout(), None);
    assert_eq!(client.hears(result("2", "{}")), ["ignored: answer to 2, which was not asked"]);
}

#[test]
fn waits_a_minute_without_progress_and_ten_minutes_in_all() {
    let mut client = Client::speaking(V25C);
    client.call();
    assert_eq!(client.0.client.poll_timeout(), Some(60 * SECOND));
    for _ in 0..10 {
        client.waits(59 * SECOND);
        client.hears(progress(r#"{"progressToken":2,"progress":1}"#));
    }
    assert_eq!(client.0.client.poll_timeout(), Some(600 * SECOND));
}

#[test]
fn progress_begins_the_idle_deadline_anew() {
    let mut client = Client::speaking(V25C);
    watched(&mut client);
    client.waits(9 * SECOND);
    client.hears(progress(r#"{"progressToken":2,"progress":1}"#));
    assert_eq!(client.0.client.poll_timeout(), Some(19 * SECOND));
    assert_eq!(client.waits(9 * SECOND), [""; 0]);
    assert!(client.waits(SECOND)[0].contains("the idle deadline of 10s passed"));
}

#[test]
fn progress_of_the_handshake_is_told_to_nobody() {
    let mut client = Client::connecting(client_config(&[V25C], EraChoice::default()));
    let note = "ignored: progress of 1, which is not waited for";
    assert_eq!(client.hears(progress(r#"{"progressToken":1,"progress":1}"#)), [note]);
}

#[test]
fn the_hard_deadline_passes_however_much_progress_there_is() {
    let mut client = Client::speaking(V25C);
    watched(&mut client);
    for _ in 0..3 {
        assert_eq!(client.waits(8 * SECOND), [""; 0]);
        client.hears(progress(r#"{"progressToken":2,"progress":1}"#));
    }
    assert_eq!(client.0.client.poll_timeout(), Some(25 * SECOND));
    assert_eq!(
        client.waits(SECOND),
        [
            "failed 2: Late { is_idle: false }: expected an answer to `tools/call`, but the deadline of 25s passed"
        ]
    );
}

/// A request with an idle time of zero must fail at once, even while the client works on a question.
/// Regression test: `handle_timeout` looped forever here, since it restarted the idle deadline of such a
/// request again and again.
#[test]
fn a_request_without_any_time_fails_at_once_also_while_somebody_thinks_about_a_question() {
    let mut config = client_config(&[V25C], EraChoice::default());
    config.capabilities.declare("elicitation", json!({}));
    let mut pair = Pair::new(server_config(&Revision::ALL), config);
    pair.client.connect(pair.now);
    pair.drive(|_, _, _| {});
    let mut client = Client(pair);
    client.0.client_events.clear();
    let question = r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}"#;
    assert_eq!(client.hears(question), ["2025-11-25: elicitation/create {}"]);
    let options = RequestOptions { idle: Duration::ZERO, ..RequestOptions::default() };
    client.0.client.request("tools/call", r#"{"name":"t"}"#, options, client.0.now);
    assert_eq!(
        client.waits(Duration::ZERO),
        [
            "failed 2: Late { is_idle: true }: expected an answer to `tools/call`, but the idle deadline of 0ns passed"
        ]
    );
}

#[test]
fn after_the_answer_to_a_question_the_server_has_the_idle_time_once_more() {
    let mut config = client_config(&[V25C], EraChoice::default());
    config.capabilities.declare("elicitation", json!({}));
    let mut pair = Pair::new(server_config(&Revision::ALL), config);
    pair.client.connect(pair.now);
    pair.drive(|_, _, _| {});
    let mut client = Client(pair);
    watched(&mut client);
    client.0.client_events.clear();
    let question = r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}"#;
    client.0.client.handle_frame(question.as_bytes(), client.0.now);
    let events: Vec<Event> = std::iter::from_fn(|| client.0.client.poll_event()).collect();
    let [Event::Request { key, .. }] = events[..] else { panic!("{events:?}") };
    assert_eq!(client.waits(9 * SECOND), [""; 0]);
    client.0.client.respond(key, |out| out.extend_from_slice(br#"{"action":"decline"}"#));
    // The idle deadline of the call was at 10 s.
    assert_eq!(client.waits(SECOND), [""; 0]);
    assert_eq!(client.waits(9 * SECOND), [""; 0]);
    assert!(client.waits(SECOND)[0].contains("the idle deadline of 10s passed"));
}

#[test]
fn each_request_has_a_deadline_of_its_own() {
    let mut client = Client::speaking(V25C);
    watched(&mut client);
    client.waits(3 * SECOND);
    watched(&mut client);
    assert!(client.waits(7 * SECOND)[0].starts_with("failed 2: "));
    assert_eq!(client.0.client.waiting(), 1);
    assert!(client.waits(3 * SECOND)[0].starts_with("failed 3: "));
}

#[test]
fn tells_how_far_a_request_is() {
    let mut client = Client::speaking(V25C);
    client.call();
    for (params, told) in [
        (r#"{"progressToken":2,"progress":1}"#, "progress 2: 1 None None"),
        (
            r#"{"progressToken":2,"progress":1.5,"total":3,"message":"m"}"#,
            "progress 2: 1.5 Some(3.0) Some(\"m\")",
        ),
        (r#"{"progressToken":2,"progress":2,"total":null}"#, "progress 2: 2 None None"),
        (r#"{"progressToken":9,"progress":1}"#, "ignored: progress of 9, which is not waited for"),
    ] {
        assert_eq!(client.hears(progress(params)), [told]);
    }
    client.hears(result("2", "{}"));
    assert_eq!(
        client.hears(progress(r#"{"progressToken":2,"progress":9}"#)),
        ["ignored: progress of 2, which is not waited for"]
    );
}

#[test]
fn cancels_a_request_and_ignores_its_answer() {
    let mut client = Client::speaking(V25C);
    let key = client.call();
    client.0.client.cancel(key, "changed my \"mind\"\n");
    assert_eq!(
        client.sent(),
        [concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"#,
            r#""reason":"changed my \"mind\"\n"}}"#
        )]
    );
    assert_eq!(client.hears(result("2", "{}")), ["ignored: answer to 2, which was not asked"]);
    assert_eq!(client.hears(error("2", -32800, "x")), ["ignored: error for 2, which was not asked"]);
    client.0.client.cancel(key, "again");
    assert_eq!(client.sent(), [""; 0]);
    assert_eq!(client.waits(600 * SECOND), [""; 0]);
}

#[test]
fn a_cancellation_reaches_the_server() {
    let mut pair = Pair::new(server_config(&Revision::ALL), client_config(&[V26], EraChoice::Auto));
    pair.client.connect(pair.now);
    pair.drive(|_, _, _| {});
    let key = pair.client.request("tools/call", r#"{"name":"t"}"#, RequestOptions::default(), pair.now);
    let mut called = None;
    pair.drive(|_, event, _| {
        if let Event::Request { key, .. } = event {
            called = Some(*key);
        }
    });
    pair.client.cancel(key, "enough");
    pair.drive(|_, _, _| {});
    let Some(Event::Cancelled { key, reason }) = pair.server_events.pop() else { panic!("not cancelled") };
    assert_eq!((Some(key), reason.as_deref()), (called, Some("enough")));
    pair.server.finished(key);
    pair.drive(|_, _, _| {});
    assert_eq!(pair.wire.len(), 4, "two frames to connect, the request, its cancellation: {:?}", pair.wire);
    assert_eq!(pair.server.in_flight(), 0);
}

#[test]
fn answers_a_ping_of_the_server() {
    for revision in &Revision::ALL[..4] {
        let mut client = Client::speaking(*revision);
        for id in ["1", "2", "\"a\""] {
            assert_eq!(client.hears(request(id, "ping")), [""; 0]);
            assert_eq!(client.sent(), [result(id, "{}")]);
        }
        assert_eq!(client.0.client.in_flight(), 0);
    }
}

#[test]
fn answers_a_ping_before_the_handshake_has_ended() {
    let mut client = Client::connecting(client_config(&[V25C], EraChoice::Auto));
    client.sent();
    assert_eq!(client.hears(request("1", "ping")), [""; 0]);
    assert_eq!(client.sent(), [result("1", "{}")]);
}

#[test]
fn refuses_requests_of_the_server_that_it_does_not_know() {
    let mut client = Client::speaking(V25C);
    for method in ["roots/list", "sampling/createMessage", "elicitation/create", "tools/list", "initialize"] {
        assert_eq!(client.hears(request("7", method)), [""; 0]);
        let text = format!("expected a method of this client, but found `{method}`");
        assert_eq!(client.sent(), [error("7", -32601, &text)]);
    }
}

#[test]
fn a_modern_client_writes_no_answers() {
    let mut client = Client::speaking(V26);
    for method in ["ping", "sampling/createMessage"] {
        assert_eq!(
            client.hears(request("7", method)),
            [format!("ignored: request `{method}` of a server that may make none")]
        );
    }
    assert_eq!(client.sent(), [""; 0]);
}

#[test]
fn tells_which_list_has_changed() {
    let mut client = Client::speaking(V25C);
    for (name, list) in [("tools", List::Tools), ("prompts", List::Prompts), ("resources", List::Resources)] {
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"notifications/{name}/list_changed"}}"#);
        assert_eq!(client.hears(frame), [format!("changed: {}", list.method())]);
    }
}

#[test]
fn passes_on_notifications_without_a_rule() {
    let mut client = Client::speaking(V25C);
    assert_eq!(
        client.hears(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}"#),
        [r#"notification: "notifications/message" {"level":"info"}"#]
    );
    assert_eq!(client.sent(), [""; 0]);
}
