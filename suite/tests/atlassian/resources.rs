//! Resources: what they have, what is suggested for their variables, and who hears of changes.

use std::collections::BTreeSet;
use std::time::Duration;

use plainwire::Client;
use plainwire::client::Change;
use plainwire::model::{CompleteRequest, SubscriptionFilter};
use plainwire_atlassian::Atlassian;
use plainwire_atlassian::rest::{Request, Site};
use plainwire_site::{Deployment, issue};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{BOTH, World, call, keys, table, value};

async fn read(client: &Client, uri: &str) -> Value {
    let read = client.read_resource(uri).await.unwrap_or_else(|error| panic!("{uri}: {error}"));
    serde_json::from_str(read.contents[0].as_text().expect("text")).expect("JSON")
}

async fn refused(client: &Client, uri: &str) -> String {
    match client.read_resource(uri).await {
        Ok(read) => panic!("{uri}: {:?}", read.contents),
        Err(error) => error.to_string(),
    }
}

async fn suggested(client: &Client, template: &str, variable: &str, text: &str) -> Vec<String> {
    client.complete(&CompleteRequest::resource(template, variable, text)).await.expect("suggestions").values
}

/// Returns a client of a server that is limited to projects, and asks for changes very often.
async fn limited(world: &World, projects: &[&str]) -> Client {
    let projects = projects.iter().map(|it| (*it).to_owned()).collect();
    let server =
        Atlassian { projects, watch_every: Duration::from_millis(50), ..Atlassian::new(world.settings()) };
    plainwire::testing::client(server.server().expect("a server")).await.expect("a client")
}

/// Changes an issue without the server under test.
async fn change(world: &World, key: &str, summary: &str) {
    let version = if world.deployment == Deployment::Cloud { "3" } else { "2" };
    let body = json!({ "fields": { "summary": summary } });
    let request = Request::put(["rest", "api", version, "issue", key]).json(&body);
    let answer = Site::new(world.settings()).expect("a site").send(request).await;
    answer.unwrap_or_else(|error| panic!("{}", error.message()));
}

async fn listen(client: &Client, uris: &[&str]) -> plainwire::client::Listen {
    let resource_subscriptions = uris.iter().map(|it| (*it).to_owned()).collect();
    let changes =
        client.listen(SubscriptionFilter { resource_subscriptions, ..SubscriptionFilter::default() }).await;
    changes.expect("a subscription")
}

