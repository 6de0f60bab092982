//! Load: many connections that each make one request after another, and their times.

use std::future::Future;
use std::time::{Duration, Instant};

use super::client::Client;
use super::message::{Ask, Era};
use super::server::{Address, Server};
use crate::table::quantile;

/// The sessions of several connections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sessions {
    One,
    OneEach,
}

/// The times of a flood of requests.
pub struct Flood {
    /// CPU seconds of the server.
    cpu: f64,
    /// Microseconds from sending to the end of the response, for each request.
    micros: Vec<f64>,
    seconds: f64,
}

/// Opens `count` connections.
pub async fn connect(
    address: &Address,
    era: Era,
    count: usize,
    sessions: Sessions,
) -> Result<Vec<Client>, String> {
    let mut clients: Vec<Client> = Vec::new();
    for at in 0..count {
        let mut client = Client::open(address, era).await?;
        if at == 0 || sessions == Sessions::OneEach {
            client.begin_session().await?;
        } else {
            client.session = clients[0].session.clone();
        }
        clients.push(client);
    }
    Ok(clients)
}

/// Makes requests on all connections for `time`, at least one on each.
pub async fn flood(server: &Server, clients: Vec<Client>, time: Duration, ask: Ask) -> Result<Flood, String> {
    let (cpu, began) = (server.cpu()?, Instant::now());
    let asking = clients.into_iter().map(|mut client| {
        let ask = ask.clone();
        async move {
            let mut micros = Vec::new();
            while micros.is_empty() || began.elapsed() < time {
                micros.push(client.ask(&ask).await?.as_secs_f64() * 1e6);
            }
            Ok(micros)
        }
    });
    let micros = all(asking).await?.concat();
    Ok(Flood { cpu: server.cpu()? - cpu, micros, seconds: began.elapsed().as_secs_f64() })
}

/// Runs all futures at the same time.
pub async fn all<T: Send + 'static>(
    futures: impl Iterator<Item = impl Future<Output = Result<T, String>> + Send + 'static>,
) -> Result<Vec<T>, String> {
    #[expect(clippy::disallowed_methods, reason = "the one place of the driver that spawns")]
    let tasks: Vec<_> = futures.map(tokio::spawn).collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.map_err(|error| error.to_string())??);
    }
    Ok(results)
}

impl Flood {
    pub fn per_second(&self) -> f64 {
        self.micros.len() as f64 / self.seconds
    }

    /// Returns the CPU seconds of the server for 100,000 requests.
    pub fn cpu_per_100k(&self) -> f64 {
        self.cpu * 1e5 / self.micros.len() as f64
    }

    /// Returns the CPU microseconds of the server for each request.
    pub fn cpu_micros(&self) -> f64 {
        self.cpu * 1e6 / self.micros.len() as f64
    }

    pub fn micros_at(&self, share: f64) -> f64 {
        quantile(&self.micros, share)
    }
}
