//! The server for the transcripts about notifications: its lists and resources change, it logs, and it
//! completes arguments.
//!
//! In: nothing. Out: a [`Server`] whose tools cause changes on demand.

use std::time::Duration;

use plainwire::ServerHandle;
use plainwire::model::{CacheHint, CacheScope};
use plainwire::prelude::*;
use plainwire::serde_json::json;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Day {
    /// A day of the week.
    day: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Note {
    /// The URI of a note.
    uri: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Entry {
    kind: Kind,
    /// Its name; that of a resource comes behind `notes://`.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde", rename_all = "lowercase")]
#[schemars(crate = "plainwire::schemars")]
enum Kind {
    Prompt,
    Resource,
    Tool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Review {
    /// A programming language.
    language: String,
    /// A framework in that language.
    framework: String,
}

/// Returns the server with the tools `write`, `learn`, `forget` and `speak`, which cause notifications.
pub fn server() -> Server {
    let mut server = Server::new("touch")
        .version("1.2.3")
        .cache(CacheHint { scope: CacheScope::Public, ttl: Duration::from_secs(60) })
        .logging();
    let (learns, forgets) = (server.handle(), server.handle());
    let learn = move |it: Entry| learn(it, learns.clone());
    let forget = move |it: Entry| forget(it, forgets.clone());
    let server = server
        .tool(Tool::new("write", write).description("Changes a note."))
        .tool(Tool::new("learn", learn).description("Adds a tool, a prompt or a resource."))
        .tool(Tool::new("forget", forget).description("Removes what was added."))
        .tool(Tool::new("speak", speak).description("Logs at every level."));
    server
        .resource(Resource::new("notes://today", "Today", || async { "Water the plants." }).subscribable())
        .resource(Resource::new("notes://rules", "Rules", || async { "No plants in the hall." }))
        .resource_template(
            ResourceTemplate::new("notes://days/{day}", "Day", |it: Day| async move { it.day })
                .subscribable()
                .complete("day", |it: Completing| async move {
                    matching(&["monday", "saturday", "sunday"], &it.value)
                }),
        )
        .prompt(
            Prompt::new("review", |it: Review| async move {
                format!("Review my {} for {}.", it.language, it.framework)
            })
            .complete("language", |it: Completing| async move { matching(&["python", "rust"], &it.value) })
            .complete("framework", |it: Completing| async move { frameworks(&it) }),
        )
}

async fn write(it: Note, ctx: Context) -> &'static str {
    ctx.notify_resource_updated(it.uri);
    "written"
}

async fn learn(it: Entry, server: ServerHandle) -> Result<&'static str, ToolError> {
    let Entry { kind, name } = it;
    let learnt = match kind {
        Kind::Prompt => server.add_prompt(Prompt::new(name, || async { "new" })),
        Kind::Resource => {
            server.add_resource(Resource::new(format!("notes://{name}"), name, || async { "new" }))
        }
        Kind::Tool => server.add_tool(Tool::new(name, || async { "new" })),
    };
    // The error names the line of this file that declares the entry, which does not belong in a transcript.
    learnt.map(|()| "learnt").map_err(|_| ToolError::failed("there is one of this name"))
}

async fn forget(it: Entry, server: ServerHandle) -> bool {
    match it.kind {
        Kind::Prompt => server.remove_prompt(&it.name),
        Kind::Resource => server.remove_resource(&format!("notes://{}", it.name)),
        Kind::Tool => server.remove_tool(&it.name),
    }
}

async fn speak(ctx: Context) -> &'static str {
    for level in LogLevel::ALL {
        ctx.log(level, format!("this is {}", level.as_str()));
    }
    ctx.log_as("database", LogLevel::Error, json!({ "error": "connection lost", "retries": 3 }));
    "said"
}

/// Returns frameworks of the language that the client chose for the argument `language`.
fn frameworks(it: &Completing) -> Vec<String> {
    match it.arguments.get("language").map(String::as_str) {
        Some("python") => matching(&["django", "flask"], &it.value),
        Some("rust") => matching(&["axum", "rocket"], &it.value),
        _ => Vec::new(),
    }
}

fn matching(known: &[&str], begun: &str) -> Vec<String> {
    known.iter().filter(|it| it.starts_with(begun)).map(|it| (*it).to_owned()).collect()
}
