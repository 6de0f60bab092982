//! Parses arguments: from JSON text into the types of a function.
//!
//! In: the text, and the schema of the type. Out: the value, or a sentence that a model can act on: the path,
//! the expected and the found value, and an example that would fit. The fast path is one pass without a tree.
//! Arguments are only parsed into a tree if they do not fit, or if the schema has bounds that no type checks.
//! The tree gets four repairs: text is read as JSON where a number, a boolean, a list or an object is
//! expected; an integer that is written as `2.0` becomes `2`; and an optional `null`, or an optional empty text that
//! does not fit, counts as absent.

use std::borrow::Cow;
use std::fmt;

use plainwire_proto::json::{MAX_VALUES, has_too_many_values, visible};
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{InputSchema, resolve};

mod alternatives;
mod bounds;
mod check;
mod example;
mod format;
#[cfg(test)]
mod tests;
mod wording;

use check::Check;
pub(crate) use check::whole;
pub(crate) use example::{fitting, nearest, unfit_default};
pub(crate) use format::is_checked;
use wording::{Fault, MAX_MESSAGE, MAX_NAME, MAX_WHY, Step, only};

/// The error for arguments that do not fit the schema or the type of a handler. Its text is for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected(pub String);

/// Reads arguments into a `T`.
///
/// # Errors
/// [`Rejected`] for arguments that neither fit nor can be repaired, and for names that `T` does not have.
pub(crate) fn read<T: DeserializeOwned>(text: &str, schema: &InputSchema) -> Result<T, Rejected> {
    read_any(text, schema).map_err(|Rejected(why)| Rejected(visible(&why, MAX_MESSAGE)))
}

fn read_any<T: DeserializeOwned>(text: &str, schema: &InputSchema) -> Result<T, Rejected> {
    let straight = match straight(text, schema) {
        Ok((value, None)) if !schema.needs_tree() => return Ok(value),
        Ok((value, None)) => Some(value),
        // These are reported without a tree, and so without an example.
        Ok((_, Some(path))) if has_too_many_values(text) => {
            return Err(unknown_name(path, &Value::Null, schema));
        }
        Err(error) if has_too_many_values(text) => {
            return Err(Rejected(format!("expected `arguments` to fit, but found: {error}")));
        }
        _ => None,
    };
    schema.admits(text)?;
    let mut tree = parse(text)?;
    let mut check = Check::new(schema);
    if let Err(fault) = check.value(&mut tree, &schema.value) {
        return Err(explain(fault, &tree, schema));
    }
    schema.validate(&tree)?;
    match straight {
        Some(value) if !check.changed => Ok(value),
        _ => read_tree(&tree, schema),
    }
}

/// Checks arguments against a schema, without a type. Unknown keywords are ignored. Arguments that fit after
/// repairs are accepted.
///
/// # Errors
/// [`Rejected`] with the first mismatch.
pub(crate) fn fits(text: &str, schema: &InputSchema) -> Result<(), Rejected> {
    let mut tree = parse(text)?;
    let checked = Check::new(schema).value(&mut tree, &schema.value);
    checked
        .map_err(|fault| explain(fault, &tree, schema))
        .map_err(|Rejected(why)| Rejected(visible(&why, MAX_MESSAGE)))
}

/// Checks the structured content of a result against the output schema of its tool, without any repair.
/// Unknown keywords are ignored.
///
/// # Errors
/// [`Rejected`] with the first mismatch.
pub(crate) fn fits_exactly(text: &str, schema: &InputSchema) -> Result<(), Rejected> {
    let mut tree = parse(text)?;
    let checked = Check::exact(schema).value(&mut tree, &schema.value);
    checked.map_err(|fault| Rejected(visible(&fault.text_in("structuredContent", None), MAX_MESSAGE)))
}

/// Reads repaired arguments: as text once more, since each further form that a type is compiled for makes each server larger. A tree
/// is only read for its errors, which have a path, and where JSON that stood within text is deeper than a text may be.
fn read_tree<T: DeserializeOwned>(tree: &Value, schema: &InputSchema) -> Result<T, Rejected> {
    match straight(&tree.to_string(), schema) {
        Ok((value, None)) => Ok(value),
        Ok((_, Some(path))) => Err(unknown_name(path, tree, schema)),
        Err(_) => typed(tree).map_err(|misfit| Rejected(misfit.of_arguments())),
    }
}

/// Parses JSON that stands within text; `None` for other text, and for JSON with too many values.
fn within_text(text: &str) -> Option<Value> {
    if has_too_many_values(text) { None } else { serde_json::from_str(text).ok() }
}

fn parse(text: &str) -> Result<Value, Rejected> {
    if has_too_many_values(text) {
        return Err(Rejected(format!(
            "expected `arguments` to have at most {MAX_VALUES} values, but found more"
        )));
    }
    serde_json::from_str(text)
        .map_err(|error| Rejected(format!("expected `arguments` to be JSON, but found: {error}")))
}

/// The error of a Rust type that can't be read from a value, although its schema allows the value.
pub(crate) struct Misfit {
    /// The path from the root to the part that can't be read; `None` if that part is the root itself.
    pub(crate) path: Option<String>,
    why: String,
}

