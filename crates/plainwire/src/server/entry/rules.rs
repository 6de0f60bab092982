//! The rules that entries have to follow.
//!
//! In: entries. Out: the first mistake, with the line that declared the entry. A rule looks at one entry and
//! at the names of the others, never at the other entries themselves. So the check of an entry that is added
//! takes no longer if the server already has many.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

use plainwire_proto::cursor::List;
use plainwire_proto::json::shorten;
use serde_json::value::RawValue;

use super::core::Core;
use super::declared::Declared;
use super::mount::Mount;
use super::prompt::Prompt;
use super::resource::{Resource, ResourceTemplate};
use super::tool::Tool;
use super::{apps, meta};
use crate::error::{Error, Result};
use crate::schema::Template;
use crate::server::context::{NeededState, States};

/// A kind of entry: [`Prompt`], [`Resource`], [`ResourceTemplate`] or [`Tool`].
pub(crate) trait Declare: Sized {
    /// The list in which clients find the entry.
    const LIST: List;

    /// Returns the parts of the entry that the rules check.
    fn summary(&self) -> EntrySummary<'_>;

    /// Turns the entry into one of the server that mounts its own server.
    fn mount(&mut self, mount: &Arc<Mount>);

    /// Returns the name or URI that the entry `own` of a mounted server has in the server that mounts it.
    fn mounted_name(mount: &Mount, own: &str) -> String;

    /// Returns the list of this kind of entry in `declared`.
    fn entries(declared: &mut Declared) -> &mut Vec<Self>;
}

/// The parts of an entry that the rules check.
pub(crate) struct EntrySummary<'e> {
    /// The source line of the program that declared the entry.
    pub(crate) at: &'static Location<'static>,
    /// Whether the entry has completions.
    pub(crate) completes: bool,
    pub(crate) list: List,
    pub(crate) meta: Option<&'e RawValue>,
    pub(crate) mime_type: Option<&'e str>,
    /// The mounted servers that the entry comes from, the innermost first; empty for an entry of the server
    /// itself.
    pub(crate) mounts: &'e [Arc<Mount>],
    /// The name of a tool or prompt, the URI of a resource, or the URI template.
    pub(crate) name: &'e str,
    /// The types of the [`crate::State`] parameters of the handler.
    needs: &'e [NeededState],
    /// The mistake that was found when the entry was built, if there was one.
    problem: &'e Option<String>,
    /// The states of the mounted server that the entry comes from, if there is one.
    states: Option<&'e Arc<States>>,
}

impl<'e> EntrySummary<'e> {
    fn of(list: List, name: &'e str, core: &'e Core, meta: Option<&'e RawValue>) -> Self {
        let Core { at, mounts, needs, problem, .. } = core;
        let states = core.states();
        EntrySummary {
            at,
            completes: false,
            list,
            meta,
            mime_type: None,
            mounts,
            name,
            needs,
            problem,
            states,
        }
    }
}

/// The names of the declared entries, by list, each with the line that declared it first.
#[derive(Default)]
pub(crate) struct Names {
    by_list: [HashMap<Box<str>, &'static Location<'static>>; List::ALL.len()],
    /// The number of entries that [`Self::check`] has checked so far, for tests.
    #[cfg(test)]
    pub(crate) checked: std::cell::Cell<usize>,
}

impl Names {
    /// Records the name of an entry, even if the entry has a mistake. A name that is recorded already keeps
    /// its line.
    pub(crate) fn note(&mut self, summary: &EntrySummary<'_>) {
        let names = &mut self.by_list[summary.list as usize];
        if !names.contains_key(summary.name) {
            names.insert(summary.name.into(), summary.at);
        }
    }

    /// Removes a recorded name. Returns whether it was recorded.
    pub(crate) fn forget(&mut self, list: List, name: &str) -> bool {
        self.by_list[list as usize].remove(name).is_some()
    }

    /// Checks that the page that a tool names in `_meta.ui` exists. An entry without such a page passes. Not
    /// a part of [`Self::check`], because a server may declare the page after the tool.
    ///
    /// # Errors
    /// [`Error::Declaration`], with the line that declared the tool.
    pub(crate) fn check_page(&self, summary: &EntrySummary<'_>) -> Result<()> {
        let Some(page) = apps::tool_page(summary) else { return Ok(()) };
        let of = |list: List| &self.by_list[list as usize];
        let mut templates = of(List::ResourceTemplates).keys().filter_map(|it| Template::parse(it).ok());
        if of(List::Resources).contains_key(page.as_str())
            || templates.any(|it| it.variables_of(&page).is_some())
        {
            return Ok(());
        }
        let (name, found) = (summary.name, shorten(&page));
        let message = format!(
            "tool `{name}`: expected its page `{found}` to be a resource of the server, but found none"
        );
        Err(Error::Declaration { at: summary.at, message })
    }

