//! `plainwire demo`: prints one call in each of the five revisions, byte for byte, with an explanation of
//! each frame. Then it prints a call over HTTP in each era, and the edit of a rich text in Jira.
//!
//! For the five revisions, client and server are those of the library, connected inside this process. The
//! frames are those that a pipe would carry.

mod jira;
mod web;

use std::collections::BTreeMap;
use std::io;

use plainwire::proto::peer::EraChoice;
use plainwire::proto::revision::{Era, Revision};
use plainwire::stream::tap::{Direction, Tap, Tapped};
use plainwire::{Client, testing};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::output;

pub(crate) async fn run() -> Result<Exit, Failure> {
    output::line("One call of the tool `calculate` in each revision of the Model Context Protocol.")?;
    output::line("> from the client   < from the server   every line is one frame, byte for byte")?;
    for revision in Revision::ALL {
        play(revision).await?;
    }
    web::play().await?;
    output::line("\nThe same server and the same function answered in all five revisions.")?;
    jira::play().await?;
    Ok(Exit::Done)
}

async fn play(revision: Revision) -> Result<(), Failure> {
    let (era, how) = match revision.era() {
        Era::Legacy => (EraChoice::Legacy, "legacy: a handshake, then a session"),
        Era::Modern => (EraChoice::Modern, "modern: no session, each request describes itself"),
    };
    output::line(&format!("\n== {revision}, {how} =="))?;
    let mut seen = BTreeMap::new();
    let tap = Tap::new(move |frame| {
        // If stdout is closed, there is no reader left.
        let _ = show(&frame, &mut seen);
    });
    let client = Client::builder().era(era).revisions(&[revision]).tap(tap);
    let client = testing::client_with(plainwire_reference::server(), client).await?;
    client.call_tool("calculate", json!({ "expression": "2 + 3 * 4" })).await?;
    Ok(())
}

/// Prints a frame and its explanation. `seen` has the method of each request, by id.
fn show(frame: &Tapped<'_>, seen: &mut BTreeMap<String, String>) -> io::Result<()> {
    let sign = match frame.direction {
        Direction::In => '<',
        Direction::Out => '>',
    };
    let message: Value = serde_json::from_slice(frame.bytes).unwrap_or_default();
    let frame = String::from_utf8_lossy(frame.bytes);
    output::line(&format!("\n{sign} {frame}\n  {}", explain(&message, seen)))
}

fn explain(message: &Value, seen: &mut BTreeMap<String, String>) -> String {
    let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str).unwrap_or("?");
    let id = message.get("id").map(Value::to_string);
    match (message.get("method").and_then(Value::as_str), id) {
        (Some(method), Some(id)) => {
            seen.insert(id.clone(), method.to_owned());
            match method {
                "initialize" => format!(
                    "Request {id}: the client introduces itself and proposes to speak {}.",
                    text("/params/protocolVersion")
                ),
                "server/discover" => format!(
                    "Request {id}: the client asks for the revisions and capabilities of the server; `_meta` names the client and its revision."
                ),
                "tools/call" => format!(
                    "Request {id}: call `{}` with {}.{}",
                    text("/params/name"),
                    message.pointer("/params/arguments").unwrap_or(&Value::Null),
                    if message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").is_some() {
                        " There was no handshake: `_meta` has the revision and the capabilities."
                    } else {
                        ""
                    }
                ),
                _ => format!("Request {id}: {method}."),
            }
        }
        (Some("notifications/initialized"), None) => {
            "The client is ready. A notification gets no answer.".to_owned()
        }
        (Some(method), None) => format!("Notification: {method}."),
        (None, Some(id)) => match seen.get(&id).map(String::as_str) {
            Some("initialize") => format!(
                "Answer to {id}: the server is {} {} and agrees to speak {}.",
                text("/result/serverInfo/name"),
                text("/result/serverInfo/version"),
                text("/result/protocolVersion")
            ),
            Some("server/discover") => format!(
                "Answer to {id}: all revisions that the server speaks, newest first, and its capabilities."
            ),
            Some("tools/call") => {
                format!("Answer to {id}: the result is {:?}.", text("/result/content/0/text"))
            }
            _ => format!("Answer to {id}."),
        },
        (None, None) => "An error without an id.".to_owned(),
    }
}
