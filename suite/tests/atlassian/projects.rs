//! Projects, versions and components.

use plainwire_site::Deployment;
use serde_json::{Value, json};

use crate::support::{BOTH, World, call, refused, table, written};

const VERSIONS: &str = "SELECT project_id, name, description, start_date, release_date, released, archived FROM version ORDER BY id";
const COMPONENTS: &str = "SELECT project_id, name, description, lead_id FROM component ORDER BY id";

fn member(list: &Value, name: &str) -> Vec<String> {
    list.as_array()
        .expect("a list")
        .iter()
        .map(|it| it[name].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn projects_are_listed_in_pages_and_found_by_their_names() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let all = call(&client, "jira_get_all_projects", json!({})).await;
        let keys = member(&all["projects"], "key");
        assert!(keys.contains(&"SHOP".to_owned()) && keys.len() > 2, "{all}");
        let (mut found, mut token) = (Vec::new(), json!(null));
        loop {
            let page =
                call(&client, "jira_get_all_projects", json!({ "limit": 2, "page_token": token })).await;
            found.extend(member(&page["projects"], "key"));
            token = page["next_page_token"].clone();
            if token.is_null() {
                break;
            }
        }
        assert_eq!(found, keys);
        let with = call(&client, "jira_get_all_projects", json!({ "include_archived": true })).await;
        let visible = table(&world, "SELECT count(*) FROM project WHERE archived").len();
        assert!(member(&with["projects"], "key").len() >= keys.len() && visible == 1);
        let some = call(&client, "jira_search_projects", json!({ "query": "sho" })).await;
        assert!(member(&some["projects"], "key").contains(&"SHOP".to_owned()), "{some}");
        let id = some["projects"][0]["id"].clone();
        let fewer =
            call(&client, "jira_search_projects", json!({ "query": "sho", "current_project_ids": id })).await;
        assert_eq!(member(&fewer["projects"], "key").len() + 1, member(&some["projects"], "key").len());
        let text = refused(&client, "jira_get_all_projects", json!({ "page_token": "x" })).await;
        assert!(text.contains("page") && text.contains("token"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_limited_server_lists_its_projects_only() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client_within(&["SHOP"]).await;
        for (tool, arguments) in [
            ("jira_get_all_projects", json!({ "include_archived": true })),
            ("jira_search_projects", json!({ "query": "" })),
        ] {
            let found = call(&client, tool, arguments).await;
            assert_eq!(member(&found["projects"], "key"), ["SHOP"], "{tool}");
        }
        let other = call(&world.client().await, "jira_get_all_projects", json!({})).await;
        let other = member(&other["projects"], "key").into_iter().find(|it| it != "SHOP").expect("another");
        for tool in [
            "jira_get_project_versions",
            "jira_get_project_components",
            "jira_get_project_issue_types",
            "jira_get_project_fields",
            "jira_get_statuses",
        ] {
            let text = refused(&client, tool, json!({ "project_key": other })).await;
            assert!(text.contains("may touch"), "{tool}: {text}");
        }
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_version_is_made_changed_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let arguments = json!({
            "project_key": "SHOP", "name": "77.1", "start_date": "2026-11-01", "release_date": "2026-12-24", "description": "Of *this* year",
        });
        let (change, after) =
            written(&world, &client, "jira_create_version", arguments.clone(), VERSIONS).await;
        assert_eq!(change["result"]["version"]["name"], "77.1");
        assert_eq!(after.len(), table(&world, VERSIONS).len() + 1);
        let made = call(&client, "jira_create_version", arguments).await;
        let id = made["result"]["version"]["id"].clone();
        for more in [
            json!({ "name": "77.2", "description": "" }),
            json!({ "released": true, "archived": true }),
            json!({ "start_date": "", "release_date": "2026-12-31" }),
        ] {
            let mut arguments = json!({ "version_id": id });
            arguments
                .as_object_mut()
                .expect("an object")
                .extend(more.as_object().cloned().unwrap_or_default());
            written(&world, &client, "jira_update_version", arguments, VERSIONS).await;
        }
        let bare = call(&client, "jira_create_version", json!({ "project_key": "SHOP", "name": "78" })).await;
        let bare = bare["result"]["version"]["id"].clone();
        written(
            &world,
            &client,
            "jira_update_version",
            json!({ "version_id": bare, "release_date": "2026-12-31", "description": "x" }),
            VERSIONS,
        )
        .await;
        let same = call(&client, "jira_update_version", json!({ "version_id": bare, "name": "78" })).await;
        assert_eq!(same["changes"], json!([]));
        world.assert_contract();
    }
}

#[tokio::test]
async fn what_was_changed_since_is_not_taken_back() {
    let world = World::new(Deployment::Cloud).await;
    let client = world.client().await;
    let made = call(&client, "jira_create_version", json!({ "project_key": "SHOP", "name": "77" })).await;
    let id = made["result"]["version"]["id"].clone();
    let first = call(&client, "jira_update_version", json!({ "version_id": id, "description": "one" })).await;
    call(&client, "jira_update_version", json!({ "version_id": id, "description": "two" })).await;
    let text = refused(&client, "atlassian_undo", json!({ "undo": first["undo"] })).await;
    assert!(text.contains("`description` was changed since"), "{text}");
}

#[tokio::test]
async fn of_several_versions_those_that_can_be_made_are_made() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let known =
            call(&client, "jira_get_project_versions", json!({ "project_key": "SHOP", "limit": 1 })).await;
        let known = known["versions"][0]["name"].clone();
        let versions = json!([
            { "name": "81", "startDate": "2026-11-01", "releaseDate": "2026-12-01", "description": "d" }, { "name": known }, { "name": "82" },
        ]);
        let arguments = json!({ "project_key": "SHOP", "versions": versions.to_string() });
        let before = table(&world, VERSIONS);
        let change = call(&client, "jira_batch_create_versions", arguments).await;
        let results = &change["result"]["versions"];
        assert!(
            results[0]["version"]["id"].is_string() && results[2]["version"]["id"].is_string(),
            "{change}"
        );
        assert!(results[1]["error"].as_str().is_some_and(|it| it.contains("already exists")), "{change}");
        assert_eq!(table(&world, VERSIONS).len(), before.len() + 2);
        call(&client, "atlassian_undo", json!({ "undo": change["undo"] })).await;
        assert_eq!(table(&world, VERSIONS), before);
        let text = refused(
            &client,
            "jira_batch_create_versions",
            json!({ "project_key": "SHOP", "versions": [{ "name": known }] }),
        )
        .await;
        assert!(text.contains("already exists"), "{text}");
        let text = refused(
            &client,
            "jira_batch_create_versions",
            json!({ "project_key": "SHOP", "versions": [{ "description": "x" }] }),
        )
        .await;
        assert!(text.contains("versions[0]") && text.contains("name"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn versions_are_read_in_pages() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let all = call(&client, "jira_get_project_versions", json!({ "project_key": "SHOP" })).await;
        let (mut found, mut token) = (Vec::new(), json!(null));
        loop {
            let page = call(
                &client,
                "jira_get_project_versions",
                json!({ "project_key": "SHOP", "limit": 2, "page_token": token }),
            )
            .await;
            found.extend(page["versions"].as_array().cloned().unwrap_or_default());
            token = page["next_page_token"].clone();
            if token.is_null() {
                break;
            }
        }
        assert_eq!(json!(found), all["versions"]);
        assert!(found.len() > 2 && found[0]["released"].is_boolean(), "{found:?}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_component_is_made_with_its_lead_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let arguments = json!({ "project_key": "SHOP", "name": "New part", "description": "d", "lead": "me", "assignee_type": "component lead" });
        let (change, _) =
            written(&world, &client, "jira_create_component", arguments.clone(), COMPONENTS).await;
        assert!(change["result"]["component_id"].is_string(), "{change}");
        call(&client, "jira_create_component", arguments).await;
        let all = call(&client, "jira_get_project_components", json!({ "project_key": "SHOP" })).await;
        let new = all["components"]
            .as_array()
            .and_then(|it| it.iter().find(|it| it["name"] == "New part"))
            .cloned()
            .expect("it");
        assert_eq!((&new["description"], &new["lead"]), (&json!("d"), &json!("Dana Moreau")));
        world.assert_contract();
    }
}

#[tokio::test]
async fn what_can_not_be_made_in_a_project_is_told_in_the_words_of_jira() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        for (tool, arguments, expected) in [
            (
                "jira_create_version",
                json!({ "project_key": "NOPE", "name": "1" }),
                "No project could be found",
            ),
            (
                "jira_create_version",
                json!({ "project_key": "SHOP", "name": "1", "start_date": "soon" }),
                "expected `start_date`",
            ),
            ("jira_update_version", json!({ "version_id": "99999", "name": "1" }), "Could not find version"),
            ("jira_update_version", json!({ "version_id": "99999" }), "at least one thing to change"),
            ("jira_get_project_versions", json!({ "project_key": "NOPE" }), "No project could be found"),
            ("jira_get_project_components", json!({ "project_key": "NOPE" }), "No project could be found"),
            (
                "jira_create_component",
                json!({ "project_key": "NOPE", "name": "x" }),
                "No project could be found",
            ),
        ] {
            let text = refused(&client, tool, arguments).await;
            assert!(text.contains(expected), "{tool}: {text}");
        }
        world.assert_contract();
    }
}
