//! The catalog: everything a server offers at one time, indexed.
//!
//! In: tools, resources, templates and prompts. Out: the entry of a name, the page of a cursor. A catalog
//! does not run handlers and never changes: [`ServerHandle`] replaces it, so that a lookup needs no lock.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use plainwire_proto::cursor::{CursorKey, List};
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::json::shorten;
use plainwire_proto::model::{
    self, CacheHint, ClientCapability, CompleteRequest, CompletionReference, RawJson,
};
use plainwire_proto::revision::Revision;

use super::context::{OnCancel, States};
use super::handler::Run;
use super::layer::Chain;
use super::layering::Layering;
#[cfg(feature = "outputs")]
use super::outputs::Around;
use super::result::Kind;
use crate::schema::arguments::nearest;
use crate::schema::{InputSchema, Rewrite, Template};

mod build;
mod handle;
#[cfg(feature = "http")]
mod offering;
pub(crate) mod pace;
mod pages;
#[cfg(feature = "http")]
pub(crate) mod selection;
mod shared;

pub use handle::ServerHandle;
use pace::Pace;
pub(crate) use shared::SharedCatalog;

/// A tool, resource, template, prompt or completion, ready to be called.
pub(crate) struct Entry {
    /// How clients may cache the resource; `None` if the server's hint holds.
    pub(crate) cache: Option<CacheHint>,
    /// The layers (code around calls) with the handler inside; `None` if there are no layers, and `run` is
    /// called directly.
    pub(crate) chain: Option<Arc<Chain>>,
    /// The arguments of the tool that clients have to repeat in HTTP headers.
    #[cfg(feature = "http")]
    pub(crate) headers: Vec<plainwire_proto::http::ParamHeader>,
    /// The kind of entry; `None` for a completion.
    pub(crate) kind: Option<Kind>,
    /// The function that keeps large results of the tool; `None` for other entries, and without [`crate::outputs`].
    #[cfg(feature = "outputs")]
    pub(crate) keeps: Option<Around>,
    pub(crate) mime_type: Option<String>,
    /// The kind and name, for messages: "the tool `add`".
    pub(crate) name: String,
    pub(crate) on_cancel: OnCancel,
    /// The capabilities that a client must declare to call the entry.
    pub(crate) requires: Vec<ClientCapability>,
    pub(crate) run: Run,
    pub(crate) schema: InputSchema,
    /// The states of the mounted server that the entry comes from; `None` for an entry of the server itself.
    pub(crate) states: Option<Arc<States>>,
    /// Whether clients may subscribe to changes of the resource.
    pub(crate) subscribable: bool,
    /// The time limit for calls of a tool; `None` for the time limit of the server.
    pub(crate) timeout: Option<Duration>,
    pub(crate) pace: Arc<Pace>,
    /// Whether the tool is listed with an output schema, so that clients expect structured content.
    pub(crate) promises_structure: bool,
    /// The `_meta.ui` that the list shows for a resource or template, also sent with its contents; `None` if
    /// there is none. Pages of views (MCP Apps) have a `_meta.ui`.
    pub(crate) ui: Option<RawJson>,
}

/// The settings that [`Catalog::new`] needs beside the entries.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) cache_hint: CacheHint,
    pub(crate) layering: Layering,
    pub(crate) page_size: usize,
    /// The rewriting of input schemas in `tools/list`; `None` if the program sets no schema preset.
    pub(crate) preset: Option<Rewrite>,
    /// The threshold of [`Pace`]: a first step of a call that takes longer is slow.
    pub(crate) slow_step: Duration,
    /// Whether the program declares the extension for views itself, by [`crate::Server::extension`].
    pub(crate) shows_views: bool,
}

