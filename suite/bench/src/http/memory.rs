//! Memory of a server per connection, session and stream.
//!
//! Each row measures a new server, but the two rows about sessions share one. First 200 connections, sessions
//! or streams are opened, so that one-time allocations do not count. Then resident memory is read, 10,000 more
//! are opened, and it is read again. Memory of the kernel for sockets is not included.

use std::future::Future;
use std::net::Ipv4Addr;
use std::time::Duration;

use super::client::Client;
use super::message::{Ask, Era};
use super::server::Server;
use super::{add, block_on};
use crate::table::{Measures, Section, Target};

pub const SECTIONS: [Section; 1] = [("KiB each, of 10,000", measure)];

const COUNT: usize = 10_000;
const FIRST: usize = 200;

/// Time for the server to release memory.
const SETTLE: Duration = Duration::from_millis(500);

/// Time until idle sessions count as at rest: two sweeps of five seconds, and a margin.
const REST: Duration = Duration::from_secs(12);

/// Streams from one address. The server allows 16.
const STREAMS_PER_ADDRESS: usize = 10;

fn measure(target: &Target) -> Result<Measures, String> {
    let mut measures = Measures::new();
    let path = &target.path;
    let one = |kib: Result<f64, String>| kib.map(|kib| [kib]);
    add(
        &mut measures,
        ["connection, a request answered"],
        one(block_on(connections(Server::start(path, 0)))),
    );
    let encrypted = block_on(connections(Server::start_with_tls(path)));
    add(&mut measures, ["the same, TLS"], one(encrypted));
    add(&mut measures, ["session, just begun", "session, at rest"], block_on(sessions(path)));
    add(&mut measures, ["session and connection with open GET"], one(block_on(session_streams(path))));
    add(&mut measures, ["connection with subscriptions/listen"], one(block_on(listens(path))));
    Ok(measures)
}

/// Returns the memory of a connection that has made one request and stays open.
async fn connections(server: Result<Server, String>) -> Result<f64, String> {
    let server = server?;
    growth(&server, |_| async {
        let mut client = Client::open(&server.address, Era::Stateless).await?;
        client.ask(&Ask::Echo).await?;
        Ok(client)
    })
    .await
}

/// Returns the memory of a session without a connection, just begun and at rest. The second value is from a
/// second batch of sessions, which reuses memory that the server needed while the first batch began.
async fn sessions(path: &str) -> Result<[f64; 2], String> {
    let server = Server::start(path, 0)?;
    let mut client = Client::open(&server.address, Era::Sessions).await?;
    let mut read = [0.0; 4];
    for (at, count) in [FIRST, COUNT, 0, COUNT].into_iter().enumerate() {
        for _ in 0..count {
            client.begin_session().await?;
        }
        tokio::time::sleep(if at < 2 { SETTLE } else { REST }).await;
        read[at] = server.resident_kib()?;
    }
    Ok([(read[1] - read[0]) / COUNT as f64, (read[3] - read[2]) / COUNT as f64])
}

async fn session_streams(path: &str) -> Result<f64, String> {
    let server = Server::start(path, 0)?;
    growth(&server, |_| async {
        let mut client = Client::begin(&server.address, Era::Sessions).await?;
        client.open_session_stream().await?;
        Ok(client)
    })
    .await
}

async fn listens(path: &str) -> Result<f64, String> {
    let server = Server::start(path, 0)?;
    growth(&server, |at| {
        let at = at / STREAMS_PER_ADDRESS;
        let from = Ipv4Addr::new(127, 1, (at / 250) as u8, (at % 250 + 1) as u8);
        let server = &server;
        async move {
            let mut client = Client::open_from(from, &server.address, Era::Stateless).await?;
            client.listen().await?;
            Ok(client)
        }
    })
    .await
}

/// Opens clients and keeps them; returns the server's growth per client in KiB.
async fn growth<F>(server: &Server, mut open: impl FnMut(usize) -> F) -> Result<f64, String>
where
    F: Future<Output = Result<Client, String>>,
{
    let mut clients = Vec::new();
    for at in 0..FIRST {
        clients.push(open(at).await?);
    }
    tokio::time::sleep(SETTLE).await;
    let before = server.resident_kib()?;
    for at in FIRST..FIRST + COUNT {
        clients.push(open(at).await.map_err(|error| format!("the {at}th: {error}"))?);
    }
    tokio::time::sleep(SETTLE).await;
    let grown = server.resident_kib()? - before;
    drop(clients);
    Ok(grown / COUNT as f64)
}
