//! What goes out: paths, queries, headers and bodies.

use plainwire_atlassian::rest::{Credentials, Form, Kind, Request, Secret, Site};
use serde_json::{Value, json};

use crate::support::{SECRET, Seen, Stub, get, json as answer, settings, site};

async fn seen(request: Request) -> Seen {
    let stub = Stub::script([answer(200, "{}")]);
    site(&stub).send(request).await.unwrap_or_else(|it| panic!("{}", it.message()));
    stub.seen().remove(0)
}

#[tokio::test]
async fn a_hostile_key_stays_in_its_segment() {
    for (key, expected) in [
        ("../../secret", "..%2F..%2Fsecret"),
        ("A-1?expand=x", "A-1%3Fexpand%3Dx"),
        ("A-1#x", "A-1%23x"),
        ("%2e%2e", "%252e%252e"),
        ("a\r\nX: y", "a%0D%0AX%3A%20y"),
        ("課題", "%E8%AA%B2%E9%A1%8C"),
    ] {
        let seen = seen(Request::get(["rest", "issue", key, "comment"])).await;
        assert_eq!(seen.target, format!("/jira/rest/issue/{expected}/comment"));
    }
}

#[tokio::test]
async fn a_key_without_a_place_in_a_path_is_never_sent() {
    for key in ["", ".", ".."] {
        let stub = Stub::script([]);
        let error = site(&stub).send(Request::delete(["rest", "issue", key])).await.expect_err(key);
        assert_eq!((error.kind(), stub.count()), (Kind::Unusable, 0));
    }
}

#[tokio::test]
async fn a_query_is_quoted_and_keeps_its_order() {
    let request = get()
        .query("jql", "a = \"b c\" & d+e#f")
        .query("expand", "x")
        .query("expand", "y")
        .maybe_query("none", None::<&str>);
    let expected =
        "/jira/rest/api/2/issue/ABC-1?jql=a%20%3D%20%22b%20c%22%20%26%20d%2Be%23f&expand=x&expand=y";
    assert_eq!(seen(request).await.target, expected);
}

#[tokio::test]
async fn an_address_that_is_too_long_is_never_sent() {
    let stub = Stub::script([]);
    let error = site(&stub).send(get().query("jql", "x".repeat(8_000))).await.expect_err("too long");
    assert_eq!((error.kind(), stub.count()), (Kind::Unusable, 0));
    assert!(error.message().contains("at most 7000 bytes"), "{}", error.message());
}

#[tokio::test]
async fn a_request_says_who_asks_and_what_it_reads() {
    let seen = seen(get()).await;
    assert_eq!(seen.method, "GET");
    assert_eq!(seen.header("authorization"), Some("Basic YWRhOnRvay1zM2NyM3QtOTI3MQ=="));
    assert_eq!(seen.header("accept"), Some("application/json"));
    assert!(seen.header("user-agent").is_some_and(|it| it.starts_with("plainwire-atlassian/")));
    assert!(seen.header("cookie").is_none() && seen.header("referer").is_none());
}

#[tokio::test]
async fn json_goes_out_as_it_was_given() {
    let request = Request::put(["a"]).json(&json!({ "b": "ü", "a": [1, null] }));
    let seen = seen(request).await;
    assert_eq!((seen.method.as_str(), seen.header("content-type")), ("PUT", Some("application/json")));
    assert_eq!(seen.json(), json!({ "a": [1, null], "b": "ü" }));
}

#[tokio::test]
async fn a_body_that_is_no_json_is_never_sent() {
    let stub = Stub::script([]);
    let body = std::collections::BTreeMap::from([(vec![1], 2)]);
    let error = site(&stub).send(Request::post(["a"]).json(&body)).await.expect_err("no JSON");
    assert_eq!((error.kind(), stub.count()), (Kind::Unusable, 0));
}

#[tokio::test]
async fn a_form_goes_out_without_the_check_against_forgery() {
    let form = Form::new().file("file", "a.bin", "application/x-test", vec![0, 255]).text("comment", "hi");
    let seen = seen(Request::post(["a"]).form(form)).await;
    assert_eq!(seen.header("x-atlassian-token"), Some("no-check"));
    let content_type = seen.header("content-type").expect("a type");
    let boundary = content_type.strip_prefix("multipart/form-data; boundary=").expect("a boundary");
    let text = String::from_utf8_lossy(&seen.body).into_owned();
    assert_eq!(text.matches(boundary).count(), 3, "{text}");
    assert!(text.contains("name=\"file\"; filename=\"a.bin\"\r\nContent-Type: application/x-test\r\n\r\n\0"));
}

