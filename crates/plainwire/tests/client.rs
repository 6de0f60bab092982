//! The client against servers that are not as they should be.

use plainwire::proto::peer::EraChoice;
use plainwire::{Client, Error};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinSet;

/// Answers `initialize`, and every list with one more page.
async fn always_another_page(stream: DuplexStream) {
    let (from, mut to) = tokio::io::split(stream);
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("JSON");
        let result = match message["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} } }),
            Some("tools/list") => json!({ "tools": [], "nextCursor": "" }),
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        if to.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn stops_at_a_list_that_never_ends() {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let mut server = JoinSet::new();
    server.spawn(always_another_page(theirs));
    let (reader, writer) = tokio::io::split(ours);
    let client =
        Client::builder().era(EraChoice::Legacy).streams(reader, writer).await.expect("a connection");
    match client.list_tools().await {
        Err(Error::Decode { message }) => {
            assert_eq!(message, "expected `tools/list` to end within 1000 pages")
        }
        other => panic!("{other:?}"),
    }
}

/// FastMCP and the official Python SDK send a number like this.
#[tokio::test]
async fn a_value_that_was_wrapped_as_a_result_is_the_value() {
    use plainwire::prelude::*;

    #[data]
    struct Wrapped {
        result: i64,
    }

    #[tool]
    async fn answer() -> Wrapped {
        Wrapped { result: 42 }
    }

    let client =
        plainwire::testing::client(plainwire::server!("wraps").tool(answer)).await.expect("a server");
    assert_eq!(client.call::<i64>("answer", json!({})).await.expect("a number"), 42);
    assert_eq!(client.call::<Wrapped>("answer", json!({})).await.expect("a struct").result, 42);
    let error = client.call::<Vec<u8>>("answer", json!({})).await.expect_err("no list");
    assert!(error.to_string().contains("invalid type: map"), "{error}");
}
