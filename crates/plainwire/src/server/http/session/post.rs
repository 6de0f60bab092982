//! POSTs in a session: the messages of a POST are processed, and the calls that they request are started.
//!
//! In: a message or a batch. Out: the answer, if it is the whole response, and otherwise the outlet (the route
//! to the response) through which the pump sends the messages of the calls.
//!
//! A session is locked twice for a POST: while its messages are processed, and after the first steps of its
//! calls. Between the two, code of handlers runs, which may block its thread.

use std::sync::Arc;

use plainwire_proto::envelope::{self, Malformed, Message};
use plainwire_proto::error::ErrorKind;
use plainwire_proto::json::Span;
use plainwire_proto::peer::{Route, Transmit, TransmitKind};

use super::outlet::{Outlet, ResponseStart, Target};
use super::{Action, Core, Due, Session};
use crate::runtime;
use crate::server::connection::calls::{Attached, FirstStep, Start};

/// The content of a POST: a message of a client, or a batch of messages.
#[expect(clippy::large_enum_variant, reason = "made right before it is taken apart")]
pub(crate) enum Posted<'p> {
    Batch(&'p [u8]),
    Message(&'p str, Result<Message, Malformed>),
}

impl<'p> Posted<'p> {
    /// Returns the text of a notification or an answer: a call at another replica may wait for it. `None` for
    /// requests, batches and malformed messages.
    pub(crate) fn relayed(&self) -> Option<&'p str> {
        match self {
            Self::Message(
                text,
                Ok(Message::Notification { .. } | Message::Result { .. } | Message::Error { .. }),
            ) => Some(text),
            _ => None,
        }
    }
}

/// The response to a POST.
pub(crate) enum Reply {
    /// The POST needs no answer: 202.
    Accepted,
    /// The answer or the batch of answers, which is the whole response: 200.
    Answer(Vec<u8>),
    /// The session has ended: 404.
    Ended,
    /// The response begins later, since no answer is there yet.
    Later(Later),
    /// An error (400), because the POST was not valid JSON-RPC.
    Refusal(Vec<u8>),
}

/// The result of [`Session::post`]: the response, and what the POST changed.
pub(crate) struct Taken {
    /// Whether the record of the session has changed, as after a subscription.
    pub(crate) has_changed: bool,
    pub(crate) reply: Reply,
}

/// A response that has not begun yet: it begins when the calls of its POST send their first message or end.
pub(crate) struct Later(Arc<Outlet>);

impl Later {
    /// Waits for the start of the response.
    pub(crate) async fn first(&self) -> ResponseStart {
        std::future::poll_fn(|cx| self.0.poll_first(cx)).await
    }
}

impl Session {
    /// Processes a POST of the client. The calls that it begins get `attached`.
    ///
    /// Code of handlers runs here, but never while the session is locked: a handler that blocks its thread
    /// delays the response to its own POST only.
    pub(crate) fn post(self: &Arc<Self>, posted: Posted<'_>, attached: Attached) -> Taken {
        let mut core = self.lock();
        let Some(core_here) = core.as_mut() else { return Taken { has_changed: false, reply: Reply::Ended } };
        let before = core_here.calls.peer.session_generation();
        let (reply, starts) = self.take(core_here, posted, attached);
        let has_changed = core_here.calls.peer.session_generation() != before;
        drop(core);
        let reply = match reply {
            Reply::Later(Later(outlet)) if !starts.is_empty() => self.start(outlet, starts),
            reply => reply,
        };
        Taken { has_changed, reply }
    }

