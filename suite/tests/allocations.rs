//! Memory tests of the server: at most 8 allocations for one `tools/call` in each era; at most 200 bytes
//! besides its record for an idle session in the store; and no bytes for each event that a tail, a reader of
//! a stream, has not read yet.
//!
//! The client side writes ready-made bytes and reads into an existing buffer. One test checks that the client
//! side allocates nothing. Everything runs on one thread, the only one whose allocations are counted.

use std::time::Duration;

use allocation_counter::measure;
use plainwire::prelude::*;
use plainwire::proto::revision::Revision;
use plainwire::store::{Memory, Store as _};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::runtime::{Builder, Runtime};

/// The largest number of allocations per call that is allowed (issue 2, "Speed and size").
const MOST: f64 = 8.0;

const CALLS: u32 = 1_000;

/// Gives back the message.
#[tool]
async fn echo(message: String) -> String {
    message
}

/// A server that runs on this thread, the client's end of its connection, and a buffer for answers.
struct Bench {
    answer: Vec<u8>,
    runtime: Runtime,
    stream: DuplexStream,
}

impl Bench {
    fn new(serve: impl FnOnce(&Runtime, DuplexStream)) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (stream, theirs) = tokio::io::duplex(64 * 1024);
        serve(&runtime, theirs);
        Self { answer: vec![0; 4096], runtime, stream }
    }

    /// Sends `frame` and waits for the answer, and repeats this until it was done `times` times. Returns the
    /// last answer.
    fn exchange(&mut self, frame: &[u8], times: u32) -> &[u8] {
        let Self { answer, runtime, stream } = self;
        let length = runtime.block_on(async {
            let mut length = 0;
            for _ in 0..times {
                stream.write_all(frame).await.expect("the server reads");
                length = 0;
                while length == 0 || answer[length - 1] != b'\n' {
                    let read = stream.read(&mut answer[length..]).await.expect("the server writes");
                    assert_ne!(read, 0, "the server is gone");
                    length += read;
                }
            }
            length
        });
        &self.answer[..length]
    }

    /// Returns the number of allocations for one request and its answer, averaged over many after a warm-up.
    fn allocations(&mut self, frame: &[u8]) -> f64 {
        self.exchange(frame, CALLS);
        let counted = measure(|| {
            self.exchange(frame, CALLS);
        });
        counted.count_total as f64 / f64::from(CALLS)
    }
}

fn server() -> Bench {
    Bench::new(|runtime, stream| {
        let (reader, writer) = tokio::io::split(stream);
        let server = Server::new("echo").tool(echo);
        runtime.spawn(server.serve(reader, writer));
    })
}

#[expect(clippy::print_stdout, reason = "the number is what people want to see")]
fn check(era: &str, bench: &mut Bench, call: &Value) {
    let frame = format!("{call}\n").into_bytes();
    let answer = String::from_utf8_lossy(bench.exchange(&frame, 1)).into_owned();
    assert!(answer.contains(r#""content":[{"type":"text","text":"hello"}]"#), "{answer}");
    let allocations = bench.allocations(&frame);
    println!("{era}: {allocations:.1} allocations per call, of at most {MOST}");
    assert!(
        allocations <= MOST,
        "{era}: expected at most {MOST} allocations per call, but found {allocations}"
    );
}

#[test]
fn a_call_in_a_session_takes_at_most_8_allocations() {
    let mut bench = server();
    let client = json!({ "name": "suite", "version": "0" });
    let params = json!({ "protocolVersion": Revision::NEWEST_LEGACY.as_str(), "capabilities": {}, "clientInfo": client });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    bench.exchange(format!("{hello}\n").as_bytes(), 1);
    let params = json!({ "name": "echo", "arguments": { "message": "hello" } });
    check(
        "legacy",
        &mut bench,
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }),
    );
}

#[test]
fn a_call_that_describes_itself_takes_at_most_8_allocations() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": Revision::NEWEST.as_str(),
        "io.modelcontextprotocol/clientInfo": { "name": "suite", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "_meta": meta, "name": "echo", "arguments": { "message": "hello" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    check("modern", &mut server(), &call);
}

#[test]
fn the_measuring_itself_allocates_nothing() {
    let mut bench = Bench::new(|runtime, mut stream| {
        let mut buffer = vec![0; 4096];
        runtime.spawn(async move {
            while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                stream.write_all(b"an answer\n").await.expect("the client reads");
            }
        });
    });
    let allocations = bench.allocations(b"a call\n");
    assert!(allocations < 0.1, "expected none, but found {allocations} per exchange");
}

#[test]
fn an_idle_session_in_memory_takes_at_most_200_bytes_and_its_record() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let record = [7; 300];
    // Tables double in size when they are full, so they waste most memory with a little more entries than a
    // power of two.
    for sessions in [1_000, 7_500, 10_000, 15_000] {
        let counted = measure(|| {
            let store = Memory::default();
            runtime.block_on(async {
                for n in 0..sessions {
                    let id = format!("{n:036}");
                    store.create(&id, &record, Duration::from_secs(1800)).await.expect("room");
                }
            });
            std::mem::forget(store);
        });
        let each = counted.bytes_current as f64 / f64::from(sessions) - record.len() as f64;
        assert!(
            each <= 200.0,
            "expected at most 200 bytes beside the record, but found {each} for {sessions}"
        );
        assert!(each > 36.0, "expected the id to be counted, but found {each} for {sessions}");
    }
}

#[test]
fn a_tail_that_nobody_reads_takes_nothing_per_event() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let written = |tails: usize| {
        let store = Memory::default();
        let tails: Vec<_> = runtime.block_on(async {
            store.create("a", b"", Duration::from_secs(1800)).await.expect("room");
            store.append("a", 1, b"first").await.expect("a session");
            let mut all = Vec::new();
            for _ in 0..tails {
                all.push(store.tail("a", 1, 0).await.expect("a session"));
            }
            all
        });
        let counted = measure(|| {
            runtime.block_on(async {
                for _ in 0..500 {
                    store.append("a", 1, &[7; 1_000]).await.expect("a session");
                }
            });
        });
        assert!(tails.iter().all(Option::is_some));
        counted.bytes_current
    };
    let alone = written(0);
    assert!(alone > 500_000, "expected the events to be kept, but found {alone} bytes");
    assert_eq!(written(100), alone);
}
