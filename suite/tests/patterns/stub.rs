//! A REST API that answers as a test says: real HTTP on a free port.

#![expect(clippy::disallowed_methods, reason = "the rule about tasks is for the library")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// An answer: a status and a body. `None` closes the connection without one.
pub(crate) type Answer = Option<(u16, String)>;

/// The API, until it is dropped.
pub(crate) struct Stub {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Stub {
    /// Starts the API. `answer` gets the method and the path with its query, as in `GET /api/patterns?q=x`, and how many requests
    /// came before.
    pub(crate) async fn start(answer: impl Fn(&str, usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, count, answer) = (Arc::clone(&requests), AtomicUsize::new(0), Arc::new(answer));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let before = count.fetch_add(1, Ordering::SeqCst);
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                tokio::spawn(async move { serve(stream, &*answer, before, &seen).await });
            }
        });
        Self { url, requests, task }
    }

    /// Returns the first lines of all requests, with the header `x-api-key` behind them if there is one.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic").clone()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    answer: &(impl Fn(&str, usize) -> Answer + ?Sized),
    before: usize,
    seen: &Mutex<Vec<String>>,
) {
    let mut head = Vec::new();
    while !head.windows(4).any(|it| it == b"\r\n\r\n") {
        let mut part = [0; 4096];
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return,
            Ok(n) => head.extend_from_slice(&part[..n]),
        }
        // A client that begins with TLS waits for an answer before it says more.
        if !head[0].is_ascii_uppercase() {
            let _ = stream.write_all(b"HTTP/1.1 400 X\r\n\r\n").await;
            return;
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let line = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let key = head.lines().find_map(|it| it.strip_prefix("x-api-key: ")).map(|key| format!(" key={key}"));
    seen.lock().expect("no panic").push(format!("{line}{}", key.unwrap_or_default()));
    if let Some((status, body)) = answer(&line, before) {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
    }
}
