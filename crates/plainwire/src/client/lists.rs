//! The lists of a server, whole: tools, resources, resource templates and prompts.

use plainwire_proto::cursor::List;
use plainwire_proto::http::param_headers_of;
use plainwire_proto::json::shorten;
use plainwire_proto::model::{self, RawJson};
use plainwire_proto::revision::Feature;

use super::{Client, decode};
use crate::error::Result;

impl Client {
    /// Returns all tools.
    ///
    /// A page that the server still counts as fresh is not requested again. [`Self::pages`] returns the pages
    /// one by one.
    ///
    /// Over HTTP in 2026-07-28, tools with an invalid `x-mcp-header` are left out, as the specification
    /// requires; the log names them.
    ///
    /// # Errors
    /// Like [`Self::request`]; also [`Error::Decode`](crate::Error::Decode) for an invalid list.
    pub async fn list_tools(&self) -> Result<Vec<model::Tool>> {
        let mut tools: Vec<model::Tool> = self.list(List::Tools).await?;
        if self.has_param_headers() {
            tools.retain(can_be_called);
        }
        Ok(tools)
    }

    /// Returns the entries of a list like [`Self::list_raw`], without the tools that [`Self::list_tools`]
    /// leaves out.
    pub(crate) async fn list_usable(&self, list: List) -> Result<Vec<RawJson>> {
        let mut entries = self.list_raw(list).await?;
        if list == List::Tools && self.has_param_headers() {
            entries.retain(|entry| decode(entry).as_ref().is_ok_and(can_be_called));
        }
        Ok(entries)
    }

    /// Returns whether calls on this connection repeat arguments of the tool in HTTP headers.
    fn has_param_headers(&self) -> bool {
        self.is_remote() && self.revision().has(Feature::ParamHeaders)
    }

    /// Returns all resources.
    ///
    /// # Errors
    /// Like [`Self::list_tools`].
    pub async fn list_resources(&self) -> Result<Vec<model::Resource>> {
        self.list(List::Resources).await
    }

    /// Returns all resource templates.
    ///
    /// # Errors
    /// Like [`Self::list_tools`].
    pub async fn list_resource_templates(&self) -> Result<Vec<model::ResourceTemplate>> {
        self.list(List::ResourceTemplates).await
    }

    /// Returns all prompts.
    ///
    /// # Errors
    /// Like [`Self::list_tools`].
    pub async fn list_prompts(&self) -> Result<Vec<model::Prompt>> {
        self.list(List::Prompts).await
    }

    /// Returns the entries of a list as they were sent, from all its pages.
    ///
    /// # Errors
    /// Like [`Self::list_tools`].
    pub async fn list_raw(&self, list: List) -> Result<Vec<RawJson>> {
        self.list(list).await
    }
}

/// Returns whether each `x-mcp-header` in the schema of a tool is valid. If one is not, the tool can't be
/// called over HTTP, and the log says why.
fn can_be_called(tool: &model::Tool) -> bool {
    param_headers_of(tool.input_schema.get())
        .inspect_err(|why| tracing::warn!("the tool {:?} is left out: {why}", shorten(&tool.name)))
        .is_ok()
}
