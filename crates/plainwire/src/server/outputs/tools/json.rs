//! `output_json`: the value at a path in an output that is JSON.
//!
//! In: a JSON Pointer (RFC 6901), and which members or items are wanted. Out: the value, in the words of the text: numbers and the
//! order of members are as they were.

use std::collections::BTreeMap;
use std::sync::Arc;

use plainwire_macros::data;
use plainwire_proto::json::visible;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{Completeness, MAX_ANSWER};
use crate::runtime::blocking;
use crate::server::context::Context;
use crate::server::outputs::keeper::{Keeper, SCHEME};
use crate::server::result::ToolError;

/// The largest output that is read as JSON, in bytes, and how many are read at once.
const MAX_JSON: u64 = 16 << 20;
pub(super) const MAX_AT_ONCE: usize = 2;

/// The bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The default of `limit`.
const LIMIT: usize = 100;

/// The largest number of names of members that are told of an object that is too large.
const MAX_NAMES: usize = 50;

/// The part that is asked for.
#[data]
pub(crate) struct Wanted {
    /// The link or the id of the output.
    #[length(..=100)]
    id: String,
    /// The path to the value, a JSON Pointer such as `/items/0/name`. Empty for the whole value.
    #[length(..=1000)]
    pointer: Option<String>,
    /// The paths to show of the value, or of each item if it is a list, such as `/name`. All of it by default.
    #[length(..=50)]
    select: Option<Vec<String>>,
    /// Of a list, the first item to show, from 0.
    #[range(0..=9007199254740991)]
    start: Option<u64>,
    /// Of a list, the largest number of items. 100 by default.
    #[range(1..=1000)]
    limit: Option<usize>,
}

/// A part of an output.
#[data(kind = "outputJson:v1")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Found {
    uri: String,
    pointer: String,
    #[schemars(with = "Value")]
    value: Box<RawValue>,
    /// Of a list, the number of all its items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    /// Of a list, the item to go on with; absent after the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_start: Option<u64>,
    state: Completeness,
}

/// A JSON Pointer, and the names and indexes in it.
struct Path {
    text: String,
    steps: Vec<String>,
}

/// The question for a part of the value.
struct Question {
    pointer: Path,
    select: Vec<Path>,
    start: u64,
    limit: usize,
}

/// The JSON that was found; of a list also the number of its items, and the item to go on with.
type Part = (String, Option<u64>, Option<u64>);

pub(crate) async fn json(
    (keeper, permits): (Keeper, Arc<Semaphore>),
    wanted: Wanted,
    ctx: Context,
) -> Result<Found, ToolError> {
    let question = Question::of(&wanted)?;
    let (id, stat) = keeper.find(&ctx, &wanted.id).await?;
    if stat.bytes > MAX_JSON {
        let found = stat.bytes;
        let error = ToolError::invalid_input(format!(
            "expected an output of at most {MAX_JSON} bytes, but found {found}"
        ));
        return Err(error.hint("read it by output_page or output_grep"));
    }
    let permit = permits.acquire_owned().await.map_err(|error| ToolError::failed(error.to_string()))?;
    let mut bytes = Vec::with_capacity(stat.bytes as usize);
    while (bytes.len() as u64) < stat.bytes {
        let piece = keeper.read(&id, bytes.len() as u64, PIECE).await?;
        if piece.is_empty() {
            break;
        }
        bytes.extend_from_slice(&piece);
        ctx.progress(bytes.len() as f64, Some(stat.bytes as f64), None);
    }
    let media_type = stat.about.media_type.clone();
    let (found, pointer) = blocking(move || {
        // Held until the work has ended, also if the call is cancelled meanwhile.
        let _permit = permit;
        let text = serde_json::from_slice::<&RawValue>(&bytes).map_err(|error| {
            let text = format!(
                "expected an output that is JSON, but found {media_type} that can't be read: {error}"
            );
            ToolError::invalid_input(text).hint("read it by output_page or output_grep")
        })?;
        let found = question.answer(text.get())?;
        match serde_json::from_str::<Value>(&found.0) {
            Ok(_) => Ok((found, question.pointer.text)),
            Err(error) => {
                let text = format!(
                    "expected a value that can be sent, but found one that readers of JSON refuse: {error}"
                );
                Err(ToolError::invalid_input(text).hint("read it by output_page"))
            }
        }
    })
    .await?;
    let (value, count, next_start) = found;
    let value = RawValue::from_string(value).map_err(|error| ToolError::failed(error.to_string()))?;
    let uri = format!("{SCHEME}{}", id.as_str());
    Ok(Found { uri, pointer, value, count, next_start, state: Completeness::from(&stat) })
}

