//! The client's side of a connection: agrees with the server on a revision, adds `_meta` to each request, and
//! accepts the questions of the server.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::hello::{Discovered, Initialized, Unusable, Versions};
use super::inbound::Answer;
use super::{
    ClientConfig, EraChoice, Event, Now, Peer, Request, RequestKey, RequestMeta, RequestOptions, Role, Route,
    listening,
};
use crate::codec::members;
use crate::envelope::{Id, Params};
use crate::error::{Error, ErrorKind};
use crate::json::write::{self, Object};
use crate::json::{Span, shorten};
use crate::model::{Capabilities, InputMethod, LogLevel, ServerHello};
use crate::revision::{Era, Feature, Revision};

/// State of a connection on the client's side.
///
/// States: nothing was sent; `handshake` was sent and proposes the revision `proposed`; a revision is
/// `agreed`.
#[derive(Debug)]
pub(super) struct Session {
    config: ClientConfig,
    /// The key of the client's `server/discover` or `initialize`, while it is not answered.
    handshake: Option<RequestKey>,
    /// The revision that both sides have agreed on.
    agreed: Option<Revision>,
    /// Whether a refused revision was proposed once more, because the refusal listed it as supported. It is
    /// not proposed a third time.
    insisted: bool,
    /// The lowest level of log messages that requests of a modern connection ask for; with `None`, they ask
    /// for no log messages.
    log_level: Option<LogLevel>,
    /// The `server/discover` that was not answered in time, and the revision it proposed. Its answer may
    /// still come.
    overdue: Option<(RequestKey, Revision)>,
    /// The revision that the most recent handshake request proposed.
    proposed: Option<Revision>,
}

impl Session {
    pub(super) fn new(config: ClientConfig) -> Self {
        Self {
            config,
            handshake: None,
            agreed: None,
            insisted: false,
            log_level: None,
            overdue: None,
            proposed: None,
        }
    }

    pub(super) fn revision(&self) -> Option<Revision> {
        self.agreed
    }

    /// Writes the JSON object `params`. The `_meta` that the revision requires comes before the other members. The
    /// `_meta` of `params` is kept, except for members that only this side sets.
    /// Requests of the handshake carry no progress token. A `subscriptions/listen` request carries neither a
    /// progress token nor a log level.
    pub(super) fn write_params(&self, out: &mut Vec<u8>, method: &str, params: &str, key: RequestKey) {
        let (meta_of_program, params) = split_meta(params);
        let inner = params.trim().strip_prefix('{').and_then(|p| p.strip_suffix('}')).unwrap_or("").trim();
        let modern = self.agreed.or(self.proposed).filter(|revision| revision.era() == Era::Modern);
        let mut object = Object::open(out);
        if modern.is_some() || self.agreed.is_some() {
            let mut meta = Object::open(object.name("_meta"));
            if let Some(revision) = modern {
                self.describe(&mut meta, revision);
            }
            if self.agreed.is_some() && method != listening::METHOD {
                if let Some(level) = self.log_level.filter(|_| modern.is_some()) {
                    meta.string("io.modelcontextprotocol/logLevel", level.as_str());
                }
                write::display(meta.name("progressToken"), key.0);
            }
            for (name, value) in &meta_of_program {
                meta.raw(name, value.get());
            }
            meta.close();
            if !inner.is_empty() {
                object.out.push(b',');
            }
        }
        write::raw(object.out, inner);
        object.close();
    }

    /// Writes the fields of `_meta` that each modern request must have.
    ///
    /// Spec: 2026-07-28 `basic/index` "Per-request protocol fields".
    fn describe(&self, meta: &mut Object<'_>, revision: Revision) {
        meta.string("io.modelcontextprotocol/protocolVersion", revision.as_str());
        let info = meta.name("io.modelcontextprotocol/clientInfo");
        crate::codec::implementation(info, &self.config.info, revision);
        let capabilities = capabilities(&self.config.capabilities, revision);
        meta.raw("io.modelcontextprotocol/clientCapabilities", &capabilities);
    }

    /// Returns the newest revision of `era` in the client's configuration for which `accept` returns true.
    fn newest(&self, era: Era, accept: impl Fn(Revision) -> bool) -> Option<Revision> {
        self.config.revisions.iter().copied().filter(|r| r.era() == era && accept(*r)).max()
    }

    /// Returns the revision to propose by `initialize` after `server/discover` has failed: the newest legacy
    /// one in the client's configuration for which `accept` returns true. `None` if there is none, and if the
    /// configuration is not [`EraChoice::Auto`].
    fn fallback(&self, accept: impl Fn(Revision) -> bool) -> Option<Revision> {
        self.newest(Era::Legacy, accept).filter(|_| self.config.era == EraChoice::Auto)
    }
}

