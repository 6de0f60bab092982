//! The testing tools of this crate, used on a server and a client of this crate.

mod contracts;
mod faults;
mod snapshots;
mod transcripts;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use plainwire::Client;
use plainwire::client::ClientBuilder;
use plainwire::model::{ElicitResult, Elicitation};
use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use serde_json::json;

/// Time after which a wait fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

const ERAS: [EraChoice; 2] = [EraChoice::Legacy, EraChoice::Modern];

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// First addend.
    a: f64,
    /// Second addend.
    b: f64,
}

async fn greet(ctx: Context) -> Result<String, ToolError> {
    let name: String = ctx.elicit("name", "Who are you?").await?.accepted()?;
    Ok(format!("Hello, {name}!"))
}

fn server() -> Server {
    Server::new("kit")
        .page_size(1)
        .tool(Tool::new("add", |it: Add| async move { it.a + it.b }).description("Adds."))
        .tool(Tool::new("greet", greet))
}

fn client(era: EraChoice) -> ClientBuilder {
    let ada = async |_: Elicitation| ElicitResult::accept(json!({ "value": "Ada" }));
    Client::builder().era(era).on_elicit(ada)
}

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
