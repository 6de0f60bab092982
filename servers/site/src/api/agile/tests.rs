//! Boards, sprints, epics and ranks on a filled site: board 1 is that of SHOP with the sprints 1 to 8, board
//! 3 is a kanban board.

use serde_json::{Value as Json, json};

use crate::api::world::{World, on, on_both, texts};
use crate::field::custom;
use crate::issue;
use crate::work::Deployment;

const NONE: &Json = &Json::Null;

fn keys(world: &World<'_>, address: &str) -> Vec<String> {
    texts(&world.get("demo", address)["issues"], "/key")
}

fn sprints(world: &World<'_>, key: &str) -> Vec<i64> {
    let id = issue::find(world.work, key).expect("a search").expect("an issue");
    issue::get(world.work, id).expect("an issue").refs_of(custom::SPRINT).to_vec()
}

/// Two issues of the backlog of SHOP.
fn two(world: &World<'_>) -> [String; 2] {
    let mut found = keys(world, "/rest/agile/1.0/board/1/backlog?maxResults=2").into_iter();
    [found.next().expect("an issue"), found.next().expect("another issue")]
}

#[test]
fn boards_are_filtered_by_name_type_and_project() {
    on_both(|world| {
        for (query, expected) in [
            ("", vec!["1", "2", "3"]),
            ("?type=kanban", vec!["3"]),
            ("?type=scrum,kanban&name=BOARD", vec!["1", "2"]),
            ("?projectKeyOrId=SHOP", vec!["1"]),
            ("?startAt=1&maxResults=1", vec!["2"]),
        ] {
            let page = world.get("demo", &format!("/rest/agile/1.0/board{query}"));
            assert_eq!(texts(&page["values"], "/id"), expected, "{query}");
        }
        let page = world.get("demo", "/rest/agile/1.0/board?startAt=1&maxResults=1");
        assert_eq!((&page["total"], &page["isLast"]), (&json!(3), &json!(false)));
        assert_eq!(world.fault("demo", "GET", "/rest/agile/1.0/board?projectKeyOrId=NOPE", NONE).0, 400);
    });
}

#[test]
fn a_board_says_where_it_is_on_cloud_only() {
    on_both(|world| {
        let board = world.get("demo", "/rest/agile/1.0/board/1");
        assert_eq!(board["self"], "http://site.test/rest/agile/1.0/board/1");
        assert_eq!(board["type"], "scrum");
        let location = board.pointer("/location/projectKey");
        assert_eq!(location, world.work.is_cloud().then_some(&json!("SHOP")));
        let (status, message) = world.fault("demo", "GET", "/rest/agile/1.0/board/99", NONE);
        assert!(status == 404 && message.starts_with("The requested board cannot be viewed"), "{message}");
    });
}

#[test]
fn the_columns_of_a_board_have_all_statuses_of_its_project() {
    on_both(|world| {
        let value = world.get("demo", "/rest/agile/1.0/board/1/configuration");
        assert_eq!(texts(&value["columnConfig"]["columns"], "/name"), ["To Do", "In Progress", "Done"]);
        for column in value["columnConfig"]["columns"].as_array().expect("columns") {
            assert_ne!(column["statuses"], json!([]));
        }
        assert_eq!(value["ranking"]["rankCustomFieldId"], 10019);
        assert_eq!(value["estimation"]["field"]["fieldId"], custom::STORY_POINTS);
    });
}

#[test]
fn sprints_are_listed_closed_ones_first_and_by_state() {
    on_both(|world| {
        let states = |query: &str| {
            let page = world.get("demo", &format!("/rest/agile/1.0/board/1/sprint{query}"));
            texts(&page["values"], "/state")
        };
        assert_eq!(states("")[5..], ["closed", "active", "future"]);
        assert_eq!(states("?state=active,future"), ["active", "future"]);
        assert_eq!(world.fault("demo", "GET", "/rest/agile/1.0/board/1/sprint?state=open", NONE).0, 400);
        let kanban = world.fault("demo", "GET", "/rest/agile/1.0/board/3/sprint", NONE);
        assert_eq!(kanban, (400, "The board does not support sprints".to_owned()));
    });
}

