//! The layers of one entry, with its handler inside.
//!
//! In: a call that was admitted. Out: the work of it. An entry without layers has no chain, and its handler reads the
//! frame itself; here the request owns its parts, since a layer may keep and change them.

use std::sync::Arc;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::RawJson;

use super::{Kind, Layer, Next, Request, Response};
use crate::schema::InputSchema;
use crate::server::context::Caller;
use crate::server::handler::{Call, Outcome, Run, Running, ToolError};

pub(crate) struct Chain {
    pub(crate) kind: Kind,
    /// The outermost first.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) mime_type: Option<String>,
    /// For messages: "the tool `add`".
    pub(crate) name: String,
    pub(crate) run: Run,
    /// Whether clients were told that its results have structured content.
    pub(crate) promises_structure: bool,
    pub(crate) schema: InputSchema,
    /// What hosts want to know of a page.
    pub(crate) ui: Option<RawJson>,
}

impl Chain {
    /// Begins a call of `name`. Nothing of it has run yet.
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

    /// Warns of a result that strict clients refuse, since it is not what the tool is listed with.
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

    /// Calls the handler.
    pub(super) async fn handle(&self, request: &Request) -> Result<Response, ToolError> {
        let running = (self.run)(&Call {
            arguments: &request.arguments,
            context: Caller::Made(&request.context),
            mime_type: self.mime_type.as_deref(),
            schema: &self.schema,
            ui: self.ui.as_deref(),
            uri: if self.kind == Kind::Resource { &request.name } else { "" },
        });
        match running.map_err(|rejected| ToolError::misfit(rejected.0))?.await {
            Outcome::Response(response) => Ok(response),
            Outcome::Failed(error) => Err(*error),
            // Completions have no layers, and the driver makes the others.
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