/// Returns whether the client itself sets the member `name` of `_meta`.
fn is_ours(name: &str) -> bool {
    name == "progressToken"
        || name.strip_prefix("io.modelcontextprotocol/").is_some_and(|name| OURS.contains(&name))
}

const OURS: [&str; 4] = ["clientCapabilities", "clientInfo", "logLevel", "protocolVersion"];

/// Splits `params` into the members of its `_meta`, each name once and without those that the client itself sets,
/// and the other members.
fn split_meta(params: &str) -> (Vec<(String, Box<RawValue>)>, Cow<'_, str>) {
    let none = || (Vec::new(), Cow::Borrowed(params));
    // Any `\u` escape counts as well, because it may be a letter of the name.
    if !params.contains("_meta") && !params.contains("\\u") {
        return none();
    }
    let Ok(all) = members(params) else { return none() };
    let (metas, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|(name, _)| name == "_meta");
    if metas.is_empty() {
        return none();
    }
    let mut meta: Vec<(String, Box<RawValue>)> = Vec::new();
    for (name, value) in metas.iter().filter_map(|(_, meta)| members(meta.get()).ok()).flatten() {
        if !is_ours(&name) && meta.iter().all(|(known, _)| *known != name) {
            meta.push((name, value));
        }
    }
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    for (name, value) in &rest {
        object.raw(name, value.get());
    }
    object.close();
    (meta, Cow::Owned(String::from_utf8(out).unwrap_or_default()))
}

impl Peer {
    /// Starts the handshake. [`Event::Connected`] or [`Event::Refused`] follows.
    pub fn connect(&mut self, now: Now) {
        let Role::Client(session) = &self.role else { return };
        let newest = |era| session.newest(era, |_| true);
        match (session.config.era, newest(Era::Modern), newest(Era::Legacy)) {
            (EraChoice::Auto | EraChoice::Modern, Some(revision), _) => self.discover(revision, now),
            (EraChoice::Auto | EraChoice::Legacy, _, Some(revision)) => self.initialize(revision, now),
            (era, ..) => {
                let found = listed(session.config.revisions.iter());
                let text =
                    format!("expected a revision for `EraChoice::{era:?}` among ours, but found {found}");
                self.events.push_back(Event::Refused(Error::new(ErrorKind::UnsupportedVersion, text)));
            }
        }
    }

    /// Returns the revision that both sides agreed on, if they have; on a server, the revision of the legacy
    /// session.
    pub fn revision(&self) -> Option<Revision> {
        self.session_revision()
    }

    /// Sets the lowest level of log messages that later requests ask for; with `None`, they ask for no log messages.
    ///
    /// This concerns modern connections only; legacy servers receive the level by `logging/setLevel`.
    pub fn set_log_level(&mut self, level: Option<LogLevel>) {
        if let Role::Client(session) = &mut self.role {
            session.log_level = level;
        }
    }

    pub(super) fn is_handshake(&self, request: RequestKey) -> bool {
        matches!(&self.role, Role::Client(session) if session.handshake == Some(request))
    }

    /// Handles a request of the server: answers `ping`, and reports to the program the questions
    /// (elicitation, sampling and roots requests) whose capability this client has declared. Other methods
    /// are answered with an error. On a modern connection, nothing is answered.
    ///
    /// Spec: 2026-07-28 stdio: servers write no requests and clients no answers.
    pub(super) fn serve_as_client(
        &mut self,
        frame: &str,
        id: Id,
        method: Span,
        params: Params,
        answer: Answer,
    ) {
        let name = method.string(frame).unwrap_or_default();
        let revision = self.session_revision().unwrap_or(Revision::NEWEST_LEGACY);
        if revision.era() == Era::Modern {
            return self.note(&format!("request `{}` of a server that may make none", shorten(&name)));
        }
        if &*name == "ping" {
            return self.answer_at_once(answer, &id, revision, |out| out.extend_from_slice(b"{}"));
        }
        let declared =
            |name: &str| matches!(&self.role, Role::Client(session) if session.config.capabilities.has(name));
        // Methods begin with the name of their capability: `elicitation/create` needs `elicitation`.
        let capability = name.split('/').next().unwrap_or_default();
        if let Some(method) = InputMethod::parse(&name).filter(|_| declared(capability)) {
            let request = Request::Input { method, params: params.all };
            let meta = RequestMeta {
                input_responses: None,
                log_level: None,
                meta: params.meta,
                request_state: None,
                revision,
            };
            return self.admit(frame, id, request, meta, answer);
        }
        let text = format!("expected a method of this client, but found `{}`", shorten(&name));
        self.send_error(
            answer,
            Route::Unsolicited,
            Some(&id),
            &Error::new(ErrorKind::MethodNotFound, text),
            Some(revision),
        );
    }

