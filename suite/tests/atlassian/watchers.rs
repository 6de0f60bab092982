//! Watchers.

use serde_json::json;

use crate::support::{BOTH, World, call, keys, refused, written};

const STATE: &str = "SELECT i.key, p.name FROM watcher w JOIN issue i ON i.id = w.issue_id JOIN person p ON p.id = w.person_id ORDER BY 1, 2";

#[tokio::test]
async fn a_watcher_is_added_and_removed_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let watched = "SELECT 1 FROM watcher w JOIN person p ON p.id = w.person_id WHERE w.issue_id = i.id AND p.name = 'demo'";
        let key = keys(&world, &format!("key LIKE 'SHOP-%' AND NOT EXISTS ({watched})"))[0].clone();
        let (change, _) = written(
            &world,
            &client,
            "jira_add_watcher",
            json!({ "issue_key": key, "user_identifier": "me" }),
            STATE,
        )
        .await;
        assert_eq!(change["warnings"], json!(null), "{change}");
        call(
            &client,
            "jira_add_watcher",
            json!({ "issue_key": key, "user_identifier": "demo@plainwire.example" }),
        )
        .await;
        let seen = call(&client, "jira_get_issue_watchers", json!({ "issue_key": key })).await;
        assert_eq!(seen["is_watching"], true);
        assert!(seen["people"].to_string().contains("Dana Moreau"), "{seen}");
        let again =
            call(&client, "jira_add_watcher", json!({ "issue_key": key, "user_identifier": "me" })).await;
        assert_eq!(again["changes"], json!([]), "{again}");
        written(
            &world,
            &client,
            "jira_remove_watcher",
            json!({ "issue_key": key, "user_identifier": "Dana Moreau" }),
            STATE,
        )
        .await;
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_person_that_there_is_not_watches_nothing() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let text = refused(
            &client,
            "jira_add_watcher",
            json!({ "issue_key": "SHOP-1", "user_identifier": "No Such Person" }),
        )
        .await;
        assert!(text.contains("there is no person"), "{text}");
        let text = refused(&client, "jira_remove_watcher", json!({ "issue_key": "SHOP-1" })).await;
        assert!(text.contains("user_identifier"), "{text}");
        let text = refused(&client, "jira_get_issue_watchers", json!({ "issue_key": "SHOP-99999" })).await;
        assert!(text.contains("Issue does not exist"), "{text}");
        world.assert_contract();
    }
}
