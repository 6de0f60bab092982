//! The context of a call: what a handler can find out and do besides returning a value, such as progress,
//! questions and cancellation.
//!
//! In: a request. Out: a [`Context`], created only for handlers that take one. It sends signals through a
//! queue and never touches the connection.

use std::cell::{OnceCell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use plainwire_proto::envelope::Id;
use plainwire_proto::peer::{CallKey, Client, RequestMeta};
use plainwire_proto::revision::{Era, Feature, Revision};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use super::asking::{Asking, Carried, Origin};
use super::changes::Bus;
use super::principal::Principal;
use super::roots::KnownRoots;
use crate::trace_context::TraceContext;

mod ask;
mod format;
mod headers;
mod notify;
mod on_cancel;
mod questions;
mod signals;
mod state;

pub use format::Format;
pub(crate) use headers::Headers;
use notify::{LeftOut, LogGate, Throttle};
pub(crate) use notify::{Logs, ProgressRate};
pub use on_cancel::OnCancel;
pub(crate) use signals::{Channel, MAX_ANSWERS, Question, Signal, SignalSource, Signals};
pub use state::State;
pub(crate) use state::{NeededState, States};

/// The context of one call, for its handler: progress, log messages, questions, cancellation, and facts about
/// the client.
///
/// Take it as a parameter of the handler. Cheap to clone; all clones belong to one call.
#[derive(Clone, Debug)]
pub struct Context {
    /// The form of the result that the call asks for.
    format: Format,
    inner: Arc<Inner>,
    /// The innermost part of the call, such as the inside of a `timeout` layer, to which this context
    /// belongs; `None` if it belongs to the whole call.
    part: Option<Arc<CallPart>>,
}

/// A part of a call that can end before the call does: the inside of [`crate::server::layer::timeout()`].
#[derive(Debug)]
struct CallPart {
    /// Whether the part has ended, so that its code should stop.
    is_over: AtomicBool,
    /// The part around this one; `None` if the whole call is around it.
    outer: Option<Arc<Self>>,
}

#[derive(Debug)]
struct Inner {
    asking: Asking,
    bus: Arc<Bus>,
    cancelled: AtomicBool,
    client: ClientSource,
    era: Era,
    headers: Headers,
    id: Id,
    key: CallKey,
    left_out: LeftOut,
    log_gate: LogGate,
    /// The JSON of the request's `_meta`, parsed only when a method needs it; `None` if the request has none.
    meta: Option<String>,
    on_cancel: OnCancel,
    principal: Option<Arc<Principal>>,
    /// The cached roots: of the session if its client reports changes of roots (`roots.listChanged`),
    /// otherwise of this call only.
    roots: KnownRoots,
    signals: Signals,
    states: Arc<States>,
    /// The limiter of progress notifications; `None` if the client wants no progress.
    throttle: Option<Mutex<Throttle>>,
    /// Wakes all tasks that wait in [`Context::cancelled`].
    wake: Notify,
}

/// The source of the client's name and capabilities.
#[derive(Debug)]
enum ClientSource {
    /// The client describes itself in the `_meta` of each request (modern era).
    Request,
    /// The client has described itself in `initialize` (legacy era); `None` if it has not.
    Session(Option<Arc<Client>>),
}

impl Context {
    /// Returns whether the answer is no longer wanted: the client has cancelled the call or left, or the
    /// deadline of its tool, its server or a layer around it has passed.
    ///
    /// The future of a cancelled call is dropped at its current `.await`, unless its tool sets another
    /// [`crate::handler::OnCancel`]. Use this method in work on other threads and tasks.
    pub fn is_cancelled(&self) -> bool {
        let mut part = self.part.as_deref();
        while let Some(it) = part {
            if it.is_over.load(Ordering::Acquire) {
                return true;
            }
            part = it.outer.as_deref();
        }
        self.inner.cancelled.load(Ordering::Acquire)
    }

    /// Waits until the answer is no longer wanted. Cancel safe.
    pub async fn cancelled(&self) {
        loop {
            let woken = self.inner.wake.notified();
            if self.is_cancelled() {
                return;
            }
            woken.await;
        }
    }

    /// Returns the client's description of itself: its name and its capabilities.
    pub fn client(&self) -> Arc<Client> {
        match &self.inner.client {
            ClientSource::Request => Arc::new(Client::from_meta(self.inner.meta.as_deref().unwrap_or("{}"))),
            ClientSource::Session(client) => client.clone().unwrap_or_default(),
        }
    }

    /// Returns the era of the client's protocol revision. Handlers work in both eras; this is for logs.
    pub fn era(&self) -> Era {
        self.inner.era
    }

    /// Returns the authenticated account that the call comes from, if the transport has one.
    pub fn principal(&self) -> Option<&Principal> {
        self.inner.principal.as_deref()
    }

    /// Returns the `_meta` of the request, a JSON object; `None` if the request has none. Clients put members of
    /// their own into it.
    pub fn meta(&self) -> Option<&RawValue> {
        serde_json::from_str(self.inner.meta.as_deref()?).ok()
    }

    /// Returns the id of the request, as the client chose it. For logs: ids of several clients may be equal.
    pub fn request_id(&self) -> &Id {
        &self.inner.id
    }

    /// Returns the value of an HTTP header of the request, if the server lets handlers read this header
    /// ([`Http::pass_header`](crate::http::Http::pass_header)) and the request has it. Several headers of one
    /// name are joined by commas. Upper and lower case of `name` are equal. Always `None` on stdio.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.inner.headers.get(name)
    }

    /// Returns the trace that the call is part of, if the client sent a valid trace context.
    pub fn trace_context(&self) -> Option<TraceContext> {
        TraceContext::of(self.inner.meta.as_deref()?)
    }

    pub(crate) fn cancel(&self) {
        self.inner.cancelled.store(true, Ordering::Release);
        if self.runs_on() {
            // No answers will come, and a call that continues must not wait for them.
            self.inner.asking.expect_no_answers();
        }
        self.inner.wake.notify_waiters();
        self.inner.asking.wake();
    }

    /// Returns a context for a part of the call, which [`Self::end_part`] can end while the call continues.
    pub(crate) fn begin_part(&self) -> Self {
        let part = CallPart { is_over: AtomicBool::new(false), outer: self.part.clone() };
        Self { format: self.format, inner: Arc::clone(&self.inner), part: Some(Arc::new(part)) }
    }

    /// Ends the part of the call that this context belongs to (the inside of a `timeout` layer): for that
    /// part, the call counts as cancelled. Does nothing to the rest of the call.
    pub(crate) fn end_part(&self) {
        if let Some(part) = &self.part {
            part.is_over.store(true, Ordering::Release);
        }
        self.inner.wake.notify_waiters();
    }

    /// Returns whether the call continues after it is cancelled.
    pub(crate) fn runs_on(&self) -> bool {
        self.inner.on_cancel.runs_on()
    }

    pub(crate) fn revision(&self) -> Revision {
        self.inner.asking.revision()
    }

    pub(crate) fn asking(&self) -> &Asking {
        &self.inner.asking
    }

    pub(crate) fn key(&self) -> CallKey {
        self.inner.key
    }

    pub(crate) fn known_roots(&self) -> &KnownRoots {
        &self.inner.roots
    }

    pub(crate) fn signals(&self) -> &Signals {
        &self.inner.signals
    }
}

