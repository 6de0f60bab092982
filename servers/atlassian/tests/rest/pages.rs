//! The pages of lists, in each style: where the next one is, when the list ends, and what a hostile site
//! can't do.

use plainwire_atlassian::rest::{Deployment, Kind, Page, PageToken, Request, Site, Style, Upstream};
use serde_json::{Value, json};

use crate::support::{Reply, Stub, json as answer, reply, settings, site};

const ISSUES: Style = Style::StartAt { items: "issues" };
const SEARCH: Style = Style::NextPageToken { items: "issues" };

fn list() -> Request {
    Request::get(["rest", "list"]).query("jql", "x")
}

fn replies(bodies: &[Value]) -> Vec<Reply> {
    bodies.iter().map(|it| answer(200, &it.to_string())).collect()
}

/// Reads all pages of a script. Returns the items, the total, and the targets of the requests.
async fn read(site: &Site, request: Request, style: Style) -> Result<(Vec<Value>, Option<u64>), Upstream> {
    let (mut pages, mut items, mut total) = (site.pages(request, style), Vec::new(), None);
    while let Some(page) = pages.next().await? {
        items.extend(page.items);
        total = page.total;
    }
    Ok((items, total))
}

/// Expects the items `[1, 2, 3]` from a script, and the queries of the requests, without the first pair.
async fn check(style: Style, bodies: &[Value], queries: &[&str]) -> Option<u64> {
    let stub = Stub::script(replies(bodies));
    let outcome = read(&site(&stub), list(), style).await;
    let (items, total) = outcome.unwrap_or_else(|it| panic!("{style:?}: {}", it.message()));
    assert_eq!(Value::from(items), json!([1, 2, 3]), "{style:?}");
    let seen: Vec<_> = stub.seen().iter().map(|it| it.target.replace("/jira/rest/list?jql=x", "")).collect();
    assert_eq!(seen, queries, "{style:?}");
    total
}

#[tokio::test]
async fn pages_by_the_number_of_their_first_item() {
    let first = json!({ "startAt": 0, "maxResults": 2, "total": 3, "issues": [1, 2] });
    let last = json!({ "startAt": 2, "maxResults": 2, "total": 3, "issues": [3] });
    assert_eq!(check(ISSUES, &[first, last], &["", "&startAt=2"]).await, Some(3));
    // The site gives fewer than asked for, and has no total.
    let values = Style::StartAt { items: "values" };
    let first = json!({ "startAt": 0, "maxResults": 1, "isLast": false, "values": [1] });
    let last = json!({ "startAt": 1, "maxResults": 50, "isLast": true, "values": [2, 3] });
    assert_eq!(check(values, &[first, last], &["", "&startAt=1"]).await, None);
    // A total that is too large does not make an endless list.
    let only = json!({ "startAt": 0, "maxResults": 9, "total": 9, "issues": [1, 2, 3] });
    let empty = json!({ "startAt": 3, "maxResults": 9, "total": 9, "issues": [] });
    assert_eq!(check(ISSUES, &[only, empty], &["", "&startAt=3"]).await, Some(9));
}

#[tokio::test]
async fn pages_by_a_token_of_the_search() {
    let bodies = [json!({ "issues": [1], "nextPageToken": "a&b" }), json!({ "issues": [2, 3] })];
    check(SEARCH, &bodies, &["", "&nextPageToken=a%26b"]).await;
    let bodies = [json!({ "issues": [1, 2, 3], "nextPageToken": "a", "isLast": true })];
    check(SEARCH, &bodies, &[""]).await;
    // An empty page with a token is not the last one.
    let bodies = [json!({ "issues": [], "nextPageToken": "a" }), json!({ "issues": [1, 2, 3] })];
    check(SEARCH, &bodies, &["", "&nextPageToken=a"]).await;
}

#[tokio::test]
async fn the_token_of_a_search_by_post_is_in_its_body() {
    let bodies = [json!({ "issues": [1], "nextPageToken": "t" }), json!({ "issues": [2] })];
    let stub = Stub::script(replies(&bodies));
    let request = Request::post(["search"]).json(&json!({ "jql": "x" })).reads();
    read(&site(&stub), request, SEARCH).await.expect("pages");
    let seen: Vec<_> = stub.seen().iter().map(|it| (it.target.clone(), it.json())).collect();
    assert_eq!(seen[0], ("/jira/search".to_owned(), json!({ "jql": "x" })));
    assert_eq!(seen[1], ("/jira/search".to_owned(), json!({ "jql": "x", "nextPageToken": "t" })));
}

#[tokio::test]
async fn pages_of_a_bare_array_end_with_a_short_one_in_data_center_only() {
    let (short, empty) = (json!([1, 2, 3]), json!([]));
    check(Style::BareArray, std::slice::from_ref(&short), &["&maxResults=50"]).await;
    let stub = Stub::script(replies(&[short, empty]));
    let mut cloud = settings(&stub);
    cloud.deployment = Some(Deployment::Cloud);
    let site = Site::new(cloud).expect("a site");
    read(&site, list().query("maxResults", "10"), Style::BareArray).await.expect("pages");
    assert_eq!(stub.seen()[1].target, "/jira/rest/list?jql=x&maxResults=10&startAt=10");
}

