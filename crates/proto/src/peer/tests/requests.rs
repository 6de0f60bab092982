//! Tests of requests to a server: which ones are served in which revision, and the form of the answers.

use super::*;

const EMPTY_META: &str = "expected `_meta.io.modelcontextprotocol/protocolVersion` to be a string, but found";

#[test]
fn answers_each_message_in_its_own_era() {
    let mut server = Server::speaking(V25C);
    for _ in 0..2 {
        assert_eq!(server.serve(request("1", "tools/list")), [result("1", "{}")]);
        assert_eq!(server.serve(modern("2", "tools/list", "")), [result("2", MODERN_RESULT)]);
        assert_eq!(server.serve(request("3", "ping")), [result("3", "{}")]);
        assert!(server.serve(modern("4", "server/discover", ""))[0].contains("supportedVersions"));
    }
}

#[test]
fn serves_both_eras_at_the_same_time() {
    let mut server = Server::speaking(V24);
    let old = server.open_one(call("1", ""));
    let new = server.open_one(modern("2", "tools/call", r#","name":"t""#));
    assert_eq!(server.peer.encoder(old).revision(), V24);
    assert_eq!(server.peer.encoder(new).revision(), V26);
    server.answer(new);
    server.answer(old);
    assert_eq!(server.sent(), [result("2", MODERN_RESULT), result("1", "{}")]);
}

#[test]
fn serves_modern_requests_without_any_session() {
    let mut server = Server::fresh();
    assert_eq!(server.serve(modern("1", "tools/list", "")), [result("1", MODERN_RESULT)]);
    assert_eq!(server.peer.revision(), None);
}

#[test]
fn the_ids_of_both_eras_are_one_namespace() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(call("1", ""));
    let text = "expected `id` to be new, but found 1, which is in flight";
    for frame in [
        modern("1", "tools/list", ""),
        modern("1", "server/discover", ""),
        modern("1", "nonsense", ""),
        request("1", "ping"),
        request("1", "tools/list"),
    ] {
        assert_eq!(server.serve(&frame), [error("1", -32600, text)], "{frame}");
    }
    server.answer(key);
    assert_eq!(server.sent(), [result("1", "{}")]);
    assert_eq!(server.serve(modern("1", "tools/list", "")), [result("1", MODERN_RESULT)]);
}

#[test]
fn serves_only_ping_before_initialize() {
    let mut server = Server::fresh();
    assert_eq!(server.serve(request("1", "ping")), [result("1", "{}")]);
    for method in [
        "tools/list",
        "tools/call",
        "prompts/get",
        "resources/read",
        "logging/setLevel",
        "completion/complete",
        "notifications/initialized",
        "nonsense",
        "",
    ] {
        let text = format!("expected `initialize` first, but found `{method}`");
        assert_eq!(server.serve(request("1", method)), [error("1", -32600, &text)]);
    }
}

#[test]
fn refuses_half_modern_requests_as_malformed() {
    let found_nothing = format!("{EMPTY_META} nothing");
    for (method, params, text) in [
        ("server/discover", "{}", &*found_nothing),
        ("subscriptions/listen", "{}", &found_nothing),
        (
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}"#,
            &found_nothing,
        ),
        ("tools/list", r#"{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}"#, &found_nothing),
        ("ping", r#"{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}"#, &found_nothing),
        (
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
            "expected `_meta.io.modelcontextprotocol/clientCapabilities` to be an object, but found nothing",
        ),
        (
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]}}"#,
            "expected `_meta.io.modelcontextprotocol/clientCapabilities` to be an object, but found []",
        ),
        (
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}}}"#,
            &format!("{EMPTY_META} 7"),
        ),
        (
            "initialize",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":null}}"#,
            &format!("{EMPTY_META} null"),
        ),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        assert_eq!(Server::fresh().serve(&frame), [error("1", -32602, text)], "{frame}");
    }
}

#[test]
fn does_not_need_to_know_who_a_modern_client_is() {
    let mut server = Server::fresh();
    let frame = modern("1", "tools/list", "");
    let Some(Event::Request { meta, .. }) = server.hear(&frame).pop() else { panic!("no request") };
    let text = meta.meta.all.expect("`_meta`").text(&frame).to_owned();
    assert!(crate::peer::Client::from_meta(&text).info.is_none());
    assert!(crate::peer::Client::from_meta("7").info.is_none());
}

