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
        (" \n", "an empty body"),
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

/// Returns a connection that has sent nothing, and the queue of its messages.
fn connection() -> (Connection, mpsc::Receiver<Arrived>) {
    let (arrives, arrived) = mpsc::channel(ARRIVALS);
    let remote = Remote::new("http://127.0.0.1:1/mcp");
    let limits = (Limits::default(), Duration::from_secs(1));
    (Connection::new(&remote, limits, KnownTools::default(), arrives).expect("a URL"), arrived)
}

#[tokio::test(start_paused = true)]
async fn no_more_is_read_while_64_messages_wait_to_be_handled() {
    let (connection, mut arrived) = connection();
    let (mut response, left) = unending(1_000);
    let (mut events, mut position) = (Events::new(1 << 20), Position::default());
    let reading = connection.read_events((&mut response, &mut events), &mut position, None);
    assert!(timeout(Duration::from_secs(300), reading).await.is_err(), "the response has no end");
    // The last message that was read waits for room.
    assert_eq!(1_000 - left.load(Ordering::SeqCst), 65);
    let waiting = std::iter::from_fn(|| arrived.try_recv().ok()).count();
    assert_eq!(waiting, 64);
}

/// A body that is a stream of endless large events, in parts of 32 KiB. Holds the number of parts that were read.
struct Large(Arc<AtomicUsize>);

/// The number of parts of one large event.
const PARTS: usize = 5;

impl http_body::Body for Large {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        let mut part = "x".repeat(32 << 10);
        match self.0.fetch_add(1, Ordering::SeqCst) % PARTS {
            0 => part.insert_str(0, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/"),
            4 => part.push_str("\"}\n\n"),
            _ => {}
        }
        Poll::Ready(Some(Ok(Frame::data(part.into()))))
    }
}

#[tokio::test(start_paused = true)]
async fn two_large_messages_wait_to_be_handled_and_no_more() {
    let (connection, mut arrived) = connection();
    let read: [Arc<AtomicUsize>; 3] = std::array::from_fn(|_| Arc::default());
    let reading = read.each_ref().map(|read| {
        let mut response: Response = http::Response::new(reqwest::Body::wrap(Large(Arc::clone(read)))).into();
        let connection = &connection;
        async move {
            let (mut events, mut position) = (Events::new(1 << 20), Position::default());
            connection.read_events((&mut response, &mut events), &mut position, None).await.map(drop)
        }
    });
    let [a, b, c] = reading;
    let all = async { tokio::join!(a, b, c) };
    let mut all = std::pin::pin!(all);
    let parts = || read.iter().map(|it| it.load(Ordering::SeqCst)).sum::<usize>();
    // Each message that is handled makes room for the next one.
    for handled in 0..4 {
        assert!(timeout(Duration::from_secs(300), &mut all).await.is_err(), "the responses have no end");
        // Of each further message, 64 KiB were read, and at most the part behind them.
        let (whole, rest) = ((2 + handled) * PARTS, parts() - (2 + handled) * PARTS);
        assert!(parts() >= whole && rest <= 9, "{handled}: {} parts", parts());
        let Ok(Arrived::Message(message)) = arrived.try_recv() else { panic!("{handled}: no message") };
        assert_eq!(message.text.len() >> 10, 32 * PARTS);
        assert_eq!(arrived.len(), 1, "{handled}");
    }
}

/// Reads a stream that is `text`, until nothing more happens. Returns its events that are not passed on yet.
async fn events_left(connection: &Connection, text: String) -> usize {
    let mut response: Response = http::Response::new(reqwest::Body::from(text)).into();
    let (mut events, mut position) = (Events::new(1 << 20), Position::default());
    let reading = connection.read_events((&mut response, &mut events), &mut position, None);
    let _ = timeout(Duration::from_secs(300), reading).await;
    std::iter::from_fn(|| events.next_piece()).count()
}

#[tokio::test(start_paused = true)]
async fn a_message_of_more_than_64_kib_is_large() {
    let (connection, mut arrived) = connection();
    let (mut first, mut second) = (None, None);
    connection.permit(&mut first, usize::MAX).await;
    connection.permit(&mut second, usize::MAX).await;
    for (bytes, is_large) in [(64 << 10, false), ((64 << 10) + 1, true)] {
        events_left(&connection, format!("data: {}\n\n", "x".repeat(bytes))).await;
        assert_eq!(arrived.try_recv().is_err(), is_large, "{bytes}");
    }
    drop(first);
    events_left(&connection, format!("data: {}\n\n", "x".repeat((64 << 10) + 1))).await;
    assert!(arrived.try_recv().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_parsed_in_parts_of_16_kib() {
    let event = |bytes: usize| format!("data: {}\n\n", "x".repeat(bytes - "data: \n\n".len()));
    // 16 KiB hold 256 events of 64 bytes, and one less if the first has a byte more. Of these, 64 wait to be
    // handled, and one waits for room.
    for (first, left) in [(64, 256 - 65), (65, 255 - 65)] {
        let (connection, _arrived) = connection();
        let text = event(first) + &event(64).repeat(1_000);
        assert_eq!(events_left(&connection, text).await, left, "{first}");
    }
}
