//! Values of headers: plain ASCII as it is, and anything else in base64 between marks.
//!
//! In: text of a body, or of a header. Out: the other one.
//!
//! Source: 2026-07-28 `streamable-http` "Value Encoding".

use std::borrow::Cow;

use super::{is_plain, mismatch};
use crate::base64;
use crate::error::Error;
use crate::json::shorten;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// Returns `text` as the value of a header.
///
/// In base64 is what is not plain ASCII, what has blanks around it, which would be lost, and what looks like base64 itself.
pub fn encode_value(text: &str) -> Cow<'_, str> {
    let blank = |c: char| c == ' ' || c == '\t';
    let lossy = text.starts_with(blank) || text.ends_with(blank) || !text.bytes().all(is_plain);
    let looks_encoded = text.starts_with(PREFIX) && text.ends_with(SUFFIX);
    if lossy || looks_encoded {
        return Cow::Owned(format!("{PREFIX}{}{SUFFIX}", base64::encode(text.as_bytes())));
    }
    Cow::Borrowed(text)
}

/// Base64 in a header that stands for no text.
#[derive(Debug, PartialEq, Eq)]
pub struct BadValue(String);

impl BadValue {
    /// Returns the error for the header `name`.
    pub(super) fn about(&self, name: &str) -> Error {
        mismatch(format!("expected `{name}` to be base64 of UTF-8, but found {:?}", shorten(&self.0)))
    }
}

/// Returns the text that the value of a header stands for. Without both marks, in lower case, a value is itself.
///
/// # Errors
/// [`BadValue`] for base64 that is not padded, has other digits, or is no UTF-8.
pub fn decode_value(value: &str) -> Result<Cow<'_, str>, BadValue> {
    let Some(inner) = value.strip_prefix(PREFIX).and_then(|it| it.strip_suffix(SUFFIX)) else {
        return Ok(Cow::Borrowed(value));
    };
    let text = base64::decode(inner).and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Cow::Owned).ok_or_else(|| BadValue(value.to_owned()))
}
