//! Tests of a server's own messages: notifications for legacy subscriptions and for `subscriptions/listen`
//! requests, log messages, and pings after a long silence. Also tests of completions.

use super::*;
use crate::cursor::List;
use crate::model::{CompleteRequest, Completion, CompletionReference, LogLevel};
use std::collections::BTreeMap;

const LEGACY: [Revision; 4] = [V24, V25A, V25B, V25C];

/// Returns the configuration of a server with every capability, including the notifications of changed lists.
fn config() -> ServerConfig {
    let mut capabilities = Capabilities::default();
    capabilities.declare("completions", json!({}));
    capabilities.declare("logging", json!({}));
    capabilities.declare("prompts", json!({ "listChanged": true }));
    capabilities.declare("resources", json!({ "listChanged": true, "subscribe": true }));
    capabilities.declare("tools", json!({ "listChanged": true }));
    ServerConfig::new(Implementation::new("s", "1"), capabilities)
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Creates a server that has every capability and is in a session of `revision`.
fn in_touch(revision: Revision) -> Server {
    let mut server = Server::new(config());
    server.begin(revision);
    server.hear(INITIALIZED);
    server
}

fn with_uri(id: &str, method: &str, uri: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"uri":{uri}}}}}"#)
}

fn subscribe(server: &mut Server, uri: &str) -> Vec<String> {
    let key = server.open_one(with_uri("1", "resources/subscribe", &format!("{uri:?}")));
    server.peer.subscribe(key, uri);
    server.sent()
}

fn unsubscribe(server: &mut Server, uri: &str) -> Vec<String> {
    let key = server.open_one(with_uri("1", "resources/unsubscribe", &format!("{uri:?}")));
    server.peer.unsubscribe(key, uri);
    server.sent()
}

fn listening(id: &str, filter: &str) -> String {
    modern(id, "subscriptions/listen", &format!(r#","notifications":{filter}"#))
}

/// Sends a `subscriptions/listen` request to a server whose resources are all URIs that begin with `a`, and
/// accepts it. Returns the key of the request, and the frames that the server sends.
fn listen(server: &mut Server, id: &str, filter: &str) -> (CallKey, Vec<String>) {
    let key = server.open_one(listening(id, filter));
    server.peer.accept_listen(key, |uri| uri.starts_with('a'));
    (key, server.sent())
}

/// Returns a notification for the subscription whose `subscriptions/listen` request has the id `id`.
fn tagged(method: &str, id: &str, more: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}{more}}}}}"#
    )
}

fn plain(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#)
}

fn changed(server: &mut Server, change: Change) -> Vec<String> {
    server.peer.changed(&change);
    server.sent()
}

fn updated(uri: &str) -> Change {
    Change::Resource(uri.to_owned())
}

