//! The value of a tool's result.
//!
//! In: a result. Out: a value of the caller's type, from the structured content, or from the text of a server
//! that sends none. A value that is no object is also read from the object that older revisions need around it.

use plainwire_proto::model::{CallToolResult, Content};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::decode;
use crate::error::{Error, Result};
use crate::tool_failure::ToolFailure;

/// Returns the value of a tool's result: see [`Client::call`].
pub(crate) fn value_of<T: DeserializeOwned>(result: &CallToolResult) -> Result<T> {
    let texts: Vec<&str> = result.content.iter().filter_map(Content::as_text).collect();
    let text = texts.join("\n");
    if result.is_error {
        return Err(Error::Tool { text, failure: ToolFailure::of(result).map(Box::new) });
    }
    // Some servers write a missing member as `null`.
    let is_missing = |structured: &RawValue| structured.get() == "null" && !matches!(&*text, "" | "null");
    if let Some(structured) = result.structured_content.as_ref().filter(|it| !is_missing(it)) {
        let inside = wrapped(structured);
        // A text without the object says that the object is only a wrapper, even if a `T` could be made from it.
        let (first, second) = match inside {
            Some(inside) if is_text_of(inside, &text) => (inside, Some(&**structured)),
            _ => (&**structured, inside),
        };
        return decode(first).or_else(|error| second.and_then(|it| decode(it).ok()).ok_or(error));
    }
    let is_empty = text.is_empty();
    if is_empty && let Some(other) = result.content.iter().find(|it| it.as_text().is_none()) {
        let message = format!(
            "expected a text or structured content, but found {}: `call_tool` returns it",
            kind_of(other)
        );
        return Err(Error::Decode { message });
    }
    serde_json::from_str(&text)
        .or_else(|_| serde_json::from_value(text.into()))
        // A tool that returns `()` sends nothing.
        .or_else(|error| if is_empty { serde_json::from_str("null") } else { Err(error) })
        .map_err(|error| super::other_type(&error))
}

/// Returns what a block of content is, in words.
fn kind_of(block: &Content) -> &'static str {
    match block {
        Content::Image(_) => "an image",
        Content::Audio(_) => "audio",
        _ => "a block of content",
    }
}

/// Returns the value in `{"result": …}`, if the object has no other member. In such objects servers send values
/// that are no objects, to clients of revisions before 2026-07-28.
fn wrapped(structured: &RawValue) -> Option<&RawValue> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapper<'s> {
        #[serde(borrow)]
        result: &'s RawValue,
    }
    serde_json::from_str::<Wrapper<'_>>(structured.get()).ok().map(|it| it.result)
}

/// Returns whether `text` is the value `json`: its JSON, or, for a string, the string.
fn is_text_of(json: &RawValue, text: &str) -> bool {
    let value = || serde_json::from_str::<Value>(json.get()).ok();
    json.get() == text
        || value()
            .is_some_and(|it| it == text || serde_json::from_str(text).is_ok_and(|text: Value| text == it))
}
