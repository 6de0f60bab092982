//! Tests of cancelled requests, and of the progress of requests in flight.

use std::collections::BTreeSet;

use super::*;

/// Returns a call of the tool `t` with the progress token `token`.
fn watched(id: &str, token: &str) -> String {
    call(id, &format!(r#","_meta":{{"progressToken":{token}}}"#))
}

fn progress(token: &str, rest: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{rest}}}}}"#
    )
}

#[test]
fn a_cancelled_request_gets_no_answer() {
    let mut server = Server::speaking(V25C);
    for refuse in [false, true] {
        let key = server.open_one(call("1", ""));
        assert_eq!(server.hears(cancelled("1")), ["cancelled: None"]);
        if refuse {
            server.peer.respond_error(key, &Error::new(ErrorKind::Internal, "x"));
        } else {
            server.answer(key);
        }
        assert_eq!(server.sent(), [""; 0]);
        assert_eq!(server.peer.in_flight(), 0);
    }
}

#[test]
fn tells_which_request_is_cancelled_and_why() {
    let mut server = Server::speaking(V25C);
    let keys = ["1", "\"1\"", "2"].map(|id| server.open_one(call(id, "")));
    for (id, reason, expected) in [
        ("\"1\"", r#","reason":"changed my mind""#, Some("changed my mind")),
        ("2", r#","reason":5"#, None),
        ("1", "", None),
    ] {
        let frame = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}{reason}}}}}"#
        );
        let events = server.hear(frame);
        let [Event::Cancelled { key, reason }] = &events[..] else { panic!("{events:?}") };
        assert_eq!(reason.as_deref(), expected);
        let which = ["1", "\"1\"", "2"].iter().position(|it| *it == id).expect("one of them");
        assert_eq!(*key, keys[which]);
    }
}

#[test]
fn cancels_by_the_exact_id() {
    let mut server = Server::speaking(V25C);
    server.open_one(call("1", ""));
    assert_eq!(server.hears(cancelled("\"1\"")), ["ignored: cancellation of \"1\", which is not in flight"]);
    assert_eq!(server.hears(cancelled("1")), ["cancelled: None"]);
    assert_eq!(server.hears(cancelled("1")), ["ignored: cancellation of 1, which is not in flight"]);
}

