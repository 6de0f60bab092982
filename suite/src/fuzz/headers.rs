//! Fuzz target for HTTP headers: nothing panics, a header value survives encoding and decoding, and a server
//! accepts the headers of our client.

use plainwire::proto::envelope::{self, Message};
use plainwire::proto::http::{
    Class, Endpoint, Headers as _, answered_id, check_modern, check_params, check_session, classify,
    decode_value, encode_value, is_session_id, param_headers, param_values,
};
use plainwire::proto::json::Span;
use plainwire::proto::revision::Revision;

use super::bytes::Bytes;

const NAMES: [&str; 6] =
    ["MCP-Protocol-Version", "mcp-session-id", "Mcp-Method", "mcp-name", "Mcp-Param-A", "x"];

const FRAMES: [&str; 6] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    "[{}]",
];

/// Classifies a message with made-up headers. Then takes the remaining bytes as a header value and as the
/// arguments of a tool.
pub fn headers(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let headers: Vec<_> = (0..bytes.below(8)).map(|_| (NAMES[bytes.below(6)], bytes.some())).collect();
    let first = bytes.below(5);
    let endpoint = Endpoint { revisions: &Revision::ALL[first..] };
    let which = bytes.below(FRAMES.len() + 1);
    let rest = String::from_utf8_lossy(bytes.rest()).into_owned();
    post(FRAMES.get(which).unwrap_or(&rest.as_str()), &headers, endpoint);

    let value = encode_value(&rest);
    assert!(value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')), "{value:?}");
    assert_eq!(value.trim_matches([' ', '\t']), value, "blanks would be lost");
    assert_eq!(decode_value(&value).as_deref(), Ok(rest.as_str()));
    arguments(&rest);
}

fn post(frame: &str, headers: &[(&str, &[u8])], endpoint: Endpoint<'_>) {
    let Some(place) = Span::of(0, frame.len()) else { return };
    let parsed = envelope::parse(frame, place, 64);
    match classify(frame, &parsed, headers, endpoint) {
        Ok(Class::Modern) => {
            let Ok(Message::Request { method, params, .. }) = &parsed else { panic!("no request: {frame}") };
            let method = method.string(frame).unwrap_or_default();
            if check_modern(frame, &method, params, headers, endpoint).is_ok() {
                assert_ne!(headers.value("mcp-protocol-version"), plainwire::proto::http::Found::Absent);
                assert!(endpoint.revisions.contains(&Revision::NEWEST));
            }
        }
        Ok(Class::Session(id)) => {
            assert!(is_session_id(id.as_bytes()), "{id:?}");
            for revision in Revision::ALL {
                let refused = check_session(headers, revision, endpoint);
                assert!(refused.is_ok() || refused.is_err_and(|it| it.revision == revision));
            }
        }
        Ok(Class::Initialize | Class::ModernNotification) => {}
        Err(refusal) => {
            assert_eq!(refusal.status, 400, "{refusal:?}");
            let _ = answered_id(&parsed);
        }
    }
}

/// Takes the text as the schema of one tool, and as the arguments of another, and checks the headers that
/// belong to them.
fn arguments(json: &str) {
    if let Ok(schema) = serde_json::from_str::<serde_json::Value>(json)
        && let Ok(params) = param_headers(&schema)
    {
        assert!(params.iter().all(|it| !it.path.is_empty() && it.header.starts_with("mcp-param-")));
    }
    let a = serde_json::json!({ "properties": {
        "a": { "type": "string", "x-mcp-header": "A" },
        "b": { "properties": { "c": { "type": "integer", "x-mcp-header": "C" } } },
    }});
    let params = param_headers(&a).expect("a schema that is in order");
    if let Ok(values) = param_values(&params, Some(json)) {
        assert_eq!(check_params(&params, Some(json), values.as_slice()), Ok(()), "{json} {values:?}");
    }
}
