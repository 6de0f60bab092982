//! Tools that read.

use plainwire_site::Deployment;
use serde_json::json;

use crate::support::{BOTH, World, call, keys, refused};

#[tokio::test]
async fn an_issue_is_read_with_names_and_markdown() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let key = &keys(&world, "key LIKE 'SHOP-%'")[0];
        let issue = call(&client, "jira_get_issue", json!({ "issue_key": key, "fields": "*all", "expand": "changelog,transitions", "include": "worklog,watchers,remote_links" })).await;
        assert_eq!(issue["key"], key.as_str());
        assert!(issue["fields"]["summary"].is_string());
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_search_has_pages_without_end_or_repetition() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let mut found = Vec::new();
        let (mut token, mut start) = (json!(null), 0);
        loop {
            let arguments = json!({ "jql": "project = SHOP ORDER BY key", "limit": 50, "fields": ["summary"], "page_token": token, "start_at": start });
            let page = call(&client, "jira_search", arguments).await;
            let issues = page["issues"].as_array().expect("issues");
            found.extend(issues.iter().map(|it| it["key"].as_str().expect("a key").to_owned()));
            start += issues.len();
            token = page["next_page_token"].clone();
            if token.is_null() {
                break;
            }
        }
        let mut expected = keys(&world, "key LIKE 'SHOP-%'");
        expected.sort_by_key(|it| it.split_once('-').and_then(|(_, number)| number.parse::<u32>().ok()));
        assert_eq!(found, expected);
        world.assert_contract();
    }
}

#[tokio::test]
async fn jql_that_jira_refuses_is_told_in_its_words() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let text = refused(&client, "jira_search", json!({ "jql": "projct = SHOP" })).await;
        assert!(text.contains("Field 'projct' does not exist"), "{text}");
        let text = refused(&client, "jira_get_issue", json!({ "issue_key": "SHOP-99999" })).await;
        assert!(text.contains("Issue does not exist or you do not have permission to see it"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn histories_of_several_issues_have_their_keys() {
    let world = World::new(Deployment::Cloud).await;
    let client = world.client().await;
    let some = &keys(&world, "key LIKE 'SHOP-%'")[..3];
    let found = call(&client, "jira_batch_get_changelogs", json!({ "issue_ids_or_keys": some })).await;
    let issues = found["issues"].as_array().expect("issues");
    let named: Vec<_> = issues.iter().filter_map(|it| it["key"].as_str()).collect();
    assert_eq!(named.len(), some.len(), "{found}");
    for issue in issues {
        let key = issue["key"].as_str().unwrap_or_default();
        let id = format!("id = {} AND key = '{key}'", issue["issue_id"].as_str().expect("an id"));
        assert_eq!(keys(&world, &id), [key]);
        assert!(issue["entries"].as_array().is_some_and(|it| !it.is_empty()), "{issue}");
    }
    world.assert_contract();
}

#[tokio::test]
async fn a_token_that_is_none_is_told_as_one() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        for (tool, mut arguments) in [
            ("jira_list_dashboards", json!({})),
            ("jira_get_agile_boards", json!({})),
            ("jira_get_board_issues", json!({ "board_id": "1" })),
            ("jira_get_service_desk_queues", json!({ "service_desk_id": "HELP" })),
            ("jira_get_filters", json!({})),
            ("jira_get_all_projects", json!({})),
            ("jira_search", json!({ "jql": "project = SHOP" })),
        ] {
            arguments["page_token"] = json!("x");
            let text = refused(&client, tool, arguments).await;
            // The tokens of a search on Cloud are the site's own, so that it alone knows them.
            if deployment == Deployment::Cloud && tool == "jira_search" {
                assert!(text.contains("token"), "{text}");
                continue;
            }
            assert!(
                text.contains("expected `page_token` to be one of an earlier answer, but found \"x\""),
                "{tool}: {text}"
            );
            assert!(!text.contains("http") && !text.contains("can't be sent"), "{tool}: {text}");
        }
        world.assert_contract();
    }
}
