//! Acts on connections to an HTTP server.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::h2;
use super::messages::{head, modern, modern_headers};
use crate::behaviours::Piece;
use crate::text::Values;

/// The largest number of connections at a time.
const AT_A_TIME: usize = 1_000;

/// The longest wait for room to write.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Opens connections and acts on each. `scale` divides the number of repetitions.
pub(crate) async fn act(server: &str, session: &str, connections: u32, pieces: &'static [Piece], scale: u32) {
    let mut all = JoinSet::new();
    for n in 0..connections {
        if all.len() >= AT_A_TIME {
            all.join_next().await;
        }
        let Ok(stream) = TcpStream::connect(server).await else { continue };
        let values = Values { n: u64::from(n) * 1_000_000, session: session.to_owned(), ..Values::default() };
        let mut actor = Actor { stream, values, stream_id: 1, scale };
        all.spawn(async move {
            // A server that closes a connection does what it may.
            let _ = actor.act_all(pieces).await;
        });
    }
    while all.join_next().await.is_some() {}
}

/// Acts on one connection.
pub(crate) struct Actor {
    pub(crate) stream: TcpStream,
    pub(crate) values: Values,
    /// The newest stream of HTTP/2.
    pub(crate) stream_id: u32,
    pub(crate) scale: u32,
}

impl Actor {
    pub(crate) async fn act_all(&mut self, pieces: &'static [Piece]) -> std::io::Result<()> {
        for piece in pieces {
            match piece {
                Piece::Times(times, pieces) => {
                    for _ in 0..(times / self.scale).max(1) {
                        Box::pin(self.act_all(pieces)).await?;
                    }
                }
                Piece::Pause(ms) => sleep(Duration::from_millis(*ms)).await,
                Piece::Read(ms) => self.read_for(Duration::from_millis(*ms)).await,
                Piece::HalfClose => self.stream.shutdown().await?,
                other => {
                    let bytes = self.bytes(other);
                    timeout(PATIENCE, self.stream.write_all(&bytes)).await??;
                }
            }
        }
        Ok(())
    }

    fn bytes(&mut self, piece: &Piece) -> Vec<u8> {
        match piece {
            Piece::Text(text) => self.values.fill(text),
            Piece::Bytes(bytes) => bytes.to_vec(),
            Piece::Post(message) => {
                let message = modern(&self.values.fill(message));
                let extra: String = modern_headers(&message)
                    .iter()
                    .map(|(name, value)| format!("{name}: {value}\r\n"))
                    .collect();
                let mut bytes = head("/mcp", &extra, message.len(), "keep-alive").into_bytes();
                bytes.extend(message);
                bytes
            }
            Piece::H2Open(window) => h2::open(*window),
            Piece::H2Post(message) => {
                let message = self.values.fill(message);
                let message = if message.is_empty() { message } else { modern(&message) };
                let bytes = h2::post(self.stream_id, &message);
                self.stream_id += 2;
                bytes
            }
            Piece::H2Reset => h2::frame(3, 0, self.stream_id.saturating_sub(2), &[0, 0, 0, 8]),
            Piece::H2Frame(kind, flags, stream, payload) => h2::frame(*kind, *flags, *stream, payload),
            Piece::Times(..) | Piece::Pause(_) | Piece::Read(_) | Piece::HalfClose => Vec::new(),
        }
    }

    async fn read_for(&mut self, time: Duration) {
        let (until, mut buffer) = (Instant::now() + time, vec![0; 64 << 10]);
        while let Ok(Ok(1..)) = timeout_at(until, self.stream.read(&mut buffer)).await {}
    }
}
