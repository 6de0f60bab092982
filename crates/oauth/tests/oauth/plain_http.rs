//! HTTP without a library: a server on threads, and a client that follows no redirects.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use plainwire::serde_json::Value;
use plainwire_oauth::Url;

/// An HTTP request that a server of [`serve`] has received.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) url: Url,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// An HTTP response: one that a server of [`serve`] sends, or one that [`send`] has received.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn query(&self) -> BTreeMap<String, String> {
        self.url.query_pairs().into_owned().collect()
    }

    pub(crate) fn form(&self) -> BTreeMap<String, String> {
        let url = Url::parse(&format!("http://form/?{}", self.body)).expect("a form");
        url.query_pairs().into_owned().collect()
    }
}

impl Response {
    pub(crate) fn new(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status).with("content-type", "application/json").body(&body.to_string())
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn body(mut self, body: &str) -> Self {
        self.body = body.to_owned();
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Starts an HTTP server that answers each request with `answer` until the test process ends. Returns its
/// base URL, `http://127.0.0.1:port`.
pub(crate) fn serve(answer: impl Fn(Request) -> Response + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let (answer, url) = (Arc::new(answer), base.clone());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (answer, base) = (Arc::clone(&answer), url.clone());
            let stream = stream.expect("a connection");
            thread::spawn(move || {
                if let Some(request) = read(&stream, &base) {
                    write(&stream, &answer(request));
                }
            });
        }
    });
    base
}

fn read(stream: &TcpStream, base: &str) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let url = Url::parse(&format!("{base}{target}")).ok()?;
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, url, headers, body: String::from_utf8(body).ok()? })
}

fn write(mut stream: &TcpStream, response: &Response) {
    let mut text = format!(
        "HTTP/1.1 {} X\r\nconnection: close\r\ncontent-length: {}\r\n",
        response.status,
        response.body.len()
    );
    for (name, value) in &response.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    // The error is ignored: in some tests the client has disconnected.
    let _ = stream.write_all(format!("{text}\r\n{}", response.body).as_bytes());
}

/// Sends an HTTP request without a body, and returns the response.
pub(crate) fn send(method: &str, url: &Url, headers: &[(&str, &str)]) -> Response {
    let mut stream =
        TcpStream::connect((url.host_str().expect("a host"), url.port().expect("a port"))).expect("a server");
    let target = &url.as_str()[path_begins(url)..];
    let mut text = format!("{method} {target} HTTP/1.1\r\nhost: x\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{text}\r\n").as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.split("\r\n");
    let status =
        lines.next().and_then(|it| it.split(' ').nth(1)).and_then(|it| it.parse().ok()).expect("a status");
    let headers =
        lines.filter_map(|it| it.split_once(": ")).map(|(name, value)| (name.to_owned(), value.to_owned()));
    Response { status, headers: headers.collect(), body: body.to_owned() }
}

/// Returns the index in the text of `url` at which its path begins, after scheme and authority.
fn path_begins(url: &Url) -> usize {
    let text = url.as_str();
    text[8..].find('/').map_or(text.len(), |at| at + 8)
}

/// Starts a thread that opens `url` as a browser does, follows the redirect to the listener of the OAuth
/// client on this machine, and checks that the listener answers that the login is done.
pub(crate) fn browse_loopback(url: &Url) -> Result<(), String> {
    let url = url.clone();
    thread::spawn(move || {
        let back = send("GET", &url, &[]);
        let back = Url::parse(back.header("location").expect("a redirect")).expect("a URL");
        assert!(send("GET", &back, &[]).body.contains("close this window"));
    });
    Ok(())
}
