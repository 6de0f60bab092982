//! Acts on connections to an HTTP server.

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Result};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::h2;
use super::messages::{head, modern, modern_headers};
use crate::behaviours::{Door, Piece};
use crate::text::Values;

/// The largest number of connections at a time.
const AT_A_TIME: usize = 1_000;

/// The longest wait for room to write.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// The longest wait for a value that is taken.
const TAKING: u64 = 5_000;

/// The addresses of the two servers in a process under test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doors {
    pub(crate) open: String,
    pub(crate) guarded: String,
}

/// Opens connections and acts on each. `scale` divides the number of repetitions. Returns what the server under test
/// should have done and did not, of one of the connections.
pub(crate) async fn act(
    doors: &Doors,
    values: &Values,
    connections: u32,
    pieces: &'static [Piece],
    scale: u32,
) -> Option<String> {
    let (mut all, mut wrong) = (JoinSet::new(), None);
    let mut note = |ended: Option<std::result::Result<Result<()>, tokio::task::JoinError>>| match ended {
        // A server that closes a connection does what it may.
        Some(Ok(Err(error))) if error.kind() == ErrorKind::InvalidData => wrong = Some(error.to_string()),
        Some(Err(error)) => wrong = Some(error.to_string()),
        _ => {}
    };
    for n in 0..connections {
        if all.len() >= AT_A_TIME {
            note(all.join_next().await);
        }
        let Ok(stream) = TcpStream::connect(&doors.open).await else { continue };
        let mut actor = Actor::new(stream, Values { n: u64::from(n) * 1_000_000, ..values.clone() }, scale);
        actor.doors = doors.clone();
        all.spawn(async move { actor.act_all(pieces).await });
    }
    while let Some(ended) = all.join_next().await {
        note(Some(ended));
    }
    wrong
}

/// Acts on one connection, or on several by turns.
pub(crate) struct Actor {
    pub(crate) line: Line,
    pub(crate) values: Values,
    doors: Doors,
    /// The name of `line`.
    name: (Door, u8),
    /// The other connections, which stay open.
    parked: HashMap<(Door, u8), Line>,
    scale: u32,
}

/// A connection.
pub(crate) struct Line {
    pub(crate) stream: TcpStream,
    /// The bytes that have arrived, of which nothing was made yet.
    pub(crate) read: Vec<u8>,
    /// The next stream of HTTP/2.
    stream_id: u32,
}

impl Line {
    fn new(stream: TcpStream) -> Self {
        Self { stream, read: Vec::new(), stream_id: 1 }
    }
}

impl Actor {
    pub(crate) fn new(stream: TcpStream, values: Values, scale: u32) -> Self {
        let values = Values { scale, ..values };
        let (line, name) = (Line::new(stream), (Door::Open, 0));
        Self { line, values, doors: Doors::default(), name, parked: HashMap::new(), scale }
    }

    /// Acts one piece after the other.
    ///
    /// # Errors
    /// `InvalidData` if the other side did not do what it should; otherwise the error of the connection.
    pub(crate) async fn act_all(&mut self, pieces: &'static [Piece]) -> Result<()> {
        for piece in pieces {
            match piece {
                Piece::Times(times, pieces) => {
                    for _ in 0..(times / self.scale).max(1) {
                        Box::pin(self.act_all(pieces)).await?;
                    }
                }
                Piece::Pause(ms) => sleep(Duration::from_millis(*ms)).await,
                Piece::Read(ms) => self.read_for(Duration::from_millis(*ms)).await,
                Piece::Until(text, ms) => {
                    let end = self.find(text.as_bytes(), *ms).await?;
                    self.line.read.drain(..end);
                }
                Piece::Take(text) => self.take(text).await?,
                Piece::On(door, number) => self.go_to((*door, *number)).await?,
                Piece::HalfClose => self.line.stream.shutdown().await?,
                Piece::H2Ended(ms) => self.until_streams_end(*ms).await?,
                other => {
                    let bytes = self.bytes(other);
                    timeout(PATIENCE, self.line.stream.write_all(&bytes)).await??;
                }
            }
        }
        Ok(())
    }

    fn bytes(&mut self, piece: &Piece) -> Vec<u8> {
        match piece {
            Piece::Text(text) => self.values.fill(text),
            Piece::Bytes(bytes) => bytes.to_vec(),
            Piece::Post(message) => self.post("", message, true),
            Piece::ModernAs(headers, message) => self.post(headers, message, true),
            Piece::PostAs(headers, message) => self.post(headers, message, false),
            Piece::H2Open(window) => h2::open(*window),
            Piece::H2OpenShort => h2::open(self.values.taken.parse::<u32>().unwrap_or(1).saturating_sub(1)),
            Piece::H2Post(message) => self.h2_post(message, &[]),
            Piece::H2PostGzip(message) => self.h2_post(message, h2::GZIP),
            Piece::H2Reset => h2::frame(3, 0, self.line.stream_id.saturating_sub(2), &[0, 0, 0, 8]),
            Piece::H2Frame(kind, flags, stream, payload) => h2::frame(*kind, *flags, *stream, payload),
            // These write nothing.
            Piece::Times(..)
            | Piece::Pause(_)
            | Piece::Read(_)
            | Piece::Until(..)
            | Piece::Take(_)
            | Piece::On(..)
            | Piece::HalfClose
            | Piece::H2Ended(_) => Vec::new(),
        }
    }

