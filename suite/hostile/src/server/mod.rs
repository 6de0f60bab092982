//! Plays a hostile server to a client.

pub(crate) mod http;
pub(crate) mod stdio;

/// Returns the method, the id as JSON and the progress token as JSON of a request; `None` for other messages.
pub(crate) fn request(text: &str) -> Option<(String, String, String)> {
    let message: serde_json::Value = serde_json::from_str(text).ok()?;
    let method = message["method"].as_str()?.to_owned();
    let id = message.get("id")?.to_string();
    Some((method, id, message["params"]["_meta"]["progressToken"].to_string()))
}

/// Returns a good answer to a request.
pub(crate) fn good(method: &str, id: &str) -> String {
    let result = match method {
        "initialize" => {
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}"#
        }
        "tools/list" => r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#,
        "tools/call" => r#"{"content":[{"type":"text","text":"m"}]}"#,
        "ping" => "{}",
        _ => {
            return format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no such method"}}}}"#
            );
        }
    };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}
