//! The checks and what they found.

use plainwire::proto::json::visible;

use crate::rest::SettingFault;

/// All checks, in order.
pub(super) const NAMES: [&str; 16] = [
    "settings",
    "host",
    "proxy",
    "connection",
    "product",
    "deployment",
    "clock",
    "sign-in",
    "scopes",
    "sites",
    "credentials",
    "login",
    "permissions",
    "search",
    "boards",
    "service desk",
];

/// One step, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was checked, in a word or two.
    pub name: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// What was found, in a sentence without a full stop.
    pub found: String,
    /// What to change. A check that passed may have one, too: what could be better.
    pub advice: Option<String>,
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is wrong, and tools will fail.
    Failed,
    /// It is right.
    Passed,
    /// It was not checked, or is not there and need not be.
    Skipped,
}

/// The checks so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    checks: Vec<Check>,
}

impl Report {
    pub(super) fn passed(&mut self, name: &'static str, found: impl Into<String>) {
        self.add(name, Outcome::Passed, found, None);
    }

    pub(super) fn failed(&mut self, name: &'static str, found: impl Into<String>, advice: Option<String>) {
        self.add(name, Outcome::Failed, found, advice);
    }

    /// A setting that can't be used.
    pub(super) fn refused(&mut self, name: &'static str, fault: &SettingFault) {
        let advice = format!("correct {}", crate::settings::of_field(fault.setting));
        self.failed(name, fault.message.clone(), Some(advice));
    }

    pub(super) fn skipped(&mut self, name: &'static str, found: impl Into<String>) {
        self.add(name, Outcome::Skipped, found, None);
    }

    pub(super) fn add(
        &mut self,
        name: &'static str,
        outcome: Outcome,
        found: impl Into<String>,
        advice: Option<String>,
    ) {
        debug_assert!(NAMES.contains(&name) && self.checks.iter().all(|it| it.name != name), "{name}");
        self.checks.push(Check { name, outcome, found: visible(&found.into(), MAX_FOUND), advice });
    }

    /// Returns all checks, in order: those that were not made are skipped.
    pub(super) fn finished(mut self) -> Vec<Check> {
        let first = self.checks.iter().rfind(|it| it.outcome == Outcome::Failed).map(|it| it.name);
        let why = first
            .map_or_else(|| "not needed".to_owned(), |name| format!("not checked, since \"{name}\" failed"));
        for name in NAMES {
            if self.checks.iter().all(|it| it.name != name) {
                self.skipped(name, why.clone());
            }
        }
        self.checks.sort_by_key(|it| NAMES.iter().position(|name| *name == it.name));
        self.checks
    }
}

/// The longest text of what was found, in characters.
const MAX_FOUND: usize = 400;
