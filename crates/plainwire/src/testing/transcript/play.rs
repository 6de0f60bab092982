//! Replay of transcripts: the frames of the client to a server, or the frames of the server to a client.
//!
//! In: a transcript, and the other side. Out: the present frames of a server, or the first frame of a client
//! that differs.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, Lines};
use tokio::time::Instant;

use super::random::Random;
use super::{Step, Transcript};
use crate::client::{Client, ClientBuilder};
use crate::error::{Error, Result};
use crate::server::Server;
use crate::stream::{Stream, memory};

impl Transcript {
    /// Sends the frames of the client to `server`, one at a time. The next frame follows when the server is
    /// silent. Returns the transcript with the frames that the server sent in this replay; those that it
    /// sends after the client's last frame are in the last step.
    ///
    /// If the clock of the runtime is paused (`#[tokio::test(start_paused = true)]`, feature `test-util` of
    /// tokio), this takes no time and gives the same result every time. A server counts as silent when it has
    /// sent nothing for a minute of that clock, or for an hour while it has sent fewer frames than the step
    /// in the transcript has. A paused clock moves on only when no task has work. With a running clock these
    /// times are 100 ms and 5 s, and a frame that comes later is taken for a reply to the next frame.
    ///
    /// # Errors
    /// [`Error::Declaration`] if the server is declared wrongly; [`Error::Closed`] if it stops before the
    /// client has sent all its frames.
    pub async fn play(&self, server: Server) -> Result<Self> {
        let (ours, theirs) = memory::pair();
        crate::server::connection::serve_in_background(server.into_connection(theirs)?);
        let said = speak(&self.steps, ours).await;
        Ok(Self { steps: said.map_err(|why| Error::Closed { why: why.to_string() })? })
    }

    /// Replays the frames of the server to a client, and runs `check` with that client.
    ///
    /// For each step, this waits for as many frames of the client as the step has, compares them in order,
    /// and then sends the frames of the server. Frames of the client are compared as JSON, without `_meta`
    /// and without the parameters of `initialize`, which have names and versions. Request ids may differ.
    /// Progress tokens may differ as well, but then the client gets no progress.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if the client sends a different frame, too many or too few; [`Error::Closed`] if
    /// it closes the connection before all frames of the server are sent; and the errors of `check`.
    pub async fn play_server(
        &self,
        client: ClientBuilder,
        check: impl AsyncFnOnce(Client) -> Result<()>,
    ) -> Result<()> {
        let (ours, theirs) = memory::pair();
        let checked = async { check(client.stream(ours).await?).await };
        match both(checked, answer(&self.steps, theirs)).await {
            // A wrong frame of the client ends the connection. Then the error of `check` is only a
            // consequence, and the result of the replay counts.
            (Err(Error::Closed { .. } | Error::OutcomeUnknown { .. }) | Ok(()), answered) => answered,
            (Err(error), _) => Err(error),
        }
    }
}

/// The times of silence after which the client sends its next frame.
struct SilenceLimits {
    /// The time of silence to wait if the server has sent as many frames as the step has, or if more frames
    /// of the client follow in the step.
    enough: Duration,
    /// The time of silence to wait while the server has sent fewer frames than the step has.
    missing: Duration,
}

impl SilenceLimits {
    /// Returns the times for the clock of the runtime. A paused clock jumps as soon as no task has work, so
    /// that an hour takes no time. `enough` is shorter than the 10 min after which a question to the client
    /// times out.
    fn new() -> Self {
        if clock_is_paused() {
            return Self { enough: Duration::from_secs(60), missing: Duration::from_secs(3600) };
        }
        Self { enough: Duration::from_millis(100), missing: Duration::from_secs(5) }
    }
}

/// Returns whether the clock of the runtime is paused. The only sign is that it does not move while the clock
/// of the system does.
fn clock_is_paused() -> bool {
    let before = Instant::now();
    let began = std::time::Instant::now();
    while std::time::Instant::now() == began {}
    Instant::now() == before
}

