//! Arguments that name entities: SKUs or ids, and lists of them.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use plainwire::schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The largest number of elements of a list.
const MAX_LIST: usize = 1_000;

/// A variant by its SKU or its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Reference {
    Id(i64),
    Sku(String),
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Sku(sku) => f.write_str(&crate::fault::shown(sku)),
        }
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Reference;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a SKU or an id")
            }

            fn visit_i64<E: de::Error>(self, id: i64) -> Result<Reference, E> {
                Ok(Reference::Id(id))
            }

            fn visit_u64<E: de::Error>(self, id: u64) -> Result<Reference, E> {
                i64::try_from(id).map(Reference::Id).map_err(E::custom)
            }

            fn visit_str<E: de::Error>(self, sku: &str) -> Result<Reference, E> {
                match sku.trim() {
                    "" => Err(E::custom("expected a SKU or an id, but found an empty text")),
                    sku => Ok(Reference::Sku(sku.to_owned())),
                }
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for Reference {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Reference".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "integer"] })
    }
}

/// The largest number of characters of a text.
const MAX_TEXT: usize = 2_000;

/// A text of up to 2,000 characters, such as notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.chars().count() {
            ..=MAX_TEXT => Ok(Self(text)),
            found => {
                Err(de::Error::custom(format!("expected at most {MAX_TEXT} characters, but found {found}")))
            }
        }
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// A list of up to 1,000 elements, which may also be one element, a text with commas, or a text with JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct List<T>(pub Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);

        impl<'de, T: DeserializeOwned> de::Visitor<'de> for Visitor<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<List<T>, A::Error> {
                let all = Vec::<T>::deserialize(SeqAccessDeserializer::new(seq))?;
                bounded(all)
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<List<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|one| List(vec![one]))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<List<T>, E> {
                one(Value::from(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<List<T>, E> {
                one(Value::from(number))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<List<T>, E> {
                if text.trim_start().starts_with('[') {
                    return bounded(serde_json::from_str(text).map_err(E::custom)?);
                }
                let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
                let read = |part: &str| match T::deserialize(StrDeserializer::<E>::new(part)) {
                    Ok(it) => Ok(it),
                    Err(error) => {
                        part.parse::<i64>().map_err(|_| error).and_then(|number| one_of(number.into()))
                    }
                };
                bounded(parts.map(read).collect::<Result<_, E>>()?)
            }
        }

        fn one_of<T: DeserializeOwned, E: de::Error>(value: Value) -> Result<T, E> {
            T::deserialize(value).map_err(E::custom)
        }

        fn one<T: DeserializeOwned, E: de::Error>(value: Value) -> Result<List<T>, E> {
            one_of(value).map(|it| List(vec![it]))
        }

        fn bounded<T, E: de::Error>(all: Vec<T>) -> Result<List<T>, E> {
            match all.len() {
                0..=MAX_LIST => Ok(List(all)),
                count => Err(E::custom(format!("expected at most {MAX_LIST} elements, but found {count}"))),
            }
        }

        deserializer.deserialize_any(Visitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for List<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("List_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<T>();
        json_schema!({ "type": "array", "items": items })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_may_be_one_element_or_a_text_r5_20() {
        let list = |json: &str| {
            serde_json::from_str::<List<Reference>>(json).map(|it| it.0).map_err(|it| it.to_string())
        };
        let expected = vec![Reference::Sku("A-1".to_owned()), Reference::Sku("7".to_owned())];
        assert_eq!(list(r#"["A-1", "7"]"#), Ok(expected.clone()));
        assert_eq!(list(r#""A-1, 7""#), Ok(expected.clone()));
        assert_eq!(list(r#""[\"A-1\",\"7\"]""#), Ok(expected));
        assert_eq!(list("7"), Ok(vec![Reference::Id(7)]));
        let ids = serde_json::from_str::<List<i64>>(r#""1,2""#).map(|it| it.0).ok();
        assert_eq!(ids, Some(vec![1, 2]));
        assert_eq!(list("[]"), Ok(Vec::new()));
        assert!(list(&format!("[{}1]", "1,".repeat(1000))).is_err_and(|it| it.contains("found 1001")));
    }
}
