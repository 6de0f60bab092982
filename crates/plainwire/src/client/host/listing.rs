//! The lists of all servers as one, and what is missing in it.

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

/// A list of a host.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// What all servers have: server by server in the order in which they were added.
    pub entries: Vec<Entry>,
    /// Where each server's part comes from, in the same order.
    pub parts: Vec<Part>,
    /// Names that more than one entry would have, so that none of these is among the entries.
    pub collisions: Vec<Collision>,
}

/// An entry of one server in the list of a host.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name that it has here, good for calls. For resources and templates it is their URI.
    pub name: String,
    /// The name that the server has for it.
    pub own_name: String,
    /// The entry as it was sent; `name` of tools and prompts is the name that it has here, and nothing else is changed.
    pub raw: RawJson,
    /// Whose it is: the host's name for the server.
    pub server: String,
}

impl Entry {
    /// Returns the entry as what it is: [`plainwire_proto::model::Tool`] and the like.
    ///
    /// # Errors
    /// [`crate::Error::Decode`] for an entry that is no `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        decode(&self.raw)
    }
}

/// One server's part of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The host's name for the server.
    pub server: String,
    /// Where its entries come from.
    pub state: PartState,
}

/// Where a part of a listing comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartState {
    /// As the server has it now.
    Fresh,
    /// There are no entries of it: it has not said any yet.
    Missing {
        /// Why not.
        why: String,
    },
    /// As the server had it when it last answered.
    Stale {
        /// How long ago that was.
        age: Duration,
        /// Why there is nothing newer.
        why: String,
    },
}

/// A name that several entries would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// The name.
    pub name: String,
    /// Whose they are.
    pub servers: Vec<String>,
}

/// An entry under its names, made once each time that a list comes.
#[derive(Debug)]
pub(crate) struct Named {
    pub(super) exposed: String,
    pub(super) own: String,
    pub(super) raw: RawJson,
}

/// Gives names to what a server listed. What has no name, and what has one a second time, can't be asked for and is left out.
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
    // A URI is the server's own, and stands in its answers: it stays.
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

/// By which member an entry is asked for.
fn key(list: List) -> &'static str {
    match list {
        List::Prompts | List::Tools => "name",
        List::Resources => "uri",
        List::ResourceTemplates => "uriTemplate",
    }
}

/// Puts the parts together. URIs may come from several servers: they are no names of ours.
pub(super) fn merge<'p>(
    list: List,
    parts: impl IntoIterator<Item = (&'p str, PartState, &'p [Named])>,
) -> Listing {
    let mut listing = Listing::default();
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (server, state, entries) in parts {
        for Named { exposed, own, raw } in entries {
            owners.entry(exposed.clone()).or_default().push(server.to_owned());
            let (name, own_name, raw) = (exposed.clone(), own.clone(), raw.clone());
            listing.entries.push(Entry { name, own_name, raw, server: server.to_owned() });
        }
        listing.parts.push(Part { server: server.to_owned(), state });
    }
    if key(list) == "name" {
        owners.retain(|_, servers| servers.len() > 1);
        listing.entries.retain(|entry| !owners.contains_key(&entry.name));
        listing.collisions = owners.into_iter().map(|(name, servers)| Collision { name, servers }).collect();
    }
    listing
}
