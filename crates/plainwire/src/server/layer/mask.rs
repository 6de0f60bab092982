//! The layer that hides the texts of other libraries' errors from the model.

use super::{Layer, LayerFuture, Next, Request};

/// Returns a layer that hides error texts that were not written for a model.
///
/// An error converted by `?` or `into()` has the text of its `Display`, which may contain a path, a query or
/// a host name. That text goes to the log, and the model reads only that the call failed. Messages passed to
/// the constructors of [`struct@crate::ToolError`] are kept, and so are hints, details and codes of your own. Errors
/// that a handler formats itself, as in `ToolError::failed(error.to_string())`, count as written for the
/// model.
///
/// To mask a whole server, including completions and other layers, use [`crate::Server::mask_errors`].
///
/// ```
/// use plainwire::layer;
/// use plainwire::prelude::*;
///
/// async fn read() -> Result<String, ToolError> {
///     Ok(std::fs::read_to_string("/secret/place")?)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// let server = Server::new("vault").tool(Tool::new("read", read).layer(layer::mask_errors()));
/// let result = plainwire::testing::client(server).await?.call_tool("read", json!({})).await?;
/// assert_eq!(result.content[0].as_text(), Some("the call failed; the log of the server says why"));
/// # Ok(()) }
/// ```
pub fn mask_errors() -> MaskErrors {
    MaskErrors
}

/// The layer that [`mask_errors()`] makes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MaskErrors;

impl Layer for MaskErrors {
    fn call(&self, request: Request, next: Next) -> LayerFuture {
        Box::pin(async move {
            let name = format!("the {} `{}`", request.kind(), request.name());
            next.run(request).await.map_err(|error| error.masked(&name))
        })
    }
}
