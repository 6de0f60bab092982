//! Validation with all of JSON Schema, for schemas written by hand (feature `validate`).
//!
//! In: a schema once, then arguments each time. Out: the first mismatch, worded like the faults that
//! `arguments` finds. Nothing is fetched from the network or from disk. Patterns take linear time.
//! [`MAX_SCHEMA`] and [`MAX_ARGUMENTS`] limit the sizes. Nested alternatives still multiply the time, so
//! authors of schemas have to avoid them.

use std::sync::Arc;

use jsonschema::error::{ValidationError, ValidationErrorKind};
use jsonschema::paths::LocationSegment;
use jsonschema::{PatternOptions, Uri};
use plainwire_proto::json::shorten;
use serde_json::Value;

use super::InputSchema;
use super::arguments::Rejected;

/// Largest schema that is compiled, in bytes. No model reads a longer one.
pub(super) const MAX_SCHEMA: usize = 256 * 1024;

/// Largest arguments that are checked, in bytes.
pub(super) const MAX_ARGUMENTS: usize = 1024 * 1024;

/// A schema of arguments, compiled for validation.
#[derive(Clone, Debug)]
pub(crate) struct Validator(Arc<jsonschema::Validator>);

/// Refuses arguments that are too long to be checked.
pub(super) fn admit(text: &str) -> Result<(), Rejected> {
    if text.len() <= MAX_ARGUMENTS {
        return Ok(());
    }
    let found = text.len();
    Err(Rejected(format!("expected `arguments` to have at most {MAX_ARGUMENTS} bytes, but found {found}")))
}

impl InputSchema {
    /// Compiles the schema of a tool, so that arguments are checked against all of it.
    ///
    /// # Errors
    /// A message, if the value is no schema, or if the schema can't be used here: it is too long, or refers
    /// to other documents.
    pub(crate) fn compile(&mut self) -> Result<(), String> {
        self.validator = Some(Validator::new(&self.value, self.to_raw().get().len())?);
        Ok(())
    }
}

/// A retriever that refuses every reference to another document.
struct NoRetriever;

impl jsonschema::Retrieve for NoRetriever {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("expected references inside of the schema only, but found {:?}", shorten(uri.as_str()))
            .into())
    }
}

impl Validator {
    fn new(schema: &Value, length: usize) -> Result<Self, String> {
        if length > MAX_SCHEMA {
            return Err(format!(
                "expected the schema to have at most {MAX_SCHEMA} bytes, but found {length}"
            ));
        }
        let options = jsonschema::options()
            .with_retriever(NoRetriever)
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(true);
        let compiled = options.build(schema);
        let compiled = compiled.map_err(|error| {
            format!("expected a schema that can be checked, but found: {}", shorten(&error.to_string()))
        })?;
        Ok(Self(Arc::new(compiled)))
    }

    /// Checks the arguments in `tree` against the compiled schema. The error is about the first mismatch.
    pub(super) fn check(&self, tree: &Value) -> Result<(), Rejected> {
        match self.0.iter_errors(tree).next() {
            None => Ok(()),
            Some(error) => Err(Rejected(sentence(&error))),
        }
    }
}

fn sentence(error: &ValidationError<'_>) -> String {
    let mut path = "arguments".to_owned();
    for segment in error.instance_path() {
        match segment {
            LocationSegment::Property(name) => path += &format!(".{}", shorten(&name)),
            LocationSegment::Index(at) => path += &format!("[{at}]"),
        }
    }
    let instance = error.instance().to_string();
    let mut found = shorten(&instance).into_owned();
    let expected = match error.kind() {
        ValidationErrorKind::Required { property } => {
            path += &format!(".{}", property.as_str().unwrap_or_default());
            found = "nothing".to_owned();
            "be there".to_owned()
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            found = format!("`{}`", shorten(unexpected.first().map_or("", String::as_str)));
            "have known names only".to_owned()
        }
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            "be one of the alternatives".to_owned()
        }
        ValidationErrorKind::OneOfMultipleValid { .. } => {
            "be one of the alternatives and no other".to_owned()
        }
        ValidationErrorKind::FalseSchema => "be absent".to_owned(),
        ValidationErrorKind::Contains => "have an item that `contains` asks for".to_owned(),
        ValidationErrorKind::Not { schema } => format!("not fit {}", shorten(&schema.to_string())),
        ValidationErrorKind::UniqueItems => "have each item once".to_owned(),
        kind => format!("fit `{}`", kind.keyword()),
    };
    format!("expected `{path}` to {expected}, but found {found}")
}
