//! Messages of both floor servers: the minimum that answers the benchmark.

use std::io::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
pub struct Request<'f> {
    #[serde(borrow)]
    pub id: Option<&'f RawValue>,
    pub method: &'f str,
    #[serde(borrow, default)]
    pub params: Params<'f>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params<'f> {
    pub name: Option<&'f str>,
    #[serde(borrow, default)]
    pub arguments: Arguments<'f>,
    #[serde(borrow)]
    pub request_id: Option<&'f RawValue>,
}

#[derive(Default, Deserialize)]
pub struct Arguments<'f> {
    #[serde(borrow)]
    pub message: Option<&'f RawValue>,
    pub bytes: Option<usize>,
    pub ms: Option<u64>,
}

/// Writes the result of a tool with the text `json`, a JSON string.
pub fn write_text(out: &mut Vec<u8>, id: &str, json: &str) {
    write_result(out, id, json.len(), |out| out.extend_from_slice(json.as_bytes()));
}

/// Writes the result of a tool with a text of `bytes` bytes.
pub fn write_blob(out: &mut Vec<u8>, id: &str, bytes: usize) {
    write_result(out, id, bytes + 2, |out| {
        out.push(b'"');
        out.resize(out.len() + bytes, b'x');
        out.push(b'"');
    });
}

fn write_result(out: &mut Vec<u8>, id: &str, bytes: usize, write: impl FnOnce(&mut Vec<u8>)) {
    out.reserve(id.len() + bytes + 100);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(br#","result":{"content":[{"type":"text","text":"#);
    write(out);
    out.extend_from_slice(b"}]}}");
}

pub fn write_list(out: &mut Vec<u8>, id: &str, tools: &str) {
    let _ = write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{tools}]}}}}"#);
}

pub fn write_initialized(out: &mut Vec<u8>, id: &str) {
    let _ = write!(
        out,
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"floor","version":"0"}}}}}}"#
    );
}

pub fn write_discovered(out: &mut Vec<u8>, id: &str) {
    let _ = write!(
        out,
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"ttlMs":0,"cacheScope":"private"}}}}"#
    );
}

/// Returns the entries of `tools/list`, which are written once.
pub fn tools() -> String {
    let dummies = std::env::var("MCP_TOOLS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let tool = |name: &str| {
        format!(
            r#"{{"name":"{name}","description":"A dummy tool that does nothing of use","inputSchema":{{"type":"object","properties":{{"path":{{"type":"string","description":"Where to look"}},"limit":{{"type":"integer","description":"At most this many"}},"deep":{{"type":"boolean"}}}},"required":["path"]}}}}"#
        )
    };
    let names = ["echo", "blob", "nap", "active"]
        .into_iter()
        .map(String::from)
        .chain((0..dummies).map(|n| format!("dummy_{n}")));
    names.map(|name| tool(&name)).collect::<Vec<_>>().join(",")
}
