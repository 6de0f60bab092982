//! HTTPS with a certificate that is made for the test: clients that trust it, and files with wrong
//! certificates and keys.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use plainwire::http::Http;
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

use super::refusals::collect;
use super::support::socket_client::{Running, Wire, modern, until};
use super::support::{Seen, server};

const SHORT: Duration = Duration::from_millis(300);

struct Files {
    certificate: PathBuf,
    der: CertificateDer<'static>,
    key: PathBuf,
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{name}"));
    std::fs::write(&path, text).expect("a file");
    path
}

impl Files {
    fn new(test: &str) -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        Self {
            certificate: file(&format!("{test}-cert.pem"), &cert.pem()),
            der: cert.der().clone(),
            key: file(&format!("{test}-key.pem"), &signing_key.serialize_pem()),
        }
    }

    async fn running(&self, with: impl FnOnce(Http) -> Http) -> Running {
        Running::new(|http| with(http).tls(&self.certificate, &self.key)).await
    }

    async fn connect(&self, running: &Running, protocols: &[&str]) -> TlsStream<TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).expect("a certificate");
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
        let stream = TcpStream::connect(running.address).await.expect("a connection");
        let name = ServerName::try_from("localhost").expect("a name");
        TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("a handshake")
    }
}

#[tokio::test]
async fn calls_are_answered_over_http_1() {
    let files = Files::new("http1");
    let running = files.running(|http| http).await;
    for protocols in [&["http/1.1"][..], &[]] {
        let stream = files.connect(&running, protocols).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), protocols.first().map(|it| it.as_bytes()));
        let mut wire = Wire::new(stream);
        wire.send(&modern(1, "echo", json!({ "text": "hidden" }))).await;
        assert_eq!(wire.answer().await.text(), "hidden");
        wire.send(&modern(1, "wait", json!({ "ms": 60_000 }))).await;
        until("it runs", || running.running() == 1).await;
        drop(wire);
        until("it was cancelled", || running.running() == 0).await;
    }
}

#[tokio::test]
async fn http_2_is_agreed_on_where_the_client_knows_it() {
    let files = Files::new("http2");
    let running = files.running(|http| http).await;
    let stream = files.connect(&running, &["h2", "http/1.1"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (send, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(connection);
    let request = http::Request::get("https://localhost/healthz").body(()).expect("a request");
    let (response, _) = send.ready().await.expect("ready").send_request(request, true).expect("sent");
    assert_eq!(response.await.expect("an answer").status(), 200);
}

#[tokio::test]
async fn clients_that_do_not_shake_hands_hold_up_nobody_and_are_closed() {
    let files = Files::new("silent");
    let running = files.running(|http| http.head_timeout(SHORT)).await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(running.connect().await);
    }
    let mut wire = Wire::new(files.connect(&running, &[]).await);
    assert_eq!(wire.get("/healthz").await.status, 200);
    for wire in &mut silent {
        assert!(wire.is_closed_within(SHORT * 3).await);
    }
    let mut plain = running.connect().await;
    plain.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert!(plain.up_to_end().await.len() < 16, "an alert at most");
    // After the handshake, the time for the head of the first request is limited as without TLS.
    let mut wire = Wire::new(files.connect(&running, &[]).await);
    assert!(wire.is_closed_within(SHORT * 3).await);
}

#[tokio::test]
async fn handshakes_that_fail_are_logged_once() {
    let (log, _guard) = collect();
    let files = Files::new("logged");
    let running = files.running(|http| http).await;
    for _ in 0..5 {
        let mut plain = running.connect().await;
        plain.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        plain.up_to_end().await;
    }
    log.until("a TLS handshake of 127.0.0.1 failed: ").await;
    assert_eq!(log.lines().len(), 1, "{:?}", log.lines());
}

#[tokio::test]
async fn the_end_is_in_order_over_tls_and_waits_for_no_handshake() {
    let files = Files::new("end");
    let mut running = files.running(|http| http).await;
    let _silent = running.connect().await;
    let mut wire = Wire::new(files.connect(&running, &[]).await);
    wire.send(&modern(1, "wait", json!({ "ms": 300 }))).await;
    until("it runs", || running.running() == 1).await;
    running.ask_to_end();
    assert_eq!(wire.answer().await.text(), "waited");
    // The server ends the connection with a TLS alert. Without the alert, this read would fail.
    wire.closed().await;
    assert!(running.ended().await < Duration::from_secs(1));
}

/// Returns the error with which a server refuses to start with these files.
async fn refused(certificate: PathBuf, key: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let http = Http::new(server(&Seen::default()).log_level(None)).tls(certificate, key);
    format!("{:?}", http.serve_on(listener, std::future::pending()).await.expect_err("no server"))
}

#[tokio::test]
async fn files_that_are_not_what_they_should_be_are_named_and_no_key_is_shown() {
    let files = Files::new("files");
    let other = KeyPair::generate().expect("a key").serialize_pem();
    let secret = other.lines().nth(1).expect("Base64").to_owned();
    let broken = other.replace(&secret, &format!("*{secret}"));
    let encrypted = other.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let unended = other.split("-----END").next().expect("a part").to_owned();
    let begun = format!("-----BEGIN {secret}\n");
    let key = "a private key in PEM that has no passphrase, but found";
    let chain = "certificates in PEM, the server's own first, but found";
    let missing = PathBuf::from("/nowhere/at-all.pem");
    let none = (files.certificate.clone(), files.key.clone());
    let cases = [
        (missing.clone(), none.1.clone(), "/nowhere/at-all.pem: No such file".to_owned()),
        (none.0.clone(), missing, "/nowhere/at-all.pem: No such file".to_owned()),
        (none.0.clone(), file("broken", &broken), format!("tls-broken to have {key} one that is not Base64")),
        (none.0.clone(), file("encrypted", &encrypted), format!("tls-encrypted to have {key} one that has")),
        (none.0.clone(), file("unended", &unended), format!("tls-unended to have {key} one without its END")),
        (none.0.clone(), file("begun", &begun), format!("tls-begun to have {key} something else")),
        (none.0.clone(), file("empty", ""), format!("tls-empty to have {key} none")),
        (none.0.clone(), none.0.clone(), format!("tls-files-cert.pem to have {key} none")),
        (none.1.clone(), none.1.clone(), format!("tls-files-key.pem to have {chain} none")),
        (
            none.0.clone(),
            file("other", &other),
            format!(
                "tls-other to be the key of the first certificate in {}, but found one of another certificate",
                none.0.display()
            ),
        ),
    ];
    for (certificate, key, expected) in cases {
        let found = refused(certificate, key).await;
        assert!(found.contains(&expected), "expected {expected:?}, but found {found:?}");
        assert!(!found.contains(&secret[..8]), "a key is shown: {found:?}");
    }
}
