//! Speed of a server over HTTP, in each era.

use std::time::{Duration, Instant};

use super::client::Client;
use super::load::{Sessions, all, connect, flood};
use super::message::{Ask, Era};
use super::server::{Address, Server};
use super::{add, block_on};
use crate::table::{Measures, Section, Target, median};

pub const SECTIONS: [Section; 2] = [
    ("HTTP, 2025-11-25 (sessions)", |target| measure(target, Era::Sessions)),
    ("HTTP, 2026-07-28 (no sessions)", |target| measure(target, Era::Stateless)),
];

const SECOND: Duration = Duration::from_secs(1);

/// Number of connections, unless a row names another one.
const MANY: usize = 64;

/// Number of connections that begin sessions.
const BEGINNERS: usize = 16;

fn measure(target: &Target, era: Era) -> Result<Measures, String> {
    let mut measures = Measures::new();
    let server = Server::start(&target.path, 0)?;
    block_on(measure_answers(&server, era, &mut measures))?;
    drop(server);
    add(&mut measures, ["tools/list of 100, CPU us"], block_on(lists(&target.path, era)));
    if era == Era::Sessions {
        add(&mut measures, ["sessions begun per s"], block_on(begun(&target.path)));
    }
    let names = [
        "TLS: echo, 64 connections, calls/s",
        "TLS: echo, 64 connections, CPU s per 100k",
        "TLS: 1 MB out, MB/s",
        "TLS: connections begun per s",
    ];
    add(&mut measures, names, block_on(encrypted(&target.path, era)));
    Ok(measures)
}

async fn measure_answers(server: &Server, era: Era, measures: &mut Measures) -> Result<(), String> {
    let at = &server.address;
    flood(server, connect(at, era, MANY, Sessions::One).await?, SECOND / 2, Ask::Echo).await?;
    let names = ["echo alone, p50 us", "echo alone, p99 us", "echo alone, CPU s per 100k"];
    add(measures, names, alone(server, era).await);
    let names = [
        "echo, 64 connections, calls/s",
        "echo, 64 connections, p50 us",
        "echo, 64 connections, p99 us",
        "echo, 64 connections, CPU s per 100k",
    ];
    add(measures, names, echoes(server, era, Sessions::One).await);
    if era == Era::Sessions {
        let names = ["the same, a session each, calls/s", "the same, a session each, CPU s per 100k"];
        let each = echoes(server, era, Sessions::OneEach).await;
        add(measures, names, each.map(|[rate, _, _, cpu]| [rate, cpu]));
    }
    add(measures, ["1 MB out, MB/s"], throughput(server, era, Ask::Blob).await);
    add(measures, ["1 MB in and back, MB/s"], throughput(server, era, Ask::big()).await);
    add(measures, ["1,000 calls of 100 ms, ms"], naps(at, era).await);
    add(measures, ["cancel until stopped, us"], cancels(at, era).await);
    Ok(())
}

/// Measures one connection with one request after another. A server that waits for a TCP acknowledgement
/// shows 40 ms here.
async fn alone(server: &Server, era: Era) -> Result<[f64; 3], String> {
    let clients = connect(&server.address, era, 1, Sessions::One).await?;
    let flood = flood(server, clients, SECOND, Ask::Echo).await?;
    Ok([flood.micros_at(0.5), flood.micros_at(0.99), flood.cpu_per_100k()])
}

async fn echoes(server: &Server, era: Era, sessions: Sessions) -> Result<[f64; 4], String> {
    let clients = connect(&server.address, era, MANY, sessions).await?;
    let flood = flood(server, clients, SECOND * 2, Ask::Echo).await?;
    Ok([flood.per_second(), flood.micros_at(0.5), flood.micros_at(0.99), flood.cpu_per_100k()])
}

/// Returns the MB/s of the median request of 1 MB.
async fn throughput(server: &Server, era: Era, ask: Ask) -> Result<[f64; 1], String> {
    let clients = connect(&server.address, era, 1, Sessions::One).await?;
    Ok([1e6 / flood(server, clients, SECOND, ask).await?.micros_at(0.5)])
}

/// Makes 1,000 calls at once, each on an open connection of its own; returns the milliseconds until the last
/// answer.
async fn naps(at: &Address, era: Era) -> Result<[f64; 1], String> {
    let clients = connect(at, era, 1_000, Sessions::One).await?;
    let began = Instant::now();
    all(clients.into_iter().map(|mut client| async move { client.ask(&Ask::Nap(100)).await })).await?;
    Ok([began.elapsed().as_secs_f64() * 1e3])
}

async fn cancels(at: &Address, era: Era) -> Result<[f64; 1], String> {
    let mut micros = Vec::new();
    for _ in 0..5 {
        micros.push(cancel(at, era).await?);
    }
    Ok([median(&micros)])
}

/// Cancels a nap of 3 s; returns the microseconds until another connection sees no running nap, or infinity
/// after 500 ms.
async fn cancel(at: &Address, era: Era) -> Result<f64, String> {
    let mut asking = Client::begin(at, era).await?;
    let mut napping = Client::open(at, era).await?;
    napping.session = asking.session.clone();
    let victim = napping.send_only(&Ask::Nap(3_000)).await?;
    while asking.active().await? == 0 {}
    let began = Instant::now();
    let _connected = match era {
        Era::Sessions => {
            asking.ask(&Ask::Cancel(victim)).await?;
            Some(napping)
        }
        // In this era, closing the connection cancels the request.
        Era::Stateless => {
            drop(napping);
            None
        }
    };
    while asking.active().await? > 0 {
        if began.elapsed() > SECOND / 2 {
            while asking.active().await? > 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            return Ok(f64::INFINITY);
        }
    }
    Ok(began.elapsed().as_secs_f64() * 1e6)
}

async fn lists(path: &str, era: Era) -> Result<[f64; 1], String> {
    let server = Server::start(path, 100)?;
    let at = &server.address;
    flood(&server, connect(at, era, 8, Sessions::One).await?, SECOND / 4, Ask::List).await?;
    let flood = flood(&server, connect(at, era, 8, Sessions::One).await?, SECOND, Ask::List).await?;
    Ok([flood.cpu_micros()])
}

/// Returns the sessions begun per second on open connections: `initialize` and `notifications/initialized`.
async fn begun(path: &str) -> Result<[f64; 1], String> {
    let server = Server::start(path, 0)?;
    let clients = connect(&server.address, Era::Sessions, BEGINNERS, Sessions::One).await?;
    let began = Instant::now();
    let beginning = clients.into_iter().map(|mut client| async move {
        let mut count = 0.0;
        while began.elapsed() < SECOND {
            client.begin_session().await?;
            count += 1.0;
        }
        Ok(count)
    });
    let count: f64 = all(beginning).await?.iter().sum();
    Ok([count / began.elapsed().as_secs_f64()])
}

async fn encrypted(path: &str, era: Era) -> Result<[f64; 4], String> {
    let server = Server::start_with_tls(path)?;
    let [rate, _, _, cpu] = echoes(&server, era, Sessions::One).await?;
    let [out] = throughput(&server, era, Ask::Blob).await?;
    let (began, mut connections) = (Instant::now(), 0.0);
    let mut first = Client::begin(&server.address, era).await?;
    while began.elapsed() < SECOND {
        let mut client = Client::open(&server.address, era).await?;
        client.session = first.session.clone();
        client.ask(&Ask::Echo).await?;
        connections += 1.0;
    }
    first.ask(&Ask::Echo).await?;
    Ok([rate, cpu, out, connections / began.elapsed().as_secs_f64()])
}
