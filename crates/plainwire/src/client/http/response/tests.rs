//! Tests of refusals, of the waits before a stream is resumed, and of the limits within which responses are
//! read.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::Frame;
use plainwire_proto::peer::Limits;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::*;
use crate::client::connection::ARRIVALS;
use crate::client::http::Remote;
use crate::client::known_tools::KnownTools;

#[test]
fn a_refusal_draws_nothing_on_a_terminal() {
    for (body, expected) in [
        ("no\u{1b}[2J\n", "no\\u{1b}[2J"),
        (r#"{"error":{"code":1,"message":"a\u001b[2J\nb"}}"#, "a\\u{1b}[2J\\nb"),
        (" \n", "nothing"),
    ] {
        assert_eq!(words(body.as_bytes()), expected);
    }
}

#[test]
fn waits_longer_each_time_that_brings_nothing_new() {
    let waits = |position: &mut Position, times: usize| -> Vec<u128> {
        (0..times).map(|_| position.wait().as_millis()).collect()
    };
    let mut position = Position::default();
    let doubled = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000];
    assert_eq!(waits(&mut position, 11), doubled);
    position.is_new = true;
    assert_eq!(waits(&mut position, 2), [100, 200]);
    // A `retry` of the server applies, even if it is longer than the longest wait.
    let mut position = Position { retry: Some(Duration::from_secs(45)), ..Position::default() };
    assert_eq!(waits(&mut position, 2), [45_000, 45_000]);
    // Unless it would keep the client busy, or away for good.
    let mut position = Position { retry: Some(Duration::ZERO), ..Position::default() };
    assert_eq!(waits(&mut position, 2), [20, 40]);
    let mut position = Position { retry: Some(Duration::from_millis(u64::MAX)), ..Position::default() };
    assert_eq!(waits(&mut position, 2), [300_000, 300_000]);
}

const EVENT: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n";

/// A body whose parts are one event each. Nothing comes after the last part, not even the end of the body.
/// Holds the number of parts that were not read yet.
struct Unending(Arc<AtomicUsize>);

impl http_body::Body for Unending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        match self.0.load(Ordering::SeqCst) {
            0 => Poll::Pending,
            left => {
                self.0.store(left - 1, Ordering::SeqCst);
                Poll::Ready(Some(Ok(Frame::data(EVENT.into()))))
            }
        }
    }
}

/// Returns a response with `events` events and no end, and the number of events that were not read yet.
fn unending(events: usize) -> (Response, Arc<AtomicUsize>) {
    let left = Arc::new(AtomicUsize::new(events));
    let body = reqwest::Body::wrap(Unending(Arc::clone(&left)));
    (http::Response::new(body).into(), left)
}

#[tokio::test(start_paused = true)]
async fn a_response_that_nobody_needs_is_read_for_so_many_bytes_and_so_long() {
    const MOST: usize = (64 << 10) / EVENT.len() + 1;
    for (events, read, seconds) in [(10 * MOST, MOST, 0), (3, 3, 5), (0, 0, 5)] {
        let (response, left) = unending(events);
        let began = Instant::now();
        timeout(Duration::from_secs(300), discard(response)).await.expect("an end");
        assert_eq!(events - left.load(Ordering::SeqCst), read);
        assert_eq!(began.elapsed().as_secs(), seconds, "{events} events");
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_is_read_while_64_messages_wait_to_be_handled() {
    let (arrives, mut arrived) = mpsc::channel(ARRIVALS);
    let remote = Remote::new("http://127.0.0.1:1/mcp");
    let limits = (Limits::default(), Duration::from_secs(1));
    let connection = Connection::new(&remote, limits, KnownTools::default(), arrives).expect("a URL");
    let (mut response, left) = unending(1_000);
    let (mut events, mut position) = (Events::new(1 << 20), Position::default());
    let reading = connection.read_events((&mut response, &mut events), &mut position, None);
    assert!(timeout(Duration::from_secs(300), reading).await.is_err(), "the response has no end");
    // The last message that was read waits for room.
    assert_eq!(1_000 - left.load(Ordering::SeqCst), 65);
    let waiting = std::iter::from_fn(|| arrived.try_recv().ok()).count();
    assert_eq!(waiting, 64);
}
