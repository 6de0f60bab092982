//! What handlers return, turned into what the protocol sends.
//!
//! In: strings, values with a schema, blocks of content, or errors. Out: the results of [`crate::model`]. One
//! returned value feeds every channel: text for the model and structured content come from the same JSON.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Display;
use std::time::Duration;

use plainwire_proto::base64;
use plainwire_proto::json::write::Object;
use plainwire_proto::model::{
    BlobResource, CallToolResult, ClientCapability, Content, EmbeddedResource, GetPromptResult, MediaContent,
    PromptMessage, RawJson, ReadResourceResult, ResourceContents, Role, TextResource,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::schema;

/// Why a call failed, in words for the model.
///
/// Made from anything that can be displayed, so that `?` works in a handler. It is deliberately no
/// `std::error::Error`: only then can it be made from all of those.
///
/// ```
/// use plainwire::ToolError;
///
/// fn find(key: &str) -> Result<String, ToolError> {
///     let number: u32 = key.parse()?;
///     Err(ToolError::not_found(format!("there is no issue {number}")).hint("search_issues finds keys"))
/// }
/// assert_eq!(find("x").unwrap_err().message(), "invalid digit found in string");
/// assert_eq!(find("7").unwrap_err().code(), "not_found");
/// ```
#[derive(Clone, Debug)]
pub struct ToolError {
    code: Cow<'static, str>,
    details: Option<RawJson>,
    hint: Option<String>,
    message: String,
    /// What the client would have had to declare.
    missing: Option<ClientCapability>,
    retryable: bool,
    wording: Wording,
}

/// Whose words an error has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wording {
    /// Somebody wrote them for a model.
    Chosen,
    /// The `Display` of another error.
    Displayed,
    /// Ours, on arguments that do not fit.
    Misfit,
}

impl ToolError {
    /// Makes an error of a kind of your own: a short word in lower case such as `"quota"`.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let (code, message) = (code.into(), message.into());
        let wording = Wording::Chosen;
        Self { code, details: None, hint: None, message, missing: None, retryable: false, wording }
    }

    /// Makes the error for something that went wrong and is nothing special; its code is `failed`.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new("failed", message)
    }

    /// Makes the error for input that can't be used; its code is `invalid_input`.
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::new("invalid_input", message)
    }

    /// Makes the error for something that does not exist; its code is `not_found`. Reading a resource turns it into
    /// the protocol's own error.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new("not_found", message)
    }

    /// Makes the error for something that took too long; its code is `timeout`, and it is worth another try.
    pub fn timeout(message: impl Into<String>) -> Self {
        Self::new("timeout", message).retryable()
    }

    /// Makes the error for a client that can't do what is needed; its code is `unsupported`.
    ///
    /// Where the protocol has an error for that, returning this one from a handler becomes it.
    pub fn unsupported(capability: ClientCapability, message: impl Into<String>) -> Self {
        Self { missing: Some(capability), ..Self::new("unsupported", message) }
    }

    /// Makes the error for arguments that do not fit.
    pub(crate) fn misfit(message: String) -> Self {
        Self { wording: Wording::Misfit, ..Self::invalid_input(message) }
    }

    /// Makes the error for words that are partly those of another error.
    pub(crate) fn displayed(message: String) -> Self {
        Self { wording: Wording::Displayed, ..Self::failed(message) }
    }

    /// Makes the error for a call that took longer than it may.
    pub(crate) fn too_slow(name: &str, limit: Duration) -> Self {
        Self::timeout(format!("expected {name} to end within {limit:?}, but it did not"))
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says that the same call may succeed later.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Adds data for programs. A value that has no JSON is left out.
    #[must_use]
    pub fn details(mut self, details: impl Serialize) -> Self {
        self.details = to_raw_value(&details).ok();
        self
    }

    /// Returns the kind of error.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns what went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What the client would have had to declare, if that is what is wrong.
    pub(crate) fn missing(&self) -> Option<ClientCapability> {
        self.missing
    }

    /// Whether it says that arguments do not fit.
    pub(crate) fn is_misfit(&self) -> bool {
        self.wording == Wording::Misfit
    }

    /// Hides the words of `name`'s error, unless somebody chose them for a model. The log gets them.
    pub(crate) fn masked(mut self, name: &str) -> Self {
        if self.wording == Wording::Displayed {
            tracing::error!("{name} failed: {}", self.message);
            self.message = "the call failed; the log of the server says why".to_owned();
            self.wording = Wording::Chosen;
        }
        self
    }

    /// The text that the model reads.
    pub(crate) fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\n\nhint: {hint}", self.message),
            None => self.message.clone(),
        }
    }

    /// The parts, for programs: `{ "code", "message", "hint"?, "retryable", "details"? }`.
    pub(crate) fn to_json(&self) -> String {
        let mut json = Vec::new();
        let mut object = Object::open(&mut json);
        object.string("code", &self.code);
        object.string("message", &self.message);
        object.maybe_string("hint", self.hint.as_deref());
        object.bool("retryable", self.retryable);
        if let Some(details) = &self.details {
            object.raw("details", details.get());
        }
        object.close();
        String::from_utf8(json).unwrap_or_default()
    }

    /// The result of a tool that failed. The parts stand under `_meta["plainwire/error"]`: structured content has to
    /// fit the tool's output schema, which an error does not.
    pub(crate) fn into_result(self) -> CallToolResult {
        let meta = RawValue::from_string(format!("{{\"plainwire/error\":{}}}", self.to_json())).ok();
        CallToolResult {
            content: vec![Content::text(self.text())],
            is_error: true,
            meta,
            structured_content: None,
        }
    }
}

