//! The fields of a struct in the order of their declaration. Schemas lose this order, because their maps are
//! sorted.
//!
//! In: a type. Out: the field names that its `Deserialize` requests. The `deserialize` of the type is called
//! once and gets no data, so that no value of the type is ever made. A type that is no struct, or has a
//! flattened field, yields no names.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Error as _, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

/// Returns the names of the fields of `T` in the order of their declaration; none if `T` is no struct or has
/// a flattened field. A newtype has the fields of the type inside it.
pub(crate) fn fields<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    // A hand-written `Deserialize` may panic on input that arguments never have. The server then runs without
    // an order.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(T::deserialize(Probe(&mut fields)))));
    fields
}

/// A deserializer that records the fields that a type requests, and then fails.
struct Probe<'f>(&'f mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only asking"))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, v: V) -> Result<V::Value, Error> {
        v.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