/// Sends the frames of the client to a server. Returns the steps with the frames that the server sent in
/// reply.
async fn speak(steps: &[Step], stream: Stream) -> std::io::Result<Vec<Step>> {
    let Stream { reader, mut writer } = stream;
    let mut answers = BufReader::new(reader).lines();
    let limits = SilenceLimits::new();
    let mut random = Random::default();
    let mut said = Vec::new();
    for step in steps {
        let mut heard = Vec::new();
        for (n, line) in step.client.iter().enumerate() {
            let line = random.fill_in(line) + "\n";
            writer.write_all(line.as_bytes()).await?;
            let expected = if n + 1 == step.client.len() { step.server.len() } else { 0 };
            let now = listen(&mut answers, &limits, expected.saturating_sub(heard.len())).await?;
            heard.extend(now.iter().map(|answer| random.write_server(answer)));
        }
        said.push(Step { server: heard, ..step.clone() });
    }
    writer.shutdown().await?;
    let rest = listen(&mut answers, &limits, usize::MAX).await?;
    if let Some(last) = said.last_mut() {
        last.server.extend(rest.iter().map(|answer| random.write_server(answer)));
    }
    Ok(said)
}

/// Returns the frames that the server sends until it is silent, or until the end of the connection. The
/// server counts as silent after `limits.missing` while it has sent fewer than `expected` frames, and after
/// `limits.enough` from then on.
async fn listen(
    answers: &mut Lines<BufReader<impl AsyncRead + Unpin>>,
    limits: &SilenceLimits,
    expected: usize,
) -> std::io::Result<Vec<String>> {
    let mut heard = Vec::new();
    loop {
        let silence = if heard.len() < expected { limits.missing } else { limits.enough };
        // Cancel safe: `next_line` keeps the part of a line that it has read.
        match tokio::time::timeout(silence, answers.next_line()).await {
            Ok(line) => match line? {
                Some(line) => heard.push(line),
                None => return Ok(heard),
            },
            Err(_) => return Ok(heard),
        }
    }
}

/// Sends the frames of the server to a client, as long as the client sends the frames in the transcript.
async fn answer(steps: &[Step], stream: Stream) -> Result<()> {
    let Stream { reader, mut writer } = stream;
    let mut lines = BufReader::new(reader).lines();
    // A failed read or write means that the client has closed the connection.
    let gone = |why: std::io::Error| Error::Closed { why: why.to_string() };
    let mut ids = BTreeMap::new();
    let mut random = Random::default();
    for (n, step) in steps.iter().enumerate() {
        for expected in &step.client {
            let found = lines.next_line().await.map_err(gone)?;
            compare(&random.fill_in(expected), found.as_deref(), &mut ids)
                .map_err(|message| Error::Mismatch { message: format!("step {}: {message}", n + 1) })?;
        }
        for frame in &step.server {
            random.write_server(frame);
            let frame = readdressed(frame, &ids) + "\n";
            writer.write_all(frame.as_bytes()).await.map_err(gone)?;
        }
        writer.flush().await.map_err(gone)?;
    }
    match lines.next_line().await.map_err(gone)? {
        Some(found) => {
            let message = format!("expected the client to send no more frames, but found {found}");
            Err(Error::Mismatch { message })
        }
        None => Ok(()),
    }
}

/// Compares `found`, a frame of the client, with `expected`, the frame in the transcript. For a request, adds
/// its real id to `ids`, by the id in the transcript. If `found` is `None`, the client has closed the
/// connection.
fn compare(expected: &str, found: Option<&str>, ids: &mut BTreeMap<String, Value>) -> Result<(), String> {
    let other = |found: &str| format!("expected the client to send {expected}\nbut found {found}");
    let found = found.ok_or_else(|| other("that it closed the connection"))?;
    let read = |text: &str| {
        serde_json::from_str::<Value>(text)
            .map_err(|error| format!("expected a frame in JSON, but found {text}: {error}"))
    };
    let (mut wanted, mut said) = (read(expected)?, read(found)?);
    let is_request = |frame: &Value| frame.get("method").is_some() && frame.get("id").is_some();
    if is_request(&wanted) && is_request(&said) {
        ids.insert(wanted["id"].take().to_string(), said["id"].take());
    }
    let comparable = |frame: &mut Value| {
        let Some(members) = frame.as_object_mut() else { return };
        if members.get("method").is_some_and(|method| method == "initialize") {
            members.remove("params");
        } else if let Some(params) = members.get_mut("params").and_then(Value::as_object_mut) {
            params.remove("_meta");
            // No parameters and empty ones mean the same.
            if params.is_empty() {
                members.remove("params");
            }
        }
    };
    comparable(&mut wanted);
    comparable(&mut said);
    if wanted == said { Ok(()) } else { Err(other(found)) }
}

