//! The name that the user probably meant, and what to type instead.
//!
//! In: a name that is wrong, and the names that there are: those of a list here, or those of a server. Out: the name
//! that is near, or a hint.

use std::time::Duration;

use plainwire::Client;
use plainwire::proto::cursor::List;
use plainwire_inspect::Entry;
use tokio::time::timeout;

use crate::quote::quoted;
use crate::visible;

/// The maximal time to list the entries of a server if the list is needed only for a hint.
const HINT_DEADLINE: Duration = Duration::from_secs(2);

/// The maximal number of names that are compared with a wrong one.
const MAX_COMPARED: usize = 1_000;

/// The maximal number of characters of a name of the server in a hint.
const MAX_NAME: usize = 200;

/// Returns the name in `known` that a user probably meant by `name`: at most two typing mistakes away, or one in a
/// short name; or else the only one that begins with `name`.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let name = name.to_lowercase();
    let length = name.chars().count();
    let most = if length > 4 { 2 } else { 1 };
    let (mut near, mut longer): (Option<(usize, &str)>, Vec<&str>) = (None, Vec::new());
    for other in known.into_iter().take(MAX_COMPARED) {
        let lower = other.to_lowercase();
        if length > 2 && lower.starts_with(&name) {
            longer.push(other);
        }
        if other.len() <= name.len() + 8 {
            let far = strsim::osa_distance(&name, &lower);
            if far <= most && near.is_none_or(|(least, _)| far < least) {
                near = Some((far, other));
            }
        }
    }
    match (near, &longer[..]) {
        (Some((_, near)), _) => Some(near),
        (None, [only]) => Some(only),
        _ => None,
    }
}

/// The result of looking for a name that a server refused.
pub(crate) enum Meant {
    /// The server lists it, or does not show its list, so the refusal has another reason.
    Listed,
    /// The user probably meant something else: a hint.
    Other(String),
    /// Nothing that the server lists is similar.
    Unknown,
}

impl Meant {
    /// Returns the hint for the user, if there is one.
    pub(crate) fn hint(self) -> Option<String> {
        match self {
            Self::Listed => None,
            Self::Other(hint) => Some(hint),
            Self::Unknown => Some("`plainwire list` shows what the server has".to_owned()),
        }
    }
}

/// Looks for a name that was wanted from a list of the server: of tools, of prompts or of resources (by URI).
pub(crate) async fn by(client: &Client, wanted: List, name: &str) -> Meant {
    // Of a server that does not answer, nothing is known.
    let Some(known) = entries(client, wanted).await else { return Meant::Listed };
    let keys = || known.iter().filter_map(|entry| key(entry, wanted)).filter(|key| !key.is_empty());
    if keys().any(|known| known == name) {
        return Meant::Listed;
    }
    for (list, what, command) in [
        (List::Tools, "a tool", "call"),
        (List::Prompts, "a prompt", "prompt"),
        (List::Resources, "a resource", "read"),
    ] {
        let others = if list == wanted { None } else { entries(client, list).await };
        let others = others.unwrap_or_default();
        let is_named = |entry: &&Entry| key(entry, list) == Some(name) || entry.name() == name;
        if let Some(key) = others.iter().find(is_named).and_then(|entry| key(entry, list)) {
            let more = if list == List::Resources { "" } else { " …" };
            return Meant::Other(format!("it is {what}: `plainwire {command} {}{more}`", shell(key)));
        }
    }
    if wanted == List::Resources
        && let Some(hint) = uri(client, &known, name).await
    {
        return Meant::Other(hint);
    }
    match nearest(name, keys()) {
        Some(near) => Meant::Other(format!("did you mean \"{}\"?", visible::short_line(near, MAX_NAME))),
        None => Meant::Unknown,
    }
}

/// Returns the hint for a URI that no resource has, but that has to do with one: its name, or a URI of a template.
async fn uri(client: &Client, resources: &[Entry], name: &str) -> Option<String> {
    if let Some(uri) = resources.iter().find(|it| it.name() == name).and_then(|it| key(it, List::Resources)) {
        return Some(format!("the resource {name} has a URI: `plainwire read {}`", shell(uri)));
    }
    let templates = entries(client, List::ResourceTemplates).await.unwrap_or_default();
    let template = templates.iter().filter_map(|entry| Some((entry.name(), text(entry, "uriTemplate")?)));
    let template = template.collect::<Vec<_>>();
    let fixed = |template: &str| template.split('{').next().unwrap_or_default().to_owned();
    let begins = |template: &str| !fixed(template).is_empty() && name.starts_with(&fixed(template));
    let Some((_, template)) = template.iter().find(|(known, it)| *known == name || begins(it)) else {
        // The part before the first brace may be mistyped: it is compared with as many segments of the name.
        let begin = |fixed: &str| {
            name.split_inclusive('/').take(fixed.split_inclusive('/').count()).collect::<String>()
        };
        let mut fixed_ones = template.iter().filter(|(_, it)| !fixed(it).is_empty());
        let near = fixed_ones.find(|(_, it)| nearest(&begin(&fixed(it)), [&*fixed(it)]).is_some())?;
        return Some(format!("did you mean {}?", visible::short_line(near.1, MAX_NAME)));
    };
    let template = visible::short_line(template, MAX_NAME);
    Some(match name.contains('{') || !name.contains(':') {
        true => format!("put values in place of the braces of the template: {template}"),
        false => format!("the server has the template {template}; does the value fit?"),
    })
}

/// Returns the entries in a list of the server, and no entries if the server has no such list; `None` if it does not
/// return the list soon.
async fn entries(client: &Client, list: List) -> Option<Vec<Entry>> {
    let has_list = list.method().split('/').next().is_some_and(|it| client.hello().capabilities.has(it));
    if !has_list {
        return Some(Vec::new());
    }
    let raw = timeout(HINT_DEADLINE, client.list_raw(list)).await.ok()?.ok()?;
    Some(raw.iter().map(|raw| Entry::read(raw.get())).collect())
}

/// Returns the text by which an entry of a list is requested.
fn key(entry: &Entry, list: List) -> Option<&str> {
    match list {
        List::Resources => text(entry, "uri"),
        List::Prompts | List::ResourceTemplates | List::Tools => Some(entry.name()),
    }
}

fn text<'e>(entry: &'e Entry, member: &str) -> Option<&'e str> {
    entry.members().find(|(name, _)| *name == member)?.1.as_str()
}

/// Returns a name as a word of a command line that can be shown.
fn shell(name: &str) -> String {
    visible::short_line(&quoted(name), MAX_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_compared_with_at_most_1_000() {
        let among = |others: usize| {
            let others: Vec<String> = (0..others).map(|n| n.to_string()).collect();
            nearest("libary", others.iter().map(String::as_str).chain(["library"])).map(str::to_owned)
        };
        assert_eq!((among(999), among(1_000)), (Some("library".to_owned()), None));
    }

    #[test]
    fn a_name_that_is_near_is_found() {
        for (name, expected) in [
            ("libary", Some("library")),
            ("Library", Some("library")),
            ("bd", Some("db")),
            ("x", None),
            ("librarian", None),
            ("plan", Some("plan_day")),
            ("add", None),
            ("ad", None),
        ] {
            assert_eq!(
                nearest(name, ["library", "db", "plan_day", "add_one", "add_two"]),
                expected,
                "{name}"
            );
        }
    }
}
