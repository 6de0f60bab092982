//! Reads single values: texts, numbers, switches, lists, files.
//!
//! In: the layers. Out: values, and in passing all problems and warnings. A value that can't be used is a problem and reads as none, so
//! that the others are read as well.

use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use super::layers::{Layers, safe};
use super::names;
use super::problem::Problem;
use crate::rest::Secret;

/// Reads a file that a setting names, such as one of certificates.
pub type ReadFile<'a> = &'a dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// The values of the layers, and what is wrong with them.
pub(super) struct Reader<'a> {
    layers: &'a Layers,
    read_file: ReadFile<'a>,
    pub(super) problems: Vec<Problem>,
    pub(super) warnings: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(layers: &'a Layers, read_file: ReadFile<'a>) -> Self {
        Self { layers, read_file, problems: Vec::new(), warnings: Vec::new() }
    }

    /// Notes a problem with a variable, which is told by the name that was written.
    pub(super) fn problem(&mut self, name: &str, message: impl Into<String>) {
        let given = names::find(name).and_then(|(it, _)| self.layers.spelled(it.name));
        let (name, source) = given.map_or((name, None), |(name, source)| (name, Some(source)));
        self.problems.push(Problem { name: name.to_owned(), source, message: message.into() });
    }

    /// Notes that a variable is not what was expected. Its value is shown, unless it is a secret.
    pub(super) fn unexpected(&mut self, name: &str, expected: &str) {
        let found = match self.layers.get(name) {
            Some((text, _)) if !names::is_secret(name) => format!("{:?}", safe(text)),
            _ => "something else".to_owned(),
        };
        self.problem(name, format!("expected {expected}, but found {found}"));
    }

    pub(super) fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.layers.get(name).map(|(text, _)| text)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    pub(super) fn secret(&self, name: &str) -> Option<Secret> {
        self.text(name).map(Secret::new)
    }

    /// Reads a switch, in the words that programs use for it.
    pub(super) fn switch(&mut self, name: &str) -> Option<bool> {
        match self.text(name)?.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "y" | "on" => Some(true),
            "false" | "0" | "no" | "n" | "off" => Some(false),
            _ => {
                self.unexpected(name, "`true` or `false`");
                None
            }
        }
    }

    /// Reads a whole number within bounds.
    pub(super) fn number(&mut self, name: &str, unit: &str, range: RangeInclusive<u64>) -> Option<u64> {
        let found = self.text(name)?.parse().ok().filter(|it| range.contains(it));
        if found.is_none() {
            let (least, most) = (range.start(), range.end());
            self.unexpected(name, &format!("a whole number of {unit} from {least} to {most}"));
        }
        found
    }

    /// Reads the parts between commas, without those that are blank.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let parts = self.text(name).unwrap_or_default().split(',');
        parts
            .map(|it| it.trim().trim_matches(['"', '\'']))
            .filter(|it| !it.is_empty())
            .map(ToOwned::to_owned)
            .collect()
    }

    /// Reads the file that a variable names.
    pub(super) fn file(&mut self, name: &str) -> Option<Vec<u8>> {
        let path = self.text(name)?;
        match (self.read_file)(Path::new(path)) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.problem(name, format!("the file {:?} can't be read: {error}", safe(path)));
                None
            }
        }
    }
}
