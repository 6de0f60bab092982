//! Request ids.

use std::fmt;

use crate::json::{unquote, write as json};

/// A request id, kept with its type: `1` and `"1"` are different ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// A whole number. 128 bits are enough for the ids of all known implementations.
    Integer(i128),
    /// A string.
    String(Box<str>),
}

/// Largest size of an id or a progress token, in bytes of JSON. 1,024: known clients use numbers and UUIDs, and
/// a server keeps the id of each request until the request is answered.
pub const MAX_ID: usize = 1_024;

impl Id {
    /// Parses the JSON text of an id; `None` for anything but a string or a whole number, and for more than
    /// [`MAX_ID`] bytes.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_ID {
            return None;
        }
        if text.starts_with('"') {
            return Some(Self::String(unquote(text)?.into()));
        }
        text.parse().ok().map(Self::Integer)
    }

    /// Writes the id as JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Integer(n) => match u64::try_from(*n) {
                Ok(small) => json::display(out, small),
                Err(_) => json::display(out, n),
            },
            Self::String(text) => json::string(out, text),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(n) => n.fmt(f),
            Self::String(text) => write!(f, "{text:?}"),
        }
    }
}
