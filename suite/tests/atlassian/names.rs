//! Tools under the names of `v1`, alone and beside those of `v2`.

use std::collections::BTreeSet;

use plainwire::Client;
use plainwire_atlassian::{Atlassian, Choice, Names};
use serde_json::{Value, json};

use crate::support::{BOTH, World, call, keys, refused, table, tried, value, written};

/// Returns a client of a server with the tools of these names.
async fn client(world: &World, choice: Choice) -> Client {
    let server = Atlassian { choice, ..Atlassian::new(world.settings()) };
    plainwire::testing::client(server.server().expect("a server")).await.expect("a client")
}

fn of(names: Names) -> Choice {
    Choice { names, toolsets: vec!["all".to_owned()], ..Choice::default() }
}

async fn offered(client: &Client) -> BTreeSet<String> {
    client.list_tools().await.expect("a list").into_iter().map(|it| it.name).collect()
}

const OF_V1: [&str; 12] = [
    "jira_add_comment",
    "jira_assign_issue",
    "jira_create_issue",
    "jira_get_comments",
    "jira_get_issue",
    "jira_get_sprint",
    "jira_get_sprint_issues",
    "jira_list_projects",
    "jira_search_issues",
    "jira_transition_issue",
    "jira_update_issue",
    "search_issues",
];

#[tokio::test]
async fn the_tools_of_v1_read_with_parameters_in_camel_case() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = client(&world, of(Names::V1)).await;
        let expected: BTreeSet<String> =
            OF_V1.iter().copied().chain(["atlassian_undo"]).map(ToOwned::to_owned).collect();
        assert_eq!(offered(&client).await, expected);
        for tool in client.list_tools().await.expect("a list") {
            let description = tool.description.unwrap_or_default();
            assert!(
                description.len() >= 40 && description.contains("eturns "),
                "{}: {description}",
                tool.name
            );
        }
        for tool in ["jira_search_issues", "search_issues"] {
            let found =
                call(&client, tool, json!({ "query": "project = SHOP ORDER BY key", "maxResults": "2" }))
                    .await;
            assert_eq!(found["issues"].as_array().map(Vec::len), Some(2), "{tool}: {found}");
            let words = call(&client, tool, json!({ "query": "gift card" })).await;
            assert!(words["issues"].as_array().is_some_and(|it| !it.is_empty()), "{tool}: {words}");
            let next = json!({ "query": "project = SHOP ORDER BY key", "maxResults": 2, "pageToken": found["next_page_token"] });
            let next = call(&client, tool, next).await;
            assert_ne!(next["issues"][0]["key"], found["issues"][0]["key"], "{tool}");
        }
        let issue = call(&client, "jira_get_issue", json!({ "issueKey": "SHOP-1" })).await;
        assert_eq!((&issue["kind"], &issue["key"]), (&json!("jiraIssue:v1"), &json!("SHOP-1")));
        let comments =
            call(&client, "jira_get_comments", json!({ "issueKey": "SHOP-1", "maxResults": "1" })).await;
        assert!(comments["comments"].as_array().is_some_and(|it| it.len() <= 1), "{comments}");
        let projects = call(&client, "jira_list_projects", json!({})).await;
        assert!(
            projects["projects"].as_array().is_some_and(|it| it.iter().any(|it| it["key"] == "SHOP")),
            "{projects}"
        );
        let sprint = call(&client, "jira_get_sprint", json!({ "boardId": "1" })).await;
        assert_eq!(sprint["sprints"][0]["state"], "active", "{sprint}");
        let id = sprint["sprints"][0]["id"].clone();
        let inside =
            call(&client, "jira_get_sprint_issues", json!({ "boardId": 1, "maxResults": "100" })).await;
        let sql = format!(
            "SELECT i.key FROM value v JOIN issue i ON i.id = v.issue_id JOIN field f ON f.id = v.field_id
            WHERE f.name = 'Sprint' AND v.ref = {id} ORDER BY i.key"
        );
        let found: BTreeSet<&str> =
            inside["issues"].as_array().into_iter().flatten().filter_map(|it| it["key"].as_str()).collect();
        let expected = table(&world, &sql);
        assert_eq!(found, expected.iter().map(|it| it[0].as_str()).collect());
        let text = refused(&client, "jira_get_issue", json!({ "issueKey": "SHOP-99999" })).await;
        assert!(text.contains("Issue does not exist"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn the_tools_of_v1_write_show_first_and_take_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = client(&world, of(Names::V1)).await;
        let values = "SELECT i.key, v.field_id, v.ref, v.text FROM value v JOIN issue i ON i.id = v.issue_id
            WHERE v.field_id <> 'statuscategorychangedate' ORDER BY i.id, v.field_id, v.position";
        let task = keys(
            &world,
            "key LIKE 'SHOP-%' AND EXISTS (SELECT 1 FROM value v JOIN issue_type t ON t.id = v.ref WHERE v.issue_id = i.id
            AND v.field_id = 'issuetype' AND t.name = 'Task') AND EXISTS (SELECT 1 FROM value v JOIN status s ON s.id = v.ref
            WHERE v.issue_id = i.id AND v.field_id = 'status' AND s.name = 'To Do')",
        );
        let task = task.first().expect("a task to do").as_str();
        for (tool, arguments, sql) in [
            (
                "jira_create_issue",
                json!({ "projectKey": "SHOP", "summary": "By v1", "description": "Some *words*.", "priority": "High" }),
                values,
            ),
            (
                "jira_create_issue",
                json!({ "projectKey": "SHOP", "summary": "By v1", "issueType": "Bug", "priority": "" }),
                values,
            ),
            (
                "jira_update_issue",
                json!({ "issueKey": task, "summary": "Another", "priority": "Low", "assignee": "me" }),
                values,
            ),
            ("jira_transition_issue", json!({ "issueKey": task, "transition": "In Progress" }), values),
            (
                "jira_add_comment",
                json!({ "issueKey": task, "comment": "A *word*." }),
                "SELECT issue_id, body FROM comment ORDER BY id",
            ),
        ] {
            written(&world, &client, tool, arguments, sql).await;
        }
        call(&client, "jira_assign_issue", json!({ "issueKey": task, "accountId": "me" })).await;
        written(&world, &client, "jira_assign_issue", json!({ "issueKey": task }), values).await;
        let made =
            call(&client, "jira_create_issue", json!({ "projectKey": "SHOP", "summary": "A task" })).await;
        assert!(made["changes"].to_string().contains("Task"), "{made}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_question_names_the_parameter_of_its_own_tool() {
    let world = World::new(plainwire_site::Deployment::Cloud).await;
    for (names, tool, arguments, parameter) in [
        (
            Names::V1,
            "jira_transition_issue",
            json!({ "issueKey": "SHOP-1", "transition": "Nowhere" }),
            "transition",
        ),
        (
            Names::V2,
            "jira_transition_issue",
            json!({ "issue_key": "SHOP-1", "transition_id": "Nowhere" }),
            "transition_id",
        ),
    ] {
        let client = client(&world, of(names)).await;
        let result = tried(&client, tool, arguments).await;
        let value = value(&result);
        assert_eq!(value["kind"], "needsInput:v1", "{value}");
        assert!(
            value["options"].as_array().is_some_and(|it| it.iter().all(|it| it["field"] == parameter)),
            "{value}"
        );
    }
}

#[tokio::test]
async fn both_sets_stand_side_by_side_and_a_prefix_keeps_them_apart() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let both = client(&world, of(Names::Both)).await;
        let of_v2 = offered(&client(&world, of(Names::V2)).await).await;
        let expected: BTreeSet<String> = OF_V1
            .iter()
            .map(|it| if of_v2.contains(*it) { format!("v1_{it}") } else { (*it).to_owned() })
            .chain(of_v2.iter().cloned())
            .collect();
        assert_eq!(offered(&both).await, expected);
        let old = call(&both, "v1_jira_get_issue", json!({ "issueKey": "SHOP-1" })).await;
        let new = call(&both, "jira_get_issue", json!({ "issue_key": "SHOP-1" })).await;
        assert_eq!((&old["key"], &old["fields"]["summary"]), (&new["key"], &new["fields"]["summary"]));
        let change =
            call(&both, "v1_jira_update_issue", json!({ "issueKey": "SHOP-1", "summary": "Another" })).await;
        call(&both, "atlassian_undo", json!({ "undo": change["undo"] })).await;
        let mut back = call(&both, "jira_get_issue", json!({ "issue_key": "SHOP-1" })).await;
        assert!(back["fields"]["updated"].as_str() >= new["fields"]["updated"].as_str());
        back["fields"]["updated"] = new["fields"]["updated"].clone();
        assert_eq!(back["fields"], new["fields"]);
        world.assert_contract();
    }
}