    /// Continues the handshake with the answer to `server/discover` or `initialize`.
    ///
    /// Spec: 2026-07-28 stdio "Backward Compatibility". Any answer to `server/discover` that is not modern
    /// means a legacy server: the fallback does not depend on one error code.
    pub(super) fn handshake_answer(&mut self, answer: Result<(&str, Span), Error>, now: Now) {
        let Role::Client(session) = &mut self.role else { return };
        session.handshake = None;
        let discovering = session.proposed.is_some_and(|revision| revision.era() == Era::Modern);
        match answer {
            Ok((frame, result)) if discovering => self.discovered(result.text(frame), now),
            Ok((frame, result)) => self.initialized_by_server(result.text(frame)),
            Err(error) if discovering => self.not_discovered(error, now),
            Err(error) => self.events.push_back(Event::Refused(error)),
        }
    }

    /// If `request` is this client's unanswered `server/discover`, records that it was not answered in time.
    pub(super) fn handshake_is_overdue(&mut self, request: RequestKey) {
        if let Role::Client(session) = &mut self.role
            && session.handshake == Some(request)
        {
            session.overdue = session.proposed.filter(|it| it.era() == Era::Modern).map(|it| (request, it));
        }
    }

    /// Handles the answer to a `server/discover` that timed out, if no revision is agreed yet: a server that
    /// is slow to start reads `server/discover` and `initialize`, and answers them in order. If the message
    /// with this `id` is such an answer and names a modern revision that this client speaks, the connection
    /// becomes modern, and an open `initialize` is dropped. Returns whether this happened.
    pub(super) fn discovered_late(&mut self, id: &Id, result: &str, now: Now) -> bool {
        let Role::Client(session) = &mut self.role else { return false };
        let Some((request, revision)) = session.overdue.filter(|_| session.agreed.is_none()) else {
            return false;
        };
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Discover {
            supported_versions: Versions,
        }
        let supported = serde_json::from_str::<Discover>(result).map(|it| it.supported_versions);
        let served = |r: Revision| supported.as_ref().is_ok_and(|it| it.has(r));
        if *id != Id::Integer(request.0.into()) || session.newest(Era::Modern, served).is_none() {
            return false;
        }
        session.overdue = None;
        session.proposed = Some(revision);
        if let Some(initialize) = session.handshake.take() {
            self.abandon(&Id::Integer(initialize.0.into()));
        }
        self.discovered(result, now);
        true
    }

    /// Returns whether a message with this `id` answers the `server/discover` that timed out.
    pub(super) fn is_late_discovery(&self, id: &Id) -> bool {
        let Role::Client(session) = &self.role else { return false };
        session.overdue.is_some_and(|(request, _)| *id == Id::Integer(request.0.into()))
    }

    fn discover(&mut self, revision: Revision, now: Now) {
        let Role::Client(session) = &mut self.role else { return };
        session.proposed = Some(revision);
        let wait = session.config.probe_timeout;
        let key = self.request("server/discover", "{}", RequestOptions { idle: wait, hard: wait }, now);
        let Role::Client(session) = &mut self.role else { return };
        session.handshake = Some(key);
    }

    fn initialize(&mut self, revision: Revision, now: Now) {
        let Role::Client(session) = &mut self.role else { return };
        session.proposed = Some(revision);
        let mut params = Vec::new();
        let mut object = Object::open(&mut params);
        object.string("protocolVersion", revision.as_str());
        object.raw("capabilities", &capabilities(&session.config.capabilities, revision));
        crate::codec::implementation(object.name("clientInfo"), &session.config.info, revision);
        object.close();
        let params = String::from_utf8(params).unwrap_or_default();
        let wait = session.config.initialize_timeout;
        let key = self.request(
            "initialize",
            &params,
            RequestOptions { idle: wait, ..RequestOptions::default() },
            now,
        );
        let Role::Client(session) = &mut self.role else { return };
        session.handshake = Some(key);
    }

    fn discovered(&mut self, result: &str, now: Now) {
        let discovered = match Discovered::read(result) {
            Ok(discovered) => discovered,
            // A server whose description is too large is no legacy server.
            Err(Unusable::TooLarge(text)) => return self.refuse_server(text),
            Err(Unusable::Unreadable(error)) => {
                let text = format!("expected the result of `server/discover`, but found {error}");
                return self.not_discovered(Error::new(ErrorKind::InvalidRequest, text), now);
            }
        };
        let Role::Client(session) = &mut self.role else { return };
        let served = |r: Revision| discovered.versions.has(r);
        match session.newest(Era::Modern, served) {
            Some(revision) => {
                session.agreed = Some(revision);
                self.events.push_back(Event::Connected(Box::new(ServerHello {
                    capabilities: discovered.capabilities,
                    instructions: discovered.instructions,
                    revision,
                    server_info: discovered.server_info,
                    raw: raw(result),
                })));
            }
            None => self.fall_back(served, &discovered.versions.to_string(), now),
        }
    }

