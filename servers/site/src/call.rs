//! A request to an operation, and its answer.
//!
//! In: the parts of an HTTP request that was matched with an operation. Out: an [`Answer`]. Parameters are read here, with Jira's
//! sentences for what they should be.

use serde_json::Value;

use crate::fault::{Fault, Result};
use crate::view::View;
use crate::work::Work;

/// A request to an operation.
pub(crate) struct Call<'a> {
    /// The transaction.
    pub(crate) work: &'a Work<'a>,
    /// How things look in this API.
    pub(crate) view: View<'a>,
    /// The person who is signed in.
    pub(crate) person: i64,
    /// The header `Authorization`.
    pub(crate) authorization: Option<&'a str>,
    /// The values of `{name}` in the path.
    pub(crate) params: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Body<'a>,
}

/// A body of a request, already within its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'a> {
    /// Anything but a form: JSON, if the operation reads it.
    Bytes(&'a [u8]),
    /// The files of a `multipart/form-data`.
    Files(&'a [File]),
}

/// A file of a form.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) media_type: String,
    pub(crate) bytes: bytes::Bytes,
}

/// An answer without an error.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A status and a value.
    Json(u16, Value),
    /// A status without a body.
    Empty(u16),
    /// A file.
    File { name: String, media_type: String, bytes: Vec<u8> },
    /// Another address, for the status 303.
    See(String),
    /// A page for a browser.
    Page(String),
}

impl Answer {
    /// A value with the status 200.
    pub(crate) fn ok(value: Value) -> Result<Self> {
        Ok(Self::Json(200, value))
    }

    /// A value with the status 201.
    pub(crate) fn created(value: Value) -> Result<Self> {
        Ok(Self::Json(201, value))
    }

    /// The status 204.
    pub(crate) fn done() -> Result<Self> {
        Ok(Self::Empty(204))
    }
}

impl Call<'_> {
    /// Returns a part of the path. An operation names only those that its path has.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }

    /// Returns the number that a part of the path has to be.
    pub(crate) fn id(&self, name: &str, missing: &str) -> Result<i64> {
        self.param(name).parse().map_err(|_| Fault::missing(missing))
    }

    /// Returns the first value of a query parameter.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    /// Returns the elements of a query parameter, which may be repeated and may have commas.
    pub(crate) fn list(&self, name: &str) -> Vec<&str> {
        let values = self.query.iter().filter(|(it, _)| it == name);
        let elements = values.flat_map(|(_, value)| value.split(','));
        elements.map(str::trim).filter(|it| !it.is_empty()).collect()
    }

    /// Returns a query parameter that is `true` or `false`.
    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        self.query(name).map_or(default, |it| it == "true")
    }

    /// Returns a query parameter that is a number.
    pub(crate) fn number(&self, name: &str, default: u64) -> Result<u64> {
        match self.query(name) {
            None | Some("") => Ok(default),
            Some(text) => text.parse().map_err(|_| {
                Fault::bad(format!("The value '{text}' of the parameter '{name}' is not a number."))
            }),
        }
    }

    /// Returns the body as JSON.
    pub(crate) fn json(&self) -> Result<Value> {
        match self.body {
            Body::Bytes(bytes) if !bytes.is_empty() => serde_json::from_slice(bytes).map_err(|error| {
                let (line, column) = (error.line(), error.column());
                Fault::bad(format!(
                    "Can not deserialize instance: JSON is not valid at line {line}, column {column}."
                ))
            }),
            _ => Err(Fault::bad("No content to map to Object due to end of input")),
        }
    }

    /// Returns the body as a JSON object.
    pub(crate) fn object(&self) -> Result<serde_json::Map<String, Value>> {
        match self.json()? {
            Value::Object(members) => Ok(members),
            _ => Err(Fault::bad("Can not deserialize instance: expected an object.")),
        }
    }

    /// Returns the page that the query asks for: `startAt` and `maxResults`, at most `most`.
    pub(crate) fn page(&self, default: u64, most: u64) -> Result<Page> {
        let (start, size) = (self.number("startAt", 0)?, self.number("maxResults", default)?);
        Ok(Page { start, size: size.min(most) })
    }
}

/// A part of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    pub(crate) start: u64,
    pub(crate) size: u64,
}

impl Page {
    /// Returns the elements of a whole list that belong to the page.
    pub(crate) fn of<T>(self, all: Vec<T>) -> Vec<T> {
        let start = usize::try_from(self.start).unwrap_or(usize::MAX);
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        all.into_iter().skip(start).take(size).collect()
    }

    /// Returns a page in the form `startAt`, `maxResults`, `total`, `isLast`, `values`.
    pub(crate) fn values(self, all: Vec<Value>) -> Value {
        let total = all.len() as u64;
        let values = self.of(all);
        let is_last = self.start + values.len() as u64 >= total;
        serde_json::json!({
            "startAt": self.start, "maxResults": self.size, "total": total, "isLast": is_last, "values": values,
        })
    }
}
