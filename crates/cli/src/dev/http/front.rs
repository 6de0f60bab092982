//! The address that clients connect to, and the state of the server behind it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{HOST, HeaderValue};
use hyper::http::uri::Authority;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, StatusCode, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::forward;
use super::session::Session;

/// The maximal number of connections of clients at a time.
const MAX_CONNECTIONS: usize = 256;

/// The maximal number of sessions that are opened again after a restart.
const MAX_SESSIONS: usize = 256;

/// The time for which a request waits for a server.
const WAIT: Duration = Duration::from_secs(60);

/// The time for which a request waits if no server is being started: a file may have changed just now.
const NOTICED: Duration = Duration::from_secs(2);

/// The work of a connection, or of a body whose pieces it makes.
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The body of a response: whole, or as its pieces come. Dropping it stops the work that makes them.
pub(super) enum Outgoing {
    Stream { pieces: mpsc::Receiver<Bytes>, work: Option<Work> },
    Whole(Full<Bytes>),
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Stream { pieces, work } => {
                if work.as_mut().is_some_and(|work| work.as_mut().poll(cx).is_ready()) {
                    *work = None;
                }
                pieces.poll_recv(cx).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
            }
            Self::Whole(body) => Pin::new(body).poll_frame(cx),
        }
    }
}

impl Outgoing {
    /// Returns a body whose pieces `work` sends. One piece waits until the client reads it.
    pub(super) fn stream<F: Future<Output = ()> + Send + 'static>(
        work: impl FnOnce(mpsc::Sender<Bytes>) -> F,
    ) -> Self {
        let (sender, pieces) = mpsc::channel(1);
        Self::Stream { pieces, work: Some(Box::pin(work(sender))) }
    }
}

/// Returns a whole response.
pub(super) fn whole(status: StatusCode, body: impl Into<Bytes>) -> Response<Outgoing> {
    let mut response = Response::new(Outgoing::Whole(Full::new(body.into())));
    *response.status_mut() = status;
    response
}

/// The server behind the address.
#[derive(Clone, Copy, Debug)]
struct Upstream {
    /// The number of the server; 0 before the first one.
    generation: u64,
    state: State,
}

/// The state of the server behind the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is built or started, and requests wait for it.
    Coming,
    /// It is about to be replaced, and finishes the calls that it has. Other requests wait for the next one.
    Finishing,
    /// No server runs, and none is being started.
    Stopped,
    /// It accepts connections.
    Up,
}

impl State {
    /// Returns whether the next server is on its way.
    fn is_coming(self) -> bool {
        matches!(self, Self::Coming | Self::Finishing)
    }
}

/// A request that the server has not answered, with the reason.
pub(super) enum Unanswered {
    Lost(String),
    /// The server accepted no connection, so it has not seen the request.
    NotSent(String),
}

impl From<String> for Unanswered {
    fn from(why: String) -> Self {
        Self::Lost(why)
    }
}

impl From<&str> for Unanswered {
    fn from(why: &str) -> Self {
        Self::Lost(why.to_owned())
    }
}

impl Unanswered {
    pub(super) fn why(self) -> String {
        match self {
            Self::Lost(why) | Self::NotSent(why) => why,
        }
    }
}

/// Returns the innermost cause of an error: those around it name only parts of a library.
fn cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), cause)
}

/// The state that all requests share.
pub(super) struct Front {
    client: Client<HttpConnector, Full<Bytes>>,
    /// The number of requests that the server has not answered, without streams that stay open.
    open: watch::Sender<usize>,
    sessions: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Session>>>>,
    upstream: watch::Sender<Upstream>,
    url: Uri,
    /// The reason why no server runs, as in `its build failed`.
    why: Mutex<String>,
}

impl Front {
    pub(super) fn new(url: Uri) -> Self {
        Self {
            client: Client::builder(TokioExecutor::new()).build_http(),
            open: watch::Sender::new(0),
            sessions: Mutex::default(),
            upstream: watch::Sender::new(Upstream { generation: 0, state: State::Coming }),
            url,
            why: Mutex::default(),
        }
    }

