//! Bytes on sockets: the writes in which answers leave, and requests that arrive in pieces, are too large, or
//! are not HTTP.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use plainwire::proto::peer::Limits;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::time::sleep;

use super::support::service_client::{call, request};
use super::support::socket_client::{Running, Wire, head, modern, post};

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_small_answer_leaves_in_one_write() {
    let running = Running::new(|http| http).await;
    let address = running.address;
    let reads = tokio::task::spawn_blocking(move || {
        let mut stream = std::net::TcpStream::connect(address).expect("a connection");
        // A blocking read returns as soon as the first bytes arrive, so it shows the size of the first write.
        let mut read = |_| {
            stream.write_all(modern(1, "echo", json!({ "text": "hello" })).as_bytes()).expect("sent");
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).expect("an answer");
            String::from_utf8_lossy(&bytes[..count]).into_owned()
        };
        (0..100).map(&mut read).collect::<Vec<_>>()
    });
    for read in reads.await.expect("no panic") {
        assert!(read.starts_with("HTTP/1.1 200 OK\r\n") && read.ends_with('}'), "{read}");
    }
}

#[tokio::test]
async fn answers_do_not_wait_for_acknowledgements() {
    let running = Running::new(|http| http).await;
    let mut wire = running.connect().await;
    let mut times = Vec::new();
    for _ in 0..21 {
        let one = modern(1, "echo", json!({ "text": "a" }));
        wire.send(&format!("{one}{one}")).await;
        let began = Instant::now();
        assert_eq!((wire.answer().await.text(), wire.answer().await.text()), ("a".into(), "a".into()));
        times.push(began.elapsed());
    }
    times.sort();
    assert!(times[10] < Duration::from_millis(20), "two answers took {:?}", times[10]);
}

#[tokio::test]
async fn a_request_may_come_byte_by_byte_and_be_read_so() {
    let running = Running::new(|http| http).await;
    let mut wire = running.connect().await;
    wire.stream.set_nodelay(true).expect("a socket");
    for byte in modern(1, "echo", json!({ "text": "slow" })).bytes() {
        wire.stream.write_all(&[byte]).await.expect("sent");
        tokio::task::yield_now().await;
    }
    let mut read = String::new();
    while !read.ends_with("\r\n\r\n") {
        wire.stream.readable().await.expect("a socket");
        let mut byte = [0];
        if wire.stream.try_read(&mut byte).is_ok() {
            read.push(char::from(byte[0]));
        }
    }
    assert!(read.starts_with("HTTP/1.1 200 OK"), "{read}");
}

#[tokio::test]
async fn a_chunked_body_that_never_ends_is_refused_at_the_limit() {
    let small = Limits { frame_in: 64 << 10, ..Limits::default() };
    let running = Running::of(|server| server.limits(small), |http| http).await;
    let Wire { stream, .. } = running.connect().await;
    let (reader, mut writer) = stream.into_split();
    let mut sent = 0_usize;
    let sending = async {
        let begin = format!("{}transfer-encoding: chunked\r\n\r\n", head(""));
        let mut result = writer.write_all(begin.as_bytes()).await;
        let chunk = format!("1000\r\n{}\r\n", " ".repeat(4096));
        while result.is_ok() && sent < 1 << 28 {
            result = writer.write_all(chunk.as_bytes()).await;
            sent += 4096;
        }
    };
    let reading = async {
        let mut wire = Wire::new(tokio::io::join(reader, tokio::io::sink()));
        let answer = wire.answer().await;
        assert_eq!(answer.status, 413, "{answer:?}");
        assert!(answer.body.contains("at most 65536 bytes"), "{answer:?}");
    };
    tokio::join!(sending, reading);
    assert!(sent < 1 << 28, "the server took {sent} bytes");
}

