//! The layers of a whole server: [`Server::layer`], [`Server::mask_errors`], [`Server::presentation`] and [`Server::outputs`].

use std::sync::Arc;

use super::Server;
use super::layer::Layer;
use super::presentation::Presentation;

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

    /// Sets the form of the results of tools; see [`super::presentation`]. One call changes all tools of the server, also those
    /// that are mounted or added later. Errors have structured content too, of the kind `toolError:v1`.
    pub fn presentation(mut self, presentation: Presentation) -> Self {
        self.layering.presentation = Some(Arc::new(presentation));
        self
    }

    /// Keeps large results of tools whole, and sends a short form of them with links: see [`super::outputs`]. One call changes all
    /// tools of the server, also those that are mounted or added later. Adds the tools `output_page`, `output_grep` and `output_json`,
    /// the resource template `output://{id}`, and the state [`Keeper`](super::outputs::Keeper).
    #[cfg(feature = "outputs")]
    pub fn outputs(mut self, outputs: super::outputs::Settings) -> Self {
        let (keeper, entries) = outputs.begin();
        self.layering.outputs = Some(Arc::new(keeper.clone()));
        self.state(keeper).with(entries)
    }
}
