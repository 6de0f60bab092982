//! What is around every call of a server.

use std::sync::Arc;

use super::Server;
use super::layer::Layer;

/// What is around every call.
#[derive(Default)]
pub(super) struct Layering {
    pub(super) layers: Vec<Arc<dyn Layer>>,
    pub(super) masks_errors: bool,
}

impl Server {
    /// Puts a layer around every tool, resource, template and prompt, those that are added later included: see
    /// [`super::layer`]. The first one added is the outermost; those of an entry itself are inside of these.
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layering.layers.push(Arc::new(layer));
        self
    }

    /// Hides the words of errors that nobody has chosen for a model: as [`crate::server::layer::mask_errors`], for all that the
    /// server answers, completions and what layers say included, in whatever order they were added.
    pub fn mask_errors(mut self) -> Self {
        self.layering.masks_errors = true;
        self
    }
}
