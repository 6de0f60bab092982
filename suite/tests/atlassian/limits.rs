//! Limits: of bytes, of searches, of projects, and of the tools that a server has.

use std::collections::BTreeSet;

use plainwire::Client;
use plainwire::audit::Audit;
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_site::{Deployment, issue};
use serde_json::{Value, json};

use crate::support::{BOTH, World, call, keys, refused, stored, table, tried, value};
use crate::trouble::{client_with, dump, has, number};

#[tokio::test]
async fn a_file_of_two_hundred_megabytes_is_left_out_and_is_not_sent_and_the_limit_is_named() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let sql = "INSERT INTO attachment (issue_id, filename, author_id, created, media_type, content)
            SELECT id, 'film.png', 10100, 0, 'image/png', zeroblob(200000000) FROM issue WHERE key = 'SHOP-1'";
        world.store.run(0, |work| work.run(sql, [])).expect("SQL");
        for tool in ["jira_download_attachments", "jira_get_issue_images"] {
            let found = call(
                &client,
                tool,
                json!({ "issue_key": "SHOP-1", "attachments": "film.png", "max_bytes": 1_000_000_000 }),
            )
            .await;
            assert_eq!(found["files"], json!([]), "{tool}");
            has(&found["left_out"][0].to_string(), &["film.png", "200000000", "2500000 bytes", "http"]);
        }
        let before = number(&world, "SELECT total_changes()");
        // What is larger than a message may be does not get as far as the tool.
        let large = json!({ "issue_key": "SHOP-1", "file_name": "film.txt", "text": "x".repeat(17 << 20) });
        let error = client.call_tool("jira_upload_attachment", large).await.expect_err("an error");
        has(&error.to_string(), &["expected a message of at most 16777216 bytes"]);
        assert_eq!(number(&world, "SELECT total_changes()"), before);
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_search_of_cloud_without_a_bound_is_told_as_such() {
    let world = World::new(Deployment::Cloud).await;
    let client = world.client().await;
    for jql in ["order by created", "ORDER BY key DESC"] {
        let text = refused(&client, "jira_search", json!({ "jql": jql })).await;
        has(&text, &["the site refused the request", "restriction"]);
    }
    // A limit to projects is a bound.
    let client = world.client_within(&["SHOP"]).await;
    call(&client, "jira_search", json!({ "jql": "order by created" })).await;
    world.assert_contract();
}

/// Returns the keys of issues that a result lists.
fn listed(found: &Value) -> Vec<String> {
    let all = found["issues"].as_array().into_iter().flatten();
    all.filter_map(|it| it["key"].as_str().map(ToOwned::to_owned)).collect()
}

#[tokio::test]
async fn text_that_would_end_a_query_finds_nothing_of_other_projects() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client_within(&["SHOP"]).await;
        let pay = &keys(&world, "key LIKE 'PAY-%'")[0];
        let escapes = [
            "X\" OR project = PAY".to_owned(),
            "X' OR project = PAY".to_owned(),
            "project = PAY".to_owned(),
            "summary ~ \"x\" OR project = PAY ORDER BY created".to_owned(),
            "summary ~ x) OR (project = PAY".to_owned(),
            "summary ~ \"x\\\") OR (project = PAY".to_owned(),
            "summary ~ 'x\\') OR (project = PAY) OR (summary ~ 'y'".to_owned(),
            "ORDER BY created) OR (project = PAY".to_owned(),
            "project = PAY or\u{a0}project = PAY".to_owned(),
            "project = PAY\norder\nby\ncreated".to_owned(),
            format!("key = {pay}"),
            format!("issue in linkedIssues({pay}) OR key = {pay}"),
            format!("parent = {pay} OR text ~ {pay} OR key in ({pay})"),
        ];
        for text in &escapes {
            let quoted = format!("PAY\") OR project in (\"PAY\") OR summary ~ (\"{text}");
            for (tool, arguments) in [
                ("jira_search", json!({ "jql": text })),
                ("jira_search", json!({ "jql": "project in (SHOP, PAY)", "projects_filter": [text] })),
                ("jira_search", json!({ "jql": text, "projects_filter": ["PAY", "SHOP"] })),
                ("jira_search", json!({ "jql": "project = SHOP", "projects_filter": [quoted] })),
                ("jira_get_board_issues", json!({ "board_id": "1", "jql": text })),
                ("jira_get_project_issues", json!({ "project_key": text })),
                ("jira_get_project_epic_hierarchy", json!({ "project_key": text })),
                ("jira_get_cross_project_dependencies", json!({ "project_key": text })),
                ("jira_get_project_versions", json!({ "project_key": text })),
                ("jira_get_issue", json!({ "issue_key": text })),
                ("jira_get_sprint_issues", json!({ "sprint_id": text })),
                ("jira_get_queue_issues", json!({ "service_desk_id": text, "queue_id": "1" })),
                ("jira_move_issues_to_backlog", json!({ "issue_keys": [text], "preview": true })),
                (
                    "jira_rank_issues",
                    json!({ "issue_keys": [text], "rank_after_issue": "SHOP-1", "preview": true }),
                ),
            ] {
                let result = tried(&client, tool, arguments.clone()).await;
                let found = value(&result);
                for key in listed(&found) {
                    assert!(key.starts_with("SHOP-"), "{tool} {arguments}: {key}");
                }
                assert_eq!(
                    found.get("groups").map_or(0, |it| it.as_array().map_or(0, Vec::len)),
                    0,
                    "{tool} {arguments}: {found}"
                );
            }
        }
        // Without a limit, the words of one text are still the words of one text.
        let client = world.client().await;
        let text =
            refused(&client, "jira_get_project_issues", json!({ "project_key": "X\" OR project = \"PAY" }))
                .await;
        has(&text, &["X"]);
    }
}

