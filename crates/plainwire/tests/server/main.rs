//! The server over a pair of streams: declarations, calls and results, and the questions and reports of
//! handlers.

mod apps;
mod asking;
mod backpressure;
mod bad_input;
mod calls;
mod cancellation;
mod catalog_changes;
#[path = "../support/collected_logs.rs"]
mod collected_logs;
mod completions;
mod declarations;
mod keep_alive;
mod layers;
mod log_messages;
mod mounting;
mod pages;
mod panics;
mod presentation;
mod progress;
#[path = "../support/raw_client.rs"]
mod raw_client;
mod results;
mod revisions;
mod schemas;
mod subscriptions;
mod turns;
#[cfg(feature = "validate")]
mod validate;

use plainwire::prelude::*;

/// The variable of resource templates and the argument of prompts in several of these files.
#[derive(Deserialize, JsonSchema)]
struct Item {
    /// Which one.
    id: String,
}
