//! The endpoint: runs the checks that all requests have to pass, then hands a request to its era.
//!
//! Order of the checks of a POST: `Host` and `Origin` (400, 403), method (405), `Accept` (406; not for
//! HTTP+SSE), declared size (413), type and coding (415), token (401), memory (429, 503), body (400,
//! 408, 413), number of bodies of this caller (429), query of the URL (400), UTF-8 (400), requests in flight of this caller (429), JSON-RPC
//! message (400). Then come the checks of the era.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;
use http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, CONTENT_ENCODING,
    CONTENT_TYPE, ORIGIN, VARY,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Version};
use plainwire_proto::envelope::{self, Id, Message};
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::http as rules;
use plainwire_proto::json::{Span, shorten};
use plainwire_proto::peer::Limits;

use super::eras::{PATHS, Sse};
use super::session::Sessions;
use crate::server::built::Built;
use crate::server::catalog::selection::{NoSelection, Selection, Selections};
use crate::server::connection::calls::{Attached, Held};
use crate::server::context::Headers;
use crate::server::principal::Principal;
use crate::stream::Direction;

pub(crate) mod answer;
mod body;
mod caller_id;
mod compress;
mod guard;
mod memory;
mod message;
mod refusals;
mod shutdown;
pub(crate) mod stream;
mod usage;

pub(crate) use answer::SESSION_ID;
pub use body::Body;
use body::Unread;
pub(crate) use caller_id::CallerId;
use compress::Accepted;
pub use compress::Compression;
pub(crate) use guard::{Guard, Token, local_hosts};
use memory::CallerMemory;
pub(crate) use memory::{Claim, Memory, OverMemory, REQUEST};
use message::unread;
pub(crate) use message::{Begun, Fields, Read, is_listen, refused};
pub(crate) use refusals::Refusals;
pub(crate) use shutdown::ShutdownSignal;
pub(crate) use stream::{Events, Following, Peeked, Source, parse_event_id};
pub(crate) use usage::{Place, Slot, Usage};

/// An HTTP endpoint of one server.
pub(crate) struct Endpoint {
    /// The number of request bodies for whose next part the server waits, by caller.
    pub(super) bodies: Arc<Usage>,
    pub(super) built: Arc<Built>,
    pub(super) compression: Compression,
    pub(super) ending: ShutdownSignal,
    /// The names of the headers that handlers may read.
    pub(super) passed: Vec<HeaderName>,
    pub(super) guard: Guard,
    /// The number of requests in flight, by caller. A message that is no request counts only while it is
    /// handled.
    pub(super) in_flight: Arc<Usage>,
    /// The number of open subscriptions (`subscriptions/listen`), by caller.
    pub(super) listens: Arc<Usage>,
    /// The memory that requests, their answers and sessions take, by caller.
    pub(super) memory: Arc<Memory>,
    /// The longest time that the server waits for the next part of a request body.
    pub(super) patience: Duration,
    /// The number of streams that callers have opened or resumed by GET, by caller.
    pub(super) streams: Arc<Usage>,
    pub(super) refusals: Refusals,
    pub(super) sessions: Arc<Sessions>,
    /// The sessions of HTTP+SSE, if it is served.
    pub(super) sse: Option<Arc<Sse>>,
    /// The choices of tools by URL, if there are any.
    pub(super) selections: Option<Selections>,
}

/// The sender of a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The headers of the request that handlers may read.
    pub(super) headers: Headers,
    pub(super) principal: Option<Arc<Principal>>,
    /// The name of the principal, or the address that the request came from; empty if neither is known.
    pub(super) id: CallerId,
    /// The tools that the URL of the request offers; `None` for all of them.
    pub(super) selection: Option<Arc<Selection>>,
}

#[cfg(test)]
impl Caller {
    /// Returns a caller without a principal, known by `id` only.
    pub(super) fn test(id: &str) -> Self {
        Self { headers: Headers::default(), id: id.into(), principal: None, selection: None }
    }
}

/// The address that a request comes from, in the extensions of the request.
///
/// It distinguishes callers without a principal. [`super::Http::serve`] sets it. An application that mounts
/// the service sets it itself; otherwise all callers without a principal count as one, and share the limits
/// of one caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteAddr(pub IpAddr);