#[test]
fn the_backlog_has_what_is_open_and_in_no_open_sprint() {
    on_both(|world| {
        let backlog = world
            .get("demo", "/rest/agile/1.0/board/1/backlog?maxResults=1000&fields=status,sprint,issuetype");
        let issues = backlog["issues"].as_array().expect("issues");
        assert_eq!(backlog["total"], issues.len());
        assert!(!issues.is_empty());
        for it in issues {
            assert_ne!(it["fields"]["status"]["statusCategory"]["key"], "done");
            assert_eq!(it["fields"]["sprint"], Json::Null);
        }
        let active = keys(world, "/rest/agile/1.0/sprint/7/issue?maxResults=1000");
        let backlog = texts(&backlog["issues"], "/key");
        assert!(!active.is_empty() && active.iter().all(|it| !backlog.contains(it)));
    });
}

#[test]
fn scrum_boards_have_no_epics_among_their_issues_and_ranks_give_the_order() {
    on_both(|world| {
        let page = world
            .get("demo", "/rest/agile/1.0/board/1/issue?maxResults=1000&fields=issuetype,customfield_10019");
        assert!(texts(&page["issues"], "/fields/issuetype/name").iter().all(|it| it != "Epic"));
        assert!(texts(&page["issues"], "/fields/customfield_10019").is_sorted());
        let epics = world.get("demo", "/rest/agile/1.0/board/1/epic");
        assert_ne!(epics["total"], 0);
        let done = world.get("demo", "/rest/agile/1.0/board/1/epic?done=true");
        assert!(texts(&done["values"], "/done").iter().all(|it| it == "true"));
    });
}

#[test]
fn the_own_query_restricts_and_orders() {
    on_both(|world| {
        let all = world.get("demo", "/rest/agile/1.0/board/1/issue?maxResults=0")["total"].clone();
        let address = "/rest/agile/1.0/board/1/issue?maxResults=1000&jql=issuetype+%3D+Bug+OR+issuetype+%3D+Task+ORDER+BY+key+DESC";
        let some = world.get("demo", address);
        assert!(some["total"].as_u64() < all.as_u64());
        let numbers: Vec<i64> = texts(&some["issues"], "/key")
            .iter()
            .map(|it| it["SHOP-".len()..].parse().expect("a number"))
            .collect();
        assert!(numbers.is_sorted_by(|a, b| a > b));
        let (status, message) =
            world.fault("demo", "GET", "/rest/agile/1.0/board/1/issue?jql=issuetype+%3D", NONE);
        assert!(status == 400 && message.contains("JQL"), "{message}");
    });
}

#[test]
fn an_issue_shows_its_sprints_its_epic_and_its_flag() {
    on_both(|world| {
        let key =
            keys(world, "/rest/agile/1.0/sprint/7/issue?jql=issuetype+NOT+IN+subTaskIssueTypes()")[0].clone();
        let issue = world.get("demo", &format!("/rest/agile/1.0/issue/{key}"));
        assert_eq!(issue["fields"]["sprint"]["id"], 7);
        assert_eq!(issue["fields"]["sprint"]["self"], "http://site.test/rest/agile/1.0/sprint/7");
        assert!(issue["fields"]["flagged"].is_boolean());
        assert!(issue["fields"]["closedSprints"].is_array());
        assert!(issue["fields"].get("epic").is_some());
        let one = world.get("demo", &format!("/rest/agile/1.0/issue/{key}?fields=summary"));
        assert_eq!(one["fields"].as_object().expect("fields").len(), 1);
    });
}

