//! Starting calls: the first step of a call, which is the code of its handler up to the first wait.
//!
//! In: a call that a frame requests. Out: its outcome if the first step ends the call, and otherwise the work
//! that is left. Nothing here touches the peer or the running calls, so that no lock of a session is held
//! while code of handlers runs.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use std::task::{Context as Poller, Poll, Waker};
use std::time::Instant;

use plainwire_proto::envelope::Id;
use plainwire_proto::model::CacheHint;
use plainwire_proto::peer::{CallKey, Client, RequestMeta};

use super::Attached;
use crate::runtime::{Gate, panics, unix};
use crate::schema::arguments::Rejected;
use crate::server::asking::Carried;
use crate::server::built::Built;
use crate::server::catalog::Entry;
use crate::server::catalog::pace::Pace;
use crate::server::connection::call::{self, CallWork};
use crate::server::context::{ContextRef, ContextSource, Headers, SignalSource, Signals};
use crate::server::handler::{Call, Running};
use crate::server::principal::Principal;
use crate::server::result::{Kind, Outcome, ToolError};

/// A call that a frame requests.
pub(super) struct CallRequest<'f> {
    /// The JSON of the arguments, of a resource template's variables, or of a completion's `params`.
    pub(super) arguments: Cow<'f, str>,
    /// The hint that says how clients may cache the result of this resource; `None` if the server's hint holds.
    pub(super) cache: Option<CacheHint>,
    /// The text of the frame, into which the spans in `meta` point.
    pub(super) frame: &'f str,
    pub(super) id: Id,
    pub(super) key: CallKey,
    /// The kind of entry; `None` for a completion.
    pub(super) kind: Option<Kind>,
    pub(super) meta: RequestMeta,
    /// The name of the tool or prompt, or the URI of the resource; empty for a completion.
    pub(super) name: Cow<'f, str>,
}

/// The handling of the calls that a frame requests, chosen by the owner of the calls.
pub(super) enum Starts<'f> {
    /// Start them at once.
    Now,
    /// Only record them.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only sessions over HTTP record calls"))]
    Later(Vec<Start<'f>>),
}

/// A call that was recorded and has to be started, with all that its start needs.
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only sessions over HTTP record calls"))]
pub(crate) struct Start<'f> {
    pub(super) attached: Attached,
    pub(super) entry: Arc<Entry>,
    pub(super) gate: Arc<Gate>,
    pub(super) wanted: CallRequest<'f>,
    pub(super) built: Arc<Built>,
    principal: Option<Arc<Principal>>,
    session: Option<Arc<Client>>,
    pub(super) signals: Signals,
}

/// The parts of a connection that the start of a call needs.
pub(super) struct Surroundings<'c> {
    pub(super) built: &'c Arc<Built>,
    /// The name of the caller: of the principal, or of the network; empty if neither is known.
    pub(super) caller: &'c str,
    pub(super) gate: &'c Arc<Gate>,
    pub(super) headers: &'c Headers,
    pub(super) principal: Option<&'c Arc<Principal>>,
    pub(super) queue: SignalSource<'c>,
    /// The client of the session; `None` if there is no session.
    pub(super) session: Option<Arc<Client>>,
}

/// The result of the first step of a call.
pub(crate) enum FirstStep {
    /// The call has ended, or was refused before there was any work.
    Ended { outcome: Outcome, work: Option<CallWork> },
    /// The call has to be continued on a task. The pace is given if the first step is still to be made, so
    /// that the pace can record this step.
    Waits(CallWork, Option<Arc<Pace>>),
}

