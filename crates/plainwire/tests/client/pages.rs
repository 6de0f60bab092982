//! Lists of several pages: pages on demand, cursors that the server has forgotten, and lists without an end.

use plainwire::prelude::*;
use plainwire::proto::cursor::List;
use plainwire::proto::peer::EraChoice;
use plainwire::{Client, Error};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinSet;

use crate::scripted_server::{MODERN, Script};
use crate::tapped::{connect, modern, tool};

#[tokio::test]
async fn pages_come_when_they_are_wanted() {
    let five =
        ["a", "b", "c", "d", "e"].iter().fold(Server::new("five"), |server, name| server.tool(tool(name)));
    let (client, seen) = connect(five.page_size(2), modern()).await;
    let mut pages = client.pages(List::Tools);
    let mut sizes = Vec::new();
    while let Some(page) = pages.next_page().await.expect("a page") {
        sizes.push(page.entries.len());
        assert_eq!(seen.asked("tools/list"), sizes.len());
        let tools: Vec<plainwire::model::Tool> = page.read().expect("tools");
        assert_eq!(tools.len(), page.entries.len());
    }
    assert_eq!(sizes, [2, 2, 1]);
    assert!(pages.next_page().await.expect("the end").is_none());
    assert_eq!(client.list_tools().await.expect("tools").len(), 5);
}

#[tokio::test]
async fn a_page_without_its_list_is_an_error_with_the_name_of_the_list() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let serve = async {
        let (id, _) = script.expect("tools/list").await;
        script.answer(&id, json!({ "resultType": "complete" })).await;
    };
    let (error, ()) = tokio::join!(client.list_tools(), serve);
    let error = error.expect_err("no list").to_string();
    let expected = "the result of `tools/list` is of another type than expected: missing field `tools`";
    assert!(error.starts_with(expected), "{error}");
}

#[tokio::test]
async fn a_cursor_that_the_server_has_forgotten_takes_its_pages_with_it() {
    let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
    let page = |name: &str, cursor: Value| {
        let tools = json!([{ "name": name, "inputSchema": { "type": "object" } }]);
        let mut page =
            json!({ "resultType": "complete", "tools": tools, "ttlMs": 60_000, "cacheScope": "public" });
        if !cursor.is_null() {
            page["nextCursor"] = cursor;
        }
        page
    };
    let serve = async {
        let (id, _) = script.expect("tools/list").await;
        script.answer(&id, page("old", json!("c1"))).await;
        let (id, params) = script.expect("tools/list").await;
        assert_eq!(params["cursor"], "c1");
        script.refuse(&id, -32602).await;
        let (id, params) = script.expect("tools/list").await;
        assert_eq!(params.get("cursor"), None);
        script.answer(&id, page("new", Value::Null)).await;
    };
    let (tools, ()) = tokio::join!(client.list_tools(), serve);
    let names: Vec<String> = tools.expect("tools").into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["new"]);
}

/// Serves `initialize`, and answers each request for a list with a page and the cursor of one more page.
async fn always_another_page(stream: DuplexStream) {
    let (from, mut to) = tokio::io::split(stream);
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("JSON");
        let result = match message["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} } }),
            Some("tools/list") => json!({ "tools": [], "nextCursor": "" }),
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        if to.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn stops_at_a_list_that_never_ends() {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let mut server = JoinSet::new();
    server.spawn(always_another_page(theirs));
    let (reader, writer) = tokio::io::split(ours);
    let client =
        Client::builder().era(EraChoice::Legacy).streams(reader, writer).await.expect("a connection");
    match client.list_tools().await {
        Err(Error::Decode { message }) => {
            assert_eq!(message, "expected `tools/list` to end within 1000 pages")
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_page_and_the_pages_before_the_last_have_100000_entries() {
    for (sizes, expected) in [
        (&[100_000, 1][..], Ok(100_001)),
        (&[100_001], Err("expected a page of `tools/list` to have at most 100000 entries, but found more")),
        (&[99_999, 2, 1], Err("expected all pages of `tools/list` to have at most 100000 entries")),
    ] {
        let (client, mut script) = Script::connect(Client::builder(), MODERN).await;
        let serve = async {
            for (n, size) in sizes.iter().enumerate() {
                let (id, _) = script.expect("tools/list").await;
                let mut page = json!({ "resultType": "complete", "tools": vec![0; *size] });
                if n + 1 < sizes.len() {
                    page["nextCursor"] = json!("c");
                }
                script.answer(&id, page).await;
            }
            std::future::pending().await
        };
        let read =
            tokio::select! { read = client.list_raw(List::Tools) => read, () = serve => unreachable!() };
        match (read.map(|entries| entries.len()), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(Error::Decode { message }), Err(expected)) => assert_eq!(message, expected),
            other => panic!("{other:?}"),
        }
    }
}
