//! Refused requests leave a trace in the log.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use plainwire::http::{Http, RemoteAddr};
use plainwire::proto::peer::Limits;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::support::service_client::{LEGACY, Web, call, request};
use super::support::{Seen, http, server};

/// The messages that were logged as warnings.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.lock().expect("no panic").push(message.0);
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn what_is_refused_is_logged_once_with_its_caller_and_its_reason() {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let http = Http::new(server(&Seen::default())).bearer_token("ada", "s3cret").allow_host("localhost");
    let web = Web::new(http);
    let ping = request(1, "ping", json!({}));
    for _ in 0..20 {
        assert_eq!(web.with("authorization", "Bearer wr0ng").post(&ping).await.status, 401);
    }
    assert_eq!(web.with("host", "evil.example").post(&ping).await.status, 403);
    let ada = web.with("authorization", "Bearer s3cret");
    assert_eq!(ada.with("mcp-session-id", "0".repeat(32)).post(&ping).await.status, 404);
    // An error of the server is no refusal.
    assert_eq!(ada.ask(2, "no/such", json!({})).await.status, 404);
    let lines = log.0.lock().expect("no panic").clone();
    let expected = [
        "`authorization: Bearer` with a token of this server, but found another one",
        "evil.example",
        "mcp-session-id",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for (line, part) in lines.iter().zip(expected) {
        assert!(
            line.starts_with("refused a request of an unknown address: ") && line.contains(part),
            "{line}"
        );
        assert!(!line.contains("s3cret") && !line.contains("wr0ng"), "{line}");
    }
}

async fn post_from(web: &Web, address: Ipv6Addr, message: &serde_json::Value) -> u16 {
    let mut request = Request::post("/mcp");
    for (name, value) in &web.headers {
        request = request.header(*name, value);
    }
    let mut request = request.body(Full::new(Bytes::from(message.to_string()))).expect("a request");
    request.extensions_mut().insert(RemoteAddr(IpAddr::V6(address)));
    web.service.handle(request).await.status().as_u16()
}

#[tokio::test]
async fn a_network_of_ipv6_is_one_caller() {
    let limits = Limits { in_flight: 1, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits))).session(LEGACY).await;
    let wait = |id| call(id, "wait", json!({ "ms": 200 }));
    let [first, neighbour, other] = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2", "2001:db8:1:3::1"]
        .map(|it| it.parse().expect("an address"));
    let (one, two, three) = (wait(1), wait(2), wait(3));
    let all = tokio::join!(
        post_from(&web, first, &one),
        post_from(&web, neighbour, &two),
        post_from(&web, other, &three)
    );
    assert_eq!(all, (200, 429, 200));
    // An IPv4 address in the form of IPv6 is that address.
    let [four, same] = ["::ffff:192.0.2.1", "::ffff:192.0.2.2"].map(|it| it.parse().expect("an address"));
    let (one, two) = (wait(1), wait(2));
    let both = tokio::join!(post_from(&web, four, &one), post_from(&web, same, &two));
    assert_eq!(both, (200, 200));
}

#[tokio::test]
async fn a_caller_has_so_many_streams_and_one_that_ends_makes_room() {
    let web = Web::new(http()).session("2025-06-18").await;
    let mut streams = Vec::new();
    for _ in 0..4_096 {
        let stream = web.get().await;
        assert_eq!(stream.status, 200, "{}", streams.len());
        streams.push(stream);
    }
    assert_eq!(web.get().await.status, 429);
    streams.pop();
    assert_eq!(web.get().await.status, 200);
}
