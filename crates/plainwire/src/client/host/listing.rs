//! The lists of all servers of a host, merged into one, with the state of each server's part.

use std::collections::BTreeMap;
use std::time::Duration;

use plainwire_proto::codec::members;
use plainwire_proto::cursor::List;
use plainwire_proto::json::write::Object;
use plainwire_proto::model::RawJson;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::names;
use crate::client::decode;
use crate::error::Result;

/// A merged list of all servers of a host.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The entries of all servers, server by server, in the order in which the servers were added.
    pub entries: Vec<HostEntry>,
    /// The state of each server's part, in the order in which the servers were added.
    pub parts: Vec<ListingPart>,
    /// The host names that more than one entry would have. All entries with such a name are left out of
    /// `entries`.
    pub collisions: Vec<Collision>,
}

/// An entry of one server (a tool, resource, resource template or prompt) in a merged list.
#[derive(Clone, Debug)]
pub struct HostEntry {
    /// The host's name for the entry, to be used in calls. For resources and templates it is their URI.
    pub name: String,
    /// The server's own name for the entry; for a resource or a template, its URI.
    pub own_name: String,
    /// The entry as the server sent it, except that `name` of tools and prompts is the host's name.
    pub raw: RawJson,
    /// The host's name for the server.
    pub server: String,
}

impl HostEntry {
    /// Decodes the entry, as [`plainwire_proto::model::Tool`] and the like.
    ///
    /// # Errors
    /// [`crate::Error::Decode`] if the entry is not a `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        decode(&self.raw)
    }
}

/// The state of one server's part of a listing. The part's entries are in [`Listing::entries`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingPart {
    /// The host's name for the server.
    pub server: String,
    /// The state of the server's entries: fresh, missing or stale.
    pub state: ListingState,
}

/// The state of one server's part of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListingState {
    /// The listing has the entries that the server has now.
    Fresh,
    /// The listing has no entries of this server: the server has never sent this list.
    Missing {
        /// The reason why the list has never arrived.
        why: String,
    },
    /// The listing has the entries that the server last sent, which may be outdated.
    Stale {
        /// The time since the listed entries arrived.
        age: Duration,
        /// The reason why there are no newer entries.
        why: String,
    },
}

/// A host name that several entries would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// The host name that the colliding entries would have.
    pub name: String,
    /// The host's names for the servers of these entries, one for each entry.
    pub servers: Vec<String>,
}

/// An entry of a server's list, with its two names. Made once, when the list arrives.
#[derive(Debug)]
pub(crate) struct Named {
    /// The host's name for the entry; for a resource or a template, its URI.
    pub(super) exposed: String,
    /// The server's own name for the entry; for a resource or a template, its URI.
    pub(super) own: String,
    /// The entry as the server sent it, except that `name` of tools and prompts is the host's name.
    pub(super) raw: RawJson,
}

/// Gives host names to `sent`, the entries of a server's list. Leaves out an entry that has no name, or that
/// has the name of an earlier entry: no request could name it.
pub(crate) fn named(list: List, prefix: &str, sent: Vec<RawJson>) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for raw in sent {
        match read(list, prefix, raw) {
            Some(entry) if known.insert(entry.own.clone()) => all.push(entry),
            Some(entry) => tracing::warn!("{:?} is in `{}` twice", entry.own, list.method()),
            None => tracing::warn!("an entry of `{}` has no name", list.method()),
        }
    }
    all
}

fn read(list: List, prefix: &str, raw: RawJson) -> Option<Named> {
    let key = key(list);
    let all = members(raw.get()).ok()?;
    let own: String = all.iter().find(|(name, _)| name == key).and_then(|(_, value)| decode(value).ok())?;
    // A URI also appears in the server's answers, so it is not changed.
    if key != "name" {
        return Some(Named { exposed: own.clone(), own, raw });
    }
    let exposed = names::exposed(prefix, &own);
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    for (name, value) in &all {
        if name == "name" {
            object.string("name", &exposed);
        } else {
            object.raw(name, value.get());
        }
    }
    object.close();
    let raw = RawValue::from_string(String::from_utf8(out).ok()?).ok()?;
    Some(Named { exposed, own, raw })
}

/// Returns the name of the JSON member by which requests name an entry of `list`.
fn key(list: List) -> &'static str {
    match list {
        List::Prompts | List::Tools => "name",
        List::Resources => "uri",
        List::ResourceTemplates => "uriTemplate",
    }
}

/// Merges the parts of all servers: of each its name, the state and the entries. Two servers may have the
/// same URI, since the host does not assign URIs.
pub(super) fn merge<'p>(
    list: List,
    parts: impl IntoIterator<Item = (&'p str, ListingState, &'p [Named])>,
) -> Listing {
    let mut listing = Listing::default();
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (server, state, entries) in parts {
        for Named { exposed, own, raw } in entries {
            owners.entry(exposed.clone()).or_default().push(server.to_owned());
            let (name, own_name, raw) = (exposed.clone(), own.clone(), raw.clone());
            listing.entries.push(HostEntry { name, own_name, raw, server: server.to_owned() });
        }
        listing.parts.push(ListingPart { server: server.to_owned(), state });
    }
    if key(list) == "name" {
        owners.retain(|_, servers| servers.len() > 1);
        listing.entries.retain(|entry| !owners.contains_key(&entry.name));
        listing.collisions = owners.into_iter().map(|(name, servers)| Collision { name, servers }).collect();
    }
    listing
}
