//! TLS: certificates that are not trusted, those of a company, and those of this client.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use plainwire_atlassian::rest::{ClientCertificate, Kind, Secret, Site, SiteSettings};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ServerConfig, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConnection, StreamOwned};

use crate::support::{Seen, Stub, create, get, json, serve, settings};

type Key = CertifiedKey<rcgen::KeyPair>;

fn certificate() -> Key {
    generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate")
}

/// Serves `https://localhost` with a certificate; if there is one of a client, each client has to show it.
fn site(server: &Key, client: Option<&Key>) -> (SiteSettings, Arc<Mutex<Vec<Seen>>>) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = match client {
        None => ServerConfig::builder().with_no_client_auth(),
        Some(client) => {
            let mut roots = RootCertStore::empty();
            roots.add(client.cert.der().clone()).expect("a root");
            let verifier = WebPkiClientVerifier::builder(roots.into()).build().expect("a verifier");
            ServerConfig::builder().with_client_cert_verifier(verifier)
        }
    };
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(server.signing_key.serialize_der()));
    let config = Arc::new(builder.with_single_cert(vec![server.cert.der().clone()], key).expect("a server"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = StreamOwned::new(connection, stream);
            serve(&mut stream, &log, |_, _| json(200, "{}"));
            stream.conn.send_close_notify();
            let _ = std::io::Write::flush(&mut stream);
        }
    });
    let mut settings = settings(&Stub::script([]));
    settings.base = format!("https://localhost:{port}/jira").parse().expect("a URL");
    settings.max_retries = 1;
    (settings, seen)
}

fn count(seen: &Mutex<Vec<Seen>>) -> usize {
    seen.lock().expect("no panic").len()
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_refused_before_anything_is_sent() {
    let key = certificate();
    let (mut settings, seen) = site(&key, None);
    for request in [get(), create()] {
        let error =
            Site::new(settings.clone()).expect("a site").send(request).await.expect_err("not trusted");
        assert_eq!((error.kind(), count(&seen)), (Kind::Tls, 0), "{}", error.message());
        assert!(error.hint().is_some_and(|it| it.contains("authority")));
    }
    settings.dangerous_accept_any_certificate = true;
    Site::new(settings).expect("a site").send(get()).await.unwrap_or_else(|it| panic!("{}", it.message()));
}

#[tokio::test]
async fn a_certificate_of_the_company_is_trusted() {
    let key = certificate();
    let (mut settings, seen) = site(&key, None);
    settings.ca_certificates = Some(key.cert.pem().into_bytes());
    Site::new(settings).expect("a site").send(get()).await.unwrap_or_else(|it| panic!("{}", it.message()));
    assert_eq!(count(&seen), 1);
}

#[tokio::test]
async fn a_certificate_of_this_client_is_shown_to_the_site() {
    let (key, own) = (certificate(), certificate());
    let (mut settings, seen) = site(&key, Some(&own));
    settings.ca_certificates = Some(key.cert.pem().into_bytes());
    let error = Site::new(settings.clone()).expect("a site").send(get()).await.expect_err("none was shown");
    assert_eq!((error.kind(), count(&seen)), (Kind::Tls, 0), "{}", error.message());
    let key = Secret::new(own.signing_key.serialize_pem());
    settings.client_certificate = Some(ClientCertificate { chain: own.cert.pem().into_bytes(), key });
    Site::new(settings).expect("a site").send(get()).await.unwrap_or_else(|it| panic!("{}", it.message()));
    assert_eq!(count(&seen), 1);
}
