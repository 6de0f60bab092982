//! A client's connection over HTTP: single requests with headers and credentials, and the session. One future
//! sends each frame. If a frame did not get through, `retry.rs` in this folder decides whether to send it
//! again.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use plainwire_proto::peer::Limits;
use reqwest::{Client, Response, Url};
use tokio::sync::{OwnedRwLockWriteGuard, OwnedSemaphorePermit, RwLock, Semaphore, mpsc};

use super::remote::{Remote, client};
use super::session::Session;
use super::{Arrived, Authorize, Outbound, Outgoing, Refused};
use crate::client::known_tools::KnownTools;
use crate::error::{Error, Result};

pub(super) const INITIALIZED: &str = "notifications/initialized";

/// The most times that one request is sent again with other credentials. 5: more than OAuth needs. OAuth gives
/// up after 3, with a better reason. The limit is for an [`Authorize`] that never gives up.
const MOST_CHALLENGES: u32 = 5;

/// The size in bytes above which a message that arrives counts as large, and the number of large messages that
/// arrive or wait to be handled at a time. Two, so that one that stalls does not hold up all others.
const LARGE: usize = 64 << 10;
const LARGE_AT_A_TIME: usize = 2;

pub(super) const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
pub(super) const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The connection of one client to the server at a URL.
pub(crate) struct Connection {
    arrived: mpsc::Sender<Arrived>,
    authorize: Option<Arc<dyn Authorize>>,
    client: Client,
    /// The longest time for which `gate` is locked for writing: the deadline of `initialize`.
    begin_timeout: Duration,
    /// Locked for writing while a session begins: no other frame of the session is sent in that time.
    pub(super) gate: Arc<RwLock<()>>,
    /// The headers of each request, as the program set them.
    pub(super) headers: HeaderMap,
    /// The permits to keep a message that is large: see [`Connection::permit`].
    large: Arc<Semaphore>,
    /// The limits of received frames.
    pub(super) limits: Limits,
    /// The URL to which messages are posted in HTTP+SSE; not set with Streamable HTTP.
    pub(super) messages: OnceLock<Url>,
    /// The headers of each POST: `headers`, `Accept` and `Content-Type`.
    posting: HeaderMap,
    session: Mutex<Session>,
    pub(super) tools: KnownTools,
    pub(super) url: Url,
}

/// The permit to keep a large message; `None` for a small message. The permit lasts until it is dropped.
pub(super) type Permit = Option<OwnedSemaphorePermit>;

/// An HTTP response, and the session of its request.
pub(super) struct Sent {
    pub(super) response: Response,
    /// The number of the session that the request belonged to.
    pub(super) generation: u64,
}

impl Connection {
    /// Creates a connection, whose sessions have `begin_timeout` to begin. Sends nothing yet.
    ///
    /// # Errors
    /// [`Error::Target`] for an invalid URL or invalid headers.
    pub(crate) fn new(
        remote: &Remote,
        (limits, begin_timeout): (Limits, Duration),
        tools: KnownTools,
        arrived: mpsc::Sender<Arrived>,
    ) -> Result<Self> {
        let url = remote.url()?;
        let headers = remote.headers(&url)?;
        let mut posting = headers.clone();
        posting.insert(ACCEPT, BOTH);
        posting.insert(CONTENT_TYPE, JSON);
        Ok(Self {
            arrived,
            authorize: remote.authorize.clone(),
            begin_timeout,
            client: client(&url)?,
            gate: Arc::default(),
            headers,
            large: Arc::new(Semaphore::new(LARGE_AT_A_TIME)),
            limits,
            messages: OnceLock::new(),
            posting,
            session: Mutex::default(),
            tools,
            url,
        })
    }

    /// If `out` is the notification that opens the session, returns a lock. Until the lock is dropped, no
    /// other frame of the session is sent: servers accept none before that notification. Returns `None` for
    /// any other frame.
    pub(crate) fn opens(&self, out: &Outbound) -> Option<OwnedRwLockWriteGuard<()>> {
        let opens = out.method == INITIALIZED;
        opens.then(|| Arc::clone(&self.gate).try_write_owned().ok()).flatten()
    }

    /// Sends a frame and passes on the messages that arrive in response. Returns the answer or the failure of
    /// a request; `None` for other frames, and for an answer that arrives on another stream.
    pub(crate) async fn send(&self, out: Outbound) -> Option<Arrived> {
        if !out.is_handshake() && !out.is_modern() && out.method != INITIALIZED {
            drop(self.gate.read().await);
        }
        let delivered = if out.method == INITIALIZED {
            self.within_begin_timeout(self.deliver(&out)).await
        } else {
            self.deliver(&out).await
        };
        match (delivered, out.id) {
            (Ok(answer), _) => answer.map(|it| Arrived::Message(Box::new(it))),
            (Err(error), Some(id)) => Some(Arrived::Failed { id, error }),
            (Err(error), None) => {
                tracing::warn!("`{}` was not delivered: {error}", out.method);
                None
            }
        }
    }

