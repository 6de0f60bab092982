//! Rules of each tool: a preview and a read write nothing, the text of a result is its value, and arguments may be texts.

use std::collections::BTreeMap;

use plainwire::Client;
use plainwire::model::Tool;
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_site::Deployment;
use serde_json::{Map, Value, json};

use crate::support::{BOTH, World, call, table, tried, value};
use crate::trouble::{client_of, dump, number};

/// Arguments of a call of each tool that succeeds. A tool without an example fails the tests.
fn examples(world: &World, undo: &Value) -> BTreeMap<&'static str, Value> {
    let text =
        |sql: &str| table(world, sql).first().unwrap_or_else(|| panic!("nothing for {sql}"))[0].clone();
    let of = |field: &str, kind: i64| {
        format!(
            "SELECT i.key FROM issue i JOIN value v ON v.issue_id = i.id WHERE v.field_id = '{field}' AND v.ref = {kind} AND i.project_id = 10000 ORDER BY i.id DESC"
        )
    };
    let kind = |name: &str| number(world, &format!("SELECT id FROM issue_type WHERE name = '{name}'"));
    let (task, epic) = (text(&of("issuetype", kind("Task"))), text(&of("issuetype", kind("Epic"))));
    let mine = "FROM comment c JOIN issue i ON i.id = c.issue_id WHERE c.author_id = 10100 ORDER BY c.id";
    let (comment, commented) = (text(&format!("SELECT c.id {mine}")), text(&format!("SELECT i.key {mine}")));
    let link = text(
        "SELECT l.id FROM link l JOIN issue a ON a.id = l.source_id JOIN issue b ON b.id = l.destination_id
        WHERE a.project_id IN (10000, 10001) AND b.project_id IN (10000, 10001)",
    );
    let version = text("SELECT id FROM version WHERE project_id = 10000");
    let filter = text("SELECT id FROM filter WHERE owner_id = 10100");
    let future = text("SELECT id FROM sprint WHERE board_id = 1 AND state = 'future'");
    let attached = text(
        "SELECT i.key FROM attachment a JOIN issue i ON i.id = a.issue_id WHERE a.media_type = 'image/png' AND i.project_id = 10000",
    );
    let dashboard = text("SELECT id FROM dashboard");
    let desk = text("SELECT id FROM desk");
    let kind_of_request = text(
        "SELECT t.id FROM request_type t WHERE NOT EXISTS (SELECT 1 FROM request_type_field f
        WHERE f.request_type_id = t.id AND f.required = 1 AND f.field_id NOT IN ('summary', 'description'))",
    );
    let queue = text("SELECT id FROM queue");
    let watched = text(
        "SELECT i.key FROM watcher w JOIN issue i ON i.id = w.issue_id WHERE w.person_id = 10100 AND i.project_id = 10000",
    );
    let unplanned = text(&format!(
        "SELECT i.key FROM issue i JOIN value t ON t.issue_id = i.id WHERE t.field_id = 'issuetype' AND t.ref = {}
        AND i.project_id = 10000 AND NOT EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id =
        (SELECT id FROM field WHERE custom LIKE '%:gh-sprint'))",
        kind("Task")
    ));
    let other = text(
        "SELECT min(p.display_name) FROM person p WHERE p.active = 1 AND p.account_type = 'atlassian' AND NOT EXISTS
        (SELECT 1 FROM watcher w JOIN issue i ON i.id = w.issue_id WHERE w.person_id = p.id AND i.key = 'SHOP-1')
        GROUP BY p.display_name HAVING count(*) = 1",
    );
    let (with_form, issue_id) = match world.deployment {
        Deployment::Cloud => {
            let sql = "SELECT i.key, i.id FROM issue i JOIN value v ON v.issue_id = i.id JOIN field f ON f.id = v.field_id WHERE f.custom LIKE '%:vp-origin' AND v.ref = 3";
            let row = table(world, sql).swap_remove(0);
            (row[0].clone(), number(world, &format!("SELECT {}", row[1])))
        }
        Deployment::DataCenter => (String::new(), 0),
    };
    let form = format!("0f0f0f0f-0000-4000-8000-{issue_id:012}");
    let one = json!({ "project_key": "SHOP", "issue_type": "Task", "summary": "A new thing" });
    let all = [
        ("atlassian_undo", json!({ "undo": undo, "preview": true })),
        (
            "jira_get_issue",
            json!({ "issue_key": "SHOP-1", "fields": ["summary", "status"], "expand": ["changelog"], "include": ["links"], "properties": ["a"] }),
        ),
        (
            "jira_search",
            json!({ "jql": "project in (SHOP, PAY) ORDER BY key", "fields": ["summary", "status"], "projects_filter": ["SHOP", "PAY"], "expand": ["a"] }),
        ),
        ("jira_get_project_issues", json!({ "project_key": "SHOP" })),
        (
            "jira_create_issue",
            json!({ "project_key": "SHOP", "issue_type": "Task", "summary": "A new thing", "components": [] }),
        ),
        ("jira_batch_create_issues", json!({ "issues": [one] })),
        (
            "jira_update_issue",
            json!({ "issue_key": "SHOP-1", "fields": { "summary": "Another" }, "return_fields": ["summary"] }),
        ),
        ("jira_assign_issue", json!({ "issue_key": "SHOP-1", "assignee": "me" })),
        ("jira_delete_issue", json!({ "issue_key": task })),
        ("jira_move_issue", json!({ "issue_key": task, "target_project_key": "PAY" })),
        (
            "jira_batch_get_changelogs",
            json!({ "issue_ids_or_keys": ["SHOP-1", "SHOP-2"], "fields": ["status", "summary"] }),
        ),
        ("jira_search_fields", json!({ "keyword": "point" })),
        (
            "jira_get_field_options",
            json!({ "field_id": "priority", "project_key": "SHOP", "issue_type": "Bug" }),
        ),
        ("jira_add_comment", json!({ "issue_key": "SHOP-1", "body": "A *word*." })),
        (
            "jira_edit_comment",
            json!({ "issue_key": commented, "comment_id": comment, "body": "Another *word*." }),
        ),
        ("jira_get_comments", json!({ "issue_key": "SHOP-1" })),
        ("jira_get_transitions", json!({ "issue_key": "SHOP-1" })),
        (
            "jira_transition_issue",
            json!({ "issue_key": task, "transition_id": "Decline", "fields": { "resolution": "Won't Do" } }),
        ),
        ("jira_get_my_issues", json!({ "fields": ["summary", "status"] })),
        ("jira_get_edit_metadata", json!({ "issue_key": "SHOP-1", "fields": ["priority", "summary"] })),
        ("jira_get_priorities", json!({})),
        ("jira_get_statuses", json!({ "project_key": "SHOP" })),
        ("jira_get_all_projects", json!({})),
        ("jira_search_projects", json!({ "query": "sho" })),
        ("jira_get_project_issue_types", json!({ "project_key": "SHOP" })),
        ("jira_get_create_fields", json!({ "project_key": "SHOP", "issue_type_id": "Bug" })),
        ("jira_get_project_fields", json!({ "project_key": "SHOP" })),
        ("jira_get_project_versions", json!({ "project_key": "SHOP" })),
        ("jira_create_version", json!({ "project_key": "SHOP", "name": "99" })),
        ("jira_batch_create_versions", json!({ "project_key": "SHOP", "versions": [{ "name": "98" }] })),
        ("jira_update_version", json!({ "version_id": version, "description": "Another" })),
        ("jira_get_project_components", json!({ "project_key": "SHOP" })),
        ("jira_create_component", json!({ "project_key": "SHOP", "name": "New" })),
        ("jira_get_link_types", json!({})),
        (
            "jira_create_issue_link",
            json!({ "link_type": "Blocks", "inward_issue_key": "SHOP-1", "outward_issue_key": task }),
        ),
        ("jira_remove_issue_link", json!({ "link_id": link })),
        ("jira_link_to_epic", json!({ "issue_key": task, "epic_key": epic })),
        ("jira_get_remote_issue_links", json!({ "issue_key": "SHOP-1" })),
        (
            "jira_create_remote_issue_link",
            json!({ "issue_key": "SHOP-1", "url": "https://example.com", "title": "A page" }),
        ),
        ("jira_get_worklog", json!({ "issue_key": "SHOP-1" })),
        ("jira_add_worklog", json!({ "issue_key": "SHOP-1", "time_spent": "1h" })),
        ("jira_get_issue_watchers", json!({ "issue_key": "SHOP-1" })),
        ("jira_add_watcher", json!({ "issue_key": "SHOP-1", "user_identifier": other })),
        ("jira_remove_watcher", json!({ "issue_key": watched, "user_identifier": "me" })),
        ("jira_get_user_profile", json!({ "user_identifier": "me" })),
        ("jira_search_assignable_users", json!({ "query": "dana", "project_key": "SHOP" })),
        ("jira_search_users", json!({ "query": "dana" })),
        ("jira_whoami", json!({})),
        ("jira_download_attachments", json!({ "issue_key": attached })),
        ("jira_get_issue_images", json!({ "issue_key": attached })),
        ("jira_upload_attachment", json!({ "issue_key": "SHOP-1", "file_name": "a.txt", "text": "x" })),
        ("jira_get_agile_boards", json!({})),
        (
            "jira_get_board_issues",
            json!({ "board_id": "1", "jql": "status != Done", "fields": ["summary", "status"], "expand": ["a"] }),
        ),
        ("jira_get_sprints_from_board", json!({ "board_id": "1" })),
        ("jira_get_sprint_issues", json!({ "sprint_id": future, "fields": ["summary", "status"] })),
        ("jira_create_sprint", json!({ "board_id": "1", "name": "A sprint" })),
        ("jira_update_sprint", json!({ "sprint_id": future, "goal": "Another" })),
        ("jira_add_issues_to_sprint", json!({ "sprint_id": future, "issue_keys": [unplanned] })),
        ("jira_move_issues_to_backlog", json!({ "issue_keys": [task, "SHOP-1"] })),
        ("jira_rank_issues", json!({ "issue_keys": [task], "rank_before_issue": "SHOP-1" })),
        ("jira_get_filters", json!({ "filter_id": filter })),
        ("jira_create_filter", json!({ "name": "A filter", "jql": "project = SHOP" })),
        ("jira_update_filter", json!({ "filter_id": filter, "description": "Another" })),
        ("jira_delete_filter", json!({ "filter_id": filter })),
        ("jira_list_dashboards", json!({})),
        ("jira_get_dashboard_gadgets", json!({ "dashboard_id": dashboard })),
        ("jira_get_service_desk_for_project", json!({ "project_key": "HELP" })),
        ("jira_get_service_desk_queues", json!({ "service_desk_id": desk })),
        ("jira_get_queue_issues", json!({ "service_desk_id": desk, "queue_id": queue })),
        ("jira_get_request_types", json!({ "service_desk_id": desk })),
        (
            "jira_get_request_type_fields",
            json!({ "service_desk_id": desk, "request_type_id": kind_of_request }),
        ),
        (
            "jira_create_customer_request",
            json!({ "service_desk_id": desk, "request_type_id": kind_of_request, "request_field_values": { "summary": "x", "description": "y" } }),
        ),
        ("jira_get_issue_proforma_forms", json!({ "issue_key": with_form })),
        ("jira_get_proforma_form_details", json!({ "issue_key": with_form, "form_id": form })),
        (
            "jira_update_proforma_form_answers",
            json!({ "issue_key": with_form, "form_id": form, "answers": [{ "questionId": "1", "value": "Nothing." }] }),
        ),
        ("jira_get_issue_dates", json!({ "issue_key": "SHOP-1" })),
        ("jira_get_issue_sla", json!({ "issue_key": "SHOP-1", "metrics": ["cycle_time", "lead_time"] })),
        ("jira_get_project_epic_hierarchy", json!({ "project_key": "SHOP" })),
        ("jira_get_cross_project_dependencies", json!({ "project_key": "SHOP" })),
        ("jira_get_issue_development_info", json!({ "issue_key": "SHOP-1" })),
        ("jira_get_issues_development_info", json!({ "issue_keys": ["SHOP-1", "SHOP-2"] })),
    ];
    all.into_iter().collect()
}

