//! Servers that refuse, redirect or are not there.

use std::time::Duration;

use plainwire::{Client, Error};
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::support::scripted_server::{Script, json, with};
use super::support::site::remote;

/// Time after which a wait fails the test.
const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_refusal_is_no_evidence_of_an_era() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let script = Script::new(move |_| json(status, "no")).await;
        let error = Client::builder().remote(remote(script.address)).await.expect_err("nobody is let in");
        assert!(matches!(&error, Error::Http { status: 401 | 403, challenge: None, .. }), "{error}");
        assert_eq!(script.methods(), ["server/discover"]);
    }
}

#[tokio::test]
async fn a_challenge_of_more_than_4_kib_is_not_kept() {
    for (length, kept) in [(97, Some(97)), (4_096, Some(4_096)), (4_097, None)] {
        let challenge = format!("Bearer {}", "a".repeat(length - 7));
        let head = format!("401 Unauthorized\r\nwww-authenticate: {challenge}");
        let script = Script::new(move |_| json(&head, "")).await;
        let error = Client::builder().remote(remote(script.address)).await.expect_err("nobody is let in");
        assert!(error.to_string().ends_with("refused with HTTP 401: an empty body"), "{error}");
        let Error::Http { challenge, .. } = error else { panic!("{error}") };
        assert_eq!(challenge.map(|it| it.len()), kept);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let error = timeout(PATIENCE, Client::builder().remote(remote(address))).await.expect("in time");
    let error = error.expect_err("nobody is there");
    assert!(matches!(&error, Error::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

#[tokio::test]
async fn nothing_that_a_request_carries_follows_a_redirect_to_another_origin() {
    let thief = Script::new(|_| json("200 OK", "{}")).await;
    let to = thief.address;
    let script = Script::new(move |_| {
        with("307 Temporary Redirect", "text/plain", &format!("location: http://{to}/mcp\r\n"), "")
    })
    .await;
    let remote = remote(script.address).header("x-api-key", "s3cret");
    let error = Client::builder().remote(remote).await.expect_err("no server");
    assert!(error.to_string().contains("307"), "{error}");
    assert_eq!(thief.methods(), [""; 0]);
}