#[tokio::test]
async fn limits_hold_for_the_tools_of_v1_too() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let reading = client(&world, Choice { read_only: true, ..of(Names::V1) }).await;
        for name in [
            "jira_create_issue",
            "jira_update_issue",
            "jira_assign_issue",
            "jira_add_comment",
            "atlassian_undo",
        ] {
            assert!(!offered(&reading).await.contains(name), "{name}");
            assert!(reading.call_tool(name, json!({ "issueKey": "SHOP-1" })).await.is_err(), "{name}");
        }
        let choice = Choice { without: vec!["v1_jira_get_issue".to_owned()], ..of(Names::Both) };
        let without = offered(&client(&world, choice).await).await;
        assert!(without.contains("jira_get_issue") && !without.contains("v1_jira_get_issue"));
        let server = Atlassian {
            choice: of(Names::V1),
            projects: vec!["PAY".to_owned()],
            ..Atlassian::new(world.settings())
        };
        let limited = plainwire::testing::client(server.server().expect("a server")).await.expect("a client");
        let sql = "SELECT count(*) FROM change_group";
        let before = table(&world, sql);
        for (tool, arguments) in [
            ("jira_get_issue", json!({ "issueKey": "SHOP-1" })),
            ("jira_get_comments", json!({ "issueKey": "SHOP-1" })),
            ("jira_create_issue", json!({ "projectKey": "SHOP", "summary": "x" })),
            ("jira_update_issue", json!({ "issueKey": "SHOP-1", "summary": "x" })),
            ("jira_assign_issue", json!({ "issueKey": "SHOP-1" })),
            ("jira_transition_issue", json!({ "issueKey": "SHOP-1", "transition": "Done" })),
            ("jira_add_comment", json!({ "issueKey": "SHOP-1", "comment": "x" })),
            ("jira_get_sprint", json!({ "boardId": "1" })),
            ("jira_get_sprint_issues", json!({ "boardId": "1" })),
        ] {
            let text = refused(&limited, tool, arguments).await;
            assert!(text.contains("that this server may touch"), "{tool}: {text}");
        }
        let found = call(&limited, "search_issues", json!({ "query": "project in (SHOP, PAY)" })).await;
        let all: Vec<&Value> = found["issues"].as_array().into_iter().flatten().collect();
        assert!(
            !all.is_empty()
                && all.iter().all(|it| it["key"].as_str().is_some_and(|it| it.starts_with("PAY-")))
        );
        let projects = call(&limited, "jira_list_projects", json!({})).await;
        assert_eq!(projects["projects"].as_array().map(Vec::len), Some(1), "{projects}");
        assert_eq!(table(&world, sql), before);
        world.assert_contract();
    }
}