impl Question {
    fn of(wanted: &Wanted) -> Result<Self, ToolError> {
        let select =
            wanted.select.iter().flatten().map(|it| Path::parse(it, "select")).collect::<Result<_, _>>()?;
        let pointer = Path::parse(wanted.pointer.as_deref().unwrap_or_default(), "pointer")?;
        Ok(Self { pointer, select, start: wanted.start.unwrap_or(0), limit: wanted.limit.unwrap_or(LIMIT) })
    }

    fn answer(&self, text: &str) -> Result<Part, ToolError> {
        let at = self.pointer.shown();
        let value = self.pointer.find(text).map_err(|depth| {
            let error = match self.pointer.beginning(depth) {
                "" => format!("there is no value at {at}, nor at any part of this path"),
                there => format!("there is no value at {at}, but there is one at `{}`", visible(there, 80)),
            };
            ToolError::not_found(error)
                .hint("ask for the part that exists, or for all with an empty `pointer`")
        })?;
        match serde_json::from_str::<Vec<&RawValue>>(value) {
            Ok(items) => self.list(&items, &at),
            Err(_) => {
                let value = self.projected(value);
                if value.len() <= MAX_ANSWER {
                    return Ok((value, None, None));
                }
                Err(too_large(&value, &at))
            }
        }
    }

    /// Returns as many items as the limits allow.
    fn list(&self, items: &[&RawValue], at: &str) -> Result<Part, ToolError> {
        let (count, mut next, mut shown) = (items.len() as u64, self.start, Vec::new());
        let mut size = 0;
        for item in items.iter().skip(usize::try_from(self.start).unwrap_or(usize::MAX)).take(self.limit) {
            let item = self.projected(item.get());
            size += item.len() + 1;
            if size > MAX_ANSWER {
                if shown.is_empty() {
                    return Err(too_large(&item, &format!("item {next} of {at}")));
                }
                break;
            }
            shown.push(item);
            next += 1;
        }
        Ok((format!("[{}]", shown.join(",")), Some(count), (next < count).then_some(next)))
    }

    /// Returns the parts of a value that are asked for, by their paths; all of it if none are.
    fn projected(&self, value: &str) -> String {
        if self.select.is_empty() {
            return value.to_owned();
        }
        let parts = self
            .select
            .iter()
            .filter_map(|path| Some(format!("{}:{}", json!(path.text), path.find(value).ok()?)));
        format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
    }
}

impl Path {
    fn parse(pointer: &str, argument: &str) -> Result<Self, ToolError> {
        let steps = match pointer.strip_prefix('/') {
            Some(rest) => rest.split('/').map(|it| it.replace("~1", "/").replace("~0", "~")).collect(),
            None if pointer.is_empty() => Vec::new(),
            None => {
                let found = visible(pointer, 80);
                let text =
                    format!("expected `{argument}` to be empty or to begin with `/`, but found {found:?}");
                return Err(ToolError::invalid_input(text));
            }
        };
        Ok(Self { text: pointer.to_owned(), steps })
    }

    /// Returns the path of the first `steps` steps.
    fn beginning(&self, steps: usize) -> &str {
        let end = self.text.match_indices('/').nth(steps).map_or(self.text.len(), |(at, _)| at);
        &self.text[..end]
    }

