//! Finds the server of a host that a tool, prompt or resource belongs to.
//!
//! In: the name of a tool or a prompt, or a URI. Out: the server, and the server's own name for the entry.
//! The search begins with the lists that the host already has. It waits for servers only if the name is not
//! in these lists.

use std::sync::Arc;

use plainwire_proto::cursor::List;
use plainwire_proto::model::RawJson;
use serde::{Deserialize, Serialize};

use super::listing::Named;
use super::{Boxed, Host, Known, PartOf, all, names};
use crate::client::decode;
use crate::error::{Error, Result};
use crate::schema::arguments::Rejected;
use crate::schema::{InputSchema, Template, arguments};

/// The result of a search for a name: the server and the entry that the name belongs to.
pub(super) struct Found {
    /// The entry as the server listed it; `None` if the server's list has never arrived, and the server was
    /// found only by the prefix of the name.
    entry: Option<RawJson>,
    /// The host's record of the server.
    pub(super) known: Arc<Known>,
    /// The server's own name for the entry, for requests to the server.
    pub(super) own: String,
}

impl Found {
    /// Checks arguments against the schema of the tool. Returns `None` if there is no schema to compare them
    /// with, `Some(None)` if they fit, and otherwise `Some(Some(reason))`.
    pub(super) fn fault(&self, arguments: &impl Serialize) -> Option<Option<String>> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Tool {
            input_schema: RawJson,
        }
        let Tool { input_schema } = decode(self.entry.as_ref()?).ok()?;
        let text = serde_json::to_string(arguments).ok()?;
        Some(arguments::fits(&text, &InputSchema::by_hand(input_schema)).err().map(|Rejected(why)| why))
    }
}

/// The lists that the host waits for before it searches for a name. The host tries these variants in their
/// order, from the shortest wait to the longest, until a search finds the name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// No work: the search uses only the lists that the host already has.
    None,
    /// Wait for the list of the server whose prefix the name begins with, if that list has never arrived. No
    /// other server with a prefix can have an entry of this host name.
    Prefixed,
    /// Wait for those lists of this kind, such as lists of tools, that have never arrived.
    Load,
    /// Wait for the current list of this kind, such as the tools, of every server.
    Refresh,
}

impl Host {
    /// Finds the server and the entry of `name`: a host name, a server's own name, or a URI.
    pub(super) async fn find(&self, list: List, name: &str) -> Result<Found> {
        for effort in [Effort::None, Effort::Prefixed, Effort::Load, Effort::Refresh] {
            self.prepare(list, effort, name).await;
            // Behind an empty prefix, a server's own name goes before the same name of other servers.
            let is_own = |known: &Known, entry: &Named| known.prefix.is_empty() && entry.own == name;
            let is_meant = |known: &Known, entry: &Named| entry.exposed == name || is_own(known, entry);
            if let Some(found) = self.one(list, name, is_meant)? {
                return Ok(found);
            }
            // The host's name is unique, but a server's own name may be ambiguous: search by own names only
            // after waiting for all lists.
            if matches!(effort, Effort::None | Effort::Prefixed) {
                continue;
            }
            if let Some(found) = self.one(list, name, |_, entry| entry.own == name)? {
                return Ok(found);
            }
            if list == List::Resources {
                self.prepare(List::ResourceTemplates, effort, name).await;
                let has = |_: &Known, entry: &Named| {
                    Template::parse(&entry.own).is_ok_and(|template| template.matches(name))
                };
                if let Some(found) = self.one(List::ResourceTemplates, name, has)? {
                    return Ok(found);
                }
            }
        }
        self.unlisted(list, name).ok_or_else(|| self.unknown(list, name))
    }

    /// Waits for the lists that `effort` requires, for each up to the deadline of its server.
    async fn prepare(&self, list: List, effort: Effort, name: &str) {
        let is_asked = |known: &&Arc<Known>| match effort {
            Effort::None => false,
            Effort::Prefixed => known.known(list).is_none() && behind_prefix(known, name).is_some(),
            Effort::Load => known.known(list).is_none(),
            Effort::Refresh => true,
        };
        let members = self.members();
        let asked = members.iter().filter(is_asked);
        all(asked.map(|known| Box::pin(known.latest(list)) as Boxed<'_, PartOf>).collect()).await;
    }

    /// Returns the entry for which `is_meant` holds, if exactly one server has such an entry; `None` if no
    /// server has one. Searches only the lists that the host already has.
    ///
    /// # Errors
    /// [`Error::Ambiguous`] if several servers have such an entry.
    fn one(
        &self,
        list: List,
        name: &str,
        is_meant: impl Fn(&Known, &Named) -> bool,
    ) -> Result<Option<Found>> {
        let mut found: Vec<Found> = Vec::new();
        for known in self.members() {
            let entries = known.known(list).unwrap_or_default();
            let entry = entries.iter().find(|entry| is_meant(&known, entry));
            if let Some(entry) = entry {
                found.push(Found { entry: Some(entry.raw.clone()), own: entry.own.clone(), known });
            }
        }
        if found.len() > 1 {
            let servers = found.iter().map(|it| it.known.name.clone()).collect();
            return Err(Error::Ambiguous { name: name.to_owned(), servers, what: what(list) });
        }
        Ok(found.pop())
    }

    /// Returns a server whose list has never arrived and whose prefix the name begins with, if there is one.
    /// That server may have the entry.
    fn unlisted(&self, list: List, name: &str) -> Option<Found> {
        let mut silent = self.members().into_iter().filter(|known| known.known(list).is_none());
        silent.find_map(|known| {
            Some(Found { entry: None, own: behind_prefix(&known, name)?.to_owned(), known })
        })
    }

    fn unknown(&self, list: List, name: &str) -> Error {
        // Each spelling of a name, and the host's name: of the own names, several servers may have one.
        let mut names: Vec<(String, String)> = Vec::new();
        for known in self.members() {
            for Named { exposed, own, .. } in known.known(list).unwrap_or_default().iter() {
                let spelled = format!("{}{}{own}", known.prefix, names::SEPARATOR);
                names.extend([exposed, &spelled, own].map(|it| (it.clone(), exposed.clone())));
            }
        }
        let near = arguments::nearest(name, names.iter().map(|(spelled, _)| spelled.as_str()));
        let meant = near.and_then(|near| names.iter().find(|(it, _)| it == near)).map(|(_, it)| it.clone());
        Error::Unknown { meant, name: name.to_owned(), what: what(list) }
    }
}

/// Returns the part of `name` after the server's prefix and `__`. `None` if the name does not begin with
/// them, or if the server's prefix is empty.
fn behind_prefix<'n>(known: &Known, name: &'n str) -> Option<&'n str> {
    let own = name.strip_prefix(known.prefix.as_str())?.strip_prefix(names::SEPARATOR)?;
    Some(own).filter(|own| !known.prefix.is_empty() && !own.is_empty())
}

fn what(list: List) -> &'static str {
    match list {
        List::Prompts => "prompt",
        List::Resources | List::ResourceTemplates => "resource",
        List::Tools => "tool",
    }
}
