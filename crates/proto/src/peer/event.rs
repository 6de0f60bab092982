//! Events that a peer reports, and frames that it wants sent.

use std::time::Duration;

use super::{CallKey, RequestKey};
use crate::cursor::List;
use crate::envelope::Meta;
use crate::error::{Error, ErrorKind};
use crate::json::Span;
use crate::model::{InputMethod, LogLevel, ServerHello, SubscriptionFilter};
use crate::revision::Revision;

/// An event that a peer reports to the program. Spans point into the frame that the peer handled most
/// recently. *Our* requests are those that this peer sent.
#[derive(Clone, Debug)]
pub enum Event {
    /// The other side cancelled the request `key`. Stop the work for it, then call [`super::Peer::finished`].
    Cancelled {
        /// The key of the cancelled request.
        key: CallKey,
        /// The reason given by the other side, for logs.
        reason: Option<String>,
    },
    /// The handshake has succeeded: this client may make requests now.
    Connected(Box<ServerHello>),
    /// A request of this peer failed: it was answered with an error, or got no valid answer before its
    /// deadline or before the end of the connection; or it was a question, and the request on behalf of which
    /// it was asked has ended.
    Failed {
        /// The key of the failed request.
        request: RequestKey,
        /// The error in the answer, or the reason why there is no valid answer.
        error: Error,
    },
    /// A message came in that was malformed or unexpected. The program need not handle it: if an answer is
    /// due, the peer sends it. The text describes the message, for logs.
    Ignored(String),
    /// A request of this peer has to be repeated, with answers to the server's questions:
    /// [`crate::model::InputRequired::parse`] reads the questions, [`crate::codec::retry_params`] writes the
    /// new parameters.
    InputRequired {
        /// The key of the request, which has ended: its repetition is a new request.
        request: RequestKey,
        /// The JSON value of `result`.
        result: Span,
    },
    /// The legacy client has sent `notifications/initialized`, which ends the handshake.
    Initialized,
    /// The legacy client wants log messages of this level and above.
    LogLevel(LogLevel),
    /// A list of the legacy server has changed. Modern servers report this as [`Self::SubscriptionNotice`].
    ListChanged(List),
    /// A subscription of this client received a notification, or has ended.
    SubscriptionNotice {
        /// The key of the request that opened the subscription, returned by [`super::Peer::listen`].
        request: RequestKey,
        /// The content of the notification.
        news: SubscriptionNotice,
    },
    /// A notification that has no event of its own, such as `notifications/message`, or one that the protocol
    /// does not define.
    Notification {
        /// The method, a JSON string.
        method: Span,
        /// The parameters.
        params: Option<Span>,
    },
    /// A request of this peer made progress.
    Progress {
        /// The key of the request that made progress.
        request: RequestKey,
        /// The work done so far, in the unit of `total`.
        progress: f64,
        /// The total work, if known.
        total: Option<f64>,
        /// A description of the current step.
        message: Option<String>,
    },
    /// The handshake of this client failed: the two sides have no revision in common, or the server refused
    /// or did not answer.
    Refused(Error),
    /// A request that the program answers with [`super::Peer::respond`] or [`super::Peer::respond_error`].
    Request {
        /// The key to answer it with.
        key: CallKey,
        /// The method and its parameters.
        request: Request,
        /// The metadata of the request.
        meta: RequestMeta,
    },
    /// The roots of the legacy client have changed.
    RootsChanged,
    /// A request of this peer succeeded.
    Result {
        /// The key of the request that succeeded.
        request: RequestKey,
        /// The JSON value of `result`.
        result: Span,
    },
    /// The other side has not answered this peer's ping, and has sent no other message for the time
    /// `keep_alive` of the configuration.
    Unresponsive,
}

/// A notification to a subscription of this client, or the end of the subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscriptionNotice {
    /// The subscription is open; the server will report the changes named by this filter, which may be fewer
    /// than requested.
    Acknowledged(SubscriptionFilter),
    /// The server has ended the subscription.
    Ended,
    /// The entries of a list of the server have changed.
    ListChanged(List),
    /// The resource with this URI has changed. It may be a part of a resource that the filter names.
    ResourceUpdated(String),
}

/// A request that the program has to answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// `tools/call`
    CallTool {
        /// The tool's name, a JSON string.
        name: Span,
        /// The arguments, a JSON object.
        arguments: Option<Span>,
    },
    /// `completion/complete`
    Complete {
        /// The parameters, a JSON object for [`crate::model::CompleteRequest::parse`].
        params: Option<Span>,
    },
    /// `prompts/get`
    GetPrompt {
        /// The prompt's name, a JSON string.
        name: Span,
        /// The arguments, a JSON object.
        arguments: Option<Span>,
    },
    /// A question (an elicitation, sampling or roots request) of a legacy server to the client.
    Input {
        /// The method of the question.
        method: InputMethod,
        /// The parameters, a JSON object.
        params: Option<Span>,
    },
    /// A request for one of the four lists.
    List {
        /// The list.
        list: List,
        /// The cursor to continue from, a JSON string; `None` for the first page.
        cursor: Option<Span>,
    },
    /// `subscriptions/listen`: [`super::Peer::accept_listen`] accepts it and opens the subscription.
    Listen,
    /// `resources/read`
    ReadResource {
        /// The URI, a JSON string.
        uri: Span,
    },
    /// `resources/subscribe`: [`super::Peer::subscribe`] accepts it.
    Subscribe {
        /// The URI, a JSON string.
        uri: Span,
    },
    /// `resources/unsubscribe`: [`super::Peer::unsubscribe`] accepts it.
    Unsubscribe {
        /// The URI, a JSON string.
        uri: Span,
    },
}

/// The metadata of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestMeta {
    /// `inputResponses`, a JSON object with the answers to earlier questions; `None` if absent, and in legacy
    /// requests.
    pub input_responses: Option<Span>,
    /// The lowest level of log messages that the client wants for the request; `None` if it wants none. In a
    /// legacy session it is the session's level at the time the request came in.
    pub log_level: Option<LogLevel>,
    /// The members of `_meta`.
    pub meta: Meta,
    /// `requestState`, a JSON string; `None` if absent, and in legacy requests.
    pub request_state: Option<Span>,
    /// The revision in which the request is answered.
    pub revision: Revision,
}

/// A frame to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Transmit {
    /// The kind of frame. On stdio, skip [`TransmitKind::Close`] and treat all other kinds alike.
    pub kind: TransmitKind,
    /// The stream that the frame belongs to; irrelevant on stdio.
    pub route: Route,
    /// One JSON message or one batch, without a line break inside or at the end; empty for
    /// [`TransmitKind::Close`].
    pub bytes: Vec<u8>,
}

/// The kind of a frame to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransmitKind {
    /// The result of a request, or the answer to a batch.
    Answer,
    /// No bytes: end the stream of the request here. The client should connect again after this duration to
    /// receive the remaining messages.
    Close(Duration),
    /// An error answer: to a request that failed, or, with [`Route::Unsolicited`], to a message that was not
    /// reported as [`Event::Request`].
    Error(ErrorKind),
    /// A notification, or a request that this peer makes.
    Message,
}

/// The stream that a frame belongs to, on transports with more than one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The stream of the batch with this number; [`super::Peer::open_batch`] returns the number.
    Batch(u32),
    /// The stream of the `subscriptions/listen` request with this key.
    Listen(CallKey),
    /// The stream of the request with this key.
    Request(CallKey),
    /// No particular stream: the frame belongs to no batch, and to no request that was reported as an event.
    Unsolicited,
}
