//! Links: between issues, to epics, to pages.

use plainwire_site::Deployment;
use serde_json::json;

use crate::support::{BOTH, World, call, keys, refused, table, written};

const LINKS: &str = "SELECT t.name, a.key, b.key FROM link l JOIN link_type t ON t.id = l.link_type_id JOIN issue a ON a.id = l.source_id
    JOIN issue b ON b.id = l.destination_id ORDER BY 1, 2, 3";

/// Returns two issues without a link between them.
fn strangers(world: &World) -> (String, String) {
    let mut alone = keys(world, "key LIKE 'SHOP-%' AND NOT EXISTS (SELECT 1 FROM link l WHERE i.id IN (l.source_id, l.destination_id))").into_iter();
    (alone.next().expect("an issue"), alone.next().expect("another"))
}

#[tokio::test]
async fn issues_are_linked_in_the_direction_of_the_words() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let (one, other) = strangers(&world);
        let types = call(&client, "jira_get_link_types", json!({ "name_filter": "block" })).await;
        assert_eq!(types["link_types"].as_array().map(Vec::len), Some(1), "{types}");
        for (word, source, destination) in
            [("Blocks", &one, &other), ("blocks", &one, &other), ("is blocked by", &other, &one)]
        {
            let arguments = json!({ "link_type": word, "inward_issue_key": one, "outward_issue_key": other });
            let (change, after) = written(&world, &client, "jira_create_issue_link", arguments, LINKS).await;
            assert!(change["result"]["link_id"].is_string(), "{change}");
            assert_eq!(change["changes"][0]["new"], format!("{source} blocks {destination}"));
            let made = vec!["Blocks".to_owned(), source.clone(), destination.clone()];
            assert!(after.contains(&made), "{word}: {after:?}");
        }
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_link_is_removed_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let (one, other) = strangers(&world);
        let arguments = json!({ "link_type": "Blocks", "inward_issue_key": one, "outward_issue_key": other, "comment": "See *there*." });
        let made = call(&client, "jira_create_issue_link", arguments.clone()).await;
        let again = call(&client, "jira_create_issue_link", arguments).await;
        assert_eq!(again["changes"], json!([]), "{again}");
        let comments = call(&client, "jira_get_comments", json!({ "issue_key": one })).await;
        assert!(comments.to_string().contains("See *there*."), "{comments}");
        let id = made["result"]["link_id"].clone();
        let (change, _) =
            written(&world, &client, "jira_remove_issue_link", json!({ "link_id": id }), LINKS).await;
        assert_eq!(change["changes"][0]["old"], format!("{one} blocks {other}"));
        world.assert_contract();
    }
}

