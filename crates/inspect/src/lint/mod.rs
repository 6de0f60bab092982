//! Problems with the tools of a list: for the model that reads them, and for clients that refuse them.
//!
//! In: [`Entry`]s. Out: [`Finding`]s, each with the broken rule, the position of the problem, and advice.
//! [`RULES`] lists all rules; `docs/tokens.md` links a report for each rule that is about certain clients.
//! Schemas are not checked against the whole JSON Schema specification, and no tool is changed.

mod names;
mod pages;
mod rules;
mod schema;
mod shape;
mod words;

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::Serialize;

use crate::Entry;
pub use rules::RULES;

/// A client, or the model API behind it, that does not accept every tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Client {
    /// Claude Code, Claude Desktop, and other programs that use the Claude API.
    Claude,
    /// GitHub Copilot.
    Copilot,
    /// Cursor.
    Cursor,
    /// Gemini CLI, and other programs that use function declarations of the Gemini API.
    Gemini,
    /// ChatGPT, Codex, and other programs that use the OpenAI API.
    Openai,
}

impl Client {
    /// All clients, in the order of their names.
    pub const ALL: [Self; 5] = [Self::Claude, Self::Copilot, Self::Cursor, Self::Gemini, Self::Openai];

    /// Returns the name of the client in lower case.
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

/// Severity of a broken rule. A greater value is more severe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A finding that is worth knowing, but often no mistake.
    Note,
    /// A reason for models to choose worse between tools or to write wrong arguments, or for some programs to
    /// refuse the tool or to ignore a part of it.
    Warning,
    /// A violation of the protocol or of MCP Apps, a missing description, or a reason for a client to refuse
    /// the whole list of tools.
    Error,
}

impl Severity {
    /// Returns the name of the severity in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A rule that tools should follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name of the rule, in kebab-case.
    pub name: &'static str,
    /// Severity of breaking the rule.
    pub severity: Severity,
    /// The clients that the rule is about; empty if it is about all.
    pub clients: &'static [Client],
    /// Advice on how to fix a tool that breaks the rule.
    pub hint: &'static str,
}

/// A rule that a tool breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Finding {
    /// The name of the tool; empty if it has no name.
    pub tool: String,
    /// The name of the broken rule.
    pub rule: &'static str,
    /// Position of the problem in the entry, such as `description` or `inputSchema.properties.limit`.
    #[serde(rename = "where")]
    pub place: String,
    /// A sentence with the expected and the found value.
    pub message: String,
    /// Advice on how to fix the tool.
    pub hint: &'static str,
    /// Severity of the broken rule.
    pub severity: Severity,
    /// The clients that the rule is about; empty if it is about all.
    pub clients: &'static [Client],
}

impl Finding {
    /// Returns whether the finding matters to `client`.
    pub fn concerns(&self, client: Client) -> bool {
        self.clients.is_empty() || self.clients.contains(&client)
    }
}

/// Checks the tools of a list, each one by itself and their names against each other.
///
/// Findings are in the order of the tools, and within a tool in the order of [`RULES`]. If a tool breaks a
/// rule in several positions, there is one finding, for the first position. Its message says how many further
/// positions there are.
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

/// The rules that one tool breaks, with the position of the problem, by the name of the rule.
#[derive(Debug, Default)]
struct Broken {
    rules: BTreeMap<&'static str, First>,
}

/// The first position at which a tool breaks a rule, and in `more` the number of further ones.
#[derive(Debug)]
struct First {
    message: String,
    more: usize,
    place: String,
}

impl Broken {
    /// Records that the tool breaks `rule`. Only the first position is kept, and further ones are counted: a
    /// tool from a server may break a rule in any number of places.
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
