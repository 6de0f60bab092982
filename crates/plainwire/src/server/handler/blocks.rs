//! A value with further blocks of content, such as a picture of it.

use std::marker::PhantomData;

use plainwire_proto::model::{CallToolResult, Content, RawJson};

use crate::server::result::{IntoToolResult, ToolError};

/// A return value with further blocks of content beside it, such as a chart of the value.
///
/// The value is sent as it would be alone: as structured content, and as text before the blocks.
///
/// ```
/// use plainwire::handler::WithBlocks;
/// use plainwire::prelude::*;
///
/// /// Returns how many there are, with a picture.
/// #[tool(read_only)]
/// async fn count() -> WithBlocks<u32> {
///     WithBlocks::new(3, [Image { bytes: vec![], mime_type: "image/png".into() }])
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let client = plainwire::testing::client(plainwire::server!("counter").tool(count)).await?;
/// let result = client.call_tool("count", json!({})).await?;
/// assert_eq!(result.content[0].as_text(), Some("3"));
/// assert!(matches!(result.content[1], Content::Image(_)));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct WithBlocks<T> {
    blocks: Vec<Content>,
    value: T,
}

impl<T> WithBlocks<T> {
    /// Adds blocks to a value.
    pub fn new(value: T, blocks: impl IntoIterator<Item = impl Into<Content>>) -> Self {
        Self { blocks: blocks.into_iter().map(Into::into).collect(), value }
    }
}

/// The marker, in [`IntoToolResult`], of a [`WithBlocks`] whose value has the marker `M`.
#[derive(Debug)]
pub struct Pictured<M>(PhantomData<M>);

impl<M: 'static, T: IntoToolResult<M>> IntoToolResult<Pictured<M>> for WithBlocks<T> {
    fn output_schema() -> Option<RawJson> {
        T::output_schema()
    }

    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        let mut result = self.value.into_tool_result()?;
        result.content.extend(self.blocks);
        Ok(result)
    }
}
