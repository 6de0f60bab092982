//! Tools that read.

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
