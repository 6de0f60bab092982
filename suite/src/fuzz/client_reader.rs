//! Fuzz target for the client's reader: a server that completes the handshake, and then writes any bytes.
//!
//! In: bytes. The first one selects the revision, the second one the size of the pieces in which the others are
//! written. `$` in them stands for the id of the client's call. Then the connection ends. Out: a panic if the call
//! has not ended by then, if its result is not one that the bytes can hold, or if the client writes something that
//! is no message.

use std::time::Duration;

use plainwire::client::{Client, Sampling};
use plainwire::model::{CreateMessageResult, ElicitResult};
use plainwire::proto::peer::EraChoice;
use plainwire::proto::revision::Revision;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};

use super::bytes::Bytes;

/// The longest time until a call has ended whose connection has ended. Nothing in this target waits for a clock.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs one call of a client against the bytes.
pub fn client_reader(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let revision = Revision::ALL[bytes.below(Revision::ALL.len())];
    let piece = bytes.below(64) + 1;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let answered = runtime.block_on(async {
        let (near, far) = tokio::io::duplex(1 << 16);
        let play = tokio::time::timeout(PATIENCE, async {
            tokio::join!(call(near, revision), serve(far, revision, bytes.rest(), piece)).0
        });
        play.await.expect("an end in time")
    });
    let shown = String::from_utf8_lossy(data);
    assert!(!answered || shown.contains("result"), "a result out of nothing: {shown:?}");
}

/// Connects, and calls a tool. Returns whether there was a result.
async fn call(stream: DuplexStream, revision: Revision) -> bool {
    let (reader, writer) = tokio::io::split(stream);
    let era = if revision == Revision::NEWEST { EraChoice::Modern } else { EraChoice::Legacy };
    let sampling = Sampling::new(|_| async { Ok(CreateMessageResult::text("model", "text")) });
    let client = Client::builder()
        .era(era)
        .on_elicit(|_| async { ElicitResult::decline() })
        .on_sample(sampling)
        .roots(Vec::new())
        .streams(reader, writer)
        .await
        .expect("a handshake");
    let answer = client.call_tool("t", json!({})).await;
    client.close().await;
    answer.is_ok()
}

/// Completes the handshake, waits for the call, writes `bytes`, and ends the connection.
async fn serve(stream: DuplexStream, revision: Revision, bytes: &[u8], piece: usize) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    let id = loop {
        let Some(line) = lines.next_line().await.expect("UTF-8") else { return };
        let message = message(&line);
        let info = json!({ "name": "s", "version": "1" });
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                json!({ "protocolVersion": revision.as_str(), "capabilities": { "tools": {} }, "serverInfo": info })
            }
            "server/discover" => json!({
                "resultType": "complete", "supportedVersions": [revision.as_str()], "capabilities": { "tools": {} },
                "ttlMs": 0, "cacheScope": "private", "_meta": { "io.modelcontextprotocol/serverInfo": info },
            }),
            "tools/call" => break message["id"].to_string(),
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        writer.write_all(format!("{answer}\n").as_bytes()).await.expect("a client that reads");
    };
    let mut all = Vec::new();
    for &byte in bytes {
        if byte == b'$' { all.extend_from_slice(id.as_bytes()) } else { all.push(byte) }
    }
    let write = async {
        for piece in all.chunks(piece) {
            if writer.write_all(piece).await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(writer.shutdown().await);
    };
    // The client answers meanwhile, and a client that is not read stops reading.
    let read = async {
        while let Ok(Some(line)) = lines.next_line().await {
            message(&line);
        }
    };
    tokio::join!(write, read);
    drop(lines.into_inner().read(&mut [0]).await);
}

/// Reads a line of the client, which has to be a message, or the batch of the answers to a batch.
fn message(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).expect("the client writes JSON");
    let batch = message.as_array().filter(|batch| !batch.is_empty());
    for message in batch.map_or(std::slice::from_ref(&message), Vec::as_slice) {
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
    }
    message
}
