//! The contract of a server: a file with the entries that the server offers, so that no change goes
//! unnoticed.
//!
//! In: a client, and the path of the file. Out: nothing if the server and the file agree, else the changes,
//! entry by entry. Resources are left out, because they are data that changes. Values that may differ in each
//! response, such as cursors, are left out too.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use plainwire_proto::cursor::List;
use plainwire_proto::json::shorten;
use serde_json::{Map, Value};

use super::show::pretty;
use crate::client::Client;
use crate::error::{Error, Result};

/// Compares the server of `client` with the contract in the file `path`: the instructions of the server, and
/// its tools, prompts and resource templates, with descriptions, hints and schemas, from all pages.
///
/// Clients and models rely on all of these. If there is no file, it is written and the check fails once, so
/// that you review and commit it. If something differs, the check reports it and does not change the file. To
/// accept a change, delete the file and run the test again. In tests run by cargo, paths are relative to the
/// folder of the package.
///
/// Values are compared, not text: the order of entries and of members does not matter. The comparison covers
/// only what exists in the revision of the client. The file names that revision, so a client of another
/// revision differs.
///
/// ```no_run
/// # use plainwire::Server;
/// # fn server() -> Server { Server::new("demo") }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// let client = plainwire::testing::client(server()).await?;
/// plainwire::testing::contract(&client, "tests/contract.json").await
/// # }
/// ```
///
/// # Errors
/// [`Error::Mismatch`] if the server differs, or if the file is missing, can't be read, or is no contract;
/// [`Error::Decode`] if two entries have one name; [`Error::Io`] if a new file can't be written; and the
/// errors of [`Client::list_tools`].
pub async fn contract(client: &Client, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let offered = Value::Object(offered(client).await?);
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            write(path, &format!("{}\n", pretty(&offered)))?;
            let message =
                format!("the contract did not exist and was written: review and commit {}", path.display());
            return Err(Error::Mismatch { message });
        }
        Err(error) => {
            let message = format!("expected to read the contract {}, but found: {error}", path.display());
            return Err(Error::Mismatch { message });
        }
    };
    // Editors on Windows may write a byte order mark.
    let json = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let written: Value = serde_json::from_str(json).map_err(|error| Error::Mismatch {
        message: format!("expected a contract in {}, but found no JSON: {error}", path.display()),
    })?;
    if !is_contract(&written) {
        let found = shorten(json).into_owned();
        let message = format!("expected a contract in {}, but found {found}", path.display());
        return Err(Error::Mismatch { message });
    }
    let changes = changes(&written, &offered);
    if changes.is_empty() {
        return Ok(());
    }
    let path = path.display();
    let hint = format!("to accept the changes, delete {path}, run the test again, and review the new file");
    Err(Error::Mismatch {
        message: format!("the server differs from {path}:\n{}\n{hint}", changes.join("\n")),
    })
}

/// The lists of a contract. Each row has the list of the protocol, the member of the contract that holds the
/// list, the word for one entry, and the member of an entry that holds the name of the entry.
const LISTS: [(List, &str, &str, &str); 3] = [
    (List::Prompts, "prompts", "prompt", "name"),
    (List::ResourceTemplates, "resourceTemplates", "resource template", "uriTemplate"),
    (List::Tools, "tools", "tool", "name"),
];

/// Returns whether `written` has the shape of a contract: an object whose lists are objects of objects.
fn is_contract(written: &Value) -> bool {
    let is_list = |list: &Value| list.as_object().is_some_and(|list| list.values().all(Value::is_object));
    let lists_fit = || LISTS.iter().all(|(_, plural, ..)| written.get(plural).is_none_or(is_list));
    written.is_object() && lists_fit()
}

/// Requests the tools, prompts and resource templates of the server and returns them as a contract.
async fn offered(client: &Client) -> Result<Map<String, Value>> {
    let hello = client.hello();
    let mut all = Map::new();
    all.insert("protocolVersion".into(), hello.revision.as_str().into());
    if let Some(instructions) = &hello.instructions {
        all.insert("instructions".into(), instructions.as_str().into());
    }
    for (list, plural, kind, key) in LISTS {
        let capability = if list == List::ResourceTemplates { "resources" } else { plural };
        if !hello.capabilities.has(capability) {
            continue;
        }
        let mut entries = Map::new();
        for entry in client.list_raw(list).await? {
            let wrong = |message| Error::Decode { message };
            let entry: Value = serde_json::from_str(entry.get()).map_err(|it| wrong(it.to_string()))?;
            let name = entry[key].as_str().ok_or_else(|| {
                wrong(format!("expected a {kind} with `{key}`, but found {}", shorten(&entry.to_string())))
            })?;
            if entries.insert(name.to_owned(), entry.clone()).is_some() {
                return Err(wrong(format!("expected one {kind} `{name}`, but found two")));
            }
        }
        all.insert(plural.into(), entries.into());
    }
    Ok(all)
}

/// Writes a file atomically, because another process may read it meanwhile.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    let failed = |source: std::io::Error| {
        // This keeps the kind of the error and adds the path.
        let source = std::io::Error::new(source.kind(), format!("{}: {source}", path.display()));
        Error::Io { doing: "writing a contract or transcript", source }
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::create_dir_all(folder.unwrap_or(Path::new("."))).map_err(failed)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new: PathBuf = path.with_file_name(name);
    let written = fs::File::create(&new).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&new, path)).map_err(|error| {
        // The first error matters more than one of the cleanup.
        let _ = fs::remove_file(&new);
        failed(error)
    })
}

