//! What a server offers at one time, indexed: entries by name, list pages as the bytes that are sent.
//!
//! In: tools, resources, templates and prompts. Out: the entry behind a name, the page behind a cursor. A catalog
//! never changes; pages are written once per revision, the first time somebody asks.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use plainwire_proto::codec::{self, Encoder};
use plainwire_proto::cursor::{CursorKey, List};
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::json::shorten;
use plainwire_proto::model::{
    self, CacheHint, Capabilities, ClientCapability, CompleteRequest, CompletionReference, RawJson,
};
use plainwire_proto::revision::Revision;

use super::entry::{Completers, Declare, Prompt, Resource, ResourceTemplate, Tool, apps};
use super::handler::{OnCancel, Run};
use super::layer::{Chain, Kind, Layer};
use crate::schema::arguments::nearest;
use crate::schema::{InputSchema, Rewrite, Template};

mod changes;
mod handle;

pub(crate) use changes::{Bus, Mailbox};
pub use handle::ServerHandle;
pub(crate) use handle::Shared;

/// A function behind a name, ready to be called.
pub(crate) struct Entry {
    /// The layers around it, if there are any.
    pub(crate) chain: Option<Arc<Chain>>,
    /// What headers have to repeat.
    #[cfg(feature = "http")]
    pub(crate) headers: Vec<plainwire_proto::http::ParamHeader>,
    pub(crate) kind: Option<Kind>,
    pub(crate) mime_type: Option<String>,
    /// For messages: "the tool `add`".
    pub(crate) name: String,
    pub(crate) on_cancel: OnCancel,
    /// What the client has to have declared.
    pub(crate) requires: Vec<ClientCapability>,
    pub(crate) run: Run,
    pub(crate) schema: InputSchema,
    /// Whether clients may subscribe to changes of the resource.
    pub(crate) subscribable: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) pace: Arc<Pace>,
    /// Whether clients were told that its results have structured content.
    pub(crate) promises_structure: bool,
    /// What hosts want to know of a page, beside its contents too.
    pub(crate) ui: Option<RawJson>,
}

/// Whether the first step of calls is so slow that it must not hold up others.
///
/// One slow step is enough, and 64 quick ones make up for it: a function that blocks is slow for good, one that
/// was interrupted by the system is not.
#[derive(Debug)]
pub(crate) struct Pace {
    /// How many quick steps it takes until the last slow one is forgotten.
    debt: AtomicU8,
    /// A first step longer than this is slow.
    slow: Duration,
}

/// How many quick steps make up for a slow one.
const DEBT: u8 = 64;

impl Pace {
    fn new(slow: Duration) -> Arc<Self> {
        Arc::new(Self { debt: AtomicU8::new(0), slow })
    }

    pub(crate) fn is_slow(&self) -> bool {
        self.debt.load(Ordering::Relaxed) > 0
    }

    /// Returns whether the very last step was slow, as those of a function that blocks always are.
    pub(crate) fn was_slow(&self) -> bool {
        self.debt.load(Ordering::Relaxed) == DEBT
    }

    /// Takes note of a first step. Two at once may count as one: nothing depends on the exact number.
    pub(crate) fn note(&self, took: Duration) {
        if took > self.slow {
            self.debt.store(DEBT, Ordering::Relaxed);
        } else {
            let debt = self.debt.load(Ordering::Relaxed);
            if debt > 0 {
                self.debt.store(debt - 1, Ordering::Relaxed);
            }
        }
    }
}

/// Everything a server offers.
#[derive(Clone, Default)]
pub(crate) struct Declared {
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) tools: Vec<Tool>,
}

impl Declared {
    /// Returns whether anything has completions.
    pub(crate) fn completes(&self) -> bool {
        self.prompts.iter().any(|it| !it.completers.is_empty())
            || self.templates.iter().any(|it| !it.completers.is_empty())
    }

