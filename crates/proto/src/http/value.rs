//! Values of headers: plain ASCII as it is, other text in base64 between the markers `=?base64?` and `?=`.
//!
//! In: text from a body, or the value of a header. Out: the value of a header, or text.
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
/// Base64 is used for text that is not plain ASCII, for text with surrounding white space, which would be
/// lost, and for text that itself begins and ends with the markers of base64.
pub fn encode_value(text: &str) -> Cow<'_, str> {
    let blank = |c: char| c == ' ' || c == '\t';
    let lossy = text.starts_with(blank) || text.ends_with(blank) || !text.bytes().all(is_plain);
    let looks_encoded = text.starts_with(PREFIX) && text.ends_with(SUFFIX);
    if lossy || looks_encoded {
        return Cow::Owned(format!("{PREFIX}{}{SUFFIX}", base64::encode(text.as_bytes())));
    }
    Cow::Borrowed(text)
}

/// A header value in base64 that does not decode to text.
#[derive(Debug, PartialEq, Eq)]
pub struct BadValue(String);

impl BadValue {
    /// Returns the error for a header `name` that has this invalid value.
    pub(super) fn about(&self, name: &str) -> Error {
        mismatch(format!("expected `{name}` to be base64 of UTF-8, but found {:?}", shorten(&self.0)))
    }
}

/// Returns the text of a header value. A value without both markers is returned as it is; markers are in
/// lower case.
///
/// # Errors
/// [`BadValue`] for base64 that is not padded, has invalid digits, or is not UTF-8.
pub fn decode_value(value: &str) -> Result<Cow<'_, str>, BadValue> {
    let Some(inner) = value.strip_prefix(PREFIX).and_then(|it| it.strip_suffix(SUFFIX)) else {
        return Ok(Cow::Borrowed(value));
    };
    let text = base64::decode(inner).and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Cow::Owned).ok_or_else(|| BadValue(value.to_owned()))
}
