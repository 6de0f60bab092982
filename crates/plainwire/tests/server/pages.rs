//! Pages of lists, and the cursors between them.

use plainwire::prelude::*;
use plainwire::proto::cursor::List;
use plainwire::proto::peer::EraChoice;
use plainwire::{Client, testing};
use serde_json::Value;

use crate::declarations::{hello, server};
use crate::raw_client::{LEGACY, REVISIONS, ask, error};

fn five() -> Server {
    let tools = ["a", "b", "c", "d", "e"].map(|name| Tool::new(name, hello));
    tools.into_iter().fold(server().page_size(2), Server::tool)
}

/// Requests the page of the tools list at `cursor`. Returns the names on it, and the cursor of the next page.
async fn page(server: Server, revision: &str, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let params = cursor.map_or("{}".to_owned(), |cursor| format!(r#"{{"cursor":"{cursor}"}}"#));
    let page = ask(server, revision, "tools/list", &params).await;
    let page: Value = serde_json::from_str(&page).expect("JSON");
    let tools = page["result"]["tools"].as_array().unwrap_or_else(|| panic!("{page}"));
    let names = tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect();
    (names, page["result"].get("nextCursor").map(|cursor| cursor.as_str().expect("a string").to_owned()))
}

#[tokio::test]
async fn a_list_is_paged_and_its_cursors_outlive_the_server() {
    for revision in REVISIONS {
        // Each page comes from a new server, which has not made the cursor.
        let (names, cursor) = page(five(), revision, None).await;
        assert_eq!(names, ["a", "b"]);
        let (names, cursor) = page(five(), revision, cursor.as_deref()).await;
        assert_eq!(names, ["c", "d"]);
        assert!(cursor.is_some());
        assert_eq!(page(five(), revision, cursor.as_deref()).await, (vec!["e".to_owned()], None));
    }
    // If the last page is full, no empty page follows it.
    assert_eq!(page(five().page_size(5), LEGACY, None).await.1, None);
    let (names, _) = page(five().page_size(0), LEGACY, None).await;
    assert_eq!(names, ["a"], "a page has at least one entry");
}

#[tokio::test]
async fn the_client_joins_all_pages() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let client = testing::client_with(five(), Client::builder().era(era)).await.expect("a client");
        let names: Vec<_> = client.list_tools().await.expect("tools").into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e"]);
        assert_eq!(client.list_raw(List::Tools).await.expect("tools").len(), 5);
    }
}

#[tokio::test]
async fn a_cursor_that_was_not_given_out_is_refused() {
    let (_, cursor) = page(five(), LEGACY, None).await;
    let cursor = cursor.expect("another page");
    let more = five().tool(Tool::new("f", hello));
    let refused = |cursor: &str| {
        let message = format!("expected `cursor` to be a `nextCursor` of this list, but found {cursor:?}");
        error("1", -32602, &message)
    };
    for (server, cursor) in [(five(), ""), (five(), "2"), (five(), &cursor[1..]), (more, &cursor)] {
        let params = format!(r#"{{"cursor":"{cursor}"}}"#);
        assert_eq!(ask(server, LEGACY, "tools/list", &params).await, refused(cursor));
    }
    let params = format!(r#"{{"cursor":"{cursor}"}}"#);
    let other_list = five().prompt(Prompt::new("p", hello));
    assert_eq!(ask(other_list, LEGACY, "prompts/list", &params).await, refused(&cursor));
}
