//! Prompts: what they ask, with which data.

use plainwire::Client;
use plainwire::model::{CompleteRequest, Content, ResourceContents};
use plainwire_atlassian::Atlassian;
use serde_json::{Value, json};

use crate::support::{BOTH, World};

/// A prompt: its text, and its resources by URI.
struct Got {
    text: String,
    resources: Vec<(String, Value)>,
}

async fn get(client: &Client, name: &str, arguments: Value) -> Got {
    let got = client
        .get_prompt(name, &arguments)
        .await
        .unwrap_or_else(|error| panic!("{name} {arguments}: {error}"));
    let text = got.messages.iter().filter_map(|it| it.content.as_text()).collect();
    let resources = got.messages.iter().filter_map(|it| match &it.content {
        Content::Resource(embedded) => match &embedded.resource {
            ResourceContents::Text(it) => {
                Some((it.uri.clone(), serde_json::from_str(&it.text).expect("JSON")))
            }
            ResourceContents::Blob(_) => None,
        },
        _ => None,
    });
    Got { text, resources: resources.collect() }
}

async fn refused(client: &Client, name: &str, arguments: Value) -> String {
    match client.get_prompt(name, &arguments).await {
        Ok(_) => panic!("{name} {arguments}"),
        Err(error) => error.to_string(),
    }
}

async fn suggested(client: &Client, name: &str, argument: &str, text: &str) -> Vec<String> {
    let request = CompleteRequest::prompt(name, argument, text).with_arguments([("project_key", "SHOP")]);
    client.complete(&request).await.expect("suggestions").values
}

fn issues(value: &Value) -> &Vec<Value> {
    value["issues"].as_array().unwrap_or_else(|| panic!("{value}"))
}

#[tokio::test]
async fn triage_has_the_issues_that_wait_and_what_the_project_allows() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let got = get(&client, "jira_triage", json!({ "project_key": "SHOP" })).await;
        let [(project_uri, project), (search_uri, found)] = got.resources.as_slice() else {
            panic!("{}", got.text)
        };
        assert_eq!((project_uri.as_str(), &project["key"]), ("jira://projects/SHOP", &json!("SHOP")));
        assert!(!issues(found).is_empty());
        for it in issues(found) {
            assert!(it.get("assignee").is_none() || it.get("priority").is_none(), "{it}");
        }
        assert!(got.text.contains("Apply nothing before I agree"), "{}", got.text);
        // The URI is one of this server, and reads the same search.
        let read = client.read_resource(search_uri).await.expect("a search");
        let read: Value = serde_json::from_str(read.contents[0].as_text().expect("text")).expect("JSON");
        assert_eq!(read["issues"][0]["key"], found["issues"][0]["key"]);
        let text = refused(&client, "jira_triage", json!({ "project_key": "NOPE" })).await;
        assert!(text.contains("No project could be found with key 'NOPE'"), "{text}");
        assert_eq!(suggested(&client, "jira_triage", "project_key", "sh").await[0], "SHOP");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_stand_up_has_what_changed_for_a_person_or_in_a_sprint() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let got = get(&client, "jira_standup", json!({ "board_id": "1", "days": "14" })).await;
        let [(_, value)] = got.resources.as_slice() else { panic!("{}", got.text) };
        assert!(issues(value).iter().any(|it| it["changes"].is_array()), "{value:#}");
        let since = value["since"].as_str().expect("a time");
        for it in issues(value) {
            for entry in it["changes"].as_array().into_iter().flatten() {
                assert!(entry["when"].as_str().is_some_and(|when| when >= &since[..16]), "{since}: {entry}");
                assert!(entry["who"].is_string(), "{entry}");
            }
        }
        // Nothing of the demo user need have changed; then the prompt says so.
        let mine = get(&client, "jira_standup", json!({})).await;
        assert!(!mine.resources.is_empty() || mine.text.contains("do nothing else"), "{}", mine.text);
        let both =
            get(&client, "jira_standup", json!({ "person": "me", "board_id": "1", "days": "14" })).await;
        assert!(both.text.contains("in the sprint"), "{}", both.text);
        let text = refused(&client, "jira_standup", json!({ "person": "Nobody at all" })).await;
        assert!(text.contains("there is no person"), "{text}");
        let text = refused(&client, "jira_standup", json!({ "board_id": "99" })).await;
        assert!(text.contains("board"), "{text}");
        assert_eq!(suggested(&client, "jira_standup", "person", "").await, ["me"]);
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_sprint_report_is_on_a_board_or_on_a_project() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let of_board = get(&client, "jira_sprint_report", json!({ "board_id": "1" })).await;
        let of_project = get(&client, "jira_sprint_report", json!({ "project_key": "SHOP" })).await;
        assert_eq!(of_board.resources, of_project.resources);
        let (uri, value) = &of_board.resources[0];
        assert_eq!(uri, "jira://boards/1/sprint");
        assert!(!issues(&value["sprints"][0]).is_empty());
        assert!(
            value["sprints"][0]["name"].as_str().is_some_and(|it| of_board.text.contains(it)),
            "{}",
            of_board.text
        );
        let text = refused(&client, "jira_sprint_report", json!({})).await;
        assert!(text.contains("expected a board or a project"), "{text}");
        let text = refused(&client, "jira_sprint_report", json!({ "project_key": "PAY" })).await;
        assert!(text.contains("has no board with sprints"), "{text}");
        assert_eq!(suggested(&client, "jira_sprint_report", "board_id", "").await, ["1"]);
        world.assert_contract();
    }
}

