//! The layers around all entries of a server, what its results look like, and what becomes of large ones.
//!
//! In: the choices of a program. Out: one value, from which the catalog makes what is around each entry.

use std::sync::Arc;

#[cfg(feature = "outputs")]
use plainwire_proto::model;

use super::layer::Layer;
#[cfg(feature = "outputs")]
use super::outputs::{Around, Keep};
use super::presentation::Present;

/// The layers around the entries of a whole server, and what its results look like.
#[derive(Default)]
pub(crate) struct Layering {
    /// The layers (code around calls) around every entry, the outermost first.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    /// Whether texts of other errors are hidden from models.
    pub(crate) masks_errors: bool,
    /// The keeper of large results; `None` if the program sets none.
    #[cfg(feature = "outputs")]
    pub(crate) outputs: Option<Arc<dyn Keep>>,
    /// The presentation of the results of tools; `None` if the program sets none.
    pub(crate) presentation: Option<Arc<dyn Present>>,
}

impl Layering {
    /// Returns the function that keeps the large results of a tool; `None` if they are sent as they are.
    #[cfg(feature = "outputs")]
    pub(crate) fn keeps(&self, name: &str, listed: &model::Tool) -> Option<Around> {
        self.outputs.as_ref()?.around(name, listed.output_schema.as_ref())
    }

    /// Returns whether large results are kept whole.
    pub(crate) fn keeps_outputs(&self) -> bool {
        #[cfg(feature = "outputs")]
        return self.outputs.is_some();
        #[cfg(not(feature = "outputs"))]
        false
    }
}