/// Returns a client of a server with all tools, also those at the gateway of Cloud.
async fn client(world: &World) -> Client {
    let mut settings = world.settings();
    settings.gateway = world.url.parse().expect("a URL");
    client_of(settings).await
}

/// A tool with the arguments of its example.
struct Example {
    tool: Tool,
    is_write: bool,
    arguments: Map<String, Value>,
}

/// Returns all tools that a site offers, with examples.
async fn all(world: &World, client: &Client) -> Vec<Example> {
    let change = call(
        client,
        "jira_update_issue",
        json!({ "issue_key": "SHOP-3", "fields": { "summary": "To take back" } }),
    )
    .await;
    let mut examples = examples(world, &change["undo"]);
    let every = Choice { toolsets: vec!["all".to_owned()], ..Choice::default() };
    let kinds: BTreeMap<_, _> =
        Atlassian::tools(&every).into_iter().map(|(name, _, is_write)| (name, is_write)).collect();
    let tools = client.list_tools().await.expect("a list").into_iter();
    tools
        .map(|tool| {
            let arguments =
                examples.remove(tool.name.as_str()).unwrap_or_else(|| panic!("{} has no example", tool.name));
            let Value::Object(mut arguments) = arguments else { panic!("{}: no object", tool.name) };
            let is_write = kinds[tool.name.as_str()];
            if is_write {
                arguments.insert("preview".to_owned(), json!(true));
            }
            Example { tool, is_write, arguments }
        })
        .collect()
}

