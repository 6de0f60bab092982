//! The second act of the demo: an assistant edits one paragraph of a rich text in Jira, and nothing else in it changes.
//!
//! The site is the stand-in site of the program, at a free port of 127.0.0.1, with its small company.

use plainwire::{Client, testing};
use plainwire_atlassian::Atlassian;
use plainwire_atlassian::rest::{Credentials, Deployment, Product, Secret, SiteSettings};
use plainwire_inspect::tokens::Tokenizer;
use plainwire_site::{Settings, Site};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::exit::Failure;
use crate::output;

/// The summary of the issue, and the edit.
const SUMMARY: &str = "Checkout total ignores the gift card when the currency changes";
const WORD: &str = "gift card";
const OTHER_WORD: &str = "gift voucher";

pub(super) async fn play() -> Result<(), Failure> {
    output::line("\n== Jira: one edit of a rich text, through the stand-in site ==")?;
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Failure::runtime)?;
    let address = listener.local_addr().map_err(Failure::runtime)?;
    let settings = Settings { today: "2026-11-27".parse().ok(), ..Settings::default() };
    let site = Site::open_aside(settings).await.map_err(|error| Failure::usage(error.0))?;
    let store = site.store().clone();
    let url =
        format!("http://{address}").parse().map_err(|_| Failure::unreachable("the demo has no address"))?;
    let mut jira = SiteSettings::new(Product::Jira, url);
    jira.deployment = Some(Deployment::Cloud);
    let user = plainwire_site::seed::DEMO_EMAIL.to_owned();
    jira.credentials = Credentials::Basic { user, secret: Secret::new("demo-token") };
    let server = Atlassian::new(jira).server().map_err(|error| Failure::usage(error.0))?.log_level(None);
    let (done, ended) = oneshot::channel::<()>();
    let serving = async {
        let served = site.serve(listener, async { drop(ended.await) }).await;
        served.map_err(|error| Failure::unreachable(&error.0))
    };
    let playing = async {
        let client = testing::client(server).await?;
        let edited = edit(&client, &store).await;
        drop(done);
        edited
    };
    let (served, played) = tokio::join!(serving, playing);
    served?;
    played
}

async fn edit(client: &Client, store: &plainwire_site::store::Store) -> Result<(), Failure> {
    let mut cost = 0;
    let found = call(
        client,
        "jira_search",
        json!({ "jql": format!("summary ~ \"\\\"{SUMMARY}\\\"\""), "fields": "summary" }),
        &mut cost,
    )
    .await?;
    let key = found["issues"][0]["key"].as_str().unwrap_or_default().to_owned();
    let issue =
        call(client, "jira_get_issue", json!({ "issue_key": key, "comment_limit": 0 }), &mut cost).await?;
    let markdown = issue["fields"]["description"].as_str().unwrap_or_default();
    let before = stored(store, &key)?;
    output::line(&format!("\n{key}: {SUMMARY}\nThe description, as the assistant reads and writes it:\n"))?;
    for line in markdown.lines() {
        output::line(&format!("  {line}"))?;
    }
    let edited = markdown.replacen(WORD, OTHER_WORD, 1);
    let arguments = json!({ "issue_key": key, "fields": { "description": edited } });
    let change = call(client, "jira_update_issue", arguments, &mut cost).await?;
    output::line(&format!(
        "\nIt sends all of it back with one word changed. In the document that Jira stores ({} bytes), this is new:\n",
        before.len()
    ))?;
    for (sign, line) in difference(&before, &stored(store, &key)?) {
        output::line(&format!("  {sign} {line}"))?;
    }
    call(client, "atlassian_undo", json!({ "undo": change["undo"] }), &mut cost).await?;
    let is_back = stored(store, &key)? == before;
    let back = if is_back { "each byte is as before" } else { "the document is another one" };
    let about = if Tokenizer::best().is_exact() { "" } else { "about " };
    output::line(&format!(
        "\natlassian_undo takes it back: {back}. The four calls cost a model {about}{}.",
        output::counted(cost, "token")
    ))?;
    Ok(())
}

/// Calls a tool, and counts the tokens of its arguments and its result.
async fn call(client: &Client, tool: &str, arguments: Value, cost: &mut usize) -> Result<Value, Failure> {
    let tokenizer = Tokenizer::best();
    *cost += tokenizer.count(&arguments.to_string());
    let result = client.call_tool(tool, arguments).await?;
    let text = result.content.iter().find_map(|it| it.as_text()).unwrap_or_default();
    *cost += tokenizer.count(text);
    serde_json::from_str(text).map_err(|_| Failure::unreachable(&format!("{tool}: {text}")))
}

/// Returns the description as the site stores it.
fn stored(store: &plainwire_site::store::Store, key: &str) -> Result<String, Failure> {
    let sql = "SELECT v.text FROM value v JOIN issue i ON i.id = v.issue_id WHERE i.key = ?1 AND v.field_id = 'description'";
    let text = store.run(0, |work| work.one(sql, [key], |row| row.get(0)));
    text.ok().flatten().ok_or_else(|| Failure::unreachable("the issue of the demo is not there"))
}

/// Returns the lines of two JSON texts that differ, as they look when each member has its own line.
fn difference(before: &str, after: &str) -> Vec<(char, String)> {
    let lines = |text: &str| -> Vec<String> {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        serde_json::to_string_pretty(&value)
            .unwrap_or_default()
            .lines()
            .map(|it| it.trim().to_owned())
            .collect()
    };
    let (before, after) = (lines(before), lines(after));
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - same;
    let end = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let old = before.get(same..before.len() - end).unwrap_or_default().iter().map(|it| ('-', it.clone()));
    let new = after.get(same..after.len() - end).unwrap_or_default().iter().map(|it| ('+', it.clone()));
    old.chain(new).collect()
}