impl<E: Display> From<E> for ToolError {
    /// The `Display` of an error is shown to the model, its sources are not.
    fn from(error: E) -> Self {
        Self::displayed(error.to_string())
    }
}

/// Marks values that are sent as structured content, and strings.
#[derive(Debug)]
pub enum Value {}

/// Marks blocks of content and ready-made results.
#[derive(Debug)]
pub enum Blocks {}

/// Marks a `Result` of one of the others.
#[derive(Debug)]
pub struct Fallible<M>(std::marker::PhantomData<M>);

/// What a tool may return.
///
/// - `String`, `&'static str`: text, and nothing else.
/// - `()`: no content.
/// - any other `Serialize + JsonSchema` value: structured content with an output schema, and its JSON as text.
/// - [`Content`], `Vec<Content>`, [`Image`], [`Audio`], [`CallToolResult`]: blocks as they are.
/// - `Result<_, E>` of those, where `E` can be displayed or is a [`ToolError`]: an error becomes `isError: true`.
///
/// An error type that is itself `Serialize + JsonSchema` (as `String` is) makes the compiler ask for a type
/// annotation, because the `Result` could be sent as a value: use [`ToolError`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be returned from a tool",
    label = "a tool returns text, a value, content, or a `Result` of those",
    note = "write `#[data]` above a type of your own, or derive `serde::Serialize` and `schemars::JsonSchema` for it; of a \
            `Result`, for the value that is in it",
    note = "the error of a `Result` has to implement `Display`, or be `plainwire::ToolError`"
)]
pub trait IntoToolResult<M>: Send + 'static {
    /// Returns the schema of the structured content, if there is any.
    fn output_schema() -> Option<RawJson> {
        None
    }

    /// Turns the value into a result.
    ///
    /// # Errors
    /// The handler's own error, or one for a value that has no JSON.
    fn into_tool_result(self) -> Result<CallToolResult, ToolError>;
}

impl<T: Serialize + JsonSchema + Send + 'static> IntoToolResult<Value> for T {
    fn output_schema() -> Option<RawJson> {
        (!is::<Self, String>() && !is::<Self, &'static str>() && !is::<Self, ()>())
            .then(schema::output::<Self>)
    }

    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        let mut value = Some(self);
        // One impl serves all, so that text has to be told from other values here; the compiler sees the type and
        // keeps one branch.
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
        if let Some(Some(number)) = any.downcast_ref::<Option<f64>>()
            && !number.is_finite()
        {
            return Err(ToolError::failed(format!("expected a finite number, but found {number}")));
        }
        let structured = to_raw_value(&value)
            .map_err(|error| ToolError::displayed(format!("the result has no JSON: {error}")))?;
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

/// A picture to return from a tool.
#[derive(Clone, Debug)]
pub struct Image {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// `image/png` and the like.
    pub mime_type: String,
}

/// Sound to return from a tool.
#[derive(Clone, Debug)]
pub struct Audio {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// `audio/wav` and the like.
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

/// What reading a resource may return: text, bytes, ready-made contents, or a `Result` of those.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be returned from a resource",
    label = "a resource returns a `String`, a `Vec<u8>`, `ResourceContents`, or a `Result` of those"
)]
pub trait IntoResource: Send + 'static {
    /// Turns the value into contents of `uri`.
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
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        self.map_err(Into::into)?.into_resource(uri, mime_type)
    }
}

/// What getting a prompt may return: what the user says, messages, a ready-made result, or a `Result` of those.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be returned from a prompt",
    label = "a prompt returns a `String`, a `Vec<PromptMessage>`, or a `Result` of those"
)]
pub trait IntoPrompt: Send + 'static {
    /// Turns the value into a result.
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

/// Makes a block that holds a resource.
pub fn embed(resource: ResourceContents) -> Content {
    Content::Resource(EmbeddedResource { annotations: None, meta: None, resource })
}