/// Returns the properties of a tool's arguments of a type, with that of their elements.
fn properties(tool: &Tool, types: &[&str]) -> Vec<String> {
    let schema: Value = serde_json::from_str(&json!(tool.input_schema).to_string()).expect("JSON");
    let all = schema["properties"].as_object().into_iter().flatten();
    let of_type = all.filter(|(_, it)| {
        let named = match &it["type"] {
            Value::Array(all) => all.iter().filter_map(Value::as_str).any(|it| types.contains(&it)),
            one => one.as_str().is_some_and(|it| types.contains(&it)),
        };
        named
            || it["anyOf"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|it| it["type"].as_str().is_some_and(|it| types.contains(&it)))
    });
    of_type.map(|(name, _)| name.clone()).collect()
}

async fn succeeds(client: &Client, name: &str, arguments: &Map<String, Value>) -> Value {
    let found = call(client, name, json!(arguments)).await;
    assert_ne!(found["kind"], "needsInput:v1", "{name}: {found}");
    found
}

#[tokio::test]
async fn a_preview_and_a_read_write_nothing_at_all() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = client(&world).await;
        let examples = all(&world, &client).await;
        let before = dump(&world);
        for it in &examples {
            let name = it.tool.name.as_str();
            // Each row that the site writes is counted, even one that is written with the value it has.
            let changes = number(&world, "SELECT total_changes()");
            let found = succeeds(&client, name, &it.arguments).await;
            assert_eq!(number(&world, "SELECT total_changes()"), changes, "{name}");
            let hints = it.tool.annotations.as_ref().expect("annotations");
            assert_eq!(hints.read_only_hint == Some(true), !it.is_write, "{name}");
            if it.is_write {
                assert_eq!((&found["is_preview"], found.get("undo")), (&json!(true), None), "{name}");
                assert!(found["changes"].as_array().is_some_and(|it| !it.is_empty()), "{name}: {found}");
            }
        }
        assert_eq!(dump(&world), before);
        world.assert_contract();
    }
}