/// Returns the changes from `written`, the contract in the file, to `offered`, that of the server, one per
/// line.
fn changes(written: &Value, offered: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for name in names(written, offered) {
        let (old, new) = (written.get(&name), offered.get(&name));
        match LISTS.iter().find(|(_, plural, ..)| *plural == name) {
            Some((_, _, kind, _)) => entries(kind, old, new, &mut lines),
            None => differences("", &name, old, new, &mut lines),
        }
    }
    lines
}

/// Like [`changes`], but for one list, whose entries are called `kind` in the lines. A missing list counts as
/// empty.
fn entries(kind: &str, written: Option<&Value>, offered: Option<&Value>, lines: &mut Vec<String>) {
    let (written, offered) = (written.unwrap_or(&Value::Null), offered.unwrap_or(&Value::Null));
    for name in names(written, offered) {
        match (written.get(&name), offered.get(&name)) {
            (Some(_), None) => lines.push(format!("- {kind} `{name}` was removed")),
            (None, Some(_)) => lines.push(format!("+ {kind} `{name}` is new")),
            (old, new) => differences(&format!("{kind} `{name}`: "), "", old, new, lines),
        }
    }
}

/// Like [`changes`], but for two values at `path`. Adds a line with the exact path of each difference. In the
/// line, the path follows `whose`: the kind and the name of the entry, or empty if the values are in no entry.
fn differences(
    whose: &str,
    path: &str,
    written: Option<&Value>,
    offered: Option<&Value>,
    lines: &mut Vec<String>,
) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match (written, offered) {
        (old, new) if old == new => {}
        (Some(old @ Value::Object(_)), Some(new @ Value::Object(_))) => {
            for name in names(old, new) {
                differences(whose, &below(&name), old.get(&name), new.get(&name), lines);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for n in 0..old.len().max(new.len()) {
                differences(whose, &format!("{path}[{n}]"), old.get(n), new.get(n), lines);
            }
        }
        (Some(old), Some(new)) => {
            let (old, new) = told_apart(&old.to_string(), &new.to_string());
            lines.push(format!("~ {whose}{path} was {old}, and is {new}"));
        }
        (Some(old), None) => {
            lines.push(format!("~ {whose}{path} was removed: {}", shorten(&old.to_string())))
        }
        (None, Some(new)) => lines.push(format!("~ {whose}{path} is new: {}", shorten(&new.to_string()))),
        (None, None) => {}
    }
}

/// Returns the names of all members of two objects, sorted.
fn names(a: &Value, b: &Value) -> BTreeSet<String> {
    [a, b].into_iter().filter_map(Value::as_object).flat_map(Map::keys).cloned().collect()
}

/// Shortens the texts of two different values so that the position where they begin to differ stays visible.
fn told_apart(old: &str, new: &str) -> (String, String) {
    /// The number of characters that are kept in front of the difference.
    const BEFORE: usize = 20;
    let same = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let skipped = if same > 2 * BEFORE { same - BEFORE } else { 0 };
    let cut = |text: &str| {
        let rest: String = text.chars().skip(skipped).collect();
        format!("{}{}", if skipped > 0 { "…" } else { "" }, shorten(&rest))
    };
    (cut(old), cut(new))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn says_what_has_changed_entry_by_entry() {
        let old = json!({ "protocolVersion": "2026-07-28", "tools": {
            "a": { "name": "a", "description": "A.", "inputSchema": { "properties": { "n": { "maximum": 100 }}, "required": ["n", "m"] }},
            "b": { "name": "b" },
        }});
        let new = json!({ "protocolVersion": "2026-07-28", "instructions": "Ask.", "prompts": { "p": {} }, "tools": {
            "a": { "name": "a", "inputSchema": { "properties": { "n": { "maximum": 50, "minimum": 1 }}, "required": ["n"] }},
            "c": { "name": "c" },
        }});
        assert_eq!(
            changes(&old, &new),
            [
                "~ instructions is new: \"Ask.\"",
                "+ prompt `p` is new",
                "~ tool `a`: description was removed: \"A.\"",
                "~ tool `a`: inputSchema.properties.n.maximum was 100, and is 50",
                "~ tool `a`: inputSchema.properties.n.minimum is new: 1",
                "~ tool `a`: inputSchema.required[1] was removed: \"m\"",
                "- tool `b` was removed",
                "+ tool `c` is new",
            ]
        );
        assert_eq!(changes(&new, &new), [""; 0]);
    }

    #[test]
    fn shows_the_difference_of_long_texts() {
        let same = "x".repeat(500);
        let (old, new) = told_apart(&format!("{same}old{same}"), &format!("{same}new{same}"));
        let around = |word| format!("…{}{word}{}…", "x".repeat(20), "x".repeat(57));
        assert_eq!((old, new), (around("old"), around("new")));
        assert_eq!(told_apart("\"a\"", "\"b\""), ("\"a\"".to_owned(), "\"b\"".to_owned()));
    }
}
