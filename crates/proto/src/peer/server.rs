//! The server's side of a connection: the legacy session, modern requests, and the reading of requests by
//! method.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::inbound::{Answer, Open};
use super::{Event, Now, Peer, Request, RequestMeta, Role, Route, ServerConfig, logging, subscriptions};
use crate::codec::Encoder;
use crate::cursor::List;
use crate::envelope::{Id, Params};
use crate::error::{Error, ErrorKind};
use crate::json::{Span, shorten, write};
use crate::model::{Capabilities, Implementation, LogLevel};
use crate::revision::{Era, Feature, Revision};

/// The legacy session of a connection. Modern requests do not change it.
///
/// States: no revision (before `initialize`), then one revision that never changes, then also `initialized`.
/// The messages `initialize` and `notifications/initialized` change the state.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) client: Option<Arc<Client>>,
    pub(super) config: Arc<ServerConfig>,
    /// Number of changes so far to the data that [`Peer::save_session`] writes, without changes of
    /// subscriptions.
    pub(super) generation: u64,
    pub(super) initialized: bool,
    /// The level of log messages that the client set by `logging/setLevel`; before that, the default.
    pub(super) log_level: LogLevel,
    pub(super) revision: Option<Revision>,
}

/// The description of a client: its capabilities and implementation info.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// The capabilities that the client offers to the server.
    pub capabilities: Capabilities,
    /// The client's name and version; `None` if it sent none. For display only: no behaviour may depend on
    /// it.
    pub info: Option<Implementation>,
}

impl Client {
    /// Reads the client from `json`, the `_meta` of a modern request. Fields that are missing or malformed
    /// get their defaults.
    pub fn from_meta(json: &str) -> Self {
        #[derive(Deserialize)]
        struct Meta<'m> {
            #[serde(rename = "io.modelcontextprotocol/clientCapabilities", borrow)]
            capabilities: Option<&'m RawValue>,
            #[serde(rename = "io.modelcontextprotocol/clientInfo", borrow)]
            info: Option<&'m RawValue>,
        }
        let Ok(meta) = serde_json::from_str::<Meta<'_>>(json) else { return Self::default() };
        Self {
            capabilities: meta
                .capabilities
                .and_then(|it| serde_json::from_str(it.get()).ok())
                .unwrap_or_default(),
            info: meta.info.and_then(|it| serde_json::from_str(it.get()).ok()),
        }
    }
}

impl Session {
    pub(super) fn new(config: Arc<ServerConfig>) -> Self {
        Self {
            client: None,
            config,
            generation: 0,
            initialized: false,
            log_level: logging::DEFAULT,
            revision: None,
        }
    }

    pub(super) fn revision(&self) -> Option<Revision> {
        self.revision
    }

    pub(super) fn capabilities(&self) -> &Capabilities {
        &self.config.capabilities
    }

    /// Returns whether the client has sent `notifications/initialized`, which ends the handshake.
    pub(super) fn is_initialized(&self) -> bool {
        self.initialized
    }

    pub(super) fn log_level(&self) -> LogLevel {
        self.log_level
    }

    pub(super) fn set_log_level(&mut self, level: LogLevel) {
        self.log_level = level;
        self.generation += 1;
    }

    /// Returns the revision for errors about messages that name no revision: the session's. Without a session
    /// it is the newest revision if the server serves only modern ones, else `None`.
    pub(super) fn error_revision(&self) -> Option<Revision> {
        self.revision.or_else(|| self.config.newest_legacy().is_none().then_some(Revision::NEWEST))
    }

    pub(super) fn encoder(&self, revision: Revision) -> &Encoder {
        self.config.encoder(revision)
    }
}

impl Peer {
    /// Returns the client of the legacy session; `None` before `initialize` has come in.
    pub fn session_client(&self) -> Option<Arc<Client>> {
        match &self.role {
            Role::Server(session) => session.client.clone(),
            Role::Client(_) => None,
        }
    }

    pub(super) fn handle_initialized(&mut self) {
        match &mut self.role {
            Role::Server(session) if session.revision.is_some() => {
                session.initialized = true;
                session.generation += 1;
                self.events.push_back(Event::Initialized);
                self.session_hears_from_now_on();
            }
            _ => self.note("`notifications/initialized` before `initialize`"),
        }
    }

