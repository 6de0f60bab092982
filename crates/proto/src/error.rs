//! Errors of the protocol, and the one table from kinds of errors to the codes of each revision.
//!
//! In: an [`ErrorKind`] and a message, or a JSON-RPC `error` object. Out: that object, or an [`Error`]. A
//! tool that fails returns a result instead: [`crate::model::CallToolResult`].

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::shorten;
use crate::json::write::{self, Object};
use crate::model::ClientCapability;
use crate::revision::{Feature, Revision};

/// The kind of an error. Its code depends on the revision: see [`Error::code`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An error with a code of the application, outside -32768 to -32000; or a received error with an unknown
    /// code.
    Application(i32),
    /// HTTP headers that are missing or malformed, or that differ from the body of the request.
    HeaderMismatch,
    /// A fault of the program that reports the error; also a connection that ended before the answer came.
    Internal,
    /// The parameters do not fit the method; also unknown tools, prompts and cursors.
    InvalidParams,
    /// Valid JSON that is no JSON-RPC message, or a request that cannot be served in this state of the
    /// connection, such as a legacy tool call before `initialize`; also a message over the limit `frame_in`.
    InvalidRequest,
    /// An answer that did not come in time. Never sent.
    Late {
        /// Whether the idle deadline of [`crate::peer::RequestOptions`] passed, and not the hard deadline.
        is_idle: bool,
    },
    /// A method that the receiver does not know, or whose capability it does not offer.
    MethodNotFound,
    /// The request needs a capability that the client did not declare.
    MissingClientCapability,
    /// A limit of this program is exceeded; trying again later may help.
    Overloaded,
    /// Text that is not JSON.
    Parse,
    /// An unknown resource.
    ResourceNotFound,
    /// The user has to open web pages before the request can succeed. The `data` lists them.
    UrlElicitationRequired,
    /// The request names a revision that is not served, or client and server have no revision in common.
    UnsupportedVersion,
}

/// A JSON-RPC error.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    data: Option<Box<RawValue>>,
    /// The code that the other side sent; `None` for an error that this program made.
    received: Option<i32>,
}

