//! Arguments: from JSON text into the function's own types.
//!
//! In: the text and the schema of the type. Out: the value, or a sentence that a model can act on: where, what was
//! expected, what was found, what would fit. The straight way is one pass with no tree. Only what does not fit, or has
//! bounds that no type checks, is looked at as a tree, with two repairs: text where a number, a boolean, a list or an
//! object is due is read as JSON, and `null` counts as absent.

use plainwire_proto::json::visible;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{InputSchema, resolve};
use crate::server::handler::Rejected;

mod bounds;
mod check;
mod example;
mod fault;
mod format;
#[cfg(test)]
mod tests;

use check::Check;
pub(crate) use check::whole;
pub(crate) use example::nearest;
use fault::{Fault, MAX_MESSAGE, MAX_NAME, MAX_WHY, Step, only};
pub(crate) use format::is_checked;

/// Reads arguments into a `T`.
///
/// # Errors
/// [`Rejected`] for what neither fits nor can be repaired, and for names that `T` does not know.
pub(crate) fn read<T: DeserializeOwned>(text: &str, schema: &InputSchema) -> Result<T, Rejected> {
    read_any(text, schema).map_err(|Rejected(why)| Rejected(visible(&why, MAX_MESSAGE)))
}

fn read_any<T: DeserializeOwned>(text: &str, schema: &InputSchema) -> Result<T, Rejected> {
    let straight = match straight(text) {
        Ok((value, None)) if !schema.needs_tree() => return Ok(value),
        Ok((value, None)) => Some(value),
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

/// Holds arguments against a schema, as far as keywords are known here, and repairs count.
///
/// # Errors
/// [`Rejected`] with the first thing that does not fit.
pub(crate) fn fits(text: &str, schema: &InputSchema) -> Result<(), Rejected> {
    let mut tree = parse(text)?;
    let checked = Check::new(schema).value(&mut tree, &schema.value);
    checked
        .map_err(|fault| explain(fault, &tree, schema))
        .map_err(|Rejected(why)| Rejected(visible(&why, MAX_MESSAGE)))
}

fn read_tree<T: DeserializeOwned>(tree: &Value, schema: &InputSchema) -> Result<T, Rejected> {
    match typed::<T>(tree) {
        Ok(value) => match unknown::<T>(tree) {
            None => Ok(value),
            Some(path) => Err(unknown_name(path, tree, schema)),
        },
        Err(misfit) => {
            let path = match &misfit.path {
                None => "arguments".to_owned(),
                Some(path) => format!("arguments.{path}"),
            };
            Err(Rejected(misfit.at(&path)))
        }
    }
}

fn parse(text: &str) -> Result<Value, Rejected> {
    serde_json::from_str(text)
        .map_err(|error| Rejected(format!("expected `arguments` to be JSON, but found: {error}")))
}

/// What a type said to a value that its schema allows.
pub(crate) struct Misfit {
    /// Where below the root; `None` is the root itself.
    pub(crate) path: Option<String>,
    why: String,
}

impl Misfit {
    /// Returns the text, with `path` for where it is.
    pub(crate) fn at(&self, path: &str) -> String {
        // A sentence, and not all of the value that it may repeat.
        let (path, why) = (visible(path, MAX_WHY), visible(&self.why, MAX_WHY));
        format!("expected `{path}` to fit, but found: {why}")
    }
}

/// Reads a tree into a `T`, names that it does not know left aside.
pub(crate) fn typed<T: DeserializeOwned>(tree: &Value) -> Result<T, Misfit> {
    serde_path_to_error::deserialize(tree).map_err(|error| {
        let path = error.path().to_string();
        Misfit { path: (path != ".").then_some(path), why: error.inner().to_string() }
    })
}

/// Refuses every argument, for handlers that take none.
pub(crate) fn refuse_any(text: &str, schema: &InputSchema) -> Result<(), Rejected> {
    if text == "{}" {
        return Ok(());
    }
    let arguments: serde_json::Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    match arguments.into_iter().next() {
        Some((name, _)) => Err(unknown_name(vec![Step::Name(name)], &Value::Null, schema)),
        None => Ok(()),
    }
}

/// One pass, no tree; also tells the first name that `T` did not take.
fn straight<T: DeserializeOwned>(text: &str) -> Result<(T, Option<Vec<Step>>), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut ignored = None;
    let value = serde_ignored::deserialize(&mut json, |path| {
        ignored.get_or_insert_with(|| fault::steps(&path));
    })?;
    json.end()?;
    Ok((value, ignored))
}

fn unknown<T: DeserializeOwned>(tree: &Value) -> Option<Vec<Step>> {
    let mut ignored = None;
    let _ = serde_ignored::deserialize::<_, _, T>(tree, |path| {
        ignored.get_or_insert_with(|| fault::steps(&path));
    });
    ignored
}

/// The refusal of a name; `path` ends with it.
fn unknown_name(mut path: Vec<Step>, tree: &Value, schema: &InputSchema) -> Rejected {
    let Some(Step::Name(name)) = path.pop() else { return Rejected("expected known names only".to_owned()) };
    let parent = path.iter().try_fold(&schema.value, |at, step| {
        let at = resolve(at, &schema.value);
        match step {
            Step::Name(name) => at.get("properties")?.get(name),
            Step::Item(_) => at.get("items"),
        }
    });
    let known = parent.and_then(|it| resolve(it, &schema.value).get("properties")).and_then(Value::as_object);
    let Some(known) = known else {
        return Rejected(format!(
            "expected `{}` not to have `{}`",
            fault::text(&path),
            visible(&name, MAX_NAME)
        ));
    };
    let present = path.iter().try_fold(tree, |at, step| step.follow(at)).and_then(Value::as_object);
    let fault = Fault::unknown(&only(known.keys()), &name, known, present);
    Rejected(fault.below(path).text(None))
}

/// The sentence about a fault, with an example of what would fit, close to what there was.
fn explain(fault: Fault<'_>, tree: &Value, schema: &InputSchema) -> Rejected {
    let example = fault.schema.and_then(|wanted| {
        let found = fault.path().try_fold(tree, |at, step| step.follow(at));
        example::closest(wanted, found, schema)
    });
    Rejected(fault.text(example.as_ref()))
}
