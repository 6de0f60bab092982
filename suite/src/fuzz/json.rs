//! A second JSON reader, on top of serde_json, with which ours is compared.
//!
//! In: text. Out: whether it is JSON, its depth, and its members in order, with repeated ones. Values stay
//! text: a tree would refuse numbers that are too large for it, and would drop repeated members.

use std::fmt;

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Returns whether `text` is JSON, of any depth and with numbers of any size.
pub(super) fn is_json(text: &str) -> bool {
    // `IgnoredAny` skips strings without checking for lone surrogates.
    serde_json::from_str::<IgnoredAny>(text).is_ok()
        && strings(text).all(|string| serde_json::from_str::<String>(string).is_ok())
}

/// Returns the maximum depth of `text`, which is JSON.
pub(super) fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut at) = (0usize, 0, 0);
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => at = end_of_string(text, at) - 1,
            _ => {}
        }
        deepest = deepest.max(depth);
        at += 1;
    }
    deepest
}

/// Returns the members of an object, with decoded names and raw values; `None` for anything else.
pub(super) fn members(text: &str) -> Option<Vec<(String, String)>> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, String)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                members.push((name, value.get().to_owned()));
            }
            Ok(members)
        }
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let members = json.deserialize_map(Members).ok()?;
    json.end().is_ok().then_some(members)
}

/// Returns the elements of a JSON array, or `text` itself if it is no array.
pub(super) fn messages(text: &str) -> Vec<String> {
    match serde_json::from_str::<Vec<Box<RawValue>>>(text) {
        Ok(elements) => elements.iter().map(|it| it.get().to_owned()).collect(),
        Err(_) => vec![text.to_owned()],
    }
}

/// Returns the value of the last member of this name, which is the one that most readers use.
pub(super) fn last<'m>(members: &'m [(String, String)], name: &str) -> Option<&'m str> {
    members.iter().rev().find(|(it, _)| it == name).map(|(_, value)| &**value)
}

/// Returns whether there are several members of this name.
pub(super) fn is_repeated(members: &[(String, String)], name: &str) -> bool {
    members.iter().filter(|(it, _)| it == name).count() > 1
}

/// Returns the decoded string, if `text` is a JSON string.
pub(super) fn string(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

fn strings(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find('"')?;
        at = end_of_string(text, start);
        Some(&text[start..at])
    })
}

/// Returns the offset after the string that begins at `start`, or the end of the text.
fn end_of_string(text: &str, start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match text.as_bytes().get(at) {
            None => return text.len(),
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}
