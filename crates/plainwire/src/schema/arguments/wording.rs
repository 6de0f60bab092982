//! Faults of arguments, and their sentences.
//!
//! In: a path, the expected value, the found value. Out: one line, such as ``expected `arguments.limit` to be
//! at most 100, but found 500; 100 would fit``. The found value is cut at 80 characters, and characters that
//! could break the line are escaped.

use std::fmt::Write as _;
use std::io;

use plainwire_proto::json::visible;
use serde_json::Value;

use crate::schema::Keywords;

/// A step of a path: from a value to a value directly inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The step to the item of a list at this position, counted from 0.
    Item(usize),
    /// The step to the member of an object with this name.
    Name(String),
}

impl Step {
    /// Returns the item or member of `value` to which this step leads; `None` if there is none.
    pub(super) fn follow<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Item(at) => value.get(at),
            Self::Name(name) => value.get(name),
        }
    }
}

/// Converts a path of `serde_ignored`. Its steps into options and newtypes are left out, because JSON does
/// not have them.
pub(super) fn steps(path: &serde_ignored::Path<'_>) -> Vec<Step> {
    use serde_ignored::Path;
    let (parent, step) = match path {
        Path::Root => return Vec::new(),
        Path::Seq { parent, index } => (parent, Some(Step::Item(*index))),
        Path::Map { parent, key } => (parent, Some(Step::Name(key.clone()))),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            (parent, None)
        }
    };
    let mut steps = steps(parent);
    steps.extend(step);
    steps
}

/// Largest length of a name, or of a found value, in an error message, in characters.
pub(super) const MAX_NAME: usize = 80;

/// Largest length of a path, or of a message of serde, in an error message, in characters.
pub(super) const MAX_WHY: usize = 300;

/// Largest length of a whole error message, in characters.
pub(super) const MAX_MESSAGE: usize = 1_000;

/// Returns a path as text, such as `arguments.tags[1]`.
pub(super) fn text<'s>(path: impl IntoIterator<Item = &'s Step>) -> String {
    text_in("arguments", path)
}

fn text_in<'s>(root: &str, path: impl IntoIterator<Item = &'s Step>) -> String {
    let mut text = root.to_owned();
    for step in path {
        let _ = match step {
            Step::Item(at) => write!(text, "[{at}]"),
            Step::Name(name) => write!(text, ".{}", visible(name, MAX_NAME)),
        };
    }
    visible(&text, MAX_WHY)
}

/// Returns the beginning of a value as JSON text, enough for an error message and no more: the value may have
/// megabytes.
pub(super) fn beginning(value: &Value) -> String {
    let mut start = Start(Vec::new());
    // An error only says that the rest of the value was left out.
    let _ = serde_json::to_writer(&mut start, value);
    String::from_utf8_lossy(&start.0).into_owned()
}

/// A buffer for the first [`MAX_BEGINNING`] bytes that are written to it. Further bytes are an error.
struct Start(Vec<u8>);

/// Largest length of the [`beginning`] of a value, in bytes: more than an error message shows, with four bytes for
/// each character.
const MAX_BEGINNING: usize = 8 * MAX_NAME;

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = bytes.len().min(MAX_BEGINNING - self.0.len());
        self.0.extend_from_slice(&bytes[..room]);
        // No room left ends the writing, by the error `WriteZero`.
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The first mismatch in arguments.
#[derive(Debug)]
pub(super) struct Fault<'s> {
    /// The path to the value that does not fit, from the innermost step to the outermost.
    backwards: Vec<Step>,
    /// The text behind "expected … to" in the error sentence, such as `be an integer`.
    expected: String,
    found: String,
    /// The known name that was probably meant instead of an unknown one, if one is similar.
    meant: Option<String>,
    /// The schema that an example has to fit; `None` if the sentence has no example.
    pub(super) schema: Option<&'s Value>,
}

impl<'s> Fault<'s> {
    /// Makes the fault of a value that does not fit `schema`.
    pub(super) fn new(schema: &'s Value, expected: impl Into<String>, found: &str) -> Self {
        let (expected, found) = (expected.into(), visible(found, MAX_NAME));
        Self { backwards: Vec::new(), expected, found, meant: None, schema: Some(schema) }
    }

    /// Makes the fault of an unknown name. `expected` lists the names in `known`. The sentence suggests a
    /// similar known name that is not among the members `present`.
    pub(super) fn unknown(expected: &str, name: &str, known: &Keywords, present: Option<&Keywords>) -> Self {
        let free = known.keys().filter(|known| present.is_none_or(|present| !present.contains_key(*known)));
        let meant = super::example::nearest(name, free.map(String::as_str)).map(ToOwned::to_owned);
        let (expected, found) = (expected.to_owned(), format!("`{}`", visible(name, MAX_NAME)));
        Self { backwards: Vec::new(), expected, found, meant, schema: None }
    }

    /// Removes the example, because no example can help.
    pub(super) fn without_example(mut self) -> Self {
        self.schema = None;
        self
    }

    /// Adds `step` in front of the path of the fault.
    pub(super) fn within(mut self, step: Step) -> Self {
        self.backwards.push(step);
        self
    }

    /// Adds the steps of `path` in front of the path of the fault.
    pub(super) fn below(mut self, path: Vec<Step>) -> Self {
        self.backwards.extend(path.into_iter().rev());
        self
    }

    /// Returns the steps from the arguments to the fault.
    pub(super) fn path(&self) -> impl Iterator<Item = &Step> {
        self.backwards.iter().rev()
    }

    /// Returns the sentence, with an example if there is one.
    pub(super) fn text(&self, example: Option<&Value>) -> String {
        self.text_in("arguments", example)
    }

    /// Like [`Self::text`], for a value that is called `root`.
    pub(super) fn text_in(&self, root: &str, example: Option<&Value>) -> String {
        let (path, Self { expected, found, .. }) = (text_in(root, self.path()), self);
        let mut text = format!("expected `{path}` to {expected}, but found {found}");
        if let Some(meant) = &self.meant {
            text += &format!("; did you mean `{meant}`?");
        } else if let Some(example) = example {
            text += &format!("; {example} would fit");
        }
        text
    }
}

/// Largest number of names or values that a sentence lists. The schema has the full list.
const MAX_LISTED: usize = 20;

/// Returns "have only `a`, `b`" for these names, or "be empty" if there are none.
pub(super) fn only(names: impl Iterator<Item = impl std::fmt::Display>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{}`", visible(&name.to_string(), MAX_NAME))).collect();
    if names.is_empty() { "be empty".to_owned() } else { format!("have only {}", list(&names)) }
}

/// Returns the object with this one member, without its value.
pub(super) fn member(name: &str) -> String {
    format!("{{{}: …}}", constant(&Value::from(name)))
}

/// Returns "one of 1, 2" for these values.
pub(super) fn one_of<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    let values: Vec<_> = values.map(constant).collect();
    format!("one of {}", list(&values))
}

/// Returns the JSON of a constant, cut.
pub(super) fn constant(value: &Value) -> String {
    visible(&value.to_string(), MAX_NAME)
}

/// Returns the texts after commas; of many, the first ones.
pub(super) fn list(all: &[String]) -> String {
    match all.get(..MAX_LISTED) {
        Some(first) if all.len() > MAX_LISTED => {
            format!("{} and {} more", first.join(", "), all.len() - MAX_LISTED)
        }
        _ => all.join(", "),
    }
}
