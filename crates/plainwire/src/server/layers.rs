//! The layers of a whole server: [`Server::layer`] and [`Server::mask_errors`].

use std::sync::Arc;

use super::Server;
use super::layer::Layer;

/// The layers of a whole server, and its choice to mask error texts: both apply to every call.
#[derive(Default)]
pub(super) struct Layering {
    /// The layers around every entry, the outermost first.
    pub(super) layers: Vec<Arc<dyn Layer>>,
    /// Whether [`Server::mask_errors`] was called.
    pub(super) masks_errors: bool,
}

impl Server {
    /// Adds a layer around every tool, resource, template and prompt, including entries that are added later:
    /// see [`super::layer`]. The first layer added is the outermost. Layers of an entry are inside the layers
    /// of the server.
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layering.layers.push(Arc::new(layer));
        self
    }

    /// Hides error texts that were not written for a model, like the layer
    /// [`crate::server::layer::mask_errors`], but in every answer of the server, including answers to
    /// completions and errors of layers. It does not matter whether you call it before or after
    /// [`Self::layer`].
    pub fn mask_errors(mut self) -> Self {
        self.layering.masks_errors = true;
        self
    }
}
