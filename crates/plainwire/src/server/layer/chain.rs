//! The chain of an entry: its layers, with the handler inside.
//!
//! In: a call whose client has the required capabilities. Out: the future of the call. An entry without
//! layers has no chain, and its handler borrows from the frame. In a chain, the request owns its parts,
//! since a layer may keep and change them.

use std::sync::Arc;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::RawJson;

use super::{Layer, Next, Request};
use crate::schema::InputSchema;
use crate::server::context::ContextRef;
use crate::server::handler::{Call, Run, Running};
use crate::server::result::{Kind, Outcome, Response, ToolError};

/// The layers and the handler of one entry.
pub(crate) struct Chain {
    pub(crate) kind: Kind,
    /// The layers around the handler, the outermost first.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) mime_type: Option<String>,
    /// The kind and name of the entry, for messages: "the tool `add`".
    pub(crate) name: String,
    pub(crate) run: Run,
    /// Whether the tool is listed with an output schema, so that clients expect structured content.
    pub(crate) promises_structure: bool,
    pub(crate) schema: InputSchema,
    /// The `_meta.ui` with which a page is listed; `None` for other entries.
    pub(crate) ui: Option<RawJson>,
}

impl Chain {
    /// Returns the future of a call of the entry; `name` is its name or URI in the request. No layer has run
    /// yet.
    pub(crate) fn start(self: &Arc<Self>, call: &Call<'_>, name: &str) -> Running {
        let (chain, next) = (Arc::clone(self), Next { at: 0, chain: Arc::clone(self) });
        let request = Request {
            arguments: call.arguments.to_owned(),
            context: call.context.get(),
            kind: self.kind,
            name: name.to_owned(),
        };
        Box::pin(async move {
            let returned = next.run(request).await;
            match &returned {
                Ok(response) if response.kind() != chain.kind => return chain.another_kind(response),
                Ok(response) => chain.check_structure(response),
                Err(_) => {}
            }
            Outcome::of(returned)
        })
    }

    /// Logs a warning for a result without the structured content that the output schema promises. Strict
    /// clients refuse such a result.
    fn check_structure(&self, response: &Response) {
        if let Response::Tool(result) = response
            && self.promises_structure
            && !result.is_error
            && result.structured_content.is_none()
        {
            tracing::warn!(
                "expected the layers of {} to give structured content, which its output schema promises, but found none",
                self.name
            );
        }
    }

    /// Calls the handler with `request`, after all layers have passed the request on.
    pub(super) async fn handle(&self, request: &Request) -> Result<Response, ToolError> {
        let running = (self.run)(&Call {
            arguments: &request.arguments,
            context: ContextRef::Made(&request.context),
            mime_type: self.mime_type.as_deref(),
            schema: &self.schema,
            ui: self.ui.as_deref(),
            uri: if self.kind == Kind::Resource { &request.name } else { "" },
        });
        match running.map_err(|rejected| ToolError::invalid_arguments(rejected.0))?.await {
            Outcome::Response(response) => Ok(response),
            Outcome::Failed(error) => Err(*error),
            // Completions have no layers, and the other outcomes are made outside of the chain.
            other => Err(ToolError::failed(format!("expected a response, but found {other:?}"))),
        }
    }

    fn another_kind(&self, response: &Response) -> Outcome {
        let text = format!(
            "expected the layers of {} to give the result of a {}, but found that of a {}",
            self.name,
            self.kind,
            response.kind()
        );
        tracing::error!("{text}");
        Outcome::Error(Error::new(ErrorKind::Internal, text))
    }
}
