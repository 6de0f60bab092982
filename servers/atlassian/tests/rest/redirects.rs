//! Redirects: only downloads follow them, only to public addresses, and the credentials stay at home.

use plainwire_atlassian::rest::{Kind, Permission, Request, Site};

use crate::support::{Reply, SECRET, Stub, create, expect, get, html, json, reply, settings, site};

fn to(status: u16, location: &str) -> Reply {
    reply(status, &format!("location: {location}\r\n"), "")
}

fn file() -> Request {
    Request::get(["rest", "api", "3", "attachment", "content", "1"])
}

fn bytes(text: &str) -> Reply {
    let headers = "content-type: image/png\r\ncontent-disposition: attachment; filename=\"../a.png\"\r\n";
    reply(200, headers, text)
}

#[tokio::test]
async fn requests_of_the_api_follow_no_redirect() {
    for status in [301, 302, 303, 307, 308] {
        for request in [get(), create()] {
            let other = Stub::script([json(200, "{}")]);
            let location = other.url("/login.jsp?os_destination=x").to_string();
            let error = expect(request, to(status, &location), Kind::Redirect, 1).await;
            assert_eq!(other.count(), 0);
            let message = error.message();
            assert!(message.contains("/login.jsp") && !message.contains("os_destination"), "{message}");
        }
    }
    expect(get(), to(302, "/jira/elsewhere"), Kind::Redirect, 1).await;
    expect(get(), reply(302, "", ""), Kind::Redirect, 1).await;
    expect(get(), reply(304, "", ""), Kind::Redirect, 1).await;
}

#[tokio::test]
async fn a_download_has_bytes_a_type_and_a_name() {
    let stub = Stub::script([bytes("\u{0}png")]);
    let download = site(&stub).download(file()).await.expect("a file");
    assert_eq!((&download.bytes[..], download.media_type.as_str()), (&b"\0png"[..], "image/png"));
    assert_eq!(download.file_name.as_deref(), Some("a.png"));
}

#[tokio::test]
async fn a_download_follows_a_redirect_to_another_host_without_the_credentials() {
    let store = Stub::script([to(302, "/second"), bytes("png")]);
    let stub = Stub::script([to(303, store.url("/first?signature=x").as_str())]);
    let mut settings = settings(&stub);
    settings.private_downloads = Permission::Granted;
    settings.headers = vec![("X-Proxy".to_owned(), plainwire_atlassian::rest::Secret::new("proxy-secret"))];
    let download = Site::new(settings).expect("a site").download(file()).await.expect("a file");
    assert_eq!(&download.bytes[..], b"png");
    assert!(stub.seen()[0].header("authorization").is_some() && stub.seen()[0].header("x-proxy").is_some());
    for seen in store.seen() {
        let shown = format!("{seen:?}");
        assert!(
            !shown.contains("authorization") && !shown.contains(SECRET) && !shown.contains("x-proxy"),
            "{shown}"
        );
    }
    assert_eq!(store.seen()[0].target, "/first?signature=x");
}

#[tokio::test]
async fn a_redirect_that_comes_back_gets_no_credentials() {
    let store = Stub::new(|_, seen| to(302, &format!("http:/{}/jira/rest/api/2/myself", seen.target)));
    let there = store.address;
    let home = Stub::new(move |n, seen| match n {
        0 => to(302, &format!("http://{there}/{}", seen.header("host").expect("a host"))),
        _ => bytes("png"),
    });
    let mut settings = settings(&home);
    settings.private_downloads = Permission::Granted;
    Site::new(settings).expect("a site").download(file()).await.expect("a file");
    assert!(home.seen()[0].header("authorization").is_some());
    assert_eq!(home.seen()[1].target, "/jira/rest/api/2/myself");
    assert!(home.seen()[1].header("authorization").is_none() && store.count() == 1);
}

#[tokio::test]
async fn a_download_is_not_redirected_into_a_private_network() {
    for location in [
        "http://10.0.0.1/a",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]:1/",
        "file:///etc/passwd",
    ] {
        let stub = Stub::script([to(302, location)]);
        let error = site(&stub).download(file()).await.expect_err("private");
        assert_eq!((error.kind(), stub.count()), (Kind::Redirect, 1), "{location}");
    }
    // Another port of this machine is another host.
    let other = Stub::script([bytes("png")]);
    let stub = Stub::script([to(302, other.url("/").as_str())]);
    let error = site(&stub).download(file()).await.expect_err("another port");
    assert_eq!((error.kind(), other.count()), (Kind::Redirect, 0), "{}", error.message());
}

#[tokio::test]
async fn a_redirect_within_the_site_keeps_the_credentials() {
    let stub = Stub::script([to(302, "/secure/attachment/1/a.png"), bytes("png")]);
    site(&stub).download(file()).await.expect("a file");
    assert!(stub.seen().iter().all(|it| it.header("authorization").is_some()));
    assert_eq!(stub.seen()[1].target, "/secure/attachment/1/a.png");
}

#[tokio::test]
async fn a_download_that_ends_at_a_login_is_no_file() {
    let stub = Stub::script([to(302, "/jira/login.jsp?os_destination=%2F"), html(200)]);
    let error = site(&stub).download(file()).await.expect_err("a login");
    assert_eq!((error.kind(), stub.count()), (Kind::Html, 1));
    let stub = Stub::script([to(302, "/jira/sso"), html(200)]);
    assert_eq!(site(&stub).download(file()).await.expect_err("a page").kind(), Kind::Html);
    // A page that somebody attached is a file.
    let stub = Stub::script([html(200)]);
    assert_eq!(site(&stub).download(file()).await.expect("a file").media_type, "text/html");
}

#[tokio::test]
async fn endless_redirects_end() {
    let stub = Stub::new(|_, _| to(302, "/jira/again"));
    let error = site(&stub).download(file()).await.expect_err("endless");
    assert_eq!((error.kind(), stub.count()), (Kind::Redirect, 6));
}

#[tokio::test]
async fn a_refusal_of_the_file_store_is_not_one_of_the_site() {
    let store = Stub::script([json(401, "{}")]);
    let stub = Stub::script([to(302, store.url("/").as_str())]);
    let mut settings = settings(&stub);
    settings.private_downloads = Permission::Granted;
    let error = Site::new(settings).expect("a site").download(file()).await.expect_err("401");
    assert_eq!(error.kind(), Kind::Forbidden);
    assert!(error.message().contains("where the site keeps the file"), "{}", error.message());
}

#[tokio::test]
async fn a_download_has_a_limit_with_and_without_a_length() {
    let body = "x".repeat(2_000);
    let endless = Reply { bytes: format!("HTTP/1.1 200 X\r\n\r\n{body}").into(), ..bytes("") };
    for reply in [bytes(&body), endless] {
        let stub = Stub::script([reply]);
        let error = site(&stub).download(file().max_bytes(1_999)).await.expect_err("too large");
        assert_eq!((error.kind(), stub.count()), (Kind::TooLarge, 1));
        let stub = Stub::script([bytes(&body)]);
        site(&stub).download(file().max_bytes(2_000)).await.expect("it fits");
    }
}

#[tokio::test]
async fn only_a_get_is_a_download() {
    let stub = Stub::script([]);
    let error = site(&stub).download(create()).await.expect_err("a POST");
    assert_eq!((error.kind(), stub.count()), (Kind::Unusable, 0));
}
