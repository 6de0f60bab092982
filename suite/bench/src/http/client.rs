//! A client of HTTP/1.1 on one connection that writes requests and reads whole responses.

use std::net::Ipv4Addr;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use memchr::memmem;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpSocket;

use super::message::{Ask, Era};
use super::server::Address;

/// Request ids, unique in a run so that connections can share a session.
static IDS: AtomicU64 = AtomicU64::new(1);

trait Stream: AsyncRead + AsyncWrite + Send {}

impl<S: AsyncRead + AsyncWrite + Send> Stream for S {}

/// A connection and the era of its requests.
pub struct Client {
    era: Era,
    pub session: Option<Arc<str>>,
    stream: Pin<Box<dyn Stream>>,
    /// `buffer[..filled]` was read; the bytes before `used` belong to finished responses.
    buffer: Vec<u8>,
    filled: usize,
    used: usize,
    request: String,
}

struct Head {
    status: u16,
    session: Option<Arc<str>>,
    length: Length,
}

#[derive(Clone, Copy)]
enum Length {
    Bytes(usize),
    Chunks,
}

impl Client {
    pub async fn open(address: &Address, era: Era) -> Result<Self, String> {
        Self::open_from(Ipv4Addr::LOCALHOST, address, era).await
    }

    /// Opens a connection from another loopback address, because some limits count per address.
    pub async fn open_from(from: Ipv4Addr, address: &Address, era: Era) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("connecting: {error}");
        let socket = TcpSocket::new_v4().map_err(failed)?;
        if from != Ipv4Addr::LOCALHOST {
            socket.bind((from, 0).into()).map_err(failed)?;
        }
        let stream = socket.connect((Ipv4Addr::LOCALHOST, address.port).into()).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let stream: Pin<Box<dyn Stream>> = match &address.tls {
            Some((connector, name)) => {
                Box::pin(connector.connect(name.clone(), stream).await.map_err(failed)?)
            }
            None => Box::pin(stream),
        };
        let (buffer, request) = (vec![0; 2048], String::new());
        Ok(Self { era, session: None, stream, buffer, filled: 0, used: 0, request })
    }

    /// Opens a connection and begins a session on it, if the era has sessions.
    pub async fn begin(address: &Address, era: Era) -> Result<Self, String> {
        let mut client = Self::open(address, era).await?;
        client.begin_session().await?;
        Ok(client)
    }

    /// Begins another session for the following requests.
    pub async fn begin_session(&mut self) -> Result<(), String> {
        self.session = None;
        if self.era == Era::Stateless {
            return self.ask(&Ask::Discover).await.map(drop);
        }
        self.ask(&Ask::Initialize).await?;
        self.ask(&Ask::Initialized).await.map(drop)
    }

    /// Sends a request and reads its whole response; returns the time that took.
    pub async fn ask(&mut self, ask: &Ask) -> Result<Duration, String> {
        let id = self.prepare(ask);
        let began = Instant::now();
        self.send().await?;
        let body = self.response(ask).await?;
        let took = began.elapsed();
        if ask.is_answered() {
            ask.check(id, &self.buffer[body])?;
        }
        Ok(took)
    }

    /// Sends a request without waiting for the answer; returns its id.
    pub async fn send_only(&mut self, ask: &Ask) -> Result<u64, String> {
        let id = self.prepare(ask);
        self.send().await?;
        Ok(id)
    }

    /// Returns the number of running handlers.
    pub async fn active(&mut self) -> Result<u64, String> {
        let id = self.prepare(&Ask::Active);
        self.send().await?;
        let body = self.response(&Ask::Active).await?;
        Ask::Active.check(id, &self.buffer[body.clone()])?;
        let text = String::from_utf8_lossy(&self.buffer[body]);
        let number = text.split("\"text\":\"").nth(1).and_then(|rest| rest.split('"').next()?.parse().ok());
        number.ok_or_else(|| format!("expected a number of handlers, but found {text}"))
    }

    /// Opens the stream of the session and leaves it open.
    pub async fn open_session_stream(&mut self) -> Result<(), String> {
        let session = self.session.as_deref().ok_or("no session")?;
        let version = self.era.version();
        self.request = format!(
            "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMCP-Protocol-Version: {version}\r\nMcp-Session-Id: {session}\r\n\r\n"
        );
        self.send().await?;
        self.stays_open().await.map(drop)
    }

    /// Opens a listen (2026-07-28) and leaves it open.
    pub async fn listen(&mut self) -> Result<(), String> {
        self.prepare(&Ask::Listen);
        self.send().await?;
        let mut begin = self.stays_open().await?;
        while memmem::find(&self.buffer[begin..self.filled], b"acknowledged").is_none() {
            begin -= self.fill().await?;
        }
        Ok(())
    }

    fn prepare(&mut self, ask: &Ask) -> u64 {
        let id = IDS.fetch_add(1, Relaxed);
        ask.write(&mut self.request, self.era, id, self.session.as_deref());
        id
    }

    async fn send(&mut self) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("writing: {error}");
        self.stream.write_all(self.request.as_bytes()).await.map_err(failed)?;
        self.stream.flush().await.map_err(failed)
    }

    /// Reads the head of a response that is a stream; returns the position of its events.
    async fn stays_open(&mut self) -> Result<usize, String> {
        let (head, begin) = self.head().await?;
        match head {
            Head { status: 200, length: Length::Chunks, .. } => Ok(begin),
            Head { status, .. } => Err(format!("expected a stream, but found the status {status}")),
        }
    }

    /// Reads a response; returns the range of its body.
    async fn response(&mut self, ask: &Ask) -> Result<Range<usize>, String> {
        let (head, begin) = self.head().await?;
        let body = match head.length {
            Length::Bytes(length) => self.plain(begin, length).await?,
            Length::Chunks => self.chunks(begin).await?,
        };
        let expected = if ask.is_answered() { 200 } else { 202 };
        if head.status != expected {
            let body = String::from_utf8_lossy(&self.buffer[body]);
            return Err(format!(
                "expected the status {expected} for {ask:?}, but found {}: {body}",
                head.status
            ));
        }
        if matches!(ask, Ask::Initialize) {
            self.session = head.session;
        }
        Ok(body)
    }

    /// Reads a head and returns the position behind it.
    async fn head(&mut self) -> Result<(Head, usize), String> {
        let mut length = loop {
            if let Some(length) = memmem::find(&self.buffer[self.used..self.filled], b"\r\n\r\n") {
                break length;
            }
            self.fill().await?;
        };
        length += 4;
        let begin = self.used;
        let text = std::str::from_utf8(&self.buffer[begin..begin + length]).map_err(|e| e.to_string())?;
        Ok((Head::parse(text)?, begin + length))
    }

    async fn plain(&mut self, begin: usize, length: usize) -> Result<Range<usize>, String> {
        let mut begin = begin;
        while self.filled < begin + length {
            begin -= self.fill().await?;
        }
        self.used = begin + length;
        Ok(begin..begin + length)
    }

    /// Reads chunks and joins their contents.
    async fn chunks(&mut self, begin: usize) -> Result<Range<usize>, String> {
        let (mut begin, mut end, mut at) = (begin, begin, begin);
        loop {
            let line = loop {
                if let Some(length) = memmem::find(&self.buffer[at..self.filled], b"\r\n") {
                    break length;
                }
                let moved = self.fill().await?;
                (begin, end, at) = (begin - moved, end - moved, at - moved);
            };
            let size = std::str::from_utf8(&self.buffer[at..at + line]).ok();
            let size =
                size.and_then(|size| usize::from_str_radix(size, 16).ok()).ok_or("no size of a chunk")?;
            at += line + 2;
            while self.filled < at + size + 2 {
                let moved = self.fill().await?;
                (begin, end, at) = (begin - moved, end - moved, at - moved);
            }
            self.buffer.copy_within(at..at + size, end);
            (end, at) = (end + size, at + size + 2);
            if size == 0 {
                self.used = at;
                return Ok(begin..end);
            }
        }
    }

    /// Reads more; returns the number of bytes by which the buffer's content has moved to the front.
    async fn fill(&mut self) -> Result<usize, String> {
        let moved = self.used;
        if moved > 0 {
            self.buffer.copy_within(moved..self.filled, 0);
            (self.filled, self.used) = (self.filled - moved, 0);
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.filled * 4, 0);
        }
        let room = &mut self.buffer[self.filled..];
        match self.stream.read(room).await.map_err(|error| format!("reading: {error}"))? {
            0 => Err("the server closed the connection".into()),
            count => {
                self.filled += count;
                Ok(moved)
            }
        }
    }
}

impl Head {
    fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).ok_or("no status")?;
        let mut head = Self { status, session: None, length: Length::Bytes(0) };
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            if name.eq_ignore_ascii_case("content-length") {
                head.length = Length::Bytes(value.parse().map_err(|_| "no length")?);
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                head.length = Length::Chunks;
            } else if name.eq_ignore_ascii_case("mcp-session-id") {
                head.session = Some(value.into());
            }
        }
        Ok(head)
    }
}