    /// Declares what the entries can do. With a handle, whatever may come.
    pub(crate) fn declare_in(&self, capabilities: &mut Capabilities, handled: bool) {
        let settings = |changes: bool, subscribes: bool| {
            let mut settings = serde_json::Map::new();
            for (name, on) in [("listChanged", changes), ("subscribe", subscribes)] {
                if on {
                    settings.insert(name.to_owned(), true.into());
                }
            }
            serde_json::Value::Object(settings)
        };
        if handled || !self.prompts.is_empty() {
            capabilities.declare("prompts", settings(handled, false));
        }
        if handled || !(self.resources.is_empty() && self.templates.is_empty()) {
            capabilities.declare("resources", settings(handled, handled || self.subscribes()));
        }
        if handled || !self.tools.is_empty() {
            capabilities.declare("tools", settings(handled, false));
        }
        if self.completes() {
            capabilities.declare("completions", serde_json::json!({}));
        }
        if self.shows_views() {
            apps::declare_in(capabilities);
        }
    }

    /// Returns whether anything is for hosts that show views.
    pub(crate) fn shows_views(&self) -> bool {
        self.resources.iter().any(|it| apps::is_part(&it.about()))
            || self.templates.iter().any(|it| apps::is_part(&it.about()))
            || self.tools.iter().any(|it| apps::is_part(&it.about()))
    }

    /// Returns whether there is anything to subscribe to.
    pub(crate) fn subscribes(&self) -> bool {
        self.resources.iter().any(|it| it.subscribable) || self.templates.iter().any(|it| it.subscribable)
    }
}

/// What [`Catalog::new`] has to know beside the entries.
#[derive(Default)]
pub(crate) struct Settings {
    pub(crate) cache_hint: CacheHint,
    /// Around every entry, the outermost first.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) page_size: usize,
    /// What the schemas of arguments are rewritten by, if by anything.
    pub(crate) preset: Option<Rewrite>,
    pub(crate) slow_step: Duration,
    /// Whether the server declares by hand that it has views.
    pub(crate) shows_views: bool,
}

pub(crate) struct Catalog {
    cache_hint: CacheHint,
    completions: HashMap<Completed, HashMap<String, Entry>>,
    cursors: CursorKey,
    lists: Lists,
    page_size: usize,
    pages: [[OnceLock<Vec<Vec<u8>>>; List::ALL.len()]; Revision::ALL.len()],
    prompts: HashMap<String, Entry>,
    resources: HashMap<String, Entry>,
    templates: Vec<(Template, Entry)>,
    tools: HashMap<String, Entry>,
}

/// What has completions: a prompt or a template, by name.
#[derive(PartialEq, Eq, Hash)]
enum Completed {
    Prompt(String),
    Template(String),
}

/// The lists as clients see them, in the order of declaration.
struct Lists {
    prompts: Vec<model::Prompt>,
    resources: Vec<model::Resource>,
    templates: Vec<model::ResourceTemplate>,
    tools: Vec<model::Tool>,
}

