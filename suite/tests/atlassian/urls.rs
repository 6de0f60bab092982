//! Over HTTP, the URL chooses the tools.

use plainwire::Client;
use plainwire::http::Http;
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_site::Deployment;
use serde_json::json;
use tokio::net::TcpListener;

use super::support::{World, call};

/// Serves Jira over HTTP, and returns the address.
async fn served(world: &World, choice: Choice) -> String {
    let (server, by_url) =
        Atlassian { choice, ..Atlassian::new(world.settings()) }.by_url().expect("a server");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let http = Http::new(server).tools_by_query(move |query| by_url.choose(query));
    tokio::spawn(http.serve_on(listener, std::future::pending()));
    url
}

async fn names(client: &Client) -> Vec<String> {
    client.list_tools().await.expect("a list").into_iter().map(|it| it.name).collect()
}

#[tokio::test]
async fn a_url_chooses_toolsets_and_whether_only_reading_is_offered() {
    let world = World::new(Deployment::Cloud).await;
    let url = served(&world, Choice::default()).await;
    let plain = Client::connect(url.as_str()).await.expect("a client");
    let offered = names(&plain).await;
    assert!(
        offered.iter().any(|it| it == "jira_create_issue")
            && !offered.iter().any(|it| it == "jira_get_comments")
    );
    let reading = Client::connect(format!("{url}?toolsets=issues,comments&read_only=1").as_str()).await;
    let reading = reading.expect("a client");
    assert_eq!(
        names(&reading).await,
        [
            "jira_get_issue",
            "jira_search",
            "jira_get_project_issues",
            "jira_batch_get_changelogs",
            "jira_get_comments",
            "jira_get_my_issues"
        ]
    );
    let issue = call(&reading, "jira_get_issue", json!({ "issue_key": "SHOP-1", "fields": "summary" })).await;
    assert_eq!(issue["key"], "SHOP-1");
    let refused = reading.call_tool("jira_create_issue", json!({})).await.expect_err("no such tool here");
    assert!(refused.to_string().contains("found \"jira_create_issue\""), "{refused}");
    let wrong = Client::connect(format!("{url}?toolset=issues").as_str()).await.expect_err("a refusal");
    let why = format!("{wrong:#}");
    assert!(why.contains("expected parameters among toolsets, tools, without_tools, read_only"), "{why}");
}

#[tokio::test]
async fn a_url_never_gets_more_than_the_operator_offers() {
    let world = World::new(Deployment::DataCenter).await;
    let url = served(&world, Choice { read_only: true, ..Choice::default() }).await;
    let all = Client::connect(format!("{url}?toolsets=all&read_only=0").as_str()).await.expect("a client");
    let offered = names(&all).await;
    assert!(offered.len() > 30 && offered.iter().any(|it| it == "jira_get_agile_boards"), "{offered:?}");
    for tool in ["jira_create_issue", "jira_move_issue", "jira_get_proforma_form_details"] {
        assert!(!offered.iter().any(|it| it == tool), "{tool}");
    }
}
