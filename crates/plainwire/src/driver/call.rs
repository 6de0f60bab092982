//! One call, guarded: a panic becomes an answer, a deadline ends it, and its end is always reported.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Poller, Poll};
use std::time::{Duration, Instant};

use plainwire_proto::codec::Encoder;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::CacheHint;
use plainwire_proto::peer::CallKey;

use crate::catalog::Pace;
use crate::context::{Signal, Signals};
use crate::handler::{Outcome, Running};
use crate::result::ToolError;

/// A call that panics instead of going on, once.
pub(super) struct Guarded {
    name: String,
    /// What the first step is reported to, if it was not taken yet.
    pace: Option<Arc<Pace>>,
    running: Running,
}

impl Guarded {
    pub(super) fn new(name: &str, running: Running, pace: Option<Arc<Pace>>) -> Self {
        Self { name: name.to_owned(), pace, running }
    }
}

impl Future for Guarded {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Poller<'_>) -> Poll<Outcome> {
        let Self { name, pace, running } = &mut *self;
        let Some(pace) = pace.take() else { return poll_guarded(name, running, cx) };
        let mut first = || {
            let began = Instant::now();
            let polled = poll_guarded(name, running, cx);
            pace.note(began.elapsed());
            polled
        };
        if pace.was_slow() { super::aside(first) } else { first() }
    }
}

/// Polls a call; a panic is its answer.
pub(super) fn poll_guarded(name: &str, running: &mut Running, cx: &mut Poller<'_>) -> Poll<Outcome> {
    catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx)))
        .unwrap_or_else(|panic| Poll::Ready(panicked(name, &*panic)))
}

/// The answer for a call that panicked. What it said stays in the log: it may hold anything.
pub(super) fn panicked(name: &str, panic: &(dyn Any + Send)) -> Outcome {
    let said =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!("{name} panicked: {}", said.unwrap_or("(no text)"));
    Outcome::Error(Error::new(ErrorKind::Internal, format!("expected {name} to answer, but it panicked")))
}

/// How the answers of a connection are written.
#[derive(Clone)]
pub(super) struct Writing {
    pub(super) cache_hint: CacheHint,
    pub(super) encoder: Encoder,
}

impl Writing {
    /// Writes the JSON of `result`, or returns the error that is the answer instead.
    pub(super) fn write(&self, outcome: &Outcome, out: &mut Vec<u8>) -> Result<(), Error> {
        match outcome {
            Outcome::Error(error) => return Err(error.clone()),
            Outcome::Prompt(result) => self.encoder.get_prompt(out, result),
            Outcome::Resource(result) => self.encoder.read_resource(out, result, self.cache_hint),
            Outcome::Tool(result) => self.encoder.call_tool(out, result),
        }
        Ok(())
    }
}

/// Runs a call that did not end at once, to its end, its deadline or its abortion.
pub(super) fn run(
    key: CallKey,
    call: Guarded,
    timeout: Option<Duration>,
    is_tool: bool,
    writing: Writing,
    signals: Signals,
) -> impl Future<Output = ()> + Send + 'static {
    // Made here and not inside: a task that is aborted before its first poll runs none of its code.
    let end = End { answered: false, key, signals };
    async move {
        // In this order: the work is dropped before its end is reported.
        let (call, mut end) = (call, end);
        let name = call.name.clone();
        let outcome = match timeout {
            None => call.await,
            Some(timeout) => match tokio::time::timeout(timeout, call).await {
                Ok(outcome) => outcome,
                Err(_) => timed_out(&name, timeout, is_tool),
            },
        };
        let mut body = Vec::new();
        let answer = writing.write(&outcome, &mut body).map(|()| body);
        end.answered = true;
        end.signals.answer(key, answer);
    }
}

fn timed_out(name: &str, timeout: Duration, is_tool: bool) -> Outcome {
    let error = ToolError::timeout(format!("expected {name} to end within {timeout:?}, but it did not"));
    if is_tool { Outcome::Tool(error.into_result()) } else { Outcome::refused(&error) }
}

/// Reports the end of a call that was dropped.
struct End {
    answered: bool,
    key: CallKey,
    signals: Signals,
}

impl Drop for End {
    fn drop(&mut self) {
        if !self.answered {
            self.signals.send(Signal::Ended(self.key));
        }
    }
}
