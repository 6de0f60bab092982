//! Fields of screens, types, priorities, statuses, and the issues of the one who asks.

use serde_json::json;

use crate::support::{BOTH, World, call, refused};

#[tokio::test]
async fn the_fields_of_screens_are_told_with_what_they_allow() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let types = call(&client, "jira_get_project_issue_types", json!({ "project_key": "SHOP" })).await;
        let bug = types["issue_types"]
            .as_array()
            .and_then(|it| it.iter().find(|it| it["name"] == "Bug"))
            .cloned()
            .expect("bugs");
        let named =
            call(&client, "jira_get_create_fields", json!({ "project_key": "SHOP", "issue_type_id": "bug" }))
                .await;
        let by_id = call(
            &client,
            "jira_get_create_fields",
            json!({ "project_key": "SHOP", "issue_type_id": bug["id"] }),
        )
        .await;
        assert_eq!(named, by_id);
        let field = |id: &str| {
            named["fields"]
                .as_array()
                .and_then(|it| it.iter().find(|it| it["id"] == id))
                .cloned()
                .unwrap_or_default()
        };
        assert_eq!(field("summary")["required"], true);
        assert!(field("priority")["allowed"].to_string().contains("High"), "{}", field("priority"));
        let all = call(&client, "jira_get_project_fields", json!({ "project_key": "SHOP" })).await;
        let all = all["fields"].as_array().cloned().expect("fields");
        assert!(all.len() >= named["fields"].as_array().map_or(0, Vec::len));
        assert!(all.iter().all(|it| it.get("allowed").is_none()));
        assert!(
            all.iter().any(|it| it["id"] == "summary"
                && it["required_for"].is_array()
                && it.get("issue_types").is_none()),
            "{all:?}"
        );
        let edit = call(&client, "jira_get_edit_metadata", json!({ "issue_key": "SHOP-1" })).await;
        assert!(edit["fields"].as_array().is_some_and(|it| it.len() > 3), "{edit}");
        let one =
            call(&client, "jira_get_edit_metadata", json!({ "issue_key": "SHOP-1", "fields": "Priority" }))
                .await;
        assert_eq!(one["fields"].as_array().map(Vec::len), Some(1));
        assert!(one["fields"][0]["allowed"].to_string().contains("High"), "{one}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn priorities_and_statuses_are_listed() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let priorities = call(&client, "jira_get_priorities", json!({})).await;
        assert!(
            priorities["priorities"][0]["name"].is_string() && priorities.to_string().contains("High"),
            "{priorities}"
        );
        let all = call(&client, "jira_get_statuses", json!({})).await;
        assert!(
            all["statuses"].as_array().is_some_and(|it| it.iter().all(|it| it["category"].is_string())),
            "{all}"
        );
        let some = call(&client, "jira_get_statuses", json!({ "project_key": "SHOP" })).await;
        assert!(
            some["statuses"][0]["type"].is_string() && some["statuses"][0]["statuses"][0]["name"].is_string(),
            "{some}"
        );
        world.assert_contract();
    }
}

#[tokio::test]
async fn own_issues_are_those_that_are_assigned_and_open() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let all = call(
            &client,
            "jira_get_my_issues",
            json!({ "limit": 100, "include_done": true, "fields": ["assignee", "status"] }),
        )
        .await;
        let open =
            call(&client, "jira_get_my_issues", json!({ "limit": 100, "fields": ["assignee", "status"] }))
                .await;
        let issues = |it: &serde_json::Value| it["issues"].as_array().cloned().expect("issues");
        assert!(issues(&all).iter().all(|it| it["assignee"] == "Dana Moreau"), "{all}");
        assert!(issues(&open).len() < issues(&all).len() && !issues(&open).is_empty());
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_project_that_there_is_not_has_no_screens() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        for (tool, arguments) in [
            ("jira_get_project_issue_types", json!({ "project_key": "NOPE" })),
            ("jira_get_create_fields", json!({ "project_key": "NOPE", "issue_type_id": "Bug" })),
            ("jira_get_project_fields", json!({ "project_key": "NOPE" })),
            ("jira_get_statuses", json!({ "project_key": "NOPE" })),
        ] {
            let text = refused(&client, tool, arguments).await;
            assert!(text.contains("No project could be found"), "{tool}: {text}");
        }
        let text = refused(&client, "jira_get_edit_metadata", json!({ "issue_key": "SHOP-99999" })).await;
        assert!(text.contains("Issue does not exist"), "{text}");
        world.assert_contract();
    }
}
