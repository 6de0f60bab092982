//! The arguments of a call as JSON that keeps the texts of the user.
//!
//! In: JSON texts. Out: a tree whose leaves are these texts, so that no number loses digits.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A value of an argument.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Node {
    /// JSON as it was given.
    Json(Box<RawValue>),
    /// The elements that several words give.
    List(Vec<Self>),
    /// The members that several words give.
    Object(BTreeMap<String, Self>),
}

impl Node {
    /// Returns a string.
    pub(super) fn text(text: &str) -> Self {
        Self::value(&text.into())
    }

    /// Returns a value as the node that has it.
    pub(super) fn value(value: &Value) -> Self {
        // A value is always JSON.
        Self::Json(RawValue::from_string(value.to_string()).unwrap_or_default())
    }

    /// Returns whether this is a string.
    pub(super) fn is_string(&self) -> bool {
        matches!(self, Self::Json(json) if json.get().starts_with('"'))
    }

    fn object(&mut self) -> Option<&mut BTreeMap<String, Self>> {
        if let Self::Json(json) = self {
            *self = Self::Object(members(json.get())?);
        }
        match self {
            Self::Object(members) => Some(members),
            Self::Json(_) | Self::List(_) => None,
        }
    }
}

/// Returns the members of an object; `None` if `json` is no object.
pub(super) fn members(json: &str) -> Option<BTreeMap<String, Node>> {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).ok()?;
    Some(members.into_iter().map(|(name, json)| (name, Node::Json(json))).collect())
}

/// Returns the member at the end of `path`, which is made if it is not there; `None` if a value on the way is no object.
pub(super) fn member<'o>(object: &'o mut BTreeMap<String, Node>, path: &[String]) -> Option<&'o mut Node> {
    let (first, rest) = path.split_first()?;
    let member = object.entry(first.clone()).or_insert_with(|| Node::Object(BTreeMap::new()));
    if rest.is_empty() { Some(member) } else { self::member(member.object()?, rest) }
}