#[test]
fn reads_the_client_from_each_modern_request() {
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"7"}}}}"#;
    let Some(Event::Request { meta, .. }) = Server::fresh().hear(frame).pop() else { panic!("no request") };
    let client = crate::peer::Client::from_meta(meta.meta.all.expect("`_meta`").text(frame));
    assert!(client.capabilities.has("sampling"));
    assert_eq!(client.info.map(|info| info.version).as_deref(), Some("7"));
}

#[test]
fn names_the_versions_that_are_served_to_whoever_asks_for_another() {
    for (version, requested) in [("2099-01-01", "2099-01-01"), ("", ""), ("a\\nb", "a\\\\nb")] {
        let frame = modern("1", "tools/list", "").replace("2026-07-28", version);
        assert_eq!(
            Server::speaking(V24).serve(frame),
            [format!(
                concat!(
                    r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32022,"message":"expected a protocol version of "#,
                    r#"[\"2026-07-28\", \"2025-11-25\", \"2025-06-18\", \"2025-03-26\", \"2024-11-05\"], "#,
                    r#"but found \"{}\"","data":{{"requested":"{}","supported":"#,
                    r#"["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}}}}}"#
                ),
                requested, version
            )]
        );
    }
}

#[test]
fn says_how_a_legacy_version_is_asked_for() {
    let frame = modern("1", "tools/list", "").replace("2026-07-28", "2025-06-18");
    assert_eq!(
        Server::speaking(V24).serve(frame),
        [concat!(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"expected `initialize` for protocol version "#,
            r#"2025-06-18, but found it in the request","data":{"requested":"2025-06-18","supported":"#,
            r#"["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}}"#
        )]
    );
}

#[test]
fn a_legacy_server_answers_modern_requests_with_its_versions() {
    let mut server = Server::new(server_config(&[V24, V25A]));
    for method in ["server/discover", "tools/list", "initialize", "ping"] {
        assert_eq!(
            server.serve(modern("1", method, "")),
            [concat!(
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"expected a protocol version of "#,
                r#"[\"2025-03-26\", \"2024-11-05\"], but found \"2026-07-28\"","data":{"requested":"2026-07-28","#,
                r#""supported":["2025-03-26","2024-11-05"]}}}"#
            )],
            "{method}"
        );
    }
}

#[test]
fn what_2026_07_28_has_removed_does_not_exist_in_it() {
    let mut config = server_config(&Revision::ALL);
    config.capabilities.declare("logging", json!({}));
    let mut server = Server::new(config);
    server.begin(V25C);
    for method in [
        "ping",
        "initialize",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
    ] {
        let text = format!("expected a method of this server, but found `{method}`");
        assert_eq!(server.serve(modern("1", method, "")), [error("1", -32601, &text)]);
    }
}

#[test]
fn what_only_2026_07_28_has_does_not_exist_in_a_session() {
    let mut server = Server::speaking(V25C);
    for method in ["server/discover", "subscriptions/listen"] {
        let text = format!("expected a method of this server, but found `{method}`");
        assert_eq!(server.serve(request("1", method)), [error("1", -32601, &text)]);
    }
}

#[test]
fn what_is_not_offered_does_not_exist() {
    let methods = [
        ("prompts", "prompts/list", ""),
        ("prompts", "prompts/get", r#","name":"p""#),
        ("resources", "resources/list", ""),
        ("resources", "resources/read", r#","uri":"a://b""#),
        ("resources", "resources/templates/list", ""),
        ("tools", "tools/call", r#","name":"t""#),
        ("tools", "tools/list", ""),
    ];
    for offered in ["prompts", "resources", "tools"] {
        let mut config = server_config(&Revision::ALL);
        config.capabilities.0.retain(|name, _| name == offered);
        let mut server = Server::new(config);
        server.begin(V25C);
        for (capability, method, more) in methods {
            let text = format!("expected a method of this server, but found `{method}`");
            let (old, new) = if capability == offered {
                (result("1", "{}"), result("1", MODERN_RESULT))
            } else {
                (error("1", -32601, &text), error("1", -32601, &text))
            };
            let params = more.trim_start_matches(',');
            let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}}}}}"#);
            assert_eq!(server.serve(frame), [old], "{method}");
            assert_eq!(server.serve(modern("1", method, more)), [new], "{method}");
        }
    }
}

