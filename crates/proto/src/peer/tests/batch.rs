//! Tests of batches, which are several messages in one frame. Only 2025-03-26 has them.

use super::*;

/// Returns a call of the tool `t`, as an element of a batch.
fn member(id: &str) -> String {
    call(id, "")
}

fn batch(members: &[String]) -> String {
    format!("[{}]", members.join(","))
}

fn notification() -> String {
    r#"{"jsonrpc":"2.0","method":"a"}"#.to_owned()
}

#[test]
fn gathers_the_answers_in_one_frame() {
    let mut server = Server::speaking(V25A);
    let keys = server.open(batch(&[member("1"), request("2", "ping"), notification(), member("\"3\"")]));
    assert_eq!(keys.len(), 2);
    assert_eq!(server.sent(), [""; 0]);
    server.answer(keys[1]);
    assert_eq!(server.sent(), [""; 0]);
    server.answer(keys[0]);
    assert_eq!(server.sent(), [batch(&[result("2", "{}"), result("\"3\"", "{}"), result("1", "{}")])]);
}

#[test]
fn exists_only_where_2025_03_26_was_agreed_on() {
    let text = "expected one message, but found a batch, which only 2025-03-26 has";
    let frame = batch(&[request("1", "ping")]);
    for (revision, id) in [(V24, Some("null")), (V25B, Some("null")), (V25C, None)] {
        assert_eq!(Server::speaking(revision).serve(&frame), [error(id, -32600, text)], "{revision}");
    }
    assert_eq!(Server::fresh().serve(&frame), [error("null", -32600, text)]);
    assert_eq!(Server::speaking(V25A).serve(&frame), [batch(&[result("1", "{}")])]);
}

#[test]
fn the_next_request_is_served_after_a_batch_that_was_refused() {
    let mut server = Server::speaking(V25C);
    assert_eq!(server.serve(batch(&[member("1")])).len(), 1);
    assert_eq!(server.serve(member("1")), [result("1", "{}")]);
}

#[test]
fn a_batch_of_one_is_answered_by_a_batch_of_one() {
    assert_eq!(Server::speaking(V25A).serve(batch(&[member("1")])), [batch(&[result("1", "{}")])]);
}

