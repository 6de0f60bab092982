//! What a handler may know and do besides returning: progress, cancellation, who asks.
//!
//! In: a request. Out: a [`Context`], made only for handlers that take one. It talks to the connection by a queue
//! and never touches it.

use std::cell::{OnceCell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use plainwire_proto::peer::{CallKey, Client, RequestMeta};
use plainwire_proto::revision::{Era, Feature, Revision};
use tokio::sync::Notify;

use super::asking::{Asking, Carried, Origin};
use super::catalog::Shared;
use super::handler::{OnCancel, States};
use super::roots::KnownRoots;

mod notify;
mod signals;
mod trace;

use notify::{LeftOut, LogGate, Throttle};
pub(crate) use notify::{Logs, ProgressRate};
pub(crate) use signals::{Channel, Question, Signal, Signals};
pub use trace::TraceContext;

/// One call, seen from inside its handler. Cheap to clone; all clones are the same call.
#[derive(Clone, Debug)]
pub struct Context {
    inner: Arc<Inner>,
    /// The innermost part of the call that can end before the call does, if it is inside of one.
    part: Option<Arc<Part>>,
}

/// A part of a call that ends before the call does: what is inside of [`crate::server::layer::timeout`].
#[derive(Debug)]
struct Part {
    is_over: AtomicBool,
    outer: Option<Arc<Self>>,
}

#[derive(Debug)]
struct Inner {
    asking: Asking,
    cancelled: AtomicBool,
    client: ClientSource,
    era: Era,
    key: CallKey,
    left_out: LeftOut,
    log_gate: LogGate,
    /// The `_meta` of the request, if anything in it may be wanted: read only if somebody asks.
    meta: Option<String>,
    on_cancel: OnCancel,
    principal: Option<Arc<Principal>>,
    /// The roots of the session, or, without one, of this call.
    roots: KnownRoots,
    shared: Arc<Shared>,
    signals: Signals,
    /// `None` if the client wants no progress.
    throttle: Option<Mutex<Throttle>>,
    /// Wakes everyone in [`Context::cancelled`].
    wake: Notify,
}

#[derive(Debug)]
enum ClientSource {
    /// It stands in the `_meta` of the request.
    Request,
    Session(Option<Arc<Client>>),
}

/// Who a request comes from, as far as that was proved. Nobody, on stdio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The name of the account, in whatever form the authentication gives it.
    pub name: String,
}

impl Context {
    /// Returns whether the answer is no longer wanted: the client has cancelled the call or left, or the deadline of
    /// its tool, its server or a layer around it has passed.
    ///
    /// The future of a cancelled call is dropped at its next `.await`, unless its tool says otherwise
    /// ([`crate::OnCancel`]); this is for work that runs elsewhere.
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

    /// Returns what the client says of itself: its name, and what it can do.
    pub fn client(&self) -> Arc<Client> {
        match &self.inner.client {
            ClientSource::Request => Arc::new(Client::from_meta(self.inner.meta.as_deref().unwrap_or("{}"))),
            ClientSource::Session(client) => client.clone().unwrap_or_default(),
        }
    }

    /// Returns the era in which the client speaks. Handlers have no need to know; logs may.
    pub fn era(&self) -> Era {
        self.inner.era
    }

    /// Returns who asks, if the transport knows.
    pub fn principal(&self) -> Option<&Principal> {
        self.inner.principal.as_deref()
    }

    /// Returns the trace that the call is part of, if the client names one in the right shape.
    pub fn trace_context(&self) -> Option<TraceContext> {
        TraceContext::of(self.inner.meta.as_deref()?)
    }

    pub(crate) fn cancel(&self) {
        self.inner.cancelled.store(true, Ordering::Release);
        if self.runs_on() {
            // Nobody answers any more, and a call that runs on must not wait for it.
            self.inner.asking.forgo();
        }
        self.inner.wake.notify_waiters();
        self.inner.asking.wake();
    }

    /// Returns the same call for a part of it, which can end by [`Self::end_part`] while the rest goes on.
    pub(crate) fn begin_part(&self) -> Self {
        let part = Part { is_over: AtomicBool::new(false), outer: self.part.clone() };
        Self { inner: Arc::clone(&self.inner), part: Some(Arc::new(part)) }
    }

    /// Tells what works for this part of the call that nobody wants it any more.
    pub(crate) fn end_part(&self) {
        if let Some(part) = &self.part {
            part.is_over.store(true, Ordering::Release);
        }
        self.inner.wake.notify_waiters();
    }

    /// Whether the call goes on although it was cancelled, if it is.
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

/// What a [`Context`] is made from, if the handler takes one.
#[derive(Debug)]
pub(crate) struct ContextSource<'c> {
    /// The JSON of the arguments.
    pub(crate) arguments: &'c str,
    /// What an earlier round left.
    pub(crate) carried: RefCell<Option<Carried>>,
    pub(crate) frame: &'c str,
    pub(crate) key: CallKey,
    pub(crate) made: OnceCell<Context>,
    /// How many questions and steps the call may have.
    pub(crate) max_questions: usize,
    pub(crate) meta: RequestMeta,
    pub(crate) method: &'static str,
    /// The tool or prompt, or the URI of the resource.
    pub(crate) name: &'c str,
    pub(crate) on_cancel: OnCancel,
    pub(crate) principal: Option<&'c Arc<Principal>>,
    pub(crate) progress: ProgressRate,
    pub(crate) shared: &'c Arc<Shared>,
    pub(crate) session: Option<Arc<Client>>,
    pub(crate) channel: &'c Channel,
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
        let meta = meta.filter(|meta| era == Era::Modern || trace::is_mentioned(meta)).map(ToOwned::to_owned);
        let asks_by_result = revision.has(Feature::InputRequired);
        // Nobody says when they change unless it was promised.
        let promised =
            self.session.as_ref().is_some_and(|client| client.capabilities.is_on("roots", "listChanged"));
        let roots = if promised && !asks_by_result {
            self.channel.signals().roots.clone()
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
            inner: Arc::new(Inner {
                asking,
                cancelled: AtomicBool::new(false),
                client,
                era,
                key: self.key,
                left_out: LeftOut::default(),
                log_gate: LogGate::of(&self.meta, self.channel.signals()),
                meta,
                on_cancel: self.on_cancel,
                principal: self.principal.cloned(),
                roots,
                shared: Arc::clone(self.shared),
                signals: self.channel.signals().clone(),
                throttle: Throttle::of(&self.meta, self.progress),
                wake: Notify::new(),
            }),
            part: None,
        }
    }

    /// Returns what a state of this call is bound to.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            arguments: self.arguments.to_owned(),
            method: self.method,
            name: self.name.to_owned(),
            principal: self.principal.cloned(),
        }
    }
}

/// Where a handler's [`Context`] comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Caller<'c> {
    /// A layer has it already.
    Made(&'c Context),
    Source(&'c ContextSource<'c>),
}

impl Caller<'_> {
    /// Returns what handlers share.
    pub(crate) fn states(&self) -> &States {
        match self {
            Self::Made(context) => context.inner.shared.states(),
            Self::Source(source) => source.shared.states(),
        }
    }

    pub(crate) fn get(self) -> Context {
        match self {
            Self::Made(context) => context.clone(),
            Self::Source(source) => source.get(),
        }
    }
}
