//! Tests of the addresses to which a client may send requests, and of those to which it may not.

use super::*;

fn guard(server: &str, private: Permission) -> AddressGuard {
    AddressGuard::new(&Url::parse(server).expect("a URL"), private).expect("a guard")
}

#[track_caller]
fn check(server: &str, url: &str) -> Result<(), String> {
    let url = Url::parse(url).expect("a URL");
    guard(server, Permission::Withheld).check(&url).map_err(|it| it.to_string())
}

const PUBLIC: &str = "https://mcp.example.com/mcp";
const LOCAL: &str = "http://127.0.0.1:8000/mcp";

#[test]
fn public_servers_lead_to_public_addresses() {
    for url in ["https://as.example.com/x", "https://8.8.8.8/", "https://[2606:4700::1111]:8443/"] {
        assert_eq!(check(PUBLIC, url), Ok(()), "{url}");
    }
}

#[test]
fn public_servers_do_not_lead_into_private_networks() {
    for url in [
        "https://10.0.0.1/",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://168.63.129.16/",
        "https://172.31.255.255/",
        "https://192.168.1.1/",
        "https://0.0.0.0/",
        "https://255.255.255.255/",
        "https://224.0.0.1/",
        "https://127.0.0.1/",
        "https://localhost/",
        "https://a.localhost./",
        "https://[::1]/",
        "https://[::]/",
        "https://[fc00::1]/",
        "https://[fe80::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::10.0.0.1]/",
        "https://[64:ff9b:1::1]/",
        "https://[2001::1]/",
        "https://[2001:db8::1]/",
        "https://[2002:a00:1::]/",
        "https://[ff02::1]/",
    ] {
        let expected = format!(
            "expected a public address, but found {:?}",
            Url::parse(url).expect("a URL").origin().ascii_serialization()
        );
        assert_eq!(check(PUBLIC, url), Err(expected), "{url}");
    }
}

#[test]
fn addresses_in_other_spellings_are_the_same_addresses() {
    for url in [
        "https://0x7f.1/",
        "https://2130706433/",
        "https://0177.0.0.1/",
        "https://１０.0.0.1/",
        "https://10.1/",
    ] {
        assert!(check(PUBLIC, url).is_err(), "{url}");
    }
}

#[test]
fn only_https_counts_except_on_this_machine() {
    for url in ["http://as.example.com/", "http://8.8.8.8/", "ftp://as.example.com/", "file:///etc/passwd"] {
        assert!(check(PUBLIC, url).is_err() && check(LOCAL, url).is_err(), "{url}");
    }
    for url in ["http://127.0.0.1:9/x", "http://localhost:9/", "http://[::1]:9/"] {
        assert_eq!(check(LOCAL, url), Ok(()), "{url}");
        assert!(check(PUBLIC, url).is_err(), "{url}");
    }
    assert!(check(LOCAL, "https://10.0.0.1/").is_err());
}

#[test]
fn a_user_before_the_host_is_refused() {
    assert!(check(PUBLIC, "https://mcp.example.com@evil.example/").is_err());
    assert!(check(PUBLIC, "https://:x@evil.example/").is_err());
}

#[test]
fn the_host_that_the_user_named_may_be_private() {
    assert_eq!(check("https://10.0.0.1/mcp", "https://10.0.0.1:9/token"), Ok(()));
    assert!(check("https://10.0.0.1/mcp", "https://10.0.0.2/token").is_err());
    let inside = guard(PUBLIC, Permission::Granted);
    assert!(inside.check(&Url::parse("https://10.0.0.2/").expect("a URL")).is_ok());
    assert!(inside.check(&Url::parse("https://127.0.0.1/").expect("a URL")).is_err());
}

#[test]
fn names_are_checked_by_their_addresses() {
    let address = |it: &str| SocketAddr::new(it.parse().expect("an address"), 0);
    let both = || [address("10.0.0.1"), address("8.8.8.8"), address("127.0.0.1")].into_iter();
    let public = guard(PUBLIC, Permission::Withheld);
    assert_eq!(public.sift("as.example.com", both()), [address("8.8.8.8")]);
    assert_eq!(public.sift("mcp.example.com", both()).len(), 3);
    assert_eq!(public.sift("localhost", both()), []);
    assert_eq!(guard(LOCAL, Permission::Withheld).sift("localhost", both()), [address("127.0.0.1")]);
}

#[tokio::test]
async fn the_resolver_gives_no_address_of_this_machine_away() {
    let name = || "localhost".parse().expect("a name");
    let resolve = |server| Arc::new(guard(server, Permission::Withheld)).resolver().resolve(name());
    let refused = resolve(PUBLIC).await.err().expect("an error");
    assert_eq!(refused.to_string(), PRIVATE_ONLY);
    assert!(resolve(LOCAL).await.is_ok());
}

#[test]
fn pages_may_be_plain_but_not_private() {
    let pages = |url: &str, private| {
        let url = Url::parse(url).expect("a URL");
        AddressGuard::for_pages(private).check(&url).map_err(|it| it.to_string())
    };
    for url in ["http://example.com/", "https://example.com/", "http://8.8.8.8/"] {
        assert_eq!(pages(url, Permission::Withheld), Ok(()), "{url}");
    }
    for url in [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://a.localhost/",
        "http://10.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[fe80::1]/",
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://user@example.com/",
    ] {
        assert!(pages(url, Permission::Withheld).is_err(), "{url}");
    }
    for url in ["http://127.0.0.1:9/", "http://localhost:9/", "http://10.0.0.1/", "http://[::1]:9/"] {
        assert_eq!(pages(url, Permission::Granted), Ok(()), "{url}");
    }
    assert!(pages("file:///etc/passwd", Permission::Granted).is_err());
    let refused = pages("ftp://example.com/x", Permission::Withheld).expect_err("no page");
    assert_eq!(refused, "expected an http or https URL, but found \"ftp://example.com\"");
}

#[test]
fn a_public_name_with_a_private_address_is_no_page() {
    let found = ["10.0.0.1:80", "127.0.0.1:80", "93.184.215.14:80", "[fd00::1]:80"];
    let found = || found.iter().map(|it| it.parse().expect("an address"));
    let pages = AddressGuard::for_pages(Permission::Withheld);
    assert_eq!(pages.sift("rebind.example.com", found()), ["93.184.215.14:80".parse().expect("an address")]);
    assert_eq!(pages.sift("localhost", found()), []);
}
