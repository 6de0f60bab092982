//! A sign-in by OAuth at the stand-in site, which is its own identity provider: from the page to the calls of the server, in processes of
//! their own. The test is the browser.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::{env, fs};

use plainwire::Client;
use plainwire_atlassian::rest::Url;
use plainwire_site::{Deployment, Settings, Tap};
use plainwire_suite::binary;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::support::{BOTH, World, call, refused, tried};

const CLOUD_ID: &str = "11223344-a1b2-4c33-8d44-1234567890ab";
const SECRET: &str = "app-s3cr3t-9271";

/// A user with a home folder, and a site.
struct Person {
    home: TempDir,
    world: World,
    /// The requests to the site, as `POST /oauth/token`.
    asked: Arc<Mutex<Vec<String>>>,
}

/// The outcome of a command.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Person {
    async fn new(deployment: Deployment) -> Self {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&asked);
        let tap = Tap::new(move |it| {
            let path = it.target.split('?').next().unwrap_or_default();
            seen.lock().expect("no panic").push(format!("{} {path}", it.method));
        });
        let world = World::with(Settings { deployment, tap: Some(tap), ..Settings::default() }).await;
        let person = Self { home: tempfile::tempdir().expect("a folder"), world, asked };
        person.set(&[]);
        person
    }

    /// Writes the settings file of the user, with more values on top.
    fn set(&self, more: &[(&str, &str)]) {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
        let (url, redirect) = (&self.world.url, format!("http://localhost:{}/callback", free.port()));
        let deployment = self.world.deployment.name();
        let mut values = json!({
            "jira_url": url, "jira_deployment": deployment, "atlassian_gateway_url": url, "atlassian_authorization_url": url,
            "atlassian_oauth_client_id": "app", "atlassian_oauth_client_secret": SECRET, "atlassian_oauth_redirect_uri": redirect,
        });
        for (name, value) in more {
            values[*name] = json!(value);
        }
        let folder = self.home.path().join(".config/plainwire");
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("atlassian.json");
        fs::write(&file, values.to_string()).expect("a file");
        private(&file);
    }

    /// Returns a command with no variables but these, and no keychain.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = binary::command();
        let path = binary::search_path();
        command.args(words).env_clear().env("PATH", path).env("HOME", self.home.path());
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all").stdin(Stdio::null());
        // For Windows, which has no sockets without it.
        if let Some(root) = env::var_os("SystemRoot") {
            command.env("SystemRoot", root);
        }
        command
    }

    fn run(&self, words: &[&str]) -> Ran {
        let output = self.command(words).output().expect("the command runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// Signs in, and decides so on the page.
    fn login(&self, decision: &str, words: &[&str]) -> Ran {
        let mut command = self.command(&[&["atlassian", "login", "--no-browser"], words].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let stderr = browse(&mut child, decision);
        let mut stdout = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("UTF-8");
        Ran { code: child.wait().expect("an end").code(), stdout, stderr }
    }

    /// Returns a client of a server in a process of its own, with the sign-in of this user.
    async fn server(&self) -> Client {
        Client::connect(self.command(&["serve", "atlassian", "--toolsets", "all"])).await.expect("a server")
    }

    fn doctor(&self) -> (Option<i32>, BTreeMap<String, Value>, Value) {
        let ran = self.run(&["atlassian", "doctor", "--json"]);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        let checks = report["checks"].as_array().expect("checks").iter();
        let named = checks.map(|it| (it["name"].as_str().expect("a name").to_owned(), it.clone()));
        (ran.code, named.collect(), report)
    }

    fn count(&self, request: &str) -> usize {
        self.asked.lock().expect("no panic").iter().filter(|it| *it == request).count()
    }

    /// Returns the number of requests for tokens.
    fn tokens(&self) -> usize {
        self.count(match self.world.deployment {
            Deployment::Cloud => "POST /oauth/token",
            Deployment::DataCenter => "POST /rest/oauth2/latest/token",
        })
    }

    /// Changes what the site knows of tokens.
    fn sql(&self, sql: &str) {
        assert!(self.world.store.run(0, |work| work.run(sql, [])).expect("SQL") > 0, "{sql}");
    }

    /// Ends all access tokens, which the server does not hear of.
    fn end_access(&self) {
        self.sql("UPDATE token SET expires = 1 WHERE kind = 'access'");
    }

    /// Returns the file of the stored tokens.
    fn stored(&self) -> PathBuf {
        let folder = self.home.path().join(".local/share/plainwire/tokens");
        let mut files = fs::read_dir(folder).expect("a folder").map(|it| it.expect("a file").path());
        let is_tokens = |it: &PathBuf| {
            it.extension().is_none()
                && it.file_name().is_some_and(|it| it.to_string_lossy().starts_with("tokens-"))
        };
        files.find(is_tokens).expect("a file of tokens")
    }
}

#[cfg(unix)]
fn private(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).expect("a mode");
}

#[cfg(not(unix))]
fn private(_: &Path) {}

/// Reads the stderr of a command to its end. Opens the page that it names on the way, and decides there.
fn browse(child: &mut Child, decision: &str) -> String {
    let mut all = String::new();
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    while lines.read_line(&mut all).expect("UTF-8") > 0 {
        let line = all.lines().last().unwrap_or_default();
        if let Some((_, page)) = line.split_once("open this page to sign in: ") {
            decide(&page.parse().expect("an address"), decision);
        }
    }
    all
}

/// Opens the page as a browser does, sends its form, and follows the redirect to the application.
fn decide(page: &Url, decision: &str) {
    let (status, _, body) = send("GET", page, "");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("<code>app</code>"), "{body}");
    let form = format!("{}&decision={decision}", page.query().expect("parameters"));
    let mut action = page.clone();
    action.set_query(None);
    let (status, back, body) = send("POST", &action, &form);
    let back: Url = back.unwrap_or_else(|| panic!("{status} {body}")).parse().expect("an address");
    let (status, _, body) = send("GET", &back, "");
    assert_eq!(status, 200, "{body}");
}