/// Returns a frame of the server from the transcript. An answer gets the id that this client gave the
/// request; `ids` maps ids in the transcript to those of this client.
fn readdressed(frame: &str, ids: &BTreeMap<String, Value>) -> String {
    let Ok(mut answer) = serde_json::from_str::<Value>(frame) else { return frame.to_owned() };
    let written = answer.get("id").map(Value::to_string).unwrap_or_default();
    match ids.get(&written) {
        Some(id) if answer.get("method").is_none() && answer["id"] != *id => {
            answer["id"] = id.clone();
            answer.to_string()
        }
        // Other frames are sent byte for byte.
        _ => frame.to_owned(),
    }
}

/// Runs two futures in one task until both have ended.
async fn both<A, B>(a: impl Future<Output = A>, b: impl Future<Output = B>) -> (A, B) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut a_is, mut b_is) = (None, None);
    poll_fn(move |cx| {
        if a_is.is_none()
            && let Poll::Ready(is) = a.as_mut().poll(cx)
        {
            a_is = Some(is);
        }
        if b_is.is_none()
            && let Poll::Ready(is) = b.as_mut().poll(cx)
        {
            b_is = Some(is);
        }
        match (a_is.take(), b_is.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            halves => {
                (a_is, b_is) = halves;
                Poll::Pending
            }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn knows_a_paused_clock() {
        assert!(clock_is_paused());
    }

    #[tokio::test]
    async fn knows_a_running_clock() {
        for _ in 0..1_000 {
            assert!(!clock_is_paused());
        }
    }

    #[test]
    fn compares_what_a_client_says_without_what_is_its_own() {
        let same = |expected: &str, found: &str| compare(expected, Some(found), &mut BTreeMap::new()).is_ok();
        let call = |id: &str, more: &str| format!(r#"{{"id":{id},"method":"a","params":{{"n":1{more}}}}}"#);
        assert!(same(&call("1", ""), &call("\"x\"", r#","_meta":{"a":1}"#)));
        assert!(same(r#"{"method":"a","id":1}"#, r#"{"id":1,"method":"a"}"#));
        let hello = |name| format!(r#"{{"id":1,"method":"initialize","params":{{"clientInfo":"{name}"}}}}"#);
        assert!(same(&hello("a"), &hello("b")));
        assert!(!same(&call("1", ""), &call("1", r#","m":2"#)));
        assert!(!same(&call("1", ""), r#"{"method":"a","params":{"n":1}}"#));
        assert!(!same(r#"{"id":1,"result":{}}"#, r#"{"id":2,"result":{}}"#));
        assert!(!same(&call("1", ""), "nonsense"));
    }

    #[test]
    fn answers_under_the_id_that_was_asked_with() {
        let mut ids = BTreeMap::new();
        let request = |id: &str| format!(r#"{{"id":{id},"method":"a"}}"#);
        compare(&request("1"), Some(&request("\"x\"")), &mut ids).expect("the same");
        assert_eq!(readdressed(r#"{"id":1,"result":{}}"#, &ids), r#"{"id":"x","result":{}}"#);
        for as_it_is in [r#"{"id":1,"method":"ping"}"#, r#"{"id":"1","result":{}}"#, r#"{"z":1,"a":2}"#, "x"]
        {
            assert_eq!(readdressed(as_it_is, &ids), as_it_is);
        }
    }
}
