//! `_meta`: additional members of entries, contents and results for which the protocol has no field.
//!
//! In: any value whose JSON is an object. Out: its members, merged into those already there. Members keep
//! their order, and values their spelling. A value that is not an object is stored unchanged; [`problem`]
//! reports it when the server is checked.

use std::fmt;
use std::marker::PhantomData;

use plainwire_proto::json::shorten;
use plainwire_proto::model::{
    Annotations, CallToolResult, GetPromptResult, Icon, RawJson, ReadResourceResult, ResourceContents,
};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::prompt::Prompt;
use super::resource::{Resource, ResourceTemplate};
use super::tool::Tool;
use crate::server::result::{IntoPrompt, IntoResource, IntoToolResult, ToolError};

/// Merges the members of `more` into `meta`, replacing members of equal name. If `more` is not an object, it
/// replaces `meta`, and later calls of `add` change nothing, so that [`problem`] can report `more`.
pub(crate) fn add(meta: &mut Option<RawJson>, more: impl Serialize) {
    // A value that can't be serialized becomes its error message, which is no object either and is reported.
    let more = to_raw_value(&more).or_else(|error| to_raw_value(&error.to_string())).unwrap_or_default();
    let known = match meta.as_deref() {
        None => Ok(Members::default()),
        Some(known) => Members::read(known),
    };
    // `meta` is not an object: this first mistake is kept until it is reported.
    let Ok(mut all) = known else { return };
    *meta = Some(match Members::read(&more) {
        Ok(more) => {
            more.0.into_iter().for_each(|(name, value)| all.set(name, value));
            to_raw_value(&all).unwrap_or_default()
        }
        Err(_) => more,
    });
}

/// Merges the members of `more` into the object `name` in `meta`, as [`add`] does.
pub(crate) fn add_in(meta: &mut Option<RawJson>, name: &str, more: impl Serialize) {
    let mut inner = meta.as_deref().and_then(|meta| member(meta, name));
    add(&mut inner, more);
    add(meta, Members(inner.into_iter().map(|inner| (name.to_owned(), inner)).collect()));
}

/// Returns the member `name` of `meta`; `None` if it has none, or is not an object.
pub(crate) fn member(meta: &RawValue, name: &str) -> Option<RawJson> {
    let members = Members::read(meta).ok()?.0;
    members.into_iter().find_map(|(known, value)| (known == name).then_some(value))
}

/// Returns the error message if `meta` is not an object.
pub(crate) fn problem(meta: &RawValue) -> Option<String> {
    let found = shorten(meta.get());
    Members::read(meta).err().map(|_| format!("expected `_meta` to be a JSON object, but found {found}"))
}

/// The members of a JSON object, in the order of its text.
#[derive(Default)]
struct Members(Vec<(String, RawJson)>);

impl Members {
    fn read(json: &RawValue) -> serde_json::Result<Self> {
        serde_json::from_str(json.get())
    }

    fn set(&mut self, name: String, value: RawJson) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => self.0.push((name, value)),
        }
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Members::default();
                while let Some((name, value)) = map.next_entry()? {
                    members.set(name, value);
                }
                Ok(members)
            }
        }

        from.deserialize_map(Object)
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

macro_rules! builders {
    ($($builder:ty),*) => {
        $(impl $builder {
            /// Adds members to `_meta`, which clients read: any value whose JSON is an object, such as
            /// `json!({ … })`.
            ///
            /// Further calls add members, and replace members of equal name. A value that is not an object is
            /// reported when the server starts. Clients of revision 2025-06-18 and later get the members;
            /// older revisions have no `_meta` on entries.
            #[must_use]
            pub fn meta(mut self, meta: impl Serialize) -> Self {
                add(&mut self.entry.meta, meta);
                self
            }
        })*
    };
}

builders!(Prompt, Resource, ResourceTemplate, Tool);

macro_rules! icons {
    ($($builder:ty),*) => {
        $(impl $builder {
            /// Adds an icon, which clients of revision 2025-11-25 and later may show to users.
            #[must_use]
            pub fn icon(mut self, icon: Icon) -> Self {
                self.entry.icons.push(icon);
                self
            }
        })*
    };
}

icons!(Prompt, Resource, ResourceTemplate, Tool);

macro_rules! annotations {
    ($($builder:ty),*) => {
        $(impl $builder {
            /// Sets for whom the content is, how important it is, and when it last changed, as lists show it.
            ///
            /// ```
            /// use plainwire::model::{Annotations, Role};
            /// use plainwire::prelude::*;
            ///
            /// let log = Resource::new("log://today", "log", || async { "all is well" })
            ///     .annotations(Annotations { audience: vec![Role::User], priority: Some(0.2), ..Annotations::default() });
            /// # drop(log);
            /// ```
            #[must_use]
            pub fn annotations(mut self, annotations: Annotations) -> Self {
                self.entry.annotations = Some(annotations);
                self
            }
        })*
    };
}

