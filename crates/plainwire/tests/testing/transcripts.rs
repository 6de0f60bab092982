//! Transcripts: sessions that are recorded, replayed to a server or a client, and kept in files.

use std::fs;
use std::time::Duration;

use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use plainwire::stream::Stream;
use plainwire::testing;
use plainwire::testing::transcript::{self, Recording, Transcript};
use plainwire::{Client, Error};
use serde_json::json;
use tokio::task::JoinSet;

use crate::{Add, ERAS, Folder, client, server};

/// Makes the requests of a session: a list, a call, and a call that asks a question.
async fn talk(client: &Client) -> Result<()> {
    client.list_tools().await?;
    assert_eq!(client.call::<f64>("add", json!({ "a": 1, "b": 2 })).await?, 3.0);
    assert_eq!(client.call::<String>("greet", json!({})).await?, "Hello, Ada!");
    Ok(())
}

async fn recorded(era: EraChoice) -> Transcript {
    let (client, recording) = transcript::record(server(), client(era)).await.expect("a connection");
    talk(&client).await.expect("a session");
    recording.transcript()
}

#[tokio::test(start_paused = true)]
async fn what_was_recorded_is_said_again() {
    for era in ERAS {
        let transcript = recorded(era).await;
        let text = transcript.to_string();
        assert!(text.contains("{nextCursor}") && text.contains("Hello, Ada!"), "{text}");
        assert_eq!(text.matches("{state 1}").count(), if era == EraChoice::Modern { 2 } else { 0 }, "{text}");
        let read = Transcript::parse(&text).expect("a transcript");
        let played = read.play(server()).await.expect("a session");
        assert_eq!(read.difference(&played), None);
        assert_eq!(played.to_string(), text);
    }
}

#[tokio::test]
async fn what_was_recorded_is_said_again_while_the_clock_runs() {
    let transcript = recorded(EraChoice::Legacy).await;
    let played = transcript.play(server()).await.expect("a session");
    assert_eq!(played, transcript);
}

#[tokio::test]
async fn a_running_clock_waits_for_what_is_written_down() {
    let slow = || {
        Server::new("slow")
            .tool(Tool::new("slow", || async { tokio::time::sleep(Duration::from_millis(400)).await }))
    };
    let (client, recording) = transcript::record(slow(), Client::builder()).await.expect("a connection");
    client.call_tool("slow", json!({})).await.expect("an end");
    client.call_tool("slow", json!({})).await.expect("an end");
    let transcript = recording.transcript();
    assert_eq!(transcript.play(slow()).await.expect("a session"), transcript);
}

#[tokio::test]
async fn a_server_is_played_to_a_client() {
    for era in ERAS {
        let transcript = recorded(era).await;
        let played = transcript.play_server(client(era), async |client| talk(&client).await);
        played.await.unwrap_or_else(|error| panic!("{era:?}: {error}"));
    }
}

#[tokio::test]
async fn a_client_that_says_something_else_is_told_what() {
    for era in ERAS {
        let transcript = recorded(era).await;
        let other = transcript.play_server(client(era), async |client| {
            client.list_tools().await?;
            client.call::<f64>("add", json!({ "a": 1, "b": 7 })).await.map(drop)
        });
        let error = other.await.expect_err("7 is not 2");
        assert!(matches!(error, Error::Mismatch { .. }), "{error}");
        let error = error.to_string();
        assert!(error.contains("expected the client to send {") && error.contains(r#""b":7"#), "{error}");

        let silent = transcript.play_server(client(era), async |client| client.list_tools().await.map(drop));
        let error = silent.await.expect_err("it leaves too early").to_string();
        assert!(error.contains("but found that it closed the connection"), "{error}");

        let talkative = transcript.play_server(client(era), async |client| {
            talk(&client).await?;
            client.list_tools().await.map(drop)
        });
        let error = talkative.await.expect_err("it asks once more").to_string();
        assert!(error.contains("expected the client to send no more frames"), "{error}");

        let fails =
            transcript.play_server(client(era), async |_| Err(Error::Decode { message: "mine".into() }));
        assert_eq!(fails.await.expect_err("its own error").to_string(), "mine");
    }
}

#[tokio::test]
async fn any_stream_can_be_recorded() {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (from, to) = tokio::io::split(ours);
    let (ours, recording) = Recording::start(Stream::new(from, to));
    let mut served = JoinSet::new();
    let (from, to) = tokio::io::split(theirs);
    served.spawn(server().serve(from, to));
    let client = client(EraChoice::Modern).stream(ours).await.expect("a connection");
    talk(&client).await.expect("a session");
    assert_eq!(recording.transcript(), recorded(EraChoice::Modern).await);
}

#[tokio::test]
async fn a_trace_is_a_transcript() {
    let folder = Folder::new("trace");
    let path = folder.0.join("trace");
    let file = fs::File::create(&path).expect("a file");
    let tap = plainwire::stream::tap::Tap::lines(file);
    let client =
        testing::client_with(server(), client(EraChoice::Modern).tap(tap)).await.expect("a connection");
    talk(&client).await.expect("a session");
    let trace = fs::read_to_string(&path).expect("a trace");
    let transcript = Transcript::from_trace(&trace).expect("a trace");
    assert_eq!(transcript.play(server()).await.expect("a session"), transcript);
}

#[tokio::test(start_paused = true)]
async fn a_transcript_in_a_file_is_filled_in_once_and_checked_from_then_on() {
    let folder = Folder::new("transcript");
    let path = folder.0.join("adds.txt");
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":"add","arguments":{"a":1,"b":2}}}"#;
    let begun = format!("# Adds.\n\n-- client --\n{call}\n");
    fs::write(&path, &begun).expect("a file");
    let error = transcript::check(&path, server()).await.expect_err("nobody has read it").to_string();
    assert!(error.contains("review and commit"), "{error}");
    let written = fs::read_to_string(&path).expect("a file");
    assert!(written.starts_with(&begun) && written.contains("3.0"), "{written}");
    transcript::check(&path, server()).await.expect("the same as before");

    let other = Server::new("kit").tool(Tool::new("add", |it: Add| async move { it.a - it.b }));
    let error = transcript::check(&path, other).await.expect_err("another answer").to_string();
    assert!(error.contains("line 6\n expected: {") && error.contains("but found: {"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), written);

    fs::write(&path, "nonsense").expect("a file");
    let error = transcript::check(&path, server()).await.expect_err("no transcript").to_string();
    assert!(error.contains("adds.txt: expected a note") && error.contains("line 1"), "{error}");
    assert!(matches!(transcript::check(folder.0.join("none"), server()).await, Err(Error::Io { .. })));
    assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 1, "nothing else is left behind");
}