/// The parts of a [`Context`], which is made from them if the handler takes one.
#[derive(Debug)]
pub(crate) struct ContextSource<'c> {
    /// The arguments of the call, as JSON text.
    pub(crate) arguments: &'c str,
    pub(crate) bus: &'c Arc<Bus>,
    /// The `requestState` of an earlier round and the answers that came with the request; `None` if there are
    /// none, or once the context was made.
    pub(crate) carried: RefCell<Option<Carried>>,
    /// The frame of the request as text. The spans in `meta` point into it.
    pub(crate) frame: &'c str,
    pub(crate) headers: &'c Headers,
    pub(crate) id: &'c Id,
    pub(crate) key: CallKey,
    /// The context that was made from these parts; empty until a handler or layer needs it.
    pub(crate) made: OnceCell<Context>,
    /// The limit of questions and steps of the call ([`crate::Server::max_questions`]).
    pub(crate) max_questions: usize,
    pub(crate) meta: RequestMeta,
    pub(crate) method: &'static str,
    /// The name of the tool or prompt, or the URI of the resource.
    pub(crate) name: &'c str,
    pub(crate) on_cancel: OnCancel,
    pub(crate) principal: Option<&'c Arc<Principal>>,
    pub(crate) progress: ProgressRate,
    /// The client of the session; `None` if there is no session.
    pub(crate) session: Option<Arc<Client>>,
    pub(crate) states: &'c Arc<States>,
    pub(crate) queue: SignalSource<'c>,
}

