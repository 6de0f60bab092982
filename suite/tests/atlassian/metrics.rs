//! Dates and times of issues, epics, dependencies, and development.

use plainwire_atlassian::Atlassian;
use plainwire_atlassian::jira::hours::WorkingHours;
use serde_json::{Value, json};

use crate::support::{BOTH, World, call, keys, refused};

#[tokio::test]
async fn the_stays_of_an_issue_fill_the_time_from_its_creation() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        // An issue that was moved often.
        let sql = "SELECT i.key FROM held h JOIN issue i ON i.id = h.issue_id WHERE h.field_id = 'status' AND i.key LIKE 'SHOP-%'
            AND EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id = 'resolutiondate') GROUP BY i.id ORDER BY count(*) DESC LIMIT 1";
        let key: String =
            world.store.run(0, |work| work.one(sql, [], |row| row.get(0))).expect("SQL").expect("an issue");
        let held: Vec<String> = world.store.run(0, |work| {
            let sql = "SELECT s.name FROM held h JOIN status s ON s.id = h.ref JOIN issue i ON i.id = h.issue_id
                WHERE h.field_id = 'status' AND i.key = ?1 ORDER BY h.since, h.until IS NULL, h.rowid";
            work.all(sql, [&key], |row| row.get(0))
        }).expect("SQL");
        let dates = call(&client, "jira_get_issue_dates", json!({ "issue_key": key })).await;
        let stays: Vec<_> = dates["status_changes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| it["status"].as_str().unwrap_or_default())
            .collect();
        assert_eq!(stays, held, "{dates}");
        assert_eq!(dates["status_changes"][0]["since"], dates["created"]);
        assert!(dates["resolved"].is_string() && dates["status_changes"][1]["by"].is_string(), "{dates}");
        let visits: u64 = dates["status_summary"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|it| it["visits"].as_u64())
            .sum();
        assert_eq!(visits, held.len() as u64);
        let short = call(
            &client,
            "jira_get_issue_dates",
            json!({ "issue_key": key, "include_status_changes": false, "include_status_summary": false }),
        )
        .await;
        assert_eq!((&short["status_changes"], &short["status_summary"]), (&Value::Null, &Value::Null));
        let text = refused(&client, "jira_get_issue_dates", json!({ "issue_key": "SHOP-99999" })).await;
        assert!(text.contains("Issue does not exist"), "{text}");

        let sla =
            call(&client, "jira_get_issue_sla", json!({ "issue_key": key, "include_raw_dates": true })).await;
        let minutes = |name: &str| sla["metrics"][name]["minutes"].as_i64();
        assert_eq!(minutes("lead_time"), minutes("resolution_time"), "{sla}");
        assert!(minutes("cycle_time") <= minutes("lead_time") && minutes("cycle_time").is_some(), "{sla}");
        assert_eq!(sla["status_changes"], dates["status_changes"]);
        let server = Atlassian {
            choice: plainwire_atlassian::Choice {
                toolsets: vec!["metrics".to_owned()],
                ..Default::default()
            },
            working_hours: WorkingHours::read("09:00", "17:00", &[1, 2, 3, 4, 5], "Europe/Berlin")
                .expect("working hours"),
            metrics: vec!["lead_time".to_owned()],
            ..Atlassian::new(world.settings())
        };
        let berlin = plainwire::testing::client(server.server().expect("a server")).await.expect("a client");
        let arguments = json!({ "issue_key": key, "metrics": "lead_time", "working_hours_only": true });
        let working = call(&berlin, "jira_get_issue_sla", arguments).await;
        assert_eq!(working["working_hours"], "Mon Tue Wed Thu Fri 09:00-17:00 Europe/Berlin");
        assert!(working["metrics"]["lead_time"]["minutes"].as_i64() < minutes("lead_time"), "{working}");
        assert_eq!(working["metrics"].as_object().map(|it| it.len()), Some(1));
        let usual = call(&berlin, "jira_get_issue_sla", json!({ "issue_key": key })).await;
        assert_eq!(
            usual["metrics"].as_object().map(|it| it.keys().collect::<Vec<_>>()),
            Some(vec![&"lead_time".to_owned()])
        );
        let text =
            refused(&client, "jira_get_issue_sla", json!({ "issue_key": key, "metrics": ["speed"] })).await;
        assert!(text.contains("expected metrics among"), "{text}");
        let text = refused(&client, "jira_get_issue_sla", json!({ "issue_key": "SHOP-99999" })).await;
        assert!(text.contains("Issue does not exist"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_request_has_the_agreements_of_its_service_desk() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        for key in keys(&world, "key LIKE 'HELP-%'").iter().take(3) {
            let sla = call(&client, "jira_get_issue_sla", json!({ "issue_key": key })).await;
            let agreements = sla["service_desk"].as_array().cloned().unwrap_or_default();
            assert_eq!(agreements.len(), 2, "{sla}");
            assert_eq!(agreements[0]["name"], "Time to first response");
            assert!(agreements[0]["breached"].is_boolean() && agreements[0]["goal"] == "8h", "{sla}");
        }
        world.assert_contract();
    }
}

#[tokio::test]
async fn epics_have_the_numbers_of_their_issues() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let found = call(&client, "jira_get_project_epic_hierarchy", json!({ "project_key": "SHOP" })).await;
        let sql = "SELECT count(*) FROM issue i JOIN value v ON v.issue_id = i.id AND v.field_id = 'issuetype' JOIN issue_type t ON t.id = v.ref
            WHERE i.key LIKE 'SHOP-%' AND t.level = 1";
        let expected = world
            .store
            .run(0, |work| work.one(sql, [], |row| row.get::<_, u32>(0)))
            .expect("SQL")
            .map(u64::from);
        assert_eq!(found["total_epics"].as_u64(), expected, "{found}");
        let epics: Vec<&Value> = found["groups"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|it| it["epics"].as_array().into_iter().flatten())
            .collect();
        assert_eq!(Some(epics.len() as u64), expected);
        assert!(epics.iter().any(|it| it["issues"].as_u64() > Some(0)), "{found}");
        let epic = epics.iter().find(|it| it["issues"].as_u64() > Some(0)).expect("an epic");
        let jql = if deployment == plainwire_site::Deployment::Cloud { "parent" } else { "\"Epic Link\"" };
        let jql = format!("{jql} = {} AND statusCategory = Done", epic["key"].as_str().expect("a key"));
        let mut done = 0;
        let (mut token, mut start) = (Value::Null, 0);
        loop {
            let page = call(&client, "jira_search", json!({ "jql": jql, "fields": "summary", "limit": 100, "page_token": token, "start_at": start })).await;
            done += page["issues"].as_array().map_or(0, Vec::len);
            start = done;
            token = page["next_page_token"].clone();
            if token.is_null() {
                break;
            }
        }
        assert_eq!(epic["done"], done, "{epic}");
        let part = call(
            &client,
            "jira_get_project_epic_hierarchy",
            json!({ "project_key": "SHOP", "max_epics": 1 }),
        )
        .await;
        assert_eq!((&part["total_epics"], &part["is_complete"]), (&json!(1), &json!(false)));
        let text =
            refused(&client, "jira_get_project_epic_hierarchy", json!({ "project_key": "NOPE" })).await;
        assert!(text.contains("NOPE") || text.contains("No project"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn links_to_other_projects_are_listed_by_project() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let found = call(
            &client,
            "jira_get_cross_project_dependencies",
            json!({ "project_key": "SHOP", "max_issues": 1000 }),
        )
        .await;
        let sql = "SELECT count(*) FROM link l JOIN issue a ON a.id = l.source_id JOIN issue b ON b.id = l.destination_id
            WHERE (a.key LIKE 'SHOP-%') <> (b.key LIKE 'SHOP-%')";
        let expected = world
            .store
            .run(0, |work| work.one(sql, [], |row| row.get::<_, u32>(0)))
            .expect("SQL")
            .map(u64::from);
        // Links to issues that this account may not see are left out by the site.
        assert!(
            found["total_links"].as_u64() > Some(0) && found["total_links"].as_u64() <= expected,
            "{found} {expected:?}"
        );
        let first = found["by_project"]
            .as_object()
            .and_then(|it| it.values().next())
            .map(|it| it[0].clone())
            .expect("a link");
        assert!(
            first["from"].as_str().is_some_and(|it| it.starts_with("SHOP-"))
                && first["to_status"].is_string(),
            "{first}"
        );
        let text =
            refused(&client, "jira_get_cross_project_dependencies", json!({ "project_key": "NOPE" })).await;
        assert!(text.contains("NOPE"), "{text}");
        world.assert_contract();
    }
}