impl Error {
    /// Creates an error. `message` has the form *expected X, but found Y*, without a full stop.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), data: None, received: None }
    }

    /// Adds `data`, which must be JSON text; other text is dropped.
    #[must_use]
    pub fn with_data(mut self, json: String) -> Self {
        self.data = RawValue::from_string(json).ok();
        self
    }

    /// Creates the error for a resource that does not exist.
    pub fn resource_not_found(uri: &str) -> Self {
        let mut data = Vec::new();
        let mut object = Object::open(&mut data);
        object.string("uri", uri);
        object.close();
        Self::new(
            ErrorKind::ResourceNotFound,
            format!("expected `uri` to be a known resource, but found {uri:?}"),
        )
        .with_data(String::from_utf8(data).unwrap_or_default())
    }

    /// Creates the error for a request that needs `capability`, which the client did not declare.
    pub fn missing_capability(capability: ClientCapability) -> Self {
        let required = serde_json::to_string(&capability.to_capabilities()).unwrap_or_default();
        Self::new(
            ErrorKind::MissingClientCapability,
            format!("expected a client that declares `{}`, but found one that does not", capability.as_str()),
        )
        .with_data(format!("{{\"requiredCapabilities\":{required}}}"))
    }

    /// Creates the error for a request that can only succeed once the user has opened a web page. `params`
    /// are the parameters of the elicitation that would ask for it, as JSON.
    pub fn url_elicitation_required(message: &str, params: &str) -> Self {
        Self::new(ErrorKind::UrlElicitationRequired, message)
            .with_data(format!("{{\"elicitations\":[{params}]}}"))
    }

    /// Creates the error for a request that names the version `requested`: it is not one of `served`, or it
    /// can only be used after `initialize`.
    ///
    /// `served` has the oldest revision first. The error's `data` lists these revisions newest first, so that
    /// the client can choose one.
    pub fn unsupported_version(served: &[Revision], requested: &str) -> Self {
        let supported: Vec<_> = served.iter().rev().map(|r| r.as_str()).collect();
        let data = serde_json::json!({ "supported": supported, "requested": requested });
        let text = if supported.contains(&requested) {
            format!("expected `initialize` for protocol version {requested}, but found it in the request")
        } else {
            format!("expected a protocol version of {supported:?}, but found {:?}", shorten(requested))
        };
        Self::new(ErrorKind::UnsupportedVersion, text).with_data(data.to_string())
    }

    /// Replaces the message.
    #[must_use]
    pub fn saying(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns `data` as JSON text; `None` if the error has none.
    pub fn data(&self) -> Option<&str> {
        self.data.as_deref().map(RawValue::get)
    }

    /// Returns the code that the other side sent; `None` for an error that this program made.
    pub fn received_code(&self) -> Option<i32> {
        self.received
    }

    /// Returns the JSON-RPC code that this error has in `revision`.
    pub fn code(&self, revision: Revision) -> i32 {
        match self.kind {
            ErrorKind::Application(code) => code,
            ErrorKind::HeaderMismatch if revision.has(Feature::Initialize) => -32600,
            ErrorKind::HeaderMismatch => -32020,
            ErrorKind::Internal | ErrorKind::Late { .. } | ErrorKind::Overloaded => -32603,
            ErrorKind::InvalidParams => -32602,
            ErrorKind::InvalidRequest => -32600,
            ErrorKind::MethodNotFound => -32601,
            ErrorKind::MissingClientCapability if revision.has(Feature::Initialize) => -32603,
            ErrorKind::MissingClientCapability => -32021,
            ErrorKind::Parse => -32700,
            ErrorKind::ResourceNotFound if revision.has(Feature::ResourceNotFoundCode) => -32002,
            ErrorKind::ResourceNotFound => -32602,
            ErrorKind::UrlElicitationRequired if revision.has(Feature::UrlElicitationId) => -32042,
            ErrorKind::UrlElicitationRequired => -32603,
            ErrorKind::UnsupportedVersion if revision.has(Feature::Initialize) => -32602,
            ErrorKind::UnsupportedVersion => -32022,
        }
    }

    /// Reads the `error` object of an answer to `method`.
    ///
    /// A code has different meanings for different methods: "not found" has been -32001, -32002, -32003 and
    /// -32602, so method and code together determine the kind. Unknown codes become
    /// [`ErrorKind::Application`]; JSON that is not an `error` object becomes [`ErrorKind::InvalidRequest`].
    pub fn from_wire(json: &str, method: &str) -> Self {
        #[derive(Deserialize)]
        struct Wire {
            #[serde(default)]
            code: i32,
            #[serde(default)]
            message: String,
            #[serde(default)]
            data: Option<Box<RawValue>>,
        }
        let Ok(wire) = serde_json::from_str::<Wire>(json) else {
            let expected = if json.starts_with('{') {
                "expected `error` to have a whole number as `code` and a text as `message`"
            } else {
                "expected `error` to be an object"
            };
            return Self::new(ErrorKind::InvalidRequest, format!("{expected}, but found {}", shorten(json)));
        };
        let kind = match wire.code {
            -32700 => ErrorKind::Parse,
            -32600 => ErrorKind::InvalidRequest,
            -32601 => ErrorKind::MethodNotFound,
            -32603 => ErrorKind::Internal,
            -32001 | -32002 | -32003 | -32602 if method == "resources/read" => ErrorKind::ResourceNotFound,
            -32001 | -32002 | -32003 | -32602 if matches!(method, "tools/call" | "prompts/get") => {
                ErrorKind::InvalidParams
            }
            -32602 => ErrorKind::InvalidParams,
            -32020 => ErrorKind::HeaderMismatch,
            -32021 => ErrorKind::MissingClientCapability,
            -32022 => ErrorKind::UnsupportedVersion,
            -32042 => ErrorKind::UrlElicitationRequired,
            code => ErrorKind::Application(code),
        };
        Self { kind, message: wire.message, data: wire.data, received: Some(wire.code) }
    }

    /// Writes the `error` object, with the code of `revision`.
    pub fn write(&self, out: &mut Vec<u8>, revision: Revision) {
        let mut object = Object::open(out);
        write::display(object.name("code"), self.code(revision));
        object.string("message", &self.message);
        if let Some(data) = &self.data {
            object.raw("data", data.get());
        }
        object.close();
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.message == other.message && self.data() == other.data()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_a_missing_resource_the_code_of_the_revision() {
        let error = Error::resource_not_found("a://b");
        let codes: Vec<_> = Revision::ALL.into_iter().map(|r| error.code(r)).collect();
        assert_eq!(codes, [-32002, -32002, -32002, -32002, -32602]);
        assert_eq!(error.data(), Some(r#"{"uri":"a://b"}"#));
    }

    #[test]
    fn a_missing_capability_has_a_code_of_its_own_only_where_the_revision_knows_it() {
        let error = Error::missing_capability(ClientCapability::ElicitationUrl);
        let codes: Vec<_> = Revision::ALL.into_iter().map(|r| error.code(r)).collect();
        assert_eq!(codes, [-32603, -32603, -32603, -32603, -32021]);
        assert_eq!(error.data(), Some(r#"{"requiredCapabilities":{"elicitation":{"url":{}}}}"#));
    }

    #[test]
    fn headers_that_differ_have_a_code_of_their_own_only_where_the_revision_knows_it() {
        let error = Error::new(ErrorKind::HeaderMismatch, "m");
        let codes: Vec<_> = Revision::ALL.into_iter().map(|r| error.code(r)).collect();
        assert_eq!(codes, [-32600, -32600, -32600, -32600, -32020]);
        let read = Error::from_wire(r#"{"code":-32020,"message":"m"}"#, "tools/call");
        assert_eq!(read.kind(), &ErrorKind::HeaderMismatch);
    }

    #[test]
    fn an_unsupported_version_comes_with_those_that_are_served() {
        let error = Error::unsupported_version(&Revision::ALL[3..], "2099-01-01");
        let data = r#"{"requested":"2099-01-01","supported":["2026-07-28","2025-11-25"]}"#;
        assert_eq!(error.data(), Some(data));
    }

    #[test]
    fn reads_a_code_together_with_the_method_it_answers() {
        let kind = |code: i32, method| {
            Error::from_wire(&format!(r#"{{"code":{code},"message":"m","data":[1]}}"#), method).kind().clone()
        };
        assert_eq!(kind(-32001, "resources/read"), ErrorKind::ResourceNotFound);
        assert_eq!(kind(-32602, "resources/read"), ErrorKind::ResourceNotFound);
        assert_eq!(kind(-32002, "tools/call"), ErrorKind::InvalidParams);
        assert_eq!(kind(-32003, "prompts/get"), ErrorKind::InvalidParams);
        assert_eq!(kind(-32001, "tools/list"), ErrorKind::Application(-32001));
        assert_eq!(kind(-32800, "tools/call"), ErrorKind::Application(-32800));
    }

    #[test]
    fn survives_an_error_that_is_no_object() {
        assert_eq!(Error::from_wire("7", "ping").message(), "expected `error` to be an object, but found 7");
        let said = "expected `error` to have a whole number as `code` and a text as `message`, but found {\"code\":\"E1\"}";
        assert_eq!(Error::from_wire(r#"{"code":"E1"}"#, "ping").message(), said);
    }
}
