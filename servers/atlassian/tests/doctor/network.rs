//! The way to the site.

use std::io::Write as _;
use std::net::TcpListener;
use std::thread;

use plainwire_atlassian::doctor::Outcome;
use plainwire_atlassian::rest::{Deployment, Proxies, Proxy, ProxyScope, Secret, SiteSettings};

use crate::support::{Reply, SECRET, Stub, check, checks, only_failure};

fn unused() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}

fn settings(base: &str) -> SiteSettings {
    let stub = Stub::new(Deployment::DataCenter, |_| None);
    SiteSettings { base: base.parse().expect("a URL"), ..stub.settings(Deployment::DataCenter, "") }
}

#[tokio::test]
async fn a_healthy_site_passes_each_check() {
    for deployment in [Deployment::Cloud, Deployment::DataCenter] {
        let stub = Stub::new(deployment, |_| None);
        let checks = checks(&stub.settings(deployment, "/jira")).await;
        assert!(
            checks.iter().all(|it| matches!(it.outcome, Outcome::Passed | Outcome::Skipped)),
            "{checks:#?}"
        );
        let skipped: Vec<_> =
            checks.iter().filter(|it| it.outcome == Outcome::Skipped).map(|it| it.name).collect();
        // The site does not send a date, and nobody signed in by OAuth.
        assert_eq!(skipped, ["clock", "sign-in", "scopes", "sites"]);
        let all = stub.seen();
        assert!(all.iter().all(|it| it.target.starts_with("/jira/rest/")) && all.len() == 6, "{all:?}");
        assert!(all[0].authorization.is_none(), "the first request is nobody's");
    }
}

#[tokio::test]
async fn settings_that_can_not_be_used_are_named() {
    let mut settings = settings("http://jira.example.com");
    let (found, advice) = only_failure(&checks(&settings).await, "settings");
    assert!(
        found.contains("expected an address of https") && advice == "correct JIRA_URL",
        "{found} {advice}"
    );
    settings.base = "https://jira.example.com".parse().expect("a URL");
    settings.gateway = "http://gateway.example".parse().expect("a URL");
    settings.cloud_id = Some("1".to_owned());
    let (found, advice) = only_failure(&checks(&settings).await, "settings");
    assert!(
        found.contains("expected an address of https") && advice == "correct ATLASSIAN_GATEWAY_URL",
        "{found} {advice}"
    );
    settings.cloud_id = None;
    settings.headers = vec![("a b".to_owned(), Secret::new(SECRET))];
    let checks = checks(&settings).await;
    assert_eq!(only_failure(&checks, "settings").1, "correct JIRA_CUSTOM_HEADERS");
    assert!(
        checks[1..]
            .iter()
            .all(|it| it.outcome == Outcome::Skipped && it.found.contains("\"settings\" failed"))
    );
}

#[tokio::test]
async fn a_name_without_an_address_is_told() {
    let (found, advice) = only_failure(&checks(&settings("https://jira.invalid")).await, "host");
    assert!(found.starts_with("jira.invalid is not reached") && advice.contains("JIRA_URL"), "{found}");
}

#[tokio::test]
async fn a_port_where_nothing_listens_is_told() {
    let (found, _) = only_failure(&checks(&settings(&format!("http://{}", unused()))).await, "host");
    assert!(found.contains("is not reached"), "{found}");
}

#[tokio::test]
async fn a_proxy_that_does_not_answer_is_told_without_its_password() {
    let mut settings = settings("https://jira.example.com");
    let address = Secret::new(format!("http://ada:{SECRET}@{}", unused()));
    settings.proxies =
        Proxies::Named { proxies: vec![Proxy { scope: ProxyScope::All, address }], except: None };
    let (found, advice) = only_failure(&checks(&settings).await, "proxy");
    assert!(found.contains("does not answer") && advice.contains("JIRA_HTTPS_PROXY"), "{found}");
}

#[tokio::test]
async fn a_proxy_that_wants_a_password_is_told() {
    let proxy = Stub::new(Deployment::DataCenter, |_| Some(Reply(407, String::new(), String::new())));
    let mut settings = settings("http://jira.example.com");
    settings.dangerous_plain_http = true;
    let address = Secret::new(format!("http://{}", proxy.address));
    settings.proxies =
        Proxies::Named { proxies: vec![Proxy { scope: ProxyScope::Http, address }], except: None };
    let (found, advice) = only_failure(&checks(&settings).await, "connection");
    assert!(found.contains("the proxy wants") && advice.contains("user:password@"), "{found} {advice}");
}

#[tokio::test]
async fn a_site_that_does_not_speak_tls_or_http_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.write_all(b"HTTP/1.1 400 X\r\n\r\n");
        }
    });
    let (_, advice) = only_failure(&checks(&settings(&format!("https://{address}"))).await, "connection");
    assert!(!advice.is_empty());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || listener.incoming().for_each(drop));
    let (_, advice) = only_failure(&checks(&settings(&format!("http://{address}"))).await, "connection");
    assert!(advice.contains("https://"), "{advice}");
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_is_told() {
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let _ = rustls::crypto::ring::default_provider().install_default();
    let private = rustls::pki_types::PrivateKeyDer::try_from(key.signing_key.serialize_der()).expect("a key");
    let config = rustls::ServerConfig::builder().with_no_client_auth();
    let config = std::sync::Arc::new(
        config.with_single_cert(vec![key.cert.der().clone()], private).expect("a server"),
    );
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut connection =
                rustls::ServerConnection::new(std::sync::Arc::clone(&config)).expect("a connection");
            let _ = connection.complete_io(&mut stream);
        }
    });
    let (_, advice) =
        only_failure(&checks(&settings(&format!("https://localhost:{port}"))).await, "connection");
    assert!(advice.contains("JIRA_CA_FILE"), "{advice}");
}

#[tokio::test]
async fn the_clock_of_the_site_is_compared() {
    let with_date = |date: &'static str| {
        Stub::new(Deployment::DataCenter, move |it| {
            it.target
                .ends_with("serverInfo")
                .then(|| Reply(200, format!("date: {date}\r\n"), r#"{"version":"9"}"#.to_owned()))
        })
    };
    let stub = with_date("Mon, 02 Mar 2020 10:00:00 GMT");
    let (found, advice) = only_failure(&checks(&stub.settings(Deployment::DataCenter, "")).await, "clock");
    assert!(found.ends_with("ahead of that of the site") && advice.contains("clock"), "{found}");
    let stub = Stub::new(Deployment::DataCenter, |it| {
        let body = r#"{"version":"9","serverTime":"2090-03-02T10:00:00.000+0000"}"#;
        it.target.ends_with("serverInfo").then(|| Reply(200, String::new(), body.to_owned()))
    });
    let (found, _) = only_failure(&checks(&stub.settings(Deployment::DataCenter, "")).await, "clock");
    assert!(found.ends_with("behind that of the site"), "{found}");
    let stub = with_date("soon");
    assert_eq!(
        check(&checks(&stub.settings(Deployment::DataCenter, "")).await, "clock").outcome,
        Outcome::Skipped
    );
}
