//! Frames that no correct peer would send at that moment, or at all.
//!
//! In: bytes of a fuzzer. Out: a frame. Most frames are nearly right: they have ids that may be in use,
//! belong to the other era, or are messages that only the other side may send.

use super::super::bytes::Bytes;

/// Returns a made-up frame.
pub(super) fn frame(bytes: &mut Bytes<'_>) -> Vec<u8> {
    let which = bytes.below(FRAMES.len() + 2);
    let Some(frame) = FRAMES.get(which) else {
        return match which - FRAMES.len() {
            0 => bytes.some().to_vec(),
            _ => nested(bytes.below(160)),
        };
    };
    let id = IDS[bytes.below(IDS.len())].replace('#', &bytes.below(12).to_string());
    let revision = REVISIONS[bytes.below(REVISIONS.len())];
    let mut frame =
        frame.replace("$id", &id).replace("$modern", MODERN).replace("$revision", revision).into_bytes();
    // Changes one byte of some frames.
    if let at @ 200.. = bytes.below(256) {
        let at = (at * 7) % frame.len();
        frame[at] = bytes.byte();
    }
    frame
}

fn nested(levels: usize) -> Vec<u8> {
    let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"t","arguments":{{"a":{deep}}}}},"id":1}}"#)
        .into_bytes()
}

/// Ids of made-up frames. `#` becomes a small number, as engines use them.
const IDS: [&str; 6] =
    ["#", "\"#\"", "\"\\u0031\"", "null", "1.0", "-170141183460469231731687303715884105728"];

const REVISIONS: [&str; 6] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1900-01-01"];

const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"$revision","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug","progressToken":"p"}"#;

const FRAMES: [&str; 34] = [
    r#"{"jsonrpc":"2.0","id":$id,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"initialize","params":{"protocolVersion":"$revision","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":$id}}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{$modern,"name":"t","arguments":{"a":[1,{"b":null}]}}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{$modern,"name":"t","requestState":"s","inputResponses":{"a":{"action":"accept"}}}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"server/discover","params":{$modern}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"subscriptions/listen","params":{$modern,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a://1","a://1","a://2"]}}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"resources/subscribe","params":{"uri":"a://1"}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"logging/setLevel","params":{"level":"debug"}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"tools/list","params":{"cursor":null}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"sampling/createMessage","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"method":"nobody/knows","params":[1]}"#,
    r#"{"jsonrpc":"2.0","id":$id,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"result":[]}"#,
    r#"{"jsonrpc":"2.0","id":$id,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}},"requestState":"s"}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"$revision","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"result":{"resultType":"complete","supportedVersions":["$revision"],"capabilities":{}}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"m"}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32022,"message":"m","data":{"supported":["$revision"]}}}"#,
    r#"{"jsonrpc":"2.0","id":$id,"result":{},"error":{}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$id,"reason":"r"}}"#,
    r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":$id}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$id,"progress":1e300,"total":1,"message":"m"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$id},"notifications":{}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$id},"uri":"a://1"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
    r#"[]"#,
    r#"[1,{"jsonrpc":"2.0","id":$id,"method":"ping"},{"id":$id},[]]"#,
    r#"[{"jsonrpc":"2.0","id":$id,"method":"tools/call","params":{"name":"t"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$id}}]"#,
    r#"[{"jsonrpc":"2.0","id":$id,"method":"ping"},{"jsonrpc":"2.0","id":$id,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}},{"jsonrpc":"2.0","id":1,"result":{}}]"#,
    r#"{"jsonrpc":"2.0","id":1,"id":$id,"method":"ping"}"#,
];