    /// Processes the messages of a POST, but starts no calls. Returns the response and the calls to start: if
    /// there are any, the response is [`Reply::Later`].
    fn take<'p>(
        self: &Arc<Self>,
        core: &mut Core,
        posted: Posted<'p>,
        attached: Attached,
    ) -> (Reply, Vec<Start<'p>>) {
        // Messages for other responses come first.
        core.gather();
        let (batch, starts) = core.calls.attaching(attached, |calls| match posted {
            Posted::Batch(bytes) => {
                let starts = calls.record_batch(bytes);
                (calls.peer.open_batch(), starts)
            }
            Posted::Message(text, parsed) => (None, calls.record_parsed(text, parsed)),
        });
        let begun = core.calls.take_begun();
        let sent: Vec<Transmit> = std::iter::from_fn(|| core.calls.peer.poll_transmit()).collect();
        let is_mine = |it: &Transmit| match it.route {
            Route::Unsolicited => matches!(it.kind, TransmitKind::Error(_)),
            // Messages with a known outlet are for other responses.
            route => core.outlet_of(route).is_none(),
        };
        let (mut mine, others): (Vec<_>, Vec<_>) = sent.into_iter().partition(is_mine);
        // A request that was answered at once without other messages, such as a ping.
        if let [Transmit { kind: TransmitKind::Answer | TransmitKind::Error(_), .. }] = mine[..]
            && begun.iter().all(|&key| !core.calls.peer.is_open(key))
            && let Some(Transmit { kind, route, bytes }) = mine.pop()
        {
            others.into_iter().for_each(|it| core.owe(it));
            self.look_after(core);
            let reply = match (kind, route) {
                // Clients do not read an answer in a response with status 400, so only a message that is no
                // valid request gets that status.
                (TransmitKind::Error(ErrorKind::InvalidRequest | ErrorKind::Parse), Route::Unsolicited) => {
                    Reply::Refusal(bytes)
                }
                _ => Reply::Answer(bytes),
            };
            return (reply, starts);
        }
        let later = (!mine.is_empty() || batch.is_some() || !begun.is_empty()).then(Arc::<Outlet>::default);
        if let Some(outlet) = &later {
            core.outlets.extend(begun.into_iter().map(|key| (key, Arc::clone(outlet))));
            core.batches.extend(batch.map(|number| (number, Arc::clone(outlet))));
        }
        let own = mine.into_iter().map(|Transmit { kind, bytes, .. }| Action::Transmit(kind, bytes));
        core.due.extend(own.map(|action| Due { outlet: later.clone(), action }));
        others.into_iter().for_each(|it| core.owe(it));
        // Recorded calls need the pump only if they do not end at once.
        if starts.is_empty() || !core.due.is_empty() {
            self.look_after(core);
            if !starts.is_empty() {
                runtime::share_woken();
            }
        }
        (later.map_or(Reply::Accepted, |outlet| Reply::Later(Later(outlet))), starts)
    }

    /// Starts the calls of a POST whose response has this outlet.
    fn start(self: &Arc<Self>, outlet: Arc<Outlet>, mut starts: Vec<Start<'_>>) -> Reply {
        let steps: Vec<FirstStep> = starts.iter().map(Start::run).collect();
        let mut guard = self.lock();
        let Some(core) = guard.as_mut() else {
            drop(guard);
            starts.into_iter().zip(steps).for_each(|(start, step)| start.abandon(step));
            // The calls have begun.
            outlet.begin(ResponseStart::Ended);
            return Reply::Later(Later(outlet));
        };
        // Messages for other responses come first.
        core.gather();
        starts.iter_mut().zip(steps).for_each(|(start, step)| core.calls.settle(start, step));
        core.gather();
        let answer = core.take_whole_response(&outlet);
        self.look_after(core);
        answer.map_or(Reply::Later(Later(outlet)), Reply::Answer)
    }

    /// Processes a notification or an answer that another replica received, which may be for a call at this
    /// one.
    pub(crate) fn post_relayed(self: &Arc<Self>, text: &str) {
        let mut guard = self.lock();
        let Some(core) = guard.as_mut() else { return };
        let parsed = envelope::parse(text, Span::whole(text), core.depth);
        core.calls.handle_parsed(text, parsed);
        core.gather();
        self.look_after(core);
    }
}

impl Core {
    /// Takes the last message that is due if it is the whole response of `outlet`: an answer, before which
    /// nothing was sent, and after which nothing comes.
    fn take_whole_response(&mut self, outlet: &Arc<Outlet>) -> Option<Vec<u8>> {
        let is_answer = |due: &Due| {
            matches!(due.action, Action::Transmit(TransmitKind::Answer | TransmitKind::Error(_), _))
                && due.outlet.as_ref().is_some_and(|of| Arc::ptr_eq(of, outlet))
        };
        // The outlet is also held by the caller and by this message. If anything else holds it, then other
        // messages are due or being written, or requests are open.
        if Arc::strong_count(outlet) > 2 || outlet.target() != Target::New {
            return None;
        }
        if !self.due.back().is_some_and(is_answer) {
            return None;
        }
        match self.due.pop_back()?.action {
            Action::Transmit(_, bytes) => Some(bytes),
            Action::Cancelled | Action::Unread(_) => None,
        }
    }
}