impl Catalog {
    /// Makes the catalog of what is declared. What `last` has learned about the pace of an entry is kept.
    pub(crate) fn new(server: &str, declared: &Declared, settings: &Settings, last: Option<&Self>) -> Self {
        let &Settings { cache_hint, ref layers, page_size, slow_step, .. } = settings;
        let entry = |kind: &str, name: &str, run: &Run, schema: &InputSchema, last: Option<&Entry>| {
            let known = last.filter(|last| Arc::ptr_eq(&last.run, run));
            let pace = known.map_or_else(|| Pace::new(slow_step), |last| Arc::clone(&last.pace));
            entry(kind, name, Arc::clone(run), schema.clone(), pace)
        };
        let mut completions = HashMap::new();
        let mut complete = |what: Completed, named: &str, completers: &Completers| {
            let last = |argument| last.and_then(|last| last.completions.get(&what)?.get(argument));
            let entries = completers.iter().map(|(argument, run)| {
                let name = format!("{argument}` of the {named}");
                let entry = entry("completion of", &name, run, &InputSchema::empty(), last(argument));
                (argument.clone(), entry)
            });
            let entries: HashMap<_, _> = entries.collect();
            completions.insert(what, entries);
        };
        // Cursors are good for one way of cutting one list.
        let mut names = format!("pages of {page_size}\n");
        let mut lists = Lists { prompts: vec![], resources: vec![], templates: vec![], tools: vec![] };
        let (mut prompts, mut resources, mut tools) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut templates = Vec::new();
        for it in &declared.tools {
            let name = &it.entry.name;
            names += &format!("tool {name}\n");
            let last = last.and_then(|last| last.tools.get(name));
            let entry = entry("tool", name, &it.run, &it.schema, last);
            let (on_cancel, requires, timeout) = (it.on_cancel, it.requires.clone(), it.timeout);
            let promises_structure = it.entry.output_schema.is_some();
            let entry = Entry { on_cancel, promises_structure, requires, timeout, ..entry };
            #[cfg(feature = "http")]
            let entry = match settings.preset {
                // The lists of a preset have no such marks, so that nobody could know of the headers.
                Some(_) => entry,
                None => Entry { headers: it.schema.param_headers(), ..entry },
            };
            tools.insert(name.clone(), entry.layered(Kind::Tool, layers, &it.layers));
            let input_schema = it.schema.listed(settings.preset);
            lists.tools.push(model::Tool { input_schema, ..it.entry.clone() });
        }
        for it in &declared.prompts {
            let name = &it.entry.name;
            names += &format!("prompt {name}\n");
            let last = last.and_then(|last| last.prompts.get(name));
            let entry = entry("prompt", name, &it.run, &it.schema, last);
            let entry = Entry { requires: it.requires.clone(), ..entry };
            prompts.insert(name.clone(), entry.layered(Kind::Prompt, layers, &it.layers));
            complete(Completed::Prompt(name.clone()), &format!("prompt `{name}"), &it.completers);
            lists.prompts.push(it.entry.clone());
        }
        for it in &declared.resources {
            let uri = &it.entry.uri;
            names += &format!("resource {uri}\n");
            let last = last.and_then(|last| last.resources.get(uri));
            let entry = entry("resource", uri, &it.run, &InputSchema::empty(), last);
            let (mime_type, subscribable) = (it.entry.mime_type.clone(), it.subscribable);
            let (requires, ui) = (it.requires.clone(), apps::listed(it.entry.meta.as_deref()));
            let entry = Entry { mime_type, requires, subscribable, ui, ..entry };
            resources.insert(uri.clone(), entry.layered(Kind::Resource, layers, &it.layers));
            lists.resources.push(it.entry.clone());
        }
        for it in &declared.templates {
            let uri = &it.entry.uri_template;
            names += &format!("template {uri}\n");
            let same = |(template, _): &&(Template, Entry)| *template == it.template;
            let last = last.and_then(|last| last.templates.iter().find(same)).map(|(_, entry)| entry);
            let entry = entry("resource template", uri, &it.run, &it.schema, last);
            let (mime_type, subscribable) = (it.entry.mime_type.clone(), it.subscribable);
            let (requires, ui) = (it.requires.clone(), apps::listed(it.entry.meta.as_deref()));
            let entry = Entry { mime_type, requires, subscribable, ui, ..entry };
            templates.push((it.template.clone(), entry.layered(Kind::Resource, layers, &it.layers)));
            complete(Completed::Template(uri.clone()), &format!("resource template `{uri}"), &it.completers);
            lists.templates.push(it.entry.clone());
        }
        Self {
            cache_hint,
            completions,
            cursors: CursorKey::derive(server, &names),
            lists,
            page_size: page_size.max(1),
            pages: Default::default(),
            prompts,
            resources,
            templates,
            tools,
        }
    }

    pub(crate) fn tool(&self, name: &str) -> Result<&Entry, Error> {
        self.tools.get(name).ok_or_else(|| unknown("tool", name, self.lists.tools.iter().map(|it| &*it.name)))
    }

    pub(crate) fn prompt(&self, name: &str) -> Result<&Entry, Error> {
        self.prompts
            .get(name)
            .ok_or_else(|| unknown("prompt", name, self.lists.prompts.iter().map(|it| &*it.name)))
    }

    /// Returns what reads `uri`, and the variables of its template as JSON.
    pub(crate) fn resource(&self, uri: &str) -> Result<(&Entry, Option<String>), Error> {
        if let Some(entry) = self.resources.get(uri) {
            return Ok((entry, None));
        }
        self.templates
            .iter()
            .find_map(|(template, entry)| Some((entry, Some(template.variables_of(uri)?))))
            .ok_or_else(|| Error::resource_not_found(uri))
    }

    /// Returns whether clients may hear of changes of `uri`.
    ///
    /// # Errors
    /// If there is no such resource.
    pub(crate) fn is_subscribable(&self, uri: &str) -> Result<bool, Error> {
        self.resource(uri).map(|(entry, _)| entry.subscribable)
    }

