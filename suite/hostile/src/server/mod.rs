//! Plays a hostile server to a client.

pub(crate) mod http;
pub(crate) mod stdio;

use std::collections::HashMap;

use serde_json::Value;

use crate::behaviours::{ANSWER, ServerBehaviour, Then};
use crate::client::messages::Transport;

/// A message of a client.
pub(crate) struct Message {
    /// The method, or [`ANSWER`].
    pub(crate) method: String,
    /// The id as JSON; `None` if it wants no answer.
    pub(crate) id: Option<String>,
    /// The progress token as JSON.
    pub(crate) token: String,
    /// Whether the server says that it is of 2026-07-28.
    pub(crate) is_modern: bool,
}

impl Message {
    /// Reads a message; `None` if it is none.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let message: Value = serde_json::from_str(text).ok()?;
        let meta = &message["params"]["_meta"];
        let method = message["method"].as_str();
        Some(Self {
            method: method.unwrap_or(ANSWER).to_owned(),
            id: message.get("id").filter(|_| method.is_some()).map(Value::to_string),
            token: meta["progressToken"].to_string(),
            is_modern: meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28",
        })
    }
}

/// The numbers of messages that a server has handled so far, by method.
#[derive(Default)]
pub(crate) struct Handled(HashMap<String, u32>);

impl Handled {
    /// Returns what a server does at its next message of this method; `None` if it answers well.
    pub(crate) fn next(
        &mut self,
        behaviour: &ServerBehaviour,
        method: &str,
        is_request: bool,
    ) -> Option<Then> {
        let handled = self.0.entry(method.to_owned()).or_default();
        *handled += 1;
        behaviour.at(method, is_request, *handled - 1)
    }
}

/// Returns a good answer to a request, and whether it is an error.
pub(crate) fn good(transport: Transport, method: &str, id: &str) -> (String, bool) {
    let is_modern = transport == Transport::Modern;
    let result = match method {
        "initialize" if !is_modern => {
            let version = if transport == Transport::Sse { "2024-11-05" } else { "2025-11-25" };
            format!(
                r#"{{"protocolVersion":"{version}","capabilities":{CAPABILITIES},"serverInfo":{{"name":"s","version":"1"}}}}"#
            )
        }
        "server/discover" if is_modern => format!(
            r#"{{"supportedVersions":["2026-07-28"],"capabilities":{CAPABILITIES},"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"s","version":"1"}}}}}}"#
        ),
        "tools/list" => r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#.to_owned(),
        "tools/call" => r#"{"content":[{"type":"text","text":"m"}]}"#.to_owned(),
        "ping" if !is_modern => "{}".to_owned(),
        _ => {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no such method"}}}}"#
            );
            return (text, true);
        }
    };
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    (of_era(transport, method, &text), false)
}

const CAPABILITIES: &str = r#"{"tools":{"listChanged":true}}"#;

/// Returns a message as a server of this transport sends it: results of 2026-07-28 have a type, and some of them
/// a lifetime.
pub(crate) fn of_era(transport: Transport, method: &str, text: &str) -> String {
    let mut members = String::new();
    if transport == Transport::Modern {
        if !text.contains("\"resultType\"") {
            members.push_str(r#""resultType":"complete","#);
        }
        if matches!(method, "server/discover" | "tools/list") && !text.contains("\"ttlMs\"") {
            members.push_str(r#""ttlMs":0,"cacheScope":"private","#);
        }
    }
    let is_empty = text.contains("\"result\":{}");
    let members = if is_empty { members.trim_end_matches(',') } else { &members };
    text.replacen("\"result\":{", &format!("\"result\":{{{members}"), 1)
}

/// The answer to `subscriptions/listen` begins with this notification.
pub(crate) fn agreement(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}},"notifications":{{"toolsListChanged":true}}}}}}"#
    )
}
