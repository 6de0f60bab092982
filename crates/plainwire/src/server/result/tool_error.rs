//! [`ToolError`], the error of a handler: a code, a message for the model, and an optional hint.
//!
//! In: a constructor, or any error with `Display`. Out: the result or protocol error that answers the call.
//! The only log lines are those of masked messages and of [`ToolError::logged`].

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Duration;

use plainwire_proto::json::write::Object;
use plainwire_proto::model::{CallToolResult, ClientCapability, Content, RawJson};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// The error of a handler, with a message for the model.
///
/// `?` converts any error that implements `Display`. For that reason `ToolError` does not implement
/// `std::error::Error`: the two conversions would conflict.
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
    /// The capability that the client did not declare; `None` if the error is about anything else.
    missing: Option<ClientCapability>,
    /// The parameters of the elicitation of a web page that the user has to open first, as JSON; `None` if the
    /// error is about anything else.
    page: Option<Box<str>>,
    retryable: bool,
    wording: Wording,
}

/// The origin of an error's message. It decides whether [`ToolError::masked`] hides the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wording {
    /// The message was written for a model, by the server's author or by this crate.
    Chosen,
    /// The message was taken from the `Display` of another error.
    Displayed,
    /// The message was written by this crate, about arguments that do not match the schema.
    InvalidArguments,
}

impl ToolError {
    /// Creates an error with a code of your own: a short word in lower case, such as `"quota"`.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let (code, message) = (code.into(), message.into());
        let wording = Wording::Chosen;
        Self {
            code,
            details: None,
            hint: None,
            message,
            missing: None,
            page: None,
            retryable: false,
            wording,
        }
    }

    /// Creates a general error, with the code `failed`.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new("failed", message)
    }

    /// Creates an error for input that can't be used, with the code `invalid_input`.
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::new("invalid_input", message)
    }

    /// Creates an error for something that does not exist, with the code `not_found`. When a resource is
    /// read, it becomes the protocol's error for an unknown resource.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new("not_found", message)
    }

    /// Creates an error for an operation that took too long, with the code `timeout`. It is
    /// [`retryable`](Self::retryable).
    pub fn timeout(message: impl Into<String>) -> Self {
        Self::new("timeout", message).retryable()
    }

    /// Creates an error for a client that lacks `capability`, with the code `unsupported`.
    ///
    /// If the revision of the call has an error code for a missing capability, the client gets that error.
    pub fn unsupported(capability: ClientCapability, message: impl Into<String>) -> Self {
        Self { missing: Some(capability), ..Self::new("unsupported", message) }
    }

    /// Creates the error for a call that needs the user to open a web page first. `params` are the parameters of
    /// the elicitation of that page, as JSON.
    pub(crate) fn url_required(message: String, params: String) -> Self {
        Self { page: Some(params.into()), ..Self::new("url_required", message) }
    }

    /// Creates the error for arguments that do not match the handler's parameters.
    pub(crate) fn invalid_arguments(message: String) -> Self {
        Self { wording: Wording::InvalidArguments, ..Self::invalid_input(message) }
    }

    /// Creates an error whose message contains the text of another error.
    pub(crate) fn displayed(message: String) -> Self {
        Self { wording: Wording::Displayed, ..Self::failed(message) }
    }

    /// Creates the error for a call that exceeded its deadline.
    pub(crate) fn too_slow(name: &str, limit: Duration) -> Self {
        Self::timeout(format!("expected {name} to end within {limit:?}, but it did not"))
    }

    /// Adds a hint: what the model can do about the error.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        self
    }

    /// Marks the error as temporary: the same call may succeed later.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Adds structured data for programs. A value that can't be written as JSON is left out.
    #[must_use]
    pub fn details(mut self, details: impl Serialize) -> Self {
        self.details = to_raw_value(&details).ok();
        self
    }

    /// Logs `error` and its sources as a warning, and returns `self`: the model gets the message, and the log
    /// the cause. `#[derive(ToolError)]` calls this for errors whose text the model does not get.
    #[must_use]
    pub fn logged(self, error: &dyn std::error::Error) -> Self {
        let sources = std::iter::successors(error.source(), |it| it.source());
        let text = sources.fold(error.to_string(), |text, source| format!("{text}: {source}"));
        tracing::warn!("{text}");
        self
    }

    /// Returns the code, such as `not_found`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the message, without the hint.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the capability that the client lacks, if the error is about one.
    pub(crate) fn missing(&self) -> Option<ClientCapability> {
        self.missing
    }

    /// Returns the parameters of the elicitation of the web page that the user has to open first, as JSON, if the
    /// error is about one.
    pub(crate) fn page(&self) -> Option<&str> {
        self.page.as_deref()
    }

    /// Returns whether the error is about arguments that do not match the handler's parameters.
    pub(crate) fn is_invalid_arguments(&self) -> bool {
        self.wording == Wording::InvalidArguments
    }

    /// If the message comes from another error's `Display`, logs it and replaces it by a general one. `name`
    /// is the kind and name of the entry, for the log.
    pub(crate) fn masked(mut self, name: &str) -> Self {
        if self.wording == Wording::Displayed {
            tracing::error!("{name} failed: {}", self.message);
            self.message = "the call failed; the log of the server says why".to_owned();
            self.wording = Wording::Chosen;
        }
        self
    }

    /// Returns the text that the model reads: the message and the hint.
    pub(crate) fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\n\nhint: {hint}", self.message),
            None => self.message.clone(),
        }
    }

    /// Returns the error as JSON for programs: `{ "code", "message", "hint"?, "retryable", "details"? }`.
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

    /// Converts the error into the result of a tool, with `isError`. The error as JSON is in
    /// `_meta["plainwire/error"]`: structured content would have to match the tool's output schema, and an
    /// error does not.
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

/// The conversion of an error that a handler fails with.
///
/// The attributes call `into_tool_error` as a method. If the error type has a method of this name
/// itself, such as the method that `#[derive(ToolError)]` adds, the attributes call that method instead.
pub trait IntoToolError: Sized {
    /// Converts the error into one for the model.
    // The bound is on the method, so that the compiler's message about another type is that of `HandlerError`.
    fn into_tool_error(self) -> ToolError
    where
        Self: HandlerError,
    {
        self.convert()
    }
}

impl<E> IntoToolError for E {}

/// An error that a handler may return: a [`ToolError`], or a type with `Display`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the error of a handler",
    label = "expected an error with `Display`, or `plainwire::ToolError`",
    note = "`#[derive(Debug, ToolError)]` implements `Display`, with `#[tool_error(\"…\", code = \"…\")]` on each variant"
)]
pub trait HandlerError {
    /// Converts the error into one for the model.
    fn convert(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> HandlerError for E {
    fn convert(self) -> ToolError {
        self.into()
    }
}

impl<E: Display> From<E> for ToolError {
    /// Takes the `Display` text as the message for the model. The texts of the error's sources are not
    /// included.
    fn from(error: E) -> Self {
        Self::displayed(error.to_string())
    }
}
