//! Resources: things that are read by their URI, one by one or by a template.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use plainwire_proto::model::{self, ClientCapability};

use super::apps;
use super::completion::{self, Completers, Completing, IntoCompletion};
use crate::schema::{InputSchema, Template};
use crate::server::handler::{Handler, Input, IntoResource, Needed, Outcome, Run, Signature};
use crate::server::layer::Layer;

/// A resource with one URI, and the function that reads it.
#[derive(Clone)]
pub struct Resource {
    pub(crate) at: &'static Location<'static>,
    pub(crate) entry: model::Resource,
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) needs: Vec<Needed>,
    pub(crate) problem: Option<String>,
    pub(crate) requires: Vec<ClientCapability>,
    pub(crate) run: Run,
    pub(crate) subscribable: bool,
}

/// A family of resources, and the function that reads any of them.
///
/// The variables of the template are the fields of the handler's struct.
#[derive(Clone)]
pub struct ResourceTemplate {
    pub(crate) at: &'static Location<'static>,
    pub(crate) completers: Completers,
    pub(crate) entry: model::ResourceTemplate,
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) needs: Vec<Needed>,
    pub(crate) problem: Option<String>,
    pub(crate) requires: Vec<ClientCapability>,
    pub(crate) run: Run,
    pub(crate) schema: InputSchema,
    pub(crate) subscribable: bool,
    pub(crate) template: Template,
}

impl Resource {
    /// Makes the resource `uri`, called `name`, of an async function or closure without arguments.
    #[track_caller]
    pub fn new<Takes, H>(uri: impl Into<String>, name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<Takes>,
        H::Output: IntoResource,
    {
        let signature = Signature::of::<Takes, H>();
        let (takes_arguments, needs) = (signature.takes_arguments(), signature.needs);
        let problem = takes_arguments.then(|| {
            "expected no arguments: a resource has one URI; use a `ResourceTemplate` for many".to_owned()
        });
        let entry = model::Resource { name: name.into(), uri: uri.into(), ..model::Resource::default() };
        let (layers, requires, run) = (Vec::new(), Vec::new(), reading(handler));
        Self { at: Location::caller(), entry, layers, needs, problem, requires, run, subscribable: false }
    }

    /// Says what the resource is.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.entry.description = Some(description.into());
        self
    }

    /// Says what media type the resource has.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.entry.mime_type = Some(mime_type.into());
        self
    }

    /// Puts a layer around the resource: see [`crate::server::layer`]. The first one added is the outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }

    /// Refuses clients that can't be asked for `capability`, before any work is done.
    #[must_use]
    pub fn requires(mut self, capability: ClientCapability) -> Self {
        self.requires.push(capability);
        self
    }

    /// Gives the resource a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.entry.title = Some(title.into());
        self
    }

    /// Says how many bytes the resource has.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.entry.size = Some(bytes);
        self
    }

    /// Lets clients subscribe: they hear of it when [`crate::ServerHandle::notify_resource_updated`] or
    /// [`crate::Context::notify_resource_updated`] says that the resource holds something else.
    #[must_use]
    pub fn subscribable(mut self) -> Self {
        self.subscribable = true;
        self
    }
}

impl ResourceTemplate {
    /// Makes the family `uri_template`, called `name`, of an async function or closure.
    ///
    /// The template has variables of the forms `{name}`, which matches up to the next `/`, and `{+name}`, which
    /// matches across them. Percent escapes are decoded.
    #[track_caller]
    pub fn new<Takes, H>(uri_template: impl Into<String>, name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<Takes>,
        H::Output: IntoResource,
    {
        let uri_template = uri_template.into();
        let signature = Signature::of::<Takes, H>();
        let takes_arguments = signature.takes_arguments();
        let Input { needs, mut problem, schema } = signature.input();
        let template = Template::parse(&uri_template).unwrap_or_else(|error| {
            problem.get_or_insert(error);
            Template::default()
        });
        for (field, _, required) in schema.properties() {
            if required && !template.variables().any(|variable| variable == field) {
                problem.get_or_insert_with(|| {
                    format!("expected `{uri_template}` to have the variable `{{{field}}}` of its handler")
                });
            }
        }
        let refuses_others =
            schema.value.get("additionalProperties") == Some(&serde_json::Value::Bool(false));
        let is_taken = |variable: &&str| schema.properties().iter().any(|(field, ..)| field == variable);
        if takes_arguments
            && refuses_others
            && let Some(unknown) = template.variables().find(|variable| !is_taken(variable))
        {
            problem.get_or_insert_with(|| {
                format!("expected the handler of `{uri_template}` to take `{unknown}`, but it does not")
            });
        }
        let entry =
            model::ResourceTemplate { name: name.into(), uri_template, ..model::ResourceTemplate::default() };
        Self {
            at: Location::caller(),
            completers: Completers::new(),
            entry,
            layers: Vec::new(),
            needs,
            problem,
            requires: Vec::new(),
            run: reading(handler),
            schema,
            subscribable: false,
            template,
        }
    }

    /// Says what the resources are.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.entry.description = Some(description.into());
        self
    }

    /// Says what media type the resources have.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.entry.mime_type = Some(mime_type.into());
        self
    }

    /// Puts a layer around all of them: see [`crate::server::layer`]. The first one added is the outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }

    /// Refuses clients that can't be asked for `capability`, before any work is done.
    #[must_use]
    pub fn requires(mut self, capability: ClientCapability) -> Self {
        self.requires.push(capability);
        self
    }

    /// Gives the family a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.entry.title = Some(title.into());
        self
    }

    /// Lets clients subscribe: they hear of it when [`crate::ServerHandle::notify_resource_updated`] or
    /// [`crate::Context::notify_resource_updated`] says that one of the resources holds something else.
    #[must_use]
    pub fn subscribable(mut self) -> Self {
        self.subscribable = true;
        self
    }

    /// Offers values for a variable while a person types.
    ///
    /// ```
    /// use plainwire::prelude::*;
    /// # use plainwire::Completing;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct File {
    ///     directory: String,
    /// }
    ///
    /// let template = ResourceTemplate::new("file:///{directory}", "files", |it: File| async move { it.directory })
    ///     .complete("directory", |it: Completing| async move {
    ///         let known = ["rust", "ruby", "go"].map(String::from);
    ///         known.into_iter().filter(|name| name.starts_with(&it.value)).collect::<Vec<_>>()
    ///     });
    /// ```
    ///
    /// The best values come first; of more than 100 the client gets the first 100 and how many there are.
    #[must_use]
    pub fn complete<F, Fut>(mut self, variable: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Completing) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoCompletion> + Send + 'static,
    {
        let known = self.template.variables();
        if let Some(problem) = completion::add(&mut self.completers, known, variable.into(), handler) {
            self.problem.get_or_insert(problem);
        }
        self
    }
}

fn reading<Takes, H>(handler: H) -> Run
where
    H: Handler<Takes>,
    H::Output: IntoResource,
{
    Arc::new(move |call| {
        let returned = handler.call(call)?;
        let (uri, mime_type) = (call.uri.to_owned(), call.mime_type.map(ToOwned::to_owned));
        let ui = call.ui.map(ToOwned::to_owned);
        Ok(Box::pin(async move {
            let mut read = returned.await.into_resource(&uri, mime_type.as_deref());
            if let Ok(result) = &mut read {
                apps::label(result, ui);
            }
            Outcome::of(read)
        }))
    })
}

impl std::fmt::Debug for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resource").field("entry", &self.entry).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResourceTemplate").field("entry", &self.entry).finish_non_exhaustive()
    }
}
