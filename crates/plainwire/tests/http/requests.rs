//! Requests that the server refuses: malformed, of a wrong type, too large, too slow, too many, or from a
//! foreign web page. The server reads no more of a body than necessary.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http_body::{Frame, SizeHint};
use http_body_util::Full;
use serde_json::{Value, json};

use super::support::service_client::{Answer, Web, request};
use super::support::{Seen, http, server};

async fn refused(web: &Web, body: &'static str) -> (u16, Value) {
    let answer = web.send(Method::POST, Full::new(Bytes::from_static(body.as_bytes()))).await;
    let status = answer.status;
    let answer = answer.json().await;
    assert!(answer["error"]["message"].as_str().is_some_and(|it| it.starts_with("expected")), "{answer}");
    (status, answer["error"]["code"].clone())
}

#[tokio::test]
async fn what_is_no_message_is_refused() {
    let web = Web::new(http());
    for body in ["", "{", "nonsense", "{}{}", r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0"}"#]
    {
        let (status, code) = refused(&web, body).await;
        assert_eq!(status, 400, "{body:?}");
        assert!(code == json!(-32700) || code == json!(-32600), "{body:?}: {code}");
    }
    let bytes = Full::new(Bytes::from_static(b"\xff\xfe"));
    assert_eq!(web.send(Method::POST, bytes).await.status, 400);
}

#[tokio::test]
async fn types_that_are_not_json_are_refused() {
    let web = Web::new(http());
    let ping = request(1, "ping", json!({}));
    for (value, status) in
        [("text/plain", 415), ("", 415), ("application/jsonx", 415), ("application/json; charset=utf-8", 400)]
    {
        assert_eq!(web.with("content-type", value).post(&ping).await.status, status, "{value}");
    }
    for (value, status) in [
        ("text/html", 406),
        ("*/*", 400),
        ("", 400),
        ("application/*", 400),
        ("text/event-stream;q=0.5", 400),
    ] {
        assert_eq!(web.with("accept", value).post(&ping).await.status, status, "{value}");
    }
    assert_eq!(web.send(Method::PUT, Full::default()).await.status, 405);
}

#[tokio::test]
async fn a_page_of_somebody_else_is_refused() {
    let web = Web::new(http().allow_host("localhost").allow_origin("https://app.example"));
    let discover = |web: Web| async move { web.ask(1, "server/discover", json!({})).await };
    assert_eq!(discover(web.with("origin", "https://evil.example")).await.status, 403);
    assert_eq!(discover(web.with("host", "evil.example")).await.status, 403);
    assert_eq!(web.with("origin", "null").get().await.status, 403, "every method");
    let allowed = discover(web.with("origin", "https://app.example")).await;
    assert_eq!(
        (allowed.status, allowed.header("access-control-allow-origin")),
        (200, Some("https://app.example"))
    );
    let preflight =
        web.with("origin", "https://app.example").with("access-control-request-headers", "mcp-method");
    let preflight = preflight.send(Method::OPTIONS, Full::default()).await;
    assert_eq!(
        (preflight.status, preflight.header("access-control-allow-headers")),
        (204, Some("mcp-method"))
    );
}

/// A request body that only declares its length in bytes. Reading it fails the test.
struct Declared(u64);

impl http_body::Body for Declared {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        panic!("read although it is too large")
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0)
    }
}

/// A request body without an end, which yields this many bytes at a time. With 0 it yields nothing and stays
/// pending.
struct Endless(usize);

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.0 {
            0 => Poll::Pending,
            count => Poll::Ready(Some(Ok(Frame::data(vec![b' '; count].into())))),
        }
    }
}

#[tokio::test]
async fn a_body_that_is_declared_too_large_is_not_read() {
    assert_eq!(Web::new(http()).send(Method::POST, Declared(200 << 20)).await.status, 413);
}

#[tokio::test]
async fn a_body_that_never_ends_is_cut_off_at_the_limit() {
    assert_eq!(Web::new(http()).send(Method::POST, Endless(64 << 10)).await.status, 413);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_given_up() {
    let web = Web::new(http().body_timeout(Duration::from_millis(50)));
    assert_eq!(web.send(Method::POST, Endless(0)).await.status, 408);
}

#[tokio::test]
async fn requests_over_the_limit_are_refused() {
    let limits = plainwire::proto::peer::Limits { in_flight: 1, ..Default::default() };
    let web = Web::new(plainwire::http::Http::new(server(&Seen::default()).limits(limits)));
    let waiting = json!({ "name": "wait", "arguments": { "ms": 100 } });
    let (first, second) =
        tokio::join!(web.ask(1, "tools/call", waiting), web.ask(2, "server/discover", json!({})));
    assert_eq!((first.status, second.status), (200, 429));
    assert_eq!(
        web.ask(3, "server/discover", json!({})).await.status,
        429,
        "the first answer was not read yet"
    );
    drop(first);
    assert_eq!(web.ask(3, "server/discover", json!({})).await.status, 200);
}

/// Sends the head of a request whose body never arrives, and returns the unfinished request.
async fn begun(web: &Web) -> Pin<Box<dyn Future<Output = Answer> + '_>> {
    let mut sending = Box::pin(web.send(Method::POST, Endless(0)));
    poll_fn(|cx| {
        assert!(sending.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
    sending
}

#[tokio::test]
async fn a_caller_sends_so_many_bodies_at_a_time_and_others_send_theirs() {
    let web = Web::new(http().bearer_token("ada", "a-token").bearer_token("bob", "b-token"));
    let (ada, bob) =
        (web.with("authorization", "Bearer a-token"), web.with("authorization", "Bearer b-token"));
    let mut sending = Vec::new();
    for _ in 0..1_024 {
        sending.push(begun(&ada).await);
    }
    // A body that is there as a whole is not waited for.
    assert_eq!(ada.ask(1, "server/discover", json!({})).await.status, 200);
    let refused = ada.send(Method::POST, Endless(0)).await;
    assert_eq!(refused.status, 429);
    let error = refused.json().await["error"].clone();
    let message = "expected at most 1024 bodies at a time, but found one more";
    assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!(message)));
    let _others = begun(&bob).await;
    drop(sending.pop());
    sending.push(begun(&ada).await);
}

#[tokio::test]
async fn a_body_on_its_way_takes_no_place_of_a_request() {
    let limits = plainwire::proto::peer::Limits { in_flight: 1, ..Default::default() };
    let web = Web::new(plainwire::http::Http::new(server(&Seen::default()).limits(limits)));
    let _sending = begun(&web).await;
    assert_eq!(web.ask(1, "server/discover", json!({})).await.status, 200);
}
