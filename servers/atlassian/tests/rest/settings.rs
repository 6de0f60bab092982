//! Settings: which are refused, and limits and proxies at work.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use plainwire_atlassian::rest::{
    ClientCertificate, Credentials, Kind, Product, Proxies, Proxy, ProxyScope, Secret, Site, SiteSettings,
    Url,
};

use crate::support::{SECRET, Stub, get, json, settings};

fn url(text: &str) -> Url {
    text.parse().expect("a URL")
}

fn refused(change: impl FnOnce(&mut SiteSettings)) -> (&'static str, String) {
    let mut settings = SiteSettings::new(Product::Jira, url("https://example.atlassian.net"));
    settings.credentials = Credentials::Bearer(Secret::new(SECRET));
    settings.proxies = Proxies::Direct;
    change(&mut settings);
    let fault = Site::new(settings).expect_err("a fault");
    assert!(!fault.message.contains(SECRET), "{fault}");
    (fault.setting, fault.message)
}

#[test]
fn settings_that_can_not_be_used_are_named() {
    for base in ["ftp://a", "https://ada:pw@a/", "https://a/?x", "https://a/#x", "mailto:a@b"] {
        assert_eq!(refused(|it| it.base = url(base)).0, "base", "{base}");
    }
    assert_eq!(refused(|it| it.gateway = url("ftp://a")).0, "gateway");
    let through_gateway = |it: &mut SiteSettings| {
        (it.gateway, it.cloud_id) = (url("http://gateway.example"), Some("1".to_owned()));
    };
    assert_eq!(refused(through_gateway).0, "gateway");
    for id in ["", "a/b", "..", "a b"] {
        assert_eq!(refused(|it| it.cloud_id = Some(id.to_owned())).0, "cloud_id", "{id}");
    }
    let bitbucket = |it: &mut SiteSettings| {
        (it.product, it.cloud_id) = (Product::Bitbucket, Some("1".to_owned()));
    };
    assert_eq!(refused(bitbucket).0, "cloud_id");
    for (name, value) in [("a b", "x"), ("Host", "x"), ("x", "a\nb")] {
        assert_eq!(refused(|it| it.headers = vec![(name.to_owned(), Secret::new(value))]).0, "headers");
    }
    assert_eq!(refused(|it| it.ca_certificates = Some(b"none".to_vec())).0, "ca_certificates");
    for (key, expected) in
        [("none", "in PEM"), ("-----BEGIN ENCRYPTED PRIVATE KEY-----", "without a password")]
    {
        let certificate = ClientCertificate { chain: Vec::new(), key: Secret::new(key) };
        let (setting, message) = refused(|it| it.client_certificate = Some(certificate));
        assert!(setting == "client_certificate" && message.contains(expected), "{message}");
    }
    for address in ["proxy.example:80", "ftp://proxy", &format!("http://ada:{SECRET}@:x")] {
        let proxies = vec![Proxy { scope: ProxyScope::All, address: Secret::new(address) }];
        assert_eq!(refused(|it| it.proxies = Proxies::Named { proxies, except: None }).0, "proxies");
    }
}

#[test]
fn credentials_without_tls_need_a_dangerous_setting() {
    let mut settings = SiteSettings::new(Product::Jira, url("http://jira.example.com"));
    settings.proxies = Proxies::Direct;
    let site = Site::new(settings.clone()).expect("nothing is secret");
    site.as_user(Credentials::Bearer(Secret::new("x")), &[]).expect_err("a secret");
    settings.credentials = Credentials::Bearer(Secret::new("x"));
    assert_eq!(Site::new(settings.clone()).expect_err("a secret").setting, "base");
    settings.dangerous_plain_http = true;
    let site = Site::new(settings.clone()).expect("it is wanted");
    site.gateway().expect("it has TLS");
    (settings.base, settings.dangerous_plain_http) = (url("https://jira.example.com"), false);
    settings.gateway = url("http://gateway.example");
    let site = Site::new(settings).expect("the gateway is not asked");
    assert_eq!(site.gateway().expect_err("a secret").setting, "gateway");
}

#[tokio::test]
async fn an_answer_has_a_limit() {
    let stub = Stub::script([json(200, "[1,2,3]"), json(200, "[1,2,3]")]);
    let mut settings = settings(&stub);
    settings.max_json_bytes = 6;
    let site = Site::new(settings).expect("a site");
    // A request can't raise it.
    let error = site.send(get().max_bytes(100)).await.expect_err("too large");
    assert_eq!((error.kind(), error.status(), stub.count()), (Kind::TooLarge, Some(200), 1));
    let change = plainwire_atlassian::rest::Request::put(["a"]);
    assert_eq!(site.send(change).await.expect_err("too large").kind(), Kind::OutcomeUnknown);
}

#[tokio::test]
async fn requests_wait_for_their_turn() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counter, peak) = (Arc::clone(&now), Arc::clone(&most));
    let stub = Stub::new(move |_, _| {
        peak.fetch_max(counter.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(30));
        counter.fetch_sub(1, Ordering::SeqCst);
        json(200, "{}")
    });
    let mut settings = settings(&stub);
    settings.max_concurrent = 2;
    let site = Site::new(settings).expect("a site");
    let all = tokio::join!(
        site.send(get()),
        site.send(get()),
        site.send(get()),
        site.send(get()),
        site.send(get())
    );
    assert!(all.0.is_ok() && all.1.is_ok() && all.2.is_ok() && all.3.is_ok() && all.4.is_ok());
    assert_eq!((most.load(Ordering::SeqCst), stub.count()), (2, 5));
}

#[tokio::test]
async fn a_proxy_gets_the_requests_except_those_for_named_hosts() {
    let (proxy, stub) = (Stub::script(vec![json(200, "{}"); 2]), Stub::script([json(200, "{}")]));
    let address = format!("http://ada:pw@{}", proxy.address);
    let proxies = vec![Proxy { scope: ProxyScope::Http, address: Secret::new(address) }];
    let mut settings = settings(&stub);
    settings.base = url("http://jira.example.com/jira");
    settings.dangerous_plain_http = true;
    settings.proxies = Proxies::Named { proxies, except: Some("localhost,127.0.0.1".to_owned()) };
    Site::new(settings.clone()).expect("a site").send(get()).await.expect("through the proxy");
    settings.base = stub.url("/jira");
    Site::new(settings).expect("a site").send(get()).await.expect("without the proxy");
    assert_eq!((proxy.count(), stub.count()), (1, 1));
    let seen = &proxy.seen()[0];
    assert_eq!(seen.target, "http://jira.example.com/jira/rest/api/2/issue/ABC-1");
    assert_eq!(seen.header("proxy-authorization"), Some("Basic YWRhOnB3"));
    assert!(stub.seen()[0].header("proxy-authorization").is_none());
}

#[tokio::test]
async fn a_proxy_of_socks_that_is_not_there_is_a_failure_of_the_network() {
    let stub = Stub::script([]);
    let mut settings = settings(&stub);
    let proxies =
        vec![Proxy { scope: ProxyScope::All, address: Secret::new("socks5h://ada:pw-s3cr3t@127.0.0.1:1") }];
    (settings.proxies, settings.max_retries) = (Proxies::Named { proxies, except: None }, 0);
    let error = Site::new(settings).expect("a site").send(get()).await.expect_err("no proxy");
    assert_eq!((error.kind(), stub.count()), (Kind::Network, 0), "{}", error.message());
    assert!(!error.message().contains("s3cr3t"), "{}", error.message());
}