#[tokio::test]
async fn extra_headers_go_out_and_the_credentials_win() {
    let stub = Stub::script(vec![answer(200, "{}"); 3]);
    let mut settings = settings(&stub);
    let secret = |it: &str| Secret::new(it);
    settings.headers = vec![
        ("X-Gateway-Key".to_owned(), secret("gateway-secret")),
        ("Authorization".to_owned(), secret("Basic of-the-gateway")),
    ];
    let site = Site::new(settings).expect("a site");
    site.send(get().header("X-ExperimentalApi", "opt-in")).await.expect("an answer");
    // The session of somebody else, whose headers alone say who asks.
    let session =
        [("Cookie".to_owned(), secret("JSESSIONID=1")), ("Authorization".to_owned(), secret("Bearer x"))];
    let guest = site.as_user(Credentials::None, &session).expect("a site");
    guest.send(get()).await.expect("an answer");
    site.as_user(Credentials::Bearer(secret("pat-of-ben")), &[])
        .expect("a site")
        .send(get())
        .await
        .expect("an answer");
    let seen = stub.seen();
    assert_eq!(seen[0].header("x-gateway-key"), Some("gateway-secret"));
    assert_eq!(seen[0].header("x-experimentalapi"), Some("opt-in"));
    assert!(seen[0].header("authorization").is_some_and(|it| it.starts_with("Basic YWRh")));
    assert_eq!(seen[0].headers.iter().filter(|it| it.0 == "authorization").count(), 1);
    assert_eq!(
        (seen[1].header("authorization"), seen[1].header("cookie")),
        (Some("Bearer x"), Some("JSESSIONID=1"))
    );
    assert!(seen.iter().all(|it| it.header("x-gateway-key") == Some("gateway-secret")));
    assert_eq!(seen[2].header("cookie"), None);
    assert_eq!(seen[2].header("authorization"), Some("Bearer pat-of-ben"));
}

#[tokio::test]
async fn a_header_that_is_none_is_never_sent() {
    for (name, value) in [("a b", "x"), ("x", "a\r\nb: c"), ("Host", "evil.example"), ("content-length", "0")]
    {
        let stub = Stub::script([]);
        let error = site(&stub).send(get().header(name, value)).await.expect_err(name);
        assert_eq!((error.kind(), stub.count()), (Kind::Unusable, 0), "{name}");
    }
}

#[tokio::test]
async fn links_of_the_site_are_followed_only_below_its_base() {
    let stub = Stub::script(vec![answer(200, "{}"); 4]);
    let site = site(&stub);
    for (link, expected) in [
        ("/jira/secure/attachment/1/a%20b.png?x=1", "/jira/secure/attachment/1/a%20b.png?x=1"),
        ("/rest/api/content?start=25", "/jira/rest/api/content?start=25"),
        (stub.url("/jira/rest/a").as_str(), "/jira/rest/a"),
        ("/jira/../other", "/jira/other"),
    ] {
        site.send(site.link(link).expect(link)).await.expect("an answer");
        assert_eq!(stub.seen().last().map(|it| it.target.clone()).as_deref(), Some(expected), "{link}");
    }
    for link in [
        "https://evil.example/jira/rest",
        "//evil.example/jira",
        "/\\evil.example/jira",
        "http://127.0.0.1:1/jira",
        stub.url("/jirax").as_ref(),
        stub.url("/jira/%2e%2e/admin").as_ref(),
        &stub.url("/jira/x").to_string().replace("http://", "http://ada:pw@"),
        "file:///etc/passwd",
        "javascript:alert(1)",
        "../../admin",
    ] {
        let error = site.link(link).expect_err(link);
        assert!(matches!(error.kind(), Kind::Redirect | Kind::Unusable), "{link}: {}", error.message());
    }
}

#[tokio::test]
async fn a_link_of_the_site_for_people_goes_through_the_gateway() {
    let gateway = Stub::script([answer(200, "{}")]);
    let mut settings = settings(&gateway);
    settings.base = "https://example.atlassian.net".parse().expect("a URL");
    (settings.cloud_id, settings.gateway) = (Some("11-22".to_owned()), gateway.url("/"));
    let site = Site::new(settings).expect("a site");
    assert!(site.is_cloud());
    let link = site.link("https://example.atlassian.net/rest/api/3/attachment/content/7").expect("a link");
    site.json::<Value>(link).await.expect("an answer");
    assert_eq!(gateway.seen()[0].target, "/ex/jira/11-22/rest/api/3/attachment/content/7");
    assert!(gateway.seen()[0].header("authorization").is_some());
}

#[tokio::test]
async fn nothing_shows_a_secret() {
    let stub = Stub::script([]);
    let mut settings = settings(&stub);
    settings.headers = vec![("X-Key".to_owned(), Secret::new("header-secret"))];
    let site = Site::new(settings.clone()).expect("a site");
    let request = get().header("X-Key", "request-secret");
    let shown = format!(
        "{settings:?} {site:?} {:?}",
        site.pages(request, plainwire_atlassian::rest::Style::BareArray)
    );
    assert!(
        !shown.contains(SECRET)
            && !shown.contains("header-secret")
            && !shown.contains("request-secret")
            && shown.contains("Secret"),
        "{shown}"
    );
}

#[test]
fn the_futures_may_move_between_threads() {
    fn is_send(_: impl Send) {}
    let site = site(&Stub::script([]));
    is_send(site.send(get()));
    is_send(site.download(get()));
    is_send(site.pages(get(), plainwire_atlassian::rest::Style::Cursor).collect(1));
}
