//! What is sent again, how often and when: reads after failures that pass, changes only if they surely had no
//! effect.

use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use plainwire_atlassian::rest::{Kind, Request, Site};
use serde_json::Value;

use crate::support::{Reply, Stub, create, cut, expect, failed, get, json, lost, reply, settings, site};

#[tokio::test]
async fn a_read_is_sent_again_after_failures_that_pass() {
    for first in [json(429, "{}"), json(502, ""), json(503, ""), json(504, ""), lost(), cut(200)] {
        let stub = Stub::script([first.clone(), first.clone(), json(200, r#"{"a":1}"#)]);
        let value: Value = site(&stub).json(get()).await.unwrap_or_else(|it| panic!("{}", it.message()));
        assert_eq!((value["a"].as_u64(), stub.count()), (Some(1), 3), "{first:?}");
    }
}

#[tokio::test]
async fn a_search_by_post_counts_as_a_read() {
    let search = Request::post(["rest", "api", "3", "search", "jql"]).json(&Value::Null).reads();
    let stub = Stub::script([lost(), json(503, ""), json(200, "{}")]);
    site(&stub).send(search).await.expect("an answer");
    assert_eq!(stub.count(), 3);
}

#[tokio::test]
async fn a_change_is_never_sent_twice_unless_it_surely_had_no_effect() {
    for (reply, kind, count) in [
        (lost(), Kind::OutcomeUnknown, 1),
        (cut(201), Kind::OutcomeUnknown, 1),
        (json(502, ""), Kind::OutcomeUnknown, 1),
        (json(504, ""), Kind::OutcomeUnknown, 1),
        (reply(503, "retry-after: 1\r\n", ""), Kind::Server, 1),
        (json(500, ""), Kind::Server, 1),
        (json(408, ""), Kind::Timeout, 1),
        (json(429, ""), Kind::RateLimited, 4),
    ] {
        let error = expect(create(), reply, kind, count).await;
        assert_eq!(error.is_retryable(), matches!(kind, Kind::RateLimited | Kind::Timeout), "{kind:?}");
    }
}

#[tokio::test]
async fn a_change_is_sent_again_after_429() {
    let stub = Stub::script([json(429, ""), json(201, r#"{"key":"ABC-2"}"#)]);
    let made: Value = site(&stub).json(create()).await.expect("created");
    assert_eq!((made["key"].as_str(), stub.count()), (Some("ABC-2"), 2));
    assert_eq!(stub.seen()[0].body, stub.seen()[1].body);
}

#[tokio::test]
async fn a_change_waits_for_a_site_that_is_not_there_yet() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut settings = settings(&Stub::script([]));
    settings.base.set_port(Some(address.port())).expect("a port");
    (settings.backoff, settings.max_retries) = (Duration::from_millis(100), 5);
    drop(listener);
    let begins = thread::spawn(move || {
        thread::sleep(Duration::from_millis(150));
        Stub::on(TcpListener::bind(address).expect("the same port"), |_, _| json(201, "{}"))
    });
    Site::new(settings).expect("a site").send(create()).await.unwrap_or_else(|it| panic!("{}", it.message()));
    assert_eq!(begins.join().expect("a site").count(), 1);
}

#[tokio::test]
async fn a_change_without_a_connection_was_not_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut settings = settings(&Stub::script([]));
    settings.base.set_port(Some(listener.local_addr().expect("an address").port())).expect("a port");
    drop(listener);
    let error = Site::new(settings).expect("a site").send(create()).await.expect_err("no site");
    assert_eq!((error.kind(), error.status()), (Kind::Network, None));
    assert!(error.is_retryable() && error.message().contains("refused"), "{}", error.message());
}

/// Without a time, with 0 as Data Center sends it, and with 0 beside a reset in the past: none of them is a
/// storm.
#[tokio::test]
async fn a_429_without_a_time_waits_longer_each_time() {
    for headers in ["", "retry-after: 0\r\n", "retry-after: 0\r\nx-ratelimit-reset: 2020-01-01T00:00Z\r\n"] {
        let stub = Stub::script(vec![reply(429, headers, ""); 5]);
        let mut settings = settings(&stub);
        settings.backoff = Duration::from_millis(40);
        let begun = Instant::now();
        let error = Site::new(settings).expect("a site").send(get()).await.expect_err("429");
        assert_eq!((error.kind(), error.retry_after(), stub.count()), (Kind::RateLimited, None, 4));
        // At least half of 40 + 80 + 160 ms.
        assert!(begun.elapsed() >= Duration::from_millis(140), "{headers:?}: {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn a_429_with_seconds_is_obeyed() {
    let stub = Stub::script([reply(429, "retry-after: 1\r\n", ""), json(200, "{}")]);
    let begun = Instant::now();
    site(&stub).send(get()).await.expect("an answer");
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_429_with_a_date_or_more_seconds_than_the_limit_is_told_at_once() {
    let in_an_hour = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(3_600);
    let date = in_an_hour.strftime("retry-after: %a, %d %b %Y %H:%M:%S GMT\r\n").to_string();
    for headers in [date.as_str(), "retry-after: 3600\r\n", "retry-after: 18446744073709551615\r\n"] {
        let (error, count) = failed(create(), [reply(429, headers, "")]).await;
        assert_eq!((error.kind(), count), (Kind::RateLimited, 1), "{headers}");
        assert!(error.retry_after().is_some_and(|it| it.as_secs() > 3_500), "{:?}", error.retry_after());
        assert!(error.hint().is_some_and(|it| it.starts_with("try again in ")), "{:?}", error.hint());
    }
}

#[tokio::test]
async fn the_waits_of_a_request_have_a_limit_in_all() {
    let stub = Stub::script(vec![json(503, ""); 20]);
    let mut settings = settings(&stub);
    (settings.backoff, settings.max_retries, settings.max_wait) =
        (Duration::from_millis(20), 20, Duration::from_millis(200));
    let begun = Instant::now();
    Site::new(settings).expect("a site").send(get()).await.expect_err("503");
    // 20 + 40 + 80 ms at most, and the fourth wait of at least 80 ms may not fit.
    assert!((4..=5).contains(&stub.count()), "{}", stub.count());
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

fn slow(bytes: &str) -> Reply {
    Reply { bytes: bytes.into(), pause: Duration::from_secs(3) }
}

#[tokio::test]
async fn a_slow_answer_ends_at_the_limit() {
    let head = "HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    for bytes in ["", head] {
        for (request, kind) in [(get(), Kind::Timeout), (create(), Kind::OutcomeUnknown)] {
            let stub = Stub::script([slow(bytes)]);
            let mut settings = settings(&stub);
            settings.timeout = Duration::from_millis(100);
            let begun = Instant::now();
            let error = Site::new(settings).expect("a site").send(request).await.expect_err("too late");
            assert_eq!((error.kind(), stub.count()), (kind, 1), "{}", error.message());
            assert!(begun.elapsed() < Duration::from_secs(2));
        }
    }
}

#[tokio::test]
async fn a_dropped_request_leaves_its_turn_to_others() {
    let stub = Stub::new(|n, _| if n == 0 { slow("") } else { json(200, "{}") });
    let mut settings = settings(&stub);
    settings.max_concurrent = 1;
    let site = Site::new(settings).expect("a site");
    let dropped = tokio::time::timeout(Duration::from_millis(100), site.send(get())).await;
    assert!(dropped.is_err());
    let next = tokio::time::timeout(Duration::from_secs(2), site.send(get())).await;
    next.expect("a turn").expect("an answer");
}
