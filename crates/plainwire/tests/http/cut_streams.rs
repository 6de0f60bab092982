//! Streams that break at any byte: the client has all events up to the last id that it received, and a
//! resumed stream begins after that event.

use std::time::Duration;

use plainwire::proto::sse::{Events, Piece};
use serde_json::{Value, json};

use super::support::http;
use super::support::service_client::{Answer, LEGACY, Web, call};

/// The number of messages in a stream: 19 of progress, then the result.
const MESSAGES: i64 = 20;

/// The part of a stream that a client has received, over several connections.
#[derive(Clone, Default)]
struct Reader {
    last_id: String,
    /// One number for each message: its progress, or 0 for the result.
    said: Vec<i64>,
}

impl Reader {
    /// Reads a response up to its end or to `cut` bytes, and returns whether bytes were left unread.
    async fn read(&mut self, mut answer: Answer, cut: usize) -> bool {
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
        // Each connection has a new parser, which drops the half event at the end of the previous connection.
        let mut events = Events::new(1 << 16);
        let mut left = cut;
        let is_cut = loop {
            let bytes = answer.bytes().await;
            if bytes.is_empty() {
                break false;
            }
            let kept = bytes.len().min(left);
            events.push(&bytes.as_bytes()[..kept]);
            left -= kept;
            if kept < bytes.len() {
                break true;
            }
        };
        while let Some(piece) = events.next_piece() {
            let Piece::Event(event) = piece else { panic!("an event of more than 64 KiB") };
            self.last_id = event.id.clone().unwrap_or_else(|| self.last_id.clone());
            if let Some(data) = event.data.filter(|data| !data.is_empty()) {
                let message: Value = serde_json::from_str(&data).expect("JSON");
                self.said.push(message["params"]["progress"].as_i64().unwrap_or(0));
            }
        }
        is_cut
    }
}

fn everything() -> Vec<i64> {
    (1..MESSAGES).chain([0]).collect()
}

async fn begin(web: &Web) -> Answer {
    web.post(&call(1, "count", json!({ "to": MESSAGES - 1 }))).await
}

/// Returns the number of bytes of a whole answer. It is the same for all answers, since all ids have the same
/// length.
async fn length(web: &Web) -> usize {
    begin(web).await.text().await.len()
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_cut_at_any_byte_and_cut_again_brings_each_message_once_and_in_order() {
    let endpoint = Web::new(http());
    let mut web = endpoint.session(LEGACY).await;
    let (length, mut lost) = (length(&web).await, 0);
    for cut in 0..length {
        // A session keeps a limited number of streams, so the test begins a new session from time to time.
        if cut % 50 == 0 {
            web = endpoint.session(LEGACY).await;
        }
        let mut reader = Reader::default();
        assert!(reader.read(begin(&web).await, cut).await, "cut at {cut} of {length}");
        if reader.last_id.is_empty() {
            assert_eq!(reader.said, [0; 0], "cut at {cut}");
            lost += 1;
            continue;
        }
        let mut unlucky = reader.clone();
        assert!(!reader.read(web.resume(&reader.last_id).await, usize::MAX).await);
        assert_eq!(reader.said, everything(), "cut at {cut}");
        // The second response is cut too: anywhere, also before its first byte or after its last.
        let again = cut * 7 % (length - cut + 100);
        if unlucky.read(web.resume(&unlucky.last_id).await, again).await {
            assert!(!unlucky.read(web.resume(&unlucky.last_id).await, usize::MAX).await);
        }
        assert_eq!(unlucky.said, everything(), "cut at {cut}, then at {again}");
    }
    let first = "id: 0123456789abcdef-1\ndata:\n\n";
    assert_eq!(lost, first.len(), "all but the event that comes first");
}

#[tokio::test(start_paused = true)]
async fn a_stream_whose_first_event_did_not_arrive_cannot_be_taken_up_again() {
    let web = Web::new(http()).session("2025-06-18").await;
    let mut reader = Reader::default();
    assert!(reader.read(begin(&web).await, 20).await);
    assert_eq!((reader.last_id.as_str(), reader.said.len()), ("", 0));
    // The client has no id to resume the first stream. A GET without an id opens another stream, which does
    // not repeat the messages of the first one.
    let mut other = web.get().await;
    let silence = tokio::time::timeout(Duration::from_secs(10), other.bytes());
    assert!(silence.await.is_err(), "nothing is said again");
}
