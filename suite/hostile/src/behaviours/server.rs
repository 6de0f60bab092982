//! Messages of hostile servers, over every transport.

use super::{ANSWER, EVERYWHERE, LEGACY, PING, ServerBehaviour, Then, Turn, server, serves};
use crate::client::messages::Transport;

const MODERN: &[Transport] = &[Transport::Modern];
/// The transports over which an answer to `server/discover` differs from that over another one.
const DISCOVERED: &[Transport] = &[Transport::Stdio, Transport::Modern];

const OK: &str = r#"{"jsonrpc":"2.0","id":{id},"result":{"content":[{"type":"text","text":"m"}]}}"#;

/// The behaviours of hostile servers: messages, over every transport.
pub(crate) const SERVER: &[ServerBehaviour] = &[
    serves("never answers a call", EVERYWHERE, "tools/call", Then::Silence),
    serves("never answers at all", EVERYWHERE, "", Then::Silence),
    serves("dies in the middle of an answer", EVERYWHERE, "tools/call", Then::Dies),
    server("answers twice", "tools/call", &[OK], 2),
    server("answers a thousand times", "tools/call", &[OK], 1_000),
    server(
        "answers what was not asked",
        "tools/call",
        &[r#"{"jsonrpc":"2.0","id":{n}99999,"result":{}}"#],
        5_000,
    ),
    server(
        "answers with an id of another type",
        "tools/call",
        &[r#"{"jsonrpc":"2.0","id":"{id}","result":{}}"#],
        10,
    ),
    server("answers with garbage", "tools/call", &["{bad}", "not json", "{[:5000}", "", "[]"], 1_000),
    server(
        "answers with both a result and an error",
        "tools/call",
        &[r#"{"jsonrpc":"2.0","id":{id},"result":{},"error":{"code":1,"message":"x"}}"#],
        1,
    ),
    server(
        "a result of a hundred thousand brackets",
        "tools/call",
        &[r#"{"jsonrpc":"2.0","id":{id},"result":{[:100000}}"#],
        20,
    ),
    server(
        "a result over the limit",
        "tools/call",
        &[r#"{"jsonrpc":"2.0","id":{id},"result":{"content":[{"type":"text","text":"{a:20000000}"}]}}"#],
        2,
    ),
    server("a line without an end", "tools/call", &["{a:60000000}"], 1),
    server(
        "progress without an answer",
        "tools/call",
        &[
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{token},"progress":{n}}}"#,
        ],
        20_000,
    ),
    server(
        "progress of numbers without measure",
        "tools/call",
        &[
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{token},"progress":1e999,"total":-1e999}}"#,
            OK,
        ],
        100,
    ),
    server(
        "pings with ids of 1 MB",
        "tools/call",
        &[r#"{"jsonrpc":"2.0","id":"{a:1000000}{n}","method":"ping"}"#],
        100,
    ),
    server("pings", "tools/call", &[PING], 5_000),
    server(
        "changes of lists",
        "tools/call",
        &[r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#],
        20_000,
    ),
    server(
        "log messages of 100 KB",
        "tools/call",
        &[
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"{a:100000}"}}"#,
        ],
        600,
    ),
    server(
        "questions",
        "tools/call",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"elicitation/create","params":{"message":"{a:1000}","requestedSchema":{"type":"object","properties":{}}}}"#,
        ],
        3_000,
    ),
    server(
        "requests of methods that do not exist",
        "tools/call",
        &[r#"{"jsonrpc":"2.0","id":{n},"method":"{a:1000}"}"#],
        3_000,
    ),
    server(
        "cancels what it did not ask",
        "tools/call",
        &[r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{n}}}"#, OK],
        5_000,
    ),
    server(
        "pages without an end",
        "tools/list",
        &[r#"{"jsonrpc":"2.0","id":{id},"result":{"tools":[],"nextCursor":"{n}"}}"#],
        1,
    ),
    server(
        "pages of 1 MB without an end",
        "tools/list",
        &[
            r#"{"jsonrpc":"2.0","id":{id},"result":{"tools":[{"name":"t{n}","description":"{a:1000000}","inputSchema":{"type":"object"}}],"nextCursor":"{n}"}}"#,
        ],
        1,
    ),
    server(
        "one cursor for ever",
        "tools/list",
        &[r#"{"jsonrpc":"2.0","id":{id},"result":{"tools":[],"nextCursor":"same"}}"#],
        1,
    ),
    server(
        "a schema that refers to itself",
        "tools/list",
        &[
            r##"{"jsonrpc":"2.0","id":{id},"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","$ref":"#","$defs":{"a":{"$ref":"#/$defs/a"}}}}]}}"##,
        ],
        1,
    ),
    server(
        "lifetimes without measure",
        "tools/list",
        &[r#"{"jsonrpc":"2.0","id":{id},"result":{"tools":[],"ttlMs":1e308,"cacheScope":"public"}}"#],
        1,
    ),
    serves(
        "a revision that does not exist",
        LEGACY,
        "initialize",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":"9999-99-99","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
            ],
            times: 1,
        },
    ),
    serves(
        "capabilities of 15 MB",
        LEGACY,
        "initialize",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":"2025-11-25","capabilities":{"x":"{a:15000000}"},"serverInfo":{"name":"s","version":"1"}}}"#,
            ],
            times: 1,
        },
    ),
    serves(
        "zeros by the million for capabilities",
        LEGACY,
        "initialize",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":"2025-11-25","capabilities":{"x":[{0:7000000}]},"serverInfo":{"name":"s","version":"1"}}}"#,
            ],
            times: 1,
        },
    ),
    serves(
        "zeros by the million for capabilities, in an answer to server/discover",
        DISCOVERED,
        "server/discover",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","id":{id},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{"x":[{0:7000000}]}}}"#,
            ],
            times: 1,
        },
    ),
    serves(
        "revisions by the million",
        DISCOVERED,
        "server/discover",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","id":{id},"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":[{uris:1700}],"capabilities":{}}}"#,
            ],
            times: 1,
        },
    ),
    server(
        "zeros by the million for an input schema",
        "tools/list",
        &[
            r#"{"jsonrpc":"2.0","id":{id},"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","x":[{0:7000000}]}}]}}"#,
        ],
        1,
    ),
    server(
        "zeros by the million for an output schema",
        "tools/list",
        &[
            r#"{"jsonrpc":"2.0","id":{id},"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object","x":[{0:7000000}]}}]}}"#,
        ],
        1,
    ),
    server(
        "pages with cursors of 1 MB, without an end",
        "tools/list",
        &[r#"{"jsonrpc":"2.0","id":{id},"result":{"tools":[],"nextCursor":"{a:1000000}{n}"}}"#],
        1,
    ),
    server(
        "questions of 16 MB",
        "tools/call",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"elicitation/create","params":{"message":"{a:16000000}","requestedSchema":{"type":"object","properties":{}}}}"#,
        ],
        64,
    ),
    server(
        "questions to the model with texts by the million",
        "tools/call",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"stopSequences":[{texts:5000000}]}}"#,
        ],
        3,
    ),
    server(
        "web pages and their ends, with ids of 1 MB",
        "tools/call",
        &[
            r#"{"jsonrpc":"2.0","id":{n},"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/","elicitationId":"{a:1000000}{n}"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"{a:1000000}{n}"}}"#,
        ],
        200,
    ),
    ServerBehaviour {
        name: "pings, of which it takes no answer, then notifications of 15 MB",
        over: EVERYWHERE,
        turns: [
            Turn {
                on: "tools/call",
                after: 0,
                then: Then::SaysEach(&[
                    (PING, 66),
                    (
                        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"{a:15000000}"}}"#,
                        12,
                    ),
                ]),
            },
            Turn { on: ANSWER, after: 0, then: Then::Silence },
        ],
    },
    // From here on: results of 2026-07-28.
    serves(
        "asks to be called again without an end",
        MODERN,
        "tools/call",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","id":{id},"result":{"resultType":"input_required","requestState":"{n}"}}"#,
            ],
            times: 1,
        },
    ),
    serves(
        "asks to be called again, with states of 15 MB",
        MODERN,
        "tools/call",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","id":{id},"result":{"resultType":"input_required","requestState":"{a:15000000}{n}"}}"#,
            ],
            times: 1,
        },
    ),
    serves(
        "asks to be called again, with states of 10 MB, the largest that are taken",
        MODERN,
        "tools/call",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","id":{id},"result":{"resultType":"input_required","requestState":"{a:10000000}{n}"}}"#,
            ],
            times: 1,
        },
    ),
    serves(
        "asks questions of 15 MB in results",
        MODERN,
        "tools/call",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","id":{id},"result":{"resultType":"input_required","requestState":"{n}","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"{a:15000000}","requestedSchema":{"type":"object","properties":{}}}}}}}"#,
            ],
            times: 1,
        },
    ),
    serves(
        "results of types that do not exist",
        MODERN,
        "tools/call",
        Then::Says {
            messages: &[r#"{"jsonrpc":"2.0","id":{id},"result":{"resultType":"{a:1000}","content":[]}}"#],
            times: 1,
        },
    ),
    serves(
        "changes of a subscription before it has agreed to it",
        MODERN,
        "subscriptions/listen",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":{id}}}}"#,
            ],
            times: 20_000,
        },
    ),
    serves("never agrees to a subscription", MODERN, "subscriptions/listen", Then::Silence),
];
