//! JSON as a tree that keeps the order of members.
//!
//! In: the JSON text of a value. Out: a [`Tree`]. A `serde_json::Value` would sort the members by name.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Number;

/// A JSON value whose objects have their members in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Tree {
    /// Returns the member `name` of an object.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(known, _)| known == name).map(|(_, it)| it),
            _ => None,
        }
    }

    /// Returns the text of a string.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(it) => serializer.serialize_bool(*it),
            Self::Number(it) => it.serialize(serializer),
            Self::Text(it) => serializer.serialize_str(it),
            Self::List(it) => serializer.collect_seq(it),
            Self::Object(it) => serializer.collect_map(it.iter().map(|(name, value)| (name, value))),
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, it: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(it))
    }

    fn visit_i64<E>(self, it: i64) -> Result<Tree, E> {
        Ok(Tree::Number(it.into()))
    }

    fn visit_u64<E>(self, it: u64) -> Result<Tree, E> {
        Ok(Tree::Number(it.into()))
    }

    fn visit_f64<E>(self, it: f64) -> Result<Tree, E> {
        Ok(Number::from_f64(it).map_or(Tree::Null, Tree::Number))
    }

    fn visit_str<E>(self, it: &str) -> Result<Tree, E> {
        Ok(Tree::Text(it.to_owned()))
    }

    fn visit_string<E>(self, it: String) -> Result<Tree, E> {
        Ok(Tree::Text(it))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(it) = all.next_element()? {
            list.push(it);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Tree, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = all.next_entry()? {
            members.push(member);
        }
        Ok(Tree::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stay_in_their_order() {
        let tree: Tree = serde_json::from_str(r#"{"z":1,"a":[-1,2.0,null,true,"x"]}"#).expect("JSON");
        let list = vec![
            Tree::Number((-1).into()),
            Tree::Number(Number::from_f64(2.0).expect("a number")),
            Tree::Null,
            Tree::Bool(true),
            Tree::Text("x".to_owned()),
        ];
        let members = vec![("z".to_owned(), Tree::Number(1.into())), ("a".to_owned(), Tree::List(list))];
        assert_eq!(tree, Tree::Object(members));
        assert_eq!(tree.member("z"), Some(&Tree::Number(1.into())));
    }
}
