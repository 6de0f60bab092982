//! The time that connecting may take.

use std::time::Duration;

use plainwire::proto::peer::{EraChoice, RequestOptions};
use plainwire::proto::revision::Revision;
use plainwire::{Client, Error, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::time::{Instant, sleep};

#[tokio::test]
async fn revisions_that_do_not_fit_the_era_are_refused_at_once() {
    let (old, new) = (Revision::V2025_06_18, Revision::V2026_07_28);
    for (era, revisions, found) in [
        (EraChoice::Modern, &[old][..], "of the era Modern, but found [\"2025-06-18\"]"),
        (EraChoice::Legacy, &[new], "of the era Legacy, but found [\"2026-07-28\"]"),
        (EraChoice::Auto, &[], "at least one revision for the client, but found none"),
    ] {
        let builder = Client::builder().era(era).revisions(revisions);
        let error = builder.connect(Server::new("s")).await.expect_err("nothing to speak");
        assert!(matches!(&error, Error::Target { message } if message.ends_with(found)), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn connecting_as_a_whole_has_no_deadline_of_its_own() {
    // A little less than the deadline of the answer to `initialize`.
    const WAIT: Duration = Duration::from_secs(9 * 60);
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (reader, writer) = tokio::io::split(ours);
    let began = Instant::now();
    let connecting =
        Client::builder().era(EraChoice::Legacy).deadlines(RequestOptions::UNLIMITED).streams(reader, writer);
    let server = async {
        let mut stream = BufReader::new(theirs);
        let mut line = String::new();
        stream.read_line(&mut line).await.expect("a client");
        sleep(WAIT).await;
        let asked: Value = serde_json::from_str(&line).expect("JSON");
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": { "name": "s", "version": "1" } });
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": hello });
        stream.write_all(format!("{answer}\n").as_bytes()).await.expect("a client");
        stream
    };
    let (client, _stream) = tokio::join!(connecting, server);
    client.expect("a connection");
    assert_eq!(began.elapsed(), WAIT);
}
