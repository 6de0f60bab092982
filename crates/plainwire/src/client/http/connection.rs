//! A connection over HTTP: each frame is sent by a future, with what is tried when it does not get through.
//!
//! A request that may have arrived is sent again only if that does no harm; otherwise its outcome is unknown, and that is
//! what is said. A session that the server has lost is begun anew once for all who find out.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use plainwire_proto::peer::Limits;
use reqwest::{Client, Response, Url};
use tokio::sync::{OwnedRwLockWriteGuard, RwLock, mpsc};

use super::remote::{Remote, client};
use super::response::{Cut, Position};
use super::session::{ID, Session};
use super::tools::Tools;
use super::{Arrived, Authorize, Inbound, Outbound, Outgoing, Refused};
use crate::error::{Error, Result};

const LISTEN: &str = "subscriptions/listen";
const INITIALIZED: &str = "notifications/initialized";

/// How often one request is sent with another proof of who sends it. 5: who gives the proofs gives up earlier, and knows why.
const MOST_CHALLENGES: u32 = 5;

pub(super) const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
pub(super) const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A server at a URL, as one client talks to it.
pub(crate) struct Connection {
    arrived: mpsc::Sender<Arrived>,
    authorize: Option<Arc<dyn Authorize>>,
    client: Client,
    /// Held while a session begins: nothing else is sent then.
    gate: Arc<RwLock<()>>,
    /// What each request carries.
    pub(super) headers: HeaderMap,
    /// What a frame may have that comes.
    pub(super) limits: Limits,
    /// Where messages go in HTTP+SSE.
    pub(super) messages: OnceLock<Url>,
    /// What each frame that is sent carries.
    posting: HeaderMap,
    session: Mutex<Session>,
    pub(super) tools: Tools,
    pub(super) url: Url,
}

/// A response, and what its request was sent with.
pub(super) struct Sent {
    pub(super) response: Response,
    /// The session that it belonged to.
    pub(super) generation: u64,
}

/// What was tried for one frame.
#[derive(Default)]
struct Tried {
    is_renewed: bool,
    is_replayed: bool,
    /// A subscription that was there, and is sought again.
    listening: Option<Position>,
}

impl Connection {
    /// Describes a connection; nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Target`] for a URL or headers that are none.
    pub(crate) fn new(remote: &Remote, limits: Limits, arrived: mpsc::Sender<Arrived>) -> Result<Self> {
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
            tools: Tools::default(),
            url,
        })
    }

    /// Keeps everything else back while `out` is sent, if it opens the session: servers take nothing before it.
    pub(crate) fn opens(&self, out: &Outbound) -> Option<OwnedRwLockWriteGuard<()>> {
        let opens = out.method == INITIALIZED;
        opens.then(|| Arc::clone(&self.gate).try_write_owned().ok()).flatten()
    }

    /// Sends a frame, and passes on what comes for it, up to the last of it, which is returned.
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

    /// Tries until there is an answer, or nothing left to try. Returns the answer, if it comes here.
    async fn deliver(&self, out: &Outbound) -> Result<Option<Inbound>> {
        let mut tried = Tried::default();
        if out.method == "logging/setLevel" {
            self.session().log_level = Some(out.bytes.clone());
        }
        loop {
            let sent = match self.post(out).await {
                Ok(sent) => sent,
                // A server that is about to come back.
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

    /// Decides whether a frame that may have arrived is sent once more.
    ///
    /// # Errors
    /// If that could do harm, or has been tried.
    async fn try_again(&self, out: &Outbound, tried: &mut Tried, why: &str) -> Result<()> {
        if out.method == LISTEN {
            // For as long as somebody listens.
            tracing::info!("a subscription is made again: {why}");
            tokio::time::sleep(tried.listening.get_or_insert_default().wait()).await;
            return Ok(());
        }
        let is_replayed = std::mem::replace(&mut tried.is_replayed, true);
        // There is no connection yet, and nothing that could have taken place.
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

    /// Makes one request of HTTP, with whatever proves who sends it.
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

    /// Makes one request of HTTP, as it is.
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
        // Nobody listens any more when the client is gone.
        let _ = self.arrived.send(arrived).await;
    }

    pub(super) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the session anew, unless somebody has since `generation`.
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
            let why = "the session ended, and the next one speaks another revision".to_owned();
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

    /// Ends the session, as a courtesy: the server would find out by itself.
    pub(crate) async fn end(&self) {
        if self.session().has_id() {
            let deleted = self.request(Method::DELETE, &self.url, self.headers.clone(), None, true);
            let _ = tokio::time::timeout(FAREWELL, deleted).await;
        }
    }
}

/// How long the end of a session may take. 1 s: nobody waits for a courtesy.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(1);

/// A request of HTTP that has no response.
pub(super) enum Unsent {
    /// It never left, or was not let in.
    Refused(Error),
    /// It may have arrived.
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

/// The innermost reason, which is the one that helps; the outer ones repeat the URL.
pub(super) fn explain(error: &reqwest::Error) -> String {
    let mut source: &dyn std::error::Error = error;
    while let Some(inner) = source.source() {
        source = inner;
    }
    source.to_string()
}

pub(super) fn no_session() -> Error {
    Error::Closed { why: "the server has ended the session, and the next one at once".to_owned() }
}
