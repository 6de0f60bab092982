//! A site that answers by a script, and the settings for it.
//!
//! Each connection has a thread and one request. The threads end with the test program.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use plainwire_atlassian::rest::{
    Credentials, Kind, Product, Proxies, Request, Secret, Site, SiteSettings, Upstream, Url,
};
use serde_json::Value;

pub(crate) const SECRET: &str = "tok-s3cr3t-9271";

/// A request that the site got.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// The bytes of an answer; after them, the connection closes.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) bytes: Vec<u8>,
    /// The pause before the connection closes.
    pub(crate) pause: Duration,
}

/// Makes an answer with more headers, such as `"retry-after: 0\r\n"`.
pub(crate) fn reply(status: u16, headers: &str, body: &str) -> Reply {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    );
    Reply { bytes: text.into(), pause: Duration::ZERO }
}

pub(crate) fn json(status: u16, body: &str) -> Reply {
    reply(status, "content-type: application/json\r\n", body)
}

pub(crate) fn html(status: u16) -> Reply {
    reply(status, "content-type: text/html;charset=UTF-8\r\n", "<!DOCTYPE html><title>Log in</title>")
}

/// Closes the connection without an answer.
pub(crate) fn lost() -> Reply {
    Reply { bytes: Vec::new(), pause: Duration::ZERO }
}

/// Ends a body before its announced end.
pub(crate) fn cut(status: u16) -> Reply {
    let text = format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{\"a\":"
    );
    Reply { bytes: text.into(), pause: Duration::ZERO }
}

/// A site that answers by a script.
#[derive(Clone)]
pub(crate) struct Stub {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Stub {
    /// Answers the requests in turn. Any further request gets a 418, which is never sent again.
    pub(crate) fn script(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Vec<_> = replies.into_iter().collect();
        Self::new(move |n, _| replies.get(n).cloned().unwrap_or_else(|| json(418, "{}")))
    }

    /// Answers each request, given its number and itself.
    pub(crate) fn new(answer: impl Fn(usize, &Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").expect("a port"), answer)
    }

    pub(crate) fn on(
        listener: TcpListener,
        answer: impl Fn(usize, &Seen) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().expect("an address");
        let stub = Self { address, seen: Arc::default() };
        let (seen, answer) = (Arc::clone(&stub.seen), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                thread::spawn(move || {
                    let mut stream = stream;
                    serve(&mut stream, &seen, |n, it| answer(n, it));
                });
            }
        });
        stub
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        format!("http://{}{path}", self.address).parse().expect("a URL")
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.seen().len()
    }
}

/// Reads a request from a stream and answers it. Also used above TLS.
pub(crate) fn serve(
    stream: &mut (impl Read + Write),
    seen: &Mutex<Vec<Seen>>,
    answer: impl Fn(usize, &Seen) -> Reply,
) {
    let Some(request) = read(stream) else { return };
    let n = {
        let mut seen = seen.lock().expect("no panic");
        seen.push(request.clone());
        seen.len() - 1
    };
    let reply = answer(n, &request);
    let _ = stream.write_all(&reply.bytes).and_then(|()| stream.flush());
    thread::sleep(reply.pause);
}

fn read(stream: &mut impl Read) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    let head = loop {
        if let Some(at) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            break at;
        }
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            _ => return None,
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<_> = lines
        .filter_map(|it| it.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let mut body = bytes.split_off(head + 4);
    let length = headers.iter().find(|it| it.0 == "content-length").map_or(0, |it| it.1.parse().unwrap_or(0));
    while body.len() < length {
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => body.extend_from_slice(&piece[..count]),
            _ => return None,
        }
    }
    Some(Seen { method, target, headers, body })
}

/// Settings for a site at `http://…/jira` whose retries don't wait.
pub(crate) fn settings(stub: &Stub) -> SiteSettings {
    let mut settings = SiteSettings::new(Product::Jira, stub.url("/jira"));
    settings.credentials = Credentials::Basic { user: "ada".into(), secret: Secret::new(SECRET) };
    settings.proxies = Proxies::Direct;
    settings.backoff = Duration::from_millis(1);
    settings
}

pub(crate) fn site(stub: &Stub) -> Site {
    Site::new(settings(stub)).expect("a site")
}

pub(crate) fn get() -> Request {
    Request::get(["rest", "api", "2", "issue", "ABC-1"])
}

pub(crate) fn create() -> Request {
    Request::post(["rest", "api", "2", "issue"]).json(&serde_json::json!({ "fields": {} }))
}

/// Sends a request to a site with this script. Returns the error, and the number of requests.
pub(crate) async fn failed(request: Request, script: impl IntoIterator<Item = Reply>) -> (Upstream, usize) {
    let stub = Stub::script(script);
    let error = site(&stub).json::<Value>(request).await.expect_err("an error");
    (error, stub.count())
}

/// Expects the kind of the error for one answer, and the number of requests.
pub(crate) async fn expect(request: Request, reply: Reply, kind: Kind, count: usize) -> Upstream {
    let (error, found) = failed(request, vec![reply; 10]).await;
    assert_eq!((error.kind(), found), (kind, count), "{}", error.message());
    error
}