/// The largest number of request bodies of one caller for whose next part the server waits. 1,024: behind a
/// proxy, many callers count as one, and a whole body is read in milliseconds.
const BODIES: usize = 1_024;

pub(super) const METHODS: &str = "DELETE, GET, OPTIONS, POST";

impl Endpoint {
    /// Answers one request.
    pub(super) async fn answer<B>(&self, head: &Parts, body: B) -> Response<Body>
    where
        B: http_body::Body<Data: Buf, Error: std::fmt::Display>,
    {
        let response = self.answer_uncompressed(head, body).await;
        self.refusals.note(&response, head.extensions.get::<RemoteAddr>());
        self.compression.apply(Accepted::read(&head.headers), response, |bytes| {
            self.memory.claim(&self.caller(head).ok()?.id, bytes).ok()
        })
    }

    async fn answer_uncompressed<B>(&self, head: &Parts, body: B) -> Response<Body>
    where
        B: http_body::Body<Data: Buf, Error: std::fmt::Display>,
    {
        if let Err((status, why)) = self.guard.check_source(head) {
            return answer::refusal(status, None, why);
        }
        let origin = head.headers.get(ORIGIN).cloned();
        let sse = self.sse.as_ref().filter(|_| PATHS.contains(&head.uri.path()));
        let mut response = match (sse, &head.method) {
            (_, &Method::OPTIONS) => preflight(&head.headers),
            // On the heap, because it is rare and large.
            (Some(sse), _) => Box::pin(self.handle_sse(sse, head, body)).await,
            (None, &Method::DELETE) => self.delete(head).await,
            (None, &Method::GET) => self.get(head).await,
            (None, &Method::POST) => self.post(head, body).await,
            (None, found) => answer::method_not_allowed(METHODS, found),
        };
        if let Some(origin) = origin {
            let headers = response.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            let exposed = HeaderValue::from_static("mcp-session-id, www-authenticate");
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
            headers.insert(VARY, HeaderValue::from_static("origin"));
        }
        response
    }

    async fn post<B>(&self, head: &Parts, body: B) -> Response<Body>
    where
        B: http_body::Body<Data: Buf, Error: std::fmt::Display>,
    {
        if !accepts(&head.headers, "application/json") && !accepts(&head.headers, "text/event-stream") {
            return answer::not_acceptable("application/json, text/event-stream", &head.headers);
        }
        let (bytes, memory, mut caller) = match self.receive(head, body).await {
            Ok(received) => received,
            Err(refused) => return *refused,
        };
        match self.selection(head) {
            Ok(selection) => caller.selection = selection,
            Err(refused) => return *refused,
        }
        let (id, headers) = (caller.id.clone(), Fields(&head.headers));
        let (begun, place, asked) = match self.begin(&headers, caller, (&bytes, memory)).await {
            Ok(begun) => begun,
            Err(refused) => return *refused,
        };
        let response = match begun {
            Begun::Answered(response) => *response,
            Begun::InSession(posted) => self.answer_in_session(posted, asked.as_ref(), &place).await,
            Begun::Modern(exchange, place) => self.answer_modern(exchange, place).await,
        };
        let response = self.until_sent(response, (&id, asked.as_ref()), place);
        if let (Some(tap), Some(bytes)) = (&self.built.tap, response.body().whole()) {
            tap.see(Direction::Out, bytes);
        }
        response
    }

    /// Lets an answer keep the place of its request until it is sent, and claims memory for it. An answer for
    /// which there is no memory is replaced by an error.
    fn until_sent(
        &self,
        response: Response<Body>,
        (caller, asked): (&CallerId, Option<&Id>),
        place: Arc<Place>,
    ) -> Response<Body> {
        let bytes = response.body().whole().map_or(0, <[u8]>::len);
        // The claim of the request has room for a usual answer.
        let claim = || self.memory.claim_answer(caller, bytes);
        let memory = match (bytes > REQUEST).then(claim).transpose() {
            Ok(memory) => memory,
            Err(over) => return over.response_instead(asked, bytes),
        };
        response.map(|body| body.holding((place, memory)))
    }

