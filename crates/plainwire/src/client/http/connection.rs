//! A connection over HTTP. One future sends each frame, and retries it if the frame does not get through.
//!
//! A request that may have arrived is sent again only if that does no harm. Otherwise it ends with
//! [`Error::OutcomeUnknown`]. If several requests find that the server has lost the session, only one of them
//! begins a new one.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use plainwire_proto::peer::Limits;
use reqwest::{Client, Response, Url};
use tokio::sync::{OwnedRwLockWriteGuard, RwLock, mpsc};

use super::remote::{Remote, client};
use super::response::{Cut, Position};
use super::session::{ID, Session};
use super::{Arrived, Authorize, Inbound, Outbound, Outgoing, Refused};
use crate::client::known_tools::KnownTools;
use crate::error::{Error, Result};

const LISTEN: &str = "subscriptions/listen";
const INITIALIZED: &str = "notifications/initialized";

/// The most attempts of one request with other credentials. 5: an [`Authorize`] gives up earlier, and with a
/// better reason.
const MOST_CHALLENGES: u32 = 5;

pub(super) const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
pub(super) const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The connection of one client to the server at a URL.
pub(crate) struct Connection {
    arrived: mpsc::Sender<Arrived>,
    authorize: Option<Arc<dyn Authorize>>,
    client: Client,
    /// Locked for writing while a session begins: nothing else is sent in that time.
    gate: Arc<RwLock<()>>,
    /// The headers of each request.
    pub(super) headers: HeaderMap,
    /// The limits of received frames.
    pub(super) limits: Limits,
    /// The URL for messages in HTTP+SSE.
    pub(super) messages: OnceLock<Url>,
    /// The headers of each POST.
    posting: HeaderMap,
    session: Mutex<Session>,
    tools: KnownTools,
    pub(super) url: Url,
}

/// A response, and the session of its request.
pub(super) struct Sent {
    pub(super) response: Response,
    /// The number of the session that the request belonged to.
    pub(super) generation: u64,
}

/// The attempts that were made for one frame.
#[derive(Default)]
struct Tried {
    is_renewed: bool,
    is_replayed: bool,
    /// The position in a subscription that was lost and is requested again.
    listening: Option<Position>,
}

impl Connection {
    /// Creates a connection. Sends nothing yet.
    ///
    /// # Errors
    /// [`Error::Target`] for an invalid URL or invalid headers.
    pub(crate) fn new(
        remote: &Remote,
        limits: Limits,
        tools: KnownTools,
        arrived: mpsc::Sender<Arrived>,
    ) -> Result<Self> {
        let url = remote.url()?;
        let headers = remote.headers()?;
        let mut posting = headers.clone();
        posting.insert(ACCEPT, BOTH);
        posting.insert(CONTENT_TYPE, JSON);
        Ok(Self {
            arrived,
            authorize: remote.authorize.clone(),
            client: client(&url)?,
            gate: Arc::default(),
            headers,
            limits,
            messages: OnceLock::new(),
            posting,
            session: Mutex::default(),
            tools,
            url,
        })
    }

    /// Blocks all other frames while `out` is sent, if `out` opens the session: servers accept nothing before
    /// it.
    pub(crate) fn opens(&self, out: &Outbound) -> Option<OwnedRwLockWriteGuard<()>> {
        let opens = out.method == INITIALIZED;
        opens.then(|| Arc::clone(&self.gate).try_write_owned().ok()).flatten()
    }

    /// Sends a frame and passes on the messages that arrive in response. Returns the last of them, which is
    /// the answer.
    pub(crate) async fn send(&self, out: Outbound) -> Option<Arrived> {
        if !out.is_handshake() && !out.is_modern() && out.method != INITIALIZED {
            drop(self.gate.read().await);
        }
        match (self.deliver(&out).await, out.id) {
            (Ok(answer), _) => answer.map(|it| Arrived::Message(Box::new(it))),
            (Err(error), Some(id)) => Some(Arrived::Failed { id, error }),
            (Err(error), None) => {
                tracing::warn!("`{}` was not delivered: {error}", out.method);
                None
            }
        }
    }

    /// Tries until there is an answer or no further attempt is possible. Returns the answer, unless it
    /// arrives on another stream.
    async fn deliver(&self, out: &Outbound) -> Result<Option<Inbound>> {
        let mut tried = Tried::default();
        if out.method == "logging/setLevel" {
            self.session().log_level = Some(out.bytes.clone());
        }
        loop {
            let sent = match self.post(out).await {
                Ok(sent) => sent,
                // The server may be restarting.
                Err(Unsent::Refused(Error::Unreachable { why, .. })) if tried.listening.is_some() => {
                    self.try_again(out, &mut tried, &why).await?;
                    continue;
                }
                Err(Unsent::Refused(error)) => return Err(error),
                Err(Unsent::Unknown(why)) => {
                    self.try_again(out, &mut tried, &why).await?;
                    continue;
                }
            };
            if let Some(position) = tried.listening.as_mut().filter(|_| sent.response.status().is_success()) {
                position.is_new = true;
                self.tell(Arrived::Renewed).await;
            }
            let generation = sent.generation;
            match self.take(out, sent).await {
                Ok(answer) => return Ok(answer),
                Err(Cut::Failed(error)) => return Err(error),
                Err(Cut::NoSession) if !tried.is_renewed && !out.is_handshake() => {
                    tried.is_renewed = true;
                    self.renew(generation).await?;
                }
                Err(Cut::NoSession) => return Err(no_session()),
                Err(Cut::Lost(why)) => self.try_again(out, &mut tried, &why).await?,
            }
        }
    }

