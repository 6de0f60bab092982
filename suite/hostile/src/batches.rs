//! Batches of 500 calls that sleep, of which many end at the same time, under load. Each batch has to be answered
//! whole.

use std::io::{Error, Result};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::client::messages::{self, Transport};

/// The number of calls in a batch.
const CALLS: usize = 500;

/// The number of sessions that send batches at the same time. All of them together have fewer calls than one caller
/// may have.
const SESSIONS: usize = 6;

/// The longest time until a batch is answered.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends `count` batches to `server`. Returns how many were answered.
///
/// # Errors
/// If a batch is not answered, or not whole.
pub(crate) async fn send(server: &str, count: usize) -> Result<usize> {
    let mut sessions = JoinSet::new();
    for at in 0..SESSIONS.min(count) {
        let server = server.to_owned();
        let mine = count / SESSIONS + usize::from(at < count % SESSIONS);
        sessions.spawn(async move {
            let session = messages::open_session(&server, &["["]).await;
            let session = session.ok_or_else(|| Error::other("no session"))?;
            for n in 0..mine {
                one(&server, &session, n).await?;
            }
            Ok::<_, Error>(mine)
        });
    }
    let mut answered = 0;
    while let Some(ended) = sessions.join_next().await {
        answered += ended.map_err(Error::other)??;
    }
    Ok(answered)
}

async fn one(server: &str, session: &str, n: usize) -> Result<()> {
    let calls = (0..CALLS).map(|at| {
        // Some hundred calls end together, the others before and after.
        let ms = [1, 5, 5, 5, 20][(at + n) % 5];
        format!(
            r#"{{"jsonrpc":"2.0","id":{at},"method":"tools/call","params":{{"name":"sleep","arguments":{{"ms":{ms}}}}}}}"#
        )
    });
    let batch = format!("[{}]", calls.collect::<Vec<_>>().join(","));
    let (path, headers) = messages::address(Transport::Session, session);
    let stream = messages::post(server, &path, &headers, batch.as_bytes()).await;
    let mut stream = stream.ok_or_else(|| Error::other("no connection"))?;
    let mut response = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut response)).await;
    read.map_err(|_| Error::other(format!("batch {n} is unanswered after {PATIENCE:?}")))??;
    let answers = String::from_utf8_lossy(&response).matches(r#""text":"slept""#).count();
    if answers == CALLS {
        return Ok(());
    }
    let start = String::from_utf8_lossy(&response[..response.len().min(300)]).into_owned();
    Err(Error::other(format!("batch {n} has {answers} answers: {start:?}")))
}
