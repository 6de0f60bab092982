//! A site on this machine: real HTTP on a free port, as a test says.

#![expect(clippy::disallowed_methods, reason = "the rule about tasks is for the library")]

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// An answer: the head without its end, and what follows it.
pub(crate) struct Answer {
    head: String,
    body: Vec<u8>,
    /// Whether the body is sent again and again.
    is_endless: bool,
}

impl Answer {
    /// A page with a content type.
    pub(crate) fn page(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}", body.len());
        Self { head, body, is_endless: false }
    }

    /// A page that never ends.
    pub(crate) fn endless() -> Self {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html".to_owned();
        Self { head, body: vec![b'x'; 64 << 10], is_endless: true }
    }

    /// An answer without a body.
    pub(crate) fn head(head: &str) -> Self {
        Self { head: format!("HTTP/1.1 {head}\r\ncontent-length: 0"), body: Vec::new(), is_endless: false }
    }

    /// A head as it is, and no body.
    pub(crate) fn raw(head: &str) -> Self {
        Self { head: format!("HTTP/1.1 {head}"), body: Vec::new(), is_endless: false }
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self::head(&format!("302 Found\r\nlocation: {to}"))
    }
}

/// The site, until it is dropped.
pub(crate) struct Site {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Site {
    /// Starts the site. `answer` gets a path with its query; without an answer, the status is 404.
    pub(crate) async fn start(answer: impl Fn(&str) -> Option<Answer> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                tokio::spawn(async move { serve(stream, &*answer, &seen).await });
            }
        });
        Self { url, requests, task }
    }

    /// Returns the paths of all requests.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic").clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    answer: &(impl Fn(&str) -> Option<Answer> + ?Sized),
    seen: &Mutex<Vec<String>>,
) {
    let mut head = Vec::new();
    while !head.windows(4).any(|it| it == b"\r\n\r\n") {
        let mut part = [0; 4096];
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return,
            Ok(n) => head.extend_from_slice(&part[..n]),
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    seen.lock().expect("no panic").push(path.clone());
    let answer = answer(&path).unwrap_or_else(|| Answer::head("404 Not Found"));
    let mut bytes = format!("{}\r\nconnection: close\r\n\r\n", answer.head).into_bytes();
    bytes.extend(&answer.body);
    let mut sent = stream.write_all(&bytes).await;
    while answer.is_endless && sent.is_ok() {
        sent = stream.write_all(&answer.body).await;
    }
}