    /// Decides whether a frame that may have arrived is sent once more. `Ok` means yes.
    ///
    /// # Errors
    /// If sending it again could do harm, or if it was sent again already.
    async fn try_again(&self, out: &Outbound, tried: &mut Tried, why: &str) -> Result<()> {
        if out.method == LISTEN {
            // Without a limit: the attempts end when the `Listen` is dropped.
            tracing::info!("a subscription is made again: {why}");
            tokio::time::sleep(tried.listening.get_or_insert_default().wait()).await;
            return Ok(());
        }
        let is_replayed = std::mem::replace(&mut tried.is_replayed, true);
        // There is no connection yet, so nothing can have taken place.
        if is_replayed && out.is_handshake() {
            return Err(Error::Closed { why: why.to_owned() });
        }
        if is_replayed || !out.is_replayable(&self.tools) {
            return Err(Error::OutcomeUnknown { what: out.title(), why: why.to_owned() });
        }
        tracing::info!("{} is sent again: {why}", out.title());
        Ok(())
    }

    pub(super) async fn post(&self, out: &Outbound) -> std::result::Result<Sent, Unsent> {
        let mut headers = self.posting.clone();
        out.describe(&mut headers, &self.tools).map_err(|why| {
            Unsent::Refused(Error::Target { message: format!("{} can't be sent: {why}", out.title()) })
        })?;
        let url = self.messages.get().unwrap_or(&self.url);
        let in_session = !out.is_handshake() && !out.is_modern();
        self.request(Method::POST, url, headers, Some(out.bytes.clone()), in_session).await
    }

    /// Makes one HTTP request with credentials, and repeats it while [`Authorize::challenged`] says so.
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
        let message =
            format!("expected to be let in with {MOST_CHALLENGES} other proofs, but found that we are not");
        Err(Unsent::Refused(Error::Http { status: 401, message }))
    }

    /// Makes one HTTP request, without credentials of [`Authorize`].
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

    pub(super) async fn tell(&self, arrived: Arrived) {
        // Fails only if the client was dropped.
        let _ = self.arrived.send(arrived).await;
    }

    pub(super) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a new session, unless another request has begun one since `generation`.
    pub(super) async fn renew(&self, generation: u64) -> Result<()> {
        let _alone = self.gate.write().await;
        let before = self.session().clone();
        let (true, Some(initialize)) = (before.generation == generation, before.initialize) else {
            return Ok(());
        };
        let initialize = Outbound::read(initialize.into(), None);
        let refused = |unsent| match unsent {
            Unsent::Refused(error) => error,
            Unsent::Unknown(why) => Error::Closed { why },
        };
        let Sent { response, .. } = self.post(&initialize).await.map_err(refused)?;
        let id = response.headers().get(ID).cloned();
        let answer = self.read_alone(&initialize, response).await?;
        if !self.session().begin(id, &answer.text) {
            let why =
                "the session ended, and the server offered another revision for the next one".to_owned();
            return Err(Error::Closed { why });
        }
        let initialized = format!(r#"{{"jsonrpc":"2.0","method":"{INITIALIZED}"}}"#);
        let mut again = vec![Outbound::read(initialized.into(), None)];
        again.extend(before.log_level.map(|frame| Outbound::read(frame.into(), None)));
        for frame in again {
            let Sent { response, .. } = self.post(&frame).await.map_err(refused)?;
            drop(response.bytes().await);
        }
        self.tell(Arrived::Renewed).await;
        Ok(())
    }

    /// Deletes the session at the server. This is a courtesy: the server would drop the session by itself.
    pub(crate) async fn end(&self) {
        if self.session().has_id() {
            let deleted = self.request(Method::DELETE, &self.url, self.headers.clone(), None, true);
            let _ = tokio::time::timeout(FAREWELL, deleted).await;
        }
    }
}

/// Time limit for the deletion of a session. 1 s: nothing depends on its success.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(1);

/// The failure of an HTTP request that has no response.
pub(super) enum Unsent {
    /// The request was not sent, or authorization failed.
    Refused(Error),
    /// The request may have arrived.
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
    source.to_string()
}

pub(super) fn no_session() -> Error {
    Error::Closed { why: "the server has lost the session, and refused the next one too".to_owned() }
}
