//! Messages of hostile clients, over every transport.

use super::Reads::{Everything, Nothing};
use super::{ClientBehaviour, PING, says};

const SLEEP: &str =
    r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"sleep","arguments":{"ms":3000}}}"#;
const BLOB: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"blob","arguments":{"bytes":1000000}}}"#;

/// The behaviours of hostile clients: messages, over every transport.
pub(crate) const CLIENT: &[ClientBehaviour] = &[
    says("pings, and reads no answer", &[PING], 5_000, Nothing, 500),
    says(
        "calls with ids of 1 MB",
        &[r#"{"jsonrpc":"2.0","id":"{a:1000000}{n}","method":"ping"}"#],
        60,
        Nothing,
        500,
    ),
    says("sleeping calls, then leaves", &[SLEEP], 3_000, Nothing, 200),
    says(
        "calls that it cancels at once",
        &[
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":100}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
        ],
        4_000,
        Everything,
        200,
    ),
    says(
        "one id for all calls",
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":300}}}"#,
        ],
        1_000,
        Everything,
        500,
    ),
    says(
        "answers to questions that nobody asked",
        &[r#"{"jsonrpc":"2.0","id":{n},"result":{"x":"{a:1000}"}}"#],
        5_000,
        Everything,
        0,
    ),
    says(
        "initialize again and again, with a description of 60 KB",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"x":"{a:60000}"},"clientInfo":{"name":"c","version":"1"}}}"#,
        ],
        400,
        Everything,
        200,
    ),
    says(
        "initialize with a description of 8 MB",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"x":"{a:8000000}"},"clientInfo":{"name":"c","version":"1"}}}"#,
        ],
        12,
        Everything,
        200,
    ),
    says("batches of sleeping calls", &["[{sleeps:500}]"], 8, Nothing, 500),
    says(
        "empty and nested batches",
        &["[]", "[[]]", "[[[{[:100}", "[1,2,3]", "[null]"],
        2_000,
        Everything,
        0,
    ),
    says(
        "a hundred thousand brackets",
        &["{[:100000}", r#"{"jsonrpc":"2.0","id":{n},"method":"ping","params":{[:100000}}"#],
        60,
        Everything,
        0,
    ),
    says(
        "numbers without measure",
        &[
            r#"{"jsonrpc":"2.0","id":1e999999999,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"sleep","arguments":{"ms":1e400},"_meta":{"progressToken":-1e-999999}}}"#,
            r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"sleep","arguments":{"ms":{9:100000}}}}"#,
        ],
        300,
        Everything,
        0,
    ),
    says(
        "NUL, half UTF-8 and lone surrogates",
        &["\u{0}", r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, "{bad}", "\"\u{feff}"],
        2_000,
        Everything,
        0,
    ),
    says(
        "notifications",
        &[
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{n},"progress":1}}"#,
        ],
        10_000,
        Everything,
        0,
    ),
    says(
        "methods that do not exist",
        &[r#"{"jsonrpc":"2.0","id":{n},"method":"{a:1000}"}"#],
        4_000,
        Everything,
        0,
    ),
    says(
        "subscriptions to URIs of 8 KB",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"resources/subscribe","params":{"uri":"note://{n}{a:8000}"}}"#,
        ],
        3_000,
        Everything,
        300,
    ),
    says(
        "listens",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["note://{n}{a:4000}"]}}}"#,
        ],
        200,
        Nothing,
        300,
    ),
    says(
        "completions of 1 MB",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"note://{name}"},"argument":{"name":"name","value":"{a:1000000}"}}}"#,
        ],
        60,
        Everything,
        0,
    ),
    says(
        "forged cursors",
        &[r#"{"jsonrpc":"2.0","id":{n},"method":"tools/list","params":{"cursor":"{a:2000}"}}"#],
        3_000,
        Everything,
        0,
    ),
    says(
        "forged and repeated states of questions",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"ask","arguments":{},"requestState":"{a:2000}","inputResponses":{"1":{"action":"accept","content":{}}}}}"#,
        ],
        2_000,
        Everything,
        0,
    ),
    says(
        "cancellations of calls that do not run",
        &[
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{n},"reason":"{a:1000}"}}"#,
        ],
        10_000,
        Everything,
        0,
    ),
    says(
        "arguments of 8 MB, and reads no answer",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"echo","arguments":{"message":"{a:8000000}"}}}"#,
        ],
        12,
        Nothing,
        500,
    ),
    says("answers of 1 MB that it does not read", &[BLOB], 200, Nothing, 500),
    says(
        "messages over the limit",
        &[r#"{"jsonrpc":"2.0","id":{n},"method":"ping","params":{"x":"{a:20000000}"}}"#],
        8,
        Everything,
        0,
    ),
    says("blank lines", &["", "   ", "\t"], 10_000, Everything, 0),
    says(
        "log levels",
        &[r#"{"jsonrpc":"2.0","id":{n},"method":"logging/setLevel","params":{"level":"debug"}}"#],
        4_000,
        Everything,
        0,
    ),
    says(
        "URIs that climb out",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"resources/read","params":{"uri":"note://..%2F..%2Fetc%2Fpasswd%00"}}"#,
        ],
        3_000,
        Everything,
        0,
    ),
    says(
        "the same request again and again",
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"m"}}}"#,
        ],
        3_000,
        Everything,
        0,
    ),
    says(
        "errors for answers",
        &[r#"{"jsonrpc":"2.0","id":{n},"error":{"code":-1,"message":"{a:10000}"}}"#],
        4_000,
        Everything,
        0,
    ),
    says(
        "questions that it never answers",
        &[r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"ask","arguments":{}}}"#],
        500,
        Nothing,
        300,
    ),
    says(
        "zeros by the million for a text",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"echo","arguments":{"message":[{0:4000000}]}}}"#,
        ],
        12,
        Everything,
        200,
    ),
    says(
        "zeros by the million for a text, as a text",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"sleep","arguments":{"ms":"[{0:4000000}]"}}}"#,
        ],
        12,
        Everything,
        200,
    ),
    says(
        "zeros by the million for a tool without arguments",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"nothing","arguments":{"x":[{0:4000000}]}}}"#,
            r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"nothing","arguments":[{0:4000000}]}}"#,
        ],
        12,
        Everything,
        200,
    ),
    says(
        "subscriptions to a thousand URIs of 8 KB each",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"resourceSubscriptions":[{uris:1024}]}}}"#,
        ],
        12,
        Nothing,
        500,
    ),
];