    pub(super) fn serve(
        &mut self,
        frame: &str,
        id: Id,
        method: Span,
        params: Params,
        answer: Answer,
        _now: Now,
    ) {
        let name = method.string(frame).unwrap_or_default();
        let modern = params.meta.protocol_version.is_some();
        if answer != Answer::Alone && !self.may_be_batched(&name, modern) {
            let text = format!("expected `{name}` in a frame of its own, but found it in a batch");
            let error = Error::new(ErrorKind::InvalidRequest, text);
            return self.send_error(answer, Route::Unsolicited, Some(&id), &error, self.error_revision());
        }
        if &*name == "initialize" && !modern {
            return self.serve_initialize(frame, &id, params, answer);
        }
        match self.classify(frame, &name, params) {
            Err(error) => {
                // Errors about modern requests have modern codes, whichever revision the session has.
                let revision = if modern { Some(Revision::NEWEST) } else { self.error_revision() };
                self.send_error(answer, Route::Unsolicited, Some(&id), &error, revision);
            }
            Ok(revision) => self.serve_method(frame, id, &name, params, answer, revision),
        }
    }

    /// Determines the revision in which a request is answered.
    fn classify(&self, frame: &str, method: &str, params: Params) -> Result<Revision, Error> {
        let Role::Server(session) = &self.role else {
            return Err(Error::new(ErrorKind::Internal, "this side is no server"));
        };
        let meta = params.meta;
        let invalid = |text| Err(Error::new(ErrorKind::InvalidParams, text));
        if let Some(version) = meta.protocol_version {
            let Some(version) = version.string(frame) else {
                let found = shorten(version.text(frame));
                return invalid(format!("expected `_meta.{VERSION}` to be a string, but found {found}"));
            };
            let capabilities = meta.client_capabilities.map_or("nothing", |span| span.text(frame));
            if !capabilities.starts_with('{') {
                let found = shorten(capabilities);
                return invalid(format!(
                    "expected `_meta.{CAPABILITIES}` to be an object, but found {found}"
                ));
            }
            if let Some(level) = meta.log_level {
                logging::read(logging::LOG_LEVEL, level.text(frame))?;
            }
            return match Revision::parse(&version) {
                Some(revision)
                    if revision.era() == Era::Modern && session.config.revisions.contains(&revision) =>
                {
                    Ok(revision)
                }
                _ => Err(Error::unsupported_version(&session.config.revisions, &version)),
            };
        }
        if let Some(revision) = session.revision {
            return Ok(revision);
        }
        let half_modern = meta.client_capabilities.is_some() || meta.client_info.is_some();
        let newest_legacy = session.config.newest_legacy();
        if half_modern
            || newest_legacy.is_none()
            || matches!(method, "server/discover" | "subscriptions/listen")
        {
            return invalid(format!("expected `_meta.{VERSION}` to be a string, but found nothing"));
        }
        match (method, newest_legacy) {
            ("ping", Some(revision)) => Ok(revision),
            _ => {
                let text = format!("expected `initialize` first, but found `{}`", shorten(method));
                Err(Error::new(ErrorKind::InvalidRequest, text))
            }
        }
    }

    fn serve_method(
        &mut self,
        frame: &str,
        id: Id,
        method: &str,
        params: Params,
        answer: Answer,
        revision: Revision,
    ) {
        let Role::Server(session) = &self.role else { return };
        let config = Arc::clone(&session.config);
        let encoder = config.encoder(revision);
        match method {
            "ping" if revision.has(Feature::Ping) => {
                self.answer_at_once(answer, &id, revision, |out| encoder.empty(out));
            }
            "server/discover" if revision.era() == Era::Modern => {
                self.answer_at_once(answer, &id, revision, |out| write_discover(out, &config, encoder));
            }
            "logging/setLevel"
                if revision.has(Feature::LegacySubscriptions) && config.capabilities.has("logging") =>
            {
                self.serve_set_level(frame, &id, params, answer, revision);
            }
            "subscriptions/listen" if revision.era() == Era::Modern => {
                self.serve_listen(frame, id, params, answer, revision);
            }
            _ => {
                let session_level = session.log_level;
                let request = request(frame, method, params, revision, &config.capabilities);
                let meta = |level| request_meta(frame, params, revision, level);
                let level = config.capabilities.has("logging").then_some(session_level);
                match request.and_then(|it| Ok((it, meta(level)?))) {
                    Err(error) => {
                        self.send_error(answer, Route::Unsolicited, Some(&id), &error, Some(revision))
                    }
                    Ok((request, meta)) => self.admit(frame, id, request, meta, answer),
                }
            }
        }
    }

