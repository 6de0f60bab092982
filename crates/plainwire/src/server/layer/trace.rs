//! The layer that reports calls to `tracing`, with the field names of OpenTelemetry.

use plainwire_proto::envelope::Id;
use plainwire_proto::revision::{Feature, Revision};
use tracing::field::Empty;
use tracing::{Instrument, Level, Span};

use super::{Layer, LayerFuture, Next, Request};
use crate::server::result::{FailedCall, Kind, Refusal, Response, ToolError};

/// Returns a layer that opens a span around each call, at level `INFO` unless [`Trace::level`] sets another.
///
/// The span is called `call`. Its fields have the names of OpenTelemetry's conventions for MCP, so that a
/// subscriber such as `tracing-opentelemetry` turns it into a server span. Fields without a known value are
/// left out.
///
/// | Field | Value |
/// |---|---|
/// | `otel.name` | `tools/call add`, `prompts/get review`, `resources/read` |
/// | `otel.kind` | `server` |
/// | `mcp.method.name` | `tools/call`, `prompts/get`, `resources/read` |
/// | `mcp.protocol.version` | the revision of the call |
/// | `gen_ai.operation.name`, `gen_ai.tool.name` | `execute_tool`, and the name of the tool |
/// | `gen_ai.prompt.name` | the name of the prompt |
/// | `mcp.resource.uri` | the URI of the resource |
/// | `jsonrpc.request.id` | the id of the request |
/// | `traceparent`, `tracestate` | the trace context that the client sent: [`crate::Context::trace_context`] |
/// | `error.type` | `tool_error`, or the code of the protocol's error |
/// | `otel.status_code`, `otel.status_description` | `ERROR`, and the message of the error |
///
/// A call that ends with questions to the client has one span per round. A call that panics or is dropped, by
/// an outer deadline or by the client, has a span without an error.
///
/// Source: OpenTelemetry semantic conventions for generative AI, "MCP", in development as of 2026.
pub fn trace() -> Trace {
    Trace { level: Level::INFO }
}

/// The layer that [`trace()`] makes.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    level: Level,
}

impl Trace {
    /// Sets the level of the spans.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }
}

impl Layer for Trace {
    fn call(&self, request: Request, next: Next) -> LayerFuture {
        let span = span(self.level, &request);
        let (kind, uri) = (request.kind(), request.name().to_owned());
        let revision = request.context().revision();
        let inside = span.clone();
        let traced = async move {
            let returned = next.run(request).await;
            if let Some((kind_of_error, why)) = failure(&returned, kind, revision, &uri) {
                span.record("error.type", kind_of_error).record("otel.status_code", "ERROR");
                span.record("otel.status_description", why);
            }
            returned
        };
        Box::pin(traced.instrument(inside))
    }
}

/// Expands to code that opens the span of a call. `tracing` fixes the level where its macro is written, so
/// each level needs its own use of this macro.
macro_rules! span {
    ($level:expr, $name:expr, $method:expr, $revision:expr) => {
        tracing::span!(
            $level,
            "call",
            otel.name = $name,
            otel.kind = "server",
            otel.status_code = Empty,
            otel.status_description = Empty,
            error.type = Empty,
            gen_ai.operation.name = Empty,
            gen_ai.prompt.name = Empty,
            gen_ai.tool.name = Empty,
            jsonrpc.request.id = Empty,
            mcp.method.name = $method,
            mcp.protocol.version = $revision,
            mcp.resource.uri = Empty,
            traceparent = Empty,
            tracestate = Empty,
        )
    };
}

fn span(level: Level, request: &Request) -> Span {
    let (kind, name) = (request.kind(), request.name());
    let (method, revision) = (kind.method(), request.context().revision().as_str());
    // A URI is not part of the span's name: there may be too many different ones.
    let title = match kind {
        Kind::Resource => method.to_owned(),
        Kind::Prompt | Kind::Tool => format!("{method} {name}"),
    };
    let span = match level {
        Level::ERROR => span!(Level::ERROR, title, method, revision),
        Level::WARN => span!(Level::WARN, title, method, revision),
        Level::INFO => span!(Level::INFO, title, method, revision),
        Level::DEBUG => span!(Level::DEBUG, title, method, revision),
        Level::TRACE => span!(Level::TRACE, title, method, revision),
    };
    match kind {
        Kind::Prompt => span.record("gen_ai.prompt.name", name),
        Kind::Resource => span.record("mcp.resource.uri", name),
        Kind::Tool => span.record("gen_ai.tool.name", name).record("gen_ai.operation.name", "execute_tool"),
    };
    if span.is_disabled() {
        return span;
    }
    match request.context().request_id() {
        Id::Integer(number) => span.record("jsonrpc.request.id", number.to_string()),
        Id::String(text) => span.record("jsonrpc.request.id", &**text),
    };
    if let Some(trace) = request.context().trace_context() {
        span.record("traceparent", trace.traceparent());
        if let Some(state) = trace.tracestate() {
            span.record("tracestate", state);
        }
    }
    span
}

/// Returns the kind and the message of the error that the client will get; `None` if the call succeeds.
fn failure(
    returned: &Result<Response, ToolError>,
    kind: Kind,
    revision: Revision,
    uri: &str,
) -> Option<(String, String)> {
    let tool_error = || "tool_error".to_owned();
    let error = match returned {
        Ok(response) if response.is_error() => {
            return Some((tool_error(), "the tool reported an error".to_owned()));
        }
        Ok(_) => return None,
        Err(error) => error,
    };
    let failed = FailedCall { kind: Some(kind), revision, uri };
    let said = match failed.to_answer(error.clone()) {
        Ok(_) => tool_error(),
        Err(Refusal::Error(refused)) => refused.code(revision).to_string(),
        Err(Refusal::Arguments(_))
            if kind == Kind::Tool && revision.has(Feature::InvalidArgumentsAreToolErrors) =>
        {
            tool_error()
        }
        Err(Refusal::Arguments(_)) => "-32602".to_owned(),
    };
    Some((said, error.message().to_owned()))
}
