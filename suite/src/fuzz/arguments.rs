//! Fuzz target for arguments: an accepted value stays equal when it is written and read again, and an error
//! is one line.
//!
//! In: a byte that picks a type, then JSON text. The types have the features of argument types: bounds,
//! options, defaults, nesting, enums of each kind, maps, and recursion.

use std::collections::BTreeMap;
use std::fmt::Debug;

use plainwire::schema::read;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::json;

/// Reads the text as the type that the first byte picks.
pub fn arguments(data: &[u8]) {
    let Some((which, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    match which % 4 {
        0 => keeps::<Order>(&text),
        1 => keeps::<Tree>(&text),
        2 => keeps::<Choices>(&text),
        _ => keeps::<Numbers>(&text),
    }
}

fn keeps<T: Debug + DeserializeOwned + JsonSchema + PartialEq + Serialize>(text: &str) {
    match read::<T>(text) {
        Ok(value) => {
            let written = serde_json::to_string(&value).expect("what was read can be written");
            match read::<T>(&written) {
                Ok(again) => assert_eq!(again, value, "{text:?} became {written}"),
                Err(why) => panic!("{text:?} was taken, {written} was not: {}", why.0),
            }
        }
        Err(why) => {
            let why = why.0;
            assert!(why.chars().count() <= 1000 && !why.contains('\n'), "{text:?}: {why}");
            assert!(why.contains("`arguments") || !json::is_json(text), "no place: {why}");
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
struct Order {
    #[schemars(range(min = 1, max = 100))]
    count: u8,
    #[serde(default = "urgent")]
    urgency: i16,
    #[schemars(length(min = 1, max = 8))]
    name: String,
    note: Option<String>,
    #[serde(default)]
    tags: Vec<Option<String>>,
    to: Option<Address>,
}

fn urgent() -> i16 {
    3
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Address {
    #[serde(default)]
    post_box: bool,
    #[serde(alias = "town")]
    city: String,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
struct Tree {
    value: i64,
    left: Option<Box<Self>>,
    #[serde(default)]
    #[schemars(length(max = 3))]
    more: Vec<Self>,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
struct Choices {
    plain: Option<Level>,
    #[serde(default)]
    inside: Vec<Inside>,
    beside: Option<Beside>,
    named: BTreeMap<String, Level>,
    any: Option<Any>,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    High,
    Low,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "kind")]
enum Inside {
    Move { by: i8 },
    Stay,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
enum Beside {
    Nothing,
    Pair(u8, bool),
    Point { x: i32, y: Option<i32> },
    Text(String),
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(untagged)]
enum Any {
    Flag(bool),
    Many(Vec<u16>),
    Word(String),
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
struct Numbers {
    #[serde(default)]
    near: Near,
    large: Option<u64>,
    small: Option<i64>,
    #[schemars(range(min = -0.5, max = 1e9))]
    share: Option<Near>,
    pair: Option<(u8, i8)>,
}

/// A number that may be read as its neighbour: serde_json parses fast and does not always round to nearest.
#[derive(Debug, Default, Deserialize, JsonSchema, Serialize)]
struct Near(f64);

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        (self.0 - other.0).abs() <= self.0.abs() * 1e-15
    }
}
