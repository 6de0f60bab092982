//! Building a catalog from declared entries.
//!
//! In: the entries of a server, and its previous catalog. Out: the next catalog. An entry whose handler was
//! in the previous catalog keeps its measured pace.

use std::collections::HashMap;
use std::sync::Arc;

use plainwire_proto::cursor::CursorKey;
use plainwire_proto::model::RawJson;

use super::{Catalog, CompletionTarget, Entry, Lists, Pace, Settings};
use crate::schema::InputSchema;
use crate::server::context::OnCancel;
use crate::server::entry::{Completers, Core, Declared, Prompt, Resource, ResourceTemplate, Tool, apps};
use crate::server::handler::Run;
use crate::server::layer::{Chain, Layer};
use crate::server::presentation::{CardLink, PresentedTool};
use crate::server::result::Kind;

impl Catalog {
    /// Builds the catalog of `declared`, for the server called `server`. An entry whose handler was in
    /// `last`, the previous catalog, keeps its pace: the measurement of how slow its calls begin.
    pub(crate) fn new(server: &str, declared: &Declared, settings: &Settings, last: Option<&Self>) -> Self {
        let mut builder = Builder::new(settings, last);
        declared.tools.iter().for_each(|it| builder.tool(it));
        declared.prompts.iter().for_each(|it| builder.prompt(it));
        declared.resources.iter().for_each(|it| builder.resource(it));
        declared.templates.iter().for_each(|it| builder.template(it));
        builder.finish(server)
    }
}

struct Builder<'b> {
    completions: HashMap<CompletionTarget, HashMap<String, Arc<Entry>>>,
    last: Option<&'b Catalog>,
    lists: Lists,
    /// The page size, and the kinds and names of all entries in order. The key that seals cursors is derived
    /// from this text, because a cursor is valid only for one division of the lists into pages.
    names: String,
    prompts: HashMap<String, Arc<Entry>>,
    resources: HashMap<String, Arc<Entry>>,
    settings: &'b Settings,
    templates: Vec<(crate::schema::Template, Arc<Entry>)>,
    tools: HashMap<String, Arc<Entry>>,
}

impl<'b> Builder<'b> {
    fn new(settings: &'b Settings, last: Option<&'b Catalog>) -> Self {
        Self {
            completions: HashMap::new(),
            last,
            lists: Lists {
                cards: HashMap::new(),
                prompts: vec![],
                resources: vec![],
                templates: vec![],
                tools: vec![],
            },
            names: format!("pages of {}\n", settings.page_size),
            prompts: HashMap::new(),
            resources: HashMap::new(),
            settings,
            templates: Vec::new(),
            tools: HashMap::new(),
        }
    }

    fn tool(&mut self, it: &Tool) {
        let name = &it.entry.name;
        self.names += &format!("tool {name}\n");
        let last = self.last.and_then(|last| last.tools.get(name));
        let entry = Entry {
            on_cancel: it.on_cancel,
            promises_structure: it.entry.output_schema.is_some(),
            timeout: it.timeout.or(it.core.timeout()),
            ..self.entry("tool", name, &it.core, last)
        };
        #[cfg(feature = "http")]
        let entry = match self.settings.preset {
            // A mark in the schema tells clients to repeat an argument in a header. Schemas rewritten by a
            // preset have no marks, so their clients could not know about the headers.
            Some(_) => entry,
            None => Entry { headers: it.core.schema.param_headers(), ..entry },
        };
        let mut listed = it.entry.clone();
        match self.settings.layering.presentation.as_ref().and_then(|one| one.card_link(it)) {
            None => {}
            Some(CardLink::Listed(meta)) => listed.meta = Some(meta),
            Some(CardLink::WhereShown(meta)) => {
                self.lists.cards.insert(name.clone(), meta);
            }
        }
        let layer = match &self.settings.layering.presentation {
            None => {
                listed.input_schema = it.core.schema.listed(self.settings.preset);
                None
            }
            Some(presentation) => {
                let tool = PresentedTool {
                    has_limit: !self.settings.layering.keeps_outputs(),
                    masks_errors: self.settings.layering.masks_errors,
                    name: &entry.name,
                    output_schema: listed.output_schema.as_ref(),
                    schema: &it.core.schema,
                };
                let layer = presentation.layer(&tool);
                listed.input_schema = presentation.listed(&it.core.schema).listed(self.settings.preset);
                listed.output_schema = listed.output_schema.and_then(|it| presentation.listed_output(&it));
                Some(layer)
            }
        };
        #[cfg(feature = "outputs")]
        let entry = Entry { keeps: self.settings.layering.keeps(name, &listed), ..entry };
        let entry = self.layered(entry, Kind::Tool, &it.core, layer);
        self.tools.insert(name.clone(), entry);
        self.lists.tools.push(listed);
    }

    fn prompt(&mut self, it: &Prompt) {
        let name = &it.entry.name;
        self.names += &format!("prompt {name}\n");
        let last = self.last.and_then(|last| last.prompts.get(name));
        let entry = self.layered(self.entry("prompt", name, &it.core, last), Kind::Prompt, &it.core, None);
        self.prompts.insert(name.clone(), entry);
        self.complete(
            CompletionTarget::Prompt(name.clone()),
            &format!("prompt `{name}"),
            (&it.completers, &it.core),
        );
        self.lists.prompts.push(it.entry.clone());
    }

