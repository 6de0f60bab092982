//! Requests the lists of a server, and filters them by a text.
//!
//! In: a client, and optionally a text to search for. Out: entries.

use plainwire::model::RawJson;
use plainwire::proto::cursor::List;
use plainwire::{Client, Error};
use plainwire_inspect::Entry;
use serde_json::Value;

use crate::exit::Failure;
use crate::output;

/// Lists the tools of the server: those that contain `text` (see [`filter`]), or all without `text`. The list
/// is empty if the server does not offer tools.
pub(crate) async fn tools(client: &Client, text: Option<&str>) -> Result<Vec<Entry>, Failure> {
    if !client.hello().capabilities.has("tools") {
        return Ok(Vec::new());
    }
    let mut entries = client.list_raw(List::Tools).await?;
    let had_any = !entries.is_empty();
    filter(&mut entries, text);
    if let Some(text) = text.filter(|_| had_any && entries.is_empty()) {
        output::note(&format!("no tool has {text:?} in its name or description"));
    }
    Ok(entries.iter().map(|entry| Entry::read(entry.get())).collect())
}

/// Requests a list of the server. `None` for the templates of a server that does not know this list: having resources does
/// not require it.
pub(crate) async fn list_if_known(client: &Client, list: List) -> plainwire::Result<Option<Vec<RawJson>>> {
    match client.list_raw(list).await {
        Ok(entries) => Ok(Some(entries)),
        Err(Error::Rpc(refused))
            if list == List::ResourceTemplates && refused.received_code() == Some(METHOD_NOT_FOUND) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The code of JSON-RPC for a method that the server does not have.
const METHOD_NOT_FOUND: i32 = -32601;

/// Keeps only entries with `text` in their name, URI or description, ignoring case.
pub(crate) fn filter(entries: &mut Vec<RawJson>, text: Option<&str>) {
    let Some(text) = text.map(str::to_lowercase) else { return };
    entries.retain(|entry| {
        let entry: Value = serde_json::from_str(entry.get()).unwrap_or_default();
        let members =
            ["name", "uri", "uriTemplate", "description"].iter().filter_map(|it| entry.get(it)?.as_str());
        members.into_iter().any(|it| it.to_lowercase().contains(&text))
    });
}
