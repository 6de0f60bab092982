//! Imports: what other programs write, large files, and calls that are cancelled.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainwire_learning::{Learning, Profile};
use serde_json::{Value, json};

use crate::{scratch, server, text, value};

/// As Firefox writes it.
const BOOKMARKS: &str = r#"<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>
<DL><p>
    <DT><H3 ADD_DATE="1700000000">Systems &amp; more</H3>
    <DD>About the folder
    <DL><p>
        <DT><A HREF="https://one.example/a?b=1&amp;c=2" ADD_DATE="1700000000" TAGS="locks,rust">One &lt;1&gt;</A>
        <DD>The first one.
        <DT><H3>Deeper</H3>
        <DL><p>
            <DT><A HREF="https://two.example/">Two</A>
        </DL><p>
        <DT><A HREF="https://one.example/a?b=1&amp;c=2">One again</A>
    </DL><p>
    <DT><A HREF="javascript:alert(1)">A script</A>
    <DT><A HREF="place:sort=8">A query</A>
    <HR>
    <DT><A HREF="https://three.example/">Three</A>
</DL>"#;

const OPML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0"><head><title>Feeds</title></head><body>
<outline text="Rust"><outline text="This Week" type="rss" xmlUrl="https://week.example/rss.xml" htmlUrl="https://week.example/"/></outline>
<outline text="A link" type="link" url="https://link.example/?a=1&amp;b=2" description="It links."/>
<outline text="No address"/>
</body></opml>"#;

async fn import(client: &plainwire::Client, text: &str) -> Value {
    value(&client.call_tool("import_resources", json!({ "text": text })).await.expect("a result"))
}

#[tokio::test]
async fn bookmarks_keep_their_folders_tags_and_times() {
    let client = plainwire::testing::client(server(Profile::Data)).await.expect("a client");
    let report = import(&client, BOOKMARKS).await;
    assert_eq!(report, json!({ "kind": "learningImport:v1", "added": 3, "known": 1, "skipped": 2 }));
    let get = async |id: &str| {
        value(&client.call_tool("get_resource", json!({ "id": id })).await.expect("a result"))["resource"]
            .clone()
    };
    let one = get("one-1").await;
    assert_eq!((&one["title"], &one["url"]), (&json!("One <1>"), &json!("https://one.example/a?b=1&c=2")));
    assert_eq!(
        (&one["description"], &one["tags"]),
        (&json!("The first one."), &json!(["locks", "rust", "systems & more"]))
    );
    assert_eq!((&one["addedAt"], &one["concepts"]), (&json!("2023-11-14T22:13:20Z"), &json!(["locks"])));
    assert_eq!(get("two").await["tags"], json!(["deeper", "systems & more"]));
    assert_eq!(get("three").await.get("tags"), None);
    assert_eq!(import(&client, BOOKMARKS).await["added"], 0, "an import can be repeated");
}

#[tokio::test]
async fn opml_is_read_with_its_outlines() {
    let client = plainwire::testing::client(server(Profile::Data)).await.expect("a client");
    let report = import(&client, OPML).await;
    assert_eq!(report, json!({ "kind": "learningImport:v1", "added": 2, "known": 0, "skipped": 0 }));
    let week = value(&client.call_tool("get_resource", json!({ "id": "week" })).await.expect("a result"));
    assert_eq!(
        (&week["resource"]["url"], &week["resource"]["tags"]),
        (&json!("https://week.example/"), &json!(["rust"]))
    );
    let link = value(
        &client.call_tool("search_resources", json!({ "query": "link links" })).await.expect("a result"),
    );
    assert_eq!(link["resources"][0]["url"], "https://link.example/?a=1&b=2");
}

#[tokio::test]
async fn what_is_no_import_is_refused_and_nothing_is_added() {
    let client = plainwire::testing::client(server(Profile::Gated)).await.expect("a client");
    let resource = json!({ "id": "a", "title": "A", "url": "https://a.example/", "description": "A.", "type": "tool",
        "categories": ["ai"], "difficulty": "beginner", "freshness": "current", "official": false, "free": true,
        "languageApplicability": "universal" });
    let mut wrong = resource.clone();
    wrong["id"] = json!("No");
    for (it, says) in [
        ("nothing", "expected a bookmark file"),
        ("<opml><body><outline text='a'></body></opml>", "line 1: expected OPML, but found a mistake"),
        ("<opml>\n<outline text='&billion;' url='https://x.example'/></opml>", "line 2: expected OPML"),
        (
            "{\"schema\": \"other:v1\", \"resources\": []}",
            "expected \"schema\": \"learning:v1\", but found \"other:v1\"",
        ),
        ("{\"schema\"", "line 1"),
        (
            "<opml><body><outline text='a' url='https://x.example/'/><outline text='b'>",
            "ends within an element",
        ),
        ("<opml><body></body></opml>", "expected entries with addresses, but found none"),
        (
            &*json!({ "schema": "learning:v1", "resources": [resource, wrong] }).to_string(),
            "resource 2: `id`",
        ),
    ] {
        let refused = client.call_tool("import_resources", json!({ "text": it })).await.expect("a result");
        assert!(refused.is_error && text(&refused).contains(says), "{it}: {}", text(&refused));
    }
    let deep = format!("<opml>{}", "<outline text='a'>".repeat(200));
    let refused = client.call_tool("import_resources", json!({ "text": deep })).await.expect("a result");
    assert!(text(&refused).contains("at most 100 outlines"), "{}", text(&refused));
    for form in ["bookmarks", "opml"] {
        let arguments = json!({ "text": "hello", "form": form });
        assert!(client.call_tool("import_resources", arguments).await.expect("a result").is_error, "{form}");
    }
    for arguments in [
        json!({}),
        json!({ "text": "x", "path": "y" }),
        json!({ "path": "/no/such/file" }),
        json!({ "path": "/dev/zero" }),
        json!({ "path": "/" }),
    ] {
        assert!(client.call_tool("import_resources", arguments).await.expect("a result").is_error);
    }
    let all = value(&client.call_tool("list_categories", json!({})).await.expect("a result"));
    assert_eq!(all["total"].as_u64(), Some(plainwire_learning::vault::built_in().len() as u64));
}

