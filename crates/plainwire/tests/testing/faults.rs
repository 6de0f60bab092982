//! Connections with faults: bytes that arrive one at a time, are changed or get lost, connections that close
//! or hang, and answers that are lost or truncated.

use std::time::Duration;

use plainwire::prelude::*;
use plainwire::proto::peer::{EraChoice, RequestOptions};
use plainwire::testing;
use plainwire::testing::fault::{Fault, Faults, reader};
use plainwire::testing::transcript;
use plainwire::{Client, Error};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, timeout};

use crate::{ERAS, PATIENCE, client, server};

/// Runs a short session with `client`: after the handshake, a list of tools and a call of `add`. Returns the
/// number of tools, and the sum.
async fn session(client: Result<Client>) -> Result<(usize, f64)> {
    let client = client?;
    let tools = client.list_tools().await?.len();
    Ok((tools, client.call("add", json!({ "a": 1, "b": 2 })).await?))
}

/// Runs a [`session`] without faults. Returns the number of bytes that go to the server, and the number that
/// go to the client.
async fn lengths(era: EraChoice) -> (u64, u64) {
    let (client, recording) = transcript::record(server(), client(era)).await.expect("a connection");
    session(Ok(client)).await.expect("a whole session");
    let steps = recording.transcript().steps;
    let bytes = |lines: &[String]| lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>();
    (steps.iter().map(|it| bytes(&it.client)).sum(), steps.iter().map(|it| bytes(&it.server)).sum())
}

#[tokio::test(start_paused = true)]
async fn sessions_in_single_bytes_are_whole() {
    for era in ERAS {
        let faults = Faults::new().to_server(Fault::Split(1)).to_client(Fault::Split(1));
        assert_eq!(
            session(testing::client_over(server(), client(era), faults).await).await.expect("a sum"),
            (2, 3.0)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_closes_at_any_byte_ends_every_call_at_once() {
    for era in ERAS {
        let (to_server, to_client) = lengths(era).await;
        let to_server = (0..to_server).map(|at| Faults::new().to_server(Fault::CloseAt(at)));
        let to_client = (0..to_client).map(|at| Faults::new().to_client(Fault::CloseAt(at)));
        let mut tried = 0;
        for faults in to_server.chain(to_client) {
            let shown = format!("{era:?} {faults:?}");
            let ended = timeout(Duration::from_secs(1), async {
                session(testing::client_over(server(), client(era), faults).await).await
            });
            match ended.await.unwrap_or_else(|_| panic!("{shown} hangs")) {
                // `Rpc`: the server answers the incomplete last line that it has read with an error.
                Err(Error::Closed { .. } | Error::OutcomeUnknown { .. } | Error::Rpc(_)) => tried += 1,
                // The session succeeds if only the last line break is missing: the end of input ends the last
                // line too.
                Ok(found) => assert_eq!(found, (2, 3.0), "{shown}"),
                Err(error) => panic!("{shown}: {error}"),
            }
        }
        assert!(tried > 1_000, "{tried}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_hangs_at_any_byte_ends_calls_by_their_deadline() {
    for era in ERAS {
        let (to_server, to_client) = lengths(era).await;
        let to_server = (0..to_server).step_by(7).map(|at| Faults::new().to_server(Fault::HangAt(at)));
        let to_client = (0..to_client).step_by(7).map(|at| Faults::new().to_client(Fault::HangAt(at)));
        for faults in to_server.chain(to_client) {
            let shown = format!("{era:?} {faults:?}");
            let deadline = Duration::from_secs(2);
            let options = RequestOptions { idle: deadline, hard: deadline };
            let client = client(era).deadlines(options);
            let began = Instant::now();
            let ended = timeout(Duration::from_secs(60), async {
                session(testing::client_over(server(), client, faults).await).await
            });
            let ended = ended.await.unwrap_or_else(|_| panic!("{shown} hangs"));
            assert!(ended.is_err(), "{shown}: {ended:?}");
            assert!(began.elapsed() <= 2 * deadline, "{shown}: {:?}", began.elapsed());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn garbled_and_lost_bytes_never_hang_a_session() {
    for era in ERAS {
        let (to_server, to_client) = lengths(era).await;
        let mut all = Vec::new();
        for at in (0..to_server).step_by(11) {
            all.push(Faults::new().to_server(Fault::Garble(at)));
            all.push(Faults::new().to_server(Fault::DropBytes(at..at + 3)));
        }
        for at in (0..to_client).step_by(11) {
            all.push(Faults::new().to_client(Fault::Garble(at)));
            all.push(Faults::new().to_client(Fault::DropBytes(at..at + 3)));
        }
        for faults in all {
            let shown = format!("{era:?} {faults:?}");
            let ended = timeout(Duration::from_secs(600), async {
                session(testing::client_over(server(), client(era), faults).await).await
            });
            // A changed byte inside a string can't be noticed. So the session may succeed or fail, but must
            // not hang.
            assert!(ended.await.is_ok(), "{shown} hangs");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_lost_fails_its_call_and_no_other() {
    let faults = Faults::new().to_client(Fault::DropFrame(1)).to_client(Fault::Delay(Duration::from_secs(1)));
    let client =
        testing::client_over(server(), client(EraChoice::Modern), faults).await.expect("a connection");
    let began = Instant::now();
    let error = client.call::<f64>("add", json!({ "a": 1, "b": 2 })).await.expect_err("its answer is lost");
    assert!(error.to_string().contains("deadline"), "{error}");
    assert_eq!(began.elapsed().as_secs(), 60);
    assert_eq!(client.call::<f64>("add", json!({ "a": 2, "b": 2 })).await.expect("a sum"), 4.0);
    assert_eq!(began.elapsed().as_secs(), 61);
}

#[tokio::test(start_paused = true)]
async fn a_truncated_answer_is_no_answer() {
    let faults = Faults::new().to_client(Fault::Truncate { bytes: 40, frame: 1 });
    let client =
        testing::client_over(server(), client(EraChoice::Modern), faults).await.expect("a connection");
    assert!(client.call::<f64>("add", json!({ "a": 1, "b": 2 })).await.is_err());
    assert_eq!(client.call::<f64>("add", json!({ "a": 2, "b": 2 })).await.expect("a sum"), 4.0);
}

#[tokio::test]
async fn faults_go_between_a_server_and_any_stream() {
    let (mut ours, theirs) = tokio::io::duplex(1024);
    ours.write_all(b"{\"jsonrpc\"").await.expect("room");
    let (from, to) = tokio::io::split(theirs);
    let served = server().serve(reader(from, [Fault::CloseAt(5)]), to);
    timeout(PATIENCE, served).await.expect("an end").expect("a clean end");
    let mut answer = String::new();
    ours.read_to_string(&mut answer).await.expect("text");
    assert!(answer.contains("but found the end of the message"), "{answer}");
}
