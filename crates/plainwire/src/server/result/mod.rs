//! Results: converting what handlers return into the results of [`crate::model`].
//!
//! In: strings, values with a schema, blocks of content, or errors. Out: results of tools, resources and
//! prompts, without their JSON text; the connection writes that. Structured content and the text for the
//! model are made from one JSON value.

use std::any::Any;

use plainwire_proto::base64;
use plainwire_proto::model::{
    BlobResource, CallToolResult, Content, EmbeddedResource, GetPromptResult, MediaContent, PromptMessage,
    RawJson, ReadResourceResult, ResourceContents, Role, TextResource,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::schema;

mod finite;
mod outcome;
mod tool_error;

pub(crate) use outcome::{FailedCall, Outcome, Refusal};
pub use outcome::{Kind, Response};
pub use tool_error::{HandlerError, IntoToolError, ToolError};

/// The marker, in [`IntoToolResult`], of strings, of `()`, and of values that are sent as structured content.
#[derive(Debug)]
pub enum Structured {}

/// The marker, in [`IntoToolResult`], of blocks of content and ready-made results.
#[derive(Debug)]
pub enum Blocks {}

/// The marker, in [`IntoToolResult`], of a `Result` whose value has the marker `M`.
#[derive(Debug)]
pub struct Fallible<M>(std::marker::PhantomData<M>);

/// A type that a tool may return.
///
/// - `String`, `&'static str`: text only.
/// - `()`: no content.
/// - any other `Serialize + JsonSchema` value: structured content with an output schema, and its JSON as
///   text. A number that is infinite or `NaN`, which JSON can't express, is an error that says where it is.
/// - [`Content`], `Vec<Content>`, [`Image`], [`Audio`], [`CallToolResult`]: content blocks, sent as they are.
/// - `Result<_, E>` of any of these, where `E` is a [`ToolError`] or implements `Display`: an error becomes a
///   result with `isError: true`.
///
/// For an error type that is itself `Serialize + JsonSchema` (such as `String`) the compiler asks for a type
/// annotation, because the `Result` could also be sent as a value. Use [`ToolError`] instead.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be returned from a tool",
    label = "a tool returns text, a value, content, or a `Result` of those",
    note = "write `#[data]` above a type of your own, or derive `serde::Serialize` and `schemars::JsonSchema` for it; of a \
            `Result`, for the value that is in it",
    note = "the error of a `Result` has to implement `Display` (`ToolError` and `thiserror` derive it), or be `plainwire::ToolError`"
)]
pub trait IntoToolResult<M>: Send + 'static {
    /// Returns the schema of the structured content; `None` for a type that is sent without structured
    /// content.
    fn output_schema() -> Option<RawJson> {
        None
    }

    /// Converts the value into the result of a tool.
    ///
    /// # Errors
    /// The handler's own error, or an error for a value that can't be written as JSON.
    fn into_tool_result(self) -> Result<CallToolResult, ToolError>;
}

impl<T: Serialize + JsonSchema + Send + 'static> IntoToolResult<Structured> for T {
    fn output_schema() -> Option<RawJson> {
        (!is::<Self, String>() && !is::<Self, &'static str>() && !is::<Self, ()>())
            .then(schema::output::<Self>)
    }

    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        let mut value = Some(self);
        // One blanket impl covers strings and other values, so the type is checked here. The compiler knows
        // the type and keeps one branch.
        let any: &mut dyn Any = &mut value;
        if let Some(text) = any.downcast_mut::<Option<String>>() {
            return Ok(text_result(text.take().unwrap_or_default()));
        }
        if let Some(text) = any.downcast_mut::<Option<&'static str>>() {
            return Ok(text_result(text.take().unwrap_or_default()));
        }
        if any.is::<Option<()>>() {
            return Ok(CallToolResult::default());
        }
        let structured = to_raw_value(&value)
            .map_err(|error| ToolError::displayed(format!("the result has no JSON: {error}")))?;
        finite::check(&value, structured.get()).map_err(ToolError::failed)?;
        Ok(CallToolResult { structured_content: Some(structured), ..CallToolResult::default() })
    }
}

impl IntoToolResult<Blocks> for CallToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(self)
    }
}

impl IntoToolResult<Blocks> for Content {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        vec![self].into_tool_result()
    }
}

impl IntoToolResult<Blocks> for Vec<Content> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult { content: self, ..CallToolResult::default() })
    }
}

impl IntoToolResult<Blocks> for Image {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Content::from(self).into_tool_result()
    }
}

impl IntoToolResult<Blocks> for Audio {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Content::from(self).into_tool_result()
    }
}

