//! A value that a resource returns as JSON.
//!
//! In: a value with `Serialize`. Out: the text of its JSON, with the media type.

use plainwire_proto::model::ReadResourceResult;
use serde::Serialize;

use crate::server::result::{IntoResource, ToolError};

/// A value that a resource returns as JSON text. The media type is `application/json`, unless the resource declares
/// another one.
///
/// ```
/// use plainwire::prelude::*;
///
/// #[data]
/// struct Stock {
///     copies: u32,
/// }
///
/// /// How many copies there are.
/// #[resource("stock://{title}")]
/// async fn stock(title: String) -> Json<Stock> {
///     Json(Stock { copies: title.len() as u32 })
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let client = plainwire::testing::client(plainwire::server!("library").resource(stock)).await?;
/// let read = client.read_resource("stock://moss").await?;
/// assert_eq!(read.contents[0].as_text(), Some(r#"{"copies":4}"#));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: Serialize + Send + 'static> IntoResource for Json<T> {
    const MIME_TYPE: Option<&'static str> = Some("application/json");

    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        let text = serde_json::to_string(&self.0);
        let text =
            text.map_err(|error| ToolError::displayed(format!("the resource has no JSON: {error}")))?;
        text.into_resource(uri, mime_type.or(Self::MIME_TYPE))
    }
}