#[tokio::test]
async fn issues_projects_sprints_and_searches_are_read() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let key = &keys(&world, "key LIKE 'SHOP-%'")[0];
        let issue = read(&client, &format!("jira://issues/{key}")).await;
        assert_eq!(issue, read(&client, &format!("jira://{key}")).await);
        let arguments =
            json!({ "issue_key": key, "comment_limit": 20, "include": ["links", "subtasks", "attachments"] });
        assert_eq!(issue, call(&client, "jira_get_issue", arguments).await);
        assert_eq!(issue["kind"], "jiraIssue:v1");

        let project = read(&client, "jira://projects/SHOP").await;
        assert_eq!(project["key"], "SHOP");
        for list in ["issue_types", "components", "open_versions"] {
            assert!(project[list].as_array().is_some_and(|it| !it.is_empty()), "{list}: {project}");
        }

        let board = read(&client, "jira://boards/1/sprint").await;
        assert_eq!(board["board"]["name"], "SHOP board");
        let sprint = &board["sprints"][0];
        assert_eq!(sprint["state"], "active");
        let issues = sprint["issues"].as_array().expect("issues");
        let counted: u64 = ["to_do", "in_progress", "done"]
            .iter()
            .filter_map(|it| sprint["progress"][it]["issues"].as_u64())
            .sum();
        assert_eq!(counted, issues.len() as u64, "{sprint}");
        assert!(!issues.is_empty() && issues.iter().all(|it| it["status"].is_string()), "{sprint}");
        assert!(sprint["progress"]["done"]["points"].is_number(), "{}", sprint["progress"]);

        let found = read(
            &client,
            "jira://search/project%20%3D%20SHOP%20AND%20issuetype%20%3D%20Bug%20ORDER%20BY%20key",
        )
        .await;
        let bugs = found["issues"].as_array().expect("issues");
        assert!(!bugs.is_empty() && bugs.iter().all(|it| it["type"] == "Bug"), "{found}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn what_is_not_there_is_told_in_the_words_of_jira() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let text = refused(&client, "jira://issues/SHOP-99999").await;
        assert!(text.contains("Issue does not exist or you do not have permission to see it"), "{text}");
        let text = refused(&client, "jira://nothing").await;
        assert!(text.contains("expected the key of an issue such as SHOP-1"), "{text}");
        let text = refused(&client, "jira://projects/NOPE").await;
        assert!(text.contains("No project could be found with key 'NOPE'"), "{text}");
        let text = refused(&client, "jira://boards/3/sprint").await;
        assert!(text.contains("The board does not support sprints"), "{text}");
        let text = refused(&client, "jira://search/projct%20%3D%20SHOP").await;
        assert!(text.contains("Field 'projct' does not exist"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn keys_and_ids_are_suggested() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let recent = suggested(&client, "jira://issues/{key}", "key", "").await;
        assert!(recent.len() > 10, "{recent:?}");
        assert_eq!(suggested(&client, "jira://{key}", "key", "shop-1").await[0], "SHOP-1");
        assert_eq!(suggested(&client, "jira://projects/{key}", "key", "sho").await[0], "SHOP");
        assert_eq!(suggested(&client, "jira://boards/{board_id}/sprint", "board_id", "till").await, ["2"]);
        assert_eq!(
            suggested(&client, "jira://boards/{board_id}/sprint", "board_id", "").await,
            ["1", "2", "3"]
        );
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_limit_to_projects_holds_for_resources_and_suggestions() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = limited(&world, &["PAY"]).await;
        let (own, other) = (&keys(&world, "key LIKE 'PAY-%'")[0], &keys(&world, "key LIKE 'SHOP-%'")[0]);
        assert_eq!(read(&client, &format!("jira://issues/{own}")).await["key"], own.as_str());
        for uri in [
            &format!("jira://issues/{other}"),
            &format!("jira://{other}"),
            "jira://projects/SHOP",
            "jira://boards/1/sprint",
        ] {
            let text = refused(&client, uri).await;
            assert!(
                text.contains("not in a project that this server may touch")
                    || text.contains("not of a project that this server may touch"),
                "{uri}: {text}"
            );
        }
        let found = read(&client, "jira://search/project%20%3D%20SHOP%20OR%20project%20%3D%20PAY").await;
        let issues = found["issues"].as_array().expect("issues");
        assert!(
            !issues.is_empty()
                && issues.iter().all(|it| it["key"].as_str().is_some_and(|it| it.starts_with("PAY-"))),
            "{found}"
        );
        let recent = suggested(&client, "jira://{key}", "key", "").await;
        assert!(!recent.is_empty() && recent.iter().all(|it| it.starts_with("PAY-")), "{recent:?}");
        assert!(suggested(&client, "jira://{key}", "key", other).await.iter().all(|it| it != other));
        assert_eq!(suggested(&client, "jira://projects/{key}", "key", "").await, ["PAY"]);
        assert_eq!(suggested(&client, "jira://boards/{board_id}/sprint", "board_id", "").await, ["3"]);
        // The same project by its former key.
        let client = limited(&world, &["BILL"]).await;
        assert_eq!(suggested(&client, "jira://{key}", "key", own).await[0], own.as_str());
        assert!(suggested(&client, "jira://{key}", "key", other).await.iter().all(|it| it != other));
        world.assert_contract();
    }
}

/// Returns the next resource that a client hears of.
async fn next(changes: &mut plainwire::client::Listen) -> String {
    match timeout(Duration::from_secs(20), changes.next()).await.expect("a change in time") {
        Some(Change::Resource(uri)) => uri,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_change_between_the_subscription_and_the_first_look_is_heard() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        // Its second look would come after a minute.
        let client = world.client().await;
        change(&world, "SHOP-2", "Changed before the server looks").await;
        let mut changes = listen(&client, &["jira://issues/SHOP-1", "jira://issues/SHOP-2"]).await;
        assert_eq!(next(&mut changes).await, "jira://issues/SHOP-2");
        let more = timeout(Duration::from_millis(300), changes.next()).await;
        assert!(more.is_err(), "an issue that nobody changed: {more:?}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn subscribers_of_a_former_key_hear_of_the_issue_where_it_is_now() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = limited(&world, &[]).await;
        let moved = world.store.run(0, |work| {
            let issue = issue::find(work, "SHOP-5")?.expect("an issue");
            issue::move_to(work, issue, 10001, 10100)
        });
        moved.expect("a move");
        let sql =
            "SELECT i.key FROM former_issue_key f JOIN issue i ON i.id = f.issue_id WHERE f.key = 'SHOP-5'";
        let now = table(&world, sql)[0][0].clone();
        // Beside another one, so that one request asks for both.
        let mut changes = listen(&client, &["jira://issues/SHOP-1", "jira://issues/SHOP-5"]).await;
        for round in 0..3 {
            change(&world, &now, &format!("Changed {round} after its move")).await;
            assert_eq!(next(&mut changes).await, "jira://issues/SHOP-5");
        }
        world.assert_contract();
    }
}

#[tokio::test]
async fn subscribers_hear_of_changes_behind_the_back_of_the_server() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = limited(&world, &[]).await;
        // One that is not there does not keep the others from being watched.
        let uris = ["jira://issues/SHOP-1", "jira://issues/SHOP-2", "jira://issues/SHOP-99999"];
        let mut changes = listen(&client, &uris).await;
        for round in 0..3 {
            change(&world, "SHOP-2", &format!("Changed {round}")).await;
            assert_eq!(next(&mut changes).await, "jira://issues/SHOP-2");
        }
        world.assert_contract();
    }
}

#[tokio::test]
async fn subscribers_hear_of_changes_by_tools_at_once() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        // A server that asks for changes every minute.
        let client = world.client().await;
        let mut changes = listen(&client, &["jira://issues/SHOP-1", "jira://SHOP-1"]).await;
        let arguments = json!({ "issue_key": "SHOP-1", "fields": { "summary": "Another" } });
        let changed = client.call_tool("jira_update_issue", arguments).await.expect("a result");
        assert_eq!(value(&changed)["key"], "SHOP-1");
        // The first look at the issue may tell the same change once more.
        let mut heard = BTreeSet::new();
        while heard.len() < 2 {
            heard.insert(next(&mut changes).await);
        }
        assert_eq!(heard.into_iter().collect::<Vec<_>>(), ["jira://SHOP-1", "jira://issues/SHOP-1"]);
        world.assert_contract();
    }
}
