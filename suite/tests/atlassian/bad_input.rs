//! Input that Jira refuses, or that means several things: what a model is told, and what a user is asked.

use std::sync::{Arc, Mutex};

use plainwire::Client;
use plainwire::audit::Audit;
use plainwire::model::{ElicitResult, Elicitation};
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_site::{Deployment, issue};
use serde_json::{Value, json};

use crate::support::{BOTH, World, all_stored, call, keys, refused, stored, table};
use crate::trouble::{dump, has};

#[tokio::test]
async fn an_unknown_field_is_told_with_the_nearest_ones() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let before = dump(&world);
        for (tool, arguments) in [
            ("jira_update_issue", json!({ "issue_key": "SHOP-1", "fields": { "Story Pionts": 3 } })),
            ("jira_get_issue", json!({ "issue_key": "SHOP-1", "fields": "Story Pionts" })),
            ("jira_search", json!({ "jql": "key = SHOP-1", "fields": "Story Pionts" })),
            (
                "jira_create_issue",
                json!({ "project_key": "SHOP", "issue_type": "Task", "summary": "x", "additional_fields": { "Story Pionts": 3 } }),
            ),
        ] {
            let text = refused(&client, tool, arguments).await;
            has(&text, &["there is no field \"Story Pionts\"", "the nearest are", "jira_search_fields"]);
        }
        let text = refused(&client, "jira_search", json!({ "jql": "storypionts = 3" })).await;
        has(&text, &["storypionts"]);
        assert_eq!(dump(&world), before);
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_value_that_is_not_allowed_is_told_with_those_that_are() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let before = dump(&world);
        for fields in [
            json!({ "priority": "Urgentest" }),
            json!({ "fields": { "priority": { "name": "Urgentest" } } })["fields"].clone(),
        ] {
            let text =
                refused(&client, "jira_update_issue", json!({ "issue_key": "SHOP-1", "fields": fields }))
                    .await;
            has(&text, &["Priority may be", "High", "Low"]);
        }
        let bug = json!({
            "project_key": "PAY", "issue_type": "Bug", "summary": "x", "additional_fields": { "Severity": "Terrible" },
        });
        let text = refused(&client, "jira_create_issue", bug).await;
        let severities = call(
            &client,
            "jira_get_field_options",
            json!({ "field_id": "Severity", "project_key": "PAY", "issue_type": "Bug" }),
        )
        .await;
        let first = severities["options"][0].as_str().expect("a severity");
        has(&text, &["Severity may be", first]);
        assert_eq!(dump(&world), before);
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_required_field_that_is_missing_is_named_with_its_values() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let before = dump(&world);
        let bug = json!({ "project_key": "PAY", "issue_type": "Bug", "summary": "x" });
        let text = refused(&client, "jira_create_issue", bug).await;
        has(&text, &["Severity is required", "Severity may be"]);
        assert_eq!(dump(&world), before);
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_transition_whose_screen_wants_a_field_says_which_and_what_it_may_be() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let open = "project_id = 10000 AND EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id = 'status'
            AND v.ref = (SELECT from_status_id FROM transition WHERE name = 'Start progress' LIMIT 1))";
        let key = &keys(&world, open)[0];
        // The site fills a resolution in, so this screen is made to have none.
        let sql = "UPDATE transition SET sets_resolution = NULL WHERE name = 'Decline'";
        world.store.run(0, |work| work.run(sql, [])).expect("SQL");
        let before = all_stored(&world, key);
        let text = refused(
            &client,
            "jira_transition_issue",
            json!({ "issue_key": key, "transition_id": "Decline" }),
        )
        .await;
        has(&text, &["esolution", "Won't Do"]);
        assert_eq!(all_stored(&world, key), before);
        let change =
            json!({ "issue_key": key, "transition_id": "Decline", "fields": { "resolution": "Won't Do" } });
        call(&client, "jira_transition_issue", change).await;
        assert_ne!(all_stored(&world, key), before);
        world.assert_contract();
    }
}

/// Returns a client whose user chooses the second of what is offered, and the questions that were asked.
async fn asking(world: &World) -> (Client, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let seen = Arc::clone(&asked);
    let builder = Client::builder().on_elicit(move |question| {
        let seen = Arc::clone(&seen);
        async move {
            let Elicitation::Form { schema, .. } = question else { return ElicitResult::decline() };
            let schema: Value = serde_json::from_str(&schema).expect("JSON");
            seen.lock().expect("no panic").push(schema.to_string());
            let (name, property) =
                schema["properties"].as_object().and_then(|it| it.iter().next()).expect("a property");
            ElicitResult::accept(json!({ name: property["enum"][1] }))
        }
    });
    let choice = Choice { toolsets: vec!["all".to_owned()], ..Choice::default() };
    let server = Atlassian { choice, audit: Audit::off(), ..Atlassian::new(world.settings()) };
    let client =
        plainwire::testing::client_with(server.server().expect("a server"), builder).await.expect("a client");
    (client, asked)
}