annotations!(Resource, ResourceTemplate);

/// A return value with `_meta` beside it, which is for clients and [views](super::apps), not for models.
///
/// For tools and prompts, the `_meta` is added to the result; for resources, to each of the contents in the
/// result.
///
/// ```
/// use plainwire::handler::WithMeta;
/// use plainwire::prelude::*;
///
/// /// Returns how many there are.
/// #[tool(read_only)]
/// async fn count() -> WithMeta<u32> {
///     WithMeta::new(3, json!({ "example.com/counted": "2026-03-01" }))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let client = plainwire::testing::client(plainwire::server!("counter").tool(count)).await?;
/// let result = client.call_tool("count", json!({})).await?;
/// assert_eq!(result.structured_content.expect("a number").get(), "3");
/// assert!(result.meta.expect("what stands beside it").get().contains("2026-03-01"));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct WithMeta<T> {
    meta: Option<RawJson>,
    value: T,
}

impl<T> WithMeta<T> {
    /// Adds `meta` to `value`: any value whose JSON is an object. With any other value, the call fails.
    pub fn new(value: T, meta: impl Serialize) -> Self {
        let mut it = Self { meta: None, value };
        add(&mut it.meta, meta);
        it
    }

    fn split(self) -> Result<(T, Option<RawJson>), ToolError> {
        match self.meta.as_deref().and_then(problem) {
            Some(problem) => Err(ToolError::failed(problem)),
            None => Ok((self.value, self.meta)),
        }
    }
}

/// The marker, in [`IntoToolResult`], of a [`WithMeta`] whose value has the marker `M`.
#[derive(Debug)]
pub struct Beside<M>(PhantomData<M>);

impl<M: 'static, T: IntoToolResult<M>> IntoToolResult<Beside<M>> for WithMeta<T> {
    fn output_schema() -> Option<RawJson> {
        T::output_schema()
    }

    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        let (value, meta) = self.split()?;
        let mut result = value.into_tool_result()?;
        add(&mut result.meta, meta);
        Ok(result)
    }
}

impl<T: IntoResource> IntoResource for WithMeta<T> {
    const MIME_TYPE: Option<&'static str> = T::MIME_TYPE;

    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        let (value, meta) = self.split()?;
        let mut result = value.into_resource(uri, mime_type)?;
        result.contents.iter_mut().for_each(|contents| add(of(contents), &meta));
        Ok(result)
    }
}

impl<T: IntoPrompt> IntoPrompt for WithMeta<T> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        let (value, meta) = self.split()?;
        let mut result = value.into_prompt()?;
        add(&mut result.meta, meta);
        Ok(result)
    }
}

/// Returns the `_meta` of the contents of a resource, which are text or binary.
pub(crate) fn of(contents: &mut ResourceContents) -> &mut Option<RawJson> {
    match contents {
        ResourceContents::Blob(it) => &mut it.meta,
        ResourceContents::Text(it) => &mut it.meta,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(text: &str) -> RawJson {
        RawValue::from_string(text.to_owned()).expect("JSON")
    }

    fn check(parts: &[&str], expected: &str) {
        let mut meta = None;
        parts.iter().for_each(|part| add(&mut meta, raw(part)));
        assert_eq!(meta.expect("something").get(), expected, "{parts:?}");
    }

    #[test]
    fn members_keep_their_order_and_values_their_spelling() {
        check(&[r#"{"z":1.00,"a":[ 1 ]}"#], r#"{"z":1.00,"a":[ 1 ]}"#);
        check(&[r#"{"z":1}"#, r#"{"a":2}"#], r#"{"z":1,"a":2}"#);
        check(&[r#"{"z":1,"a":2}"#, r#"{"z":3}"#], r#"{"z":3,"a":2}"#);
        check(&[r#"{"z":1}"#, "{}"], r#"{"z":1}"#);
    }

    #[test]
    fn members_are_added_inside_of_an_object_that_may_be_there() {
        let mut meta = None;
        add_in(&mut meta, "ui", json!({ "a": 1 }));
        add(&mut meta, json!({ "b": 2 }));
        add_in(&mut meta, "ui", json!({ "c": 3 }));
        assert_eq!(meta.expect("something").get(), r#"{"ui":{"a":1,"c":3},"b":2}"#);
    }

    #[test]
    fn what_is_no_object_stays_until_it_is_reported() {
        for (parts, found) in [(["5", "{}"], "5"), (["{}", "[1]"], "[1]"), (["null", "5"], "null")] {
            let mut meta = None;
            parts.iter().for_each(|part| add(&mut meta, raw(part)));
            let expected = format!("expected `_meta` to be a JSON object, but found {found}");
            assert_eq!(problem(&meta.expect("something")), Some(expected));
        }
        let mut meta = None;
        add(&mut meta, std::collections::BTreeMap::from([((1, 2), 3)]));
        assert!(problem(&meta.expect("something")).is_some_and(|it| it.contains("key must be a string")));
    }
}