    /// Adds a request to the in-flight table and reports it as [`Event::Request`]. Over the limit
    /// `in_flight`, answers it with an error instead.
    pub(super) fn admit(&mut self, frame: &str, id: Id, request: Request, meta: RequestMeta, answer: Answer) {
        let revision = meta.revision;
        if self.in_flight() >= self.limits.in_flight {
            let limit = self.limits.in_flight;
            let text = format!(
                "expected at most {limit} requests at a time (limit `in_flight`), but found one more"
            );
            return self.send_error(
                answer,
                Route::Unsolicited,
                Some(&id),
                &Error::new(ErrorKind::Overloaded, text),
                Some(revision),
            );
        }
        let token = meta.meta.progress_token.map(|span| span.text(frame));
        let open = Open {
            is_tool: matches!(request, Request::CallTool { .. }),
            log_level: meta.log_level,
            progress_token: token.filter(|token| Id::parse(token).is_some()).map(Into::into),
            ..Open::new(id.clone(), answer, revision)
        };
        let key = self.inbound.open(open);
        self.events.push_back(Event::Request { key, request, meta });
    }

    fn serve_initialize(&mut self, frame: &str, id: &Id, params: Params, answer: Answer) {
        #[derive(Deserialize, Default)]
        #[serde(rename_all = "camelCase", default)]
        struct Initialize {
            capabilities: Capabilities,
            client_info: Option<Implementation>,
            protocol_version: Option<String>,
        }
        let Role::Server(session) = &mut self.role else { return };
        let config = Arc::clone(&session.config);
        let text = params.all.map_or("{}", |span| span.text(frame));
        if text.len() > MAX_INITIALIZE {
            let found = text.len();
            let text = format!(
                "expected the parameters of `initialize` to have at most {MAX_INITIALIZE} bytes, but found {found}"
            );
            let error = Error::new(ErrorKind::InvalidParams, text);
            return self.send_error(answer, Route::Unsolicited, Some(id), &error, None);
        }
        let wanted = match serde_json::from_str::<Initialize>(text) {
            Ok(it) => it,
            Err(error) => {
                let error = Error::new(
                    ErrorKind::InvalidParams,
                    format!("expected the parameters of `initialize`, but found {error}"),
                );
                return self.send_error(answer, Route::Unsolicited, Some(id), &error, None);
            }
        };
        let result = match (&wanted.protocol_version, session.revision, config.newest_legacy()) {
            (_, Some(_), _) => {
                Err(Error::new(ErrorKind::InvalidRequest, "expected `initialize` once, but found it again"))
            }
            (None, ..) => Err(Error::new(
                ErrorKind::InvalidParams,
                "expected `protocolVersion` to be a string, but found nothing",
            )),
            (Some(version), None, None) => Err(Error::unsupported_version(&config.revisions, version)),
            (Some(version), None, Some(newest)) => {
                // Spec: an unknown or modern version is answered with the newest legacy revision of ours.
                Ok(Revision::parse(version)
                    .filter(|r| r.era() == Era::Legacy && config.revisions.contains(r))
                    .unwrap_or(newest))
            }
        };
        match result {
            Ok(revision) => {
                session.revision = Some(revision);
                session.generation += 1;
                session.client =
                    Some(Arc::new(Client { capabilities: wanted.capabilities, info: wanted.client_info }));
                self.answer_at_once(answer, id, revision, |out| write_initialize(out, &config, revision));
            }
            Err(error) => {
                self.send_error(answer, Route::Unsolicited, Some(id), &error, self.error_revision())
            }
        }
    }

    /// Answers a request that the program does not see. `write` writes the value of `result`.
    pub(super) fn answer_at_once(
        &mut self,
        answer: Answer,
        id: &Id,
        revision: Revision,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        let key = self.inbound.open(Open::new(id.clone(), answer, revision));
        self.respond(key, write);
    }
}

/// Largest size of the parameters of `initialize`, in bytes: the description of the client, which the server keeps
/// as long as the session. 64 KiB: room for icons, of which known clients send none.
const MAX_INITIALIZE: usize = 64 << 10;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Reads the parameters of a request that the program answers. A method whose capability is not `offered`
/// counts as unknown.
fn request(
    frame: &str,
    method: &str,
    params: Params,
    revision: Revision,
    offered: &Capabilities,
) -> Result<Request, Error> {
    let not_found = || {
        let text = format!("expected a method of this server, but found `{}`", shorten(method));
        Err(Error::new(ErrorKind::MethodNotFound, text))
    };
    // Spec: methods begin with the name of their capability, except `completion/complete`. 2024-11-05 has
    // this method but no such capability on the wire.
    let capability = match method {
        "completion/complete" => "completions",
        _ => method.split('/').next().unwrap_or_default(),
    };
    if !offered.has(capability) {
        return not_found();
    }
    if let Some(list) = List::ALL.into_iter().find(|list| list.method() == method) {
        return match params.cursor.filter(|span| span.text(frame) != "null") {
            Some(cursor) => Ok(Request::List { list, cursor: Some(string(frame, "cursor", Some(cursor))?) }),
            None => Ok(Request::List { list, cursor: None }),
        };
    }
    let subscribes = subscriptions::may_subscribe(revision, offered);
    match method {
        "completion/complete" => Ok(Request::Complete { params: params.all }),
        "resources/subscribe" if subscribes => {
            Ok(Request::Subscribe { uri: string(frame, "uri", params.uri)? })
        }
        "resources/unsubscribe" if subscribes => {
            Ok(Request::Unsubscribe { uri: string(frame, "uri", params.uri)? })
        }
        "tools/call" => Ok(Request::CallTool {
            name: string(frame, "name", params.name)?,
            arguments: object(frame, "arguments", params.arguments)?,
        }),
        "prompts/get" => Ok(Request::GetPrompt {
            name: string(frame, "name", params.name)?,
            arguments: object(frame, "arguments", params.arguments)?,
        }),
        "resources/read" => Ok(Request::ReadResource { uri: string(frame, "uri", params.uri)? }),
        _ => not_found(),
    }
}

