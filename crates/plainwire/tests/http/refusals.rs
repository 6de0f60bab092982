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
use tokio::net::TcpListener;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::support::service_client::{LEGACY, MODERN, PATIENCE, Web, call, request};
use super::support::socket_client::{Running, until};
use super::support::{Seen, http, server};

/// The messages that were logged as warnings.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

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
    let (log, _guard) = collect();
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
    let lines = log.lines();
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

/// Starts to keep the log of this thread.
pub(crate) fn collect() -> (Log, tracing::subscriber::DefaultGuard) {
    let log = Log::default();
    let guard = tracing::subscriber::set_default(log.clone());
    (log, guard)
}

impl Log {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no panic").clone()
    }

    /// Waits until a line contains `text`.
    pub(crate) async fn until(&self, text: &str) {
        until(text, || self.lines().iter().any(|line| line.contains(text))).await;
    }
}

#[tokio::test]
async fn forged_states_are_logged_once_with_their_caller() {
    let (log, _guard) = collect();
    let forged = json!({ "name": "greet", "arguments": {}, "requestState": "forged", "inputResponses": {} });
    let ask = async |web: &Web, from: &str| {
        let mut request = Request::post("/mcp");
        let web = web.with("mcp-protocol-version", MODERN).with("mcp-method", "tools/call");
        let web = web.with("mcp-name", "greet");
        for (name, value) in &web.headers {
            request = request.header(*name, value);
        }
        let mut params = forged.clone();
        let meta = json!({ "protocolVersion": MODERN, "clientCapabilities": { "elicitation": {} } });
        for (name, value) in meta.as_object().expect("an object") {
            params["_meta"][format!("io.modelcontextprotocol/{name}")] = value.clone();
        }
        let message = self::request(1, "tools/call", params).to_string();
        let mut request = request.body(Full::new(Bytes::from(message))).expect("a request");
        request.extensions_mut().insert(RemoteAddr(from.parse().expect("an address")));
        assert_ne!(web.service.handle(request).await.status(), 404);
    };
    let web = Web::new(http());
    for n in 0..100 {
        ask(&web, &format!("192.0.2.{}", n % 2 + 1)).await;
    }
    let web = Web::new(http().bearer_token("ada", "s3cret"));
    ask(&web.with("authorization", "Bearer s3cret"), "192.0.2.3").await;
    let lines = log.lines();
    assert_eq!(lines.len(), 2, "{:?}", lines.first());
    assert!(
        lines[0].starts_with("refused a request state of tools/call \"greet\" of 192.0.2.1: "),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("refused a request state of tools/call \"greet\" of ada: "), "{lines:?}");
}

#[tokio::test]
async fn a_server_that_everybody_can_reach_without_a_token_says_so() {
    for (address, token, is_warned) in
        [("0.0.0.0:0", false, true), ("127.0.0.1:0", false, false), ("0.0.0.0:0", true, false)]
    {
        let (log, _guard) = collect();
        let listener = TcpListener::bind(address).await.expect("a port");
        let http = http();
        let http = if token { http.bearer_token("ada", "s3cret") } else { http };
        http.serve_on(listener, async {}).await.expect("a good end");
        let lines = log.lines();
        assert_eq!(lines.len(), usize::from(is_warned), "{address} {token}: {lines:?}");
        let warning = "is served: no token is required (`Http::bearer_token`)";
        assert!(
            lines
                .iter()
                .all(|line| line.contains("everybody who can reach 0.0.0.0:") && line.ends_with(warning))
        );
    }
}

#[tokio::test]
async fn requests_for_other_paths_and_with_long_heads_are_logged_once() {
    let (log, _guard) = collect();
    let running = Running::new(|http| http).await;
    for _ in 0..5 {
        for (path, status) in
            [("/wp-login.php", 404), ("/healthz", 200), (&*format!("/{}", "a".repeat(17 << 10)), 431)]
        {
            let mut wire = running.connect().await;
            wire.send(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")).await;
            assert_eq!(wire.answer().await.status, status, "{path}");
        }
    }
    let lines = log.lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for (line, reason) in
        lines.iter().zip(["expected the path /mcp, but found \"/wp-login.php\"", "head of a request"])
    {
        assert!(line.starts_with("refused a request of 127.0.0.1: ") && line.contains(reason), "{lines:?}");
    }
}

#[tokio::test]
async fn a_head_that_is_too_long_to_be_read_is_logged() {
    let (log, _guard) = collect();
    let running = Running::new(|http| http).await;
    for _ in 0..5 {
        let mut wire = running.connect().await;
        wire.send(&format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(1 << 20))).await;
        assert!(wire.answer().await.status == 414 || wire.is_closed_within(PATIENCE).await);
    }
    log.until("refused a request of 127.0.0.1: expected a head").await;
    assert_eq!(log.lines().len(), 1, "{:?}", log.lines());
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