    /// Checks an entry that is to be added, by itself and against the recorded names. Without `states`, the
    /// states that an entry of the server itself needs are not checked.
    ///
    /// # Errors
    /// [`Error::Declaration`] for the first mistake, with the line that declared the entry.
    pub(crate) fn check(&self, summary: &EntrySummary<'_>, states: Option<&States>) -> Result<()> {
        #[cfg(test)]
        self.checked.set(self.checked.get() + 1);
        let &EntrySummary { at, list, name, needs, problem, .. } = summary;
        let kind = kind(list);
        let wrong = |message| Err(Error::Declaration { at, message: format!("{kind} `{name}`: {message}") });
        if let Some(problem) = problem {
            return wrong(problem.clone());
        }
        if list == List::Tools && !is_tool_name(name) {
            return wrong("expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`".to_owned());
        }
        if matches!(list, List::Resources | List::ResourceTemplates)
            && !name.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
        {
            return wrong("expected a URI that begins with a scheme, such as `file:`".to_owned());
        }
        if list == List::Resources && name.contains(['{', '}']) {
            return wrong(
                "expected a URI without `{` and `}`; use a `ResourceTemplate` for many URIs".to_owned(),
            );
        }
        if matches!(list, List::Resources | List::ResourceTemplates) && name.contains(char::is_whitespace) {
            return wrong("expected a URI without blanks: write `%20`".to_owned());
        }
        if name.is_empty() {
            return wrong("expected a name".to_owned());
        }
        if let Some(problem) = summary.meta.and_then(meta::problem) {
            return wrong(problem);
        }
        if let Err(problem) = apps::check(summary) {
            return wrong(problem);
        }
        if let Some(missing) = summary.states.map(|own| &**own).or(states).and_then(|it| it.missing(needs)) {
            return wrong(missing);
        }
        if let Some(first) = self.by_list[list as usize].get(name) {
            // Both entries were declared by the same line, so there is no other line to name.
            let found = if *first == at {
                "was added twice".to_owned()
            } else {
                format!("is also declared at {first}")
            };
            let key = match list {
                List::Resources | List::ResourceTemplates => "URI",
                List::Prompts | List::Tools => "name",
            };
            return wrong(format!("expected the {key} once, but it {found}"));
        }
        Ok(())
    }
}

/// Checks all entries of a server, before it begins to serve.
///
/// # Errors
/// [`Error::Declaration`] for the first mistake, with the line that declared the entry.
pub(crate) fn check(declared: &Declared, states: &States) -> Result<()> {
    let mut names = Names::default();
    let entries = (declared.tools.iter().map(Declare::summary))
        .chain(declared.prompts.iter().map(Declare::summary))
        .chain(declared.resources.iter().map(Declare::summary))
        .chain(declared.templates.iter().map(Declare::summary));
    for summary in entries {
        names.check(&summary, Some(states))?;
        names.note(&summary);
    }
    declared.tools.iter().try_for_each(|it| names.check_page(&it.summary()))
}

impl Declare for Prompt {
    const LIST: List = List::Prompts;

    fn summary(&self) -> EntrySummary<'_> {
        let completes = !self.completers.is_empty();
        EntrySummary {
            completes,
            ..EntrySummary::of(Self::LIST, &self.entry.name, &self.core, self.entry.meta.as_deref())
        }
    }

    fn mount(&mut self, mount: &Arc<Mount>) {
        mount.prompt(self);
    }

    fn mounted_name(mount: &Mount, own: &str) -> String {
        mount.name(own)
    }

    fn entries(declared: &mut Declared) -> &mut Vec<Self> {
        &mut declared.prompts
    }
}

impl Declare for Resource {
    const LIST: List = List::Resources;

    fn summary(&self) -> EntrySummary<'_> {
        let mime_type = self.entry.mime_type.as_deref();
        EntrySummary {
            mime_type,
            ..EntrySummary::of(Self::LIST, &self.entry.uri, &self.core, self.entry.meta.as_deref())
        }
    }

    fn mount(&mut self, mount: &Arc<Mount>) {
        mount.resource(self);
    }

    fn mounted_name(_: &Mount, own: &str) -> String {
        own.to_owned()
    }

    fn entries(declared: &mut Declared) -> &mut Vec<Self> {
        &mut declared.resources
    }
}

impl Declare for ResourceTemplate {
    const LIST: List = List::ResourceTemplates;

    fn summary(&self) -> EntrySummary<'_> {
        let (completes, mime_type) = (!self.completers.is_empty(), self.entry.mime_type.as_deref());
        let summary =
            EntrySummary::of(Self::LIST, &self.entry.uri_template, &self.core, self.entry.meta.as_deref());
        EntrySummary { completes, mime_type, ..summary }
    }

    fn mount(&mut self, mount: &Arc<Mount>) {
        mount.template(self);
    }

    fn mounted_name(_: &Mount, own: &str) -> String {
        own.to_owned()
    }

    fn entries(declared: &mut Declared) -> &mut Vec<Self> {
        &mut declared.templates
    }
}

impl Declare for Tool {
    const LIST: List = List::Tools;

    fn summary(&self) -> EntrySummary<'_> {
        let summary = EntrySummary::of(Self::LIST, &self.entry.name, &self.core, self.entry.meta.as_deref());
        let problem = if summary.problem.is_some() { summary.problem } else { &self.output_problem };
        EntrySummary { problem, ..summary }
    }

    fn mount(&mut self, mount: &Arc<Mount>) {
        mount.tool(self);
    }

    fn mounted_name(mount: &Mount, own: &str) -> String {
        mount.name(own)
    }

    fn entries(declared: &mut Declared) -> &mut Vec<Self> {
        &mut declared.tools
    }
}

/// Returns the kind of the entries of `list`, for messages.
fn kind(list: List) -> &'static str {
    match list {
        List::Prompts => "prompt",
        List::Resources => "resource",
        List::ResourceTemplates => "resource template",
        List::Tools => "tool",
    }
}

/// Returns whether `name` is a legal name of a tool. Spec: 2025-11-25 tools "Tool Names".
fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
}