#[test]
fn a_sprint_is_made_started_and_closed_in_this_order_only() {
    on_both(|world| {
        let new = json!({ "name": "  Extra  ", "originBoardId": 1, "goal": "More" });
        let sprint = world.json("demo", "POST", "/rest/agile/1.0/sprint", &new);
        assert_eq!((&sprint["name"], &sprint["state"]), (&json!("Extra"), &json!("future")));
        let at = format!("/rest/agile/1.0/sprint/{}", sprint["id"]);
        let state = |state: &str| json!({ "state": state });
        let refused = |body: Json, part: &str| {
            let (status, message) = world.fault("demo", "POST", &at, &body);
            assert!(status == 400 && message.contains(part), "{message}");
        };
        refused(state("closed"), "from 'future' to 'closed'");
        refused(state("active"), "start date and end date");
        let dates =
            json!({ "startDate": "2026-11-27T09:00:00.000+01:00", "endDate": "2026-12-11T09:00:00Z" });
        let dated = world.json("demo", "POST", &at, &dates);
        assert_eq!(dated["startDate"], "2026-11-27T08:00:00.000Z");
        assert_eq!(dated["goal"], "More");
        refused(state("active"), "the board has an active sprint");
        refused(json!({ "endDate": "2026-11-01T09:00:00Z" }), "after its start date");
        world.json("demo", "POST", "/rest/agile/1.0/sprint/7", &state("closed"));
        assert_eq!(world.json("demo", "POST", &at, &state("active"))["state"], "active");
        refused(state("future"), "from 'active' to 'future'");
        let closed = world.json("demo", "POST", &at, &state("closed"));
        assert_eq!(closed["completeDate"], "2026-11-27T12:00:00.000Z");
        refused(json!({ "name": "Late" }), "closed");
    });
}

#[test]
fn a_full_update_empties_what_it_does_not_name() {
    on_both(|world| {
        let body = json!({ "name": "Next", "state": "future" });
        let sprint = world.json("demo", "PUT", "/rest/agile/1.0/sprint/8", &body);
        assert_eq!((&sprint["name"], &sprint["goal"]), (&json!("Next"), &json!("")));
        let (status, message) =
            world.fault("demo", "PUT", "/rest/agile/1.0/sprint/8", &json!({ "name": "Next" }));
        assert!(status == 400 && message.contains("state"), "{message}");
        let body = json!({ "completeDate": "2026-11-27T09:00:00Z" });
        assert_eq!(world.fault("demo", "POST", "/rest/agile/1.0/sprint/8", &body).0, 400);
    });
}

#[test]
fn sprints_are_managed_only_with_the_permission() {
    on_both(|world| {
        let body = json!({ "name": "Mine", "originBoardId": 1 });
        world
            .work
            .run("DELETE FROM permission WHERE name = 'MANAGE_SPRINTS_PERMISSION'", [])
            .expect("a change");
        assert_eq!(world.fault("demo", "POST", "/rest/agile/1.0/sprint", &body).0, 403);
        assert_eq!(world.fault("demo", "DELETE", "/rest/agile/1.0/sprint/8", NONE).0, 403);
        assert_eq!(world.fault("customer", "GET", "/rest/agile/1.0/sprint/8", NONE).0, 404);
    });
}

#[test]
fn an_issue_leaves_its_open_sprint_and_keeps_the_closed_ones() {
    on_both(|world| {
        let [key, _] = two(world);
        let closed: Vec<i64> = sprints(world, &key);
        let issues = json!({ "issues": [key] });
        world.done("demo", "POST", "/rest/agile/1.0/sprint/7/issue", &issues);
        world.done("demo", "POST", "/rest/agile/1.0/sprint/8/issue", &issues);
        let mut expected = closed.clone();
        expected.push(8);
        assert_eq!(sprints(world, &key), expected);
        let sql = "SELECT i.field, i.to_text FROM change_item i JOIN change_group g ON g.id = i.group_id
            JOIN issue s ON s.id = g.issue_id WHERE s.key = ?1 ORDER BY g.id DESC LIMIT 1";
        let item: Option<(String, String)> =
            world.work.one(sql, [&key], |row| Ok((row.get(0)?, row.get(1)?))).expect("an item");
        let (field, to) = item.expect("an item");
        assert!(field == "Sprint" && to.ends_with("SHOP Sprint 28"), "{field} {to}");
        world.done("demo", "POST", "/rest/agile/1.0/backlog/issue", &issues);
        assert_eq!(sprints(world, &key), closed);
    });
}

