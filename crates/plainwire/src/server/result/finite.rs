//! The search for numbers that JSON can't express: NaN and infinity, which `serde_json` writes as `null`.
//!
//! In: a value. Out: the first such number and where it is. Nothing is written. The value is only searched if
//! its JSON has a `null`, so that other results cost nothing.

use std::fmt::{self, Display};

use serde::Serialize;
use serde::ser::{
    self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Returns an error that names the first number in `value` that is not finite. `json` is the JSON of the value.
pub(super) fn check(value: &impl Serialize, json: &str) -> Result<(), String> {
    if !json.contains("null") {
        return Ok(());
    }
    match value.serialize(Search { index: 0, key: String::new(), variant: "" }) {
        Err(Stop::Found { at, number }) if at.is_empty() => {
            Err(format!("expected a finite number, but found {number}"))
        }
        Err(Stop::Found { at, number }) => {
            Err(format!("expected a finite number in `{at}`, but found {number}"))
        }
        // The value has been written as JSON before.
        Err(Stop::Other) | Ok(()) => Ok(()),
    }
}

/// A serializer that only looks at numbers.
struct Search {
    /// The number of elements of a list that have been searched.
    index: usize,
    /// The key of a map that was serialized last: the next value belongs to it.
    key: String,
    /// The variant whose fields are searched; empty outside of variants.
    variant: &'static str,
}

/// The reason why the search ended early.
#[derive(Debug)]
enum Stop {
    /// A number is not finite. `at` is its place, as in `points[3].x`; empty for the value itself.
    Found { at: String, number: f64 },
    /// The value refuses to be serialized.
    Other,
}

impl Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Stop {}

impl ser::Error for Stop {
    fn custom<T: Display>(_: T) -> Self {
        Self::Other
    }
}

type Searched = Result<(), Stop>;

fn number(number: f64) -> Searched {
    if number.is_finite() { Ok(()) } else { Err(Stop::Found { at: String::new(), number }) }
}

/// Searches `value`, which is at `place` of a larger value: `.name`, `name` or `[3]`.
fn inside<T: Serialize + ?Sized>(place: impl FnOnce() -> String, value: &T) -> Searched {
    value.serialize(Search { index: 0, key: String::new(), variant: "" }).map_err(|stop| match stop {
        Stop::Found { at, number } => {
            let joint = if at.is_empty() || at.starts_with('[') { "" } else { "." };
            Stop::Found { at: place() + joint + &at, number }
        }
        Stop::Other => Stop::Other,
    })
}

impl Search {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Searched {
        let (index, variant) = (self.index, self.variant);
        self.index += 1;
        inside(|| format!("{variant}[{index}]"), value)
    }
}

/// Writes methods that find nothing in values of these types.
macro_rules! nothing_in {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, _: $type) -> Searched {
            Ok(())
        })*
    };
}

impl Serializer for Search {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    nothing_in!(
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8],
        serialize_unit_struct: &'static str
    );

    fn serialize_f32(self, found: f32) -> Searched {
        number(found.into())
    }

    fn serialize_f64(self, found: f64) -> Searched {
        number(found)
    }

    fn serialize_none(self) -> Searched {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Searched {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Searched {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Searched {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Searched {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Searched {
        inside(|| variant.to_owned(), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Stop> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Stop> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Stop> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, Stop> {
        Ok(Self { variant, ..self })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Stop> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Stop> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, Stop> {
        Ok(Self { variant, ..self })
    }
}

/// Writes the implementations for lists, which number their elements.
macro_rules! lists {
    ($($list:ident: $method:ident),*) => {
        $(impl $list for Search {
            type Ok = ();
            type Error = Stop;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Searched {
                self.element(value)
            }

            fn end(self) -> Searched {
                Ok(())
            }
        })*
    };
}

lists!(
    SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

/// Writes the implementations for structs, which name their fields.
macro_rules! structs {
    ($($one:ident),*) => {
        $(impl $one for Search {
            type Ok = ();
            type Error = Stop;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Searched {
                inside(|| if self.variant.is_empty() { name.to_owned() } else { format!("{}.{name}", self.variant) }, value)
            }

            fn end(self) -> Searched {
                Ok(())
            }
        })*
    };
}

structs!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Search {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Searched {
        // Keys of JSON are texts and whole numbers, which other keys are converted to.
        self.key = serde_json::to_value(key).map_or_else(
            |_| String::new(),
            |key| match key {
                serde_json::Value::String(text) => text,
                other => other.to_string(),
            },
        );
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Searched {
        inside(|| self.key.clone(), value)
    }

    fn end(self) -> Searched {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Serialize)]
    struct Plot {
        points: Vec<Point>,
        labels: BTreeMap<u8, Shade>,
        none: Option<f64>,
    }

    #[derive(Serialize)]
    struct Point(f64, f32);

    #[derive(Serialize)]
    enum Shade {
        Grey(f64),
        Of { red: f64 },
    }

    fn checked(value: &impl Serialize) -> Result<(), String> {
        check(value, &serde_json::to_string(value).expect("JSON"))
    }

    #[test]
    fn the_error_names_the_first_number_that_is_not_finite() {
        let plot = |x, y, grey, red| Plot {
            points: vec![Point(0.0, 1.0), Point(x, y)],
            labels: BTreeMap::from([(7, Shade::Grey(grey)), (8, Shade::Of { red })]),
            none: None,
        };
        let (nan, more) = (f64::NAN, f64::INFINITY);
        for (value, found) in [
            (plot(nan, 1.0, 0.0, 0.0), "in `points[1][0]`, but found NaN"),
            (plot(1.0, f32::NEG_INFINITY, nan, 0.0), "in `points[1][1]`, but found -inf"),
            (plot(1.0, 1.0, more, nan), "in `labels.7.Grey`, but found inf"),
            (plot(1.0, 1.0, 0.0, nan), "in `labels.8.Of.red`, but found NaN"),
        ] {
            assert_eq!(checked(&value), Err(format!("expected a finite number {found}")));
        }
        assert_eq!(checked(&plot(1.0, 1.0, 0.0, 0.0)), Ok(()), "`None` is `null`");
        assert_eq!(checked(&nan), Err("expected a finite number, but found NaN".to_owned()));
    }
}
