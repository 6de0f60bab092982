//! A site and a client of the server on it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use plainwire::Client;
use plainwire::audit::Audit;
use plainwire::model::CallToolResult;
use plainwire_atlassian::rest::{Credentials, Product, Secret, SiteSettings};
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_site::{Deployment, Settings, Site, Tap};
use plainwire_suite::openapi::{Contract, Exchange, Verdict};
use rusqlite::types::ValueRef;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Both deployments.
pub(crate) const BOTH: [Deployment; 2] = [Deployment::Cloud, Deployment::DataCenter];

static CLOUD: LazyLock<Option<Contract>> = LazyLock::new(Contract::jira_cloud);
static DATA_CENTER: LazyLock<Option<Contract>> = LazyLock::new(Contract::jira_datacenter);

/// The day that counts as today.
const TODAY: &str = "2026-11-27";

/// A site of each deployment, in files of their own: a company takes seconds to make, and a copy milliseconds.
static FILLED: LazyLock<(TempDir, [PathBuf; 2])> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let files = BOTH.map(|deployment| {
        let data = folder.path().join(deployment.name());
        let today = TODAY.parse().ok();
        let settings = Settings { deployment, today, data: Some(data.clone()), ..Settings::default() };
        // Closing the site puts all of it into its one file.
        drop(Site::open(settings, &mut |_, _| {}).expect("a site"));
        data
    });
    (folder, files)
});

/// Copies the filled site of a deployment into a folder.
fn copy(deployment: Deployment, folder: &Path) -> PathBuf {
    let [cloud, data_center] = &FILLED.1;
    let from = if deployment == Deployment::Cloud { cloud } else { data_center };
    let to = folder.join("site.db");
    std::fs::copy(from, &to).expect("a copy");
    to
}

/// A site that is served, and what was asked of it.
pub(crate) struct World {
    pub(crate) deployment: Deployment,
    pub(crate) url: String,
    pub(crate) store: plainwire_site::store::Store,
    seen: Arc<Mutex<Seen>>,
    _stop: oneshot::Sender<()>,
    /// The folder of the site's file, which goes with the world.
    _folder: TempDir,
}

/// The findings of the judge.
#[derive(Default)]
struct Seen {
    valid: usize,
    unknown: Vec<String>,
    problems: Vec<String>,
}

impl World {
    /// Starts a site.
    pub(crate) async fn new(deployment: Deployment) -> Self {
        Self::with(Settings { deployment, ..Settings::default() }).await
    }