#[test]
fn a_batch_of_notifications_has_no_answer() {
    let mut server = Server::speaking(V25A);
    let told = server.hears(batch(&[notification(), cancelled("5"), result("9", "{}")]));
    assert_eq!(
        told,
        [
            r#"notification: "a" nothing"#,
            "ignored: cancellation of 5, which is not in flight",
            "ignored: answer to 9, which was not asked"
        ]
    );
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn events_of_a_batch_point_into_its_frame() {
    let mut server = Server::speaking(V25A);
    let frame = batch(&[
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#.to_owned(),
        r#" {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"b"}} "#.to_owned(),
    ]);
    assert_eq!(server.hears(frame), [r#"2025-03-26: call "a" nothing"#, r#"2025-03-26: read "b""#]);
}

#[test]
fn waits_for_no_member_that_was_cancelled() {
    let mut server = Server::speaking(V25A);
    let keys = server.open(batch(&[member("1"), member("2")]));
    server.answer(keys[0]);
    assert_eq!(server.hears(cancelled("2")), ["cancelled: None"]);
    assert_eq!(server.sent(), [batch(&[result("1", "{}")])]);
    server.answer(keys[1]);
    assert_eq!(server.sent(), [""; 0]);
    assert_eq!(server.peer.in_flight(), 0);
}

#[test]
fn a_batch_whose_members_were_all_cancelled_has_no_answer() {
    let mut server = Server::speaking(V25A);
    let keys = server.open(batch(&[member("1"), member("2")]));
    server.hear(batch(&[cancelled("1"), cancelled("2")]));
    assert_eq!(server.sent(), [""; 0]);
    keys.into_iter().for_each(|key| server.peer.finished(key));
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn a_member_can_be_cancelled_in_the_same_batch() {
    let mut server = Server::speaking(V25A);
    let frame = batch(&[member("1"), cancelled("1"), member("1"), request("2", "ping")]);
    let keys = server.open(frame);
    keys.into_iter().for_each(|key| server.answer(key));
    assert_eq!(server.sent(), [batch(&[result("2", "{}"), result("1", "{}")])]);
}

#[test]
fn a_malformed_member_is_answered_in_its_place() {
    let members =
        ["5", "[]", r#"{"id":7}"#, r#"{"method":"a"}"#, r#"{"id":8,"result":1}"#].map(str::to_owned);
    assert_eq!(
        Server::speaking(V25A).serve(batch(&members)),
        [batch(&[
            error("null", -32600, "expected a message to be an object, but found a number"),
            error("null", -32600, "expected a message to be an object, but found an array"),
            error("7", -32600, "expected `jsonrpc` to be \"2.0\", but found nothing"),
        ])]
    );
}

#[test]
fn a_batch_that_is_no_json_is_answered_as_a_whole() {
    let mut server = Server::speaking(V25A);
    let message = "expected `,` or `]` at byte 42, but found the end of the message";
    assert_eq!(
        server.serve(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"} "#),
        [error("null", -32700, message)]
    );
    assert_eq!(server.serve(request("1", "ping")), [result("1", "{}")]);
}

#[test]
fn refuses_initialize_in_a_batch() {
    let text = "expected `initialize` in a frame of its own, but found it in a batch";
    assert_eq!(
        Server::speaking(V25A).serve(batch(&[initialize("1", "2025-03-26"), request("2", "ping")])),
        [batch(&[error("1", -32600, text), result("2", "{}")])]
    );
}

#[test]
fn refuses_a_modern_request_in_a_batch() {
    let text = "expected `tools/list` in a frame of its own, but found it in a batch";
    assert_eq!(
        Server::speaking(V25A).serve(batch(&[modern("1", "tools/list", ""), request("2", "ping")])),
        [batch(&[error("1", -32600, text), result("2", "{}")])]
    );
}

#[test]
fn refuses_an_empty_batch() {
    let text = "expected a batch to hold a message, but found `[]`";
    for frame in ["[]", " [ ] "] {
        assert_eq!(Server::speaking(V25A).serve(frame), [error("null", -32600, text)]);
    }
}

#[test]
fn refuses_a_batch_over_the_limit_and_serves_one_at_it() {
    let pings = |count: usize| -> Vec<_> { (0..count).map(|id| request(&id.to_string(), "ping")).collect() };
    let mut server = Server::speaking(V25A);
    let text = "expected a batch to hold at most 1000 messages (limit `batch`)";
    assert_eq!(server.serve(batch(&pings(1_001))), [error("null", -32600, text)]);
    let answers: Vec<_> = (0..1_000).map(|id: usize| result(&id.to_string(), "{}")).collect();
    assert_eq!(server.serve(batch(&pings(1_000))), [batch(&answers)]);
}

#[test]
fn refuses_the_second_of_two_members_with_the_same_id() {
    let mut server = Server::speaking(V25A);
    let text = "expected `id` to be new, but found 1, which is in flight";
    assert_eq!(
        server.serve(batch(&[member("1"), member("1")])),
        [batch(&[error("1", -32600, text), result("1", "{}")])]
    );
}

#[test]
fn members_over_the_limit_of_requests_are_refused_one_by_one() {
    let mut server = Server::limited(V25A, |limits| limits.in_flight = 1);
    let text = "expected at most 1 requests at a time (limit `in_flight`), but found one more";
    assert_eq!(
        server.serve(batch(&[member("1"), member("2")])),
        [batch(&[error("2", -32603, text), result("1", "{}")])]
    );
}

#[test]
fn keeps_two_batches_apart() {
    let mut server = Server::speaking(V25A);
    let first = server.open(batch(&[member("1"), member("2")]));
    let second = server.open(batch(&[member("3"), member("4")]));
    server.answer(first[0]);
    server.answer(second[0]);
    server.answer(second[1]);
    assert_eq!(server.sent(), [batch(&[result("3", "{}"), result("4", "{}")])]);
    server.answer(first[1]);
    assert_eq!(server.sent(), [batch(&[result("1", "{}"), result("2", "{}")])]);
}

#[test]
fn progress_does_not_wait_for_the_batch() {
    let mut server = Server::speaking(V25A);
    let keys = server.open(batch(&[call("1", r#","_meta":{"progressToken":1}"#)]));
    server.peer.progress(keys[0], 1.0, None, None);
    assert_eq!(
        server.sent(),
        [r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#]
    );
}

#[test]
fn a_batch_is_sent_though_the_work_for_a_member_ended_without_an_answer() {
    let mut server = Server::speaking(V25A);
    let keys = server.open(batch(&[member("1"), member("2")]));
    server.answer(keys[0]);
    server.peer.finished(keys[1]);
    let text = "expected the work to end with an answer, but found that it ended without one";
    assert_eq!(server.sent(), [batch(&[result("1", "{}"), error("2", -32603, text)])]);
}

#[test]
fn the_answers_of_a_batch_share_the_limit_of_a_frame() {
    let mut server = Server::limited(V25A, |limits| limits.frame_out = 100);
    let keys = server.open(batch(&[member("1"), member("2")]));
    for key in keys {
        server.peer.respond(key, |out| out.extend(std::iter::repeat_n(b'1', 20)));
    }
    let text = "expected a result of at most 100 bytes (limit `frame_out`), but found 109";
    let sent = server.sent();
    assert_eq!(sent, [batch(&[result("1", &"1".repeat(20)), error("2", -32603, text)])]);
}

#[test]
fn a_client_takes_a_batch_from_its_server() {
    let mut client = Client::speaking(V25A);
    let key = client.call();
    let told = client.hears(batch(&[
        result(&key.0.to_string(), "{}"),
        request("1", "ping"),
        request("2", "roots/list"),
        r#"{"id":3}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned(),
    ]));
    assert_eq!(
        told,
        [
            "result 2: {}",
            "ignored: expected `jsonrpc` to be \"2.0\", but found nothing",
            "changed: tools/list"
        ]
    );
    let text = "expected a method of this client, but found `roots/list`";
    assert_eq!(client.sent(), [batch(&[result("1", "{}"), error("2", -32601, text)])]);
}
