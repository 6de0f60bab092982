//! Drives a client of `tokio`. Each call is a task, as in a program that does other work too.

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::calling::{Ask, Calling, More, message};

/// The calls of a client, each with the text of its answer.
pub(crate) trait Client: Clone + Send + Sync + 'static {
    fn echo(&self, message: String) -> impl Future<Output = Result<String, String>> + Send;
    fn blob(&self, bytes: usize) -> impl Future<Output = Result<String, String>> + Send;
}

/// A client on the runtime of `#[tokio::main]`.
pub(crate) struct Tasks<C> {
    pub(crate) client: C,
    pub(crate) runtime: Runtime,
}

impl<C: Client> Calling for Tasks<C> {
    fn alone(&mut self, mut more: More) -> Result<Vec<f64>, String> {
        let client = self.client.clone();
        let asking = self.runtime.spawn(async move {
            let mut micros = Vec::new();
            while let Some(ask) = more.next() {
                micros.push(answered(&client, ask).await?);
            }
            Ok(micros)
        });
        self.runtime.block_on(asking).map_err(|error| error.to_string())?
    }

    fn in_flight(&mut self, window: usize, time: Duration) -> Result<u64, String> {
        let began = Instant::now();
        let tasks: Vec<_> = (0..window)
            .map(|_| {
                let client = self.client.clone();
                self.runtime.spawn(async move {
                    let mut count = 0;
                    while began.elapsed() < time {
                        answered(&client, Ask::Echo(count)).await?;
                        count += 1;
                    }
                    Ok::<_, String>(count)
                })
            })
            .collect();
        self.runtime.block_on(async {
            let mut all = 0;
            for task in tasks {
                all += task.await.map_err(|error| error.to_string())??;
            }
            Ok(all)
        })
    }
}

/// Makes a call and checks its answer; returns the microseconds that it took.
async fn answered(client: &impl Client, ask: Ask) -> Result<f64, String> {
    let began = Instant::now();
    let (is_right, text) = match ask {
        Ask::Blob(bytes) => {
            let text = client.blob(bytes).await?;
            (text.len() == bytes, text)
        }
        Ask::Echo(number) => {
            let text = client.echo(message(number)).await?;
            (text == message(number), text)
        }
    };
    let took = began.elapsed().as_secs_f64() * 1e6;
    is_right.then_some(took).ok_or_else(|| format!("expected what was asked for, but found {text:.80}"))
}
