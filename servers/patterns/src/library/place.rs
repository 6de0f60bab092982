//! Values of a JSON text with their places: what a value is, and where in the text it stands.
//!
//! In: a text, and paths such as `patterns[3].title`. Out: offsets, lines, and values in which no member appears twice.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The members of an object, each of which appears once.
pub(super) type Members<'a> = BTreeMap<String, &'a RawValue>;

/// A sentence about a text that is no JSON, and the offset at which it stops to be some.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) offset: usize,
    pub(super) message: String,
}

/// Reads the members of an object, without what is in them.
pub(super) fn members(text: &str) -> Result<Members<'_>, Broken> {
    serde_json::from_str::<Once<&RawValue>>(text).map(|it| it.0).map_err(|error| broken(text, &error))
}

/// Reads a value. One with a member that appears twice is none, nor one that is nested too deep.
pub(super) fn value(text: &str) -> Result<Value, Broken> {
    serde_json::from_str::<Strict>(text).map(|it| it.0).map_err(|error| broken(text, &error))
}

/// Returns the part of `text` at a path such as `examples[0].code`, or the last part of it that exists.
pub(super) fn part<'a>(mut text: &'a str, path: &str) -> &'a str {
    for step in path.split(['.', '[']).map(|it| it.trim_end_matches(']')).filter(|it| !it.is_empty()) {
        let inner = match step.parse::<usize>() {
            Ok(at) => serde_json::from_str::<Vec<&RawValue>>(text).ok().and_then(|it| it.get(at).copied()),
            Err(_) => members(text).ok().and_then(|it| it.get(step).copied()),
        };
        match inner {
            Some(inner) => text = inner.get(),
            None => break,
        }
    }
    text
}

/// Returns the offset of `part` in `text`, of which it is a slice.
pub(super) fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

fn broken(text: &str, error: &serde_json::Error) -> Broken {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = (before + error.column().saturating_sub(1)).min(text.len());
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    Broken { offset, message: message.strip_suffix(&place).unwrap_or(&message).to_owned() }
}

/// An object whose members have different names.
struct Once<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Once<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Once<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    if members.contains_key(&name) {
                        return Err(twice(&name));
                    }
                    members.insert(name, value);
                }
                Ok(Once(members))
            }
        }
        deserializer.deserialize_map(Reader(std::marker::PhantomData))
    }
}

/// A value in which the members of each object have different names.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Strict;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E: Error>(self) -> Result<Strict, E> {
                Ok(Strict(Value::Null))
            }

            fn visit_bool<E: Error>(self, it: bool) -> Result<Strict, E> {
                Ok(Strict(it.into()))
            }

            fn visit_u64<E: Error>(self, it: u64) -> Result<Strict, E> {
                Ok(Strict(it.into()))
            }

            fn visit_i64<E: Error>(self, it: i64) -> Result<Strict, E> {
                Ok(Strict(it.into()))
            }

            fn visit_f64<E: Error>(self, it: f64) -> Result<Strict, E> {
                Ok(Strict(it.into()))
            }

            fn visit_str<E: Error>(self, it: &str) -> Result<Strict, E> {
                Ok(Strict(it.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Strict, A::Error> {
                let mut values = Vec::new();
                while let Some(Strict(value)) = list.next_element()? {
                    values.push(value);
                }
                Ok(Strict(values.into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Strict, A::Error> {
                let mut members = Map::new();
                while let Some((name, Strict(value))) = map.next_entry::<String, Strict>()? {
                    if members.contains_key(&name) {
                        return Err(twice(&name));
                    }
                    members.insert(name, value);
                }
                Ok(Strict(members.into()))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

fn twice<E: Error>(name: &str) -> E {
    E::custom(format_args!("expected `{}` once, but found it twice", plainwire::proto::json::shorten(name)))
}