/// Reads the metadata of a request. `session_level` is the log level of the session; `None` if no log
/// messages may be sent for the request.
///
/// Spec: 2026-07-28 `mrtr`: `inputResponses` and `requestState` are read from modern requests only.
pub(super) fn request_meta(
    frame: &str,
    params: Params,
    revision: Revision,
    session_level: Option<LogLevel>,
) -> Result<RequestMeta, Error> {
    let log_level = match (session_level, params.meta.log_level) {
        (Some(level), _) if revision.has(Feature::LegacySubscriptions) => Some(level),
        (Some(_), Some(level)) => Some(logging::read(logging::LOG_LEVEL, level.text(frame))?),
        _ => None,
    };
    let meta = params.meta;
    let mut it = RequestMeta { input_responses: None, log_level, meta, request_state: None, revision };
    if revision.has(Feature::InputRequired) {
        // `null` does not count as absent here: the conformance suite expects an error for it.
        if let Some(found) = params.input_responses {
            let text = found.text(frame);
            if !text.starts_with('{') {
                return Err(expected("inputResponses", "an object", text));
            }
            it.input_responses = Some(found);
        }
        if params.request_state.is_some() {
            it.request_state = Some(string(frame, "requestState", params.request_state)?);
        }
    }
    Ok(it)
}

fn expected(name: &str, kind: &str, found: &str) -> Error {
    let found = shorten(found);
    Error::new(ErrorKind::InvalidParams, format!("expected `{name}` to be {kind}, but found {found}"))
}

fn string(frame: &str, name: &str, found: Option<Span>) -> Result<Span, Error> {
    let text = found.map_or("nothing", |span| span.text(frame));
    match found.filter(|_| text.starts_with('"')) {
        Some(span) => Ok(span),
        None => Err(expected(name, "a string", text)),
    }
}

/// Returns the span of the parameter `name`, which must be an object; `None` if it is absent or `null`.
fn object(frame: &str, name: &str, found: Option<Span>) -> Result<Option<Span>, Error> {
    match found.map(|span| (span, span.text(frame))) {
        None | Some((_, "null")) => Ok(None),
        Some((span, text)) if text.starts_with('{') => Ok(Some(span)),
        Some((_, text)) => Err(expected(name, "an object", text)),
    }
}

fn write_initialize(out: &mut Vec<u8>, config: &ServerConfig, revision: Revision) {
    let mut object = write::Object::open(out);
    object.string("protocolVersion", revision.as_str());
    write_capabilities(&mut object, &config.capabilities, revision);
    crate::codec::implementation(object.name("serverInfo"), &config.info, revision);
    object.maybe_string("instructions", config.instructions.as_deref());
    object.close();
}

fn write_discover(out: &mut Vec<u8>, config: &ServerConfig, encoder: &Encoder) {
    let mut object = encoder.open(out);
    object.array("supportedVersions", config.revisions.iter().rev(), |out, revision| {
        write::string(out, revision.as_str());
    });
    write_capabilities(&mut object, &config.capabilities, encoder.revision());
    object.maybe_string("instructions", config.instructions.as_deref());
    encoder.cache_hint(&mut object, config.cache_hint);
    encoder.close(object, None);
}

fn write_capabilities(object: &mut write::Object<'_>, capabilities: &Capabilities, revision: Revision) {
    let mut inner = write::Object::open(object.name("capabilities"));
    for (name, settings) in &capabilities.0 {
        if name != "completions" || revision.has(Feature::CompletionsCapability) {
            inner.raw(name, &settings.to_string());
        }
    }
    inner.close();
}
