//! Load: many connections that each ask one thing after another, and how that went.

use std::future::Future;
use std::time::{Duration, Instant};

use super::client::Client;
use super::message::{Ask, Era};
use super::server::{Address, Server};
use crate::table::quantile;

/// Whether connections share a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sessions {
    One,
    OneEach,
}

/// What a flood came to.
pub struct Flood {
    /// CPU seconds of the server.
    cpu: f64,
    /// From sending to the end of the response, in microseconds.
    micros: Vec<f64>,
    seconds: f64,
}

/// Opens connections.
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

/// Has all of them ask for `time`, at least once each.
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

/// Runs all of them at the same time.
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

    /// CPU seconds of the server for 100,000 of them.
    pub fn cpu_per_100k(&self) -> f64 {
        self.cpu * 1e5 / self.micros.len() as f64
    }

    /// CPU microseconds of the server for each.
    pub fn cpu_micros(&self) -> f64 {
        self.cpu * 1e6 / self.micros.len() as f64
    }

    pub fn micros_at(&self, share: f64) -> f64 {
        quantile(&self.micros, share)
    }
}