    /// Returns what completes an argument; `None` if nothing does.
    ///
    /// # Errors
    /// `InvalidParams` for what this server does not have.
    pub(crate) fn completion(&self, wanted: &CompleteRequest) -> Result<Option<&Entry>, Error> {
        let completed = match &wanted.reference {
            CompletionReference::Prompt(name) => {
                self.prompt(name)?;
                Completed::Prompt(name.clone())
            }
            CompletionReference::Resource(uri) => Completed::Template(uri.clone()),
        };
        let entries = self.completions.get(&completed);
        if let (None, Completed::Template(uri)) = (entries, &completed)
            && self.resource(uri).is_err()
        {
            let found = shorten(uri);
            let text =
                format!("expected `ref.uri` to be a resource template of this server, but found {found:?}");
            return Err(Error::new(ErrorKind::InvalidParams, text));
        }
        Ok(entries.and_then(|entries| entries.get(&wanted.argument)))
    }

    /// Returns the page of `list` that begins at `cursor`, as the JSON of `result`.
    ///
    /// # Errors
    /// `InvalidParams` for a cursor that this server did not make for this list.
    pub(crate) fn page(&self, list: List, cursor: Option<&str>, encoder: &Encoder) -> Result<&[u8], Error> {
        let pages = self.pages[encoder.revision().index()][list as usize]
            .get_or_init(|| self.write_pages(list, encoder));
        let offset = match cursor {
            None => Some(0),
            Some(cursor) => self.cursors.open(list, cursor).map(|offset| offset as usize),
        };
        offset.and_then(|offset| pages.get(offset / self.page_size)).map(Vec::as_slice).ok_or_else(|| {
            let found = shorten(cursor.unwrap_or_default()).into_owned();
            let text = format!("expected `cursor` to be a `nextCursor` of this list, but found {found:?}");
            Error::new(ErrorKind::InvalidParams, text)
        })
    }

    fn write_pages(&self, list: List, encoder: &Encoder) -> Vec<Vec<u8>> {
        match list {
            List::Prompts => self.write_list(list, encoder, &self.lists.prompts, codec::prompt),
            List::Resources => self.write_list(list, encoder, &self.lists.resources, codec::resource),
            List::ResourceTemplates => {
                self.write_list(list, encoder, &self.lists.templates, codec::resource_template)
            }
            List::Tools => self.write_list(list, encoder, &self.lists.tools, codec::tool),
        }
    }

    fn write_list<T>(
        &self,
        list: List,
        encoder: &Encoder,
        entries: &[T],
        write: impl Fn(&mut Vec<u8>, &T, Revision),
    ) -> Vec<Vec<u8>> {
        // An empty list still has its one empty page.
        let count = entries.len().div_ceil(self.page_size).max(1);
        let page = |number: usize| {
            let (from, to) = (number * self.page_size, ((number + 1) * self.page_size).min(entries.len()));
            let next = (to < entries.len()).then(|| self.cursors.seal(list, to as u32));
            let mut out = Vec::new();
            encoder.page(&mut out, list, &entries[from..to], next.as_deref(), self.cache_hint, &write);
            out
        };
        (0..count).map(page).collect()
    }
}

fn entry(kind: &str, name: &str, run: Run, schema: InputSchema, pace: Arc<Pace>) -> Entry {
    let name = format!("the {kind} `{name}`");
    Entry {
        chain: None,
        #[cfg(feature = "http")]
        headers: Vec::new(),
        kind: None,
        mime_type: None,
        name,
        on_cancel: OnCancel::default(),
        requires: vec![],
        run,
        schema,
        subscribable: false,
        timeout: None,
        pace,
        promises_structure: false,
        ui: None,
    }
}

impl Entry {
    /// Says what it is, and puts the layers of the server and its own around it.
    fn layered(mut self, kind: Kind, outer: &[Arc<dyn Layer>], own: &[Arc<dyn Layer>]) -> Self {
        self.kind = Some(kind);
        let layers = [outer, own].concat();
        if !layers.is_empty() {
            self.chain = Some(Arc::new(Chain {
                kind,
                layers,
                mime_type: self.mime_type.clone(),
                name: self.name.clone(),
                promises_structure: self.promises_structure,
                run: Arc::clone(&self.run),
                schema: self.schema.clone(),
                ui: self.ui.clone(),
            }));
        }
        self
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