#[tokio::test]
async fn pages_by_the_cursor_of_a_link() {
    let first =
        json!({ "results": [1], "_links": { "next": "/wiki/api/v2/list?jql=other&limit=1&cursor=a%3D%3D" } });
    let last = json!({ "results": [2, 3], "_links": { "base": "https://x" } });
    check(Style::Cursor, &[first, last.clone()], &["", "&limit=1&cursor=a%3D%3D"]).await;
    // Some answers have the header only.
    let link = "link: </wiki/api/v2/list?cursor=z>; rel=\"next\", <https://x>; rel=\"base\"\r\n";
    let stub = Stub::script([reply(200, link, r#"{"results":[1]}"#), answer(200, &last.to_string())]);
    read(&site(&stub), list(), Style::Cursor).await.expect("pages");
    assert_eq!(stub.seen()[1].target, "/jira/rest/list?jql=x&cursor=z");
}

#[tokio::test]
async fn pages_by_start_and_limit_of_a_link() {
    let first = json!({ "results": [1, 2], "size": 2, "totalSize": 3,
        "_links": { "next": "/rest/api/list?next=true&start=2&limit=2", "base": "https://x/wiki" } });
    let last = json!({ "results": [3], "size": 1, "totalSize": 3, "_links": {} });
    let total = check(Style::StartLimit, &[first, last], &["", "&next=true&start=2&limit=2"]).await;
    assert_eq!(total, Some(3));
}

#[tokio::test]
async fn pages_by_start_of_bitbucket_and_service_desk() {
    let first =
        json!({ "values": [1], "size": 1, "limit": 1, "start": 0, "isLastPage": false, "nextPageStart": 7 });
    let last = json!({ "values": [2, 3], "size": 2, "start": 7, "isLastPage": true, "nextPageStart": null });
    check(Style::NextPageStart, &[first, last], &["", "&start=7"]).await;
    let first =
        json!({ "values": [1], "size": 1, "limit": 1, "start": 0, "isLastPage": false, "_links": {} });
    let last = json!({ "values": [2, 3], "size": 2, "limit": 2, "start": 1, "isLastPage": true });
    check(Style::ServiceDesk, &[first, last], &["", "&start=1"]).await;
}

#[tokio::test]
async fn the_next_address_of_bitbucket_is_followed_as_it_is() {
    let stub = Stub::new(|n, seen| {
        let host = seen.header("host").expect("a host");
        let next = format!("http://{host}/jira/2.0/commits/?ctx=a%2Fb&page=2");
        let body =
            if n == 0 { json!({ "values": [1], "size": 9, "next": next }) } else { json!({ "values": [2] }) };
        answer(200, &body.to_string())
    });
    let site = site(&stub);
    let first = one(&site, None).await.expect("a page");
    let token = first.next.expect("a token");
    assert_eq!((token.as_str(), first.total), ("/jira/2.0/commits/?ctx=a%2Fb&page=2", Some(9)));
    one(&site, Some(token)).await.expect("a page");
    assert_eq!(stub.seen()[1].target, "/jira/2.0/commits/?ctx=a%2Fb&page=2");
}

/// Reads one page of Bitbucket Cloud.
async fn one(site: &Site, token: Option<PageToken>) -> Result<Page, Upstream> {
    let pages = site.pages(list(), Style::NextUrl);
    let mut pages = match token {
        Some(token) => pages.after(&token),
        None => pages,
    };
    pages.next().await.map(|it| it.expect("a page"))
}

#[tokio::test]
async fn a_next_page_elsewhere_is_never_asked_for() {
    let evil = Stub::script(vec![answer(200, r#"{"values":[],"results":[]}"#); 4]);
    for next in
        [evil.url("/jira/list").as_str(), "//evil.example/jira", "http://127.0.0.1:1/", "/jira/../../admin"]
    {
        let stub = Stub::script(replies(&[json!({ "values": [1], "next": next }), json!({ "values": [] })]));
        let outcome = read(&site(&stub), list(), Style::NextUrl).await;
        match outcome {
            Err(error) => assert_eq!(error.kind(), Kind::Redirect, "{next}"),
            // A path only is one below the base.
            Ok(_) => assert_eq!(stub.seen()[1].target, "/jira/admin", "{next}"),
        }
    }
    let next = evil.url("/jira/rest/list?cursor=c&jql=everything");
    let bodies = [json!({ "results": [1], "_links": { "next": next.as_str() } }), json!({ "results": [2] })];
    let stub = Stub::script(replies(&bodies));
    read(&site(&stub), list(), Style::Cursor).await.expect("pages");
    assert_eq!(stub.seen()[1].target, "/jira/rest/list?jql=x&cursor=c");
    assert_eq!(evil.count(), 0);
}

#[tokio::test]
async fn a_token_of_a_model_changes_nothing_but_the_page() {
    for (style, token) in [
        (ISSUES, "2&jql=everything"),
        (ISSUES, ""),
        (ISSUES, "-1"),
        (Style::Cursor, "cursor=a&jql=everything"),
        (Style::StartLimit, "cql=everything"),
        (Style::NextUrl, "https://evil.example/"),
        (Style::NextPageStart, "x"),
        (SEARCH, &"x".repeat(5_000)),
    ] {
        let stub = Stub::script([]);
        let mut pages = site(&stub).pages(list(), style).after(&PageToken::new(token));
        let error = pages.next().await.expect_err(token);
        assert!(matches!(error.kind(), Kind::Token | Kind::Redirect), "{style:?} {token}");
        assert_eq!(stub.count(), 0, "{style:?} {token}");
    }
}

#[tokio::test]
async fn a_list_that_does_not_advance_is_an_error() {
    let same = |body: Value| Stub::new(move |_, _| answer(200, &body.to_string()));
    for (style, body) in [
        (ISSUES, json!({ "startAt": 0, "total": 9, "issues": [1] })),
        (SEARCH, json!({ "issues": [1], "nextPageToken": "a", "isLast": false })),
        (Style::Cursor, json!({ "results": [1], "_links": { "next": "/x?cursor=a" } })),
        (Style::NextUrl, json!({ "values": [1], "next": "/jira/x?page=2" })),
        (Style::NextPageStart, json!({ "values": [1], "nextPageStart": 0 })),
        (Style::ServiceDesk, json!({ "values": [1], "start": 0, "isLastPage": false })),
    ] {
        let stub = same(body);
        let error = read(&site(&stub), list(), style).await.expect_err("endless");
        assert_eq!((error.kind(), stub.count()), (Kind::Unreadable, 2), "{style:?}");
    }
}

#[tokio::test]
async fn endless_pages_end_at_the_limit() {
    let stub = Stub::new(|n, _| {
        answer(200, &json!({ "issues": [n], "nextPageToken": format!("t{n}") }).to_string())
    });
    let mut few = settings(&stub);
    few.max_pages = 3;
    let site = Site::new(few).expect("a site");
    let error = read(&site, list(), SEARCH).await.expect_err("endless");
    assert_eq!((error.kind(), stub.count()), (Kind::TooManyPages, 3));
    let hint = error.hint().expect("a hint");
    assert!(hint.contains("a part of the list") && hint.contains("a narrower query"), "{hint}");
    let page = site.pages(list(), SEARCH).collect(100).await.expect("some pages");
    assert_eq!((page.items.len(), page.next), (3, Some(PageToken::new("t5"))));
}

#[tokio::test]
async fn pages_are_collected_until_there_is_enough_and_none_is_cut() {
    let stub = Stub::new(|n, _| {
        answer(200, &json!({ "issues": [n, n], "nextPageToken": format!("t{n}"), "x": n }).to_string())
    });
    let page = site(&stub).pages(list(), SEARCH).collect(3).await.expect("pages");
    assert_eq!(Value::from(page.items), json!([0, 0, 1, 1]));
    assert_eq!((page.next, stub.count()), (Some(PageToken::new("t1")), 2));
    assert_eq!(page.extra["x"], 1);
}

#[tokio::test]
async fn an_answer_without_the_items_is_no_empty_list() {
    for (style, body) in [
        (ISSUES, json!({ "total": -1 })),
        (ISSUES, json!({ "issues": null })),
        (Style::BareArray, json!({ "values": [] })),
        (Style::Cursor, json!([])),
        (Style::NextUrl, Value::Null),
    ] {
        let stub = Stub::script(replies(&[body]));
        let error = read(&site(&stub), list(), style).await.expect_err("no items");
        assert_eq!(error.kind(), Kind::Unreadable, "{style:?}");
    }
    let gone = Stub::script([answer(410, r#"{"errorMessages":["The requested API has been removed."]}"#)]);
    assert_eq!(read(&site(&gone), list(), ISSUES).await.expect_err("410").kind(), Kind::Gone);
}

#[tokio::test]
async fn items_of_a_type_are_read_as_such_and_one_of_another_shape_is_an_error() {
    let stub =
        Stub::script(replies(&[json!({ "issues": [1, 2], "total": 2 }), json!({ "issues": [1, "x"] })]));
    let site = site(&stub);
    let read = async || site.pages_of::<u8>(list(), ISSUES).next().await;
    let page = read().await.expect("an answer").expect("a page");
    assert_eq!((page.items, page.total, page.extra), (vec![1, 2], Some(2), json!({ "total": 2 })));
    let error = read().await.expect_err("an item of another shape");
    assert_eq!(error.kind(), Kind::Unreadable);
    assert!(error.message().contains("expected u8"), "{}", error.message());
}

#[tokio::test]
async fn a_member_that_is_nested_too_deep_is_an_error_and_not_the_end_of_the_list() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let stub = Stub::script(vec![answer(200, &format!(r#"{{"issues":[1],"nextPageToken":{deep}}}"#))]);
    let error = site(&stub).pages(list(), SEARCH).next().await.expect_err("a deep member");
    assert_eq!(error.kind(), Kind::Unreadable);
    assert!(error.message().contains("recursion limit"), "{}", error.message());
}
