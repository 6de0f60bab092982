//! Saved searches, and dashboards.

use plainwire_site::Deployment;
use serde_json::{Value, json};

use crate::support::{BOTH, World, call, refused, table, written};

fn filters(world: &World) -> Vec<Value> {
    let sql = "SELECT name, description, jql FROM filter ORDER BY name";
    let rows = world.store.run(0, |work| {
        work.all(sql, [], |row| {
            Ok(json!([row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?]))
        })
    });
    rows.expect("SQL")
}

#[tokio::test]
async fn filters_are_listed_and_read() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let all = call(&client, "jira_get_filters", json!({ "filter_name": "open", "limit": 1 })).await;
        assert_eq!(all["filters"][0]["name"], "My open issues", "{all}");
        assert!(all["filters"][0]["jql"].as_str().is_some_and(|it| it.contains("currentUser()")), "{all}");
        let (mut names, mut token) = (Vec::new(), json!(null));
        loop {
            let page = call(&client, "jira_get_filters", json!({ "limit": 1, "page_token": token })).await;
            names.extend(page["filters"].as_array().into_iter().flatten().map(|it| it["name"].to_string()));
            token = page["next_page_token"].clone();
            if token.is_null() {
                break;
            }
        }
        let expected = match deployment {
            Deployment::Cloud => 10,
            // Only favourites can be listed.
            Deployment::DataCenter => 3,
        };
        assert_eq!(names.len(), expected, "{names:?}");
        let one = call(&client, "jira_get_filters", json!({ "filter_id": "10004" })).await;
        assert_eq!(one["filters"][0]["name"], "Checkout bugs", "{one}");
        let text = refused(&client, "jira_get_filters", json!({ "filter_id": "4711" })).await;
        assert!(text.contains("is not available to you"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_filter_is_made_changed_deleted_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let before = filters(&world);
        let arguments = json!({ "name": "New ones", "jql": "project = SHOP AND created >= -1d", "description": "Fresh." });
        let made = call(&client, "jira_create_filter", arguments).await;
        let id = made["result"]["filter_id"].as_str().expect("an id").to_owned();
        let with_it = filters(&world);
        assert_eq!(with_it.len(), before.len() + 1);
        let changed = call(
            &client,
            "jira_update_filter",
            json!({ "filter_id": id, "jql": "project = PAY", "name": "Newer ones" }),
        )
        .await;
        assert_eq!(changed["changes"][0]["old"], "project = SHOP AND created >= -1d", "{changed}");
        assert_ne!(filters(&world), with_it);
        let text =
            refused(&client, "jira_update_filter", json!({ "filter_id": id, "jql": "projct = PAY" })).await;
        assert!(text.contains("Field 'projct' does not exist"), "{text}");
        call(&client, "atlassian_undo", json!({ "undo": changed["undo"] })).await;
        assert_eq!(filters(&world), with_it);
        let deleted = call(&client, "jira_delete_filter", json!({ "filter_id": id })).await;
        assert_eq!(filters(&world), before);
        call(&client, "atlassian_undo", json!({ "undo": deleted["undo"] })).await;
        assert_eq!(filters(&world), with_it);
        let made = call(
            &client,
            "jira_create_filter",
            json!({ "name": "Third", "jql": "project = SHOP", "preview": true }),
        )
        .await;
        assert_eq!((&made["is_preview"], filters(&world)), (&json!(true), with_it.clone()));
        let made =
            call(&client, "jira_create_filter", json!({ "name": "Third", "jql": "project = SHOP" })).await;
        call(&client, "atlassian_undo", json!({ "undo": made["undo"] })).await;
        assert_eq!(filters(&world), with_it);
        let text =
            refused(&client, "jira_create_filter", json!({ "name": "new ONES", "jql": "project = SHOP" }))
                .await;
        assert!(text.contains("Filter with same name already exists"), "{text}");
        let text = refused(&client, "jira_delete_filter", json!({ "filter_id": "4711" })).await;
        assert!(text.contains("is not available to you"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_filter_becomes_a_favourite_and_no_favourite_again() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let sql = "SELECT f.id, f.name FROM filter f JOIN favourite_filter g ON g.filter_id = f.id WHERE g.person_id = 10100 ORDER BY f.id";
        let arguments = json!({ "name": "Marked", "jql": "project = SHOP", "favourite": true });
        let (_, after) = written(&world, &client, "jira_create_filter", arguments, sql).await;
        assert!(after.iter().any(|it| it[1] == "Marked"), "{after:?}");
        let own = "SELECT id FROM filter WHERE owner_id = 10100 AND id";
        let marked = "(SELECT filter_id FROM favourite_filter WHERE person_id = 10100)";
        let of = |how: &str| table(&world, &format!("{own} {how} {marked}"))[0][0].clone();
        let plain =
            call(&client, "jira_create_filter", json!({ "name": "Plain", "jql": "project = SHOP" })).await;
        let plain = plain["result"]["filter_id"].as_str().expect("an id").to_owned();
        for arguments in [
            json!({ "filter_id": plain, "favourite": true }),
            json!({ "filter_id": of("IN"), "favourite": false }),
            json!({ "filter_id": of("IN"), "favourite": false, "name": "Another name" }),
        ] {
            let (change, after) =
                written(&world, &client, "jira_update_filter", arguments.clone(), sql).await;
            let id = arguments["filter_id"].as_str().expect("an id");
            assert_eq!(after.iter().any(|it| it[0] == id), arguments["favourite"] == true, "{arguments}");
            assert_eq!(change["warnings"], Value::Null, "{change}");
        }
        let marked =
            call(&client, "jira_update_filter", json!({ "filter_id": plain, "favourite": true })).await;
        call(&client, "jira_update_filter", json!({ "filter_id": plain, "favourite": false })).await;
        let text = refused(&client, "atlassian_undo", json!({ "undo": marked["undo"] })).await;
        assert!(text.contains("`favourite` was changed since"), "{text}");
        call(&client, "jira_update_filter", json!({ "filter_id": plain, "favourite": true })).await;
        let deleted = call(&client, "jira_delete_filter", json!({ "filter_id": plain })).await;
        let is_told = deleted["warnings"].to_string().contains("does not make it a favourite again");
        call(&client, "atlassian_undo", json!({ "undo": deleted["undo"] })).await;
        let is_marked = table(&world, sql).iter().any(|it| it[1] == "Plain");
        assert_ne!(is_told, is_marked, "{deployment:?}: what an undo leaves is told before");
        world.assert_contract();
    }
}

#[tokio::test]
async fn dashboards_are_listed_and_their_gadgets_on_cloud() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let found = call(&client, "jira_list_dashboards", json!({ "limit": 1 })).await;
        assert_eq!(found["dashboards"][0]["name"], "Storefront at a glance", "{found}");
        let next =
            call(&client, "jira_list_dashboards", json!({ "page_token": found["next_page_token"] })).await;
        assert_eq!(next["dashboards"].as_array().map(Vec::len), Some(1), "{next}");
        match deployment {
            Deployment::Cloud => {
                let found =
                    call(&client, "jira_get_dashboard_gadgets", json!({ "dashboard_id": "10000" })).await;
                assert_eq!(found["gadgets"][0]["kind"], "assigned-to-me-gadget", "{found}");
                let text =
                    refused(&client, "jira_get_dashboard_gadgets", json!({ "dashboard_id": "1" })).await;
                assert!(text.contains("The dashboard was not found"), "{text}");
            }
            Deployment::DataCenter => {
                let tools = client.list_tools().await.expect("tools");
                assert!(tools.iter().all(|it| it.name != "jira_get_dashboard_gadgets"));
            }
        }
        let text = refused(&client, "jira_list_dashboards", json!({ "page_token": "x" })).await;
        assert!(text.contains("token"), "{text}");
        world.assert_contract();
    }
}