#[test]
fn a_session_hears_of_the_resources_it_subscribed_to_until_it_unsubscribes() {
    for revision in LEGACY {
        let mut server = in_touch(revision);
        assert_eq!(changed(&mut server, updated("a://1")), [""; 0]);
        assert_eq!(subscribe(&mut server, "a://1"), [result("1", "{}")]);
        assert_eq!(subscribe(&mut server, "a://1"), [result("1", "{}")]);
        assert_eq!(
            changed(&mut server, updated("a://1")),
            [plain("resources/updated", r#"{"uri":"a://1"}"#)],
            "subscribed twice, told once"
        );
        assert_eq!(changed(&mut server, updated("a://2")), [""; 0]);
        assert_eq!(unsubscribe(&mut server, "a://1"), [result("1", "{}")]);
        assert_eq!(unsubscribe(&mut server, "a://9"), [result("1", "{}")], "what was never subscribed to");
        assert_eq!(changed(&mut server, updated("a://1")), [""; 0]);
        assert_eq!(server.peer.watched().count(), 0);
    }
}

#[test]
fn subscribing_needs_a_uri_and_a_server_that_offers_it() {
    let mut server = in_touch(V25C);
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let text = "expected `uri` to be a string, but found nothing";
        assert_eq!(server.serve(request("1", method)), [error("1", -32602, text)]);
        let text = "expected `uri` to be a string, but found 5";
        assert_eq!(server.serve(with_uri("1", method, "5")), [error("1", -32602, text)]);
        let text = format!("expected a method of this server, but found `{method}`");
        assert_eq!(
            server.serve(modern("1", method, r#","uri":"a://1""#)),
            [error("1", -32601, &text)],
            "2026-07-28 has listens instead"
        );
        let mut plain = Server::speaking(V25C);
        assert_eq!(plain.serve(with_uri("1", method, "\"a://1\"")), [error("1", -32601, &text)]);
    }
}

#[test]
fn a_session_hears_of_lists_after_it_is_initialized_and_only_of_those_that_are_announced() {
    for revision in LEGACY {
        let mut server = Server::new(config());
        assert_eq!(changed(&mut server, Change::List(List::Tools)), [""; 0]);
        server.begin(revision);
        assert_eq!(changed(&mut server, Change::List(List::Tools)), [""; 0]);
        assert!(!server.peer.hears(List::Tools));
        server.hear(INITIALIZED);
        for (list, method) in [
            (List::Prompts, "prompts/list_changed"),
            (List::Resources, "resources/list_changed"),
            (List::ResourceTemplates, "resources/list_changed"),
            (List::Tools, "tools/list_changed"),
        ] {
            assert!(server.peer.hears(list));
            assert_eq!(changed(&mut server, Change::List(list)), [plain(method, "{}")]);
        }
        let mut silent = Server::speaking(revision);
        silent.hear(INITIALIZED);
        assert_eq!(changed(&mut silent, Change::List(List::Tools)), [""; 0]);
    }
}

#[test]
fn a_listen_is_acknowledged_with_what_is_agreed_to_and_tagged_with_its_id_as_it_was_sent() {
    for id in ["1", "\"1\"", "\"a\\\"b\""] {
        let mut server = Server::new(config());
        let filter = r#"{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["a://1","b://1","a://1"]}"#;
        let (key, sent) = listen(&mut server, id, filter);
        let agreed = r#","notifications":{"toolsListChanged":true,"resourceSubscriptions":["a://1"]}"#;
        assert_eq!(sent, [tagged("subscriptions/acknowledged", id, agreed)]);
        server.peer.changed(&Change::List(List::Tools));
        let told = server.peer.poll_transmit().expect("a frame");
        assert_eq!(told.route, Route::Listen(key));
        assert_eq!(String::from_utf8(told.bytes).expect("UTF-8"), tagged("tools/list_changed", id, ""));
        assert_eq!(changed(&mut server, Change::List(List::Prompts)), [""; 0]);
        assert_eq!(
            changed(&mut server, updated("a://1")),
            [tagged("resources/updated", id, r#","uri":"a://1""#)]
        );
        assert_eq!(changed(&mut server, updated("b://1")), [""; 0]);
    }
}

#[test]
fn a_listen_gets_nothing_before_it_is_acknowledged() {
    let mut server = Server::new(config());
    let key = server.open_one(listening("1", r#"{"toolsListChanged":true}"#));
    assert_eq!(changed(&mut server, Change::List(List::Tools)), [""; 0]);
    server.peer.accept_listen(key, |_| true);
    server.peer.accept_listen(key, |_| true);
    assert_eq!(server.sent().len(), 1, "it is acknowledged once");
}

#[test]
fn what_the_server_does_not_announce_is_left_out_of_the_acknowledgement() {
    let mut server = Server::fresh();
    let filter = r#"{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a://1"]}"#;
    let (_, sent) = listen(&mut server, "1", filter);
    assert_eq!(sent, [tagged("subscriptions/acknowledged", "1", r#","notifications":{}"#)]);
    for change in [Change::List(List::Tools), updated("a://1")] {
        assert_eq!(changed(&mut server, change), [""; 0]);
    }
}

#[test]
fn refuses_listens_that_cannot_be_read() {
    let mut server = Server::new(config());
    for (filter, text) in [
        ("5", "expected `notifications` to be an object, but found 5"),
        ("[true]", "expected `notifications` to be an object, but found [true]"),
        (
            r#"{"toolsListChanged":"yes"}"#,
            "expected `notifications` to be a filter, but found: invalid type: string \"yes\", expected a boolean at line 1 column 25",
        ),
        (
            r#"{"resourceSubscriptions":"a"}"#,
            "expected `notifications` to be a filter, but found: invalid type: string \"a\", expected a sequence at line 1 column 28",
        ),
    ] {
        assert_eq!(server.serve(listening("1", filter)), [error("1", -32602, text)]);
    }
    let text = "expected `notifications` to be an object, but found nothing";
    assert_eq!(server.serve(modern("1", "subscriptions/listen", "")), [error("1", -32602, text)]);
    assert_eq!((server.peer.listens(), server.peer.in_flight()), (0, 0));
}

#[test]
fn several_listens_and_a_session_each_hear_once() {
    let mut server = in_touch(V25C);
    subscribe(&mut server, "a://1");
    for id in ["1", "\"1\""] {
        listen(&mut server, id, r#"{"resourcesListChanged":true,"resourceSubscriptions":["a://1"]}"#);
    }
    assert_eq!(
        changed(&mut server, updated("a://1")),
        [
            plain("resources/updated", r#"{"uri":"a://1"}"#),
            tagged("resources/updated", "1", r#","uri":"a://1""#),
            tagged("resources/updated", "\"1\"", r#","uri":"a://1""#),
        ]
    );
    assert_eq!(changed(&mut server, Change::List(List::ResourceTemplates)).len(), 3);
    assert_eq!(server.peer.watched().collect::<Vec<_>>(), ["a://1"]);
}

#[test]
fn a_cancelled_listen_ends_without_a_word_and_leaves_nothing_behind() {
    let mut server = Server::new(config());
    for _ in 0..1_000 {
        let (key, _) =
            listen(&mut server, "1", r#"{"toolsListChanged":true,"resourceSubscriptions":["a://1"]}"#);
        let before = server.peer.watch_generation();
        assert_eq!(server.hears(cancelled("1")), ["cancelled: None"]);
        assert_ne!(server.peer.watch_generation(), before);
        server.peer.finished(key);
        assert_eq!(server.sent(), [""; 0]);
        assert_eq!(changed(&mut server, Change::List(List::Tools)), [""; 0]);
    }
    assert_eq!((server.peer.listens(), server.peer.in_flight(), server.peer.watched().count()), (0, 0, 0));
    let key = server.open_one(listening("2", r#"{"toolsListChanged":true}"#));
    server.hear(cancelled("2"));
    server.peer.accept_listen(key, |_| true);
    assert_eq!(server.sent(), [""; 0], "cancelled before the program has agreed");
}

#[test]
fn listens_are_no_requests_in_flight_but_keep_their_ids() {
    let mut config = config();
    config.limits.in_flight = 1;
    let mut server = Server::new(config);
    listen(&mut server, "1", "{}");
    assert_eq!(server.peer.in_flight(), 0);
    let key = server.open_one(modern("2", "tools/call", r#","name":"t""#));
    listen(&mut server, "3", "{}");
    assert_eq!((server.peer.in_flight(), server.peer.listens()), (1, 2));
    server.answer(key);
    server.sent();
    let text = "expected `id` to be new, but found 1, which is in flight";
    assert_eq!(server.serve(modern("1", "tools/call", r#","name":"t""#)), [error("1", -32600, text)]);
}

#[test]
fn refuses_one_listen_too_many_and_takes_the_next_after_one_has_ended() {
    let mut config = config();
    config.limits.listens = 2;
    let mut server = Server::new(config);
    // The second listen counts too, although the server has not accepted it yet.
    listen(&mut server, "1", "{}");
    server.open_one(listening("2", "{}"));
    let text = "expected at most 2 listens at a time (limit `listens`), but found one more";
    assert_eq!(server.serve(listening("3", "{}")), [error("3", -32603, text)]);
    server.hear(cancelled("1"));
    assert_eq!(listen(&mut server, "3", "{}").1.len(), 1);
}

#[test]
fn refuses_one_subscription_too_many_in_either_era() {
    let mut config = config();
    config.limits.subscriptions = 3;
    let mut server = Server::new(config);
    server.begin(V25C);
    subscribe(&mut server, "a://1");
    listen(&mut server, "2", r#"{"resourceSubscriptions":["a://1","a://2","b://1"]}"#);
    let text = |found| {
        format!("expected at most 3 subscriptions to resources (limit `subscriptions`), but found {found}")
    };
    assert_eq!(subscribe(&mut server, "a://3"), [error("1", -32603, &text(4))]);
    assert_eq!(subscribe(&mut server, "a://1"), [result("1", "{}")], "which is no new one");
    let (_, sent) = listen(&mut server, "3", r#"{"resourceSubscriptions":["a://1","a://2"]}"#);
    assert_eq!(sent, [error("3", -32603, &text(5))]);
    let far = server.serve(listening("3", r#"{"resourceSubscriptions":["b://1","b://2","b://3","b://4"]}"#));
    assert_eq!(far, [error("3", -32603, &text(4))], "nobody looks at so many, though none exists");
    assert_eq!(server.peer.listens(), 1);
    server.hear(cancelled("2"));
    assert_eq!(subscribe(&mut server, "a://3"), [result("1", "{}")]);
}

#[test]
fn refuses_a_subscription_with_a_uri_of_more_than_8_kib_in_either_era() {
    let mut server = Server::new(config());
    server.begin(V25C);
    let uri = |length: usize| format!("a://{}", "u".repeat(length - 4));
    let text = "expected the URI of a subscription to have at most 8192 bytes, but found 8193";
    assert_eq!(subscribe(&mut server, &uri(8_192)), [result("1", "{}")]);
    assert_eq!(subscribe(&mut server, &uri(8_193)), [error("1", -32602, text)]);
    let filter = format!(r#"{{"resourceSubscriptions":["{}"]}}"#, uri(8_193));
    let (_, sent) = listen(&mut server, "2", &filter);
    assert_eq!(sent, [error("2", -32602, text)]);
    assert_eq!(server.peer.listens(), 0);
}

#[test]
fn a_server_that_ends_answers_each_listen_with_a_result_that_names_it() {
    let mut server = in_touch(V25C);
    let (key, _) = listen(&mut server, "1", "{}");
    listen(&mut server, "\"1\"", r#"{"toolsListChanged":true}"#);
    assert!(server.peer.end_listens());
    let ended = |id: &str| {
        let meta = r#""io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}"#;
        let tag = format!(r#""io.modelcontextprotocol/subscriptionId":{id}"#);
        result(id, &format!(r#"{{"resultType":"complete","_meta":{{{meta},{tag}}}}}"#))
    };
    let first = server.peer.poll_transmit().expect("a result");
    assert_eq!(first.route, Route::Listen(key));
    assert_eq!(String::from_utf8(first.bytes).expect("UTF-8"), ended("1"));
    assert_eq!(server.sent(), [ended("\"1\"")]);
    assert!(!server.peer.end_listens());
    assert_eq!(changed(&mut server, Change::List(List::Tools)), [plain("tools/list_changed", "{}")]);
}

/// Logs a message of each level for the call `key`, and returns the levels that the server sends.
fn logged(server: &mut Server, key: CallKey) -> Vec<&'static str> {
    let mut passed = Vec::new();
    for level in LogLevel::ALL {
        server.peer.log(key, level, Some("db"), "{\"a\":\n1}");
        let expected =
            plain("message", &format!(r#"{{"level":"{}","logger":"db","data":{{"a": 1}}}}"#, level.as_str()));
        match &server.sent()[..] {
            [] => {}
            [frame] if *frame == expected => passed.push(level.as_str()),
            other => panic!("{other:?}"),
        }
    }
    passed
}

fn set_level(level: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{{"level":{level}}}}}"#)
}

const LEVELS: &str = "debug, info, notice, warning, error, critical, alert, emergency";

#[test]
fn a_session_hears_messages_from_the_level_it_has_set_and_of_info_before() {
    for revision in LEGACY {
        let mut server = in_touch(revision);
        let key = server.open_one(call("1", ""));
        assert_eq!(logged(&mut server, key)[0], "info");
        assert_eq!(server.hears(set_level("\"error\"")), ["log level: error"]);
        assert_eq!(server.sent(), [result("9", "{}")]);
        // The new level also applies to a call that is in flight.
        assert_eq!(logged(&mut server, key), ["error", "critical", "alert", "emergency"]);
        server.hears(set_level("\"debug\""));
        server.sent();
        assert_eq!(logged(&mut server, key).len(), 8);
        server.answer(key);
        server.sent();
        assert_eq!(logged(&mut server, key), [""; 0], "the request is over");
    }
}

#[test]
fn refuses_levels_that_there_are_not() {
    let mut server = in_touch(V25C);
    for found in ["\"loud\"", "5", "\"Error\""] {
        let text = format!("expected `level` to be one of {LEVELS}, but found {found}");
        assert_eq!(server.serve(set_level(found)), [error("9", -32602, &text)]);
    }
    let text = format!("expected `level` to be one of {LEVELS}, but found nothing");
    assert_eq!(server.serve(request("9", "logging/setLevel")), [error("9", -32602, &text)]);
    for method in ["tools/call", "server/discover", "subscriptions/listen"] {
        let frame = modern("9", method, "")
            .replace(r#""_meta":{"#, r#""_meta":{"io.modelcontextprotocol/logLevel":"loud","#);
        let text = format!(
            "expected `_meta.io.modelcontextprotocol/logLevel` to be one of {LEVELS}, but found \"loud\""
        );
        assert_eq!(server.serve(frame), [error("9", -32602, &text)], "{method}");
    }
}

#[test]
fn a_modern_request_hears_messages_only_if_it_asked_and_from_its_own_level() {
    let mut server = in_touch(V25C);
    server.hears(set_level("\"debug\""));
    server.sent();
    let asking = |id: &str, level: &str| {
        let meta = format!(r#""_meta":{{"io.modelcontextprotocol/logLevel":"{level}","#);
        modern(id, "tools/call", r#","name":"t""#).replace(r#""_meta":{"#, &meta)
    };
    let silent = server.open_one(modern("1", "tools/call", r#","name":"t""#));
    assert_eq!(logged(&mut server, silent), [""; 0], "the session's level is not for it");
    let alert = server.open_one(asking("2", "alert"));
    assert_eq!(logged(&mut server, alert), ["alert", "emergency"]);
    let events = server.hear(asking("3", "notice"));
    let [Event::Request { meta, .. }] = &events[..] else { panic!("{events:?}") };
    assert_eq!(meta.log_level, Some(LogLevel::Notice));
    server.peer.log(alert, LogLevel::Alert, None, "1");
    assert_eq!(server.peer.poll_transmit().expect("a message").route, Route::Request(alert));
}

#[test]
fn a_server_that_does_not_offer_logging_logs_nothing() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(call("1", ""));
    assert_eq!(logged(&mut server, key), [""; 0]);
    let text = "expected a method of this server, but found `logging/setLevel`";
    assert_eq!(server.serve(set_level("\"debug\"")), [error("9", -32601, text)]);
    let text = text.to_owned();
    assert_eq!(
        in_touch(V25C).serve(modern("9", "logging/setLevel", r#","level":"debug""#)),
        [error("9", -32601, &text)]
    );
}

#[test]
fn nothing_is_logged_on_a_listen() {
    let mut server = Server::new(config());
    let frame = listening("1", "{}")
        .replace(r#""_meta":{"#, r#""_meta":{"progressToken":1,"io.modelcontextprotocol/logLevel":"debug","#);
    let key = server.open_one(frame);
    server.peer.accept_listen(key, |_| true);
    server.sent();
    assert_eq!(logged(&mut server, key), [""; 0]);
    server.peer.progress(key, 1.0, None, None);
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn completions_are_asked_for_in_every_revision_and_written_in_its_shape() {
    let params = r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":"v"}}"#;
    let completion = Completion { has_more: true, total: Some(10), values: vec!["a\"".to_owned()] };
    for revision in Revision::ALL {
        let mut server = Server::new(config());
        let frame = if revision == V26 {
            modern("1", "completion/complete", &format!(",{}", &params[1..params.len() - 1]))
        } else {
            server.begin(revision);
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{params}}}"#)
        };
        let key = server.open_one(&frame);
        let encoder = server.peer.encoder(key);
        server.peer.respond(key, |out| encoder.complete(out, &completion));
        let inner = r#""completion":{"values":["a\""],"total":10,"hasMore":true}"#;
        let expected = match revision {
            V26 => MODERN_RESULT.replace(",\"_meta\"", &format!(",{inner},\"_meta\"")),
            _ => format!("{{{inner}}}"),
        };
        assert_eq!(server.sent(), [result("1", &expected)], "{revision}");
    }
    let text = "expected a method of this server, but found `completion/complete`";
    assert_eq!(Server::speaking(V25C).serve(request("1", "completion/complete")), [error("1", -32601, text)]);
}

#[test]
fn reads_what_is_to_be_completed() {
    let read = |json: &str| CompleteRequest::parse(json).map_err(|error| error.message().to_owned());
    let json = r#"{"ref":{"type":"ref/resource","uri":"a://{x}"},"argument":{"name":"x","value":"v"},"context":{"arguments":{"y":"1"}},"_meta":{}}"#;
    let expected = CompleteRequest {
        argument: "x".to_owned(),
        arguments: BTreeMap::from([("y".to_owned(), "1".to_owned())]),
        reference: CompletionReference::Resource("a://{x}".to_owned()),
        value: "v".to_owned(),
    };
    assert_eq!(read(json), Ok(expected));
    let with = |reference: &str| format!(r#"{{"ref":{reference},"argument":{{"name":"x","value":"v"}}}}"#);
    assert!(read(&with(r#"{"type":"ref/prompt","name":"p"}"#)).is_ok());
    for (json, text) in [
        (with(r#"{"type":"ref/prompt"}"#), "expected `ref.name` to be a string, but found nothing"),
        (with(r#"{"type":"ref/resource"}"#), "expected `ref.uri` to be a string, but found nothing"),
        (
            with(r#"{"type":"ref/tool"}"#),
            "expected `ref.type` to be ref/prompt or ref/resource, but found \"ref/tool\"",
        ),
        (
            "{}".to_owned(),
            "expected the parameters of `completion/complete`, but found: missing field `argument` at line 1 column 2",
        ),
    ] {
        assert_eq!(read(&json), Err(text.to_owned()));
    }
}

fn at(seconds: u64) -> Now {
    Now { monotonic: Duration::from_secs(seconds), ..Now::default() }
}

/// Creates a server that sends a ping after ten seconds of silence: in a session of `revision`, or before the
/// handshake if `revision` is `None`.
fn patient(revision: Option<Revision>) -> Server {
    let mut config = config();
    config.keep_alive = Some(Duration::from_secs(10));
    let mut server = Server::new(config);
    if let Some(revision) = revision {
        server.begin(revision);
        server.hear(INITIALIZED);
    }
    server
}

/// Sets the clock to `until` seconds. Returns the events that the server reports, and the frames that it has
/// to send.
fn waits(server: &mut Server, until: u64) -> (Vec<String>, Vec<String>) {
    server.peer.handle_timeout(at(until));
    let events = std::iter::from_fn(|| server.peer.poll_event()).map(|event| told(&event, "")).collect();
    (events, server.sent())
}

#[test]
fn a_silent_session_is_asked_and_then_given_up() {
    for revision in LEGACY {
        let mut server = patient(Some(revision));
        let nothing = || (vec![], vec![]);
        assert_eq!(server.peer.poll_timeout(), Some(Duration::from_secs(10)));
        assert_eq!(waits(&mut server, 9), nothing());
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#.to_owned();
        assert_eq!(waits(&mut server, 10), (vec![], vec![ping]));
        assert_eq!(waits(&mut server, 19), nothing());
        assert_eq!(waits(&mut server, 20), (vec!["unresponsive".to_owned()], vec![]));
        assert_eq!(server.peer.poll_timeout(), None);
        assert_eq!(waits(&mut server, 99), nothing());
    }
}

#[test]
fn a_session_that_was_asked_late_has_all_its_time_to_answer() {
    let mut server = patient(Some(V25C));
    assert_eq!(waits(&mut server, 100).1.len(), 1, "the program was held up, or its machine slept");
    assert_eq!(server.peer.poll_timeout(), Some(Duration::from_secs(110)));
    for second in [100, 109] {
        assert_eq!(waits(&mut server, second), (vec![], vec![]));
    }
    assert_eq!(waits(&mut server, 110).0, ["unresponsive"]);
}

#[test]
fn nobody_is_asked_after_a_time_that_never_ends() {
    for every in [Duration::MAX, Duration::MAX - Duration::from_secs(1)] {
        let mut config = config();
        config.keep_alive = Some(every);
        let mut server = Server::new(config);
        server.begin(V25C);
        server.hear(INITIALIZED);
        server.peer.handle_frame(request("7", "ping").as_bytes(), at(2));
        server.sent();
        assert_eq!(server.peer.poll_timeout(), None);
        server.peer.handle_timeout(Now { monotonic: Duration::MAX, ..Now::default() });
        assert_eq!(server.sent(), [""; 0]);
    }
}

#[test]
fn whatever_ends_a_listen_goes_to_whoever_listens() {
    let endings: [fn(&mut Server, CallKey); 3] = [
        |server, key| server.answer(key),
        |server, key| server.peer.respond_error(key, &Error::new(ErrorKind::Internal, "no")),
        |server, key| server.peer.finished(key),
    ];
    for end in endings {
        let mut server = Server::new(config());
        let (key, _) = listen(&mut server, "1", r#"{"toolsListChanged":true}"#);
        end(&mut server, key);
        assert_eq!(server.peer.poll_transmit().expect("an answer").route, Route::Listen(key));
    }
}

#[test]
fn any_sign_of_life_counts() {
    for sign in [result("1", "{}"), error("1", -32601, "what?"), request("7", "ping"), "nonsense".to_owned()]
    {
        let mut server = patient(Some(V25C));
        assert_eq!(waits(&mut server, 10).1.len(), 1);
        server.peer.handle_frame(sign.as_bytes(), at(19));
        while server.peer.poll_event().is_some() {}
        server.sent();
        assert_eq!(waits(&mut server, 28), (vec![], vec![]), "{sign}");
    }
    let mut server = patient(Some(V25C));
    waits(&mut server, 10);
    server.peer.handle_frame(result("1", "{}").as_bytes(), at(12));
    assert_eq!(server.peer.poll_event().map(|event| told(&event, "")), None, "nobody else hears the answer");
    assert_eq!(waits(&mut server, 22).1, [r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{}}"#]);
}

#[test]
fn nobody_is_asked_without_a_session() {
    let mut server = patient(None);
    server.serve(modern("1", "tools/list", ""));
    assert_eq!(server.peer.poll_timeout(), None);
    assert_eq!(waits(&mut server, 1_000), (vec![], vec![]));
    server.begin(V25C);
    assert_eq!(server.peer.poll_timeout(), None, "the handshake is not over");
}

#[test]
fn a_client_can_ask_its_server_as_well() {
    let mut config = client_config(&[V25C], EraChoice::default());
    config.keep_alive = Some(Duration::from_secs(10));
    let mut pair = Pair::new(server_config(&Revision::ALL), config);
    pair.client.connect(pair.now);
    pair.drive(|_, _, _| {});
    pair.client_events.clear();
    pair.advance(Duration::from_secs(10));
    assert!(frames(&mut pair.client)[0].contains(r#""method":"ping""#));
    pair.advance(Duration::from_secs(10));
    assert_eq!(outcome(&pair), ["unresponsive"]);
}
