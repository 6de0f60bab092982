//! The HTTP part of the demo: one call in each era on a real socket, with every byte of requests and
//! responses.

use plainwire::http::Http;
use plainwire::proto::revision::Revision;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::exit::Failure;
use crate::output;

/// The address of the demo's server: any free port.
const ADDRESS: &str = "127.0.0.1:0";

pub(super) async fn play() -> Result<(), Failure> {
    let listener = TcpListener::bind(ADDRESS).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let (done, ended) = oneshot::channel::<()>();
    let server = plainwire_reference::server().log_level(None);
    let serving = Http::new(server).serve_on(listener, async {
        let _ = ended.await;
    });
    let playing = async {
        let stream = TcpStream::connect(address).await.map_err(failed)?;
        let mut connection = HttpConnection { host: address.to_string(), stream: BufReader::new(stream) };
        legacy(&mut connection).await?;
        modern(&mut connection).await?;
        drop(done);
        Ok(())
    };
    let (served, played) = tokio::join!(serving, playing);
    served?;
    played
}

/// Plays a call in the newest legacy revision: three messages, two of which repeat the session id from the
/// answer to the first.
async fn legacy(connection: &mut HttpConnection) -> Result<(), Failure> {
    let revision = Revision::NEWEST_LEGACY.as_str();
    output::line(&format!("\n== {revision} over HTTP: a session has an id =="))?;
    let client = json!({ "name": "plainwire", "version": env!("CARGO_PKG_VERSION") });
    let params = json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });
    let session = connection.post(&[], &request("initialize", params)).await?.unwrap_or_default();
    let headers = [("mcp-protocol-version", revision), ("mcp-session-id", session.as_str())];
    connection.post(&headers, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
    connection.post(&headers, &request("tools/call", call(json!({})))).await?;
    Ok(())
}

/// Plays a call in the newest revision: one request, whose headers repeat its method and the name of its tool
/// for proxies.
async fn modern(connection: &mut HttpConnection) -> Result<(), Failure> {
    let revision = Revision::NEWEST.as_str();
    output::line(&format!("\n== {revision} over HTTP: one self-contained request =="))?;
    let meta = json!({
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/protocolVersion": revision,
    });
    let headers =
        [("mcp-protocol-version", revision), ("mcp-method", "tools/call"), ("mcp-name", "calculate")];
    connection.post(&headers, &request("tools/call", call(json!({ "_meta": meta })))).await?;
    Ok(())
}

fn call(mut params: Value) -> Value {
    params["name"] = "calculate".into();
    params["arguments"] = json!({ "expression": "2 + 3 * 4" });
    params
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The HTTP connection of the demo's client.
struct HttpConnection {
    host: String,
    stream: BufReader<TcpStream>,
}

impl HttpConnection {
    /// Sends a message, and prints request and response. Returns the session id in the response, if it has
    /// one.
    async fn post(&mut self, headers: &[(&str, &str)], message: &Value) -> Result<Option<String>, Failure> {
        let body = message.to_string();
        let mut head = format!("POST /mcp HTTP/1.1\r\nhost: {}\r\n", self.host);
        head += "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n", body.len());
        show('>', &head, &body)?;
        self.stream.write_all((head + &body).as_bytes()).await.map_err(failed)?;

        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head).await.map_err(failed)? == 0 {
                return Err(Failure::unreachable("the server closed the connection"));
            }
        }
        let value = |name: &str| {
            let mut fields = head.lines().filter_map(|line| line.split_once(": "));
            fields.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
        };
        let length = value("content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await.map_err(failed)?;
        show('<', &head, &String::from_utf8_lossy(&body))?;
        Ok(value("mcp-session-id"))
    }
}

fn show(sign: char, head: &str, body: &str) -> Result<(), Failure> {
    output::line("")?;
    for line in head.trim_end().lines().chain((!body.is_empty()).then_some(body)) {
        output::line(&format!("{sign} {line}"))?;
    }
    Ok(())
}

fn failed(error: std::io::Error) -> Failure {
    Failure::unreachable(&format!("the connection of the demo failed: {error}"))
}
