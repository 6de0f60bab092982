//! What a peer reports and what it wants sent.

use std::time::Duration;

use super::{CallKey, RequestKey};
use crate::cursor::List;
use crate::envelope::Meta;
use crate::error::{Error, ErrorKind};
use crate::json::Span;
use crate::model::{InputMethod, LogLevel, ServerHello, SubscriptionFilter};
use crate::revision::Revision;

/// Something that happened. Spans point into the frame that was handled last.
#[derive(Clone, Debug)]
pub enum Event {
    /// The other side no longer wants the answer to `key`. Its work should end; [`super::Peer::finished`] says when.
    Cancelled {
        /// The request.
        key: CallKey,
        /// Why, in words for logs.
        reason: Option<String>,
    },
    /// The client has found out what the server speaks and may make requests.
    Connected(Box<ServerHello>),
    /// One of our requests failed: an error answer, or none in time.
    Failed {
        /// The request.
        request: RequestKey,
        /// What came back.
        error: Error,
    },
    /// Something came in that needs no answer and changes nothing; the text is for logs.
    Ignored(String),
    /// One of our requests has to be made again, with answers to the server's questions:
    /// [`crate::model::InputRequired::parse`] reads them, [`crate::codec::retry_params`] writes what to send.
    InputRequired {
        /// The request; it is over.
        request: RequestKey,
        /// The JSON value of `result`.
        result: Span,
    },
    /// The legacy client has finished the handshake.
    Initialized,
    /// The legacy client wants log messages from this level on.
    LogLevel(LogLevel),
    /// A list of the server has changed.
    ListChanged(List),
    /// A subscription of ours hears something.
    News {
        /// The request that began it: [`super::Peer::listen`].
        request: RequestKey,
        /// What it hears.
        news: News,
    },
    /// A notification that the protocol has no rule for.
    Notification {
        /// The method, a JSON string.
        method: Span,
        /// The parameters.
        params: Option<Span>,
    },
    /// One of our requests gets on.
    Progress {
        /// The request.
        request: RequestKey,
        /// How far it is.
        progress: f64,
        /// How far it has to go.
        total: Option<f64>,
        /// What it is doing.
        message: Option<String>,
    },
    /// The server and the client have no revision in common, or the server refused.
    Refused(Error),
    /// A request to be answered by [`super::Peer::respond`] or [`super::Peer::respond_error`].
    Request {
        /// The name under which it is answered.
        key: CallKey,
        /// What is asked.
        request: Request,
        /// What the request says of itself.
        meta: RequestMeta,
    },
    /// The roots of the legacy client have changed.
    RootsChanged,
    /// One of our requests succeeded.
    Result {
        /// The request.
        request: RequestKey,
        /// The JSON value of `result`.
        result: Span,
    },
    /// The other side has not answered our ping, and has said nothing else for the time of `keep_alive` since then.
    Unresponsive,
}

/// What a subscription of ours hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// It has begun; this much of what was asked for will be told.
    Acknowledged(SubscriptionFilter),
    /// The server has ended it.
    Ended,
    /// A list has changed.
    ListChanged(List),
    /// The resource with this URI, or a part of one that was asked for, has changed.
    ResourceUpdated(String),
}

/// A request that the program has to answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// `tools/call`
    CallTool {
        /// The tool's name, a JSON string.
        name: Span,
        /// A JSON object.
        arguments: Option<Span>,
    },
    /// `completion/complete`
    Complete {
        /// A JSON object, for [`crate::model::CompleteRequest::parse`].
        params: Option<Span>,
    },
    /// `prompts/get`
    GetPrompt {
        /// The prompt's name, a JSON string.
        name: Span,
        /// A JSON object.
        arguments: Option<Span>,
    },
    /// A question of a legacy server, for a client.
    Input {
        /// What is asked.
        method: InputMethod,
        /// A JSON object.
        params: Option<Span>,
    },
    /// One of the four lists.
    List {
        /// Which.
        list: List,
        /// From where, a JSON string.
        cursor: Option<Span>,
    },
    /// `subscriptions/listen`: [`super::Peer::accept_listen`] begins it.
    Listen,
    /// `resources/read`
    ReadResource {
        /// A JSON string.
        uri: Span,
    },
    /// `resources/subscribe`: [`super::Peer::subscribe`] agrees.
    Subscribe {
        /// A JSON string.
        uri: Span,
    },
    /// `resources/unsubscribe`: [`super::Peer::unsubscribe`] agrees.
    Unsubscribe {
        /// A JSON string.
        uri: Span,
    },
}

/// What a request says of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestMeta {
    /// `inputResponses`, a JSON object; modern requests only.
    pub input_responses: Option<Span>,
    /// From which level on log messages of the request are wanted; `None` if none are. In a session this is what
    /// holds when the request comes in.
    pub log_level: Option<LogLevel>,
    /// The members of `_meta`.
    pub meta: Meta,
    /// `requestState`, a JSON string; modern requests only.
    pub request_state: Option<Span>,
    /// The revision in which it is answered.
    pub revision: Revision,
}

/// A frame to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Transmit {
    /// What it is; a pipe does not care.
    pub kind: TransmitKind,
    /// Whom it is for; a pipe does not care.
    pub route: Route,
    /// One JSON message, or one batch, without a line break inside or behind it.
    pub bytes: Vec<u8>,
}

/// What a frame to send is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransmitKind {
    /// The result of a request, or the answer to a batch.
    Answer,
    /// Nothing to send: the stream of the request should end here, and its reader come back for the rest after this long.
    Close(Duration),
    /// The answer to a request that failed, or, unsolicited, to what was not even reported as one.
    Error(ErrorKind),
    /// A notification, or a request of ours.
    Message,
}

/// Whom a frame is for, where a connection has more than one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Whoever sent this batch: see [`super::Peer::open_batch`].
    Batch(u32),
    /// Whoever listens by this `subscriptions/listen`.
    Listen(CallKey),
    /// Whoever sent this request.
    Request(CallKey),
    /// Nobody in particular.
    Unsolicited,
}