#[tokio::test]
async fn of_two_people_of_one_name_none_is_guessed() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let before = dump(&world);
        let column = if deployment == Deployment::Cloud { "account_id" } else { "name" };
        let ids = table(
            &world,
            &format!("SELECT {column} FROM person WHERE display_name = 'Alex Kim' ORDER BY id"),
        );
        for (tool, arguments) in [
            ("jira_add_watcher", json!({ "issue_key": "SHOP-1", "user_identifier": "Alex Kim" })),
            ("jira_get_user_profile", json!({ "user_identifier": "alex kim" })),
            ("jira_update_issue", json!({ "issue_key": "SHOP-1", "fields": { "reporter": "Alex Kim" } })),
            (
                "jira_create_issue",
                json!({ "project_key": "SHOP", "issue_type": "Task", "summary": "x", "additional_fields": { "reporter": "Alex Kim" } }),
            ),
        ] {
            let found = call(&client, tool, arguments).await;
            assert_eq!(found["kind"], "needsInput:v1", "{tool}: {found}");
            let text = found.to_string();
            has(&text, &["several people are called so", &ids[0][0], &ids[1][0]]);
        }
        assert_eq!(dump(&world), before);
        // A client that can ask its user gets an answer, and the tool goes on.
        let (client, asked) = asking(&world).await;
        let change = call(
            &client,
            "jira_add_watcher",
            json!({ "issue_key": "SHOP-1", "user_identifier": "Alex Kim" }),
        )
        .await;
        assert_eq!(change["is_preview"], false, "{change}");
        assert_eq!(asked.lock().expect("no panic").len(), 1);
        let sql = "SELECT p.name FROM watcher w JOIN person p ON p.id = w.person_id JOIN issue i ON i.id = w.issue_id
            WHERE i.key = 'SHOP-1' AND p.display_name = 'Alex Kim'";
        let watching = table(&world, sql);
        assert_eq!(watching.len(), 1);
        // A value inside of an argument is not one that a form can give.
        let found = call(
            &client,
            "jira_update_issue",
            json!({ "issue_key": "SHOP-1", "fields": { "reporter": "Alex Kim" } }),
        )
        .await;
        assert_eq!(found["kind"], "needsInput:v1", "{found}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_person_who_is_unknown_or_was_deactivated_is_refused_with_what_to_do() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let before = dump(&world);
        let column = if deployment == Deployment::Cloud { "account_id" } else { "name" };
        let former = &table(&world, &format!("SELECT {column} FROM person WHERE name = 'viktor.hala'"))[0][0];
        for name in ["No Such Person", "nobody@else.example", "Viktor Hála", former] {
            for (tool, arguments) in [
                ("jira_assign_issue", json!({ "issue_key": "SHOP-1", "assignee": name })),
                ("jira_update_issue", json!({ "issue_key": "SHOP-1", "fields": { "assignee": name } })),
            ] {
                let text = refused(&client, tool, arguments).await;
                assert!(text.contains("assign"), "{tool} {name}: {text}");
            }
        }
        let text = refused(
            &client,
            "jira_assign_issue",
            json!({ "issue_key": "SHOP-1", "assignee": "No Such Person" }),
        )
        .await;
        has(
            &text,
            &["there is no person who may be assigned \"No Such Person\"", "jira_search_assignable_users"],
        );
        assert_eq!(dump(&world), before);
        world.assert_contract();
    }
}

#[tokio::test]
async fn an_issue_that_was_deleted_is_told_as_such_and_one_that_moved_has_both_keys() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let task = json!({ "project_key": "SHOP", "issue_type": "Task", "summary": "To go" });
        let made = call(&client, "jira_create_issue", task).await;
        let key = made["key"].as_str().expect("a key");
        call(&client, "jira_delete_issue", json!({ "issue_key": key })).await;
        for (tool, arguments) in [
            ("jira_get_issue", json!({ "issue_key": key })),
            ("jira_add_comment", json!({ "issue_key": key, "body": "x" })),
            ("jira_update_issue", json!({ "issue_key": key, "fields": { "summary": "x" } })),
            ("atlassian_undo", json!({ "undo": made["undo"] })),
        ] {
            let text = refused(&client, tool, arguments).await;
            has(&text, &["the site has no such thing", key, "check the key or the id"]);
        }
        let moved = &keys(&world, "key LIKE 'SHOP-%'")[3];
        let change = call(
            &client,
            "jira_update_issue",
            json!({ "issue_key": moved, "fields": { "summary": "Before" } }),
        )
        .await;
        world
            .store
            .run(0, |work| {
                let issue = issue::find(work, moved)?.expect("an issue");
                issue::move_to(work, issue, 10001, 10100)
            })
            .expect("a move");
        let found = call(&client, "jira_get_issue", json!({ "issue_key": moved })).await;
        let now = found["key"].as_str().expect("a key");
        assert!(now.starts_with("PAY-"), "{now}");
        let by_new = call(&client, "jira_get_issue", json!({ "issue_key": now })).await;
        assert_eq!(by_new, found);
        // The handle of a change from before the move goes on to work.
        call(&client, "atlassian_undo", json!({ "undo": change["undo"] })).await;
        assert_ne!(stored(&world, now, "summary").as_deref(), Some("Before"));
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_key_that_is_none_is_not_sent() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        for key in [
            "",
            " ",
            "SHOP",
            "SHOP-1/../../user",
            "../myself",
            "SHOP-1?fields=*all",
            "SHOP-1%2f..",
            "SHOP-1\" OR project = SEC",
        ] {
            for tool in [
                "jira_get_issue",
                "jira_get_comments",
                "jira_get_transitions",
                "jira_delete_issue",
                "jira_get_worklog",
            ] {
                let text = refused(&client, tool, json!({ "issue_key": key })).await;
                has(&text, &["expected the key of an issue such as SHOP-1, but found"]);
            }
        }
        world.assert_contract();
    }
}
