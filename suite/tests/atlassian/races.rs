//! Several writers, calls that end early or are repeated, and changes that are taken back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plainwire::audit::Audit;
use plainwire::{Client, Principal};
use plainwire_atlassian::rest::{Credentials, Secret};
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_site::Deployment;
use serde_json::{Value, json};

use crate::support::{BOTH, World, all_stored, call, not_begun, refused, stored};
use crate::trouble::{Trouble, client_of, client_with, has};

/// Returns settings of the same site for another account.
fn other(world: &World, name: &str, token: &str) -> plainwire_atlassian::rest::SiteSettings {
    let mut settings = world.settings();
    let token = Secret::new(token);
    settings.credentials = match world.deployment {
        Deployment::Cloud => Credentials::Basic { user: format!("{name}@plainwire.example"), secret: token },
        Deployment::DataCenter => Credentials::Bearer(token),
    };
    settings
}

#[tokio::test]
async fn a_second_writer_between_our_reading_and_our_writing_is_told() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        call(&client, "jira_get_issue", json!({ "issue_key": "SHOP-1" })).await;
        let (store, is_done) = (site.world.store.clone(), AtomicBool::new(false));
        site.after_each(move |exchange| {
            if exchange.method == "GET" && exchange.target.contains("/issue/SHOP-1?") && !is_done.swap(true, Ordering::Relaxed) {
                // What the API would do for the developer Lena.
                store.run(1_800_000_000_000, |work| {
                    let sql = "UPDATE value SET text = 'By Lena' WHERE field_id = 'summary' AND issue_id = (SELECT id FROM issue WHERE key = 'SHOP-1')";
                    work.run(sql, [])?;
                    let sql = "INSERT INTO change_group (issue_id, author_id, created) SELECT id, 10107, ?1 FROM issue WHERE key = 'SHOP-1'";
                    let group = work.add(sql, [1_800_000_000_000_i64])?;
                    let sql = "INSERT INTO change_item (group_id, position, field, field_type, field_id, from_text, to_text)
                        VALUES (?1, 0, 'summary', 'jira', 'summary', 'what it was', 'By Lena')";
                    work.run(sql, [group]).map(drop)
                }).expect("SQL");
            }
        });
        let change = call(
            &client,
            "jira_update_issue",
            json!({ "issue_key": "SHOP-1", "fields": { "summary": "By us" } }),
        )
        .await;
        assert_eq!(stored(&site.world, "SHOP-1", "summary").as_deref(), Some("By us"));
        has(
            &change["warnings"].to_string(),
            &["was changed by several writers at once", "Lena Fischer", "By Lena", "Dana Moreau"],
        );
    }
}

#[tokio::test]
async fn two_updates_at_once_end_as_one_of_them_and_one_is_told() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let one = site.client().await;
        let two = client_of(other(&site.world, "lena.fischer", "developer-token")).await;
        let update = |text: &str| json!({ "issue_key": "SHOP-1", "fields": { "summary": text } });
        let (a, b) = tokio::join!(
            call(&one, "jira_update_issue", update("By one")),
            call(&two, "jira_update_issue", update("By two"))
        );
        let end = stored(&site.world, "SHOP-1", "summary").expect("a summary");
        assert!(end == "By one" || end == "By two", "{end}");
        // Both read before either wrote, or one after the other: then its preview of the old value says so.
        let told = |it: &Value| {
            it["warnings"].to_string().contains("several writers")
                || it["changes"][0]["old"].to_string().contains("By ")
        };
        assert!(told(&a) || told(&b), "{a} {b}");
    }
}

