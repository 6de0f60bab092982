//! The eras that a client remembers for servers, and servers that change their era.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::client::Eras;
use plainwire::client::host::{Connection, Host, Member};
use plainwire::proto::peer::EraChoice;
use plainwire::proto::revision::Revision;
use plainwire::{Client, Error};

use super::support::scripted_server::{Asked, Script, json, with};

/// A kind of server. This one knows only the legacy handshake, [`MODERN`] knows only `server/discover`, and
/// [`SICK`] answers everything with 503.
const LEGACY: u8 = 0;
const MODERN: u8 = 1;
const SICK: u8 = 2;

/// Starts a server of the kind `kind`. The test can change the kind while the server runs.
async fn server(kind: &Arc<AtomicU8>) -> Script {
    let kind = Arc::clone(kind);
    Script::new(move |asked| answer(kind.load(Ordering::SeqCst), asked)).await
}

fn answer(kind: u8, asked: &Asked) -> String {
    let id = asked.id();
    let result = match (kind, &*asked.method()) {
        (SICK, _) => return json("503 Service Unavailable", "{}"),
        (LEGACY, "initialize") => r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#,
        (MODERN, "server/discover") => {
            r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#
        }
        (_, "notifications/initialized") => return json("202 Accepted", ""),
        _ => {
            let refusal =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no"}}}}"#);
            return json("400 Bad Request", &refusal);
        }
    };
    json("200 OK", &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
}

/// Clears the record of the requests to `script`. Returns the methods of those by which a client finds out
/// the era of a server: `initialize` and `server/discover`.
fn greetings(script: &Script) -> Vec<String> {
    let asked = std::mem::take(&mut *script.asked.lock().expect("a lock"));
    let methods = asked.iter().map(Asked::method);
    methods.filter(|it| matches!(&**it, "initialize" | "server/discover")).collect()
}

fn url(script: &Script) -> String {
    format!("http://{}/mcp", script.address)
}

#[tokio::test]
async fn a_server_that_was_legacy_is_not_asked_again_what_it_speaks() {
    let script = server(&Arc::default()).await;
    let eras = Eras::new();
    let builder = Client::builder().eras(&eras);
    let first = builder.clone().connect(url(&script)).await.expect("a connection");
    assert_eq!(first.revision(), Revision::NEWEST_LEGACY);
    assert_eq!(greetings(&script), ["server/discover", "initialize"]);
    let second = builder.clone().connect(url(&script)).await.expect("a connection");
    assert_eq!(second.revision(), Revision::NEWEST_LEGACY);
    assert_eq!(greetings(&script), ["initialize"]);
    let forgetful = Client::builder().eras(&eras.clone().lifetime(Duration::ZERO));
    forgetful.connect(url(&script)).await.expect("a connection");
    assert_eq!(greetings(&script), ["server/discover", "initialize"], "its time is over");
    Client::connect(url(&script)).await.expect("a connection");
    assert_eq!(greetings(&script), ["server/discover", "initialize"], "nothing is shared unasked");
}

#[tokio::test]
async fn a_server_that_refuses_its_old_era_is_asked_once_more() {
    let kind = Arc::<AtomicU8>::default();
    let script = server(&kind).await;
    let builder = Client::builder().eras(&Eras::new());
    builder.clone().connect(url(&script)).await.expect("a connection");
    greetings(&script);
    kind.store(MODERN, Ordering::SeqCst);
    let client = builder.clone().connect(url(&script)).await.expect("a connection");
    assert_eq!(client.revision(), Revision::NEWEST);
    assert_eq!(greetings(&script), ["initialize", "server/discover"]);
    builder.connect(url(&script)).await.expect("a connection");
    assert_eq!(greetings(&script), ["server/discover"], "what it was is forgotten");
}

#[tokio::test]
async fn a_server_that_is_sick_is_not_taken_for_another_one() {
    let kind = Arc::<AtomicU8>::default();
    let script = server(&kind).await;
    let builder = Client::builder().eras(&Eras::new());
    builder.clone().connect(url(&script)).await.expect("a connection");
    greetings(&script);
    kind.store(SICK, Ordering::SeqCst);
    let error = builder.clone().connect(url(&script)).await.expect_err("it is sick");
    assert!(matches!(error, Error::Http { status: 503, .. }), "{error}");
    kind.store(LEGACY, Ordering::SeqCst);
    builder.connect(url(&script)).await.expect("a connection");
    assert_eq!(greetings(&script), ["initialize", "initialize"]);
}

#[tokio::test]
async fn who_speaks_one_era_only_neither_reads_nor_writes_what_is_known() {
    let kind = Arc::new(AtomicU8::new(LEGACY));
    let script = server(&kind).await;
    let builder = Client::builder().eras(&Eras::new());
    builder.clone().era(EraChoice::Legacy).connect(url(&script)).await.expect("a connection");
    builder.clone().revisions(&[Revision::NEWEST_LEGACY]).connect(url(&script)).await.expect("a connection");
    greetings(&script);
    kind.store(MODERN, Ordering::SeqCst);
    let client = builder.connect(url(&script)).await.expect("a connection");
    assert_eq!(
        (client.revision(), greetings(&script)),
        (Revision::NEWEST, vec!["server/discover".to_owned()])
    );
}

#[tokio::test]
async fn a_host_remembers_for_servers_that_come_again() {
    let script = server(&Arc::default()).await;
    let host = Host::start([Member::to("a", url(&script))]).expect("a host");
    host.client("a").await.expect("a connection");
    host.remove("a").await.expect("it is there");
    assert_eq!(greetings(&script), ["server/discover", "initialize"]);
    host.add(Member::to("b", url(&script))).expect("a name of its own");
    host.client("b").await.expect("a connection");
    assert_eq!(greetings(&script), ["initialize"]);
}

/// Answers a request as a server of `revision`, whose session id is the name of the revision. So a server
/// that changes its revision no longer knows the old session, and refuses requests in it with 404.
fn forgetful(revision: &str, asked: &Asked) -> String {
    let id = asked.id();
    let session = format!("mcp-session-id: {revision}\r\n");
    let ok = |result: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        with("200 OK", "application/json", &session, &body)
    };
    match &*asked.method() {
        "initialize" => ok(&format!(r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{}}}}}}"#)),
        "server/discover" => json("400 Bad Request", "{}"),
        _ if !asked.head.contains(&format!("mcp-session-id: {revision}")) => json("404 Not Found", "{}"),
        "notifications/initialized" => json("202 Accepted", ""),
        "tools/list" => ok(r#"{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}"#),
        _ => ok(r#"{"content":[{"type":"text","text":"done"}]}"#),
    }
}

#[tokio::test]
async fn a_session_that_comes_back_in_another_revision_is_another_connection() {
    let revision = Arc::new(Mutex::new("2025-11-25"));
    let shared = Arc::clone(&revision);
    let script = Script::new(move |asked| forgetful(*shared.lock().expect("a lock"), asked)).await;
    let host = Host::start([Member::to("a", url(&script))]).expect("a host");
    let call = || host.call::<String>("a__read", serde_json::json!({}));
    assert_eq!(call().await.expect("text"), "done");
    *revision.lock().expect("a lock") = "2025-06-18";
    let error = call().await.expect_err("the revision was agreed on");
    assert!(matches!(error, Error::Closed { .. }), "{error}");
    assert_eq!(call().await.expect("the next connection"), "done");
    let now = host.servers()[0].connection.clone();
    assert_eq!(now, Connection::Connected(Revision::V2025_06_18));
}