    /// Starts a site with settings.
    pub(crate) async fn with(settings: Settings) -> Self {
        let deployment = settings.deployment;
        let seen = Arc::<Mutex<Seen>>::default();
        let judged = Arc::clone(&seen);
        let other = settings.tap.clone();
        let tap = Tap::new(move |exchange| {
            judge(deployment, exchange, &judged);
            if let Some(other) = &other {
                other.see(exchange);
            }
        });
        let today = Some(settings.today.unwrap_or(TODAY.parse().expect("a day")));
        let context = settings.context.clone();
        let folder = tempfile::tempdir().expect("a folder");
        let data = settings.data.clone().unwrap_or_else(|| copy(deployment, folder.path()));
        let settings = Settings { data: Some(data), tap: Some(tap), today, ..settings };
        let site = Site::open(settings, &mut |_, _| {}).expect("a site");
        let store = site.store().clone();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}{context}", listener.local_addr().expect("an address"));
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::spawn(move || {
            let listener = listener.into_std().expect("a listener");
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                let stop = async move { drop(stopped.await) };
                site.serve(listener, stop).await.expect("the site is served");
            });
        });
        Self { deployment, url, store, seen, _stop: stop, _folder: folder }
    }

    /// Returns the settings of a server for the demo user.
    pub(crate) fn settings(&self) -> SiteSettings {
        let mut settings = SiteSettings::new(Product::Jira, self.url.parse().expect("a URL"));
        settings.deployment = Some(match self.deployment {
            Deployment::Cloud => plainwire_atlassian::rest::Deployment::Cloud,
            Deployment::DataCenter => plainwire_atlassian::rest::Deployment::DataCenter,
        });
        let token = Secret::new("demo-token");
        settings.credentials = match self.deployment {
            Deployment::Cloud => {
                Credentials::Basic { user: "demo@plainwire.example".to_owned(), secret: token }
            }
            Deployment::DataCenter => Credentials::Bearer(token),
        };
        settings
    }

    /// Returns a client of a server with all tools.
    pub(crate) async fn client(&self) -> Client {
        let choice = Choice { toolsets: vec!["all".to_owned()], ..Choice::default() };
        let server = Atlassian { choice, audit: Audit::off(), ..Atlassian::new(self.settings()) };
        plainwire::testing::client(server.server().expect("a server")).await.expect("a client")
    }

    /// Returns a client of a server with all tools that is limited to projects.
    pub(crate) async fn client_within(&self, projects: &[&str]) -> Client {
        let choice = Choice { toolsets: vec!["all".to_owned()], ..Choice::default() };
        let projects = projects.iter().map(|it| (*it).to_owned()).collect();
        let server = Atlassian { choice, projects, audit: Audit::off(), ..Atlassian::new(self.settings()) };
        plainwire::testing::client(server.server().expect("a server")).await.expect("a client")
    }

    /// Asks the site to fail, if its settings allow that.
    pub(crate) async fn fault(&self, fault: Value) {
        let site = plainwire_atlassian::rest::Site::new(self.settings()).expect("a site");
        let request = plainwire_atlassian::rest::Request::post(["_plainwire", "faults"]).json(&fault);
        if let Err(error) = site.send(request).await {
            panic!("{}", error.message());
        }
    }

    /// Asserts that each exchange was as the published documents say.
    pub(crate) fn assert_contract(&self) {
        let seen = self.seen.lock().expect("no panic");
        assert!(seen.problems.is_empty(), "{}", seen.problems.join("\n"));
        if CLOUD.is_none() {
            println!("SKIPPED: the published documents are not present");
        } else {
            println!("{} exchanges were valid; no document has {:?}", seen.valid, seen.unknown);
        }
    }
}

fn judge(deployment: Deployment, exchange: &plainwire_site::Exchange<'_>, seen: &Mutex<Seen>) {
    let contract = match deployment {
        Deployment::Cloud => CLOUD.as_ref(),
        Deployment::DataCenter => DATA_CENTER.as_ref(),
    };
    let Some(contract) = contract else { return };
    let verdict = contract.judge(&Exchange {
        method: exchange.method.to_owned(),
        path_and_query: exchange.target.to_owned(),
        request_content_type: exchange.request_type.map(ToOwned::to_owned),
        request_body: Some(exchange.request.to_vec()).filter(|it| !it.is_empty()),
        status: exchange.status,
        response_content_type: exchange.response_type.map(ToOwned::to_owned),
        response_body: exchange.response.to_vec(),
    });
    let mut seen = seen.lock().expect("no panic");
    let path = exchange.target.split('?').next().unwrap_or_default();
    match verdict {
        Verdict::Valid { .. } => seen.valid += 1,
        Verdict::Unknown => {
            let named = format!("{} {path}", exchange.method);
            if !seen.unknown.contains(&named) {
                seen.unknown.push(named);
            }
        }
        Verdict::Invalid { operation, problems } => {
            let line =
                format!("{} {} ({operation}): {}", exchange.method, exchange.target, problems.join("; "));
            seen.problems.push(line);
        }
    }
}

/// Calls a tool and returns its value. An error of the tool ends the test.
pub(crate) async fn call(client: &Client, tool: &str, arguments: Value) -> Value {
    let result = tried(client, tool, arguments.clone()).await;
    let text: String = result.content.iter().filter_map(|it| it.as_text()).collect();
    assert!(!result.is_error, "{tool} {arguments}: {text}");
    value(&result)
}

/// Calls a tool that fails, and returns the text of its error.
pub(crate) async fn refused(client: &Client, tool: &str, arguments: Value) -> String {
    let result = tried(client, tool, arguments.clone()).await;
    let text: String = result.content.iter().filter_map(|it| it.as_text()).collect();
    assert!(result.is_error, "{tool} {arguments}: {text}");
    text
}