    /// Returns the text of the value at this path. The error is the number of steps that exist.
    fn find<'t>(&self, mut text: &'t str) -> Result<&'t str, usize> {
        for (depth, step) in self.steps.iter().enumerate() {
            let inner = match text.as_bytes().first() {
                Some(b'{') => serde_json::from_str::<BTreeMap<String, &RawValue>>(text)
                    .ok()
                    .and_then(|mut it| it.remove(step)),
                Some(b'[') if step.parse::<usize>().is_ok_and(|it| it.to_string() == *step) => {
                    let items = serde_json::from_str::<Vec<&RawValue>>(text).ok();
                    items.and_then(|it| it.get(step.parse::<usize>().ok()?).copied())
                }
                _ => None,
            };
            text = inner.ok_or(depth)?.get();
        }
        Ok(text)
    }

    fn shown(&self) -> String {
        match &*self.text {
            "" => "the top".to_owned(),
            text => format!("`{}`", visible(text, 80)),
        }
    }
}

fn too_large(value: &str, at: &str) -> ToolError {
    let found = value.len();
    let names = serde_json::from_str::<BTreeMap<String, &RawValue>>(value).unwrap_or_default();
    let names: Vec<String> = names.keys().take(MAX_NAMES).map(|it| visible(it, 80)).collect();
    let members =
        if names.is_empty() { String::new() } else { format!("; its members are {}", names.join(", ")) };
    ToolError::invalid_input(format!(
        "expected at most {MAX_ANSWER} bytes at {at}, but found {found}{members}"
    ))
    .hint("ask for a part of it, name paths in `select`, or read the text by output_page")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str, pointer: &str, select: &[&str]) -> Result<Part, ToolError> {
        let select = select.iter().map(|it| Path::parse(it, "select")).collect::<Result<_, _>>()?;
        Question { pointer: Path::parse(pointer, "pointer")?, select, start: 1, limit: 2 }.answer(text)
    }

    #[test]
    fn values_are_found_by_paths_as_they_are_written() {
        let text = r#"{"z":1.10,"a/b":{"~":[10,20.50,30,40]},"list":[{"a":1},{"a":2,"b":{"c":3}}]}"#;
        let value =
            |pointer, select: &[&str]| answer(text, pointer, select).map_err(|it| it.message().to_owned());
        assert_eq!(value("/z", &[]), Ok(("1.10".to_owned(), None, None)));
        assert_eq!(value("/a~1b/~0", &[]), Ok(("[20.50,30]".to_owned(), Some(4), Some(3))));
        assert_eq!(value("/a~1b/~0/3", &[]), Ok(("40".to_owned(), None, None)));
        let projected = r#"[{"/a":2,"/b/c":3}]"#.to_owned();
        assert_eq!(value("/list", &["/a", "/b/c"]), Ok((projected, Some(2), None)));
        assert_eq!(value("", &[]).expect("a value").0, text);
        for (pointer, expected) in [
            ("/list/01", "there is no value at `/list/01`, but there is one at `/list`"),
            ("/list/2/a", "there is no value at `/list/2/a`, but there is one at `/list`"),
            ("/z/0", "there is no value at `/z/0`, but there is one at `/z`"),
            ("/x/y", "there is no value at `/x/y`, nor at any part of this path"),
            ("z", "expected `pointer` to be empty or to begin with `/`, but found \"z\""),
        ] {
            assert_eq!(value(pointer, &[]).expect_err("no value"), expected);
        }
    }

    #[test]
    fn what_is_too_large_is_told_with_its_members() {
        let text = json!({ "big": "x".repeat(MAX_ANSWER), "small": 1, "list": [1, "y".repeat(40_000), "y".repeat(40_000), 2] });
        let text = text.to_string();
        let error = answer(&text, "", &[]).expect_err("too large");
        assert!(error.message().ends_with("its members are big, list, small"), "{}", error.message());
        assert_eq!(answer(&text, "", &["/small"]).expect("a part").0, r#"{"/small":1}"#);
        let (_, count, next) = answer(&text, "/list", &[]).expect("some items");
        assert_eq!((count, next), (Some(4), Some(2)));
    }
}
