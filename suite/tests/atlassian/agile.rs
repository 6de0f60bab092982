//! Boards and sprints: reading them, changing them, and moving issues.

use plainwire::Client;
use serde_json::{Value, json};

use crate::support::{BOTH, World, all_stored, call, keys, refused, tried};

/// Returns the id of the sprint of the SHOP board with a state.
async fn sprint(client: &Client, state: &str) -> Value {
    let found = call(client, "jira_get_sprints_from_board", json!({ "board_id": "1", "state": state })).await;
    found["sprints"][0].clone()
}

/// Returns the sprints of all issues but sub-tasks, which are where their parents are.
fn places(world: &World) -> Vec<String> {
    let sql =
        "SELECT i.key, v.ref FROM value v JOIN issue i ON i.id = v.issue_id JOIN field f ON f.id = v.field_id
        JOIN value t ON t.issue_id = i.id AND t.field_id = 'issuetype' JOIN issue_type k ON k.id = t.ref
        WHERE f.name = 'Sprint' AND k.level >= 0 ORDER BY i.key, v.position";
    let rows = world.store.run(0, |work| {
        work.all(sql, [], |row| Ok(format!("{} {}", row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))
    });
    rows.expect("SQL")
}

fn sprints(world: &World) -> Vec<Value> {
    let sql = "SELECT id, name, state, goal, start_date, end_date FROM sprint ORDER BY id";
    let rows = world.store.run(0, |work| {
        work.all(sql, [], |row| {
            Ok(json!([
                row.get::<_, i64>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?,
                row.get::<_, String>(3)?,
                row.get::<_, Option<i64>>(4)?,
                row.get::<_, Option<i64>>(5)?
            ]))
        })
    });
    rows.expect("SQL")
}

#[tokio::test]
async fn a_sprint_is_named_and_the_current_one_is_found_or_asked_for() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client_within(&["SHOP"]).await;
        let active = sprint(&client, "active").await;
        let by_id = json!({ "sprint_id": active["id"].to_string(), "limit": 100 });
        let expected = call(&client, "jira_get_sprint_issues", by_id).await;
        assert!(expected["issues"].as_array().is_some_and(|it| !it.is_empty()), "{expected}");
        for name in [json!("current sprint"), active["name"].clone()] {
            let found =
                call(&client, "jira_get_sprint_issues", json!({ "sprint_id": name, "limit": 100 })).await;
            assert_eq!(found, expected, "{name}");
        }
        // The other projects have active sprints, too: none of them is taken.
        let all = world.client().await;
        for name in ["current sprint", "Sprint of nobody"] {
            let result = tried(&all, "jira_get_sprint_issues", json!({ "sprint_id": name })).await;
            let asked: String = result.content.iter().filter_map(|it| it.as_text()).collect();
            assert!(
                asked.contains("SHOP Sprint 27, active") && asked.contains("Till 11, active"),
                "{name}: {asked}"
            );
        }
        world.assert_contract();
    }
}

/// Repeats a statement for the numbers up to `count`, each as `n.value`.
fn many(world: &World, count: usize, sql: &str) {
    let numbers = format!(
        "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < {count})"
    );
    let sql = sql.replacen("SELECT", &format!("{numbers} SELECT"), 1);
    world.store.run(0, |work| work.run(&sql, [])).expect("SQL");
}