#[tokio::test]
async fn an_edit_based_on_an_older_description_is_refused_and_says_who_changed_it() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let issue = call(&client, "jira_get_issue", json!({ "issue_key": "SHOP-1" })).await;
        let edit = |text: &str| json!({ "issue_key": "SHOP-1", "fields": { "description": text }, "based_on": issue["description_revision"] });
        let markdown = issue["fields"]["description"].as_str().expect("Markdown");
        let lena = client_of(other(&world, "lena.fischer", "developer-token")).await;
        call(&lena, "jira_update_issue", edit(&format!("{markdown}\n\nBy Lena."))).await;
        let before = all_stored(&world, "SHOP-1");
        for preview in [true, false] {
            let mut arguments = edit(&format!("{markdown}\n\nBy us."));
            arguments["preview"] = json!(preview);
            let text = refused(&client, "jira_update_issue", arguments).await;
            has(
                &text,
                &[
                    "nothing was written",
                    "was changed since you read it by Lena Fischer",
                    "read the issue again",
                ],
            );
        }
        assert_eq!(all_stored(&world, "SHOP-1"), before);
    }
}

#[tokio::test]
async fn a_client_that_cancels_a_write_leaves_it_whole_and_a_repeated_call_makes_nothing_twice() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        let count =
            "SELECT count(*) FROM issue i JOIN value v ON v.issue_id = i.id WHERE v.text = 'Made once'";
        let task = json!({ "project_key": "SHOP", "issue_type": "Task", "summary": "Made once", "idempotency_key": "k1" });
        let path = if deployment == Deployment::Cloud { "/rest/api/3/issue" } else { "/rest/api/2/issue" };
        call(&client, "jira_search_fields", json!({})).await;
        site.fault(json!({ "path": path, "method": "POST", "kind": "slow-drip", "after": true })).await;
        site.cancelled(client.call_tool("jira_create_issue", task.clone())).await;
        assert_eq!(site.number(count), 1, "the site had it already");
        let text = refused(&client, "jira_create_issue", task.clone()).await;
        has(
            &text,
            &[
                "`idempotency_key` \"k1\" is not over, or its end is not known",
                "look whether the issue was made, with jira_search",
            ],
        );
        assert_eq!(site.number(count), 1);
        // A change that was cancelled before the site had it left nothing, and the same call makes it.
        let before = stored(&site.world, "SHOP-1", "summary");
        site.fault(json!({ "path": "/issue/SHOP-1", "method": "PUT", "kind": "slow-drip" })).await;
        let update = json!({ "issue_key": "SHOP-1", "fields": { "summary": "Another", "priority": "Low" } });
        drop(
            tokio::time::timeout(
                Duration::from_millis(1500),
                client.call_tool("jira_update_issue", update.clone()),
            )
            .await,
        );
        assert_eq!((site.left().await, stored(&site.world, "SHOP-1", "summary")), (0, before));
        call(&client, "jira_update_issue", update).await;
        assert_eq!(stored(&site.world, "SHOP-1", "summary").as_deref(), Some("Another"));
    }
}

#[tokio::test]
async fn a_create_whose_answer_is_lost_is_not_made_again_with_its_key() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        let count = "SELECT count(*) FROM value WHERE text = 'Made once'";
        let task = json!({ "project_key": "SHOP", "issue_type": "Task", "summary": "Made once", "idempotency_key": "k" });
        site.fault(json!({ "path": "/issue", "method": "POST", "kind": "reset", "after": true })).await;
        let text = refused(&client, "jira_create_issue", task.clone()).await;
        has(&text, &["it is unknown whether the change was made"]);
        for _ in 0..2 {
            refused(&client, "jira_create_issue", task.clone()).await;
        }
        assert_eq!(site.number(count), 1);
        // A create that surely was not made may be made again with its key; and once made, its result comes again.
        let task = json!({ "project_key": "SHOP", "issue_type": "Task", "summary": "Made once", "idempotency_key": "k2" });
        site.fault(json!({ "path": "/issue", "method": "POST", "kind": "conflict" })).await;
        refused(&client, "jira_create_issue", task.clone()).await;
        let first = call(&client, "jira_create_issue", task.clone()).await;
        let second = call(&client, "jira_create_issue", task.clone()).await;
        assert_eq!((&first["key"], site.number(count)), (&second["key"], 2));
        let mut others = task;
        others["summary"] = json!("Made twice");
        let text = refused(&client, "jira_create_issue", others).await;
        has(&text, &["expected the arguments that `idempotency_key` \"k2\" was used with"]);
    }
}