impl Misfit {
    /// Returns the error in the arguments of a call as a sentence.
    pub(crate) fn of_arguments(&self) -> String {
        match &self.path {
            None => self.at("arguments"),
            Some(path) => self.at(&format!("arguments.{path}")),
        }
    }

    /// Returns the error as a sentence. In it, `path` is the name of the part that can't be read.
    pub(crate) fn at(&self, path: &str) -> String {
        // Path and error are shortened, because serde may repeat the whole value.
        let (path, why) = (visible(path, MAX_WHY), visible(&self.why, MAX_WHY));
        match beyond_type(&self.why) {
            Some((least, most, found)) => {
                format!("expected `{path}` to be {least} to {most}, but found {}", visible(found, MAX_WHY))
            }
            None => format!("expected `{path}` to fit, but found: {why}"),
        }
    }
}

/// Reads serde's message about an integer that the type can't hold. Returns the bounds of the type, and the integer.
fn beyond_type(why: &str) -> Option<(i128, i128, &str)> {
    let (found, ty) = why.strip_prefix("invalid value: integer `")?.split_once("`, expected ")?;
    let (least, most) = match ty {
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => (i64::MIN.into(), i64::MAX.into()),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" => (0, u64::MAX.into()),
        _ => return None,
    };
    Some((least, most, found))
}

/// Reads a JSON tree into a `T`. Names that `T` does not have are ignored.
pub(crate) fn typed<T: DeserializeOwned>(tree: &Value) -> Result<T, Misfit> {
    serde_path_to_error::deserialize(tree).map_err(|error| {
        let path = error.path().to_string();
        Misfit { path: (path != ".").then_some(path), why: error.inner().to_string() }
    })
}

/// Refuses arguments that have any member, for handlers that take none. Text that is no JSON object counts as
/// no arguments.
pub(crate) fn refuse_any(text: &str, schema: &InputSchema) -> Result<(), Rejected> {
    if text == "{}" {
        return Ok(());
    }
    match serde_json::from_str(text).unwrap_or_default() {
        FirstName(Some(name)) => Err(unknown_name(vec![Step::Name(name)], &Value::Null, schema)),
        FirstName(None) => Ok(()),
    }
}

/// The name of the first member of a JSON object.
#[derive(Default)]
struct FirstName(Option<String>);

impl<'de> Deserialize<'de> for FirstName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = FirstName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<FirstName, A::Error> {
                let mut first = None;
                while let Some((name, IgnoredAny)) = members.next_entry::<Cow<'_, str>, _>()? {
                    first.get_or_insert_with(|| name.into_owned());
                }
                Ok(FirstName(first))
            }
        }

        from.deserialize_map(Members)
    }
}

/// Reads text into a `T` in one pass without a tree. Also returns the path of the first unknown name, which
/// `T` ignored.
fn straight<T: DeserializeOwned>(
    text: &str,
    schema: &InputSchema,
) -> Result<(T, Option<Vec<Step>>), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut ignored = None;
    let value = serde_ignored::deserialize(&mut json, |path| note_unknown(&mut ignored, &path, schema))?;
    json.end()?;
    Ok((value, ignored))
}

/// Notes the path of a name that a type ignored, unless there is one already, or the schema has the name: the `kind` of a
/// struct is such a name.
fn note_unknown(first: &mut Option<Vec<Step>>, path: &serde_ignored::Path<'_>, schema: &InputSchema) {
    if first.is_some() {
        return;
    }
    let mut steps = wording::steps(path);
    let Some(last) = steps.pop() else { return };
    let is_known =
        matches!(&last, Step::Name(name) if known_at(&steps, schema).is_some_and(|it| it.contains_key(name)));
    if !is_known {
        steps.push(last);
        *first = Some(steps);
    }
}

/// Returns the properties that the schema has at a path.
fn known_at<'s>(path: &[Step], schema: &'s InputSchema) -> Option<&'s serde_json::Map<String, Value>> {
    let parent = path.iter().try_fold(&schema.value, |at, step| {
        let at = resolve(at, &schema.value);
        match step {
            Step::Name(name) => at.get("properties")?.get(name),
            Step::Item(_) => at.get("items"),
        }
    });
    resolve(parent?, &schema.value).get("properties")?.as_object()
}

/// Returns the error for an unknown name: the last step of `path`. It lists the names that the schema has
/// there.
fn unknown_name(mut path: Vec<Step>, tree: &Value, schema: &InputSchema) -> Rejected {
    let Some(Step::Name(name)) = path.pop() else { return Rejected("expected known names only".to_owned()) };
    let Some(known) = known_at(&path, schema) else {
        return Rejected(format!(
            "expected `{}` not to have `{}`",
            wording::text(&path),
            visible(&name, MAX_NAME)
        ));
    };
    let present = path.iter().try_fold(tree, |at, step| step.follow(at)).and_then(Value::as_object);
    let fault = Fault::unknown(&only(known.keys()), &name, known, present);
    Rejected(fault.below(path).text(None))
}

/// Returns the sentence about a fault, with an example that would fit and is close to the found value.
fn explain(fault: Fault<'_>, tree: &Value, schema: &InputSchema) -> Rejected {
    let example = fault.schema.and_then(|wanted| {
        let found = fault.path().try_fold(tree, |at, step| step.follow(at));
        example::closest(wanted, found, schema)
    });
    Rejected(fault.text(example.as_ref()))
}