impl<M: 'static, T: IntoToolResult<M>, E: Into<ToolError> + Send + 'static> IntoToolResult<Fallible<M>>
    for Result<T, E>
{
    fn output_schema() -> Option<RawJson> {
        T::output_schema()
    }

    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        self.map_err(Into::into)?.into_tool_result()
    }
}

fn text_result(text: impl Into<String>) -> CallToolResult {
    CallToolResult { content: vec![Content::text(text)], ..CallToolResult::default() }
}

fn is<T: 'static, U: 'static>() -> bool {
    std::any::TypeId::of::<T>() == std::any::TypeId::of::<U>()
}

/// An image to return from a tool.
#[derive(Clone, Debug)]
pub struct Image {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The media type, for example `image/png`.
    pub mime_type: String,
}

/// Audio to return from a tool.
#[derive(Clone, Debug)]
pub struct Audio {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The media type, for example `audio/wav`.
    pub mime_type: String,
}

impl From<Image> for Content {
    fn from(image: Image) -> Self {
        let data = base64::encode(&image.bytes);
        Self::Image(MediaContent { data, mime_type: image.mime_type, ..MediaContent::default() })
    }
}

impl From<Audio> for Content {
    fn from(audio: Audio) -> Self {
        let data = base64::encode(&audio.bytes);
        Self::Audio(MediaContent { data, mime_type: audio.mime_type, ..MediaContent::default() })
    }
}

/// A type that reading a resource may return: text, bytes, ready-made contents, or a `Result` of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be returned from a resource",
    label = "a resource returns a `String`, a `Vec<u8>`, `Json(value)`, `ResourceContents`, or a `Result` of those",
    note = "the error of a `Result` has to implement `Display` (`ToolError` and `thiserror` derive it), or be `plainwire::ToolError`"
)]
pub trait IntoResource: Send + 'static {
    /// The media type of a resource that declares none.
    const MIME_TYPE: Option<&'static str> = None;

    /// Converts the value into the contents of `uri`. `mime_type` is the declared media type of the resource;
    /// ready-made contents keep their own URI and media type.
    ///
    /// # Errors
    /// The handler's own error.
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError>;
}

impl IntoResource for String {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        let (uri, mime_type) = (uri.to_owned(), mime_type.map(ToOwned::to_owned));
        ResourceContents::Text(TextResource { meta: None, mime_type, text: self, uri })
            .into_resource("", None)
    }
}

impl IntoResource for &'static str {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        self.to_owned().into_resource(uri, mime_type)
    }
}

impl IntoResource for Vec<u8> {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        let (uri, mime_type) = (uri.to_owned(), mime_type.map(ToOwned::to_owned));
        let blob = base64::encode(&self);
        ResourceContents::Blob(BlobResource { blob, meta: None, mime_type, uri }).into_resource("", None)
    }
}

impl IntoResource for ResourceContents {
    fn into_resource(self, _: &str, _: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        Ok(ReadResourceResult { contents: vec![self], meta: None })
    }
}

impl IntoResource for Vec<ResourceContents> {
    fn into_resource(self, _: &str, _: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        Ok(ReadResourceResult { contents: self, meta: None })
    }
}

impl<T: IntoResource, E: Into<ToolError> + Send + 'static> IntoResource for Result<T, E> {
    const MIME_TYPE: Option<&'static str> = T::MIME_TYPE;

    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        self.map_err(Into::into)?.into_resource(uri, mime_type)
    }
}

/// A type that getting a prompt may return: the text of a user message, messages, a ready-made result, or a
/// `Result` of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be returned from a prompt",
    label = "a prompt returns a `String`, a `Vec<PromptMessage>`, or a `Result` of those",
    note = "the error of a `Result` has to implement `Display` (`ToolError` and `thiserror` derive it), or be `plainwire::ToolError`"
)]
pub trait IntoPrompt: Send + 'static {
    /// Converts the value into the result of `prompts/get`.
    ///
    /// # Errors
    /// The handler's own error.
    fn into_prompt(self) -> Result<GetPromptResult, ToolError>;
}

impl IntoPrompt for String {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        vec![PromptMessage { content: Content::text(self), role: Role::User }].into_prompt()
    }
}

impl IntoPrompt for &'static str {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        self.to_owned().into_prompt()
    }
}

impl IntoPrompt for Vec<PromptMessage> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(GetPromptResult { messages: self, ..GetPromptResult::default() })
    }
}

impl IntoPrompt for GetPromptResult {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(self)
    }
}

impl<T: IntoPrompt, E: Into<ToolError> + Send + 'static> IntoPrompt for Result<T, E> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        self.map_err(Into::into)?.into_prompt()
    }
}

/// Returns a content block with an embedded resource.
pub fn embed(resource: ResourceContents) -> Content {
    Content::Resource(EmbeddedResource { annotations: None, meta: None, resource })
}
