//! A site that is served: its settings, the people who may sign in, and the address.
//!
//! In: [`Settings`] and a listener. Out: a [`Site`] that answers requests until it is told to stop.

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::Router;
use jiff::civil::Date;
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::net::TcpListener;

use crate::api::Table;
use crate::clock::Clock;
use crate::fault::Fault;
use crate::http::{Faults, Hosts, Shared, Tap, answer};
use crate::identity::CLOUD_ID;
use crate::runtime;
use crate::seed;
use crate::store::Store;
use crate::time;
use crate::work::Deployment;

/// The settings of a site.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The file of the site. Without one, it is in memory only.
    pub data: Option<PathBuf>,
    /// The kind of the site.
    pub deployment: Deployment,
    /// The number from which the company is made.
    pub seed: u64,
    /// The day that counts as today. By default, that of the machine.
    pub today: Option<Date>,
    /// Whether requests may ask for faults.
    pub faults: bool,
    /// The path of the product at its address, such as `/jira`. Empty by default.
    pub context: String,
    /// Whether the demo user has the token that everybody knows. Without it, each account gets a random one.
    pub demo_token: bool,
    /// Names, other than those of this machine, by which requests may call the site while it listens on loopback.
    pub hosts: Vec<String>,
    /// A function that sees each request and its answer.
    pub tap: Option<Tap>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            data: None,
            deployment: Deployment::Cloud,
            seed: 1,
            today: None,
            faults: false,
            context: String::new(),
            demo_token: true,
            hosts: Vec::new(),
            tap: None,
        }
    }
}

/// A site that can't be opened or served, with a sentence that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable(pub String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

/// An account that may sign in.
pub use seed::Account;

/// A site that is open.
pub struct Site {
    shared: Shared,
    settings: Settings,
    accounts: Vec<Account>,
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Site {
    /// Opens a site, and fills it if it is new. This may take seconds; `progress` is called with the steps done and all steps.
    ///
    /// # Errors
    /// A file that is no site, is newer, locked, or of the other deployment. It is left as it is.
    pub fn open(settings: Settings, progress: &mut dyn FnMut(usize, usize)) -> Result<Self, Unusable> {
        if !settings.context.is_empty()
            && (!settings.context.starts_with('/') || settings.context.ends_with('/'))
        {
            let found = &settings.context;
            return Err(Unusable(format!("expected a context path such as /jira, but found {found:?}")));
        }
        let name =
            || settings.data.as_ref().map_or_else(|| "memory".to_owned(), |it| it.display().to_string());
        let (store, is_new) = Store::open(settings.data.as_deref(), settings.deployment)
            .map_err(|error| Unusable(format!("{}: {error}", name())))?;
        let clock = Clock::new(settings.today);
        if is_new {
            let today = settings.today.unwrap_or_else(|| time::day(clock.now()));
            seed::fill(&store, settings.seed, today, progress).map_err(|fault| unusable(&fault))?;
        }
        let mut accounts = seed::accounts();
        if !settings.demo_token {
            replace_tokens(&store, clock.now(), &mut accounts)?;
        }
        let shared = Shared {
            store,
            table: Table::new(settings.deployment),
            clock,
            context: settings.context.clone(),
            cloud_id: CLOUD_ID.to_owned(),
            hosts: Hosts::Local(settings.hosts.iter().map(|it| it.to_ascii_lowercase()).collect()),
            faults: settings.faults.then(Faults::default),
            tap: settings.tap.clone(),
            requests: AtomicU64::new(1),
        };
        Ok(Self { shared, settings, accounts })
    }

    /// Opens a site as [`Self::open`] does, on a thread for work that blocks.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub async fn open_aside(settings: Settings) -> Result<Self, Unusable> {
        let opened = runtime::blocking(move || Self::open(settings, &mut |_, _| {})).await;
        opened.unwrap_or_else(|_| Err(Unusable("the site could not be filled".to_owned())))
    }

    /// Returns the accounts that may sign in, with their tokens: the demo user first.
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// Returns the id of the site for the gateway of Cloud.
    pub fn cloud_id(&self) -> &str {
        &self.shared.cloud_id
    }

    /// Returns the database.
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// Serves the site until `stop` is ready; requests that run then are answered first.
    ///
    /// # Errors
    /// An address beyond this machine while the demo user has the token that everybody knows; an error of the listener.
    pub async fn serve(
        mut self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), Unusable> {
        let address = listener.local_addr().map_err(|error| Unusable(error.to_string()))?;
        self.check(address)?;
        if !address.ip().is_loopback() {
            self.shared.hosts = Hosts::Any;
        }
        let router = Router::new().fallback(answer).with_state(Arc::new(self.shared));
        let served = axum::serve(listener, router).with_graceful_shutdown(stop).await;
        served.map_err(|error| Unusable(format!("the site at {address} ended: {error}")))
    }

    fn check(&self, address: SocketAddr) -> Result<(), Unusable> {
        if address.ip().is_loopback() || !self.settings.demo_token {
            return Ok(());
        }
        Err(Unusable(format!(
            "expected an address of this machine, such as 127.0.0.1, for a site whose token everybody knows, but found {}",
            address.ip()
        )))
    }
}

fn unusable(fault: &Fault) -> Unusable {
    Unusable(format!("the site can't be filled: {fault}"))
}

/// Gives each account a random token, in the place of the one that everybody knows.
fn replace_tokens(store: &Store, now: i64, accounts: &mut [Account]) -> Result<(), Unusable> {
    for account in accounts.iter_mut() {
        let mut bytes = [0_u8; 24];
        SystemRandom::new()
            .fill(&mut bytes)
            .map_err(|_| Unusable("the system has no random bytes".to_owned()))?;
        account.token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        account.password = None;
    }
    let kept: Vec<(String, String)> =
        accounts.iter().map(|it| (it.email.clone(), crate::identity::hash(&it.token))).collect();
    let replaced = store.run(now, |work| {
        work.run("DELETE FROM token", [])?;
        work.run("UPDATE person SET password = NULL", [])?;
        for (email, hash) in &kept {
            let sql =
                "INSERT INTO token (hash, person_id, kind) SELECT ?1, id, 'any' FROM person WHERE email = ?2";
            work.run(sql, (hash, email))?;
        }
        Ok(())
    });
    replaced.map_err(|fault| unusable(&fault))
}