#[test]
fn reports_what_is_asked() {
    let mut server = Server::speaking(V25B);
    for (method, params, told) in [
        ("tools/call", r#"{"name":"t"}"#, r#"call "t" nothing"#),
        ("tools/call", r#"{"name":"t","arguments":null}"#, r#"call "t" nothing"#),
        ("tools/call", r#"{"arguments":{"a":[1]},"name":"\u0074"}"#, r#"call "\u0074" {"a":[1]}"#),
        ("prompts/get", r#"{"name":"p","arguments":{}}"#, r#"get "p" {}"#),
        ("resources/read", r#"{"uri":"a://b"}"#, r#"read "a://b""#),
        ("tools/list", "{}", "tools/list nothing"),
        ("tools/list", r#"{"cursor":null}"#, "tools/list nothing"),
        ("prompts/list", r#"{"cursor":""}"#, r#"prompts/list """#),
        ("resources/list", r#"{"cursor":"x"}"#, r#"resources/list "x""#),
        ("resources/templates/list", r#"{"_meta":5}"#, "resources/templates/list nothing"),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        assert_eq!(server.hears(&frame), [format!("2025-06-18: {told}")], "{frame}");
        server.hear(cancelled("1"));
    }
    assert_eq!(server.hears(request("2", "tools/list")), ["2025-06-18: tools/list nothing"]);
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn ids_come_back_with_their_type() {
    for id in [
        "1",
        "\"1\"",
        "0",
        "-7",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "\"9223372036854775808\"",
        "\"req-42\"",
        "\"\"",
        "\"é \\\" \\\\ \\n\"",
    ] {
        let mut server = Server::speaking(V25C);
        assert_eq!(server.serve(call(id, "")), [result(id, "{}")]);
        assert_eq!(server.serve(request(id, "ping")), [result(id, "{}")]);
        let text = "expected a method of this server, but found `nonsense`";
        assert_eq!(server.serve(request(id, "nonsense")), [error(id, -32601, text)]);
    }
}

#[test]
fn a_number_and_the_same_number_in_quotes_are_two_ids() {
    let mut server = Server::speaking(V25C);
    let number = server.open_one(call("1", ""));
    let string = server.open_one(call("\"1\"", ""));
    server.answer(string);
    server.answer(number);
    assert_eq!(server.sent(), [result("\"1\"", "{}"), result("1", "{}")]);
}

#[test]
fn an_id_is_the_same_however_it_is_escaped() {
    let mut server = Server::speaking(V25C);
    server.open_one(call("\"a\"", ""));
    let text = "expected `id` to be new, but found \"a\", which is in flight";
    assert_eq!(server.serve(call(r#""\u0061""#, "")), [error("\"a\"", -32600, text)]);
}

#[test]
fn refuses_a_second_request_with_the_same_id() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(call("7", ""));
    let text = "expected `id` to be new, but found 7, which is in flight";
    assert_eq!(server.serve(call("7", "")), [error("7", -32600, text)]);
    assert_eq!(server.peer.in_flight(), 1);
    server.answer(key);
    assert_eq!(server.sent(), [result("7", "{}")]);
}

#[test]
fn an_id_can_be_used_again_after_its_answer() {
    let mut server = Server::speaking(V25C);
    for _ in 0..3 {
        assert_eq!(server.serve(call("7", "")), [result("7", "{}")]);
    }
    assert_eq!(server.peer.in_flight(), 0);
}

#[test]
fn answers_in_the_order_of_the_answers() {
    let mut server = Server::speaking(V25C);
    let keys: Vec<_> = ["1", "2", "3"].map(|id| server.open_one(call(id, ""))).into();
    for n in [1, 2, 0] {
        server.answer(keys[n]);
    }
    assert_eq!(server.sent(), [result("2", "{}"), result("3", "{}"), result("1", "{}")]);
}

#[test]
fn answers_once_however_often_it_is_told_to() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(call("1", ""));
    server.answer(key);
    server.answer(key);
    server.peer.respond_error(key, &Error::new(ErrorKind::Internal, "x"));
    server.peer.finished(key);
    assert_eq!(server.sent(), [result("1", "{}")]);
    assert_eq!(server.peer.in_flight(), 0);
}

#[test]
fn writes_an_error_the_way_the_revision_of_the_request_has_it() {
    let mut server = Server::speaking(V25C);
    let failure = Error::resource_not_found("a://b");
    let expected = |code| {
        let body = r#""message":"expected `uri` to be a known resource, but found \"a://b\"","data":{"uri":"a://b"}"#;
        [format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},{body}}}}}"#)]
    };
    let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a://b"}}"#;
    let key = server.open_one(read);
    server.peer.respond_error(key, &failure);
    assert_eq!(server.sent(), expected(-32002));
    let key = server.open_one(modern("1", "resources/read", r#","uri":"a://b""#));
    server.peer.respond_error(key, &failure);
    assert_eq!(server.sent(), expected(-32602));
}

#[test]
fn arguments_that_break_the_schema_are_the_tools_error_where_the_revision_wants_it_so() {
    let as_result = r#""content":[{"type":"text","text":"no"}],"isError":true"#;
    for (revision, is_tool, answer) in [
        (V24, true, error("1", -32602, "no")),
        (V25B, true, error("1", -32602, "no")),
        (V25C, true, result("1", &format!("{{{as_result}}}"))),
        (V25C, false, error("1", -32602, "no")),
        (V26, true, result("1", &MODERN_RESULT.replace(",\"_meta\"", &format!(",{as_result},\"_meta\"")))),
        (V26, false, error("1", -32602, "no")),
    ] {
        let method = if is_tool { "tools/call" } else { "prompts/get" };
        let (mut server, frame) = match revision {
            V26 => (Server::fresh(), modern("1", method, r#","name":"t""#)),
            _ => (Server::speaking(revision), call("1", "").replace("tools/call", method)),
        };
        let key = server.open_one(frame);
        server.peer.respond_invalid_arguments(key, "no");
        assert_eq!(server.sent(), [answer], "{revision}, {is_tool}");
    }
}

#[test]
fn answers_a_request_whose_work_ended_without_an_answer() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(call("1", ""));
    server.peer.finished(key);
    let text = "expected the work to end with an answer, but found that it ended without one";
    assert_eq!(server.sent(), [error("1", -32603, text)]);
    assert_eq!(server.peer.in_flight(), 0);
}

#[test]
fn refuses_requests_over_the_limit_and_takes_them_again_below_it() {
    let mut server = Server::limited(V25C, |limits| limits.in_flight = 2);
    let one = server.open_one(call("1", ""));
    server.open_one(call("2", ""));
    let text = "expected at most 2 requests at a time (limit `in_flight`), but found one more";
    assert_eq!(server.serve(call("3", "")), [error("3", -32603, text)]);
    assert_eq!(server.serve(request("4", "ping")), [result("4", "{}")], "control is never refused");
    server.answer(one);
    assert_eq!(server.sent(), [result("1", "{}")]);
    assert_eq!(server.serve(call("3", "")), [result("3", "{}")]);
}

#[test]
fn sends_an_error_in_place_of_a_result_over_the_limit() {
    let mut server = Server::limited(V25C, |limits| limits.frame_out = 100);
    // The message has 34 bytes in addition to the result.
    for (length, fits) in [(66, true), (67, false)] {
        let key = server.open_one(call("1", ""));
        server.peer.respond(key, |out| out.extend(std::iter::repeat_n(b'x', length)));
        let found =
            format!("expected a result of at most 100 bytes (limit `frame_out`), but found {}", 34 + length);
        let sent = server.sent();
        if fits {
            assert_eq!(sent[0].len(), 100);
        } else {
            assert_eq!(sent, [error("1", -32603, &found)]);
        }
    }
}

#[test]
fn a_recycled_buffer_shows_nothing_of_what_was_in_it() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(call("1", ""));
    server.answer(key);
    let sent = server.peer.poll_transmit().expect("an answer");
    assert_eq!(sent.route, Route::Request(key));
    server.peer.recycle(sent.bytes);
    assert_eq!(server.serve(request("2", "ping")), [result("2", "{}")]);
}

#[test]
fn notifications_never_get_an_answer() {
    let mut server = Server::speaking(V25C);
    for method in ["initialize", "ping", "tools/call", "tools/list", "server/discover", "nonsense", "$/x", ""]
    {
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"a":1}}}}"#);
        assert_eq!(server.hears(&frame), [format!(r#"notification: "{method}" {{"a":1}}"#)]);
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{MODERN}}}}}"#);
        assert!(server.hears(&frame)[0].starts_with("notification: "), "{frame}");
    }
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn a_server_notifies_on_one_line() {
    let mut server = Server::speaking(V25C);
    server.peer.notify("notifications/tools/list_changed", "{\n}");
    let sent = server.peer.poll_transmit().expect("a frame");
    assert_eq!(sent.route, Route::Unsolicited);
    assert_eq!(sent.bytes, br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{ }}"#);
}
