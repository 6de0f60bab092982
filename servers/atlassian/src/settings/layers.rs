//! Layers of names and values: which value holds, and where it comes from.
//!
//! In: pairs of a file, a local file, an environment and flags. Out: the value of a variable in the highest layer that has one. A blank
//! value is none: it neither sets nor removes anything, since launchers pass variables that they have no value for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use plainwire::proto::json::visible;

use super::names::{self, Variable};
use crate::rest::Secret;

/// Where values come from, from the lowest layer to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The file that a team shares.
    File,
    /// The file beside it, of this machine.
    LocalFile,
    /// The environment.
    Environment,
    /// The command line.
    Flags,
}

impl Source {
    /// All sources, the highest first.
    const DOWNWARDS: [Self; 4] = [Self::Flags, Self::Environment, Self::LocalFile, Self::File];

    /// Returns whether the names in it were written for this server, so that an unknown one is a mistake.
    pub(super) fn is_for_us(self) -> bool {
        self != Self::Environment
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "in the file",
            Self::LocalFile => "in the local file",
            Self::Environment => "in the environment",
            Self::Flags => "on the command line",
        })
    }
}

/// The beginning of a value that is in the keychain: `keychain:NAME` in place of a secret.
pub const KEYCHAIN: &str = "keychain:";

/// Values from several sources, one above the other.
#[derive(Clone, Default)]
pub struct Layers {
    values: BTreeMap<Source, BTreeMap<&'static str, Given>>,
    /// The secrets of the keychain that are known, by their names.
    keychain: BTreeMap<String, Secret>,
    /// Names that are no variables of ours.
    pub(super) others: Vec<(String, Source)>,
}

/// A value, and by which of its names it was given.
#[derive(Clone)]
struct Given {
    text: String,
    name: String,
    place: usize,
}

/// A value that holds, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The name of the variable.
    pub name: &'static str,
    /// Its value, shortened and without invisible characters; `set` for a secret, and the name of one in the keychain.
    pub value: String,
    /// Where it comes from.
    pub source: Source,
}

impl Layers {
    /// Adds values to a layer. Names are read in any case; see [`Variable`] for their other spellings.
    #[must_use]
    pub fn with(mut self, source: Source, values: impl IntoIterator<Item = (String, String)>) -> Self {
        for (name, text) in values {
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let upper = name.trim().to_ascii_uppercase();
            let Some((variable, place)) = names::find(&upper) else {
                self.others.push((upper, source));
                continue;
            };
            let layer = self.values.entry(source).or_default();
            // Of `https_proxy` and `HTTPS_PROXY` the later one wins, as do flags that are given twice.
            if layer.get(variable.name).is_none_or(|it| it.place >= place) {
                layer.insert(variable.name, Given { text: text.to_owned(), name: upper, place });
            }
        }
        self
    }

    /// Adds secrets of the keychain, by their names. Values such as `keychain:NAME` then stand for them.
    #[must_use]
    pub fn with_keychain(mut self, secrets: impl IntoIterator<Item = (String, Secret)>) -> Self {
        self.keychain.extend(secrets);
        self
    }

    /// Returns the names of the secrets in the keychain that values which hold stand for, each once.
    pub fn keychain_names(&self) -> BTreeSet<&str> {
        self.in_keychain().map(|(_, name)| name).collect()
    }

    /// Returns the variables whose secret should be in the keychain and is not, with its name.
    pub(super) fn not_in_keychain(&self) -> Vec<(&'static str, &str)> {
        self.in_keychain().filter(|(_, name)| !self.keychain.contains_key(*name)).collect()
    }

    fn in_keychain(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let secrets = names::variables().iter().filter(|it| it.is_secret);
        secrets.filter_map(|it| Some((it.name, self.written(it.name)?.0.strip_prefix(KEYCHAIN)?)))
    }

    /// Returns the value of a variable that holds: that of the keychain, if it stands for one.
    pub(super) fn get(&self, name: &str) -> Option<(&str, Source)> {
        let (text, source) = self.written(name)?;
        let kept = text.strip_prefix(KEYCHAIN).filter(|_| names::is_secret(name));
        let secret = kept.and_then(|it| self.keychain.get(it)).map(Secret::reveal);
        Some((secret.unwrap_or(text), source))
    }

    /// Returns the name by which a variable was given, for the value that holds.
    pub(super) fn spelled(&self, name: &str) -> Option<(&str, Source)> {
        self.given(name).map(|(given, source)| (given.name.as_str(), source))
    }

    /// Returns the value of a variable that holds, as it was written.
    fn written(&self, name: &str) -> Option<(&str, Source)> {
        self.given(name).map(|(given, source)| (given.text.as_str(), source))
    }

    fn given(&self, name: &str) -> Option<(&Given, Source)> {
        debug_assert!(names::find(name).is_some_and(|(it, _)| it.name == name), "{name} is in the table");
        Source::DOWNWARDS.into_iter().find_map(|source| Some((self.values.get(&source)?.get(name)?, source)))
    }

    /// Returns the values that hold, in the order of [`variables`](super::variables).
    pub fn shown(&self) -> Vec<Shown> {
        let shown = |it: &Variable| {
            let (text, source) = self.written(it.name)?;
            let value = match text.strip_prefix(KEYCHAIN) {
                Some(name) if it.is_secret => format!("set: {} of the keychain", visible(name, 80)),
                _ if it.is_secret => "set".to_owned(),
                _ => safe(text),
            };
            Some(Shown { name: it.name, value, source })
        };
        names::variables().iter().filter_map(shown).collect()
    }
}

impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.shown()).finish()
    }
}

/// Returns a value for a message: short and visible. An address with a user in it may hold a password, and is not shown.
pub(super) fn safe(text: &str) -> String {
    if text.contains('@') && text.contains("://") {
        "an address with a user".to_owned()
    } else {
        visible(text, 80)
    }
}
