//! HTTP requests of both eras, and the check of their answers.

use std::fmt::Write as _;
use std::sync::Arc;

use memchr::memmem;

/// The era of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Within a session: 2025-11-25.
    Sessions,
    /// Without a session: 2026-07-28.
    Stateless,
}

/// A request.
#[derive(Clone, Debug)]
pub enum Ask {
    Active,
    /// Sends 1 MB as an argument, which comes back.
    Big(Arc<str>),
    /// Returns 1 MB of text.
    Blob,
    Cancel(u64),
    Discover,
    Echo,
    Initialize,
    Initialized,
    List,
    Listen,
    Nap(u32),
}

const SELF: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

impl Era {
    pub fn version(self) -> &'static str {
        match self {
            Self::Sessions => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }
}

impl Ask {
    /// Returns a request with 1 MB that comes back.
    pub fn big() -> Self {
        Self::Big("y".repeat(1_000_000).into())
    }

    /// Writes the request with its head and body.
    pub fn write(&self, out: &mut String, era: Era, id: u64, session: Option<&str>) {
        let body = self.body(era, id);
        let (method, name) = self.method();
        out.clear();
        out.push_str("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
        out.push_str("Accept: application/json, text/event-stream\r\n");
        if !matches!(self, Self::Initialize) {
            let _ = write!(out, "MCP-Protocol-Version: {}\r\n", era.version());
        }
        if era == Era::Stateless {
            let _ = write!(out, "Mcp-Method: {method}\r\n");
            let _ = name.map(|name| write!(out, "Mcp-Name: {name}\r\n"));
        }
        let _ = session.map(|id| write!(out, "Mcp-Session-Id: {id}\r\n"));
        let _ = write!(out, "Content-Length: {}\r\n\r\n{body}", body.len());
    }

    fn method(&self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Active => ("tools/call", Some("active")),
            Self::Big(_) | Self::Echo => ("tools/call", Some("echo")),
            Self::Blob => ("tools/call", Some("blob")),
            Self::Cancel(_) => ("notifications/cancelled", None),
            Self::Discover => ("server/discover", None),
            Self::Initialize => ("initialize", None),
            Self::Initialized => ("notifications/initialized", None),
            Self::List => ("tools/list", None),
            Self::Listen => ("subscriptions/listen", None),
            Self::Nap(_) => ("tools/call", Some("nap")),
        }
    }

    fn body(&self, era: Era, id: u64) -> String {
        let (method, name) = self.method();
        let arguments = match self {
            Self::Big(text) => format!(r#""message":"{text}""#),
            Self::Blob => r#""bytes":1000000"#.into(),
            Self::Echo => format!(r#""message":"hello, world, message number {id:08}""#),
            Self::Nap(ms) => format!(r#""ms":{ms}"#),
            _ => String::new(),
        };
        let mut params = match (self, name) {
            (_, Some(name)) => format!(r#""name":"{name}","arguments":{{{arguments}}}"#),
            (Self::Cancel(victim), _) => format!(r#""requestId":{victim}"#),
            (Self::Initialize, _) => r#""protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"0"}"#.into(),
            (Self::Listen, _) => r#""notifications":{"toolsListChanged":true}"#.into(),
            _ => String::new(),
        };
        if era == Era::Stateless {
            params += if params.is_empty() { "" } else { "," };
            params += SELF;
        }
        let id = if self.is_answered() { format!(r#""id":{id},"#) } else { String::new() };
        format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{{{params}}}}}"#)
    }

    pub fn is_answered(&self) -> bool {
        !matches!(self, Self::Cancel(_) | Self::Initialized)
    }

    /// Checks that `body` is the result of the request. It looks at the first and last 400 bytes only, so it
    /// does not find an error in the middle of a megabyte.
    pub fn check(&self, id: u64, body: &[u8]) -> Result<(), String> {
        let ends = [&body[..body.len().min(400)], &body[body.len().saturating_sub(400)..]];
        let has = |what: &str| ends.iter().any(|end| memmem::find(end, what.as_bytes()).is_some());
        let (expected, bytes) = match self {
            Self::Big(_) | Self::Blob => ("\"text\":\"".into(), 1_000_000),
            Self::Echo => (format!("message number {id:08}"), 0),
            Self::List => ("\"tools\":[".into(), 20_000),
            Self::Nap(_) => ("slept".into(), 0),
            _ => (String::new(), 0),
        };
        let is_answer = !has("\"isError\":true") && has("\"result\":") && has(&format!("\"id\":{id}"));
        if is_answer && has(&expected) && body.len() >= bytes {
            return Ok(());
        }
        Err(format!(
            "expected an answer to {:?}, but found {}",
            self.method(),
            String::from_utf8_lossy(ends[0])
        ))
    }
}