/// Everything a server offers at one time, indexed.
pub(crate) struct Catalog {
    cache_hint: CacheHint,
    /// The completions, by prompt or template, and by the name of the argument.
    completions: HashMap<CompletionTarget, HashMap<String, Arc<Entry>>>,
    cursors: CursorKey,
    lists: Lists,
    page_size: usize,
    /// The JSON of the pages of each list, by revision and list; written when a page is first requested.
    pages: [[OnceLock<Vec<Vec<u8>>>; List::ALL.len()]; Revision::ALL.len()],
    /// The pages of `tools/list` for clients that show cards, by revision.
    pages_with_cards: [OnceLock<Vec<Vec<u8>>>; Revision::ALL.len()],
    prompts: HashMap<String, Arc<Entry>>,
    resources: HashMap<String, Arc<Entry>>,
    templates: Vec<(Template, Arc<Entry>)>,
    tools: HashMap<String, Arc<Entry>>,
}

/// A prompt (by its name) or a template (by its URI template) whose arguments may have completions.
#[derive(Clone, PartialEq, Eq, Hash)]
enum CompletionTarget {
    Prompt(String),
    Template(String),
}

/// The contents of the four lists, such as `tools/list`, in the order of declaration.
struct Lists {
    /// The `_meta` with which a tool is listed to clients that show pages only, by the name of the tool.
    cards: HashMap<String, RawJson>,
    prompts: Vec<model::Prompt>,
    resources: Vec<model::Resource>,
    templates: Vec<model::ResourceTemplate>,
    tools: Vec<model::Tool>,
}

impl Catalog {
    pub(crate) fn tool(&self, name: &str) -> Result<&Arc<Entry>, Error> {
        self.tools.get(name).ok_or_else(|| unknown("tool", name, self.lists.tools.iter().map(|it| &*it.name)))
    }

    pub(crate) fn prompt(&self, name: &str) -> Result<&Arc<Entry>, Error> {
        self.prompts
            .get(name)
            .ok_or_else(|| unknown("prompt", name, self.lists.prompts.iter().map(|it| &*it.name)))
    }

    /// Returns the entry that reads `uri`, and the variables of its template as JSON: `None` instead of
    /// variables if the entry is a resource without a template.
    pub(crate) fn resource(&self, uri: &str) -> Result<(&Arc<Entry>, Option<String>), Error> {
        if let Some(entry) = self.resources.get(uri) {
            return Ok((entry, None));
        }
        self.templates
            .iter()
            .find_map(|(template, entry)| Some((entry, Some(template.variables_of(uri)?))))
            .ok_or_else(|| Error::resource_not_found(uri))
    }

    /// Returns whether clients may subscribe to `uri`.
    ///
    /// # Errors
    /// If there is no such resource.
    pub(crate) fn is_subscribable(&self, uri: &str) -> Result<bool, Error> {
        self.resource(uri).map(|(entry, _)| entry.subscribable)
    }

    /// Returns the entry that completes an argument; `None` if the argument has no completion.
    ///
    /// # Errors
    /// `InvalidParams` if the prompt, resource or template does not exist.
    pub(crate) fn completion(&self, wanted: &CompleteRequest) -> Result<Option<&Arc<Entry>>, Error> {
        let completed = match &wanted.reference {
            CompletionReference::Prompt(name) => {
                self.prompt(name)?;
                CompletionTarget::Prompt(name.clone())
            }
            CompletionReference::Resource(uri) => CompletionTarget::Template(uri.clone()),
        };
        let entries = self.completions.get(&completed);
        if let (None, CompletionTarget::Template(uri)) = (entries, &completed)
            && self.resource(uri).is_err()
        {
            let found = shorten(uri);
            let text =
                format!("expected `ref.uri` to be a resource template of this server, but found {found:?}");
            return Err(Error::new(ErrorKind::InvalidParams, text));
        }
        Ok(entries.and_then(|entries| entries.get(&wanted.argument)))
    }
}

fn unknown<'k>(kind: &str, name: &str, known: impl Iterator<Item = &'k str>) -> Error {
    let found = shorten(name);
    let mut text = format!("expected `name` to be a {kind} of this server, but found {found:?}");
    if let Some(meant) = nearest(&found, known) {
        text += &format!("; did you mean `{meant}`?");
    }
    Error::new(ErrorKind::InvalidParams, text)
}
