//! The outcome of a call, and the protocol's answer for a failed one.
//!
//! In: the result or error of a handler or its layers. Out: a result, or a [`Refusal`]. Writing either as
//! JSON is the work of the connection.

use std::fmt;

use plainwire_proto::codec::KeyedRequest;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{CallToolResult, Completion, GetPromptResult, ReadResourceResult};
use plainwire_proto::revision::{Feature, Revision};

use super::ToolError;

/// The outcome of one run of a handler, from which the connection makes the answer to the call.
#[derive(Debug)]
pub(crate) enum Outcome {
    Completion(Completion),
    /// The call is answered with this JSON-RPC error.
    Error(Error),
    /// The handler or one of its layers returned this error. Boxed, because it is rare and larger than the
    /// other variants.
    Failed(Box<ToolError>),
    /// The run of the handler ends with questions to the client, in revisions with `InputRequiredResult`.
    /// `state` is the sealed `requestState`.
    InputRequired {
        requests: Vec<KeyedRequest>,
        state: String,
    },
    Response(Response),
}

/// An error that answers a call instead of a result.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The message about arguments that do not match the schema. The peer sends it as a result with `isError`
    /// or as a JSON-RPC error, depending on the revision.
    Arguments(String),
    Error(Error),
}

/// The facts about a failed call that decide how its error is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailedCall<'f> {
    /// The kind of entry that was called; `None` for a completion.
    pub(crate) kind: Option<Kind>,
    pub(crate) revision: Revision,
    /// The URI of the resource that was read; empty for other calls.
    pub(crate) uri: &'f str,
}

impl Outcome {
    pub(crate) fn failed(error: ToolError) -> Self {
        Self::Failed(Box::new(error))
    }

    pub(crate) fn of(returned: Result<impl Into<Response>, ToolError>) -> Self {
        returned.map_or_else(Self::failed, |it| Self::Response(it.into()))
    }
}

impl FailedCall<'_> {
    /// Converts `error` into the result of a tool, which the model reads.
    ///
    /// # Errors
    /// [`Refusal`] if the error is answered otherwise, for example because the call was not one of a tool.
    pub(crate) fn to_answer(self, error: ToolError) -> Result<CallToolResult, Refusal> {
        if error.is_invalid_arguments() {
            return Err(match self.kind {
                // A URI whose variables do not match the handler's type names no resource.
                Some(Kind::Resource) => Refusal::Error(Error::resource_not_found(self.uri)),
                _ => Refusal::Arguments(error.text()),
            });
        }
        // Spec: 2026-07-28 has an error code for a missing capability; before, it is an ordinary failure.
        if let Some(capability) = error.missing()
            && self.revision.has(Feature::InputRequired)
        {
            return Err(Refusal::Error(Error::missing_capability(capability)));
        }
        if let Some(page) = error.page() {
            return Err(Refusal::Error(Error::url_elicitation_required(error.message(), page)));
        }
        match self.kind {
            Some(Kind::Tool) => Ok(error.into_result()),
            Some(Kind::Resource) if error.code() == "not_found" => {
                Err(Refusal::Error(Error::resource_not_found(self.uri).saying(error.text())))
            }
            _ => Err(Refusal::Error(refused(&error))),
        }
    }
}

/// Converts `error` into a JSON-RPC error, for requests that have no result with `isError`.
fn refused(error: &ToolError) -> Error {
    let kind = if error.code() == "invalid_input" { ErrorKind::InvalidParams } else { ErrorKind::Internal };
    Error::new(kind, error.text()).with_data(error.to_json())
}

/// The kind of entry that a request calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A prompt, called with `prompts/get`.
    Prompt,
    /// A resource or a resource template, called with `resources/read`.
    Resource,
    /// A tool, called with `tools/call`.
    Tool,
}

impl Kind {
    /// Returns the method that calls this kind of entry.
    pub fn method(self) -> &'static str {
        match self {
            Self::Prompt => "prompts/get",
            Self::Resource => "resources/read",
            Self::Tool => "tools/call",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Tool => "tool",
        })
    }
}

/// The response of a call, as it passes back through the layers.
#[derive(Clone, Debug)]
pub enum Response {
    /// The result of a [`Kind::Prompt`].
    Prompt(GetPromptResult),
    /// The result of a [`Kind::Resource`].
    Resource(ReadResourceResult),
    /// The result of a [`Kind::Tool`]. A value that the handler returned is in `structured_content`; the text
    /// is made from it when the result is sent.
    Tool(CallToolResult),
}

impl Response {
    /// Returns the kind of entry that was called.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Prompt(_) => Kind::Prompt,
            Self::Resource(_) => Kind::Resource,
            Self::Tool(_) => Kind::Tool,
        }
    }

    /// Returns whether this is a tool's result with `is_error` set. A layer gets an error that the handler
    /// returned as a [`ToolError`], not as a `Response`.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Tool(result) if result.is_error)
    }
}

impl From<CallToolResult> for Response {
    fn from(result: CallToolResult) -> Self {
        Self::Tool(result)
    }
}

impl From<GetPromptResult> for Response {
    fn from(result: GetPromptResult) -> Self {
        Self::Prompt(result)
    }
}

impl From<ReadResourceResult> for Response {
    fn from(result: ReadResourceResult) -> Self {
        Self::Resource(result)
    }
}