#[tokio::test]
async fn over_http_no_file_of_the_server_is_read() {
    let path = scratch();
    let file = path.with_extension("html");
    fs::write(&file, BOOKMARKS).expect("written");
    let remote = Learning { reads_files: false, ..Learning::new(&path) }.server().expect("a server");
    let client = plainwire::testing::client(remote).await.expect("a client");
    let refused = client.call_tool("import_resources", json!({ "path": file })).await.expect("a result");
    assert!(refused.is_error && text(&refused).contains("expected `text`"), "{}", text(&refused));
    let local =
        plainwire::testing::client(Learning::new(&path).server().expect("a server")).await.expect("a client");
    let report =
        value(&local.call_tool("import_resources", json!({ "path": file })).await.expect("a result"));
    assert_eq!(report["added"], 3);
}

/// Writes a bookmark file with `count` bookmarks, and returns its path.
fn many(path: &std::path::Path, count: usize) -> std::path::PathBuf {
    let mut html = String::from("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n");
    for at in 0..count {
        let _ =
            writeln!(html, "<DT><A HREF=\"https://site-{at}.example/\">Page {at} on topic {}</A>", at % 97);
    }
    let file = path.with_extension("html");
    fs::write(&file, html + "</DL>").expect("written");
    file
}

#[tokio::test]
async fn an_import_tells_how_far_it_is_and_can_be_cancelled() {
    let path = scratch();
    let file = many(&path, 20_000);
    let client =
        plainwire::testing::client(Learning::new(&path).server().expect("a server")).await.expect("a client");
    let seen = Arc::new(AtomicUsize::new(0));
    let (tell, told) = (Arc::clone(&seen), Arc::new(tokio::sync::Notify::new()));
    let notify = Arc::clone(&told);
    let call = client.call_tool("import_resources", json!({ "path": file })).on_progress(move |it| {
        if it.done >= 1_000.0 && tell.fetch_add(1, Ordering::SeqCst) == 0 {
            notify.notify_one();
        }
    });
    tokio::select! {
        _ = call => panic!("expected a call that is cancelled"),
        () = told.notified() => {}
    }
    let total = async || {
        value(&client.call_tool("list_categories", json!({})).await.expect("a result"))["total"].as_u64()
    };
    let before = Some(plainwire_learning::vault::built_in().len() as u64);
    assert_eq!(total().await, before, "nothing is added before all is");
    // The writer lets go: the next import can begin.
    let small = json!({ "text": BOOKMARKS });
    let report =
        tokio::time::timeout(Duration::from_secs(20), client.call_tool("import_resources", small)).await;
    assert_eq!(value(&report.expect("an end").expect("a result"))["added"], 3);
    assert_eq!(total().await, before.map(|it| it + 3));
}

#[tokio::test]
async fn a_file_over_the_limit_is_not_imported() {
    let path = scratch();
    let file = path.with_extension("html");
    // Zeros that take no room on the disk.
    fs::File::create(&file).and_then(|it| it.set_len((64 << 20) + 1)).expect("a file");
    let client =
        plainwire::testing::client(Learning::new(&path).server().expect("a server")).await.expect("a client");
    let refused = client.call_tool("import_resources", json!({ "path": file })).await.expect("a result");
    assert!(text(&refused).contains("expected a file of at most 64 MiB"), "{}", text(&refused));
}

#[tokio::test]
async fn long_names_of_folders_cost_nothing() {
    let path = scratch();
    let mut html = String::from("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n");
    for at in 0..5 {
        let _ = write!(html, "<DL><p><DT><H3>{at}{}</H3>", "x".repeat(1 << 20));
    }
    html += "<DL><p>";
    for at in 0..2_000 {
        let _ = writeln!(html, "<DT><A HREF=\"https://site-{at}.example/\" TAGS=\"1,2,3,4,5,6,7\">Page</A>");
    }
    let file = path.with_extension("html");
    fs::write(&file, html).expect("written");
    let client =
        plainwire::testing::client(Learning::new(&path).server().expect("a server")).await.expect("a client");
    let call = client.call_tool("import_resources", json!({ "path": file }));
    let report =
        tokio::time::timeout(Duration::from_secs(60), call).await.expect("an end").expect("a result");
    assert_eq!(value(&report)["added"], 2_000, "{}", text(&report));
    let one = value(&client.call_tool("get_resource", json!({ "id": "page" })).await.expect("a result"));
    let tags = one["resource"]["tags"].as_array().expect("tags");
    assert_eq!((tags.len(), &tags[6]), (12, &json!("7")), "all tags, and the five innermost folders");
}