#[test]
fn cancels_requests_of_both_eras() {
    let mut server = Server::speaking(V24);
    let keys = [server.open_one(call("1", "")), server.open_one(modern("2", "tools/call", r#","name":"t""#))];
    for id in ["1", "2"] {
        assert_eq!(server.hears(cancelled(id)), ["cancelled: None"]);
    }
    keys.into_iter().for_each(|key| server.answer(key));
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn understands_the_cancellation_of_other_protocols() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(call("\"a\"", ""));
    assert_eq!(
        server.hears(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"a"}}"#),
        ["cancelled: None"]
    );
    server.answer(key);
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn the_id_of_a_cancelled_request_is_free_at_once() {
    let mut server = Server::speaking(V25C);
    let first = server.open_one(call("1", ""));
    server.hear(cancelled("1"));
    let second = server.open_one(call("1", ""));
    assert_ne!(first, second);
    server.answer(first);
    assert_eq!(server.sent(), [""; 0]);
    server.answer(second);
    assert_eq!(server.sent(), [result("1", "{}")]);
}

#[test]
fn the_place_of_a_cancelled_request_is_taken_until_its_work_has_ended() {
    let mut server = Server::limited(V25C, |limits| limits.in_flight = 1);
    let key = server.open_one(call("1", ""));
    server.hear(cancelled("1"));
    assert_eq!(server.peer.in_flight(), 1);
    let text = "expected at most 1 requests at a time (limit `in_flight`), but found one more";
    assert_eq!(server.serve(call("2", "")), [error("2", -32603, text)]);
    server.peer.finished(key);
    assert_eq!(server.peer.in_flight(), 0);
    assert_eq!(server.serve(call("2", "")), [result("2", "{}")]);
}

#[test]
fn a_key_is_good_for_one_request_only() {
    let mut server = Server::speaking(V25C);
    let old = server.open_one(watched("1", "1"));
    server.hear(cancelled("1"));
    server.peer.finished(old);
    // The new request has the slot and the id of the finished one, but another key.
    let new = server.open_one(watched("1", "1"));
    server.answer(old);
    server.peer.respond_error(old, &Error::new(ErrorKind::Internal, "x"));
    server.peer.progress(old, 1.0, None, None);
    server.peer.finished(old);
    assert_eq!(server.sent(), [""; 0]);
    assert_eq!(server.peer.in_flight(), 1);
    server.answer(new);
    assert_eq!(server.sent(), [result("1", "{}")]);
}

#[test]
fn a_cancellation_after_the_answer_is_ignored() {
    let mut server = Server::speaking(V25C);
    assert_eq!(server.serve(call("1", "")), [result("1", "{}")]);
    assert_eq!(server.hears(cancelled("1")), ["ignored: cancellation of 1, which is not in flight"]);
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn what_is_answered_at_once_cannot_be_cancelled() {
    let mut server = Server::fresh();
    server.hear(initialize("1", "2025-11-25"));
    assert_eq!(server.hears(cancelled("1")), ["ignored: cancellation of 1, which is not in flight"]);
    assert_eq!(server.sent().len(), 1);
}

#[test]
fn ten_thousand_requests_leave_nothing_behind() {
    let mut random = 20260728_u64;
    let mut pick = move |below: usize| {
        // A generator with the constants of Knuth's MMIX. Its numbers are the same in each run.
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let mut server = Server::speaking(V25C);
    let (mut open, mut given_up, mut stale) = (Vec::new(), Vec::new(), Vec::new());
    let (mut due, mut answers) = (BTreeSet::new(), Vec::new());
    let mut next = 0;
    while next < 10_000 || !open.is_empty() || !given_up.is_empty() {
        match pick(6) {
            0..=1 if next < 10_000 => {
                open.push((next, server.open_one(call(&next.to_string(), ""))));
                due.insert(next);
                next += 1;
            }
            2..=3 if !open.is_empty() => {
                let (_, key) = open.swap_remove(pick(open.len()));
                server.answer(key);
                stale.push(key);
            }
            4 if !open.is_empty() => {
                let (id, key) = open.swap_remove(pick(open.len()));
                assert_eq!(server.hears(cancelled(&id.to_string())), ["cancelled: None"]);
                due.remove(&id);
                given_up.push(key);
            }
            5 if !given_up.is_empty() => {
                let key = given_up.swap_remove(pick(given_up.len()));
                if pick(2) == 0 {
                    server.peer.finished(key)
                } else {
                    server.answer(key)
                }
                stale.push(key);
            }
            _ if !stale.is_empty() => {
                let key = stale[pick(stale.len())];
                if pick(2) == 0 { server.peer.finished(key) } else { server.answer(key) }
            }
            _ => {}
        }
        assert_eq!(server.peer.in_flight(), open.len() + given_up.len());
        answers.extend(server.sent());
    }
    assert_eq!(server.peer.in_flight(), 0);
    answers.sort();
    let mut expected: Vec<_> = due.iter().map(|id: &usize| result(&id.to_string(), "{}")).collect();
    expected.sort();
    assert_eq!(answers, expected);
    assert!((4_000..9_000).contains(&due.len()), "a mixture: {}", due.len());
}

#[test]
fn reports_progress_under_the_token_as_it_was_given() {
    let mut server = Server::speaking(V25C);
    for token in ["7", "\"7\"", "0", "-1", "18446744073709551616", r#""a\u0062\n\"é""#, "\"\""] {
        let key = server.open_one(watched("1", token));
        server.peer.progress(key, 0.5, Some(2.0), Some("half\nway"));
        let expected = progress(token, r#"0.5,"total":2,"message":"half\nway""#);
        let sent = server.peer.poll_transmit().expect("progress");
        assert_eq!(sent.route, Route::Request(key));
        assert_eq!(String::from_utf8(sent.bytes).expect("UTF-8"), expected);
        server.answer(key);
        assert_eq!(server.sent(), [result("1", "{}")]);
    }
}

#[test]
fn reports_progress_of_modern_requests_too() {
    let mut server = Server::fresh();
    let frame = modern("1", "tools/call", r#","name":"t""#)
        .replace(r#""_meta":{"#, r#""_meta":{"progressToken":"p","#);
    let key = server.open_one(frame);
    server.peer.progress(key, 1.0, None, Some("m"));
    assert_eq!(server.sent(), [progress("\"p\"", r#"1,"message":"m""#)]);
}

#[test]
fn reports_no_progress_without_a_token_that_can_be_one() {
    let mut server = Server::speaking(V25C);
    for frame in [call("1", ""), watched("1", "null"), watched("1", "1.5"), watched("1", "{}")] {
        let key = server.open_one(&frame);
        server.peer.progress(key, 1.0, None, None);
        assert_eq!(server.sent(), [""; 0], "{frame}");
        server.answer(key);
        assert_eq!(server.sent(), [result("1", "{}")], "{frame}");
    }
}

#[test]
fn progress_only_ever_increases() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(watched("1", "7"));
    for value in [-1.0, 0.0, 0.0, -0.0, f64::NAN, 0.25, f64::INFINITY, 0.2, 0.25, f64::NEG_INFINITY, 3.0] {
        server.peer.progress(key, value, None, None);
    }
    assert_eq!(server.sent(), ["-1", "0", "0.25", "3"].map(|value| progress("7", value)));
}

#[test]
fn leaves_out_a_total_that_is_no_number() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(watched("1", "7"));
    server.peer.progress(key, 1.0, Some(f64::INFINITY), None);
    assert_eq!(server.sent(), [progress("7", "1")]);
}

#[test]
fn reports_no_progress_after_the_answer() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(watched("1", "7"));
    server.answer(key);
    server.peer.progress(key, 1.0, None, None);
    assert_eq!(server.sent(), [result("1", "{}")]);
}

#[test]
fn reports_no_progress_after_the_cancellation() {
    let mut server = Server::speaking(V25C);
    let key = server.open_one(watched("1", "7"));
    server.hear(cancelled("1"));
    server.peer.progress(key, 1.0, None, None);
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn says_in_words_how_far_it_is_only_where_that_exists() {
    for (revision, rest) in [(V24, "1"), (V25A, r#"1,"message":"m""#), (V25C, r#"1,"message":"m""#)] {
        let mut server = Server::speaking(revision);
        let key = server.open_one(watched("1", "7"));
        server.peer.progress(key, 1.0, None, Some("m"));
        assert_eq!(server.sent(), [progress("7", rest)], "{revision}");
    }
}
