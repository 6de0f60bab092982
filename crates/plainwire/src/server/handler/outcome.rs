//! How a call ended, and how a failure is said: the one place that knows where the protocol wants it.
//!
//! In: what a handler or its layers gave. Out: something that can be written as a result, or a [`Refusal`]. Writing
//! either is the driver's business.

use plainwire_proto::codec::KeyedRequest;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{CallToolResult, Completion};
use plainwire_proto::revision::{Feature, Revision};

use super::result::ToolError;
use crate::server::layer::{Kind, Response};

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    Completion(Completion),
    /// The protocol itself says no.
    Error(Error),
    /// The handler, or a layer of it, says no. Boxed: it is rare, and larger than the others.
    Failed(Box<ToolError>),
    /// The client has to be asked first.
    InputRequired {
        requests: Vec<KeyedRequest>,
        state: String,
    },
    Response(Response),
}

/// An answer that is no result of the call.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Arguments that do not fit: the peer knows whether the revision wants a result or an error.
    Arguments(String),
    Error(Error),
}

/// What a failure depends on, besides itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failing<'f> {
    /// `None` for a completion.
    pub(crate) kind: Option<Kind>,
    pub(crate) revision: Revision,
    /// The resource that is read; empty for anything else.
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

impl Failing<'_> {
    /// Says `error` as a result, where that is where the model reads it.
    ///
    /// # Errors
    /// [`Refusal`] where there is no result that could hold it.
    pub(crate) fn say(&self, error: ToolError) -> Result<CallToolResult, Refusal> {
        if error.is_misfit() {
            return Err(match self.kind {
                // Variables that do not fit make a URI that names nothing.
                Some(Kind::Resource) => Refusal::Error(Error::resource_not_found(self.uri)),
                _ => Refusal::Arguments(error.text()),
            });
        }
        // Spec: 2026-07-28 has an error for it; before, it is a failure like any other.
        if let Some(capability) = error.missing()
            && self.revision.has(Feature::InputRequired)
        {
            return Err(Refusal::Error(Error::missing_capability(capability)));
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

/// An error where there is no result that could hold it.
fn refused(error: &ToolError) -> Error {
    let kind = if error.code() == "invalid_input" { ErrorKind::InvalidParams } else { ErrorKind::Internal };
    Error::new(kind, error.text()).with_data(error.to_json())
}
