//! Calls through a proxy that cuts, delays, repeats and reorders connections. Each call has to end once: with
//! its own answer, or with an error that says that its outcome is unknown.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plainwire::client::http::Remote;
use plainwire::proto::peer::{EraChoice, RequestOptions};
use plainwire::{Client, Error, Result};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The longest time of a call. Its deadline is 5 s; the rest is for a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// The number of calls at a time.
const AT_A_TIME: usize = 50;

/// The ends of calls, by name, and how often each occurred.
pub(crate) type Ends = BTreeMap<String, usize>;

/// Makes `count` calls to `server` in each era. Returns their ends; those in the first map are as they should be.
pub(crate) async fn call(server: SocketAddr, count: usize) -> Result<(Ends, Ends)> {
    let (mut good, mut bad) = (Ends::new(), Ends::new());
    for (seed, era) in [(1, EraChoice::Legacy), (2, EraChoice::Modern)] {
        let failed = |source| Error::Io { doing: "opening the proxy", source };
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let proxy = tokio::spawn(proxy(listener, server, Dice::new(seed)));
        let client = Arc::new(connect(address, era).await?);
        let mut calls = JoinSet::new();
        for n in 0..count {
            if calls.len() >= AT_A_TIME {
                note(calls.join_next().await, &mut good, &mut bad);
            }
            let client = Arc::clone(&client);
            calls.spawn(async move {
                let message = format!("call {n}");
                let call = client.call::<String>("echo", json!({ "message": message }));
                let end = timeout(PATIENCE, call.deadline(Duration::from_secs(5))).await;
                (message, end)
            });
        }
        while let Some(ended) = calls.join_next().await {
            note(Some(ended), &mut good, &mut bad);
        }
        proxy.abort();
    }
    Ok((good, bad))
}

/// Connects, which may take several attempts through such a proxy.
async fn connect(address: SocketAddr, era: EraChoice) -> Result<Client> {
    let deadlines = RequestOptions { idle: Duration::from_secs(2), hard: Duration::from_secs(5) };
    let mut attempts = 0;
    loop {
        attempts += 1;
        let builder = Client::builder().era(era).deadlines(deadlines);
        match builder.remote(Remote::new(format!("http://{address}/mcp"))).await {
            Err(_) if attempts < 50 => {}
            ended => return ended,
        }
    }
}

type Ended = (String, std::result::Result<Result<String>, tokio::time::error::Elapsed>);

fn note(ended: Option<std::result::Result<Ended, tokio::task::JoinError>>, good: &mut Ends, bad: &mut Ends) {
    let (is_good, name) = match ended {
        Some(Ok((message, Ok(Ok(answer))))) if answer == message => (true, "answered".to_owned()),
        Some(Ok((_, Ok(Ok(_))))) => (false, "the answer to another call".to_owned()),
        Some(Ok((_, Ok(Err(Error::OutcomeUnknown { .. }))))) => (true, "outcome unknown".to_owned()),
        Some(Ok((_, Ok(Err(Error::Deadline { may_have_run: true, .. }))))) => (true, "deadline".to_owned()),
        Some(Ok((_, Ok(Err(Error::Unreachable { .. }))))) => (true, "not sent".to_owned()),
        // The proxy sent the request twice. The server of a session runs it once, and refuses the other one.
        Some(Ok((_, Ok(Err(Error::Rpc(error)))))) if error.message().contains("`id` to be new") => {
            (true, "refused as a repetition".to_owned())
        }
        Some(Ok((_, Ok(Err(error))))) => (false, error.to_string()),
        Some(Ok((_, Err(_)))) => (false, "hangs".to_owned()),
        Some(Err(error)) => (false, error.to_string()),
        None => return,
    };
    *if is_good { good } else { bad }.entry(name).or_default() += 1;
}

/// Numbers that look random, and are the same in each run.
#[derive(Clone)]
struct Dice(Arc<AtomicU64>);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(Arc::new(AtomicU64::new(seed)))
    }

    /// Returns a number below `most`.
    fn roll(&self, most: u64) -> u64 {
        // SplitMix64.
        let mut z = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % most
    }
}

/// Passes connections on to `server`, most of them with a fault.
async fn proxy(listener: TcpListener, server: SocketAddr, dice: Dice) {
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        tokio::spawn(pass(client, server, dice.clone()));
    }
}

async fn pass(client: TcpStream, server: SocketAddr, dice: Dice) -> std::io::Result<()> {
    // Later connections overtake this one.
    if dice.roll(4) == 0 {
        sleep(Duration::from_millis(dice.roll(80))).await;
    }
    // The request arrives twice, as from a proxy that tries again, and one of the answers is lost.
    let twin = if dice.roll(10) == 0 { Some(TcpStream::connect(server).await?) } else { None };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = TcpStream::connect(server).await?.into_split();
    let cut_request = cut(&dice);
    let cut_response = cut(&dice);
    let twin = twin.map(TcpStream::into_split);
    let (twin_reads, twin_writes) = twin.map_or((None, None), |(reads, writes)| (Some(reads), Some(writes)));
    tokio::select! {
        () = carry(from_client, to_server, twin_writes, cut_request) => {}
        () = carry(from_server, to_client, None, cut_response) => {}
        () = swallow(twin_reads) => {}
    }
    Ok(())
}

/// Returns after how many bytes a direction is cut: mostly never.
fn cut(dice: &Dice) -> u64 {
    if dice.roll(2) == 0 { dice.roll(20_000) } else { u64::MAX }
}

/// Carries bytes until the end, or until `most` have passed; then both directions end.
async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut twin: Option<OwnedWriteHalf>, most: u64) {
    let (mut passed, mut buffer) = (0, vec![0; 16 << 10]);
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let rest = usize::try_from(most - passed).unwrap_or(usize::MAX).min(read);
        if to.write_all(&buffer[..rest]).await.is_err() {
            return;
        }
        if let Some(twin) = &mut twin {
            let _ = twin.write_all(&buffer[..rest]).await;
        }
        passed += rest as u64;
        if rest < read {
            return;
        }
    }
}

/// Reads and drops everything, and never ends.
async fn swallow(from: Option<OwnedReadHalf>) {
    if let Some(mut from) = from {
        let mut buffer = vec![0; 16 << 10];
        while from.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
    }
    std::future::pending::<()>().await;
}