#[tokio::test]
async fn an_issue_outside_of_the_limit_is_refused_by_each_of_its_keys() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let (shop, pay) = (world.client_within(&["SHOP"]).await, world.client_within(&["PAY"]).await);
        let outside = &keys(&world, "key LIKE 'PAY-%'")[0];
        let id = &table(&world, &format!("SELECT id FROM issue WHERE key = '{outside}'"))[0][0];
        let moved = &keys(&world, "key LIKE 'SHOP-%'")[5];
        world
            .store
            .run(0, |work| {
                let issue = issue::find(work, moved)?.expect("an issue");
                issue::move_to(work, issue, 10001, 10100)
            })
            .expect("a move");
        let now = &table(
            &world,
            &format!(
                "SELECT i.key FROM former_issue_key f JOIN issue i ON i.id = f.issue_id WHERE f.key = '{moved}'"
            ),
        )[0][0];
        assert!(now.starts_with("PAY-"), "{now}");
        let address = format!("{}/browse/{outside}", world.url);
        for key in
            [outside, id, moved, now, &outside.replace("PAY", "BILL"), &outside.to_lowercase(), &address]
        {
            for (tool, arguments) in [
                ("jira_get_issue", json!({ "issue_key": key })),
                ("jira_get_comments", json!({ "issue_key": key })),
                ("jira_update_issue", json!({ "issue_key": key, "fields": { "summary": "x" } })),
                ("jira_add_comment", json!({ "issue_key": key, "body": "x" })),
                ("jira_delete_issue", json!({ "issue_key": key })),
                ("jira_link_to_epic", json!({ "issue_key": "SHOP-1", "epic_key": key })),
                (
                    "jira_create_issue_link",
                    json!({ "link_type": "Blocks", "inward_issue_key": "SHOP-1", "outward_issue_key": key }),
                ),
                ("jira_update_issue", json!({ "issue_key": "SHOP-1", "fields": { "parent": key } })),
                (
                    "jira_update_issue",
                    json!({ "issue_key": "SHOP-1", "fields": { "parent": { "key": key } } }),
                ),
            ] {
                let text = refused(&shop, tool, arguments.clone()).await;
                let is_parent = arguments["fields"]["parent"] != Value::Null;
                assert!(
                    is_parent || text.contains("is not in a project that this server may touch"),
                    "{tool} {key}: {text}"
                );
            }
        }
        // The old key works for who may touch the new project.
        let found = call(&pay, "jira_get_issue", json!({ "issue_key": moved })).await;
        assert_eq!(found["key"].as_str(), Some(now.as_str()));
        let change = call(
            &pay,
            "jira_update_issue",
            json!({ "issue_key": moved, "fields": { "summary": "After the move" } }),
        )
        .await;
        assert_eq!(change["key"].as_str(), Some(now.as_str()), "{change}");
        assert_eq!(stored(&world, now, "summary").as_deref(), Some("After the move"));
    }
}

#[tokio::test]
async fn a_new_issue_can_not_be_smuggled_into_another_project() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client_within(&["SHOP"]).await;
        let before = dump(&world);
        for project in [json!({ "key": "PAY" }), json!({ "id": "10001" }), json!("PAY")] {
            let one = json!({ "project_key": "SHOP", "summary": "x", "issue_type": "Task", "additional_fields": { "project": project } });
            refused(&client, "jira_create_issue", one).await;
            let one =
                json!({ "project_key": "SHOP", "summary": "x", "issue_type": "Task", "Project": project });
            refused(&client, "jira_batch_create_issues", json!({ "issues": [one] })).await;
            refused(
                &client,
                "jira_update_issue",
                json!({ "issue_key": "SHOP-1", "fields": { "project": project } }),
            )
            .await;
        }
        assert_eq!(dump(&world), before);
    }
}

