//! An honest caller, which measures how long it waits.

use std::io::{Error, Result};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::client::messages;

/// Returns the time between two calls of an honest caller. In the short form, in which calls are slow and several
/// behaviours run at a time, they are rare.
pub(crate) fn pause(scale: u32) -> Duration {
    Duration::from_millis(5 * u64::from(scale))
}

/// An honest caller, from another address than the hostile one, which calls a tool again and again.
pub(crate) struct Honest {
    ends: Arc<AtomicBool>,
    /// In microseconds.
    slowest: Arc<AtomicU64>,
    thread: thread::JoinHandle<Result<()>>,
}

impl Honest {
    pub(crate) fn start(server: &str, pause: Duration) -> Result<Self> {
        let server: SocketAddr = server.parse().map_err(Error::other)?;
        let (ends, slowest) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let (until, longest) = (Arc::clone(&ends), Arc::clone(&slowest));
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let mut stream = open_from("127.0.0.2", server).await?;
                while !until.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    call(&mut stream).await?;
                    longest.fetch_max(began.elapsed().as_micros() as u64, Ordering::Relaxed);
                    tokio::time::sleep(pause).await;
                }
                Ok(())
            })
        });
        Ok(Self { ends, slowest, thread })
    }

    /// Forgets how long it has waited so far.
    pub(crate) fn begin(&self) {
        self.slowest.store(0, Ordering::Relaxed);
    }

    /// Returns the longest time that it has waited for an answer.
    pub(crate) fn slowest(&self) -> Duration {
        Duration::from_micros(self.slowest.load(Ordering::Relaxed))
    }

    /// Ends the caller. Returns what went wrong in its calls.
    pub(crate) fn end(self) -> Option<String> {
        self.ends.store(true, Ordering::Relaxed);
        match self.thread.join() {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("an honest caller: {error}")),
            Err(_) => Some("the honest caller panicked".to_owned()),
        }
    }
}

/// Connects from an address of this machine, so that the server counts another caller.
async fn open_from(address: &str, server: SocketAddr) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(address.parse().map_err(Error::other)?, 0))?;
    let stream = socket.connect(server).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Calls the tool `echo` and reads the answer.
async fn call(stream: &mut TcpStream) -> Result<()> {
    let message = messages::modern(
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"honest"}}}"#,
    );
    let extra = messages::modern_headers(&message);
    let extra: String = extra.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    stream.write_all(messages::head("/mcp", &extra, message.len(), "keep-alive").as_bytes()).await?;
    stream.write_all(&message).await?;
    let mut response = Vec::new();
    loop {
        let read = tokio::time::timeout(Duration::from_secs(20), stream.read_buf(&mut response)).await??;
        let text = String::from_utf8_lossy(&response);
        if !text.is_empty() && !text.starts_with("HTTP/1.1 200") || read == 0 {
            return Err(Error::other(format!("found {:?}", text.chars().take(200).collect::<String>())));
        }
        if text.contains("honest") && text.ends_with('}') {
            return Ok(());
        }
    }
}
