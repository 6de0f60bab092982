//! Limits of results: of a document of the whole vault, and of any result.

use std::fmt::Write as _;
use std::path::Path;

use plainwire::Client;
use plainwire::model::{CallToolResult, Content};
use plainwire::prelude::*;
use plainwire_learning::Learning;

async fn client(folder: &Path) -> Client {
    let server = Learning::new(folder.join("vault.db")).server().expect("a server");
    plainwire::testing::client(server).await.expect("a client")
}

fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(Content::as_text).collect()
}

/// Imports `count` bookmarks with descriptions of `length` characters, and exports the whole vault.
async fn exported(count: usize, length: usize) -> CallToolResult {
    let folder = tempfile::tempdir().expect("a folder");
    let mut html = String::from("<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>");
    let description = "x".repeat(length);
    for at in 0..count {
        let _ = write!(html, "<DT><A HREF=\"https://site-{at}.example/\">Page</A><DD>{description}");
    }
    let file = folder.path().join("bookmarks.html");
    std::fs::write(&file, html).expect("written");
    let client = client(folder.path()).await;
    let imported = client.call_tool("import_resources", json!({ "path": file })).await.expect("a result");
    assert!(!imported.is_error, "{}", text(&imported));
    let all = json!({ "query": "*", "format": "json" });
    client.call_tool("export_results", all).await.expect("a result")
}

#[tokio::test]
async fn a_document_of_more_than_20_000_resources_is_refused() {
    let refused = exported(20_000, 1).await;
    assert!(refused.is_error && text(&refused).contains("at most 20000 resources"), "{}", text(&refused));
}

#[tokio::test]
async fn a_result_over_12_mib_is_an_error_that_says_so() {
    let fits = exported(2_000, 900).await;
    assert!(!fits.is_error && text(&fits).len() > 2_000_000, "{}", text(&fits).len());
    let refused = exported(6_000, 900).await;
    assert!(refused.is_error && text(&refused).contains("12582912 bytes"), "{}", text(&refused));
}
