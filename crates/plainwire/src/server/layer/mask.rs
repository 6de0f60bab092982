//! The layer that keeps the words of foreign errors from the model.

use super::{Layer, LayerFuture, Next, Request};

/// Hides the words of errors that nobody has chosen for a model.
///
/// An error that came about by `?` or `into()` says what its `Display` says, which may be a path, a query or a host.
/// The log gets those words, the model reads that the call failed. What a [`crate::ToolError`] was made of by its
/// constructors stays, and so do a hint, details and a code of one's own. What was thrown away before, as by a handler
/// that returns `ToolError::failed(error.to_string())`, can't be told apart.
///
/// For a whole server, completions and other layers included, there is [`crate::Server::mask_errors`].
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
/// let result = plainwire::testing::client(server).await?.call_tool("read", serde_json::json!({})).await?;
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
