//! Adds, changes or removes one entry in the text of a configuration file.
//!
//! In: the text, and the entry. Out: the text with the entry, or without it. All other bytes stay: other servers, unknown
//! keys, their order, comments, indentation and line ends.

use jsonc_parser::cst::{CstInputValue, CstObject};
use serde_json::{Map, Value};

use crate::jsonc::parse;

/// The entry to write: how its client starts or reaches the server. `kind` is the value of `type`, which an
/// entry with `None` does not have. `key` is the key of the URL in this client's files, such as `serverUrl`.
#[derive(Debug)]
pub(super) enum NewEntry {
    Command { args: Vec<String>, command: String, env: Vec<(String, String)>, kind: Option<&'static str> },
    Url { headers: Vec<(String, String)>, key: &'static str, kind: Option<&'static str>, url: String },
}

/// The path of the entry in the file: `list` is the key of the object with all servers, and `name` is the key
/// of the entry in that object.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryPath<'w> {
    pub(super) list: &'w str,
    pub(super) name: &'w str,
}

/// The treatment of an existing entry that has the name of the wanted entry and differs from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    Overwrite,
    Refuse,
}

/// The result of [`edit`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Edit {
    Changed(String),
    /// The text has an entry with the name of the wanted one, which differs from it in these keys. The text
    /// is not changed.
    Other(Vec<String>),
    /// The text has the wanted entry already.
    Same,
}

const MARK: char = '\u{feff}';