/// Returns the client of a request: that of its session, or as the `_meta` of the request describes it.
pub(crate) fn client_of(meta: &RequestMeta, frame: &str, session: Option<Arc<Client>>) -> Arc<Client> {
    let era = meta.revision.era();
    match era {
        Era::Legacy => session.unwrap_or_default(),
        Era::Modern => Arc::new(Client::from_meta(meta.meta.all.map_or("{}", |all| all.text(frame)))),
    }
}

impl ContextSource<'_> {
    pub(crate) fn get(&self) -> Context {
        self.made.get_or_init(|| self.make()).clone()
    }

    fn make(&self) -> Context {
        let revision = self.meta.revision;
        let era = revision.era();
        let client = match era {
            Era::Legacy => ClientSource::Session(self.session.clone()),
            Era::Modern => ClientSource::Request,
        };
        let meta = self.meta.meta.all.map(|all| all.text(self.frame));
        let meta = meta.map(ToOwned::to_owned);
        let asks_by_result = revision.has(Feature::InputRequired);
        // Roots are cached only if the client promised to notify the server of changes.
        let promised =
            self.session.as_ref().is_some_and(|client| client.capabilities.is_on("roots", "listChanged"));
        let roots = if promised && !asks_by_result {
            self.queue.signals().roots.clone()
        } else {
            KnownRoots::default()
        };
        let asking = Asking::new(
            revision,
            self.max_questions,
            asks_by_result.then(|| self.origin()),
            self.carried.take(),
        );
        Context {
            format: Format::Json,
            inner: Arc::new(Inner {
                asking,
                bus: Arc::clone(self.bus),
                cancelled: AtomicBool::new(false),
                client,
                era,
                headers: self.headers.clone(),
                id: self.id.clone(),
                key: self.key,
                left_out: LeftOut::default(),
                log_gate: LogGate::of(&self.meta, self.queue.signals()),
                meta,
                on_cancel: self.on_cancel,
                principal: self.principal.cloned(),
                roots,
                signals: self.queue.signals().clone(),
                states: Arc::clone(self.states),
                throttle: Throttle::of(&self.meta, self.progress),
                wake: Notify::new(),
            }),
            part: None,
        }
    }

    /// Returns the parts of the request to which the `requestState` of this call is bound.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            arguments: self.arguments.to_owned(),
            method: self.method,
            name: self.name.to_owned(),
            principal: self.principal.cloned(),
        }
    }
}

/// A context that was made already, or the parts to make it from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ContextRef<'c> {
    /// The context was made already, for the layers of the call.
    Made(&'c Context),
    Source(&'c ContextSource<'c>),
}

impl ContextRef<'_> {
    /// Returns the values that handlers take as [`crate::State`].
    pub(crate) fn states(&self) -> &States {
        match self {
            Self::Made(context) => &context.inner.states,
            Self::Source(source) => source.states,
        }
    }

    /// Returns the authenticated account that the call comes from. Makes no context for it.
    #[cfg(feature = "outputs")]
    pub(crate) fn principal(&self) -> Option<&Arc<Principal>> {
        match self {
            Self::Made(context) => context.inner.principal.as_ref(),
            Self::Source(source) => source.principal,
        }
    }

    pub(crate) fn get(self) -> Context {
        match self {
            Self::Made(context) => context.clone(),
            Self::Source(source) => source.get(),
        }
    }
}
