//! Kinds: values whose JSON says what they are, by a member `kind` such as `bookDetails:v1`.
//!
//! In: types with `#[data(kind = "…")]` or `#[data(kinds)]`, and results of tools. Out: the payload of a result, read as
//! the type of its kind.

use plainwire_proto::json::{MAX_VALUES, has_too_many_values, shorten};
use plainwire_proto::model::{CallToolResult, Content};
use schemars::Schema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::{Error, Result};

/// A type whose values have a member `kind` in their JSON, which says what a value is, and in which version. A program that
/// reads results of many tools goes by it, and not by the name of the tool.
///
/// `#[data(kind = "bookDetails:v1")]` implements it for a struct, and `#[data(kinds)]` for an enum of such structs:
///
/// ```
/// use plainwire::kind::{self, Kinds as _};
/// use plainwire::prelude::*;
///
/// #[data(kind = "bookDetails:v1")]
/// struct Book {
///     title: String,
/// }
///
/// #[data(kind = "noBook:v1")]
/// struct NoBook {
///     similar: Vec<String>,
/// }
///
/// #[data(kinds)]
/// enum Found {
///     Book(Book),
///     None(NoBook),
/// }
///
/// /// Looks for a book.
/// #[tool(read_only)]
/// async fn find(title: String) -> Found {
///     match &*title {
///         "Moss" => Found::Book(Book { title }),
///         _ => Found::None(NoBook { similar: vec!["Moss".to_owned()] }),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// assert_eq!(Found::kinds(), ["bookDetails:v1", "noBook:v1"]);
/// let client = plainwire::testing::client(plainwire::server!("library").tool(find)).await?;
/// let result = client.call_tool("find", json!({ "title": "Moos" })).await?;
/// assert_eq!(result.content[0].as_text(), Some(r#"{"kind":"noBook:v1","similar":["Moss"]}"#));
/// let Found::None(none) = kind::payload(&result)? else { panic!("no book") };
/// assert_eq!(none.similar, ["Moss"]);
/// # Ok(())
/// # }
/// ```
pub trait Kinds {
    /// Returns the kinds that a value can have.
    fn kinds() -> Vec<&'static str>;
}

/// Returns the payload of a result as a `T`: the structured content if it has a kind, and otherwise the last text block
/// that is a JSON object with a kind. A host may have dropped either, and the media type of a block does not matter.
///
/// # Errors
/// [`Error::Decode`] if nothing in the result has a kind, if the payload has a kind that `T` does not have, if it has more
/// than 262,144 values, and if it can't be read as one of `T`.
pub fn payload<T: Kinds + DeserializeOwned>(result: &CallToolResult) -> Result<T> {
    let wrong = |message: String| Error::Decode { message };
    let structured = result.structured_content.as_ref().map(|it| it.get());
    let texts = result.content.iter().rev().filter_map(Content::as_text);
    let mut payloads = structured.into_iter().chain(texts).filter_map(|text| Some((kind_in(text)?, text)));
    let Some((kind, payload)) = payloads.next() else {
        let expected = list(&T::kinds());
        return Err(wrong(format!("expected a result with the kind {expected}, but found none with a kind")));
    };
    check_kind::<T>(Some(&kind)).map_err(wrong)?;
    if has_too_many_values(payload) {
        return Err(wrong(format!(
            "expected the payload to have at most {MAX_VALUES} values, but found more"
        )));
    }
    serde_json::from_str(payload)
        .map_err(|error| wrong(format!("expected the payload to fit its kind, but found: {error}")))
}

/// Returns the kind of a JSON object in `text`, without a tree of the other members; `None` for other text.
fn kind_in(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        kind: String,
    }
    text.trim_start().starts_with('{').then(|| serde_json::from_str::<Head>(text).ok())?.map(|it| it.kind)
}

/// Checks that a value has one of the kinds of `T`.
///
/// # Errors
/// A sentence about the kind that was found.
pub fn check<T: Kinds>(value: &Value) -> std::result::Result<(), String> {
    check_kind::<T>(value.as_object().and_then(|it| it.get("kind")?.as_str()))
}

fn check_kind<T: Kinds>(found: Option<&str>) -> std::result::Result<(), String> {
    match found {
        Some(kind) if T::kinds().contains(&kind) => Ok(()),
        found => Err(format!(
            "expected `kind` to be {}, but found {}",
            list(&T::kinds()),
            found.map_or_else(|| "none".to_owned(), |it| format!("{:?}", shorten(it)))
        )),
    }
}

/// Adds the member `kind` to the schema of a struct: `#[data(kind = "…")]` calls it.
pub fn mark(schema: &mut Schema, kind: &str) {
    let object = schema.ensure_object();
    let properties = object.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert("kind".to_owned(), json!({ "type": "string", "const": kind }));
    }
    let required = object.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.insert(0, "kind".into());
    }
}

/// Returns kinds as a part of a sentence.
fn list(kinds: &[&str]) -> String {
    kinds.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(" or ")
}