pub(crate) async fn tried(client: &Client, tool: &str, arguments: Value) -> CallToolResult {
    client.call_tool(tool, arguments).await.unwrap_or_else(|error| panic!("{tool}: {error}"))
}

/// Returns the value of a result.
pub(crate) fn value(result: &CallToolResult) -> Value {
    let text = result.structured_content.as_ref().map_or("null", |it| it.get());
    serde_json::from_str(text).expect("JSON")
}

/// Returns the keys of issues of the site, by SQL on its database.
pub(crate) fn keys(world: &World, condition: &str) -> Vec<String> {
    let sql = format!("SELECT key FROM issue i WHERE {condition} ORDER BY id");
    world.store.run(0, |work| work.all(&sql, [], |row| row.get(0))).expect("SQL")
}

/// Returns the key of an issue that can be moved to `In Progress`.
pub(crate) fn not_begun(world: &World) -> String {
    let condition = "project_id = 10000 AND EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id = 'status'
        AND v.ref = (SELECT from_status_id FROM transition WHERE name = 'Start progress' LIMIT 1))";
    keys(world, condition).swap_remove(0)
}

/// Returns the stored text of a field of an issue.
pub(crate) fn stored(world: &World, key: &str, field: &str) -> Option<String> {
    let sql =
        "SELECT v.text FROM value v JOIN issue i ON i.id = v.issue_id WHERE i.key = ?1 AND v.field_id = ?2";
    world.store.run(0, |work| work.one(sql, (key, field), |row| row.get(0))).expect("SQL")
}

/// Returns all stored values of an issue, as text, for a comparison.
pub(crate) fn all_stored(world: &World, key: &str) -> Value {
    let sql = "SELECT v.field_id, v.ref, v.text, v.number FROM value v JOIN issue i ON i.id = v.issue_id
        WHERE i.key = ?1 AND v.field_id NOT IN ('statuscategorychangedate') ORDER BY v.field_id, v.position";
    let rows = world.store.run(0, |work| {
        work.all(sql, [key], |row| {
            Ok(json!([
                row.get::<_, String>(0)?,
                row.get::<_, Option<i64>>(1)?,
                row.get::<_, Option<String>>(2)?,
                row.get::<_, Option<f64>>(3)?
            ]))
        })
    });
    Value::Array(rows.expect("SQL"))
}

/// Returns the rows that SQL finds in the database of the site, as text.
pub(crate) fn table(world: &World, sql: &str) -> Vec<Vec<String>> {
    let rows = world.store.run(0, |work| {
        work.all(sql, [], |row| {
            let mut texts = Vec::new();
            while let Ok(value) = row.get_ref(texts.len()) {
                texts.push(match value {
                    ValueRef::Null => "-".to_owned(),
                    ValueRef::Integer(it) => it.to_string(),
                    ValueRef::Real(it) => it.to_string(),
                    ValueRef::Text(it) | ValueRef::Blob(it) => String::from_utf8_lossy(it).into_owned(),
                });
            }
            Ok(texts)
        })
    });
    rows.expect("SQL")
}

/// Calls a tool that writes: a preview changes nothing, the call changes what `sql` finds, and its undo brings it back. Returns the change
/// and the rows after it.
pub(crate) async fn written(
    world: &World,
    client: &Client,
    tool: &str,
    arguments: Value,
    sql: &str,
) -> (Value, Vec<Vec<String>>) {
    let before = table(world, sql);
    let mut preview = arguments.clone();
    preview["preview"] = json!(true);
    let shown = call(client, tool, preview).await;
    assert_eq!(shown["is_preview"], true, "{tool}");
    assert_eq!(table(world, sql), before, "{tool}: a preview writes nothing");
    let change = call(client, tool, arguments).await;
    assert_eq!(change["changes"], shown["changes"], "{tool}: a preview shows what is done");
    let after = table(world, sql);
    assert_ne!(after, before, "{tool}");
    let undo = change["undo"].as_str().unwrap_or_else(|| panic!("{tool}: no handle in {change}"));
    call(client, "atlassian_undo", json!({ "undo": undo })).await;
    assert_eq!(table(world, sql), before, "{tool}: taken back");
    (change, after)
}