impl CallRequest<'_> {
    /// Returns the URI of the resource; empty for other calls.
    pub(super) fn uri(&self) -> &str {
        if self.kind == Some(Kind::Resource) { &self.name } else { "" }
    }

    /// Makes the first step of this call of `entry`. If recent first steps of the entry were slow, or no
    /// handler may run on this thread now, the first step is left to the task that continues the call.
    pub(super) fn first_step(&self, entry: &Arc<Entry>, around: Surroundings<'_>) -> FirstStep {
        let (built, caller, gate) = (around.built, around.caller, around.gate);
        let source = self.source(entry, around);
        if let Err(outcome) = admit(entry, &source, (built, caller)) {
            return FirstStep::Ended { outcome, work: None };
        }
        let Some(_place) = gate.enter() else { return self.leave_all(entry, &source) };
        let mut work = match self.work(entry, source) {
            Ok(work) => work,
            Err(outcome) => return FirstStep::Ended { outcome, work: None },
        };
        if entry.pace.is_slow() {
            return FirstStep::Waits(work, Some(Arc::clone(&entry.pace)));
        }
        let began = Instant::now();
        // The waker of this poll does nothing; the task polls the call again with its own waker.
        let polled = work.poll(&entry.name, &built.sealer, &mut Poller::from_waker(Waker::noop()));
        entry.pace.note(began.elapsed());
        match polled {
            Poll::Pending => FirstStep::Waits(work, None),
            Poll::Ready(outcome) => FirstStep::Ended { outcome, work: Some(work) },
        }
    }

    /// Makes the future of this call. The error is the outcome of a call that is refused.
    fn work(&self, entry: &Entry, source: ContextSource<'_>) -> Result<CallWork, Outcome> {
        let call = call_of(entry, &self.arguments, self.uri(), ContextRef::Source(&source));
        // The user's code may panic before its future exists: in `Deserialize`, or in a plain closure.
        let begun = panics::catch(|| begin(entry, &call, &self.name));
        let context = source.made.into_inner();
        match begun {
            Ok(begun) => begun.map(|running| CallWork { context, running }),
            Err(panic) => Err(call::panicked(&entry.name, panic)),
        }
    }

    /// Returns the work of this call. Even the future of the handler is made only when the work is polled.
    fn leave_all(&self, entry: &Arc<Entry>, source: &ContextSource<'_>) -> FirstStep {
        let context = source.get();
        let (arguments, name, uri) =
            (self.arguments.clone().into_owned(), self.name.clone().into_owned(), self.uri().to_owned());
        let (made, of) = (context.clone(), Arc::clone(entry));
        let running: Running = Box::pin(async move {
            let begun = begin(&of, &call_of(&of, &arguments, &uri, ContextRef::Made(&made)), &name);
            match begun {
                Ok(running) => running.await,
                Err(outcome) => outcome,
            }
        });
        FirstStep::Waits(CallWork { context: Some(context), running }, Some(Arc::clone(&entry.pace)))
    }

    fn source<'c>(&'c self, entry: &'c Entry, around: Surroundings<'c>) -> ContextSource<'c> {
        ContextSource {
            arguments: &self.arguments,
            bus: &around.built.shared.bus,
            carried: RefCell::new(None),
            frame: self.frame,
            headers: around.headers,
            id: &self.id,
            key: self.key,
            made: OnceCell::new(),
            max_questions: around.built.max_questions,
            meta: self.meta,
            method: self.kind.map_or("completion/complete", Kind::method),
            name: &self.name,
            on_cancel: entry.on_cancel,
            principal: around.principal,
            progress: around.built.progress,
            queue: around.queue,
            session: around.session,
            states: entry.states.as_ref().unwrap_or_else(|| around.built.shared.states()),
        }
    }
}

/// Prepares a call: opens the request state of the handler's earlier run, or takes answers that came without
/// a request state. Refuses clients without the capabilities that `entry` requires. The error is the outcome
/// of the refused call.
fn admit(entry: &Entry, source: &ContextSource<'_>, (built, caller): (&Built, &str)) -> Result<(), Outcome> {
    if let Some(state) = source.meta.request_state {
        let state = state.string(source.frame).unwrap_or_default();
        let responses = source.meta.input_responses.map_or("{}", |span| span.text(source.frame));
        let carried = built.sealer.open((&source.origin(), caller), &state, responses, unix());
        source.carried.replace(Some(carried.map_err(Outcome::Error)?));
    } else if let Some(responses) = source.meta.input_responses {
        source.carried.replace(Some(Carried::unasked(responses.text(source.frame))));
    }
    for &capability in &entry.requires {
        source.get().require(capability).map_err(Outcome::failed)?;
    }
    Ok(())
}

fn call_of<'c>(entry: &'c Entry, arguments: &'c str, uri: &'c str, context: ContextRef<'c>) -> Call<'c> {
    Call {
        arguments,
        context,
        mime_type: entry.mime_type.as_deref(),
        schema: &entry.schema,
        ui: entry.ui.as_deref(),
        uri,
    }
}

/// Makes the future of a call. The error is the outcome of a call with arguments that do not fit.
fn begin(entry: &Entry, call: &Call<'_>, name: &str) -> Result<Running, Outcome> {
    let running = match &entry.chain {
        None => {
            (entry.run)(call).map_err(|Rejected(text)| Outcome::failed(ToolError::invalid_arguments(text)))?
        }
        Some(chain) => chain.start(call, name),
    };
    #[cfg(feature = "outputs")]
    if let Some(keeps) = &entry.keeps {
        return Ok(keeps(running, call.context.principal().cloned()));
    }
    Ok(running)
}

#[cfg(feature = "http")]
impl<'f> Starts<'f> {
    /// Returns the calls that were recorded.
    pub(super) fn into_recorded(self) -> Vec<Start<'f>> {
        match self {
            Self::Now => Vec::new(),
            Self::Later(starts) => starts,
        }
    }
}

impl<'f> Start<'f> {
    pub(super) fn new(
        entry: &Arc<Entry>,
        wanted: CallRequest<'f>,
        attached: Attached,
        around: Surroundings<'_>,
    ) -> Self {
        Self {
            attached,
            entry: Arc::clone(entry),
            gate: Arc::clone(around.gate),
            wanted,
            built: Arc::clone(around.built),
            principal: around.principal.cloned(),
            session: around.session,
            signals: around.queue.signals().clone(),
        }
    }

    /// Makes the first step of the call.
    #[cfg(feature = "http")]
    pub(crate) fn run(&self) -> FirstStep {
        let around = Surroundings {
            built: &self.built,
            caller: self.attached.caller(),
            gate: &self.gate,
            headers: &self.attached.headers,
            principal: self.principal.as_ref(),
            queue: SignalSource::Signals(&self.signals),
            session: self.session.clone(),
        };
        self.wanted.first_step(&self.entry, around)
    }
}