#[tokio::test]
async fn an_issue_moves_to_an_epic_and_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let epics = keys(
            &world,
            "key LIKE 'SHOP-%' AND EXISTS (SELECT 1 FROM value v JOIN issue_type t ON t.id = v.ref
            WHERE v.issue_id = i.id AND v.field_id = 'issuetype' AND t.name = 'Epic')",
        );
        let tasks = keys(
            &world,
            "key LIKE 'SHOP-%' AND EXISTS (SELECT 1 FROM value v JOIN issue_type t ON t.id = v.ref
            WHERE v.issue_id = i.id AND v.field_id = 'issuetype' AND t.name = 'Task')",
        );
        let state = "SELECT i.key, v.field_id, v.ref, v.text FROM value v JOIN issue i ON i.id = v.issue_id
            WHERE i.key LIKE 'SHOP-%' AND (v.field_id = 'parent' OR v.field_id LIKE 'customfield%') ORDER BY i.id, v.field_id, v.position";
        for task in tasks.iter().take(4) {
            let now = call(
                &client,
                "jira_get_issue",
                json!({ "issue_key": task, "fields": ["*all"], "comment_limit": 0 }),
            )
            .await
            .to_string();
            let epic = epics.iter().find(|it| !now.contains(&format!("\"{it}\""))).expect("an epic");
            written(
                &world,
                &client,
                "jira_link_to_epic",
                json!({ "issue_key": task, "epic_key": epic }),
                state,
            )
            .await;
            call(&client, "jira_link_to_epic", json!({ "issue_key": task, "epic_key": epic })).await;
            written(
                &world,
                &client,
                "jira_link_to_epic",
                json!({ "issue_key": task, "epic_key": "none" }),
                state,
            )
            .await;
        }
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_parent_that_is_an_epic_is_taken_where_the_site_has_it() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let of = |kind: &str| {
            keys(
                &world,
                &format!(
                    "key LIKE 'SHOP-%' AND EXISTS (SELECT 1 FROM value v JOIN issue_type t ON t.id = v.ref
                    WHERE v.issue_id = i.id AND v.field_id = 'issuetype' AND t.name = '{kind}')"
                ),
            )
        };
        let epic = &of("Epic")[0];
        let field = if deployment == Deployment::Cloud { "parent" } else { "customfield_10014" };
        let inside = format!(
            "SELECT i.key FROM value v JOIN issue i ON i.id = v.issue_id JOIN issue e ON e.id = v.ref
            WHERE v.field_id = '{field}' AND e.key = '{epic}' ORDER BY i.id"
        );
        let arguments = json!({
            "project_key": "SHOP", "issue_type": "Task", "summary": "In an epic", "additional_fields": { "parent": epic },
        });
        let (_, after) = written(&world, &client, "jira_create_issue", arguments, &inside).await;
        assert!(!after.is_empty());
        let outside =
            of("Task").into_iter().find(|it| !table(&world, &inside).iter().any(|row| row[0] == *it));
        let task = outside.expect("a task");
        let into = json!({ "issue_key": task, "fields": { "parent": { "key": epic } } });
        written(&world, &client, "jira_update_issue", into.clone(), &inside).await;
        call(&client, "jira_update_issue", into).await;
        written(
            &world,
            &client,
            "jira_update_issue",
            json!({ "issue_key": task, "fields": { "parent": null } }),
            &inside,
        )
        .await;
        // A sub-task has an issue that is no epic as its parent.
        let made = call(
            &client,
            "jira_create_issue",
            json!({ "project_key": "SHOP", "issue_type": "Sub-task", "summary": "A part", "additional_fields": { "parent": task } }),
        )
        .await;
        assert!(made["key"].is_string(), "{made}");
        let named = json!({
            "project_key": "SHOP", "issue_type": "Epic", "summary": "A large thing", "additional_fields": { "epic_name": "Large" },
        });
        match deployment {
            Deployment::Cloud => {
                let text = refused(&client, "jira_create_issue", named).await;
                assert!(
                    text.contains("an epic of this site has no name of its own")
                        && text.contains("`summary`"),
                    "{text}"
                );
            }
            Deployment::DataCenter => drop(call(&client, "jira_create_issue", named).await),
        }
        let text = refused(
            &client,
            "jira_update_issue",
            json!({ "issue_key": task, "fields": { "parent": "SHOP-99999" } }),
        )
        .await;
        assert!(text.contains("Issue") || text.contains("issue"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn an_issue_is_linked_to_a_page_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let state = "SELECT issue_id, relationship, object FROM remote_link ORDER BY id";
        let arguments = json!({
            "issue_key": "SHOP-3", "url": "https://docs.example.com/a?b=c", "title": "The docs", "summary": "All of it",
            "relationship": "documentation", "icon_url": "https://docs.example.com/i.png",
        });
        let (change, after) =
            written(&world, &client, "jira_create_remote_issue_link", arguments.clone(), state).await;
        assert!(!change["result"]["remote_link_id"].is_null(), "{change}");
        assert_eq!(after.len(), table(&world, state).len() + 1);
        call(&client, "jira_create_remote_issue_link", arguments).await;
        let all = call(&client, "jira_get_remote_issue_links", json!({ "issue_key": "SHOP-3" })).await;
        let last = all["remote_links"].as_array().and_then(|it| it.last()).cloned().expect("a link");
        assert_eq!(
            (&last["url"], &last["title"]),
            (&json!("https://docs.example.com/a?b=c"), &json!("The docs"))
        );
        world.assert_contract();
    }
}

#[tokio::test]
async fn links_that_can_not_be_made_are_told() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let link = |kind: &str, other: &str| json!({ "link_type": kind, "inward_issue_key": "SHOP-1", "outward_issue_key": other });
        let text = refused(&client, "jira_create_issue_link", link("Blocks", "SHOP-99999")).await;
        assert!(text.contains("Issue does not exist"), "{text}");
        let text = refused(&client, "jira_create_issue_link", link("Blocks", "SHOP-1")).await;
        assert!(text.contains("link an issue to itself"), "{text}");
        let text = refused(&client, "jira_remove_issue_link", json!({ "link_id": "99999" })).await;
        assert!(text.contains("No issue link with id"), "{text}");
        let text =
            refused(&client, "jira_link_to_epic", json!({ "issue_key": "SHOP-2", "epic_key": "SHOP-99999" }))
                .await;
        assert!(text.contains("Issue does not exist"), "{text}");
        for url in ["javascript:alert(1)", "example.com", "file:///etc/passwd"] {
            let text = refused(
                &client,
                "jira_create_remote_issue_link",
                json!({ "issue_key": "SHOP-1", "url": url, "title": "x" }),
            )
            .await;
            assert!(text.contains("expected `url`"), "{text}");
        }
        let text =
            refused(&client, "jira_get_remote_issue_links", json!({ "issue_key": "SHOP-99999" })).await;
        assert!(text.contains("Issue does not exist"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_link_into_another_project_is_out_of_reach_of_a_limited_server() {
    let world = World::new(Deployment::Cloud).await;
    let client = world.client_within(&["SHOP"]).await;
    let others = keys(&world, "key LIKE 'MOB2-%'");
    let arguments =
        json!({ "link_type": "Blocks", "inward_issue_key": "SHOP-1", "outward_issue_key": others[0] });
    let text = refused(&client, "jira_create_issue_link", arguments.clone()).await;
    assert!(text.contains("not in a project that this server may touch"), "{text}");
    let made = call(&world.client().await, "jira_create_issue_link", arguments).await;
    let id = made["result"]["link_id"].clone();
    let text = refused(&client, "jira_remove_issue_link", json!({ "link_id": id })).await;
    assert!(text.contains("not in a project that this server may touch"), "{text}");
    world.assert_contract();
}