    /// Waits for a permit to receive more of a message of which `received` bytes have arrived, if that makes it
    /// large. The message keeps the permit until it is handled. Without permits, many messages at a time, each within
    /// its limit, could take all memory. Returns whether the message has become large just now.
    pub(super) async fn permit(&self, held: &mut Permit, received: usize) -> bool {
        match (received > LARGE, &held) {
            (true, None) => *held = Arc::clone(&self.large).acquire_owned().await.ok(),
            (false, Some(_)) => *held = None,
            _ => return false,
        }
        held.is_some()
    }

    /// Runs `work`, during which `gate` is locked for writing.
    ///
    /// # Errors
    /// [`Error::Closed`] if the server does not let the session begin in time: other requests wait for it.
    pub(super) async fn within_begin_timeout<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let late = |_| Error::Closed { why: "the server did not let a session begin in time".to_owned() };
        tokio::time::timeout(self.begin_timeout, work).await.map_err(late)?
    }

    /// Sends a frame by POST, with the headers that repeat parts of it, and returns the response.
    pub(super) async fn post(&self, out: &Outbound) -> std::result::Result<Sent, Unsent> {
        let mut headers = self.posting.clone();
        out.describe(&mut headers, &self.tools).map_err(|why| {
            Unsent::Refused(Error::Target { message: format!("{} can't be sent: {why}", out.title()) })
        })?;
        let url = self.messages.get().unwrap_or(&self.url);
        let in_session = !out.is_handshake() && !out.is_modern();
        self.request(Method::POST, url, headers, Some(out.bytes.clone()), in_session).await
    }

    /// Makes one HTTP request with credentials, and repeats it while [`Authorize::challenged`] says so. With
    /// `in_session`, the request has the headers of the session.
    pub(super) async fn request(
        &self,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        body: Option<bytes::Bytes>,
        in_session: bool,
    ) -> std::result::Result<Sent, Unsent> {
        let Some(authorize) = &self.authorize else {
            return self.exchange(method, url, headers, body, in_session).await;
        };
        for attempt in 0..=MOST_CHALLENGES {
            let request = Outgoing { server: &self.url, url, method: &method };
            let proof = authorize.headers(request).await.map_err(Unsent::Refused)?;
            let mut headers = headers.clone();
            for (name, value) in &proof {
                headers.insert(name, value.clone());
            }
            let sent = self.exchange(method.clone(), url, headers, body.clone(), in_session).await?;
            let status = sent.response.status();
            if !matches!(status.as_u16(), 401 | 403) {
                return Ok(sent);
            }
            let headers = sent.response.headers();
            let refused = Refused { server: &self.url, status, headers, sent: &proof, attempt };
            authorize.challenged(refused).await.map_err(Unsent::Refused)?;
        }
        let message = format!(
            "expected access with one of {MOST_CHALLENGES} other credentials, but the server refused each"
        );
        Err(Unsent::Refused(Error::Http { status: 401, message, challenge: None }))
    }

    /// Makes one HTTP request with these headers, and adds no credentials. With `in_session`, adds the
    /// headers of the session.
    async fn exchange(
        &self,
        method: Method,
        url: &Url,
        mut headers: HeaderMap,
        body: Option<bytes::Bytes>,
        in_session: bool,
    ) -> std::result::Result<Sent, Unsent> {
        let generation = {
            let session = self.session();
            if in_session {
                session.describe(&mut headers);
            }
            session.generation
        };
        let mut request = self.client.request(method, url.clone()).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let response = request.send().await.map_err(|error| Unsent::new(&self.url, &error))?;
        Ok(Sent { response, generation })
    }

    /// Passes a message or an event to the client's connection task.
    pub(super) async fn tell(&self, arrived: Arrived) {
        // Fails only if the client was dropped.
        let _ = self.arrived.send(arrived).await;
    }

    pub(super) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Deletes the session at the server. This is a courtesy: the server would drop the session anyway.
    pub(crate) async fn end(&self) {
        if self.session().has_id() {
            let deleted = self.request(Method::DELETE, &self.url, self.headers.clone(), None, true);
            let _ = tokio::time::timeout(FAREWELL, deleted).await;
        }
    }
}

/// Time limit for the deletion of a session. 1 s: nothing depends on its success.
const FAREWELL: Duration = Duration::from_secs(1);

/// The failure of an HTTP request that has no response.
pub(super) enum Unsent {
    /// The request did not reach the server, or authorization failed.
    Refused(Error),
    /// The request may have reached the server. The text says how the connection failed.
    Unknown(String),
}

impl Unsent {
    fn new(url: &Url, error: &reqwest::Error) -> Self {
        let why = explain(error);
        if error.is_connect() || error.is_builder() {
            let origin = url.origin().ascii_serialization();
            return Self::Refused(Error::Unreachable { origin, why });
        }
        Self::Unknown(why)
    }
}

/// Returns the innermost source of an error. It is the useful one: the outer ones repeat the URL.
pub(super) fn explain(error: &reqwest::Error) -> String {
    let mut source: &dyn std::error::Error = error;
    while let Some(inner) = source.source() {
        source = inner;
    }
    let why = source.to_string();
    // The words of `rustls` about a first record that is none of TLS.
    if why.contains("InvalidContentType") {
        return "expected TLS (https), but found something else; the server may speak http".to_owned();
    }
    why
}

pub(super) fn no_session() -> Error {
    Error::Closed { why: "the server lost the session, and refused a new one".to_owned() }
}
