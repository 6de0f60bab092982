//! Servers that make requests and do not read the answers, or send more than the program reads.

use std::time::Duration;

use plainwire::Client;
use plainwire::client::Notice;
use plainwire::proto::peer::{EraChoice, Limits};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);

/// The lines that the client sends, and the writing half of the server.
type Server = (tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>, WriteHalf<DuplexStream>);

async fn send(to: &mut WriteHalf<DuplexStream>, message: &Value) {
    to.write_all(format!("{message}\n").as_bytes()).await.expect("a client");
}

async fn next(server: &mut Server) -> Value {
    let line = timeout(PATIENCE, server.0.next_line()).await.expect("in time").expect("a client");
    serde_json::from_str(&line.expect("a line")).expect("JSON")
}

/// Connects a client that accepts frames of 1 MiB, and completes the handshake.
async fn connect() -> (Client, Server) {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (reader, writer) = tokio::io::split(ours);
    let limits = Limits { frame_in: 1 << 20, ..Limits::default() };
    let client = Client::builder().era(EraChoice::Legacy).limits(limits).streams(reader, writer);
    let (from, to) = tokio::io::split(theirs);
    let mut server = (BufReader::new(from).lines(), to);
    let greeting = async {
        let asked = next(&mut server).await;
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {}, "logging": {} }, "serverInfo": { "name": "s", "version": "1" } });
        send(&mut server.1, &json!({ "jsonrpc": "2.0", "id": asked["id"], "result": hello })).await;
        assert_eq!(next(&mut server).await["method"], "notifications/initialized");
        server
    };
    let (client, server) = tokio::join!(client, greeting);
    (client.expect("a connection"), server)
}

fn ping(id: usize) -> String {
    // With all that a server may make a client repeat.
    format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id:01000}\",\"method\":\"ping\"}}\n")
}

#[tokio::test]
async fn a_server_that_does_not_read_its_answers_is_not_read_either() {
    let (client, mut server) = connect().await;
    let mut count = 0;
    while let Ok(written) =
        timeout(Duration::from_millis(300), server.1.write_all(ping(count).as_bytes())).await
    {
        written.expect("a client");
        count += 1;
        assert!(count < 6_000, "the client still reads after 6 MB");
    }
    // More than a megabyte of answers waits, and no more than that and one frame.
    assert!(count > 1_500, "{count}");
    for id in 0..count {
        assert_eq!(next(&mut server).await["id"], format!("{id:01000}"));
    }
    drop(client);
}

#[tokio::test]
async fn a_server_that_writes_before_it_reads_a_long_request_gets_it() {
    let (client, mut server) = connect().await;
    let long = json!({ "text": "x".repeat(4 << 20) });
    let asking = client.call_tool("t", long);
    let serving = async {
        let chatter = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "y".repeat(10_000) } });
        for _ in 0..300 {
            timeout(PATIENCE, send(&mut server.1, &chatter)).await.expect("the client reads");
        }
        let asked = next(&mut server).await;
        assert_eq!(asked["params"]["arguments"]["text"].as_str().map(str::len), Some(4 << 20));
        let result = json!({ "content": [{ "type": "text", "text": "done" }] });
        send(&mut server.1, &json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result })).await;
    };
    let (answer, ()) = tokio::join!(asking, serving);
    assert_eq!(answer.expect("an answer").content[0].as_text(), Some("done"));
}

#[tokio::test]
async fn notices_that_nobody_reads_take_a_megabyte() {
    let (client, mut server) = connect().await;
    let mut notices = client.notices().expect("notices");
    for _ in 0..20 {
        let log = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "y".repeat(100_000) } });
        send(&mut server.1, &log).await;
    }
    send(&mut server.1, &json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).await;
    assert_eq!(next(&mut server).await["id"], 1);
    let small = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    send(&mut server.1, &small).await;
    drop(server);
    let mut logs = 0;
    while let Some(notice) = timeout(PATIENCE, notices.recv()).await.expect("in time") {
        match notice {
            Notice::Log(_) => logs += 1,
            other => assert!(matches!(other, Notice::ListChanged(_)), "{other:?}"),
        }
    }
    assert_eq!(logs, 10);
}