#[test]
fn what_cannot_be_moved_is_refused() {
    on_both(|world| {
        let [key, _] = two(world);
        let refused = |address: &str, body: &Json, part: &str| {
            let (status, message) = world.fault("demo", "POST", address, body);
            assert!(status == 400 && message.contains(part), "{message}");
        };
        refused("/rest/agile/1.0/sprint/1/issue", &json!({ "issues": [key] }), "open or active sprints");
        refused("/rest/agile/1.0/sprint/8/issue", &json!({ "issues": [] }), "At least one issue");
        refused("/rest/agile/1.0/sprint/8/issue", &json!({ "issues": vec![key.as_str(); 51] }), "is 50");
        refused("/rest/agile/1.0/backlog/issue", &json!({ "issues": ["SHOP-99999"] }), "does not exist");
    });
}

#[test]
fn issues_of_a_deleted_sprint_are_in_the_backlog() {
    on_both(|world| {
        let [key, _] = two(world);
        let before = sprints(world, &key);
        world.done("demo", "POST", "/rest/agile/1.0/sprint/8/issue", &json!({ "issues": [key] }));
        world.done("demo", "DELETE", "/rest/agile/1.0/sprint/8", NONE);
        assert_eq!(sprints(world, &key), before);
        assert_eq!(world.fault("demo", "GET", "/rest/agile/1.0/sprint/8", NONE).0, 404);
    });
    on(Deployment::DataCenter, |world| {
        let (status, message) = world.fault("demo", "DELETE", "/rest/agile/1.0/sprint/7", NONE);
        assert!(status == 400 && message.contains("active"), "{message}");
    });
}

#[test]
fn issues_move_into_an_epic_and_out_of_it() {
    on_both(|world| {
        let [one, other] = two(world);
        let epic = world.get("demo", "/rest/agile/1.0/board/1/epic?done=false")["values"][0].clone();
        let at = format!("/rest/agile/1.0/epic/{}/issue", epic["key"].as_str().expect("a key"));
        let issues = json!({ "issues": [one, other] });
        world.done("demo", "POST", &at, &issues);
        let inside = keys(world, &format!("{at}?maxResults=1000"));
        assert!(inside.contains(&one) && inside.contains(&other));
        let shown = world.get("demo", &format!("/rest/agile/1.0/issue/{one}?fields=epic"));
        assert_eq!(shown["fields"]["epic"], epic);
        world.done("demo", "POST", "/rest/agile/1.0/epic/none/issue", &issues);
        let outside = keys(world, &format!("/rest/agile/1.0/epic/none/issue?jql=key+IN+({one},{other})"));
        assert_eq!(outside.len(), 2);
        let (status, message) = world.fault("demo", "GET", &format!("/rest/agile/1.0/epic/{one}"), NONE);
        assert!(status == 404 && message.contains("epic"), "{message}");
    });
}

#[test]
fn ranked_issues_keep_their_order_beside_the_other_one() {
    on_both(|world| {
        let address = "/rest/agile/1.0/board/1/backlog?maxResults=6";
        let before = keys(world, address);
        let rank = |body: Json| world.done("demo", "PUT", "/rest/agile/1.0/issue/rank", &body);
        rank(json!({ "issues": [before[4], before[3]], "rankBeforeIssue": before[0] }));
        assert_eq!(keys(world, address)[..3], [before[4].clone(), before[3].clone(), before[0].clone()]);
        rank(
            json!({ "issues": [before[4], before[3]], "rankAfterIssue": before[1], "rankCustomFieldId": 10019 }),
        );
        assert_eq!(keys(world, address)[1..4], [before[1].clone(), before[4].clone(), before[3].clone()]);
        let body = json!({ "issues": [before[0]] });
        assert_eq!(world.fault("demo", "PUT", "/rest/agile/1.0/issue/rank", &body).0, 400);
    });
}