#[tokio::test]
async fn what_links_to_other_projects_shows_their_keys_only() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let pay = &keys(&world, "key LIKE 'PAY-%'")[0];
        let link = json!({ "link_type": "Blocks", "inward_issue_key": "SHOP-1", "outward_issue_key": pay });
        call(&world.client().await, "jira_create_issue_link", link).await;
        let summary = stored(&world, pay, "summary").expect("a summary");
        for (client, is_shown) in
            [(world.client().await, true), (world.client_within(&["SHOP"]).await, false)]
        {
            for (tool, arguments) in [
                ("jira_get_issue", json!({ "issue_key": "SHOP-1", "include": "links" })),
                ("jira_search", json!({ "jql": "key = SHOP-1", "fields": "issuelinks" })),
                ("jira_get_cross_project_dependencies", json!({ "project_key": "SHOP" })),
            ] {
                let found = call(&client, tool, arguments).await.to_string();
                assert!(found.contains(pay.as_str()), "{tool}");
                assert_eq!(found.contains(&summary), is_shown, "{tool}");
            }
        }
    }
}

#[tokio::test]
async fn a_limit_by_the_former_key_of_a_project_goes_on() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client_within(&["BILL"]).await;
        for (tool, arguments) in [
            ("jira_search", json!({ "jql": "ORDER BY created" })),
            ("jira_get_project_issues", json!({ "project_key": "PAY" })),
            ("jira_get_project_issues", json!({ "project_key": "BILL" })),
        ] {
            let found = listed(&call(&client, tool, arguments.clone()).await);
            assert!(
                !found.is_empty() && found.iter().all(|it| it.starts_with("PAY-")),
                "{tool} {arguments}: {found:?}"
            );
        }
        let one = &keys(&world, "key LIKE 'PAY-%'")[0];
        call(&client, "jira_get_issue", json!({ "issue_key": one })).await;
        call(&client, "jira_get_issue", json!({ "issue_key": one.replace("PAY", "BILL") })).await;
        refused(&client, "jira_get_issue", json!({ "issue_key": "SHOP-1" })).await;
        let boards = call(&client, "jira_get_agile_boards", json!({})).await;
        assert_eq!(boards["boards"].as_array().map(Vec::len), Some(1), "{boards}");
    }
}

async fn names(client: &Client) -> BTreeSet<String> {
    client.list_tools().await.expect("a list").into_iter().map(|it| it.name).collect()
}

fn chosen(world: &World, choice: Choice) -> Atlassian {
    Atlassian { choice, audit: Audit::off(), ..Atlassian::new(world.settings()) }
}

#[tokio::test]
async fn a_tool_that_is_not_offered_can_not_be_called() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let sets = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let every = Choice { toolsets: sets(&["all"]), ..Choice::default() };
        let all = Atlassian::tools(&every);
        let is_cloud = deployment == Deployment::Cloud;
        for choice in [
            Choice { read_only: true, ..every.clone() },
            Choice { toolsets: sets(&["jira_comments", "worklog"]), ..Choice::default() },
            Choice::default(),
            Choice { tools: sets(&["jira_search"]), ..Choice::default() },
            Choice { without: sets(&["jira_add_comment"]), ..every.clone() },
        ] {
            let client =
                plainwire::testing::client(chosen(&world, choice.clone()).server().expect("a server"))
                    .await
                    .expect("a client");
            let offered = names(&client).await;
            let expected: BTreeSet<String> =
                Atlassian::tools(&choice).into_iter().map(|it| it.0.to_owned()).collect();
            assert!(offered.is_subset(&expected) && !offered.is_empty(), "{choice:?}");
            if is_cloud {
                assert_eq!(offered, expected, "{choice:?}");
            }
            let before = number(&world, "SELECT total_changes()");
            for (name, _, is_write) in &all {
                if choice.read_only && *is_write {
                    assert!(!offered.contains(*name), "{name}");
                }
                if !offered.contains(*name) {
                    let arguments = json!({ "issue_key": "SHOP-1", "body": "x", "fields": { "summary": "x" }, "jql": "key = SHOP-1" });
                    let called = client.call_tool(name, arguments).await;
                    assert!(called.is_err_and(|it| it.to_string().contains(name)), "{choice:?} {name}");
                }
            }
            assert_eq!(number(&world, "SELECT total_changes()"), before);
        }
    }
}

#[tokio::test]
async fn what_only_cloud_has_is_absent_in_data_center() {
    let world = World::new(Deployment::DataCenter).await;
    let offered = names(&client_with(Atlassian::new(world.settings())).await).await;
    for name in ["jira_move_issue", "jira_batch_get_changelogs", "jira_get_dashboard_gadgets"] {
        assert!(!offered.contains(name), "{name}");
    }
    assert!(offered.contains("jira_get_issue"));
}
