//! Pages that misbehave, and addresses that requests may not go to.

use std::time::{Duration, Instant};

use plainwire_learning::{Learning, Profile};
use serde_json::json;

use crate::site::{Answer, Site};
use crate::{scratch, server, text, value};

/// Reads a page, and returns the text of the error.
async fn refused(client: &plainwire::Client, url: &str) -> String {
    let result = client.call_tool("read_url", json!({ "url": url })).await.expect("a result");
    assert!(result.is_error, "{url}: {}", text(&result));
    text(&result)
}

#[tokio::test]
async fn no_request_goes_to_this_machine_or_a_private_network() {
    let site = Site::start(|_| Some(Answer::page("text/html", "secret"))).await;
    let port = site.url.rsplit(':').next().expect("a port").to_owned();
    let client = plainwire::testing::client(Learning::new(scratch()).server().expect("a server"))
        .await
        .expect("a client");
    for host in [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "127.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
    ] {
        let error = refused(&client, &format!("http://{host}:{port}/")).await;
        assert!(error.contains("expected a public address"), "{host}: {error}");
    }
    for url in
        ["http://10.0.0.1/", "http://169.254.169.254/latest/", "http://[fd00::1]/", "http://192.168.0.1/"]
    {
        assert!(refused(&client, url).await.contains("expected a public address"), "{url}");
    }
    for url in [
        "file:///etc/passwd",
        "ftp://example.com/",
        "gopher://example.com/",
        "no address",
        "https://u:s3cret@example.com/",
    ] {
        let error = refused(&client, url).await;
        assert!(error.contains("expected") && !error.contains("s3cret"), "{url}: {error}");
    }
    assert!(site.requests().is_empty(), "{:?}", site.requests());
}

#[tokio::test]
async fn each_redirect_is_checked_and_a_loop_ends() {
    let site = Site::start(|path| match path {
        "/robots.txt" => None,
        "/loop" => Some(Answer::redirect("/loop")),
        "/file" => Some(Answer::redirect("file:///etc/passwd")),
        "/nowhere" => Some(Answer::head("302 Found")),
        _ => None,
    })
    .await;
    let client = plainwire::testing::client(server(Profile::Gated)).await.expect("a client");
    assert!(refused(&client, &format!("{}/loop", site.url)).await.contains("at most 5 redirects"));
    assert_eq!(site.requests().iter().filter(|it| *it == "/loop").count(), 6);
    assert!(refused(&client, &format!("{}/file", site.url)).await.contains("expected a URL with a host"));
    assert!(refused(&client, &format!("{}/nowhere", site.url)).await.contains("found none"));
    assert!(refused(&client, &format!("{}/gone", site.url)).await.contains("404"));
}

#[tokio::test]
async fn size_time_and_type_have_limits() {
    let site = Site::start(|path| match path {
        "/huge" => Some(Answer::raw("200 OK\r\ncontent-type: text/html\r\ncontent-length: 2147483648")),
        "/endless" => Some(Answer::endless()),
        "/gzip" => Some(Answer::page("text/html\r\ncontent-encoding: gzip", b"\x1f\x8b".to_vec())),
        "/not-modified" => Some(Answer::head("304 Not Modified")),
        "/nested" => {
            Some(Answer::page("text/html", format!("<title>N</title>text{}", "<div/>".repeat(20_000))))
        }
        "/empty" => Some(Answer::page("text/html", "<title>E</title>")),
        "/image" => Some(Answer::page("image/png", "x")),
        "/lying" => Some(Answer::page("text/html", b"\x7fELF\0\0\0".to_vec())),
        "/pdf" => Some(Answer::page("application/pdf", "%PDF-1.7")),
        "/lying-pdf" => Some(Answer::page("text/html", "%PDF-1.7 \0\0")),
        "/broken" => Some(Answer::raw("200 OK\r\ncontent-type: text/html\r\ncontent-length: 100")),
        "/utf16" => {
            let text = "<title>Zażółć</title><p>gęślą jaźń</p>";
            let bytes = text.encode_utf16().flat_map(u16::to_le_bytes);
            Some(Answer::page("text/html", [0xff, 0xfe].into_iter().chain(bytes).collect::<Vec<u8>>()))
        }
        _ => None,
    })
    .await;
    let client = plainwire::testing::client(server(Profile::Gated)).await.expect("a client");
    for (path, says) in [
        ("/gzip", "expected a page that is not compressed, but found \"gzip\""),
        ("/not-modified", "answered with status 304"),
        ("/huge", "expected a page of at most 4 MiB, but found 2147483648 bytes"),
        ("/endless", "expected a page of at most 4 MiB, but found more"),
        ("/image", "expected a page of text, but found \"image/png\""),
        ("/lying", "found other bytes (said to be \"text/html\")"),
        ("/pdf", "has a PDF there"),
        ("/lying-pdf", "has a PDF there"),
        ("/broken", "can't be reached"),
    ] {
        let error = refused(&client, &format!("{}{path}", site.url)).await;
        assert!(error.contains(says), "{path}: {error}");
    }
    // What the parser would nest without end is read as plain text, and soon.
    let nested = json!({ "url": format!("{}/nested", site.url) });
    let nested = tokio::time::timeout(Duration::from_secs(15), client.call_tool("read_url", nested)).await;
    assert_eq!(value(&nested.expect("an end").expect("a result"))["text"], "text");
    let empty = json!({ "url": format!("{}/empty", site.url) });
    let empty = client.call_tool("add_resource_from_url", empty).await.expect("a result");
    assert!(text(&empty).contains("expected a page with text"), "{}", text(&empty));
    let utf16 = client
        .call_tool("read_url", json!({ "url": format!("{}/utf16", site.url) }))
        .await
        .expect("a result");
    let utf16 = value(&utf16);
    assert_eq!(utf16["title"], "Zażółć");
    assert!(utf16["text"].as_str().is_some_and(|it| it.contains("gęślą jaźń")), "{utf16}");
}

#[tokio::test]
async fn a_silent_site_ends_with_a_timeout() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let client = plainwire::testing::client(server(Profile::Gated)).await.expect("a client");
    let began = Instant::now();
    let error = refused(&client, &url).await;
    assert!(error.contains("was not there after 20 s"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(40));
}

#[tokio::test]
async fn robots_are_respected() {
    let closed = Site::start(|path| match path {
        "/robots.txt" => Some(Answer::page("text/plain", "User-agent: *\nDisallow: /private/\n")),
        _ => Some(Answer::page("text/html", "<title>T</title><p>text</p>")),
    })
    .await;
    let broken = Site::start(|path| match path {
        "/robots.txt" => Some(Answer::head("503 Unavailable")),
        _ => Some(Answer::page("text/html", "text")),
    })
    .await;
    let to_closed = format!("{}/private/x", closed.url);
    let leading = Site::start(move |path| match path {
        "/robots.txt" => None,
        _ => Some(Answer::redirect(&to_closed)),
    })
    .await;
    let client = plainwire::testing::client(server(Profile::Gated)).await.expect("a client");
    for url in [format!("{}/private/x", closed.url), format!("{}/", leading.url)] {
        assert!(refused(&client, &url).await.contains("robots.txt"), "{url}");
    }
    assert!(refused(&client, &format!("{}/", broken.url)).await.contains("status 503"));
    assert_eq!(closed.requests(), ["/robots.txt"], "the page itself was never asked for");
    let open = client
        .call_tool("read_url", json!({ "url": format!("{}/open", closed.url) }))
        .await
        .expect("a result");
    assert!(!open.is_error);
}
