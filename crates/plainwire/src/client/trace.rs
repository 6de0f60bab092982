//! The trace of one call, step by step, as the client sees it.
//!
//! In: steps, recorded where they happen: by the host, by the client, by the connection task. Out: a
//! [`Trace`], as data and as a table. A trace can't show the server's work: the time from `sent` to
//! `answered` includes both transfers and all of the server's own steps.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plainwire_proto::json::visible;
use plainwire_proto::model::CallToolResult;
use plainwire_proto::revision::{Era, Revision};
use serde::Serialize;
use tokio::time::Instant;

use super::{Client, Progress, decode, named};
use crate::error::Result;

/// The number of steps of one trace after which reports of progress are only counted. 256: a longer trace is
/// not read step by step.
const MAX_STEPS: usize = 256;

/// The steps of a call, with their times.
///
/// Its `Display` is a table with a line for each step: the time since the start, the time since the step
/// before, and the step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trace {
    /// The number of bytes of the received frames: the answer, answers that ask questions, and reports of
    /// progress. The questions of a legacy server are not counted.
    pub bytes_in: u64,
    /// The number of bytes of the sent requests: of the first, and of each that was made again for the same
    /// call.
    pub bytes_out: u64,
    /// The method of the traced request.
    pub method: String,
    /// The number of reports of progress that are not among the steps, because there were too many.
    pub omitted: u64,
    /// The revision of the connection; `None` if there was no connection.
    pub revision: Option<Revision>,
    /// The host's name for the server; without a host, the server's own name. `None` if neither is known.
    pub server: Option<String>,
    /// The steps of the call, in the order in which they happened.
    pub steps: Vec<Step>,
    /// The time from the start of the call to its end.
    pub took: Duration,
    /// `http`, `stdio` for a child process, `stream` for any other pair of streams; `None` if there was no
    /// connection.
    pub transport: Option<&'static str>,
}

impl Trace {
    /// Returns the era of the connection; `None` if there was no connection.
    pub fn era(&self) -> Option<Era> {
        self.revision.map(Revision::era)
    }

    /// Returns the ids of the requests that were made for the call, in order: the id of the first request,
    /// and an id for each time that the request was made again.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.steps.iter().filter_map(|step| match step.stage {
            Stage::Encoded { id } => Some(id),
            _ => None,
        })
    }
}

/// A step of a call, and the time at which it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The time since the start of the call.
    pub at: Duration,
    /// The kind of step, with its details.
    pub stage: Stage,
}

/// A kind of step of a call. The variants are in the order in which the steps usually happen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stage {
    /// The program made the call.
    Called {
        /// The name of the tool or prompt, or the URI, as the program gave it. Empty if the request has none.
        name: String,
    },
    /// The host found the server.
    Resolved {
        /// The server's own name for the tool or prompt.
        name: String,
        /// The host's name for the server.
        server: String,
    },
    /// The host compared the arguments with the schema of the tool. Arguments that do not fit are sent
    /// nevertheless: the server decides.
    Checked {
        /// The reason why the arguments do not fit the schema; `None` if they fit.
        fault: Option<String>,
    },
    /// The request was written as JSON-RPC, and waits for its answer under this id.
    Encoded {
        /// The JSON-RPC id of the request.
        id: u64,
    },
    /// The request was given to the transport.
    Sent {
        /// The number of bytes of the request.
        bytes: u64,
    },
    /// The server reported progress.
    Progress {
        /// The number of bytes of the notification of progress.
        bytes: u64,
        /// The progress so far, in a unit of the server's choice.
        done: f64,
        /// The value that `done` will have at the end; `None` if the server did not say.
        total: Option<f64>,
    },
    /// A legacy server asked a question during the call. A question does not name its call, so every traced
    /// call in flight records it.
    Asked {
        /// The method of the question: `elicitation/create` and the like.
        method: &'static str,
    },
    /// A modern server answered with questions: the request is over, and is made again with their answers.
    InputRequired {
        /// The number of bytes of the answer.
        bytes: u64,
        /// The number of questions; 0 if the server only wants the request again.
        questions: usize,
    },
    /// The answer arrived and was matched to the call.
    Answered {
        /// The number of bytes of the frame. If it is a batch, they include its other messages.
        bytes: u64,
    },
    /// The result was decoded.
    Decoded {
        /// Whether the tool said that it failed.
        is_error: bool,
    },
    /// The call ended with an error.
    Failed {
        /// The text of the error.
        why: String,
    },
}

