//! One HTTP request of a client: sent to the server, and its response sent back.
//!
//! Messages are passed on as they were written, except for what a restart needs: the capabilities gain `listChanged`,
//! and a session keeps the id that its client knows.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{self, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use plainwire::proto::sse::{Event, Events, Fields, Piece, write_comment, write_event};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

use super::asked::{Asked, each};
use super::front::{Front, Open, Outgoing, Unanswered, whole};
use super::session::Session;
use super::standing;
use crate::dev::{MAX_FRAME, changes};
use crate::output;

/// The header with the id of a session.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// The header with the revision of the protocol.
pub(super) const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The header with the event after which a stream goes on.
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The headers that are not passed on, since they concern one connection only. `content-length` is counted again;
/// without `accept-encoding`, the server sends no compressed body, which could not be read here.
const OF_CONNECTION: [HeaderName; 9] = [
    header::ACCEPT_ENCODING,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The time without an event after which a stream carries a comment, so that its client knows that it is open.
pub(super) const ALIVE: Duration = Duration::from_secs(15);

/// The time in which the end of a server is noticed after a connection to it has ended.
const NOTICE: Duration = Duration::from_millis(200);

/// A request of a client.
pub(super) struct Sent {
    body: Bytes,
    pub(super) headers: HeaderMap,
    /// The message or batch in the body; null without one.
    pub(super) message: Value,
    method: Method,
    path: String,
}

/// Answers a request of a client with the response of the server.
pub(super) async fn forward(front: Arc<Front>, request: Request<Incoming>) -> Response<Outgoing> {
    let sent = match received(request).await {
        Ok(sent) => sent,
        Err(refused) => return refused,
    };
    let is_listen = sent.message["method"] == "subscriptions/listen";
    let is_stream = sent.method == Method::GET;
    let mut asked = Asked::of(&sent.message);
    let mut is_first = true;
    let (mut response, generation, is_standing, open) = loop {
        // A server that finishes its calls and takes no connection is gone.
        let is_for_old = std::mem::take(&mut is_first) && is_of_call(&sent.message);
        let up = match front.finishing().filter(|_| is_for_old) {
            Some(generation) => Some(generation),
            None => front.until_up_soon().await,
        };
        let Some(generation) = up else {
            let why = front.why();
            let why = if why.is_empty() { "it was not started in time" } else { &why };
            let text = format!("the server is not running: {why}; `plainwire dev` shows more\n");
            return whole(StatusCode::SERVICE_UNAVAILABLE, text);
        };
        let is_standing = is_listen || (is_stream && front.session(&sent.headers).is_some());
        // Nothing is awaited since the server was there: a restart waits for this request.
        let open = (!is_stream && !is_standing).then(|| front.opened());
        match send(&front, &sent, generation).await {
            Ok(response) => break (response, generation, is_standing, open),
            Err(Unanswered::NotSent(why)) => {
                drop(open);
                // A server that has just ended is not noticed yet. The next one gets the request.
                if !is_replaced(&front, generation).await {
                    return lost(asked, &sent, &why);
                }
            }
            Err(Unanswered::Lost(why)) => return lost(asked, &sent, &why),
        }
    };
    let mut headers = without(response.headers(), &OF_CONNECTION);
    if let (Some(id), true) = (sent.headers.get(SESSION), headers.contains_key(SESSION)) {
        headers.insert(SESSION, id.clone());
    }
    let status = response.status();
    let is_deleted = sent.method == Method::DELETE && status.is_success();
    if let Some(session) = front.session(&sent.headers) {
        let mut session = session.lock().await;
        // A server answers 404 to a session that it has ended, but also to another path, and to a stranger.
        let is_ended = status == StatusCode::NOT_FOUND && session.is_of(&sent.path, &sent.headers);
        if is_deleted || is_ended {
            front.forget(&session);
        } else if status.is_success() {
            session.renew(&sent.headers);
        }
    }
    let answered = if is_events(&response) && sent.message["method"] != "initialize" {
        let body = if is_standing {
            Outgoing::stream(|pieces| standing::keep(front, sent, response, generation, pieces))
        } else {
            let session = front.session(&sent.headers);
            Outgoing::stream(|pieces| {
                pass_answers(front, asked, session, (response, generation), pieces, open)
            })
        };
        let mut answered = Response::new(body);
        *answered.status_mut() = status;
        answered
    } else if sent.message["method"] == "initialize" && status.is_success() && status != StatusCode::ACCEPTED
    {
        // Over HTTP+SSE, the status is 202, and the answer comes on the stream.
        let id = sent.message["id"].to_string();
        let Some(answer) = answer(&mut response, Some(&id), MAX_FRAME).await else {
            return lost(asked, &sent, "the response has no answer");
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let text = answer.to_string();
        let session = Session::opened(
            &sent.message,
            (&sent.path, &sent.headers),
            &answer,
            response.headers(),
            generation,
        );
        let is_remembered = session.is_some_and(|session| front.remember(session));
        if !is_remembered && response.headers().contains_key(SESSION) {
            output::note("too many or too large sessions: this one ends with the server");
        }
        whole(status, asked.answered(&text).unwrap_or(text))
    } else {
        let Ok(body) = read(&mut response, MAX_FRAME).await else {
            return lost(
                asked,
                &sent,
                &format!("the response broke off, or has more than {MAX_FRAME} bytes"),
            );
        };
        let changed = std::str::from_utf8(&body).ok().and_then(|text| asked.answered(text));
        if !status.is_success() {
            asked.refused(status.as_str());
        }
        if let Some(session) = front.session(&sent.headers) {
            session.lock().await.refused(&asked.failed);
        }
        whole(status, changed.map_or(body, Bytes::from))
    };
    let (mut head, body) = answered.into_parts();
    head.headers = headers;
    Response::from_parts(head, body)
}

/// Returns whether a message belongs to a call that runs: it answers a question of the server, or cancels the call.
fn is_of_call(message: &Value) -> bool {
    let is_one = |it: &Value| match it["method"].as_str() {
        Some(method) => method == "notifications/cancelled",
        None => it.get("id").is_some(),
    };
    each(message).all(is_one)
}

/// Reads a request.
async fn received(request: Request<Incoming>) -> Result<Sent, Response<Outgoing>> {
    let (head, body) = request.into_parts();
    let body = match Limited::new(body, MAX_FRAME).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            let text = format!("expected at most {MAX_FRAME} bytes\n");
            return Err(whole(StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        Err(_) => return Err(whole(StatusCode::BAD_REQUEST, "the body broke off\n")),
    };
    let path = head.uri.path_and_query().map_or("/", |it| it.as_str()).to_owned();
    let message = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Sent { body, headers: head.headers, message, method: head.method, path })
}

/// Sends a request to the server of this generation, in the session that this server knows.
pub(super) async fn send(
    front: &Front,
    sent: &Sent,
    generation: u64,
) -> Result<Response<Incoming>, Unanswered> {
    let mut headers = sent.headers.clone();
    // The events of another server say nothing to this one.
    let event = headers.remove(LAST_EVENT).and_then(|it| own_event(it.to_str().ok()?, generation));
    headers.extend(event.map(|event| (LAST_EVENT, event)));
    if let Some(session) = front.session(&headers) {
        let mut session = session.lock().await;
        let upstream = session.at(generation, front, &headers).await?;
        for message in each(&sent.message) {
            if !session.note(message) {
                output::note(changes::NOT_REMEMBERED);
            }
        }
        headers.insert(SESSION, upstream);
    }
    front.ask(to_server(front, sent.method.clone(), &sent.path, &headers, sent.body.clone())?).await
}

/// Returns the server's own id of an event that the server of this generation has sent; `None` for an event of another
/// server. [`write_again`] writes the ids.
fn own_event(id: &str, generation: u64) -> Option<HeaderValue> {
    let (of, id) = id.split_once('.')?;
    (of == generation.to_string()).then(|| HeaderValue::from_str(id).ok())?
}

/// Creates a request to the server.
pub(super) fn to_server(
    front: &Front,
    method: Method,
    path: &str,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, String> {
    let authority = front.url().authority().map_or("", |it| it.as_str());
    let uri = Uri::builder().scheme("http").authority(authority).path_and_query(path).build();
    let mut request = Request::new(Full::new(body));
    *request.uri_mut() = uri.map_err(|error| error.to_string())?;
    *request.method_mut() = method;
    *request.headers_mut() = without(headers, &OF_CONNECTION);
    Ok(request)
}

fn without(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    let mut headers = headers.clone();
    names.iter().for_each(|name| drop(headers.remove(name)));
    headers
}

/// Answers requests whose server is gone.
fn lost(mut asked: Asked, sent: &Sent, why: &str) -> Response<Outgoing> {
    let mut answers = asked.lost(why);
    let body = match (answers.len(), sent.message.is_array()) {
        (0, _) => {
            output::note(why);
            return whole(StatusCode::BAD_GATEWAY, format!("{why}\n"));
        }
        (_, false) => answers.remove(0),
        (_, true) => format!("[{}]", answers.join(",")),
    };
    let mut response = whole(StatusCode::OK, body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns whether a response is a stream of events.
pub(super) fn is_events(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    response.status().is_success() && kind.to_ascii_lowercase().starts_with("text/event-stream")
}

/// Returns the next bytes of a body; `None` at its end. Cancel safe.
async fn chunk(response: &mut Response<Incoming>) -> Result<Option<Bytes>, hyper::Error> {
    while let Some(frame) = response.body_mut().frame().await {
        if let Ok(data) = frame?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// Reads a body of at most `most` bytes.
async fn read(response: &mut Response<Incoming>, most: usize) -> Result<Bytes, ()> {
    let mut body = Vec::new();
    while let Some(chunk) = chunk(response).await.map_err(drop)? {
        if body.len() + chunk.len() > most {
            return Err(());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.into())
}

/// Reads the answer with this id, as JSON, from a response of at most `most` bytes.
pub(super) async fn answer(
    response: &mut Response<Incoming>,
    id: Option<&str>,
    most: usize,
) -> Option<Value> {
    if !is_events(response) {
        return serde_json::from_slice(&read(response, most).await.ok()?).ok();
    }
    let id = id?;
    let answers = |message: &Value| {
        message.get("method").is_none() && message.get("id").map(Value::to_string).as_deref() == Some(id)
    };
    let mut events = Events::new(most);
    while let Some(chunk) = chunk(response).await.ok()? {
        events.push(&chunk);
        while let Some(piece) = events.next_piece() {
            let Piece::Event(Event { data: Some(data), .. }) = piece else { continue };
            let message: Value = serde_json::from_str(&data).unwrap_or_default();
            if answers(&message) {
                return Some(message);
            }
        }
    }
    None
}

/// Passes the events of a response on until it ends; `write` writes each. Returns whether the client still reads.
pub(super) async fn pass(
    response: &mut Response<Incoming>,
    pieces: &mpsc::Sender<Bytes>,
    mut write: impl FnMut(Event, &mut Vec<u8>),
) -> bool {
    let mut events = Events::new(MAX_FRAME);
    loop {
        let mut out = Vec::new();
        match timeout(ALIVE, chunk(response)).await {
            Ok(Ok(Some(chunk))) => events.push(&chunk),
            Ok(Ok(None) | Err(_)) => return true,
            Err(_) => write_comment(&mut out, ""),
        }
        while let Some(piece) = events.next_piece() {
            match piece {
                Piece::Event(event) => write(event, &mut out),
                Piece::TooLong => {
                    output::note(&format!("an event of more than {MAX_FRAME} bytes is left out"))
                }
            }
        }
        if !out.is_empty() && pieces.send(out.into()).await.is_err() {
            return false;
        }
    }
}

/// Writes an event of the server of this generation as it was, perhaps with other data. Its id gets the generation in
/// front, since the next server may have the same ids.
pub(super) fn write_again(event: &Event, generation: u64, data: Option<&str>, out: &mut Vec<u8>) {
    let data = data.or(event.data.as_deref());
    // An empty id means that there is no event to resume after.
    let id =
        event.id.as_ref().map(|id| if id.is_empty() { String::new() } else { format!("{generation}.{id}") });
    write_event(out, Fields { id: id.as_deref(), event: event.event.as_deref(), retry: event.retry, data });
}

/// Writes a message as an event without an id.
pub(super) fn write_message(message: &str, out: &mut Vec<u8>) {
    write_event(out, Fields { data: Some(message), ..Fields::default() });
}

/// Passes on the events of a response to requests.
async fn pass_answers(
    front: Arc<Front>,
    mut asked: Asked,
    session: Option<Arc<Mutex<Session>>>,
    (mut response, generation): (Response<Incoming>, u64),
    pieces: mpsc::Sender<Bytes>,
    open: Option<Open>,
) {
    let write = |event: Event, out: &mut Vec<u8>| {
        let changed = event.data.as_deref().and_then(|data| asked.answered(data));
        write_again(&event, generation, changed.as_deref(), out);
    };
    let is_reading = pass(&mut response, &pieces, write).await;
    drop(open);
    if let Some(session) = session {
        session.lock().await.refused(&asked.failed);
    }
    // A server may end a response before its answer, for the client to come back. One that is gone can't answer.
    if is_reading && is_replaced(&front, generation).await {
        let mut out = Vec::new();
        asked
            .lost("the server ended, or was restarted")
            .iter()
            .for_each(|answer| write_message(answer, &mut out));
        let _ = pieces.send(out.into()).await;
    }
}

/// Returns whether the server of this generation, one of whose connections has just ended, is gone.
pub(super) async fn is_replaced(front: &Front, generation: u64) -> bool {
    timeout(NOTICE, front.until_replaced(generation)).await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_goes_on_after_an_event_of_the_same_server_only() {
        let mut out = Vec::new();
        let event = Event { id: Some("a.7".to_owned()), data: Some("{}".to_owned()), ..Event::default() };
        write_again(&event, 2, None, &mut out);
        let text = String::from_utf8(out).expect("UTF-8");
        let id = text.lines().find_map(|line| line.strip_prefix("id:")).expect("an id").trim();
        assert_eq!(own_event(id, 2).expect("its own event"), "a.7");
        assert_eq!((own_event(id, 3), own_event("a", 2), own_event("7", 7)), (None, None, None));
    }
}