#[tokio::test]
async fn a_change_is_taken_back_once_and_not_after_somebody_else_changed_it() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let update = |text: &str| json!({ "issue_key": "SHOP-1", "fields": { "summary": text } });
        let before = all_stored(&world, "SHOP-1");
        let change = call(&client, "jira_update_issue", update("One")).await;
        let undo = json!({ "undo": change["undo"] });
        call(&client, "atlassian_undo", undo.clone()).await;
        assert_eq!(all_stored(&world, "SHOP-1"), before);
        let text = refused(&client, "atlassian_undo", undo).await;
        has(&text, &["this undo handle is unknown, has expired", "once"]);
        let change = call(&client, "jira_update_issue", update("Two")).await;
        let lena = client_of(other(&world, "lena.fischer", "developer-token")).await;
        call(&lena, "jira_update_issue", update("By Lena")).await;
        for preview in [true, false] {
            let text =
                refused(&client, "atlassian_undo", json!({ "undo": change["undo"], "preview": preview }))
                    .await;
            has(
                &text,
                &[
                    "nothing was taken back, because `summary` was changed since by Lena Fischer",
                    "change it yourself",
                ],
            );
        }
        assert_eq!(stored(&world, "SHOP-1", "summary").as_deref(), Some("By Lena"));
    }
}

/// Returns a client that was authenticated by this name.
async fn named(server: Atlassian, name: &str) -> Client {
    let choice = Choice { toolsets: vec!["all".to_owned()], ..Choice::default() };
    let server = Atlassian { choice, audit: Audit::off(), ..server }.server().expect("a server");
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (reader, writer) = tokio::io::split(theirs);
    let principal = Some(Principal { name: name.to_owned() });
    tokio::spawn(async move { server.serve_as(principal, reader, writer).await });
    let (reader, writer) = tokio::io::split(ours);
    Client::builder().streams(reader, writer).await.expect("a client")
}

#[tokio::test]
async fn a_handle_of_another_site_or_account_is_as_good_as_none() {
    for deployment in BOTH {
        let (world, elsewhere) = (World::new(deployment).await, World::new(deployment).await);
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Some(folder.path().join("journal.db"));
        let server =
            |world: &World| Atlassian { journal: journal.clone(), ..Atlassian::new(world.settings()) };
        let ada = named(server(&world), "ada").await;
        let change =
            call(&ada, "jira_update_issue", json!({ "issue_key": "SHOP-1", "fields": { "summary": "One" } }))
                .await;
        let after = all_stored(&world, "SHOP-1");
        let undo = json!({ "undo": change["undo"] });
        for client in [
            named(server(&elsewhere), "ada").await,
            named(server(&world), "eve").await,
            client_with(server(&world)).await,
        ] {
            let text = refused(&client, "atlassian_undo", undo.clone()).await;
            has(&text, &["belongs to another account or site"]);
        }
        assert_eq!(all_stored(&world, "SHOP-1"), after);
        // It outlives the server that made it.
        call(&named(server(&world), "ada").await, "atlassian_undo", undo).await;
        assert_ne!(all_stored(&world, "SHOP-1"), after);
    }
}

#[tokio::test]
async fn a_change_whose_second_step_fails_says_how_far_it_came() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        let key = &not_begun(&site.world);
        site.fault(json!({ "path": "/transitions", "method": "POST", "kind": "conflict" })).await;
        let update = json!({ "issue_key": key, "fields": { "summary": "First", "status": "In Progress" } });
        let text = refused(&client, "jira_update_issue", update).await;
        has(
            &text,
            &[
                "the site refused the change",
                "1 of 2 requests were carried out before",
                "read what is there now",
            ],
        );
        assert_eq!(stored(&site.world, key, "summary").as_deref(), Some("First"));
    }
}
