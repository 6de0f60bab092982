//! Worklogs.

use serde_json::json;

use crate::support::{BOTH, World, call, refused, written};

const STATE: &str = "SELECT i.key, w.seconds, w.started, w.comment, (SELECT group_concat(v.field_id || '=' || v.number) FROM value v
    WHERE v.issue_id = i.id AND v.field_id IN ('timeestimate', 'timeoriginalestimate', 'timespent') ORDER BY v.field_id)
    FROM issue i LEFT JOIN worklog w ON w.issue_id = i.id WHERE i.key IN ('SHOP-1', 'SHOP-2', 'SHOP-3', 'SHOP-4') ORDER BY i.id, w.id";

#[tokio::test]
async fn time_is_logged_and_taken_back_with_what_it_does_to_estimates() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        for key in ["SHOP-1", "SHOP-2", "SHOP-3", "SHOP-4"] {
            for more in [
                json!({}),
                json!({ "started": "2026-11-20T09:30:00Z", "comment": "Some **bold** work." }),
                json!({ "remaining_estimate": "3h" }),
                json!({ "original_estimate": "5d", "remaining_estimate": "2d" }),
            ] {
                let mut arguments = json!({ "issue_key": key, "time_spent": "1h 30m" });
                arguments
                    .as_object_mut()
                    .expect("an object")
                    .extend(more.as_object().cloned().unwrap_or_default());
                let (change, after) = written(&world, &client, "jira_add_worklog", arguments, STATE).await;
                assert!(change["result"]["worklog_id"].is_string(), "{change}");
                assert!(after.iter().any(|it| it[1] == "5400"), "{after:?}");
            }
        }
        world.assert_contract();
    }
}

#[tokio::test]
async fn all_worklogs_are_read_in_pages_with_their_sum() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        for hour in 0..7 {
            let started = format!("2026-11-2{hour}");
            let arguments = json!({ "issue_key": "SHOP-5", "time_spent": "10m", "started": started, "comment": format!("- part {hour}") });
            call(&client, "jira_add_worklog", arguments).await;
        }
        let whole = call(&client, "jira_get_worklog", json!({ "issue_key": "SHOP-5" })).await;
        let (mut found, mut token) = (Vec::new(), json!(null));
        loop {
            let page = call(
                &client,
                "jira_get_worklog",
                json!({ "issue_key": "SHOP-5", "limit": 3, "page_token": token }),
            )
            .await;
            assert_eq!((&page["total"], &page["seconds"]), (&whole["total"], &whole["seconds"]));
            found.extend(page["worklogs"].as_array().cloned().unwrap_or_default());
            token = page["next_page_token"].clone();
            if token.is_null() {
                break;
            }
        }
        assert_eq!(json!(found), whole["worklogs"]);
        assert!(
            found.iter().any(|it| it["comment"].as_str().is_some_and(|it| it.trim() == "- part 3")),
            "{found:?}"
        );
        assert!(found.len() >= 7 && whole["seconds"].as_i64() >= Some(7 * 600));
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_duration_that_jira_does_not_read_is_told_in_its_words() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let text =
            refused(&client, "jira_add_worklog", json!({ "issue_key": "SHOP-1", "time_spent": "soon" }))
                .await;
        assert!(text.contains("Invalid time duration entered"), "{text}");
        let text = refused(
            &client,
            "jira_add_worklog",
            json!({ "issue_key": "SHOP-1", "time_spent": "1h", "started": "soon" }),
        )
        .await;
        assert!(text.contains("expected `started`"), "{text}");
        let text = refused(&client, "jira_get_worklog", json!({ "issue_key": "SHOP-99999" })).await;
        assert!(text.contains("Issue does not exist"), "{text}");
        world.assert_contract();
    }
}