    /// Reads the body of a POST after the checks of size, type, token and number of bodies. Returns the body,
    /// the memory that was claimed for it, and the caller.
    ///
    /// # Errors
    /// The response that refuses the request.
    pub(super) async fn receive<B>(
        &self,
        head: &Parts,
        body: B,
    ) -> Result<(Vec<u8>, Claim, Caller), Box<Response<Body>>>
    where
        B: http_body::Body<Data: Buf, Error: std::fmt::Display>,
    {
        let refuse = |status, text: String| Err(Box::new(answer::refusal(status, None, text)));
        let limit = self.built.config.limits.frame_in;
        let too_large = || {
            let text = format!("expected a body of at most {limit} bytes (limit `frame_in`), but found more");
            refuse(413, text)
        };
        if usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX) > limit {
            return too_large();
        }
        if let Err(text) = check_type(&head.headers) {
            return refuse(415, text);
        }
        let caller = self.caller(head).map_err(|found| Box::new(answer::unauthorized(found)))?;
        let claimed = self.memory.admit(&caller.id);
        let mut memory = claimed.map_err(|over| Box::new(over.response(None)))?;
        let slot = || self.bodies.take(&caller.id, BODIES);
        let read = body::read(body, (limit, &mut memory), slot, self.patience).await;
        // Reading wakes the task of an HTTP/2 connection, so that the client may send more. That task could
        // not run anywhere else while a handler blocks this thread, so it runs first.
        if head.version == Version::HTTP_2 {
            tokio::task::yield_now().await;
        }
        match read {
            Ok(bytes) => match self.reserve(&bytes, &caller.id, &mut memory) {
                Ok(()) => Ok((bytes, memory, caller)),
                Err(over) => Err(Box::new(over.response(None))),
            },
            Err(Unread::OverMemory(over)) => Err(Box::new(over.response(None))),
            Err(Unread::TooLarge) => too_large(),
            Err(Unread::TooMany) => {
                refuse(429, format!("expected at most {BODIES} bodies at a time, but found one more"))
            }
            Err(Unread::TooSlow) => {
                let patience = self.patience;
                refuse(408, format!("expected the next part of the body within {patience:?}, but found less"))
            }
            Err(Unread::Broken(why)) => refuse(400, format!("expected a whole body, but found: {why}")),
        }
    }

    /// Claims memory for what is made of a body, before any of it is parsed.
    fn reserve(&self, bytes: &[u8], caller: &CallerId, memory: &mut Claim) -> Result<(), OverMemory> {
        // Many requests may have been admitted before the first of their answers was dropped.
        self.memory.check(caller)?;
        // While a call runs, its arguments are there as text and as values. A small body has room in `REQUEST`.
        if bytes.len() > REQUEST { memory.grow_to(memory.bytes() + bytes.len()) } else { Ok(()) }
    }

    /// Parses a body as a message, and takes a slot among the requests in flight of the caller: also beyond
    /// the limit, if the message is valid and not a request. The returned place has the slot and `memory`.
    ///
    /// # Errors
    /// The response, if the body is not UTF-8 or the caller has too many requests in flight.
    pub(super) fn read<'r>(
        &self,
        bytes: &'r [u8],
        caller: &Caller,
        memory: Claim,
    ) -> Result<(Read<'r>, Arc<Place>), Box<Response<Body>>> {
        if let Some(tap) = &self.built.tap {
            tap.see(Direction::In, bytes);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            let error = Error::new(ErrorKind::Parse, "expected UTF-8, but found other bytes");
            return Err(Box::new(unread(&error)));
        };
        let parsed = envelope::parse(text, Span::whole(text), self.built.config.limits.depth);
        // At the limit, a caller can still send messages that are no requests, which cancel requests and
        // answer questions.
        let ends_something = matches!(&parsed, Ok(message) if !matches!(message, Message::Request { .. }));
        let Limits { batch, depth, in_flight: most, .. } = self.built.config.limits;
        // Each message of a batch may be a call, which continues when its client disconnects.
        let count = if envelope::is_batch(text) {
            envelope::split_batch(text, depth, batch).map_or(1, |messages| messages.len())
        } else {
            1
        };
        let limit = if ends_something { usize::MAX } else { most };
        let Some(slot) = self.in_flight.take_many(&caller.id, count, limit) else {
            let more = if count == 1 { "one".to_owned() } else { format!("a batch of {count}") };
            let text = format!(
                "expected at most {most} requests at a time (limit `in_flight`), but found {more} more"
            );
            return Err(Box::new(answer::refusal(429, rules::answered_id(&parsed), text)));
        };
        Ok((Read { parsed, text }, Arc::new(Place::new(slot, Some(memory)))))
    }

    /// Returns what the calls of a message of `caller` get. They hold `held` until they end.
    pub(super) fn attach(&self, caller: Caller, held: Option<Held>) -> Attached {
        let memory = CallerMemory { caller: caller.id, memory: Arc::clone(&self.memory) };
        Attached {
            budget: Some(Arc::new(memory)),
            headers: caller.headers,
            held,
            selection: caller.selection,
        }
    }

    /// Returns the tools that the URL of a request offers; `None` for all of them.
    ///
    /// # Errors
    /// The response if the query of the URL can't be used (400), or the server's function panicked (500).
    pub(super) fn selection(&self, head: &Parts) -> Result<Option<Arc<Selection>>, Box<Response<Body>>> {
        match self.selections.as_ref().map(|selections| selections.of(head.uri.query().unwrap_or_default())) {
            None => Ok(None),
            Some(Ok(selection)) => Ok(selection),
            Some(Err(NoSelection::Query(why))) => Err(Box::new(answer::refusal(400, None, why))),
            Some(Err(NoSelection::Panicked)) => {
                let why = "the server failed to choose the tools of this URL";
                Err(Box::new(answer::refusal(500, None, why)))
            }
        }
    }

    /// Identifies the caller: by the token, or if the endpoint has no tokens, by the principal or the address
    /// in the extensions of the request.
    ///
    /// # Errors
    /// A description of the credentials that were found, without their text.
    pub(super) fn caller(&self, head: &Parts) -> Result<Caller, &'static str> {
        let principal = match self.guard.tokens.is_empty() {
            true => head.extensions.get::<Principal>().cloned().map(Arc::new),
            false => self.guard.authenticate(&head.headers)?,
        };
        let extensions = &head.extensions;
        let id = match (&principal, extensions.get::<CallerId>(), extensions.get::<RemoteAddr>()) {
            (Some(principal), ..) => principal.name.as_str().into(),
            // The listener knows the network of its connection already.
            (None, Some(network), _) => network.clone(),
            (None, None, Some(RemoteAddr(address))) => network(*address).as_str().into(),
            (None, None, None) => "".into(),
        };
        Ok(Caller { headers: Headers::of(&head.headers, &self.passed), principal, id, selection: None })
    }
}