    /// Sends a request to the server.
    pub(super) async fn ask(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Unanswered> {
        self.client.request(request).await.map_err(|error| match error.is_connect() {
            true => Unanswered::NotSent(format!("the server can't be reached: {}", cause(&error))),
            false => Unanswered::Lost(format!("the server closed the connection: {}", cause(&error))),
        })
    }

    /// Returns the URL of the server.
    pub(super) fn url(&self) -> &Uri {
        &self.url
    }

    /// Makes requests wait. Streams that stay open end at the server, but not at their clients.
    pub(super) fn pause(&self) {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.upstream.send_modify(|it| it.state = State::Coming);
    }

    /// Makes requests wait, except for what belongs to the calls that the server still has.
    pub(super) fn finish(&self) {
        self.upstream.send_modify(|it| it.state = State::Finishing);
    }

    /// Returns the number of the server if it finishes its calls.
    pub(super) fn finishing(&self) -> Option<u64> {
        let upstream = *self.upstream.borrow();
        (upstream.state == State::Finishing).then_some(upstream.generation)
    }

    /// Answers requests with an error until [`Self::pause`]: no server runs, for the reason `why`, and none is being
    /// started.
    pub(super) fn stop(&self, why: impl Into<String>) {
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = why.into();
        self.upstream.send_modify(|it| it.state = State::Stopped);
    }

    /// Returns the reason of the last [`Self::stop`].
    pub(super) fn why(&self) -> String {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets requests through to the next server. Returns its number.
    pub(super) fn resume(&self) -> u64 {
        self.upstream.send_modify(|it| *it = Upstream { generation: it.generation + 1, state: State::Up });
        self.upstream.borrow().generation
    }

    /// Waits until no request is open.
    pub(super) async fn idle(&self) {
        let _ = self.open.subscribe().wait_for(|open| *open == 0).await;
    }

    /// Waits until a server accepts connections. Returns its number.
    pub(super) async fn until_up(&self) -> u64 {
        let mut upstream = self.upstream.subscribe();
        let up = upstream.wait_for(|it| it.state == State::Up).await;
        up.map_or(0, |it| it.generation)
    }

    /// Waits for a server that is being started, but not for ever. Returns its number.
    pub(super) async fn until_up_soon(&self) -> Option<u64> {
        let mut upstream = self.upstream.subscribe();
        let until_up = async {
            loop {
                let found = *upstream.wait_for(|it| !it.state.is_coming()).await.ok()?;
                if found.state == State::Up {
                    return Some(found.generation);
                }
                timeout(NOTICED, upstream.wait_for(|it| it.state != State::Stopped)).await.ok()?.ok()?;
            }
        };
        timeout(WAIT, until_up).await.ok()?
    }

    /// Waits until the server of this generation is replaced or paused.
    pub(super) async fn until_replaced(&self, generation: u64) {
        let is_replaced = |it: &Upstream| it.state != State::Up || it.generation != generation;
        let _ = self.upstream.subscribe().wait_for(is_replaced).await;
    }

    /// Counts a request as open until the result is dropped.
    pub(super) fn opened(self: &Arc<Self>) -> Open {
        self.open.send_modify(|open| *open += 1);
        Open(Arc::clone(self))
    }

    /// Returns the session that a client names.
    pub(super) fn session(&self, headers: &HeaderMap) -> Option<Arc<tokio::sync::Mutex<Session>>> {
        let id = headers.get(forward::SESSION)?.to_str().ok()?;
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Remembers a session, to open it again after a restart. Returns whether there was room for it: at most
    /// [`MAX_SESSIONS`] sessions are remembered.
    pub(super) fn remember(&self, session: Session) -> bool {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() >= MAX_SESSIONS {
            return false;
        }
        sessions.insert(session.id.clone(), Arc::new(tokio::sync::Mutex::new(session)));
        true
    }

    /// Forgets the session that a client names, which has ended.
    pub(super) fn forget(&self, session: &Session) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&session.id);
    }
}

/// An open request.
pub(super) struct Open(Arc<Front>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.send_modify(|open| *open -= 1);
    }
}

/// Accepts connections and serves them, for ever.
pub(super) async fn serve(listener: TcpListener, front: Arc<Front>) {
    let mut connections: Vec<Work> = Vec::new();
    loop {
        let mut accepting = pin!(accept(&listener));
        let stream = poll_fn(|cx| {
            connections.retain_mut(|connection| connection.as_mut().poll(cx).is_pending());
            if connections.len() < MAX_CONNECTIONS { accepting.as_mut().poll(cx) } else { Poll::Pending }
        });
        let stream = stream.await;
        connections.push(Box::pin(serve_one(stream, Arc::clone(&front))));
    }
}

/// Waits for the next connection.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            // Such as too many open files: the next attempt may succeed.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn serve_one(stream: TcpStream, front: Arc<Front>) {
    let service = service_fn(|request| answer(Arc::clone(&front), request));
    let mut http = hyper::server::conn::http1::Builder::new();
    let _ = http.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(front: Arc<Front>, request: Request<Incoming>) -> Result<Response<Outgoing>, Infallible> {
    if !request.headers().get(HOST).is_some_and(is_local) {
        // A web page whose name was bound to this machine's address could call the server otherwise. The server can't
        // see that: it gets its own address as the host.
        return Ok(whole(StatusCode::FORBIDDEN, "expected the name of this machine in the header host\n"));
    }
    Ok(forward::forward(front, request).await)
}

/// Returns whether a `host` header names this machine: `localhost` or a loopback address, with any port.
fn is_local(host: &HeaderValue) -> bool {
    let authority = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
    authority.is_some_and(|authority| match authority.host().trim_matches(['[', ']']) {
        "localhost" => true,
        host => host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_local() {
        let is_local = |host| is_local(&HeaderValue::from_static(host));
        for host in ["localhost", "localhost:8000", "127.0.0.1:1", "127.1.2.3", "[::1]:8000"] {
            assert!(is_local(host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:8000", "10.0.0.1", "user@evil.example", ""] {
            assert!(!is_local(host), "{host}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_60_s_for_a_server() {
        let front = Front::new("http://127.0.0.1:1".parse().expect("a URL"));
        let began = tokio::time::Instant::now();
        assert_eq!((front.until_up_soon().await, began.elapsed().as_secs()), (None, 60));
        let resume = async {
            sleep(Duration::from_secs(59)).await;
            front.resume()
        };
        assert_eq!(tokio::join!(front.until_up_soon(), resume), (Some(1), 1));
        front.stop("it ended");
        let began = tokio::time::Instant::now();
        assert_eq!((front.until_up_soon().await, began.elapsed().as_secs()), (None, 2), "none is coming");
        let pause = async {
            sleep(Duration::from_secs(1)).await;
            front.pause();
            sleep(Duration::from_secs(30)).await;
            front.resume()
        };
        assert_eq!(tokio::join!(front.until_up_soon(), pause), (Some(2), 2), "one is being started");
    }

    #[test]
    fn of_sessions_256_are_remembered() {
        let front = Front::new("http://127.0.0.1:1/mcp".parse().expect("a URL"));
        let remember = |n: usize| front.remember(Session::for_test(&n.to_string()));
        assert!((0..256).all(remember) && !remember(256));
    }
}