#[tokio::test]
async fn a_sprint_is_found_beyond_the_first_page_of_a_board() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client_within(&["SHOP"]).await;
        // A page has 50 of them.
        many(
            &world,
            120,
            "INSERT INTO sprint (board_id, name, state, created) SELECT 1, 'Later ' || n.value, 'future', 0 FROM n",
        );
        let found = call(&client, "jira_get_sprint_issues", json!({ "sprint_id": "Later 120" })).await;
        assert_eq!(found["issues"], json!([]), "{found}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_name_of_a_sprint_is_looked_for_on_at_most_50_boards() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let sql = "INSERT INTO board (name, type, project_id, filter_id)
            SELECT 'Board ' || n.value, 'scrum', project_id, filter_id FROM board JOIN n WHERE board.id = 1";
        // Two of the seeded boards have sprints.
        many(&world, 48, sql);
        let found = call(&client, "jira_get_sprint_issues", json!({ "sprint_id": "Till 11" })).await;
        assert!(found["issues"].as_array().is_some_and(|it| !it.is_empty()), "{found}");
        many(&world, 1, sql);
        let text = refused(&client, "jira_get_sprint_issues", json!({ "sprint_id": "Till 11" })).await;
        assert!(
            text.contains("more than 50 boards") && text.contains("jira_get_sprints_from_board"),
            "{text}"
        );
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_name_is_looked_for_among_at_most_500_sprints_of_a_board() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client_within(&["SHOP"]).await;
        world.store.run(0, |work| work.run("UPDATE sprint SET state = 'closed'", [])).expect("SQL");
        let sql = "INSERT INTO sprint (board_id, name, state, created) SELECT 1, 'Later ' || n.value, 'future', 0 FROM n";
        many(&world, 500, sql);
        let found = call(&client, "jira_get_sprint_issues", json!({ "sprint_id": "Later 500" })).await;
        assert_eq!(found["issues"], json!([]), "{found}");
        many(&world, 1, sql);
        let text = refused(&client, "jira_get_sprint_issues", json!({ "sprint_id": "Later 500" })).await;
        assert!(
            text.contains("more than 500 sprints") && text.contains("jira_get_sprints_from_board"),
            "{text}"
        );
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_sprint_is_not_named_where_none_is_open() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        world.store.run(0, |work| work.run("UPDATE sprint SET state = 'closed'", [])).expect("SQL");
        let text = refused(&client, "jira_get_sprint_issues", json!({ "sprint_id": "current sprint" })).await;
        assert!(
            text.contains("no open sprint is \"current sprint\"")
                && text.contains("jira_get_sprints_from_board"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn boards_and_sprints_are_listed_with_their_issues() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let boards =
            call(&client, "jira_get_agile_boards", json!({ "project_key": "SHOP", "board_type": "scrum" }))
                .await;
        assert_eq!(boards["boards"].as_array().map(Vec::len), Some(1), "{boards}");
        assert_eq!(boards["boards"][0]["name"], "SHOP board");
        let page = call(&client, "jira_get_agile_boards", json!({ "limit": 2 })).await;
        let token = page["next_page_token"].clone();
        let rest = call(&client, "jira_get_agile_boards", json!({ "limit": 2, "page_token": token })).await;
        assert_eq!(rest["boards"].as_array().map(Vec::len), Some(1), "{rest}");
        let active = sprint(&client, "active").await;
        assert!(active["start"].as_str().is_some_and(|it| it.len() == 17), "{active}");
        let arguments =
            json!({ "sprint_id": active["id"].to_string(), "fields": ["summary", "sprint"], "limit": 5 });
        let issues = call(&client, "jira_get_sprint_issues", arguments).await;
        assert_eq!(issues["issues"].as_array().map(Vec::len), Some(5), "{issues}");
        let arguments = json!({ "board_id": 1, "jql": "issuetype = Bug ORDER BY created", "fields": "summary,type", "limit": 3 });
        let bugs = call(
            &client,
            "jira_get_board_issues",
            json!({ "board_id": "1", "jql": arguments["jql"], "fields": arguments["fields"], "limit": 3 }),
        )
        .await;
        assert!(
            bugs["issues"].as_array().is_some_and(|it| it.iter().all(|it| it["type"] == "Bug")),
            "{bugs}"
        );
        assert!(bugs["total"].as_u64().is_some_and(|it| it > 3) && bugs["next_page_token"] == "3", "{bugs}");
        let text = refused(&client, "jira_get_board_issues", json!({ "board_id": "999", "jql": "" })).await;
        assert!(text.contains("The requested board cannot be viewed"), "{text}");
        let text = refused(&client, "jira_get_sprints_from_board", json!({ "board_id": "3" })).await;
        assert!(text.contains("The board does not support sprints"), "{text}");
        let text = refused(&client, "jira_get_sprint_issues", json!({ "sprint_id": "4711" })).await;
        assert!(text.contains("The sprint does not exist"), "{text}");
        let text = refused(&client, "jira_get_agile_boards", json!({ "project_key": "NOPE" })).await;
        assert!(text.contains("No project could be found"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_sprint_is_made_changed_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let before = sprints(&world);
        let arguments = json!({
            "board_id": "1", "name": "One more", "start_date": "2026-12-14", "end_date": "2026-12-24T12:00:00Z", "goal": "Peace.",
        });
        let mut preview = arguments.clone();
        preview["preview"] = json!(true);
        call(&client, "jira_create_sprint", preview).await;
        assert_eq!(sprints(&world), before, "a preview writes nothing");
        let made = call(&client, "jira_create_sprint", arguments).await;
        let id = made["result"]["sprint_id"].to_string();
        let with_it = sprints(&world);
        assert_eq!(with_it.last().expect("a sprint")[1], "One more");
        for arguments in [
            json!({ "sprint_id": id, "name": "Another name", "goal": "", "start_date": "2026-12-15" }),
            json!({ "sprint_id": sprint(&client, "future").await["id"].to_string(), "end_date": "2026-12-31", "start_date": "2026-12-01" }),
        ] {
            let changed = call(&client, "jira_update_sprint", arguments).await;
            assert_eq!(changed["warnings"], Value::Null, "{changed}");
            assert_ne!(sprints(&world), with_it);
            call(&client, "atlassian_undo", json!({ "undo": changed["undo"] })).await;
            assert_eq!(sprints(&world), with_it);
        }
        let changed = call(&client, "jira_update_sprint", json!({ "sprint_id": id, "goal": "War." })).await;
        call(&client, "jira_update_sprint", json!({ "sprint_id": id, "goal": "Nothing." })).await;
        let text = refused(&client, "atlassian_undo", json!({ "undo": changed["undo"] })).await;
        assert!(text.contains("`goal` was changed since"), "{text}");
        call(&client, "atlassian_undo", json!({ "undo": made["undo"] })).await;
        assert_eq!(sprints(&world), before);
        let text = refused(&client, "jira_create_sprint", json!({ "board_id": "3", "name": "x" })).await;
        assert!(text.contains("The board does not support sprints"), "{text}");
        let closed = sprint(&client, "closed").await["id"].to_string();
        let text = refused(&client, "jira_update_sprint", json!({ "sprint_id": closed, "name": "x" })).await;
        assert!(text.contains("closed"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_sprint_that_is_closed_says_that_it_does_not_open_again() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let active = sprint(&client, "active").await["id"].to_string();
        let closed =
            call(&client, "jira_update_sprint", json!({ "sprint_id": active, "state": "closed" })).await;
        assert_eq!(closed["undo"], Value::Null);
        assert!(closed["warnings"].to_string().contains("does not open again"), "{closed}");
        let next = sprint(&client, "future").await["id"].to_string();
        let arguments = json!({ "sprint_id": next, "state": "active", "start_date": "2026-11-30", "end_date": "2026-12-11" });
        call(&client, "jira_update_sprint", arguments).await;
        let states: Vec<_> = sprints(&world).iter().map(|it| it[2].clone()).collect();
        assert_eq!(
            states.iter().filter(|it| **it == "active").count(),
            2,
            "one of each scrum board: {states:?}"
        );
        world.assert_contract();
    }
}

#[tokio::test]
async fn issues_move_between_sprints_and_the_backlog_and_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let before = places(&world);
        let (active, future) = (sprint(&client, "active").await, sprint(&client, "future").await);
        let in_active = call(
            &client,
            "jira_get_sprint_issues",
            json!({ "sprint_id": active["id"].to_string(), "fields": "summary,type", "limit": 100 }),
        )
        .await;
        let mut some: Vec<String> = in_active["issues"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|it| it["type"] != "Sub-task")
            .filter_map(|it| it["key"].as_str().map(ToOwned::to_owned))
            .collect();
        // More than one request takes, from the active sprint and from the backlog.
        let backlog = call(&client, "jira_search", json!({ "jql": "project = SHOP AND sprint is EMPTY AND issuetype in (Task, Story, Bug)", "limit": 60, "fields": "summary" })).await;
        some.extend(
            backlog["issues"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|it| it["key"].as_str().map(ToOwned::to_owned)),
        );
        assert!(some.len() > 50, "{}", some.len());
        let moved = call(
            &client,
            "jira_add_issues_to_sprint",
            json!({ "sprint_id": future["id"].to_string(), "issue_keys": some }),
        )
        .await;
        assert_eq!(moved["changes"].as_array().map(Vec::len), Some(some.len()));
        assert_eq!(moved["changes"][0]["old"], active["name"]);
        assert_ne!(places(&world), before);
        call(&client, "atlassian_undo", json!({ "undo": moved["undo"] })).await;
        assert_eq!(places(&world), before);
        let first = &some[0];
        let out = call(&client, "jira_move_issues_to_backlog", json!({ "issue_keys": first })).await;
        assert_eq!(out["changes"][0]["new"], "backlog", "{out}");
        assert_ne!(places(&world), before);
        call(&client, "atlassian_undo", json!({ "undo": out["undo"] })).await;
        assert_eq!(places(&world), before);
        let out = call(&client, "jira_move_issues_to_backlog", json!({ "issue_keys": first })).await;
        call(
            &client,
            "jira_add_issues_to_sprint",
            json!({ "sprint_id": future["id"].to_string(), "issue_keys": first }),
        )
        .await;
        let text = refused(&client, "atlassian_undo", json!({ "undo": out["undo"] })).await;
        assert!(text.contains(&format!("the sprint of {first} was changed since")), "{text}");
        let text = refused(
            &client,
            "jira_add_issues_to_sprint",
            json!({ "sprint_id": future["id"].to_string(), "issue_keys": "SHOP-99999" }),
        )
        .await;
        assert!(text.contains("SHOP-99999") || text.contains("does not exist"), "{text}");
        let closed = sprint(&client, "closed").await["id"].to_string();
        let text = refused(
            &client,
            "jira_add_issues_to_sprint",
            json!({ "sprint_id": closed, "issue_keys": first }),
        )
        .await;
        assert!(text.contains("open or active sprints"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn issues_are_ranked_and_come_back_to_their_places() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let order = |world: &World| {
            let sql = "SELECT key FROM issue WHERE key LIKE 'SHOP-%' ORDER BY rank";
            world.store.run(0, |work| work.all(sql, [], |row| row.get::<_, String>(0))).expect("SQL")
        };
        let before = order(&world);
        let (a, b, c, last) = (&before[0], &before[1], &before[7], before.last().expect("an issue"));
        for arguments in [
            json!({ "issue_keys": [c, a], "rank_after_issue": before[20] }),
            json!({ "issue_keys": [last], "rank_before_issue": a }),
            json!({ "issue_keys": [a, b], "rank_after_issue": last }),
        ] {
            let named: Vec<String> = arguments["issue_keys"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|it| it.as_str().map(ToOwned::to_owned))
                .collect();
            let ranked = call(&client, "jira_rank_issues", arguments.clone()).await;
            let now = order(&world);
            let at = now.iter().position(|it| *it == named[0]).expect("the first one");
            assert_eq!(now[at..at + named.len()], named, "{arguments}");
            call(&client, "atlassian_undo", json!({ "undo": ranked["undo"] })).await;
            assert_eq!(order(&world), before, "{arguments}");
        }
        let between = json!({ "issue_keys": [a], "rank_after_issue": before[20] });
        for (moved, pair) in [(a, format!("{a} and {}", before[21])), (b, format!("{b} and {}", before[20]))]
        {
            let ranked = call(&client, "jira_rank_issues", between.clone()).await;
            assert_eq!(ranked["warnings"], Value::Null, "{ranked}");
            // The issue itself, or the one that it was beside.
            let again = json!({ "issue_keys": [moved], "rank_after_issue": last });
            let again = call(&client, "jira_rank_issues", again).await;
            let now = order(&world);
            let text = refused(&client, "atlassian_undo", json!({ "undo": ranked["undo"] })).await;
            assert!(text.contains(&format!("the order of {pair} was changed since")), "{text}");
            assert_eq!(order(&world), now);
            call(&client, "atlassian_undo", json!({ "undo": again["undo"] })).await;
            call(&client, "atlassian_undo", json!({ "undo": ranked["undo"] })).await;
            assert_eq!(order(&world), before);
        }
        let text =
            refused(&client, "jira_rank_issues", json!({ "issue_keys": [a], "rank_before_issue": a })).await;
        assert!(text.contains("before or after itself"), "{text}");
        let text = refused(&client, "jira_rank_issues", json!({ "issue_keys": [a] })).await;
        assert!(text.contains("expected one of"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_site_that_shows_no_ranks_is_told_before_a_change_of_the_order() {
    let world = World::new(plainwire_site::Deployment::Cloud).await;
    let sql = "UPDATE field SET custom = 'com.example:order' WHERE id = 'customfield_10019'";
    world.store.run(0, |work| work.run(sql, [])).expect("SQL");
    let client = world.client().await;
    let arguments = json!({ "issue_keys": ["SHOP-1"], "rank_after_issue": "SHOP-2", "preview": true });
    let shown = call(&client, "jira_rank_issues", arguments).await;
    assert!(shown["warnings"].to_string().contains("does not see later changes of the order"), "{shown}");
}

#[tokio::test]
async fn a_server_for_some_projects_shows_no_board_of_others() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let server = plainwire_atlassian::Atlassian {
            projects: vec!["PAY".to_owned()],
            choice: plainwire_atlassian::Choice { toolsets: vec!["all".to_owned()], ..Default::default() },
            ..plainwire_atlassian::Atlassian::new(world.settings())
        };
        let client = plainwire::testing::client(server.server().expect("a server")).await.expect("a client");
        let boards = call(&client, "jira_get_agile_boards", json!({})).await;
        assert_eq!(boards["boards"].as_array().map(Vec::len), Some(1), "{boards}");
        let shop = &keys(&world, "key LIKE 'SHOP-%'")[0];
        let stored = all_stored(&world, shop);
        for (tool, arguments) in [
            ("jira_get_board_issues", json!({ "board_id": "1", "jql": "" })),
            ("jira_get_sprints_from_board", json!({ "board_id": "1" })),
            ("jira_get_sprint_issues", json!({ "sprint_id": "1" })),
            ("jira_update_sprint", json!({ "sprint_id": "7", "name": "x" })),
            ("jira_move_issues_to_backlog", json!({ "issue_keys": [shop] })),
            ("jira_rank_issues", json!({ "issue_keys": [shop], "rank_after_issue": shop })),
            ("jira_get_service_desk_queues", json!({ "service_desk_id": "1" })),
            ("jira_get_issue_dates", json!({ "issue_key": shop })),
            ("jira_get_project_epic_hierarchy", json!({ "project_key": "SHOP" })),
        ] {
            let text = refused(&client, tool, arguments).await;
            assert!(text.contains("that this server may touch"), "{tool}: {text}");
        }
        assert_eq!(all_stored(&world, shop), stored);
        world.assert_contract();
    }
}