/// Sends a request, and returns the status, the `Location` and the body of the answer.
fn send(method: &str, url: &Url, form: &str) -> (u16, Option<String>, String) {
    let (host, port) = (url.host_str().expect("a host"), url.port().expect("a port"));
    let mut stream = TcpStream::connect((host, port)).expect("a server");
    let target = url.query().map_or_else(|| url.path().to_owned(), |it| format!("{}?{it}", url.path()));
    let head = format!(
        "{method} {target} HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
        form.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status");
    let location = head.lines().find_map(|it| {
        let (name, value) = it.split_once(": ")?;
        name.eq_ignore_ascii_case("location").then(|| value.to_owned())
    });
    (status, location, body.to_owned())
}

const ISSUE: &str = "jira_get_issue";

fn shop() -> Value {
    json!({ "issue_key": "SHOP-1", "fields": "summary" })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_serves_calls_until_the_user_signs_out() {
    for deployment in BOTH {
        let person = Person::new(deployment).await;
        let ran = person.login("allow-demo", &[]);
        let name = ran.stdout.lines().next().unwrap_or_default();
        assert!(
            ran.code == Some(0) && name == format!("signed in at {} as Dana Moreau", person.world.url),
            "{ran:?}"
        );
        assert!(ran.stdout.ends_with("min, renewed automatically\n"), "{ran:?}");
        let scopes = match deployment {
            Deployment::Cloud => "  scopes    offline_access read:jira-user read:jira-work write:jira-work\n",
            Deployment::DataCenter => "  scopes    WRITE\n",
        };
        assert!(ran.stdout.contains(scopes), "{ran:?}");
        assert_eq!(ran.stdout.contains(CLOUD_ID), deployment == Deployment::Cloud);

        let client = person.server().await;
        assert_eq!(call(&client, ISSUE, shop()).await["key"], "SHOP-1");
        let gateway = person.count(&format!("GET /ex/jira/{CLOUD_ID}/rest/api/3/issue/SHOP-1"));
        assert_eq!(
            gateway > 0,
            deployment == Deployment::Cloud,
            "Cloud takes such tokens at the gateway only"
        );
        // Nobody is asked twice.
        let again = person.run(&["atlassian", "login", "--json", "--no-browser"]);
        let value: Value = serde_json::from_str(&again.stdout).unwrap_or_else(|_| panic!("{again:?}"));
        assert_eq!((&value["user"], &value["renewed"]), (&json!("Dana Moreau"), &json!(true)));

        let out = person.run(&["atlassian", "logout"]);
        assert_eq!(out.stdout, format!("signed out of {}: the tokens are deleted\n", person.world.url));
        let text = refused(&person.server().await, ISSUE, shop()).await;
        assert!(text.contains("run `plainwire atlassian login`"), "{text}");
        let shown = format!("{ran:?}{again:?}{out:?}");
        assert!(!shown.contains(SECRET) && !shown.contains("code="), "{shown}");
        client.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_token_is_renewed_once_for_twenty_calls_of_two_processes() {
    for deployment in BOTH {
        let person = Person::new(deployment).await;
        assert_eq!(person.login("allow-demo", &[]).code, Some(0));
        let clients = [person.server().await, person.server().await];
        for client in &clients {
            call(client, ISSUE, shop()).await;
        }
        let before = person.tokens();
        for round in 1..=2 {
            person.end_access();
            let mut calls = JoinSet::new();
            for n in 0..20 {
                let client = clients[n % 2].clone();
                calls.spawn(async move { tried(&client, ISSUE, shop()).await.is_error });
            }
            assert!(calls.join_all().await.iter().all(|is_error| !is_error));
            assert_eq!(person.tokens(), before + round, "one renewal for both processes");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_about_to_expire_is_renewed_before_a_request() {
    let person = Person::new(Deployment::Cloud).await;
    assert_eq!(person.login("allow-demo", &[]).code, Some(0));
    let file = person.stored();
    let mut stored: Value = serde_json::from_str(&fs::read_to_string(&file).expect("a file")).expect("JSON");
    let first = stored["access"].clone();
    stored["expires"] = json!(stored["expires"].as_u64().expect("a time") - 3_590);
    fs::write(&file, stored.to_string()).expect("written");
    let before = person.tokens();
    call(&person.server().await, ISSUE, shop()).await;
    assert_eq!(person.tokens(), before + 1);
    let stored: Value = serde_json::from_str(&fs::read_to_string(&file).expect("a file")).expect("JSON");
    assert_ne!(stored["access"], first);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_refresh_token_ends_the_grant_and_the_error_says_what_to_do() {
    for deployment in BOTH {
        let person = Person::new(deployment).await;
        assert_eq!(person.login("allow-demo", &[]).code, Some(0));
        let stored: Value =
            serde_json::from_str(&fs::read_to_string(person.stored()).expect("a file")).expect("JSON");
        let client = person.server().await;
        person.end_access();
        call(&client, ISSUE, shop()).await;
        // A thief comes with the refresh token that was just used up.
        let token = match deployment {
            Deployment::Cloud => "/oauth/token",
            Deployment::DataCenter => "/rest/oauth2/latest/token",
        };
        let refresh = stored["refresh"].as_str().expect("a token");
        let url: Url = format!("{}{token}", person.world.url).parse().expect("an address");
        let form = format!("grant_type=refresh_token&client_id=app&client_secret=x&refresh_token={refresh}");
        assert!(send("POST", &url, &form).0 >= 400);
        let expected = format!(
            "nobody is signed in at {}, or the sign-in has ended: run `plainwire atlassian login`",
            person.world.url
        );
        for _ in 0..2 {
            let text = refused(&client, ISSUE, shop()).await;
            assert!(text.contains(&expected) && !text.contains(refresh), "{text}");
        }
        let (code, checks, _) = person.doctor();
        assert_eq!((code, &checks["sign-in"]["found"]), (Some(1), &json!(expected)), "{checks:#?}");
        // The server that runs takes the next sign-in.
        assert_eq!(person.login("allow-demo", &[]).code, Some(0));
        call(&client, ISSUE, shop()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_scope_is_named_and_nothing_is_renewed_for_it() {
    for (deployment, scopes, needed) in [
        (Deployment::Cloud, "read:jira-work read:jira-user", "`write:jira-work`"),
        (Deployment::DataCenter, "READ", "`WRITE`"),
    ] {
        let person = Person::new(deployment).await;
        person.set(&[("atlassian_oauth_scope", scopes)]);
        assert_eq!(person.login("allow-demo", &[]).code, Some(0));
        let client = person.server().await;
        call(&client, ISSUE, shop()).await;
        let before = person.tokens();
        let comment = json!({ "issue_key": "SHOP-1", "body": "Hello" });
        let text = refused(&client, "jira_add_comment", comment).await;
        assert!(text.contains("the token lacks the scope") && text.contains(needed), "{text}");
        assert_eq!(person.tokens(), before);
        let (code, checks, _) = person.doctor();
        let advice = checks["scopes"]["advice"].as_str().unwrap_or_default();
        assert!(code == Some(0) && advice.contains(needed), "{checks:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_knows_the_sign_in_and_finds_another_cloud_id() {
    let person = Person::new(Deployment::Cloud).await;
    let (code, checks, _) = person.doctor();
    assert_eq!((code, &checks["sign-in"]["outcome"]), (Some(1), &json!("FAILED")), "{checks:#?}");
    assert_eq!(person.login("allow-demo", &[]).code, Some(0));
    let (code, checks, report) = person.doctor();
    let found = |name: &str| checks[name]["found"].as_str().unwrap_or_default().to_owned();
    assert_eq!(code, Some(0), "{report:#}");
    assert!(found("sign-in").ends_with("min, and is renewed"), "{report:#}");
    assert_eq!(found("scopes"), "offline_access read:jira-user read:jira-work write:jira-work");
    assert!(found("sites").contains(CLOUD_ID), "{report:#}");
    assert!(!report.to_string().contains(SECRET));
    person.set(&[("jira_cloud_id", "99999999-a1b2-4c33-8d44-1234567890ab")]);
    let (code, checks, report) = person.doctor();
    let found = checks["sites"]["found"].as_str().unwrap_or_default();
    assert!(
        code == Some(1)
            && found.contains("expected a token for the site with the cloud id 9999")
            && found.contains(CLOUD_ID),
        "{report:#}"
    );
    // A sign-in for another site is not kept.
    person.run(&["atlassian", "logout"]);
    let ran = person.login("allow-demo", &[]);
    assert!(
        ran.code == Some(4) && ran.stderr.contains("expected access to the site with the cloud id 9999"),
        "{ran:?}"
    );
    assert!(person.run(&["atlassian", "logout"]).stdout.starts_with("you were not signed in"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_refuses_and_settings_that_lack_something_are_told() {
    let person = Person::new(Deployment::DataCenter).await;
    let ran = person.login("deny", &[]);
    assert!(ran.code == Some(4) && ran.stderr.contains("access_denied"), "{ran:?}");
    person.set(&[("atlassian_oauth_client_id", "")]);
    let ran = person.run(&["atlassian", "login", "--no-browser"]);
    assert!(
        ran.code == Some(2) && ran.stderr.contains("JIRA_OAUTH_CLIENT_ID: expected the id of your app"),
        "{ran:?}"
    );
    person.set(&[("atlassian_oauth_redirect_uri", "http://example.com/callback")]);
    let ran = person.run(&["atlassian", "login", "--no-browser"]);
    assert!(ran.code != Some(0) && ran.stderr.contains("expected a redirect URI such as"), "{ran:?}");
    person.set(&[("jira_oauth_access_token", "x")]);
    let ran = person.run(&["atlassian", "login", "--no-browser"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("expected no JIRA_OAUTH_ACCESS_TOKEN"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_of_the_keychain_stands_in_the_settings_by_its_name() {
    let person = Person::new(Deployment::DataCenter).await;
    let keep = |secret: &str| {
        let mut command = person.command(&["atlassian", "secret", "work/jira"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("a pipe").write_all(secret.as_bytes()).expect("written");
        let output = child.wait_with_output().expect("an end");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let settings = [("jira_personal_token", "keychain:work/jira"), ("jira_auth_type", "pat")];
    person.set(&settings);
    let ran = person.run(&["atlassian", "doctor"]);
    assert!(
        ran.code == Some(2) && ran.stderr.contains("in the keychain by the name \"work/jira\""),
        "{ran:?}"
    );
    let kept = keep("demo-token\n");
    assert!(kept.starts_with("the secret work/jira is kept") && !kept.contains("demo-token"), "{kept}");
    let (code, _, report) = person.doctor();
    assert_eq!(code, Some(0), "{report:#}");
    let row = json!({ "name": "JIRA_PERSONAL_TOKEN", "value": "set: work/jira of the keychain", "source": "in the file" });
    assert!(report["settings"].as_array().expect("rows").contains(&row), "{report:#}");
    assert!(!report.to_string().contains("demo-token"));
    call(&person.server().await, ISSUE, shop()).await;
    assert_eq!(person.run(&["atlassian", "secret", "work/jira", "--remove"]).code, Some(0));
    assert_eq!(person.run(&["atlassian", "doctor"]).code, Some(2));
}