    fn resource(&mut self, it: &Resource) {
        let uri = &it.entry.uri;
        self.names += &format!("resource {uri}\n");
        let last = self.last.and_then(|last| last.resources.get(uri));
        let entry = Entry {
            cache: it.cache,
            mime_type: it.entry.mime_type.clone(),
            subscribable: it.subscribable,
            ui: listed(it.entry.meta.as_ref()),
            ..self.entry("resource", uri, &it.core, last)
        };
        let entry = self.layered(entry, Kind::Resource, &it.core, None);
        self.resources.insert(uri.clone(), entry);
        self.lists.resources.push(it.entry.clone());
    }

    fn template(&mut self, it: &ResourceTemplate) {
        let uri = &it.entry.uri_template;
        self.names += &format!("template {uri}\n");
        let last =
            self.last.and_then(|last| last.templates.iter().find(|(template, _)| *template == it.template));
        let entry = Entry {
            cache: it.cache,
            mime_type: it.entry.mime_type.clone(),
            subscribable: it.subscribable,
            ui: listed(it.entry.meta.as_ref()),
            ..self.entry("resource template", uri, &it.core, last.map(|(_, entry)| entry))
        };
        let entry = self.layered(entry, Kind::Resource, &it.core, None);
        self.templates.push((it.template.clone(), entry));
        self.complete(
            CompletionTarget::Template(uri.clone()),
            &format!("resource template `{uri}"),
            (&it.completers, &it.core),
        );
        self.lists.templates.push(it.entry.clone());
    }

    fn complete(&mut self, what: CompletionTarget, named: &str, (completers, core): (&Completers, &Core)) {
        let last = |argument| self.last.and_then(|last| last.completions.get(&what)?.get(argument));
        let entries = completers.iter().map(|(argument, run)| {
            let name = format!("the completion of `{argument}` of the {named}`");
            (
                argument.clone(),
                Arc::new(Entry {
                    timeout: core.timeout(),
                    ..entry(name, run, InputSchema::empty(), self.pace(run, last(argument)))
                }),
            )
        });
        let entries = entries.collect();
        self.completions.insert(what, entries);
    }

    fn entry(&self, kind: &str, name: &str, core: &Core, last: Option<&Arc<Entry>>) -> Entry {
        let pace = self.pace(&core.run, last);
        let entry = entry(format!("the {kind} `{name}`"), &core.run, core.schema.clone(), pace);
        let (states, timeout) = (core.states().cloned(), core.timeout());
        Entry { requires: core.requires.clone(), states, timeout, ..entry }
    }

    /// Returns the pace (the measurement of how slow calls begin) of `last`, the previous entry of this name,
    /// if its handler is `run`. Otherwise returns a new pace.
    fn pace(&self, run: &Run, last: Option<&Arc<Entry>>) -> Arc<Pace> {
        let known = last.filter(|last| Arc::ptr_eq(&last.run, run));
        known.map_or_else(|| Pace::new(self.settings.slow_step), |last| Arc::clone(&last.pace))
    }

    /// Sets the kind of `entry`, and puts layers (code around calls) around its handler: `outermost`, those of the server,
    /// and those of the entry.
    fn layered(
        &self,
        mut entry: Entry,
        kind: Kind,
        core: &Core,
        outermost: Option<Arc<dyn Layer>>,
    ) -> Arc<Entry> {
        entry.kind = Some(kind);
        let inner = self.settings.layering.layers.iter().chain(core.layers.iter()).map(Arc::clone);
        let layers: Vec<Arc<dyn Layer>> = outermost.into_iter().chain(inner).collect();
        if !layers.is_empty() {
            entry.chain = Some(Arc::new(Chain {
                kind,
                layers,
                mime_type: entry.mime_type.clone(),
                name: entry.name.clone(),
                promises_structure: entry.promises_structure,
                run: Arc::clone(&entry.run),
                schema: entry.schema.clone(),
                ui: entry.ui.clone(),
            }));
        }
        Arc::new(entry)
    }

    fn finish(self, server: &str) -> Catalog {
        let Self { completions, lists, names, prompts, resources, settings, templates, tools, .. } = self;
        Catalog {
            cache_hint: settings.cache_hint,
            completions,
            cursors: CursorKey::derive(server, &names),
            lists,
            page_size: settings.page_size.max(1),
            pages: Default::default(),
            pages_with_cards: Default::default(),
            prompts,
            resources,
            templates,
            tools,
        }
    }
}

/// Returns an entry with this handler, schema and pace, and defaults for all other fields. `name` is its kind
/// and name, for messages.
fn entry(name: String, run: &Run, schema: InputSchema, pace: Arc<Pace>) -> Entry {
    Entry {
        cache: None,
        chain: None,
        #[cfg(feature = "http")]
        headers: Vec::new(),
        kind: None,
        #[cfg(feature = "outputs")]
        keeps: None,
        mime_type: None,
        name,
        on_cancel: OnCancel::default(),
        requires: vec![],
        run: Arc::clone(run),
        schema,
        states: None,
        subscribable: false,
        timeout: None,
        pace,
        promises_structure: false,
        ui: None,
    }
}

fn listed(meta: Option<&RawJson>) -> Option<RawJson> {
    apps::listed(meta.map(|meta| &**meta))
}
