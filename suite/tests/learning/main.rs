//! The learning server: its tools in both eras and both profiles, pages that misbehave, imports, and
//! the process.

mod imports;
mod pages;
mod process;
mod site;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use plainwire::client::http::address_guard::Permission;
use plainwire::model::CallToolResult;
use plainwire::testing::in_each_era;
use plainwire::{Client, Result, Server};
use plainwire_learning::{Learning, Profile};
use serde_json::Value;

/// Returns the path of a vault that no other test has.
fn scratch() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("learning");
    let folder = folder.join(format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst)));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder.join("vault.db")
}

/// Returns a server that reads pages on this machine, where the sites of tests are.
fn server(profile: Profile) -> Server {
    let learning = Learning { profile, private_pages: Permission::Granted, ..Learning::new(scratch()) };
    learning.server().expect("a server")
}

/// Runs `check` with a client in each era and in each profile, each with a vault of its own.
async fn everywhere(check: impl AsyncFn(Client, Profile) -> Result<()>) {
    for profile in [Profile::Gated, Profile::Data] {
        let checked = in_each_era(|| server(profile), Client::builder(), async |it| check(it, profile).await);
        checked.await.expect("no error");
    }
}

/// Returns the structured content.
fn value(result: &CallToolResult) -> Value {
    let json = result.structured_content.as_ref().expect("structured content");
    serde_json::from_str(json.get()).expect("JSON")
}

fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|it| it.as_text()).collect::<Vec<_>>().join("\n")
}

fn ids(value: &Value) -> Vec<&str> {
    let all = value["resources"].as_array().expect("resources");
    let id = |it: &'_ Value| it["id"].as_str().or(it["resource"]["id"].as_str()).map(str::len);
    assert!(all.iter().all(|it| id(it).is_some()), "{value}");
    all.iter().filter_map(|it| it["id"].as_str().or(it["resource"]["id"].as_str())).collect()
}
