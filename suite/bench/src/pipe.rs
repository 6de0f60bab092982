//! A server on pipes, driven by one blocking thread.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::process;

pub struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    buffer: Vec<u8>,
    /// `buffer[start..filled]` was read and not parsed yet.
    start: usize,
    filled: usize,
    last: u64,
    pub startup: Duration,
}

#[derive(Deserialize)]
struct Answer<'f> {
    id: Option<u64>,
    #[serde(borrow)]
    error: Option<&'f RawValue>,
    #[serde(borrow)]
    result: Option<&'f RawValue>,
}

impl Pipe {
    pub fn start(path: &str, tools: usize) -> Result<Self, String> {
        let mut command = Command::new(path);
        command
            .env("MCP_TOOLS", tools.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let began = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("{path}: {error}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take().ok_or("no stdout")?);
        let buffer = vec![0; 1 << 16];
        let startup = Duration::ZERO;
        let mut pipe = Self { child, input, output, buffer, start: 0, filled: 0, last: 0, startup };
        pipe.ask(|n| {
            Self::request(
                n,
                "initialize",
                r#""protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"0"}"#,
            )
        })?;
        pipe.startup = began.elapsed();
        pipe.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(pipe)
    }

    pub fn request(id: u64, method: &str, params: &str) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{params}}}}}\n")
    }

    pub fn call(id: u64, tool: &str, arguments: &str) -> String {
        Self::request(id, "tools/call", &format!(r#""name":"{tool}","arguments":{{{arguments}}}"#))
    }

    /// Sends a request and waits for its answer; returns the time that took.
    pub fn ask(&mut self, make: impl Fn(u64) -> String) -> Result<Duration, String> {
        self.last += 1;
        let request = make(self.last);
        let began = Instant::now();
        self.send(request.as_bytes())?;
        self.wait(self.last)?;
        Ok(began.elapsed())
    }

    /// Keeps `window` requests in flight for `time`; returns the number of answers and the seconds.
    pub fn pipelined(
        &mut self,
        window: usize,
        time: Duration,
        make: impl Fn(u64) -> String,
    ) -> Result<(u64, f64), String> {
        let (began, mut open, mut done, mut out) = (Instant::now(), 0, 0, String::new());
        loop {
            out.clear();
            while open < window && began.elapsed() < time {
                self.last += 1;
                out += &make(self.last);
                open += 1;
            }
            self.send(out.as_bytes())?;
            if open == 0 {
                return Ok((done, began.elapsed().as_secs_f64()));
            }
            loop {
                self.answer()?;
                open -= 1;
                done += 1;
                if !self.buffer[self.start..self.filled].contains(&b'\n') {
                    break;
                }
            }
        }
    }

    /// Sends `count` requests at once; returns the milliseconds until the last answer.
    pub fn at_once(&mut self, count: u64, make: impl Fn(u64) -> String) -> Result<f64, String> {
        let all: String = (1..=count).map(|n| make(self.last + n)).collect();
        self.last += count;
        let began = Instant::now();
        self.send(all.as_bytes())?;
        for _ in 0..count {
            self.answer()?;
        }
        Ok(began.elapsed().as_secs_f64() * 1e3)
    }

    /// Cancels a nap of 3 s; returns the microseconds until the server reports no running nap, or infinity
    /// after 500 ms.
    pub fn cancel(&mut self) -> Result<f64, String> {
        self.last += 1;
        let victim = self.last;
        self.send(Self::call(victim, "nap", r#""ms":3000"#).as_bytes())?;
        while self.active()? == 0 {}
        let began = Instant::now();
        self.send(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{victim}}}}}\n").as_bytes())?;
        while self.active()? > 0 {
            if began.elapsed() > Duration::from_millis(500) {
                while self.active()? > 0 {
                    std::thread::sleep(Duration::from_millis(50));
                }
                return Ok(f64::INFINITY);
            }
        }
        Ok(began.elapsed().as_secs_f64() * 1e6)
    }

    /// Returns the CPU seconds of all threads of the server so far.
    pub fn cpu(&self) -> Result<f64, String> {
        process::cpu(&self.child)
    }

    pub fn resident_mb(&self) -> Result<f64, String> {
        Ok(process::resident_kib(&self.child)? / 1024.0)
    }

    fn active(&mut self) -> Result<u64, String> {
        self.last += 1;
        self.send(Self::call(self.last, "active", "").as_bytes())?;
        let line = self.wait(self.last)?;
        let answer: serde_json::Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        text.parse().map_err(|_| format!("expected a number, but found {text:?}"))
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.input.as_mut().ok_or("no stdin")?.write_all(bytes).map_err(|error| format!("writing: {error}"))
    }

    /// Returns the answer to `id` and ignores others before it.
    fn wait(&mut self, id: u64) -> Result<String, String> {
        loop {
            let (found, line) = self.answer()?;
            if found == id {
                return Ok(line);
            }
        }
    }

    /// Returns the id of the next answer and its text, or an empty text from 4 KiB on.
    fn answer(&mut self) -> Result<(u64, String), String> {
        loop {
            let mut scanned = self.start;
            let end = loop {
                if let Some(end) = self.buffer[scanned..self.filled].iter().position(|&byte| byte == b'\n') {
                    break scanned + end;
                }
                scanned = self.fill()?;
            };
            let line = &self.buffer[self.start..end];
            self.start = end + 1;
            let answer: Answer<'_> =
                serde_json::from_slice(line).map_err(|error| format!("no JSON-RPC: {error}"))?;
            if let Some(error) = answer.error {
                return Err(error.to_string());
            }
            if let (Some(id), Some(_)) = (answer.id, answer.result) {
                let text = if line.len() < 4096 {
                    String::from_utf8_lossy(line).into_owned()
                } else {
                    String::new()
                };
                return Ok((id, text));
            }
        }
    }

    /// Reads more; returns the position of the new bytes.
    fn fill(&mut self) -> Result<usize, String> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.filled * 2, 0);
        }
        let count =
            self.output.read(&mut self.buffer[self.filled..]).map_err(|error| format!("reading: {error}"))?;
        if count == 0 {
            return Err("the server closed its output".into());
        }
        let begun = self.filled;
        self.filled += count;
        Ok(begun)
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}
