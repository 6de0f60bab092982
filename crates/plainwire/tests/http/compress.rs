//! Compressed responses: they are complete after decoding, and their events arrive as early as without
//! compression.

use std::io::Write as _;
use std::sync::Arc;

use flate2::write::GzDecoder;
use plainwire::http::{Compression, Http};
use plainwire::prelude::*;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::support::service_client::{Answer, LEGACY, Web, call, request};
use super::support::{Seen, http, server};

/// Says `1`, waits until the test has read that, and says `2`.
#[tool]
async fn two_steps(ctx: Context, gate: State<Arc<Notify>>) -> &'static str {
    ctx.progress(1.0, None, None);
    gate.notified().await;
    ctx.progress(2.0, None, None);
    "done"
}

/// A compressed response, and a decoder with the text that was read so far.
struct Gzipped {
    answer: Answer,
    decoder: GzDecoder<Vec<u8>>,
}

impl Gzipped {
    fn new(answer: Answer) -> Self {
        assert_eq!(answer.header("content-encoding"), Some("gzip"));
        assert_eq!((answer.header("vary"), answer.header("content-length")), (Some("accept-encoding"), None));
        Self { answer, decoder: GzDecoder::new(Vec::new()) }
    }

    /// Reads until the decoded text contains `wanted`.
    async fn until(&mut self, wanted: &str) {
        while !self.text().contains(wanted) {
            assert!(self.read().await, "no {wanted:?} before the end: {}", self.text());
        }
    }

    async fn read(&mut self) -> bool {
        let Some(bytes) = self.answer.raw().await else { return false };
        self.decoder.write_all(&bytes).expect("gzip");
        self.decoder.flush().expect("gzip");
        true
    }

    fn text(&self) -> String {
        String::from_utf8(self.decoder.get_ref().clone()).expect("UTF-8")
    }

    /// Reads to the end and returns the whole text. The decoder checks the checksum.
    async fn whole(mut self) -> String {
        while self.read().await {}
        String::from_utf8(self.decoder.finish().expect("an end that fits")).expect("UTF-8")
    }
}

fn all() -> Http {
    http().compression(Compression::JsonAndEvents)
}

fn gzip(http: Http) -> Web {
    Web::new(http).with("accept-encoding", "gzip, deflate, br")
}

fn long(id: i64, length: usize) -> Value {
    call(id, "echo", json!({ "text": "x".repeat(length) }))
}

#[tokio::test]
async fn json_comes_back_as_it_was() {
    let web = gzip(http());
    let session = web.session(LEGACY).await;
    // Some of these sizes are close to that of the pieces that are compressed at a time.
    for length in [1_024, 10_000, 65_000, 65_536, 131_072, 1_000_000] {
        let plain = session.with("accept-encoding", "").post(&long(1, length)).await;
        assert_eq!((plain.header("content-encoding"), plain.header("vary")), (None, Some("accept-encoding")));
        let answer = session.post(&long(1, length)).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        assert_eq!(Gzipped::new(answer).whole().await, plain.text().await);
    }
    let modern =
        web.ask(1, "tools/call", json!({ "name": "echo", "arguments": { "text": "y".repeat(2_000) } })).await;
    assert!(Gzipped::new(modern).whole().await.contains("yyy"));
}

#[tokio::test]
async fn compressed_json_is_smaller_and_comes_in_pieces() {
    let session = gzip(http()).session(LEGACY).await;
    let mut answer = session.post(&long(1, 1_000_000)).await;
    let (mut pieces, mut bytes) = (0, 0);
    while let Some(piece) = answer.raw().await {
        (pieces, bytes) = (pieces + 1, bytes + piece.len());
    }
    assert!(pieces >= 16, "{pieces}");
    assert!(bytes < 20_000, "{bytes}");
}

