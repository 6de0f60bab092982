//! What is right and wrong in a declaration.
//!
//! In: entries. Out: the first mistake, with the line that made it. The rules look at one entry and at the names there
//! are, never at the other entries: a server can have many, and they can come one by one.

use std::collections::HashMap;
use std::panic::Location;

use plainwire_proto::cursor::List;
use plainwire_proto::json::shorten;
use serde_json::value::RawValue;

use super::prompt::Prompt;
use super::resource::{Resource, ResourceTemplate};
use super::tool::Tool;
use super::{apps, meta};
use crate::error::{Error, Result};
use crate::schema::Template;
use crate::server::catalog::Declared;
use crate::server::handler::{Needed, States};

/// One of the four kinds of entries.
pub(crate) trait Declare: Sized {
    /// Where clients find it.
    const LIST: List;

    fn about(&self) -> About<'_>;

    fn entries(declared: &mut Declared) -> &mut Vec<Self>;
}

/// What the rules want to know of an entry.
pub(crate) struct About<'e> {
    pub(crate) at: &'static Location<'static>,
    pub(crate) completes: bool,
    pub(crate) list: List,
    pub(crate) meta: Option<&'e RawValue>,
    pub(crate) mime_type: Option<&'e str>,
    /// Its name, URI or template.
    pub(crate) name: &'e str,
    needs: &'e [Needed],
    problem: &'e Option<String>,
}

/// The names there are, each with the line that declared it first.
#[derive(Default)]
pub(crate) struct Names {
    by_list: [HashMap<Box<str>, &'static Location<'static>>; List::ALL.len()],
    /// How many entries the rules were asked about.
    #[cfg(test)]
    pub(crate) checked: std::cell::Cell<usize>,
}

impl Names {
    /// Takes note of an entry, whatever is wrong with it.
    pub(crate) fn note(&mut self, about: &About<'_>) {
        let names = &mut self.by_list[about.list as usize];
        if !names.contains_key(about.name) {
            names.insert(about.name.into(), about.at);
        }
    }

    /// Forgets a name. Returns whether it was there.
    pub(crate) fn forget(&mut self, list: List, name: &str) -> bool {
        self.by_list[list as usize].remove(name).is_some()
    }

    /// Sees that the page of a tool is there. Not a part of [`Self::check`]: a server may declare it behind the tool.
    ///
    /// # Errors
    /// [`Error::Declaration`], with the line of the tool.
    pub(crate) fn check_page(&self, about: &About<'_>) -> Result<()> {
        let Some(page) = apps::tool_page(about) else { return Ok(()) };
        let of = |list: List| &self.by_list[list as usize];
        let mut templates = of(List::ResourceTemplates).keys().filter_map(|it| Template::parse(it).ok());
        if of(List::Resources).contains_key(page.as_str())
            || templates.any(|it| it.variables_of(&page).is_some())
        {
            return Ok(());
        }
        let (name, found) = (about.name, shorten(&page));
        let message = format!(
            "tool `{name}`: expected its page `{found}` to be a resource of the server, but found none"
        );
        Err(Error::Declaration { at: about.at, message })
    }

    /// Finds the first mistake in an entry that is to be added.
    ///
    /// # Errors
    /// [`Error::Declaration`], with the line of the entry.
    pub(crate) fn check(&self, about: &About<'_>, states: &States) -> Result<()> {
        #[cfg(test)]
        self.checked.set(self.checked.get() + 1);
        let &About { at, list, name, needs, problem, .. } = about;
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
        if name.is_empty() {
            return wrong("expected a name".to_owned());
        }
        if let Some(problem) = about.meta.and_then(meta::problem) {
            return wrong(problem);
        }
        if let Err(problem) = apps::check(about) {
            return wrong(problem);
        }
        if let Some(missing) = states.missing(needs) {
            return wrong(missing);
        }
        if let Some(first) = self.by_list[list as usize].get(name) {
            // One entry that comes a second time: two places would be one.
            let found = if *first == at {
                "was added twice".to_owned()
            } else {
                format!("is also declared at {first}")
            };
            return wrong(format!("expected the name once, but it {found}"));
        }
        Ok(())
    }
}

/// Finds the first mistake in a declaration.
///
/// # Errors
/// [`Error::Declaration`], with the line of the entry.
pub(crate) fn check(declared: &Declared, states: &States) -> Result<()> {
    let mut names = Names::default();
    let entries = (declared.tools.iter().map(Declare::about))
        .chain(declared.prompts.iter().map(Declare::about))
        .chain(declared.resources.iter().map(Declare::about))
        .chain(declared.templates.iter().map(Declare::about));
    for about in entries {
        names.check(&about, states)?;
        names.note(&about);
    }
    declared.tools.iter().try_for_each(|it| names.check_page(&it.about()))
}

impl Declare for Prompt {
    const LIST: List = List::Prompts;

    fn about(&self) -> About<'_> {
        let completes = !self.completers.is_empty();
        let Self { at, entry, needs, problem, .. } = self;
        let meta = entry.meta.as_deref();
        About { at, completes, list: Self::LIST, meta, mime_type: None, name: &entry.name, needs, problem }
    }

    fn entries(declared: &mut Declared) -> &mut Vec<Self> {
        &mut declared.prompts
    }
}

impl Declare for Resource {
    const LIST: List = List::Resources;

    fn about(&self) -> About<'_> {
        let Self { at, entry, needs, problem, .. } = self;
        let (meta, mime_type) = (entry.meta.as_deref(), entry.mime_type.as_deref());
        About { at, completes: false, list: Self::LIST, meta, mime_type, name: &entry.uri, needs, problem }
    }

    fn entries(declared: &mut Declared) -> &mut Vec<Self> {
        &mut declared.resources
    }
}

impl Declare for ResourceTemplate {
    const LIST: List = List::ResourceTemplates;

    fn about(&self) -> About<'_> {
        let Self { at, completers, entry, needs, problem, .. } = self;
        let completes = !completers.is_empty();
        let (meta, mime_type) = (entry.meta.as_deref(), entry.mime_type.as_deref());
        About { at, completes, list: Self::LIST, meta, mime_type, name: &entry.uri_template, needs, problem }
    }

    fn entries(declared: &mut Declared) -> &mut Vec<Self> {
        &mut declared.templates
    }
}

impl Declare for Tool {
    const LIST: List = List::Tools;

    fn about(&self) -> About<'_> {
        let Self { at, entry, needs, output_problem, problem, .. } = self;
        let problem = if problem.is_some() { problem } else { output_problem };
        let meta = entry.meta.as_deref();
        About {
            at,
            completes: false,
            list: Self::LIST,
            meta,
            mime_type: None,
            name: &entry.name,
            needs,
            problem,
        }
    }

    fn entries(declared: &mut Declared) -> &mut Vec<Self> {
        &mut declared.tools
    }
}

/// An entry of `list`, for messages.
fn kind(list: List) -> &'static str {
    match list {
        List::Prompts => "prompt",
        List::Resources => "resource",
        List::ResourceTemplates => "resource template",
        List::Tools => "tool",
    }
}

/// Spec: 2025-11-25 tools "Tool Names".
fn is_tool_name(name: &str) -> bool {
    (1..=128).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
}
