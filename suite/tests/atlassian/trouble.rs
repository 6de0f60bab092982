//! A site with troubles: faults on demand, a log of its requests, and a writer beside ours.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::Client;
use plainwire::audit::Audit;
use plainwire_atlassian::rest::SiteSettings;
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_site::{Deployment, Exchange, Settings, Tap};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{World, table};

type Hook = Box<dyn FnMut(&Exchange<'_>) + Send>;

/// A site that fails when it is told to.
pub(crate) struct Trouble {
    pub(crate) world: World,
    log: Arc<Mutex<Vec<String>>>,
    hook: Arc<Mutex<Option<Hook>>>,
}

impl Trouble {
    pub(crate) async fn new(deployment: Deployment) -> Self {
        Self::with(Settings { deployment, ..Settings::default() }).await
    }

    pub(crate) async fn with(settings: Settings) -> Self {
        let log = Arc::<Mutex<Vec<String>>>::default();
        let hook = Arc::<Mutex<Option<Hook>>>::default();
        let (logged, hooked) = (Arc::clone(&log), Arc::clone(&hook));
        let tap = Tap::new(move |exchange| {
            let line = format!("{} {} {}", exchange.method, exchange.target, exchange.status);
            logged.lock().expect("no panic").push(line);
            if let Some(hook) = &mut *hooked.lock().expect("no panic") {
                hook(exchange);
            }
        });
        let world = World::with(Settings { faults: true, tap: Some(tap), ..settings }).await;
        Self { world, log, hook }
    }

    /// Calls a function after each request from now on, before its answer is sent.
    pub(crate) fn after_each(&self, hook: impl FnMut(&Exchange<'_>) + Send + 'static) {
        *self.hook.lock().expect("no panic") = Some(Box::new(hook));
    }

    /// Returns the number of requests that were carried out, whose line has a text.
    pub(crate) fn asked(&self, text: &str) -> usize {
        self.log.lock().expect("no panic").iter().filter(|it| it.contains(text)).count()
    }

    /// Makes the next requests fail.
    pub(crate) async fn fault(&self, fault: Value) {
        let (status, text) = self.faults("POST", &fault.to_string()).await;
        assert_eq!(status, "204", "{text}");
    }

    /// Returns how often faults have still to come.
    async fn waiting(&self) -> u64 {
        let (_, text) = self.faults("GET", "").await;
        let all: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        all.iter().filter_map(|it| it["times"].as_u64()).sum()
    }

    /// Returns how often faults have still to come, and forgets them.
    pub(crate) async fn left(&self) -> u64 {
        let left = self.waiting().await;
        self.faults("DELETE", "").await;
        left
    }

    /// Drops a call that never ends, once it has met the fault that waits.
    pub(crate) async fn cancelled<T>(&self, call: impl IntoFuture<Output = T>) {
        let mut call = std::pin::pin!(call.into_future());
        while self.waiting().await > 0 {
            let over = tokio::time::timeout(Duration::from_millis(50), &mut call).await;
            assert!(over.is_err(), "the call ended");
        }
        // Its request is carried out by now, or never.
        assert!(tokio::time::timeout(Duration::from_millis(200), &mut call).await.is_err(), "the call ended");
    }

    async fn faults(&self, method: &str, body: &str) -> (String, String) {
        let address = self.world.url.trim_start_matches("http://").split('/').next().expect("an address");
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let length = body.len();
        let request = format!(
            "{method} /_plainwire/faults HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.expect("a site that reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        let (head, text) = answer.split_once("\r\n\r\n").expect("a head");
        (head.split(' ').nth(1).expect("a status").to_owned(), text.to_owned())
    }

    /// Returns settings with short waits.
    pub(crate) fn settings(&self) -> SiteSettings {
        let mut settings = self.world.settings();
        settings.backoff = Duration::from_millis(5);
        settings
    }

    /// Returns a client of a server with all tools and short waits.
    pub(crate) async fn client(&self) -> Client {
        client_of(self.settings()).await
    }

    /// Returns a number that SQL finds in the database of the site.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        number(&self.world, sql)
    }
}

/// Returns a number that SQL finds in the database of the site.
pub(crate) fn number(world: &World, sql: &str) -> i64 {
    table(world, sql)[0][0].parse().expect("a number")
}

/// Returns all that the site has stored: a line for each row. Text that is the same in each run stays the same.
pub(crate) fn dump(world: &World) -> Vec<String> {
    let names = table(
        world,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'words%' ORDER BY name",
    );
    let rows = names.iter().flat_map(|name| {
        let rows = table(world, &format!("SELECT * FROM \"{}\"", name[0]));
        rows.into_iter().map(|row| format!("{}: {}", name[0], row.join("|"))).collect::<Vec<_>>()
    });
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    rows
}

/// Returns a client of a server with all tools.
pub(crate) async fn client_of(settings: SiteSettings) -> Client {
    client_with(Atlassian::new(settings)).await
}

/// Returns a client of a server with all tools, and with the other settings of `server`.
pub(crate) async fn client_with(server: Atlassian) -> Client {
    let choice = Choice { toolsets: vec!["all".to_owned()], ..server.choice };
    let server = Atlassian { choice, audit: Audit::off(), ..server };
    plainwire::testing::client(server.server().expect("a server")).await.expect("a client")
}

/// Asserts that a text has all of these parts.
#[track_caller]
pub(crate) fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "expected {part:?} in {text}");
    }
}
