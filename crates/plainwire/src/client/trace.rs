//! The life of one call, step by step, as it is seen from here.
//!
//! In: moments, noted where they happen: by the host, by the client, by the connection's task. Out: a [`Trace`], as data
//! and as a table. What the server does between two frames can't be seen from here: `sent` to `answered` is the time of the
//! way, of the server's own steps and of the way back.

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

/// Moments of one call that are kept. 256: a call that reports more progress is not read step by step.
const MAX_STEPS: usize = 256;

/// What happened to a call, and when.
///
/// Its `Display` is a table with a line for each step: the time since the beginning, the time since the step before, and
/// what happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trace {
    /// Bytes of the frames in which answers, questions and progress came.
    pub bytes_in: u64,
    /// Bytes of the frames that went out: the request, as often as it was made.
    pub bytes_out: u64,
    /// The method of the request.
    pub method: String,
    /// Progress that is not among the steps, because there was too much of it.
    pub omitted: u64,
    /// The revision that both speak; `None` if there was no connection.
    pub revision: Option<Revision>,
    /// The name that the host has for the server; without a host, the one that the server has for itself.
    pub server: Option<String>,
    /// What happened, in order.
    pub steps: Vec<Step>,
    /// The time in all.
    pub took: Duration,
    /// `http`, `stdio` for a child process, `stream` for any other pair of streams; `None` if there was no connection.
    pub transport: Option<&'static str>,
}

impl Trace {
    /// Returns the era of the connection.
    pub fn era(&self) -> Option<Era> {
        self.revision.map(Revision::era)
    }

    /// Returns the id of each request that was made, in order: one, and one more for each round of questions.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.steps.iter().filter_map(|step| match step.stage {
            Stage::Encoded { id } => Some(id),
            _ => None,
        })
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When, since the beginning.
    pub at: Duration,
    /// What happened.
    pub stage: Stage,
}

/// What can happen to a call. The order is the usual one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stage {
    /// The program asked for it.
    Called {
        /// The tool or prompt, as the program named it; a host's name for it, if there is a host.
        name: String,
    },
    /// The host found whose it is.
    Resolved {
        /// The name that the server has for it.
        name: String,
        /// The host's name for the server.
        server: String,
    },
    /// The arguments were held against the schema of the tool. What does not fit is sent all the same: the server decides.
    Checked {
        /// What does not fit.
        fault: Option<String>,
    },
    /// The request was written as JSON-RPC, and waits for its answer under this id.
    Encoded {
        /// Its id.
        id: u64,
    },
    /// The frame was given to the transport.
    Sent {
        /// Its size in bytes.
        bytes: u64,
    },
    /// The server reported how far it is.
    Progress {
        /// Bytes of the frame.
        bytes: u64,
        /// How far.
        done: f64,
        /// How far it has to go.
        total: Option<f64>,
    },
    /// A legacy server asked something while it worked. On one stream nobody says for which call, so that each open one
    /// that is traced has it.
    Asked {
        /// What it wants: `elicitation/create` and the like.
        method: &'static str,
    },
    /// A modern server answered with questions: the request is over, and is made again with their answers.
    InputRequired {
        /// Bytes of the frame.
        bytes: u64,
        /// How many questions; none if it only wants to be asked again.
        questions: usize,
    },
    /// The answer came and found the call that waits for it.
    Answered {
        /// Bytes of the frame; with other messages in it, if it is a batch.
        bytes: u64,
    },
    /// The result was read as what it is.
    Decoded {
        /// Whether the tool said that it failed.
        is_error: bool,
    },
    /// There is no result.
    Failed {
        /// Why.
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

/// Where moments are noted. Clones note in the same place.
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
    /// Begins with [`Stage::Called`].
    pub(crate) fn start(name: &str) -> Self {
        let began = Instant::now();
        let called = Step { at: Duration::ZERO, stage: Stage::Called { name: name.to_owned() } };
        let recording = Recording { began, bytes_in: 0, bytes_out: 0, omitted: 0, steps: vec![called] };
        Self(Arc::new(Mutex::new(recording)))
    }

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
        // Everything else is as rare as rounds are, which have a limit of their own.
        if it.steps.len() >= MAX_STEPS && matches!(stage, Stage::Progress { .. }) {
            it.omitted += 1;
            return;
        }
        let at = it.began.elapsed();
        it.steps.push(Step { at, stage });
    }

    /// Ends with [`Stage::Decoded`] or [`Stage::Failed`].
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
        let own_name = || Some(client?.hello.server_info.as_ref()?.name.clone());
        Trace {
            bytes_in: it.bytes_in,
            bytes_out: it.bytes_out,
            method: method.to_owned(),
            omitted: it.omitted,
            revision: client.map(Client::revision),
            server: server.or_else(own_name),
            steps: it.steps.clone(),
            took: it.began.elapsed(),
            transport: client.map(|client| client.server.transport()),
        }
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    /// Calls a tool, and says what happened on the way.
    ///
    /// ```
    /// # use plainwire::prelude::*;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> plainwire::Result<()> {
    /// # let hello = || Tool::new("hello", || async { "Hello!" });
    /// # let client = plainwire::testing::client(Server::new("demo").tool(hello())).await?;
    /// let (result, trace) = client.call_traced("hello", serde_json::json!({})).await;
    /// assert!(!result?.is_error);
    /// assert!(trace.to_string().contains("answered"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Self::call_tool`]; there is a trace in any case.
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

    /// Makes any request, as [`Self::request_with_progress`], and says what happened on the way. The result is not read, so
    /// that [`Stage::Decoded`] only says that it has come this far.
    ///
    /// # Errors
    /// As [`Self::request`]; there is a trace in any case.
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

    pub(crate) async fn call_noting(
        &self,
        name: &str,
        arguments: impl Serialize,
        recorder: &Recorder,
    ) -> Result<CallToolResult> {
        let params = named(name, arguments)?;
        let reply = self.ask("tools/call", &params, None, Some(recorder.clone())).await?;
        decode(&reply.raw)
    }
}
