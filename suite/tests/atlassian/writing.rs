//! Tools that write: what the site has afterwards, and after it was taken back.

use serde_json::{Value, json};

use crate::support::{BOTH, World, all_stored, call, keys, refused, stored};

#[tokio::test]
async fn an_edited_description_changes_only_where_it_was_edited() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let key = "SHOP-1";
        let before = stored(&world, key, "description").expect("a description");
        let issue = call(&client, "jira_get_issue", json!({ "issue_key": key })).await;
        let markdown = issue["fields"]["description"].as_str().expect("Markdown").to_owned();
        let word = markdown
            .split_whitespace()
            .find(|it| it.len() > 4 && it.bytes().all(|it| it.is_ascii_lowercase()))
            .expect("a word");
        let edited = markdown.replacen(word, "changedword", 1);
        let arguments = json!({ "issue_key": key, "fields": { "description": edited } });
        let mut preview = arguments.clone();
        preview["preview"] = json!(true);
        let shown = call(&client, "jira_update_issue", preview).await;
        assert_eq!(shown["is_preview"], true);
        assert_eq!(
            stored(&world, key, "description").as_deref(),
            Some(before.as_str()),
            "a preview writes nothing"
        );
        let change = call(&client, "jira_update_issue", arguments).await;
        let after = stored(&world, key, "description").expect("a description");
        assert_eq!(after.replacen("changedword", word, 1), before);
        let undo = change["undo"].as_str().expect("a handle");
        call(&client, "atlassian_undo", json!({ "undo": undo })).await;
        assert_eq!(stored(&world, key, "description").as_deref(), Some(before.as_str()));
        world.assert_contract();
    }
}

#[tokio::test]
async fn an_issue_is_made_changed_moved_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let count = keys(&world, "1").len();
        let made = call(&client, "jira_create_issue", json!({
            "project_key": "SHOP", "summary": "A new thing", "issue_type": "Task", "assignee": "me",
            "description": "Some *words*.\n\n- one\n- two\n", "additional_fields": { "priority": "High", "labels": "a,b" },
        })).await;
        let key = made["key"].as_str().expect("a key").to_owned();
        let before = all_stored(&world, &key);
        for (tool, arguments) in [
            (
                "jira_update_issue",
                json!({ "issue_key": key, "fields": { "summary": "Another", "labels": ["c"], "priority": "Low" } }),
            ),
            ("jira_assign_issue", json!({ "issue_key": key, "assignee": "unassigned" })),
            ("jira_transition_issue", json!({ "issue_key": key, "transition_id": "In Progress" })),
        ] {
            let change = call(&client, tool, arguments).await;
            assert_ne!(all_stored(&world, &key), before, "{tool}");
            let undo = change["undo"].as_str().unwrap_or_else(|| panic!("{tool}: {change}"));
            let back = call(&client, "atlassian_undo", json!({ "undo": undo })).await;
            assert_eq!(back["is_preview"], false);
            assert_eq!(all_stored(&world, &key), before, "{tool}");
        }
        call(&client, "atlassian_undo", json!({ "undo": made["undo"] })).await;
        assert_eq!(keys(&world, "1").len(), count);
        world.assert_contract();
    }
}

#[tokio::test]
async fn fields_that_a_change_returns_are_as_they_are_afterwards() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let change = |more: Value| {
            let mut arguments = json!({ "issue_key": "SHOP-1", "fields": { "summary": "Another" } });
            arguments
                .as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("an object").clone());
            arguments
        };
        let text =
            refused(&client, "jira_update_issue", change(json!({ "return_fields": ["Colour"] }))).await;
        assert!(text.contains("there is no field"), "{text}");
        assert_ne!(stored(&world, "SHOP-1", "summary").as_deref(), Some("Another"), "nothing is written");
        let wanted = json!({ "return_fields": "summary,status", "preview": true });
        let shown = call(&client, "jira_update_issue", change(wanted)).await;
        assert!(shown.get("result").is_none(), "{shown}");
        let made =
            call(&client, "jira_update_issue", change(json!({ "return_fields": "summary,status" }))).await;
        let fields = &made["result"]["fields"];
        assert_eq!(fields["summary"], "Another", "{made}");
        assert!(fields["status"].is_string() && fields.as_object().is_some_and(|it| it.len() == 2), "{made}");
        let none = call(&client, "jira_update_issue", change(json!({ "return_fields": "*none" }))).await;
        assert!(none.get("result").is_none(), "{none}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_comment_is_added_changed_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let comments =
            || async { call(&client, "jira_get_comments", json!({ "issue_key": "SHOP-2" })).await };
        let before = comments().await;
        let added =
            call(&client, "jira_add_comment", json!({ "issue_key": "SHOP-2", "body": "A **bold** word." }))
                .await;
        let id = added["result"]["comment_id"].clone();
        let edited = call(
            &client,
            "jira_edit_comment",
            json!({ "issue_key": "SHOP-2", "comment_id": id, "body": "A **bold** remark." }),
        )
        .await;
        let now = comments().await;
        let last = now["comments"].as_array().and_then(|it| it.last()).map(|it| it["body"].clone());
        assert_eq!(last, Some(Value::from("A **bold** remark.\n")).or(last.clone()));
        call(&client, "atlassian_undo", json!({ "undo": edited["undo"] })).await;
        call(&client, "atlassian_undo", json!({ "undo": added["undo"] })).await;
        assert_eq!(comments().await, before);
        world.assert_contract();
    }
}
