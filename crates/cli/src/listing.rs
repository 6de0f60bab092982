//! The output of `plainwire list`: the server, and the entries of each list.
//!
//! In: entries as the server sent them. Out: a signature and the first line of the description for each. In long
//! lists, tools and prompts whose names begin alike stand together, below a line with this beginning.

use std::io;

use plainwire::Client;
use plainwire::model::RawJson;
use plainwire_inspect::{Entry, signature};
use serde_json::Value;

use crate::output::{line, wrapped, wrapped_bold};
use crate::visible;

/// The number of entries from which on a list is grouped.
const MIN_GROUPED: usize = 12;

/// The number of entries that make a group.
const MIN_GROUP: usize = 3;

/// Prints the name, the version and the revision of the server, and then the entries of each list. Of a
/// description, only the first line is printed, or with `is_long` all of it.
pub(crate) fn show(client: &Client, all: &[(&str, Vec<RawJson>)], is_long: bool) -> io::Result<()> {
    let server = client.server_info().cloned().unwrap_or_default();
    let name = visible::line(&format!("{} {}", server.name, server.version));
    line(&format!("{name} ({})", client.revision()))?;
    if let Some(text) = client.hello().instructions.as_deref().filter(|_| is_long) {
        line("\ninstructions:")?;
        text.trim().lines().try_for_each(|part| wrapped("  ", "  ", part))?;
    }
    for (list, entries) in all.iter().filter(|(_, entries)| !entries.is_empty()) {
        line(&format!("\n{list}:"))?;
        let entries: Vec<Listed<'_>> = entries.iter().map(Listed::read).collect();
        for (prefix, group) in groups(list, &entries) {
            if let Some(prefix) = prefix.map(visible::line) {
                wrapped_bold("  ", "  ", &format!("{prefix}… ({})", group.len()), prefix.chars().count())?;
            }
            let indent = if prefix.is_some() { "    " } else { "  " };
            group.into_iter().try_for_each(|it| entry(list, it, indent, is_long))?;
        }
    }
    Ok(())
}

/// An entry of a list: its JSON, whose members are in the order of the server, and the same as a tree.
struct Listed<'r> {
    raw: &'r RawJson,
    tree: Value,
}

impl<'r> Listed<'r> {
    fn read(raw: &'r RawJson) -> Self {
        Self { raw, tree: serde_json::from_str(raw.get()).unwrap_or_default() }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.tree.get(name).and_then(Value::as_str)
    }

    fn name(&self) -> &str {
        self.text("uri").or(self.text("uriTemplate")).or(self.text("name")).unwrap_or("(no name)")
    }
}

fn entry(list: &str, it: &Listed<'_>, indent: &str, is_long: bool) -> io::Result<()> {
    let name = it.name();
    let shown = match list {
        "tools" => signature(&Entry::read(it.raw.get())),
        "prompts" => format!("{name}({})", arguments(&it.tree)),
        _ => name.to_owned(),
    };
    let below = format!("{indent}    ");
    wrapped_bold(indent, &below, &visible::line(&shown), visible::line(name).chars().count())?;
    let mut lines = it.text("description").unwrap_or_default().trim().lines();
    match lines.next() {
        Some(first) if !is_long => {
            let more = if lines.any(|it| !it.trim().is_empty()) { " …" } else { "" };
            wrapped(&below, &below, &format!("{first}{more}"))
        }
        first => first.into_iter().chain(lines).try_for_each(|it| wrapped(&below, &below, it)),
    }
}

/// Returns the arguments of a prompt, as in `topic, words?` with `?` for an optional one.
fn arguments(prompt: &Value) -> String {
    let all = prompt.get("arguments").and_then(Value::as_array).into_iter().flatten();
    let name = |it: &Value| {
        let mark = if it["required"] == true { "" } else { "?" };
        format!("{}{mark}", it["name"].as_str().unwrap_or_default())
    };
    all.map(name).collect::<Vec<_>>().join(", ")
}

/// Returns the entries in groups: first those without a group, in the order of the list, then each group, in the
/// order of its first entry, with what its names begin with.
fn groups<'e>(list: &str, entries: &'e [Listed<'_>]) -> Vec<(Option<&'e str>, Vec<&'e Listed<'e>>)> {
    let mut groups: Vec<(Option<&str>, Vec<&Listed<'_>>)> = vec![(None, entries.iter().collect())];
    if !matches!(list, "tools" | "prompts") || entries.len() < MIN_GROUPED {
        return groups;
    }
    for entry in entries {
        let Some(prefix) = prefix(entry.name()) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == Some(prefix)) {
            Some((_, group)) => group.push(entry),
            None => groups.push((Some(prefix), vec![entry])),
        }
    }
    groups.retain(|(prefix, group)| prefix.is_none() || group.len() >= MIN_GROUP);
    let prefixes: Vec<&str> = groups.iter().filter_map(|it| it.0).collect();
    groups[0].1.retain(|it| prefix(it.name()).is_none_or(|prefix| !prefixes.contains(&prefix)));
    groups.retain(|(_, group)| !group.is_empty());
    groups
}

/// Returns the first word of a name, with the mark that ends it: `jira_` of `jira_get_issue`.
fn prefix(name: &str) -> Option<&str> {
    let at = name.find(['_', '-', '.', '/', ':']).filter(|at| *at > 0)?;
    Some(&name[..=at])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(names: &[&str]) -> Vec<RawJson> {
        let raw = |name| serde_json::value::to_raw_value(&json!({ "name": name })).expect("JSON");
        names.iter().map(raw).collect()
    }

    #[test]
    fn long_lists_are_grouped_by_what_their_names_begin_with() {
        let entries = named(&[
            "jira_get",
            "ping",
            "wiki_a",
            "jira_set",
            "wiki_b",
            "one_more",
            "jira_find",
            "wiki_c",
            "a",
            "b",
            "c",
            "d",
        ]);
        let entries: Vec<_> = entries.iter().map(Listed::read).collect();
        let shown: Vec<_> = groups("tools", &entries)
            .into_iter()
            .map(|(prefix, group)| (prefix, group.into_iter().map(Listed::name).collect::<Vec<_>>()))
            .collect();
        assert_eq!(
            shown,
            [
                (None, vec!["ping", "one_more", "a", "b", "c", "d"]),
                (Some("jira_"), vec!["jira_get", "jira_set", "jira_find"]),
                (Some("wiki_"), vec!["wiki_a", "wiki_b", "wiki_c"]),
            ]
        );
    }

    #[test]
    fn short_lists_keep_their_order() {
        let entries = named(&["a_1", "b", "a_2", "a_3"]);
        let entries: Vec<_> = entries.iter().map(Listed::read).collect();
        assert_eq!(groups("tools", &entries).len(), 1);
        assert!(groups("tools", &[]).iter().all(|(prefix, _)| prefix.is_none()));
    }
}
