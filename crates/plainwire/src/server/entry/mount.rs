//! Entries of a server that another server has mounted.
//!
//! In: an entry, and the settings of its own server. Out: the entry as one of the other server, where it keeps the
//! state, layers and deadlines of its own server.

use std::sync::Arc;
use std::time::Duration;

use plainwire_proto::model::CacheHint;

use super::completion::Completers;
use super::core::Core;
use super::declared::Declared;
use super::prompt::Prompt;
use super::resource::{Resource, ResourceTemplate};
use super::rules::Declare;
use super::tool::Tool;
use crate::server::context::States;
use crate::server::handler::Run;
use crate::server::layer::{Layer, OwnName, mask_errors};
use crate::server::result::Outcome;

/// The part of a name between the prefix of a mounted server and the own name of a tool or prompt, as in hosts.
const SEPARATOR: &str = "__";

/// The settings of a mounted server that its entries keep.
pub(crate) struct Mount {
    pub(crate) cache: CacheHint,
    /// The layers of the server, the outermost first.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) masks_errors: bool,
    /// The prefix of the names of tools and prompts; empty for none.
    pub(crate) prefix: String,
    pub(crate) states: Arc<States>,
    pub(crate) timeout: Option<Duration>,
}

impl Mount {
    /// Returns the name that the tool or prompt `own` has in the other server.
    pub(super) fn name(&self, own: &str) -> String {
        if self.prefix.is_empty() { own.to_owned() } else { format!("{}{SEPARATOR}{own}", self.prefix) }
    }

    /// Returns the whole prefix of a server that the mounted server itself mounts with the prefix `own`.
    pub(crate) fn prefix_of(&self, own: &str) -> String {
        if own.is_empty() { self.prefix.clone() } else { self.name(own) }
    }

    pub(super) fn tool(self: &Arc<Self>, it: &mut Tool) {
        it.entry.name = self.name(&it.entry.name);
        self.core(&mut it.core, true);
    }

    pub(super) fn prompt(self: &Arc<Self>, it: &mut Prompt) {
        it.entry.name = self.name(&it.entry.name);
        self.core(&mut it.core, true);
        self.completers(&mut it.completers, &it.entry.name);
    }

    pub(super) fn resource(self: &Arc<Self>, it: &mut Resource) {
        it.cache.get_or_insert(self.cache);
        self.core(&mut it.core, false);
    }

    pub(super) fn template(self: &Arc<Self>, it: &mut ResourceTemplate) {
        it.cache.get_or_insert(self.cache);
        self.core(&mut it.core, false);
        self.completers(&mut it.completers, &it.entry.uri_template);
    }

    /// Gives the entry its own server's settings. `is_named` is whether the entry has a name with the prefix.
    fn core(self: &Arc<Self>, core: &mut Core, is_named: bool) {
        let mask = self.masks_errors.then(|| Arc::new(mask_errors()) as Arc<dyn Layer>);
        let own = std::mem::take(&mut core.layers);
        let layers: Vec<_> = mask.into_iter().chain(self.layers.iter().cloned()).chain(own).collect();
        if is_named && !layers.is_empty() && !self.prefix.is_empty() {
            core.layers.push(Arc::new(OwnName { prefix: self.name("") }));
        }
        core.layers.extend(layers);
        core.mounts.push(Arc::clone(self));
    }

    /// Masks the errors of completions, around which no layers run.
    fn completers(&self, completers: &mut Completers, of: &str) {
        if !self.masks_errors {
            return;
        }
        for (argument, run) in completers {
            let (inner, name) = (Arc::clone(run), format!("the completion of `{argument}` of `{of}`"));
            let masked: Run = Arc::new(move |call| {
                let (running, name) = (inner(call)?, name.clone());
                Ok(Box::pin(async move {
                    match running.await {
                        Outcome::Failed(error) => Outcome::failed(error.masked(&name)),
                        other => other,
                    }
                }))
            });
            *run = masked;
        }
    }
}

impl Declared {
    /// Turns the entries of a mounted server into entries of the server that mounts it.
    pub(crate) fn mount(&mut self, mount: &Arc<Mount>) {
        self.prompts.iter_mut().for_each(|it| it.mount(mount));
        self.resources.iter_mut().for_each(|it| it.mount(mount));
        self.templates.iter_mut().for_each(|it| it.mount(mount));
        self.tools.iter_mut().for_each(|it| it.mount(mount));
    }
}
