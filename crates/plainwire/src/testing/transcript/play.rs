//! Transcripts played again: the client's part to a server, or the server's part to a client.
//!
//! In: a transcript, and the other side. Out: what a server says to it now, or the first thing that a client says
//! otherwise.

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
    /// Plays the client's part to `server`: one frame at a time, the next one when the server is silent. Returns the
    /// transcript with what the server says now; what it still says when the client has left stands last.
    ///
    /// With the clock of the runtime paused (`#[tokio::test(start_paused = true)]`, feature `test-util` of tokio)
    /// this takes no time, and is the same every time: a server is silent when nobody has anything to do for a minute of
    /// that clock, or for an hour while something is missing that stands in the transcript. With a running clock it is
    /// 100 ms, and 5 s: what comes later is taken for the answer to the next frame.
    ///
    /// # Errors
    /// [`Error::Declaration`] if the server is declared wrongly; [`Error::Closed`] if it stops before the client is
    /// through.
    pub async fn play(&self, server: Server) -> Result<Self> {
        let (ours, theirs) = memory::pair();
        crate::server::connection::serve_in_background(server.into_connection(theirs)?);
        let said = speak(&self.steps, ours).await;
        Ok(Self { steps: said.map_err(|why| Error::Closed { why: why.to_string() })? })
    }

    /// Plays the server's part to a client, and has `check` use that client.
    ///
    /// Each step waits for as many frames of the client as it has, in their order, and answers with the frames of the
    /// server. What the client says is compared as JSON, without `_meta` and without the parameters of `initialize`,
    /// where names and versions stand. Ids of requests may be other ones; so may progress tokens, but then no progress
    /// comes.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if the client says something else, too much or too little; what `check` says.
    pub async fn play_server(
        &self,
        client: ClientBuilder,
        check: impl AsyncFnOnce(Client) -> Result<()>,
    ) -> Result<()> {
        let (ours, theirs) = memory::pair();
        let checked = async { check(client.stream(ours).await?).await };
        match both(checked, answer(&self.steps, theirs)).await {
            // Whatever the client said wrong, the connection ended after it: that is no news.
            (Err(Error::Closed { .. } | Error::OutcomeUnknown { .. }) | Ok(()), answered) => answered,
            (Err(error), _) => Err(error),
        }
    }
}

/// How long a server has to be silent before the client goes on.
struct Patience {
    /// When it has said what stands in the transcript, or nothing is known of that.
    enough: Duration,
    /// When something is missing.
    missing: Duration,
}

impl Patience {
    /// A paused clock jumps as soon as nobody has anything to do, so that an hour takes no time. What is enough is less
    /// than the 10 min after which a question to the client is given up.
    fn new() -> Self {
        if clock_is_paused() {
            return Self { enough: Duration::from_secs(60), missing: Duration::from_secs(3600) };
        }
        Self { enough: Duration::from_millis(100), missing: Duration::from_secs(5) }
    }
}

/// Whether the runtime's clock stands still while that of the system moves: nothing else tells a paused one.
fn clock_is_paused() -> bool {
    let before = Instant::now();
    let began = std::time::Instant::now();
    while std::time::Instant::now() == began {}
    Instant::now() == before
}

async fn speak(steps: &[Step], stream: Stream) -> std::io::Result<Vec<Step>> {
    let Stream { reader, mut writer } = stream;
    let mut answers = BufReader::new(reader).lines();
    let patience = Patience::new();
    let mut random = Random::default();
    let mut said = Vec::new();
    for step in steps {
        let mut heard = Vec::new();
        for (n, line) in step.client.iter().enumerate() {
            let line = random.sent(line) + "\n";
            writer.write_all(line.as_bytes()).await?;
            let expected = if n + 1 == step.client.len() { step.server.len() } else { 0 };
            let now = listen(&mut answers, &patience, expected.saturating_sub(heard.len())).await?;
            heard.extend(now.iter().map(|answer| random.heard(answer)));
        }
        said.push(Step { server: heard, ..step.clone() });
    }
    writer.shutdown().await?;
    let rest = listen(&mut answers, &patience, usize::MAX).await?;
    if let Some(last) = said.last_mut() {
        last.server.extend(rest.iter().map(|answer| random.heard(answer)));
    }
    Ok(said)
}

/// Returns what is said until silence, or until the end.
async fn listen(
    answers: &mut Lines<BufReader<impl AsyncRead + Unpin>>,
    patience: &Patience,
    expected: usize,
) -> std::io::Result<Vec<String>> {
    let mut heard = Vec::new();
    loop {
        let silence = if heard.len() < expected { patience.missing } else { patience.enough };
        // Cancel safe: `next_line` keeps what it has read of a line.
        match tokio::time::timeout(silence, answers.next_line()).await {
            Ok(line) => match line? {
                Some(line) => heard.push(line),
                None => return Ok(heard),
            },
            Err(_) => return Ok(heard),
        }
    }
}

/// Says the server's part, as long as the client says its own.
async fn answer(steps: &[Step], stream: Stream) -> Result<()> {
    let Stream { reader, mut writer } = stream;
    let mut lines = BufReader::new(reader).lines();
    // What the client left behind when it went away.
    let gone = |why: std::io::Error| Error::Closed { why: why.to_string() };
    let mut ids = BTreeMap::new();
    let mut random = Random::default();
    for (n, step) in steps.iter().enumerate() {
        for expected in &step.client {
            let found = lines.next_line().await.map_err(gone)?;
            heard(&random.sent(expected), found.as_deref(), &mut ids)
                .map_err(|message| Error::Mismatch { message: format!("step {}: {message}", n + 1) })?;
        }
        for frame in &step.server {
            random.heard(frame);
            let frame = readdressed(frame, &ids) + "\n";
            writer.write_all(frame.as_bytes()).await.map_err(gone)?;
        }
        writer.flush().await.map_err(gone)?;
    }
    match lines.next_line().await.map_err(gone)? {
        Some(found) => {
            let message = format!("expected the client to have nothing left to say, but it said {found}");
            Err(Error::Mismatch { message })
        }
        None => Ok(()),
    }
}

/// Compares what a client says with what is written down, and notes under which id it asks.
fn heard(expected: &str, found: Option<&str>, ids: &mut BTreeMap<String, Value>) -> Result<(), String> {
    let other = |found: &str| format!("expected the client to say {expected}\nbut found {found}");
    let found = found.ok_or_else(|| other("that it had left"))?;
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

/// Returns a frame of the server; an answer goes to the id under which this client asked.
fn readdressed(frame: &str, ids: &BTreeMap<String, Value>) -> String {
    let Ok(mut answer) = serde_json::from_str::<Value>(frame) else { return frame.to_owned() };
    let written = answer.get("id").map(Value::to_string).unwrap_or_default();
    match ids.get(&written) {
        Some(id) if answer.get("method").is_none() && answer["id"] != *id => {
            answer["id"] = id.clone();
            answer.to_string()
        }
        // Byte for byte, wherever that is possible.
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
        let same = |expected: &str, found: &str| heard(expected, Some(found), &mut BTreeMap::new()).is_ok();
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
        heard(&request("1"), Some(&request("\"x\"")), &mut ids).expect("the same");
        assert_eq!(readdressed(r#"{"id":1,"result":{}}"#, &ids), r#"{"id":"x","result":{}}"#);
        for as_it_is in [r#"{"id":1,"method":"ping"}"#, r#"{"id":"1","result":{}}"#, r#"{"z":1,"a":2}"#, "x"]
        {
            assert_eq!(readdressed(as_it_is, &ids), as_it_is);
        }
    }
}
