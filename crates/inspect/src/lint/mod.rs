//! What is wrong with the tools of a list: for the model that reads them, and for clients that refuse them.
//!
//! In: [`Entry`]s. Out: [`Finding`]s, each with the rule that it breaks, the place, and what to do about it. [`RULES`] lists all
//! rules; `docs/tokens.md` has an address for each one that is about certain clients: where somebody saw it happen. No schema
//! is checked against the JSON Schema specification as a whole, and nothing is changed.

mod names;
mod pages;
mod rules;
mod schema;
mod words;

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::Serialize;

use crate::Entry;
pub use rules::RULES;

/// A client, or the model interface behind it, that does not take every tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Client {
    /// Claude Code, Claude Desktop, and whatever else uses the Claude API.
    Claude,
    /// GitHub Copilot.
    Copilot,
    /// Cursor.
    Cursor,
    /// Gemini CLI, and whatever else uses function declarations of the Gemini API.
    Gemini,
    /// ChatGPT, Codex, and whatever else uses the OpenAI API.
    Openai,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Claude, Self::Copilot, Self::Cursor, Self::Gemini, Self::Openai];

    /// Returns its name in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Copilot => "copilot",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::Openai => "openai",
        }
    }
}

/// How bad it is. The worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing, and often right as it is.
    Note,
    /// Models choose worse, or some hosts of some models refuse it.
    Warning,
    /// Against the protocol, or refused with the whole list by every host of the clients that the rule names.
    Error,
}

impl Severity {
    /// Returns its name in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Something that tools should keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, in kebab-case.
    pub name: &'static str,
    /// How bad it is to break it.
    pub severity: Severity,
    /// Whom it is about; empty if it is about everybody.
    pub clients: &'static [Client],
    /// What to do about it.
    pub hint: &'static str,
}

/// A rule that a tool breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Finding {
    /// The tool; empty if it has no name.
    pub tool: String,
    /// The name of the rule.
    pub rule: &'static str,
    /// Where in the entry: `description`, `inputSchema.properties.limit`.
    #[serde(rename = "where")]
    pub place: String,
    /// What was expected, and what was found.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Whom it is about; empty if it is about everybody.
    pub clients: &'static [Client],
}

impl Finding {
    /// Returns whether it matters to `client`.
    pub fn concerns(&self, client: Client) -> bool {
        self.clients.is_empty() || self.clients.contains(&client)
    }
}

/// Checks the tools of a list, alone and beside each other.
///
/// In the order of the tools, and of [`RULES`] within a tool. A rule that one tool breaks in several places is one finding, at
/// the first of them.
pub fn check(tools: &[Entry]) -> Vec<Finding> {
    let (mut findings, mut known) = (Vec::new(), names::Known::default());
    for tool in tools {
        let mut broken = Broken::default();
        words::check(tool, &mut broken);
        names::check(tool, &mut known, &mut broken);
        schema::check(tool, &mut broken);
        pages::check(tool, &mut broken);
        findings.extend(RULES.iter().filter_map(|rule| broken.finding(tool, rule)));
    }
    findings
}

/// The rules that one tool breaks.
#[derive(Debug, Default)]
struct Broken {
    rules: BTreeMap<&'static str, First>,
}

/// The first place where a rule is broken, and in how many others it is.
#[derive(Debug)]
struct First {
    message: String,
    more: usize,
    place: String,
}

impl Broken {
    /// Notes that `rule` is broken. Only the first place is written down: there may be as many as a server likes.
    fn add(&mut self, rule: &'static str, place: impl Display, message: impl FnOnce() -> String) {
        match self.rules.get_mut(rule) {
            Some(first) => first.more += 1,
            None => {
                let first = First { message: message(), more: 0, place: place.to_string() };
                self.rules.insert(rule, first);
            }
        }
    }

    fn finding(&self, tool: &Entry, rule: &'static Rule) -> Option<Finding> {
        let first = self.rules.get(rule.name)?;
        let more = match first.more {
            0 => String::new(),
            1 => " (and in one more place)".into(),
            more => format!(" (and in {more} more places)"),
        };
        Some(Finding {
            tool: tool.name().to_owned(),
            rule: rule.name,
            place: first.place.clone(),
            message: format!("{}{more}", first.message),
            hint: rule.hint,
            severity: rule.severity,
            clients: rule.clients,
        })
    }
}

#[cfg(test)]
mod tests;
