//! The layers of a whole server: [`Server::layer`] and [`Server::mask_errors`].

use std::sync::Arc;

use super::Server;
use super::layer::Layer;

/// The layers around every call.
#[derive(Default)]
pub(super) struct Layering {
    pub(super) layers: Vec<Arc<dyn Layer>>,
    pub(super) masks_errors: bool,
}

impl Server {
    /// Adds a layer around every tool, resource, template and prompt, including those added later: see
    /// [`super::layer`]. The first layer added is the outermost. Layers of an entry are inside the layers of
    /// the server.
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layering.layers.push(Arc::new(layer));
        self
    }

    /// Hides the text of errors that was not written for a model, as [`crate::server::layer::mask_errors`]
    /// does, but for every answer of the server, including completions and errors of layers. The order
    /// relative to other layers does not matter.
    pub fn mask_errors(mut self) -> Self {
        self.layering.masks_errors = true;
        self
    }
}