impl Stage {
    const fn name(&self) -> &'static str {
        match self {
            Self::Called { .. } => "called",
            Self::Resolved { .. } => "resolved",
            Self::Checked { .. } => "checked",
            Self::Encoded { .. } => "encoded",
            Self::Sent { .. } => "sent",
            Self::Progress { .. } => "progress",
            Self::Asked { .. } => "asked",
            Self::InputRequired { .. } => "input required",
            Self::Answered { .. } => "answered",
            Self::Decoded { .. } => "decoded",
            Self::Failed { .. } => "failed",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| visible(text, 200);
        match self {
            Self::Called { name } => f.write_str(&shown(name)),
            Self::Resolved { name, server } => write!(f, "{} of {}", shown(name), shown(server)),
            Self::Checked { fault: None } => f.write_str("the arguments fit the schema"),
            Self::Checked { fault: Some(fault) } => f.write_str(&shown(fault)),
            Self::Encoded { id } => write!(f, "id {id}"),
            Self::Sent { bytes } | Self::Answered { bytes } => write!(f, "{bytes} bytes"),
            Self::Progress { bytes, done, total: None } => write!(f, "{done}, {bytes} bytes"),
            Self::Progress { bytes, done, total: Some(total) } => {
                write!(f, "{done} of {total}, {bytes} bytes")
            }
            Self::Asked { method } => f.write_str(method),
            Self::InputRequired { bytes, questions } => write!(f, "{questions} questions, {bytes} bytes"),
            Self::Decoded { is_error: false } => f.write_str("a result"),
            Self::Decoded { is_error: true } => f.write_str("a result that says that the tool failed"),
            Self::Failed { why } => f.write_str(&shown(why)),
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = self.server.as_deref().map(|name| visible(name, 80)).unwrap_or_default();
        let server = if server.is_empty() { "the server" } else { &server };
        write!(f, "{} to {server}", self.method)?;
        if let (Some(revision), Some(transport)) = (self.revision, self.transport) {
            let era = if self.era() == Some(Era::Modern) { "modern" } else { "legacy" };
            write!(f, ", {} ({era}) over {transport}", revision.as_str())?;
        }
        writeln!(f)?;
        let millis = |time: Duration| time.as_secs_f64() * 1_000.0;
        let mut before = Duration::ZERO;
        for Step { at, stage } in &self.steps {
            let since = at.saturating_sub(before);
            writeln!(f, "{:>12.3} ms {:>+12.3}  {:<14}  {stage}", millis(*at), millis(since), stage.name())?;
            before = *at;
        }
        if self.omitted > 0 {
            writeln!(f, "{} reports of progress are left out", self.omitted)?;
        }
        let (requests, out, back) = (self.ids().count(), self.bytes_out, self.bytes_in);
        write!(f, "requests: {requests}; bytes: {out} out, {back} in; {:.3} ms", millis(self.took))
    }
}

/// The recorder of the steps of one call. Clones share one recording.
#[derive(Clone, Debug)]
pub(crate) struct Recorder(Arc<Mutex<Recording>>);

#[derive(Debug)]
struct Recording {
    began: Instant,
    bytes_in: u64,
    bytes_out: u64,
    omitted: u64,
    steps: Vec<Step>,
}

impl Recorder {
    /// Starts a recording with the step [`Stage::Called`]. `name` is that of the tool, prompt or resource.
    pub(crate) fn start(name: &str) -> Self {
        let began = Instant::now();
        let called = Step { at: Duration::ZERO, stage: Stage::Called { name: name.to_owned() } };
        let recording = Recording { began, bytes_in: 0, bytes_out: 0, omitted: 0, steps: vec![called] };
        Self(Arc::new(Mutex::new(recording)))
    }