/// Adds the entry `wanted` to `text`. If the text has an entry of the same name that differs, `existing`
/// decides whether it is changed.
pub(super) fn edit(
    text: &str,
    at: EntryPath<'_>,
    wanted: &NewEntry,
    existing: Existing,
) -> Result<Edit, String> {
    let (mark, body) = match text.strip_prefix(MARK) {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let root = parse(body)?;
    let before = root.to_serde_value().unwrap_or_default();
    let top = root.object_value_or_create().ok_or("expected an object, but found another value")?;
    check_unique(&top, at.list)?;
    let list = top.object_value_or_create(at.list);
    let list =
        list.ok_or_else(|| format!("expected `{}` to be an object, but found another value", at.list))?;
    check_unique(&list, at.name)?;
    match list.get(at.name) {
        None => {
            list.append(at.name, wanted.to_json());
        }
        Some(found) => {
            let has = found.value().and_then(|it| it.to_serde_value()).unwrap_or_default();
            let other = wanted.differences(&has);
            if other.is_empty() {
                return Ok(Edit::Same);
            }
            if existing == Existing::Refuse {
                return Ok(Edit::Other(other));
            }
            match found.object_value() {
                Some(entry) => wanted.overwrite(&entry),
                None => found.set_value(wanted.to_json()),
            }
        }
    }
    let after = root.to_string();
    check_nothing_else_changed(before, &after, at, wanted)?;
    Ok(Edit::Changed(format!("{mark}{after}")))
}

/// Removes the entry from `text`; `None` if the text has no such entry. Comments inside the entry go with it.
pub(super) fn remove(text: &str, at: EntryPath<'_>) -> Result<Option<String>, String> {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    let mark = &text[..text.len() - body.len()];
    let root = parse(body)?;
    let mut before = root.to_serde_value().unwrap_or_default();
    let Some(top) = root.object_value() else { return Ok(None) };
    check_unique(&top, at.list)?;
    let Some(list) = top.object_value(at.list) else { return Ok(None) };
    check_unique(&list, at.name)?;
    let Some(found) = list.get(at.name) else { return Ok(None) };
    found.remove();
    let after = root.to_string();
    before[at.list].as_object_mut().and_then(|list| list.remove(at.name));
    if parse(&after)?.to_serde_value().unwrap_or_default() != before {
        return Err(NOT_ALONE.into());
    }
    Ok(Some(format!("{mark}{after}")))
}

/// Returns the names of the entries in the object `list` of `text`.
pub(super) fn names(text: &str, list: &str) -> Vec<String> {
    let root = parse(text.strip_prefix(MARK).unwrap_or(text)).ok().and_then(|root| root.to_serde_value());
    let entries = root.as_ref().and_then(|root| root.get(list)).and_then(Value::as_object);
    entries.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// The reason why an edit that would change more than its entry is not made.
const NOT_ALONE: &str = "expected only the entry to change, but found other changes too; nothing was written";

/// Refuses an object with two members called `name`: some programs read the first and some the second.
fn check_unique(object: &CstObject, name: &str) -> Result<(), String> {
    let named = object.properties().into_iter().filter(|it| it.decoded_name().as_deref() == Some(name));
    match named.count() {
        0 | 1 => Ok(()),
        n => Err(format!("expected {name:?} once, but found it {n} times")),
    }
}

/// Checks that `after`, the new text, has the wanted entry, and that all its other values equal those of
/// `before`.
fn check_nothing_else_changed(
    mut before: Value,
    after: &str,
    at: EntryPath<'_>,
    wanted: &NewEntry,
) -> Result<(), String> {
    let mut after = parse(after)?.to_serde_value().unwrap_or_default();
    let entry = after[at.list][at.name].clone();
    for side in [&mut before, &mut after] {
        if side.is_null() {
            *side = Value::Object(Map::new());
        }
        let list = side.as_object_mut().and_then(|it| it.get_mut(at.list)?.as_object_mut());
        let emptied = list.is_some_and(|list| {
            list.remove(at.name);
            list.is_empty()
        });
        if let (true, Some(top)) = (emptied, side.as_object_mut()) {
            top.remove(at.list);
        }
    }
    match before == after && wanted.differences(&entry).is_empty() {
        true => Ok(()),
        false => Err(NOT_ALONE.into()),
    }
}

/// The keys of an entry that determine how a client starts a server. All keys other than these, [`OF_URLS`]
/// and `type` belong to the user.
const OF_COMMANDS: [&str; 5] = ["command", "args", "env", "envFile", "cwd"];
/// The keys of an entry that determine how a client reaches a server at a URL.
const OF_URLS: [&str; 3] = ["url", "serverUrl", "headers"];

impl NewEntry {
    /// Returns the members of the entry in the order in which they are written, without empty ones.
    fn members(&self) -> Vec<(&'static str, CstInputValue)> {
        let texts = |pairs: &[(String, String)]| {
            let members = pairs.iter().map(|(name, value)| (name.clone(), value.clone().into()));
            (!pairs.is_empty()).then(|| CstInputValue::Object(members.collect()))
        };
        let all = match self {
            Self::Command { args, command, env, kind } => {
                let list = args.iter().map(|it| it.clone().into()).collect();
                vec![
                    ("type", kind.map(Into::into)),
                    ("command", Some(command.clone().into())),
                    ("args", (!args.is_empty()).then_some(CstInputValue::Array(list))),
                    ("env", texts(env)),
                ]
            }
            Self::Url { headers, key, kind, url } => vec![
                ("type", kind.map(Into::into)),
                (*key, Some(url.clone().into())),
                ("headers", texts(headers)),
            ],
        };
        all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }

    fn to_json(&self) -> CstInputValue {
        let members = self.members().into_iter().map(|(key, value)| (key.to_owned(), value));
        CstInputValue::Object(members.collect())
    }

    /// Returns the keys in which `entry` differs from this one. Variables and headers that only `entry` has
    /// belong to the user and are no difference. Neither is a `type` with the same meaning.
    fn differences(&self, entry: &Value) -> Vec<String> {
        let Some(entry) = entry.as_object() else { return vec!["the whole entry".to_owned()] };
        let has = |key: &str| entry.get(key).filter(|it| !it.is_null());
        let mut other = Vec::new();
        let mut expect = |key: &str, same: bool| {
            if !same {
                other.push(key.to_owned());
            }
        };
        let kind = has("type").map(|it| it.as_str().unwrap_or_default());
        let within = |key: &str, pairs: &[(String, String)]| {
            pairs.iter().all(|(name, value)| has(key).is_some_and(|it| it[name.as_str()] == value.as_str()))
        };
        match self {
            Self::Command { args, command, env, .. } => {
                expect("type", kind.is_none_or(|it| it == "stdio"));
                expect("command", has("command").is_some_and(|it| it == command.as_str()));
                expect("args", has("args").map_or(args.is_empty(), |it| *it == Value::from(args.clone())));
                expect("env", within("env", env));
                OF_URLS.iter().for_each(|key| expect(key, has(key).is_none()));
            }
            Self::Url { headers, key, kind: wanted, url } => {
                expect(
                    "type",
                    kind.map_or(wanted.is_none(), |it| {
                        Some(it) == *wanted || wanted.is_none() && it != "stdio"
                    }),
                );
                expect(key, has(key).is_some_and(|it| it == url.as_str()));
                expect("headers", within("headers", headers));
                OF_COMMANDS.iter().for_each(|key| expect(key, has(key).is_none()));
                let others = ["url", "serverUrl"].into_iter().filter(|it| it != key);
                others.for_each(|key| expect(key, has(key).is_none()));
            }
        }
        other
    }

    /// Changes `entry`, the one in the file, into `self`, and keeps the members that belong to the user.
    fn overwrite(&self, entry: &CstObject) {
        let members = self.members();
        let wanted = |key: &str| members.iter().any(|(it, _)| *it == key);
        let is_url = matches!(self, Self::Url { .. });
        let gone = |key: &str| match (is_url, key) {
            (_, "type") => true,
            (true, key) => OF_COMMANDS.contains(&key) || OF_URLS[..2].contains(&key),
            (false, key) => OF_URLS.contains(&key) || key == "args",
        };
        for found in entry.properties() {
            let key = found.decoded_name().unwrap_or_default();
            if gone(&key) && !wanted(&key) {
                found.remove();
            }
        }
        for (key, value) in members {
            put(entry, key, value);
        }
    }
}

/// Sets the member `key` of `object`. If its old and its new value are objects, only the members of the new
/// value are set in the old one, and its other members stay.
fn put(object: &CstObject, key: &str, value: CstInputValue) {
    let Some(found) = object.get(key) else {
        object.append(key, value);
        return;
    };
    match (found.object_value(), value) {
        (Some(inner), CstInputValue::Object(pairs)) => {
            pairs.into_iter().for_each(|(name, value)| put(&inner, &name, value));
        }
        (_, value) if same(found.value().and_then(|it| it.to_serde_value()), &value) => {}
        (_, value) => found.set_value(value),
    }
}

/// Returns whether a member has the wanted value already and so can keep its formatting. Only texts and lists
/// of texts are compared; for other values it returns `false`.
fn same(has: Option<Value>, wanted: &CstInputValue) -> bool {
    match (has, wanted) {
        (Some(Value::String(has)), CstInputValue::String(wanted)) => has == *wanted,
        (Some(Value::Array(has)), CstInputValue::Array(wanted)) => {
            has.len() == wanted.len()
                && has.into_iter().zip(wanted).all(|(has, wanted)| same(Some(has), wanted))
        }
        _ => false,
    }
}
