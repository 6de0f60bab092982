//! An HTTP server that answers each request with the bytes that a function of the test returns.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// An HTTP request that the server has received.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The request line, with method and path.
    pub(crate) line: String,
    /// The header fields, in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Asked {
    /// Returns the JSON-RPC id in the body, as JSON.
    pub(crate) fn id(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["id"].to_string()
    }

    pub(crate) fn method(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["method"].as_str().unwrap_or_default().to_owned()
    }
}

/// An HTTP server that answers each request with the bytes that a function returns, and then closes the
/// connection.
pub(crate) struct Script {
    pub(crate) address: SocketAddr,
    pub(crate) asked: Arc<Mutex<Vec<Asked>>>,
    _task: JoinSet<()>,
}

impl Script {
    pub(crate) async fn new(answer: impl Fn(&Asked) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let (answer, seen) = (Arc::new(answer), Arc::clone(&asked));
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                connections.spawn(async move {
                    let Some(asked) = read(&mut stream).await else { return };
                    seen.lock().expect("a lock").push(asked.clone());
                    let _ = stream.write_all(answer(&asked).as_bytes()).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { address, asked, _task: task }
    }

    /// Returns, in order of arrival, the JSON-RPC method of each request; the HTTP method if the body has no
    /// JSON-RPC method.
    pub(crate) fn methods(&self) -> Vec<String> {
        let asked = self.asked.lock().expect("a lock");
        asked
            .iter()
            .map(|it| match it.method() {
                method if method.is_empty() => it.line.split(' ').next().unwrap_or_default().to_owned(),
                method => method,
            })
            .collect()
    }
}

pub(crate) async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let (line, head) = text.split_once("\r\n")?;
    let head = head.to_lowercase();
    let length = head.lines().find_map(|it| it.strip_prefix("content-length: ")?.trim().parse().ok());
    let length: usize = length.unwrap_or(0);
    while bytes.len() < end + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8_lossy(&bytes[end..end + length]).into_owned();
    Some(Asked { line: line.to_owned(), head, body })
}

/// Returns the text of an HTTP response with this status and a JSON body.
pub(crate) fn json(status: &str, body: &str) -> String {
    with(status, "application/json", "", body)
}

/// Returns the text of an HTTP response. `kind` is its content type; `headers` are further header lines, each
/// of which ends in a line break.
pub(crate) fn with(status: &str, kind: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}