    /// Records a step at the current time. Counts a report of progress instead if there are too many steps.
    pub(crate) fn note(&self, stage: Stage) {
        let mut it = self.recording();
        match &stage {
            Stage::Answered { bytes }
            | Stage::InputRequired { bytes, .. }
            | Stage::Progress { bytes, .. } => {
                it.bytes_in += bytes;
            }
            Stage::Sent { bytes } => it.bytes_out += bytes,
            _ => {}
        }
        // Only reports of progress are left out. The other steps are rarer: requests and their answers, of
        // which `max_rounds` allows few, and the questions of a legacy server.
        if it.steps.len() >= MAX_STEPS && matches!(stage, Stage::Progress { .. }) {
            it.omitted += 1;
            return;
        }
        let at = it.began.elapsed();
        it.steps.push(Step { at, stage });
    }

    /// Ends the recording with [`Stage::Decoded`] or [`Stage::Failed`], and returns the trace.
    pub(crate) fn finish<T>(
        &self,
        client: Option<&Client>,
        method: &str,
        server: Option<String>,
        result: &Result<T>,
        is_error: bool,
    ) -> Trace {
        self.note(match result {
            Ok(_) => Stage::Decoded { is_error },
            Err(error) => Stage::Failed { why: error.to_string() },
        });
        let it = self.recording();
        let own_name = || Some(client?.hello().server_info.as_ref()?.name.clone());
        Trace {
            bytes_in: it.bytes_in,
            bytes_out: it.bytes_out,
            method: method.to_owned(),
            omitted: it.omitted,
            revision: client.map(Client::revision),
            server: server.or_else(own_name),
            steps: it.steps.clone(),
            took: it.began.elapsed(),
            transport: client.map(|client| client.shared.far_end.transport.as_str()),
        }
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    /// Calls a tool, and returns a trace of the call.
    ///
    /// ```
    /// # use plainwire::prelude::*;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> plainwire::Result<()> {
    /// # let hello = || Tool::new("hello", || async { "Hello!" });
    /// # let client = plainwire::testing::client(Server::new("demo").tool(hello())).await?;
    /// let (result, trace) = client.call_traced("hello", json!({})).await;
    /// assert!(!result?.is_error);
    /// assert!(trace.to_string().contains("answered"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Like [`Self::call_tool`]. The trace is returned in any case.
    pub async fn call_traced(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> (Result<CallToolResult>, Trace) {
        let recorder = Recorder::start(name);
        let result = self.call_noting(name, arguments, &recorder).await;
        let is_error = result.as_ref().is_ok_and(|result| result.is_error);
        let trace = recorder.finish(Some(self), "tools/call", None, &result, is_error);
        (result, trace)
    }

    /// Makes any request, like [`Self::request`], reports its progress, and returns a trace of it. The result is not
    /// decoded: here [`Stage::Decoded`] only means that it arrived.
    ///
    /// # Errors
    /// Like [`Self::request`]. The trace is returned in any case.
    pub async fn request_traced(
        &self,
        method: &str,
        params: &str,
        progress: impl FnMut(Progress) + Send + 'static,
    ) -> (Result<plainwire_proto::model::RawJson>, Trace) {
        #[derive(serde::Deserialize)]
        struct Named {
            #[serde(alias = "uri")]
            name: String,
        }
        let name = serde_json::from_str(params).map(|it: Named| it.name).unwrap_or_default();
        let recorder = Recorder::start(&name);
        let result = self.ask(method, params, Some(Box::new(progress)), Some(recorder.clone())).await;
        let result = result.map(|reply| reply.raw);
        let failed = |raw: &plainwire_proto::model::RawJson| {
            serde_json::from_str(raw.get()).is_ok_and(|it: CallToolResult| it.is_error)
        };
        let is_error = method == "tools/call" && result.as_ref().is_ok_and(failed);
        let trace = recorder.finish(Some(self), method, None, &result, is_error);
        (result, trace)
    }

    /// Calls a tool, and records the steps in `recorder`.
    pub(crate) async fn call_noting(
        &self,
        name: &str,
        arguments: impl Serialize,
        recorder: &Recorder,
    ) -> Result<CallToolResult> {
        let params = named(name, arguments)?;
        let reply = self.ask("tools/call", &params, None, Some(recorder.clone())).await?;
        let result = decode(&reply.raw)?;
        self.shared.check.check(&self.shared.tools, name, &result)?;
        Ok(result)
    }
}
