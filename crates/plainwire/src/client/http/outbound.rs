//! A frame to send: the headers that repeat parts of it, and whether it may be sent again when it gets lost.
//!
//! Source: 2026-07-28 `streamable-http` "Request Metadata", "Client Behavior".

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use plainwire_proto::envelope::{self, Id, Message, Params};
use plainwire_proto::http::{encode_value, name_source, param_values};
use plainwire_proto::json::Span;
use plainwire_proto::revision::{Era, Revision};

use crate::client::is_replayable;
use crate::client::known_tools::KnownTools;

/// Nesting limit when a frame of this client is parsed. 1,024: the highest limit that
/// [`Limits`](plainwire_proto::peer::Limits) permit.
const DEPTH: usize = 1_024;

/// A frame that the client sends, and the parts of it that HTTP headers and retries need.
pub(crate) struct Outbound {
    pub(super) bytes: Bytes,
    /// The id of the request that the frame cancels; `None` if it cancels none.
    pub(crate) cancels: Option<Id>,
    /// The id of the frame if it is a request; `None` for notifications and answers.
    pub(crate) id: Option<Id>,
    /// The method of the request or notification; empty for an answer.
    pub(crate) method: String,
    /// The value for the header `Mcp-Name`: the name of the tool to call or the prompt to get, or the URI of
    /// the resource to read; `None` for other methods.
    pub(super) name: Option<String>,
    /// The span in `bytes` of the `arguments` of a call; `None` if the frame has none.
    arguments: Option<Span>,
    /// The modern revision that the frame belongs to; `None` in the legacy era.
    pub(super) version: Option<String>,
}

impl Outbound {
    /// Parses a frame that the peer wants to send. `revision` is that of the connection; `None` before the
    /// handshake is complete.
    pub(crate) fn read(bytes: Vec<u8>, revision: Option<Revision>) -> Self {
        let text = String::from_utf8(bytes).unwrap_or_default();
        let (id, method, params) = match envelope::parse(&text, Span::whole(&text), DEPTH) {
            Ok(Message::Request { id, method, params }) => (Some(id), Some(method), params),
            Ok(Message::Notification { method, params }) => (None, Some(method), params),
            _ => (None, None, Params::default()),
        };
        let read = |span: Option<Span>| span.and_then(|span| span.string(&text)).map(|it| it.into_owned());
        let method = read(method).unwrap_or_default();
        let name = match name_source(&method) {
            Some("uri") => read(params.uri),
            Some(_) => read(params.name),
            None => None,
        };
        // Modern notifications do not name their revision.
        let agreed = revision.filter(|it| it.era() == Era::Modern);
        let cancels = params.request_id.filter(|_| method == "notifications/cancelled");
        Self {
            cancels: cancels.and_then(|span| Id::parse(span.text(&text))),
            id,
            name,
            arguments: params.arguments,
            version: read(params.meta.protocol_version).or(agreed.map(|it| it.as_str().to_owned())),
            method,
            bytes: text.into(),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether the frame answers a request of the server.
    pub(crate) fn is_answer(&self) -> bool {
        self.id.is_none() && self.method.is_empty()
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.version.is_some()
    }

    /// Returns whether the frame begins a handshake: `initialize` or `server/discover`.
    pub(super) fn is_handshake(&self) -> bool {
        self.id.is_some() && matches!(&*self.method, "initialize" | "server/discover")
    }

    /// Returns whether the frame may be sent again although it may have arrived.
    pub(super) fn is_replayable(&self, tools: &KnownTools) -> bool {
        let is_harmless = |name: &str| tools.is_harmless(name);
        self.id.is_some() && is_replayable(&self.method, self.name.as_deref(), is_harmless)
    }

    /// Returns a description of the frame for messages to the user.
    pub(super) fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("`{}` of {name:?}", self.method),
            None => format!("`{}`", self.method),
        }
    }

    /// Adds the headers that repeat parts of a modern message. A legacy message gets none.
    ///
    /// # Errors
    /// The reason why a value fits into no header.
    pub(super) fn describe(&self, headers: &mut HeaderMap, tools: &KnownTools) -> Result<(), String> {
        let Some(version) = &self.version else { return Ok(()) };
        let mut add = |name: &str, value: &str| {
            let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
            let value = HeaderValue::try_from(value).map_err(|error| error.to_string())?;
            headers.insert(name, value);
            Ok::<_, String>(())
        };
        add("mcp-protocol-version", version)?;
        add("mcp-method", &encode_value(&self.method))?;
        if let Some(name) = &self.name {
            add("mcp-name", &encode_value(name))?;
            let text = std::str::from_utf8(&self.bytes).unwrap_or_default();
            let arguments = self.arguments.map(|span| span.text(text));
            let params = if self.method == "tools/call" { tools.headers(name) } else { Vec::new() };
            for (name, value) in param_values(&params, arguments).map_err(|it| it.message().to_owned())? {
                add(&name, &value)?;
            }
        }
        Ok(())
    }
}