    fn not_discovered(&mut self, error: Error, now: Now) {
        #[derive(Deserialize)]
        struct Unsupported {
            supported: Versions,
        }
        let Role::Client(session) = &self.role else { return };
        let modern_error = matches!(
            error.kind(),
            ErrorKind::UnsupportedVersion | ErrorKind::MissingClientCapability | ErrorKind::HeaderMismatch
        );
        if modern_error {
            let supported = error
                .data()
                .and_then(|data| serde_json::from_str::<Unsupported>(data).ok())
                .map_or_else(Versions::default, |data| data.supported);
            let served = |r: Revision| supported.has(r);
            // A revision that was just refused is proposed once more if the server lists it as supported. A
            // second repetition could loop forever.
            let (proposed, insisted) = (session.proposed, session.insisted);
            let is_new = |r: Revision| Some(r) < proposed || (Some(r) == proposed && !insisted);
            match session.newest(Era::Modern, |r| served(r) && is_new(r)) {
                Some(revision) => {
                    if let Role::Client(session) = &mut self.role {
                        session.insisted |= Some(revision) == proposed;
                    }
                    self.discover(revision, now);
                }
                None => self.fall_back(served, &supported.to_string(), now),
            }
        } else if let Some(revision) = session.fallback(|_| true) {
            self.initialize(revision, now);
        } else {
            let text = format!(
                "expected the server to speak one of {}, but it answered `server/discover` with: {}",
                ours(&session.config),
                shorten(error.message())
            );
            self.events.push_back(Event::Refused(Error::new(error.kind().clone(), text)));
        }
    }

    /// Falls back to `initialize` with the newest legacy revision for which `served` returns true. If there
    /// is none, refuses the server; `found` is the list of revisions that the server sent, for the error
    /// message.
    fn fall_back(&mut self, served: impl Fn(Revision) -> bool, found: &str, now: Now) {
        let Role::Client(session) = &self.role else { return };
        if let Some(revision) = session.fallback(served) {
            return self.initialize(revision, now);
        }
        let text = format!(
            "expected the server to speak one of {}, but found {}",
            ours(&session.config),
            shorten(found)
        );
        self.events.push_back(Event::Refused(Error::new(ErrorKind::UnsupportedVersion, text)));
    }

    fn initialized_by_server(&mut self, result: &str) {
        let Role::Client(session) = &mut self.role else { return };
        let answer = Initialized::read(result);
        let revision = answer.as_ref().ok().and_then(|it| {
            let revision = Revision::parse(&it.version)?;
            session.newest(Era::Legacy, |ours| ours == revision)
        });
        match (answer, revision) {
            (Ok(it), Some(revision)) => {
                session.agreed = Some(revision);
                self.notify("notifications/initialized", "{}");
                self.events.push_back(Event::Connected(Box::new(ServerHello {
                    capabilities: it.capabilities,
                    instructions: it.instructions,
                    revision,
                    server_info: it.server_info,
                    raw: raw(result),
                })));
            }
            (Ok(it), None) => {
                let text = format!(
                    "expected the server to speak one of {}, but found {:?}",
                    ours(&session.config),
                    shorten(&it.version)
                );
                self.events.push_back(Event::Refused(Error::new(ErrorKind::UnsupportedVersion, text)));
            }
            (Err(Unusable::TooLarge(text)), _) => self.refuse_server(text),
            (Err(Unusable::Unreadable(error)), _) => {
                self.refuse_server(format!("expected the result of `initialize`, but found {error}"));
            }
        }
    }

    /// Reports that the handshake has failed, because the server describes itself in a way that can't be used.
    fn refuse_server(&mut self, text: String) {
        self.events.push_back(Event::Refused(Error::new(ErrorKind::InvalidRequest, text)));
    }
}

/// Returns the capabilities to declare in `revision`, as JSON.
fn capabilities(it: &Capabilities, revision: Revision) -> String {
    let mut it = it.clone();
    if let Some(Value::Object(roots)) = it.0.get_mut("roots")
        && !revision.has(Feature::RootsListChanged)
    {
        roots.remove("listChanged");
    }
    serde_json::to_string(&it).unwrap_or_else(|_| "{}".to_owned())
}

/// Returns the revisions that the client's configuration allows, for error messages.
fn ours(config: &ClientConfig) -> String {
    let wanted = |revision: &&Revision| match config.era {
        EraChoice::Auto => true,
        EraChoice::Legacy => revision.era() == Era::Legacy,
        EraChoice::Modern => revision.era() == Era::Modern,
    };
    listed(config.revisions.iter().filter(wanted))
}

fn listed<'r>(revisions: impl Iterator<Item = &'r Revision>) -> String {
    format!("{:?}", revisions.map(|revision| revision.as_str()).collect::<Vec<_>>())
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap_or_default()
}