    fn post(&mut self, headers: &str, message: &str, is_modern: bool) -> Vec<u8> {
        let mut extra = String::from_utf8_lossy(&self.values.fill(headers)).into_owned();
        let mut message = self.values.fill(message);
        if is_modern {
            message = modern(&message);
            let lines =
                modern_headers(&message).into_iter().map(|(name, value)| format!("{name}: {value}\r\n"));
            extra.extend(lines);
        }
        let mut bytes = head("/mcp", &extra, message.len(), "keep-alive").into_bytes();
        bytes.extend(message);
        bytes
    }

    fn h2_post(&mut self, message: &str, extra: &[u8]) -> Vec<u8> {
        let message = self.values.fill(message);
        let message = if message.is_empty() { message } else { modern(&message) };
        let bytes = h2::post(self.line.stream_id, &message, extra);
        self.line.stream_id += 2;
        bytes
    }

    /// Goes on with another connection.
    async fn go_to(&mut self, name: (Door, u8)) -> Result<()> {
        if name == self.name {
            return Ok(());
        }
        let line = match self.parked.remove(&name) {
            Some(line) => line,
            None => {
                let address = if name.0 == Door::Open { &self.doors.open } else { &self.doors.guarded };
                Line::new(TcpStream::connect(address).await?)
            }
        };
        let before = std::mem::replace(&mut self.line, line);
        self.parked.insert(std::mem::replace(&mut self.name, name), before);
        Ok(())
    }

    /// Takes the value behind a text.
    async fn take(&mut self, text: &str) -> Result<()> {
        let end = self.find(text.as_bytes(), TAKING).await?;
        self.line.read.drain(..end);
        let is_end = |byte: &u8| matches!(byte, b'"' | b',' | b'}' | b']' | b'\r' | b'\n');
        let until = Instant::now() + Duration::from_millis(TAKING);
        let end = loop {
            if let Some(end) = self.line.read.iter().position(is_end) {
                break end;
            }
            self.more(until, text.as_bytes()).await?;
        };
        self.values.taken = String::from_utf8_lossy(&self.line.read[..end]).into_owned();
        Ok(())
    }

    /// Reads until a text has arrived. Returns its end in what was read.
    async fn find(&mut self, text: &[u8], ms: u64) -> Result<usize> {
        let until = Instant::now() + Duration::from_millis(ms);
        let mut from = 0;
        loop {
            let rest = &self.line.read[from..];
            if let Some(at) = rest.windows(text.len()).position(|it| it == text) {
                return Ok(from + at + text.len());
            }
            from = self.line.read.len().saturating_sub(text.len());
            self.more(until, text).await?;
        }
    }

    /// Reads more, in which `text` should be.
    async fn more(&mut self, until: Instant, text: &[u8]) -> Result<()> {
        let Line { stream, read, .. } = &mut self.line;
        match timeout_at(until, stream.read_buf(read)).await {
            Ok(Ok(1..)) => Ok(()),
            ended => {
                let why = if ended.is_err() { "in time" } else { "before the end of the connection" };
                let found = String::from_utf8_lossy(&read[read.len().saturating_sub(300)..]).into_owned();
                let text = String::from_utf8_lossy(text);
                Err(Error::new(
                    ErrorKind::InvalidData,
                    format!("expected {text:?} {why}, but found {found:?}"),
                ))
            }
        }
    }

    /// Reads until all streams of HTTP/2 have ended.
    async fn until_streams_end(&mut self, ms: u64) -> Result<()> {
        let until = Instant::now() + Duration::from_millis(ms);
        let Line { stream, read, stream_id } = &mut self.line;
        let opened = *stream_id as usize / 2;
        let mut ended = 0;
        loop {
            ended += h2::ended(read);
            if ended >= opened {
                return Ok(());
            }
            match timeout_at(until, stream.read_buf(read)).await {
                Ok(Ok(1..)) => {}
                Ok(_) => return Ok(()),
                Err(_) => {
                    let text = format!("expected {opened} streams to end in time, but found {ended}");
                    return Err(Error::new(ErrorKind::InvalidData, text));
                }
            }
        }
    }

    async fn read_for(&mut self, time: Duration) {
        let (until, mut buffer) = (Instant::now() + time, vec![0; 64 << 10]);
        while let Ok(Ok(1..)) = timeout_at(until, self.line.stream.read(&mut buffer)).await {}
    }
}