#[tokio::test]
async fn the_text_of_each_result_is_its_value() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = client(&world).await;
        for it in &all(&world, &client).await {
            let name = it.tool.name.as_str();
            let result = tried(&client, name, json!(it.arguments)).await;
            let texts: Vec<&str> = result.content.iter().filter_map(|it| it.as_text()).collect();
            assert_eq!(texts.len(), 1, "{name}");
            assert_eq!(serde_json::from_str::<Value>(texts[0]).ok(), Some(value(&result)), "{name}");
        }
    }
}

#[tokio::test]
async fn numbers_and_flags_may_be_texts() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = client(&world).await;
        let mut count = 0;
        for it in &all(&world, &client).await {
            let name = it.tool.name.as_str();
            for (types, given) in
                [(&["integer", "number"][..], json!("1")), (&["boolean"][..], json!("false"))]
            {
                for property in properties(&it.tool, types) {
                    let mut arguments = it.arguments.clone();
                    if property == "preview" {
                        arguments.insert(property, json!("true"));
                    } else {
                        arguments.insert(property, given.clone());
                    }
                    succeeds(&client, name, &arguments).await;
                    count += 1;
                }
            }
        }
        assert!(count > 50, "{count}");
    }
}

#[tokio::test]
async fn lists_may_be_arrays_texts_with_commas_or_json() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = client(&world).await;
        let mut count = 0;
        for it in &all(&world, &client).await {
            let name = it.tool.name.as_str();
            for property in properties(&it.tool, &["array"]) {
                let Some(Value::Array(elements)) = it.arguments.get(&property) else {
                    assert!(
                        ["attachments", "components", "request_participants", "current_project_ids"]
                            .contains(&property.as_str()),
                        "{name}: no example has {property}"
                    );
                    continue;
                };
                let texts: Vec<&str> = elements.iter().filter_map(Value::as_str).collect();
                let expected = succeeds(&client, name, &it.arguments).await;
                let mut forms = vec![json!(json!(elements).to_string())];
                if texts.len() == elements.len() {
                    forms.extend([json!(texts.join(",")), json!(texts.join(" , "))]);
                }
                for given in forms {
                    let mut arguments = it.arguments.clone();
                    arguments.insert(property.clone(), given.clone());
                    assert_eq!(
                        succeeds(&client, name, &arguments).await,
                        expected,
                        "{name} {property} {given}"
                    );
                    count += 1;
                }
            }
        }
        assert!(count > 20, "{count}");
    }
}
