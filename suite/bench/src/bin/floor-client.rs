//! A lower bound for clients: one thread that writes requests and reads answers, and checks only the id.
//!
//! Over HTTP/1.1 it has one connection for each call in flight. It is not a usable MCP client.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use memchr::{memchr, memmem};

#[path = "../calling.rs"]
mod calling;

use calling::{Ask, Calling, More, Over, STATELESS, Words, message};

type Outcome<T> = Result<T, String>;

/// A connection to the server on which answers come in the order of requests.
struct Lane {
    reader: Box<dyn Read>,
    writer: Box<dyn Write>,
    /// `buffer[start..filled]` was read and is not yet part of an answer.
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
}

struct Floor {
    lanes: Vec<Lane>,
    is_stateless: bool,
    last: u64,
    out: Vec<u8>,
    over: Over,
    server: String,
    /// Exits when its input ends.
    _child: Option<Child>,
}

impl Lane {
    fn new(reader: impl Read + 'static, writer: impl Write + 'static) -> Self {
        let buffer = vec![0; 1 << 16];
        Self { reader: Box::new(reader), writer: Box::new(writer), buffer, start: 0, filled: 0 }
    }

    /// Reads a line.
    fn line(&mut self) -> Outcome<&[u8]> {
        let mut seen = 0;
        loop {
            if let Some(end) = memchr(b'\n', &self.buffer[self.start + seen..self.filled]) {
                let line = self.start..self.start + seen + end;
                self.start = line.end + 1;
                return Ok(&self.buffer[line]);
            }
            seen = self.filled - self.start;
            self.fill()?;
        }
    }

    /// Reads a response. Its head must have a `content-length`.
    fn response(&mut self) -> Outcome<&[u8]> {
        let head = loop {
            match memmem::find(&self.buffer[self.start..self.filled], b"\r\n\r\n") {
                Some(end) => break end + 4,
                None => self.fill()?,
            }
        };
        let text = &self.buffer[self.start..self.start + head];
        let length = memmem::find(text, b"content-length: ").and_then(|at| {
            let digits = text[at + 16..].split(|&byte| byte == b'\r').next()?;
            std::str::from_utf8(digits).ok()?.parse::<usize>().ok()
        });
        let end = head + length.ok_or("expected the length of a response, but found none")?;
        while self.filled - self.start < end {
            self.fill()?;
        }
        let body = self.start + head..self.start + end;
        self.start = body.end;
        Ok(&self.buffer[body])
    }

    fn fill(&mut self) -> Outcome<()> {
        self.buffer.copy_within(self.start..self.filled, 0);
        (self.filled, self.start) = (self.filled - self.start, 0);
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.filled * 2, 0);
        }
        match self.reader.read(&mut self.buffer[self.filled..]).map_err(failed)? {
            0 => Err("the server closed its output".into()),
            count => {
                self.filled += count;
                Ok(())
            }
        }
    }
}

impl Floor {
    fn connect(words: Words) -> Outcome<Self> {
        let mut floor = Self {
            lanes: Vec::new(),
            is_stateless: words.revision == STATELESS,
            last: 0,
            out: Vec::new(),
            over: words.over,
            server: words.server,
            _child: None,
        };
        if floor.over == Over::Stdio {
            let mut child = Command::new(&floor.server)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .map_err(failed)?;
            let pipes: Option<(ChildStdout, ChildStdin)> = child.stdout.take().zip(child.stdin.take());
            let (stdout, stdin) = pipes.ok_or("no pipes")?;
            floor.lanes.push(Lane::new(stdout, stdin));
            floor._child = Some(child);
        }
        Ok(floor)
    }

    /// Opens a connection for each call in flight. Over stdio the one pipe is enough for all.
    fn widen(&mut self, window: usize) -> Outcome<()> {
        while self.over == Over::Http && self.lanes.len() < window {
            let stream = TcpStream::connect(self.address()).map_err(failed)?;
            stream.set_nodelay(true).map_err(failed)?;
            self.lanes.push(Lane::new(stream.try_clone().map_err(failed)?, stream));
        }
        Ok(())
    }

    fn address(&self) -> &str {
        self.server.trim_start_matches("http://").split('/').next().unwrap_or_default()
    }

    /// Adds a request to the output buffer; returns its id.
    fn prepare(&mut self, ask: Ask) -> Outcome<u64> {
        self.last += 1;
        let id = self.last;
        let (name, arguments) = match ask {
            Ask::Blob(bytes) => ("blob", format!(r#""bytes":{bytes}"#)),
            Ask::Echo(number) => ("echo", format!(r#""message":"{}""#, message(number))),
        };
        let meta = if self.is_stateless { META } else { "" };
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{{{arguments}}}{meta}}}}}"#
        );
        if self.over == Over::Http {
            let length = body.len();
            let headers = if self.is_stateless {
                format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {name}\r\n")
            } else {
                "mcp-protocol-version: 2025-11-25\r\nmcp-session-id: everybodys\r\n".to_owned()
            };
            write!(
                self.out,
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n{headers}content-length: {length}\r\n\r\n{body}"
            )
            .map_err(failed)?;
        } else {
            writeln!(self.out, "{body}").map_err(failed)?;
        }
        Ok(id)
    }

    /// Writes the output buffer.
    fn send(&mut self, lane: usize) -> Outcome<()> {
        self.lanes[lane].writer.write_all(&self.out).map_err(failed)?;
        self.out.clear();
        Ok(())
    }

    /// Reads the answer to `id`.
    fn receive(&mut self, lane: usize, id: u64) -> Outcome<()> {
        let lane = &mut self.lanes[lane];
        let answer = if self.over == Over::Http { lane.response()? } else { lane.line()? };
        let begin = &answer[..answer.len().min(50)];
        match memmem::find(begin, format!("\"id\":{id},").as_bytes()) {
            Some(_) => Ok(()),
            None => Err(format!("expected the answer to {id}, but found {}", String::from_utf8_lossy(begin))),
        }
    }
}

impl Calling for Floor {
    fn alone(&mut self, mut more: More) -> Outcome<Vec<f64>> {
        self.widen(1)?;
        let mut micros = Vec::new();
        while let Some(ask) = more.next() {
            let began = Instant::now();
            let id = self.prepare(ask)?;
            self.send(0)?;
            self.receive(0, id)?;
            micros.push(began.elapsed().as_secs_f64() * 1e6);
        }
        Ok(micros)
    }

    /// Sends `window` requests and reads all answers, repeatedly.
    fn in_flight(&mut self, window: usize, time: Duration) -> Outcome<u64> {
        self.widen(window)?;
        let (began, mut count) = (Instant::now(), 0);
        let lane = |at: usize, lanes: usize| at % lanes;
        while began.elapsed() < time {
            let first = self.last + 1;
            for at in 0..window {
                self.prepare(Ask::Echo(at as u64))?;
                if self.over == Over::Http || at + 1 == window {
                    self.send(lane(at, self.lanes.len()))?;
                }
            }
            for at in 0..window {
                self.receive(lane(at, self.lanes.len()), first + at as u64)?;
            }
            count += window as u64;
        }
        Ok(count)
    }
}

fn main() -> Outcome<()> {
    let words = Words::read()?;
    let calls = words.calls;
    calling::report(&mut Floor::connect(words)?, calls)
}

fn failed(error: std::io::Error) -> String {
    error.to_string()
}

const META: &str = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
