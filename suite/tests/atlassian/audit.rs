//! The audit: a line for each change, with what became of it.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::Client;
use plainwire::audit::Audit;
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_site::Deployment;
use serde_json::{Value, json};

use crate::support::{BOTH, call, not_begun, refused};
use crate::trouble::Trouble;

/// The audit of a server, in memory.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// Returns the lines since the last time.
    fn taken(&self) -> Vec<Value> {
        let bytes = std::mem::take(&mut *self.0.lock().expect("no panic"));
        let text = String::from_utf8(bytes).expect("text");
        text.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect()
    }

    /// Returns the outcomes in the lines since the last time.
    fn outcomes(&self) -> Vec<String> {
        self.taken().iter().map(|it| it["outcome"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// Returns a client of a server with all tools, and the audit of the server.
async fn audited(site: &Trouble) -> (Client, Lines) {
    let lines = Lines::default();
    let choice = Choice { toolsets: vec!["all".to_owned()], ..Choice::default() };
    let server = Atlassian { choice, audit: Audit::to(lines.clone()), ..Atlassian::new(site.settings()) };
    let client = plainwire::testing::client(server.server().expect("a server")).await.expect("a client");
    (client, lines)
}

/// The call that changes the summary of an issue.
fn renamed(summary: &str) -> Value {
    json!({ "issue_key": "SHOP-1", "fields": { "summary": summary } })
}

#[tokio::test]
async fn a_change_and_its_undo_leave_a_line_each_and_a_preview_none() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let (client, lines) = audited(&site).await;
        let mut preview = renamed("Another");
        preview["preview"] = json!(true);
        let shown = call(&client, "jira_update_issue", preview).await;
        let old = shown["changes"][0]["old"].clone();
        assert!(old.is_string() && lines.taken().is_empty(), "{shown}");

        let made = call(&client, "jira_update_issue", renamed("Another")).await;
        call(&client, "atlassian_undo", json!({ "undo": made["undo"] })).await;
        let lines = lines.taken();
        for (line, tool, before, after) in [
            (&lines[0], "jira_update_issue", &old, &json!("Another")),
            (&lines[1], "atlassian_undo", &json!("Another"), &old),
        ] {
            assert_eq!(
                json!([line["tool"], line["target"], line["outcome"], line["before"], line["after"]]),
                json!([tool, "SHOP-1", "done", { "summary": before }, { "summary": after }])
            );
            assert!(line["request"].is_string() && line["time"].is_string(), "{line}");
        }
        assert_eq!(lines.len(), 2, "{lines:#?}");
    }
}

#[tokio::test]
async fn a_line_says_whether_a_change_was_made_or_failed_or_that_nobody_knows() {
    let site = Trouble::new(Deployment::Cloud).await;
    let (client, lines) = audited(&site).await;
    for (kind, after, expected) in [
        ("conflict", false, "failed"),
        ("rate-limit-zero", false, "failed"),
        ("captcha", false, "failed"),
        ("broken", false, "unknown"),
        ("unavailable", true, "unknown"),
        ("login-page", false, "unknown"),
        ("cut-off", true, "unknown"),
        ("reset", true, "unknown"),
    ] {
        site.fault(
            json!({ "path": "/issue/SHOP-1", "method": "PUT", "kind": kind, "after": after, "times": 100 }),
        )
        .await;
        refused(&client, "jira_update_issue", renamed(kind)).await;
        site.left().await;
        assert_eq!(lines.outcomes(), [expected], "{kind}");
    }
}

#[tokio::test]
async fn a_change_of_two_requests_of_which_one_was_carried_out_is_told_as_partly_made() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let (client, lines) = audited(&site).await;
        site.fault(json!({ "path": "/transitions", "method": "POST", "kind": "conflict" })).await;
        let key = not_begun(&site.world);
        let both = json!({ "issue_key": key, "fields": { "summary": "Another", "status": "In Progress" } });
        let text = refused(&client, "jira_update_issue", both).await;
        assert!(text.contains("1 of 2 requests were carried out"), "{text}");
        assert_eq!(lines.outcomes(), ["partly"]);
    }
}

#[tokio::test]
async fn a_change_whose_call_is_cancelled_has_a_line() {
    let site = Trouble::new(Deployment::Cloud).await;
    let (client, lines) = audited(&site).await;
    let drip = json!({ "path": "/issue/SHOP-1", "method": "PUT", "kind": "slow-drip", "after": true });
    site.fault(drip).await;
    site.cancelled(client.call_tool("jira_update_issue", renamed("Another"))).await;
    // The server hears of it soon after.
    let told = async {
        loop {
            match lines.outcomes() {
                none if none.is_empty() => tokio::time::sleep(Duration::from_millis(10)).await,
                outcomes => return outcomes,
            }
        }
    };
    let outcomes = tokio::time::timeout(Duration::from_secs(20), told).await.expect("a line");
    assert_eq!(outcomes, ["unknown"]);
}