/// Returns the network that counts as one caller: an IPv4 address, or the first 64 bits of an IPv6 address,
/// since a single customer has that many addresses.
pub(crate) fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// Checks that a body is JSON without a content coding.
///
/// # Errors
/// The text of the response 415 (unsupported media type).
fn check_type(headers: &HeaderMap) -> Result<(), String> {
    let value = |name| headers.get(name).map(|it| it.to_str().unwrap_or("other bytes"));
    let found = value(CONTENT_TYPE);
    let kind = found.and_then(|it| it.split(';').next()).unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let found = found.map_or_else(|| "nothing".to_owned(), |it| format!("{:?}", shorten(it)));
        return Err(format!("expected `content-type: application/json`, but found {found}"));
    }
    match value(CONTENT_ENCODING).filter(|it| !it.eq_ignore_ascii_case("identity")) {
        None => Ok(()),
        Some(found) => Err(format!("expected no `content-encoding`, but found {:?}", shorten(found))),
    }
}

/// Returns whether the client accepts a response of this type. A client without `Accept` accepts all types.
pub(super) fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let mut found = headers.get_all(ACCEPT).iter().filter_map(|it| it.to_str().ok()).peekable();
    let group = wanted.split('/').next().unwrap_or_default();
    let takes = |range: &str| {
        if range == wanted {
            return true;
        }
        let range = range.split(';').next().unwrap_or_default().trim();
        range == "*/*"
            || range.eq_ignore_ascii_case(wanted)
            || range.strip_suffix("/*").is_some_and(|it| it.eq_ignore_ascii_case(group))
    };
    found.peek().is_none() || found.flat_map(|it| it.split(',')).any(takes)
}

/// Answers the CORS preflight of a browser. Its origin was checked before.
fn preflight(headers: &HeaderMap) -> Response<Body> {
    let mut response = answer::empty(StatusCode::NO_CONTENT);
    let it = response.headers_mut();
    it.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    it.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    if let Some(asked) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        it.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    response
}
