//! Arguments that several tools have.

use std::fmt;

use plainwire::prelude::*;
use plainwire::schemars::{Schema, SchemaGenerator, json_schema};
use plainwire::serde::de::{self, Deserializer, SeqAccess, Visitor};

/// The largest number of elements of a list.
pub(crate) const MAX_ELEMENTS: usize = 1_000;

/// Several texts: a list, JSON text of a list, or text with commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts(pub(crate) Vec<String>);

impl Texts {
    /// Returns the elements.
    pub(crate) fn all(&self) -> &[String] {
        &self.0
    }
}

impl Serialize for Texts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of texts, or text with commas")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Texts, E> {
        let listed = match serde_json::from_str::<Value>(text) {
            Ok(Value::Array(all)) => all.iter().map(text_of).collect(),
            _ => text.split(',').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect(),
        };
        bounded(listed)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Texts, E> {
        Ok(Texts(vec![number.to_string()]))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Texts, E> {
        Ok(Texts(vec![number.to_string()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Texts, A::Error> {
        let mut texts = Vec::new();
        while let Some(value) = all.next_element::<Value>()? {
            if texts.len() == MAX_ELEMENTS {
                return Err(de::Error::custom(format!(
                    "expected at most {MAX_ELEMENTS} elements, but found more"
                )));
            }
            texts.push(text_of(&value));
        }
        Ok(Texts(texts))
    }
}

fn bounded<E: de::Error>(texts: Vec<String>) -> Result<Texts, E> {
    if texts.len() > MAX_ELEMENTS {
        return Err(E::custom(format!(
            "expected at most {MAX_ELEMENTS} elements, but found {}",
            texts.len()
        )));
    }
    Ok(Texts(texts))
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |it| it.trim().to_owned())
}

impl JsonSchema for Texts {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Texts".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["array", "string"], "items": { "type": "string" } })
    }
}

/// A page of a list: where it begins, and how long it is.
pub(crate) fn limit(wanted: Option<u64>, default: u64, most: u64) -> u64 {
    wanted.unwrap_or(default).clamp(1, most)
}

#[cfg(test)]
mod tests {
    use plainwire::prelude::*;

    use super::Texts;

    #[test]
    fn texts_are_a_list_json_text_or_text_with_commas() {
        for value in [json!(["a", "b"]), json!("[\"a\",\"b\"]"), json!("a, b,")] {
            let texts: Texts = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(texts.all(), ["a", "b"], "{value}");
        }
        let numbers: Texts = serde_json::from_value(json!([1, 2])).unwrap();
        assert_eq!(numbers.all(), ["1", "2"]);
        let many = json!(vec!["a"; super::MAX_ELEMENTS + 1]);
        assert!(serde_json::from_value::<Texts>(many).is_err());
    }
}