#[tokio::test]
async fn who_is_told_that_a_body_is_too_large_can_read_it_while_still_sending() {
    let running = Running::new(|http| http).await;
    let large = format!("{}content-length: 200000000\r\n\r\n", head(""));
    let other = head("").replace("content-type: application/json", "content-type: text/plain");
    let other = format!("{other}transfer-encoding: chunked\r\n\r\n");
    for (begin, status) in [(large, 413), (other, 415)] {
        let mut wire = running.connect().await;
        wire.send(&begin).await;
        sleep(Duration::from_millis(100)).await;
        // The server has answered already and drops these bytes of the body.
        let chunk = format!("10000\r\n{}\r\n", " ".repeat(65_536));
        for _ in 0..20 {
            wire.send(&chunk).await;
        }
        let answer = wire.answer().await;
        assert_eq!(answer.status, status, "{answer:?}");
        wire.closed().await;
    }
}

#[tokio::test]
async fn what_is_no_http_is_refused_and_closed() {
    let running = Running::new(|http| http).await;
    for garbage in [
        "{\"jsonrpc\":\"2.0\"}\r\n\r\n",
        "\u{16}\u{3}\u{1}\0\u{1}\r\n\r\n",
        "GET\r\n\r\n",
        "\0\0\0\0\0\0\0\0\r\n\r\n",
    ] {
        let mut wire = running.connect().await;
        wire.send(garbage).await;
        let answer = wire.answer().await;
        assert_eq!((answer.status, answer.body.as_str()), (400, ""), "{garbage:?}");
        wire.closed().await;
    }
    assert_eq!(running.connect().await.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_client_that_shuts_down_its_side_has_left() {
    let running = Running::new(|http| http).await;
    let mut wire = running.connect().await;
    wire.send(&modern(1, "wait", json!({ "ms": 60_000 }))).await;
    super::support::socket_client::until("it runs", || running.running() == 1).await;
    wire.stream.shutdown().await.expect("a socket");
    super::support::socket_client::until("it was dropped", || running.dropped() == 1).await;
    wire.closed().await;
}

#[tokio::test]
async fn other_methods_and_other_paths_have_answers_of_their_own() {
    let running = Running::new(|http| http).await;
    let mut wire = running.connect().await;
    let found = wire.get("/").await;
    assert_eq!((found.status, found.body.contains("expected the path /mcp")), (404, true));
    wire.send("HEAD /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    let head = wire.up_to("\r\n\r\n").await;
    assert!(
        head.starts_with("HTTP/1.1 405 ") && head.contains("allow: DELETE, GET, OPTIONS, POST"),
        "{head}"
    );
    wire.send("PUT /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n").await;
    assert_eq!(wire.answer().await.status, 405);
    wire.send("GET http://localhost/healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert_eq!(wire.answer().await.body, "ok\n");
    wire.send("GET /readyz HTTP/1.0\r\n\r\n").await;
    assert_eq!(wire.answer().await.body, "ok\n");
    wire.closed().await;
}

#[tokio::test]
async fn the_head_of_a_request_is_limited() {
    let running = Running::new(|http| http).await;
    let field = |bytes: usize| format!("x-long: {}\r\n", "a".repeat(bytes));
    let ping = request(1, "ping", json!({}));
    for (bytes, is_refused) in [(15 << 10, false), (17 << 10, true), (60 << 10, true), (1 << 20, true)] {
        let mut wire = running.connect().await;
        wire.send(&post(&field(bytes), &ping)).await;
        let answer = wire.answer().await;
        assert_eq!(answer.status == 431, is_refused, "{bytes}: {answer:?}");
        if is_refused {
            wire.closed().await;
        }
    }
    let mut wire = running.connect().await;
    wire.send(&post(&"x: 1\r\n".repeat(100), &ping)).await;
    assert_eq!(wire.answer().await.status, 431, "too many fields");
    let mut wire = running.connect().await;
    wire.send(&format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(17 << 10))).await;
    assert_eq!(wire.answer().await.status, 431);
}

#[tokio::test]
async fn a_session_over_sockets_counts_aloud() {
    let running = Running::new(|http| http).await;
    let session = running.session().await;
    let mut wire = running.connect().await;
    wire.send(&post(&session, &call(1, "count", json!({ "to": 3, "pause_ms": 5 })))).await;
    for n in 1..=3 {
        wire.up_to(&format!("\"progress\":{n}")).await;
    }
    wire.up_to("counted to 3").await;
    // This ends the chunked body. After it, the connection is free for the next request.
    wire.up_to("\r\n0\r\n\r\n").await;
    assert_eq!(wire.get("/healthz").await.status, 200);
}
