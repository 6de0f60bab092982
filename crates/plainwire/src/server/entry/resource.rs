//! Resources: data that clients read by URI. An entry is for one URI, or for all URIs that match a template.
//!
//! In: a URI or template, a name and a handler. Out: a [`Resource`] or [`ResourceTemplate`] for a server.
//! Calling the handler is the work of the connection.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use plainwire_proto::model::{self, CacheHint, ClientCapability};

use super::apps;
use super::completion::{self, Completers, Completing, IntoCompletion};
use super::core::Core;
use crate::schema::{InputSchema, Template};
use crate::server::handler::{Handler, Input, Run, Signature};
use crate::server::layer::Layer;
use crate::server::result::{IntoResource, Outcome};

/// A resource with one URI, and the handler that reads it.
#[derive(Clone)]
pub struct Resource {
    /// How clients may cache the resource; `None` if the server's hint holds.
    pub(crate) cache: Option<CacheHint>,
    pub(crate) core: Core,
    pub(crate) entry: model::Resource,
    pub(crate) subscribable: bool,
}

/// A family of resources with one URI template, and the handler that reads them.
///
/// The variables of the template are the fields of the handler's struct.
#[derive(Clone)]
pub struct ResourceTemplate {
    /// How clients may cache the resources; `None` if the server's hint holds.
    pub(crate) cache: Option<CacheHint>,
    pub(crate) completers: Completers,
    pub(crate) core: Core,
    pub(crate) entry: model::ResourceTemplate,
    pub(crate) subscribable: bool,
    pub(crate) template: Template,
}

impl Resource {
    /// Creates the resource `uri`, called `name`, from an async function or closure without arguments.
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
        let mime_type = H::Output::MIME_TYPE.map(ToOwned::to_owned);
        let entry =
            model::Resource { mime_type, name: name.into(), uri: uri.into(), ..model::Resource::default() };
        let input = Input { needs, problem, schema: InputSchema::empty() };
        let core = Core::new(Location::caller(), input, reading(handler));
        Self { cache: None, core, entry, subscribable: false }
    }

    /// Sets the description: what the resource contains.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.entry.description = Some(description.into());
        self
    }

    /// Sets how long clients may cache the contents, and whether other users may share a cached copy, in place
    /// of [`crate::Server::cache`]. Sent in revision 2026-07-28.
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.cache = Some(hint);
        self
    }

    /// Sets the media type of the resource.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.entry.mime_type = Some(mime_type.into());
        self
    }

    /// Adds a layer around the resource: see [`crate::server::layer`]. The first layer added is the
    /// outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.core.layers.push(Arc::new(layer));
        self
    }

    /// Refuses reads of clients that do not declare `capability`, before the handler runs.
    #[must_use]
    pub fn requires(mut self, capability: ClientCapability) -> Self {
        self.core.requires.push(capability);
        self
    }

    /// Sets the display name for users.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.entry.title = Some(title.into());
        self
    }

    /// Sets the size of the resource in bytes, as lists show it.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.entry.size = Some(bytes);
        self
    }

    /// Lets clients subscribe. Subscribers are notified when you call
    /// [`crate::ServerHandle::notify_resource_updated`] or [`crate::Context::notify_resource_updated`] after
    /// the resource has changed.
    #[must_use]
    pub fn subscribable(mut self) -> Self {
        self.subscribable = true;
        self
    }
}

impl ResourceTemplate {
    /// Creates the resource template `uri_template`, called `name`, from an async function or closure.
    ///
    /// A variable is written `{name}` or `{+name}`. Percent escapes in its value are decoded. The value of
    /// `{name}` has no `/`, `\` or NUL and is neither `.` nor `..`, not even as percent escapes, so that it
    /// stays within one segment of a path. The value of `{+name}` may be any text: check it before you use
    /// it as a path.
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
        let mime_type = H::Output::MIME_TYPE.map(ToOwned::to_owned);
        let defaults = model::ResourceTemplate::default();
        let entry = model::ResourceTemplate { mime_type, name: name.into(), uri_template, ..defaults };
        let input = Input { needs, problem, schema };
        Self {
            cache: None,
            completers: Completers::new(),
            core: Core::new(Location::caller(), input, reading(handler)),
            entry,
            subscribable: false,
            template,
        }
    }

    /// Sets the description: what the resources contain.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.entry.description = Some(description.into());
        self
    }

    /// Sets how long clients may cache the contents of each of the resources, and whether other users may share
    /// a cached copy, in place of [`crate::Server::cache`]. Sent in revision 2026-07-28.
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.cache = Some(hint);
        self
    }

    /// Sets the media type of the resources.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.entry.mime_type = Some(mime_type.into());
        self
    }

    /// Adds a layer around all of the resources: see [`crate::server::layer`]. The first layer added is the
    /// outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.core.layers.push(Arc::new(layer));
        self
    }

    /// Refuses reads of clients that do not declare `capability`, before the handler runs.
    #[must_use]
    pub fn requires(mut self, capability: ClientCapability) -> Self {
        self.core.requires.push(capability);
        self
    }

    /// Sets the display name for users.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.entry.title = Some(title.into());
        self
    }

    /// Lets clients subscribe. Subscribers are notified when you call
    /// [`crate::ServerHandle::notify_resource_updated`] or [`crate::Context::notify_resource_updated`] with
    /// the URI of one of the resources after it has changed.
    #[must_use]
    pub fn subscribable(mut self) -> Self {
        self.subscribable = true;
        self
    }

    /// Adds a completion: `handler` suggests values for `variable` while the user types.
    ///
    /// ```
    /// use plainwire::prelude::*;
    /// # use plainwire::handler::Completing;
    ///
    /// #[data]
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
    /// The best values come first. If there are more than 100, the client gets the first 100 and the total
    /// number.
    #[must_use]
    pub fn complete<F, Fut>(mut self, variable: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Completing) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoCompletion> + Send + 'static,
    {
        let known = self.template.variables();
        if let Some(problem) = completion::add(&mut self.completers, known, variable.into(), handler) {
            self.core.problem.get_or_insert(problem);
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