#[tokio::test]
async fn release_notes_have_the_issues_of_a_version() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let sql = "SELECT v.name FROM version v JOIN project p ON p.id = v.project_id WHERE p.key = 'SHOP' AND v.released AND NOT v.archived
            ORDER BY v.position DESC LIMIT 1";
        let version: String =
            world.store.run(0, |work| work.one(sql, [], |row| row.get(0))).expect("SQL").expect("a version");
        let got =
            get(&client, "jira_release_notes", json!({ "project_key": "SHOP", "version": version })).await;
        let [(_, value)] = got.resources.as_slice() else { panic!("{}", got.text) };
        let sql = "SELECT count(*) FROM value f JOIN version v ON v.id = f.ref WHERE f.field_id = 'fixVersions' AND v.name = ?1 AND v.project_id = 10000";
        let count: Option<i64> =
            world.store.run(0, |work| work.one(sql, [&version], |row| row.get(0))).expect("SQL");
        assert_eq!(Some(issues(value).len() as i64), count);
        assert!(issues(value).iter().all(|it| it["summary"].is_string()), "{value}");
        let text =
            refused(&client, "jira_release_notes", json!({ "project_key": "SHOP", "version": "none" })).await;
        assert!(text.contains("has no version \"none\"") && text.contains(&version), "{text}");
        let suggested = suggested(&client, "jira_release_notes", "version", "").await;
        assert!(suggested.contains(&version), "{suggested:?}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_limit_to_projects_holds_for_prompts() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let server = Atlassian { projects: vec!["PAY".to_owned()], ..Atlassian::new(world.settings()) };
        let client = plainwire::testing::client(server.server().expect("a server")).await.expect("a client");
        for (name, arguments) in [
            ("jira_triage", json!({ "project_key": "SHOP" })),
            ("jira_standup", json!({ "board_id": "1" })),
            ("jira_sprint_report", json!({ "board_id": "1" })),
            ("jira_release_notes", json!({ "project_key": "SHOP", "version": "1.0" })),
        ] {
            let text = refused(&client, name, arguments).await;
            assert!(text.contains("a project that this server may touch"), "{name}: {text}");
        }
        let got = get(&client, "jira_standup", json!({ "person": "me", "days": "14" })).await;
        for (_, value) in &got.resources {
            assert!(
                issues(value).iter().all(|it| it["key"].as_str().is_some_and(|it| it.starts_with("PAY-"))),
                "{value}"
            );
        }
        world.assert_contract();
    }
}