#[tokio::test]
async fn nothing_is_compressed_that_is_small_or_was_not_asked_for() {
    let session = Web::new(all()).session(LEGACY).await;
    let with = |accepted: &str| session.with("accept-encoding", accepted);
    for accepted in ["", "identity", "gzip;q=0", "br", "gzip;q=0.5, identity"] {
        let json = with(accepted).post(&long(1, 5_000)).await;
        let events = with(accepted).post(&call(2, "count", json!({ "to": 2 }))).await;
        for answer in [&json, &events] {
            let headers = (answer.header("content-encoding"), answer.header("vary"));
            assert_eq!(headers, (None, Some("accept-encoding")), "{accepted:?}");
        }
        assert_eq!(events.events().await.len(), 4, "{accepted:?}");
    }
    let small = with("gzip").post(&request(1, "ping", json!({}))).await;
    assert_eq!((small.header("content-encoding"), small.header("vary")), (None, None));
    let off = gzip(http().compression(Compression::Off)).session(LEGACY).await;
    let large = off.post(&long(1, 5_000)).await;
    assert_eq!((large.header("content-encoding"), large.header("vary")), (None, None));
}

#[tokio::test]
async fn events_are_compressed_only_where_the_server_says_so() {
    let session = gzip(http()).session(LEGACY).await;
    let events = session.post(&call(1, "count", json!({ "to": 2 }))).await;
    assert_eq!((events.header("content-encoding"), events.header("vary")), (None, None));
    assert_eq!(events.events().await.len(), 4);
    let session = gzip(all()).session(LEGACY).await;
    let events = session.post(&call(1, "count", json!({ "to": 2 }))).await;
    assert_eq!(events.header("cache-control"), Some("no-cache, no-transform"));
    assert!(Gzipped::new(events).whole().await.contains("counted to 2"));
}

#[tokio::test]
async fn an_event_can_be_read_before_the_next_one_is_there() {
    let gate = Arc::new(Notify::new());
    let server = server(&Seen::default()).state(Arc::clone(&gate)).tool(two_steps);
    let web = gzip(Http::new(server).http_sse().compression(Compression::JsonAndEvents));
    let calls = |id| call(id, "two_steps", json!({}));
    let modern = {
        let meta = json!({ "progressToken": 1 });
        web.ask(1, "tools/call", json!({ "name": "two_steps", "arguments": {}, "_meta": meta })).await
    };
    let session = web.session(LEGACY).await;
    let streamed = session.post(&calls(1)).await;
    let mut old = Gzipped::new(web.at("/sse").get().await);
    old.until("\n\n").await;
    let at = old.text().lines().find_map(|it| it.strip_prefix("data: ").map(ToOwned::to_owned));
    let messages = web.at(at.expect("an address"));
    let params = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    messages.post(&request(0, "initialize", params)).await;
    messages.post(&calls(1)).await;
    for mut stream in [Gzipped::new(modern), Gzipped::new(streamed), old] {
        stream.until("\"progress\":1").await;
        assert!(!stream.text().contains("\"progress\":2"));
        gate.notify_one();
        stream.until("\"progress\":2").await;
        stream.until("done").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_sign_of_life_can_be_read_at_once() {
    let session = gzip(all()).session(LEGACY).await;
    let mut stream = Gzipped::new(session.get().await);
    stream.until("\n\n").await;
    stream.until("\n\n:\n\n").await;
}

#[tokio::test]
async fn a_thousand_events_come_back_whole() {
    let server = server(&Seen::default()).progress_rate(2_000, 2_000);
    let session = gzip(Http::new(server).compression(Compression::JsonAndEvents)).session(LEGACY).await;
    let answer = session.post(&call(1, "count", json!({ "to": 1_000 }))).await;
    let text = Gzipped::new(answer).whole().await;
    let said: Vec<Value> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .collect();
    let progress: Vec<_> = said.iter().filter_map(|it| it["params"]["progress"].as_i64()).collect();
    assert_eq!(progress, (1..=1_000).collect::<Vec<i64>>());
    assert_eq!(said.last().expect("an answer")["result"]["content"][0]["text"], "counted to 1000");
}

#[tokio::test]
async fn pages_of_others_are_told_apart_as_well() {
    let session = gzip(http()).session(LEGACY).await;
    let answer = session.with("origin", "http://localhost:1").post(&long(1, 5_000)).await;
    assert_eq!((answer.header("vary"), answer.header("content-encoding")), (Some("origin"), Some("gzip")));
    assert_eq!(answer.headers("vary"), ["origin", "accept-encoding"]);
}
