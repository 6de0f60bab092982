//! Connections of hostile clients to an HTTP server.

use super::Door::{Guarded, Open};
use super::Piece::*;
use super::{ClientBehaviour, ECHO, PING, sends};

const SLEEP: &str =
    r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"sleep","arguments":{"ms":3000}}}"#;
const BLOB: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"blob","arguments":{"bytes":1000000}}}"#;

const LIST: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"tools/list"}"#;
/// Calls with one id, so that their answers have one length.
const BLOB_7: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"blob","arguments":{"bytes":1000000}}}"#;
const LONG: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"blob","arguments":{"bytes":100000}}}"#;
/// The largest increment of a window after the initial 65,535 bytes.
const MUCH: &[u8] = &[0x7f, 0xff, 0, 0];

const ASK: &str =
    r#"{"jsonrpc":"2.0","id":"{n}","method":"tools/call","params":{"name":"ask","arguments":{}}}"#;
const ANSWERED: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"ask","arguments":{},"requestState":"{taken}","inputResponses":{"choice":{"action":"accept","content":{"which":"x"}}}}}"#;
/// The beginning of a question, up to its id. Ids of calls in the same session are texts.
const QUESTION: &str = r#"{"jsonrpc":"2.0","id":"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

const LISTEN: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":[{uris:1024}]}}}"#;

const SESSION: &str = "mcp-session-id: {session}\r\nmcp-protocol-version: 2025-11-25\r\n";
const BATCHES: &str = "mcp-session-id: {batches}\r\nmcp-protocol-version: 2025-03-26\r\n";
const ADA: &str = "authorization: Bearer token-of-ada\r\n";
const BOB: &str = "authorization: Bearer token-of-bob\r\n";
const ADA_IN_SESSION: &str = "authorization: Bearer token-of-ada\r\nmcp-session-id: {taken}\r\n";
const BOB_IN_SESSION: &str = "authorization: Bearer token-of-bob\r\nmcp-session-id: {taken}\r\n";

/// The behaviours of hostile clients: connections, over HTTP.
pub(crate) const CLIENT: &[ClientBehaviour] = &[
    sends(
        "heads that come byte by byte",
        90,
        &[Text("POST /mcp HTTP/1.1\r\n"), Times(20, &[Text("x"), Pause(50)])],
    ),
    sends(
        "bodies that come byte by byte",
        90,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n",
            ),
            Times(20, &[Text(" "), Pause(50)]),
        ],
    ),
    sends(
        "half of a body of 15 MB",
        40,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: 15000000\r\n\r\n{a:7000000}",
            ),
            Pause(1_000),
        ],
    ),
    sends("closes its half after the request", 200, &[Post(ECHO), HalfClose, Read(100)]),
    sends("calls, and reads no byte of 1 MB", 90, &[Post(BLOB), Pause(1_000)]),
    sends("silent connections", 900, &[Pause(300)]),
    sends(
        "leaves in the middle of a body",
        500,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-length: 1000\r\n\r\n{",
            ),
            Pause(1),
        ],
    ),
    sends("a thousand requests in one write", 10, &[Times(1_000, &[Post(PING)]), Read(500)]),
    sends(
        "chunks that never fit",
        200,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{a:1000}",
            ),
            Read(50),
        ],
    ),
    sends(
        "extensions of chunks",
        40,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ntransfer-encoding: chunked\r\n\r\n",
            ),
            Times(50, &[Text("1;{a:20000}\r\n \r\n")]),
            Read(50),
        ],
    ),
    sends(
        "two lengths",
        200,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
            ),
            Read(50),
        ],
    ),
    sends(
        "a length and chunks",
        200,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n",
            ),
            Read(50),
        ],
    ),
    sends(
        "heads of 70 KB",
        100,
        &[
            Text("GET /mcp HTTP/1.1\r\nhost: localhost\r\n"),
            Times(70, &[Text("x-{n}: {a:1000}\r\n")]),
            Text("\r\n"),
            Read(50),
        ],
    ),
    sends(
        "bodies in gzip",
        100,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-encoding: gzip\r\ncontent-length: 20\r\n\r\n",
            ),
            Bytes(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
            Read(50),
        ],
    ),
    sends(
        "promises of bodies",
        90,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\nexpect: 100-continue\r\ncontent-length: 15000000\r\n\r\n",
            ),
            Read(500),
        ],
    ),
    sends(
        "methods and paths that do not exist",
        300,
        &[
            Text(
                "TRACE /{a:1000} HTTP/1.1\r\nhost: localhost\r\n\r\nPUT /mcp HTTP/1.1\r\nhost: localhost\r\n\r\nHEAD /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n",
            ),
            Read(20),
        ],
    ),
    sends(
        "streams of one session by the hundred",
        600,
        &[
            Text(
                "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: {session}\r\nmcp-protocol-version: 2025-11-25\r\n\r\n",
            ),
            Pause(100),
        ],
    ),
    sends(
        "guesses at sessions",
        300,
        &[
            Times(
                10,
                &[Text(
                    "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: guess-{n}\r\n\r\n",
                )],
            ),
            Read(50),
        ],
    ),
    sends(
        "ends sessions that are not its own",
        300,
        &[
            Times(
                10,
                &[Text("DELETE /mcp HTTP/1.1\r\nhost: localhost\r\nmcp-session-id: guess-{n}\r\n\r\n")],
            ),
            Read(50),
        ],
    ),
    sends(
        "resumes where nothing was",
        300,
        &[
            Text(
                "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: {session}\r\nlast-event-id: 18446744073709551615-{a:1000}\r\n\r\n",
            ),
            Read(50),
        ],
    ),
    sends(
        "upgrades",
        200,
        &[
            Text(
                "GET /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n",
            ),
            Read(50),
        ],
    ),
    sends(
        "foreign hosts and origins",
        200,
        &[
            Text(
                "POST /mcp HTTP/1.1\r\nhost: {a:100}.example\r\norigin: https://evil.example\r\ncontent-length: 0\r\n\r\n",
            ),
            Read(20),
        ],
    ),
    sends("HTTP/2: a window of nothing", 10, &[H2Open(0), Times(60, &[H2Post(BLOB)]), Read(1_500)]),
    sends(
        "HTTP/2: streams that are reset at once",
        10,
        &[H2Open(65_535), Times(1_000, &[H2Post(SLEEP), H2Reset]), Read(200)],
    ),
    sends(
        "HTTP/2: heads without an end",
        10,
        &[
            H2Open(65_535),
            H2Frame(1, 0, 1, &[0x83, 0x86]),
            Times(2_000, &[H2Frame(9, 0, 1, &[0x00, 0x01, b'x', 0x03, b'a', b'b', b'c'])]),
            Read(200),
        ],
    ),
    sends(
        "HTTP/2: PING frames",
        10,
        &[H2Open(65_535), Times(20_000, &[H2Frame(6, 0, 0, b"12345678")]), Pause(300)],
    ),
    sends(
        "HTTP/2: SETTINGS frames",
        10,
        &[H2Open(65_535), Times(20_000, &[H2Frame(4, 0, 0, &[])]), Pause(300)],
    ),
    sends("HTTP/2: streams without a body", 40, &[H2Open(65_535), Times(200, &[H2Post("")]), Read(500)]),
    sends(
        "HTTP/2: a window that overflows",
        40,
        &[H2Open(65_535), H2Post(ECHO), H2Frame(8, 0, 0, &[0x7f, 0xff, 0xff, 0xff]), Read(100)],
    ),
    sends(
        "HTTP/2: frames of unknown types, and garbage",
        40,
        &[H2Open(65_535), Times(1_000, &[H2Frame(200, 255, 0, b"garbage")]), Text("{a:100000}"), Read(100)],
    ),
    sends(
        "HTTP/2: many empty DATA frames",
        10,
        &[H2Open(65_535), H2Post(""), Times(20_000, &[H2Frame(0, 0, 1, &[])]), Read(200)],
    ),
    sends(
        "HTTP/2: all but the last byte",
        10,
        &[
            On(Open, 1),
            Post(LONG),
            Take("content-length: "),
            On(Open, 0),
            H2OpenShort,
            H2Frame(8, 0, 0, MUCH),
            Times(60, &[H2Post(LONG)]),
            H2Ended(4_000),
        ],
    ),
    sends(
        "HTTP/2: all but the last byte of 1 MB",
        10,
        &[
            On(Open, 1),
            Post(BLOB_7),
            Take("content-length: "),
            On(Open, 0),
            H2OpenShort,
            H2Frame(8, 0, 0, MUCH),
            Times(10, &[H2Post(BLOB_7)]),
            H2Ended(4_000),
        ],
    ),
    sends("HTTP/2: a window of one byte", 10, &[H2Open(1), Times(60, &[H2Post(ECHO)]), H2Ended(4_000)]),
    sends(
        "HTTP/2: lists in gzip, and a window of nothing",
        40,
        &[H2Open(0), Times(180, &[H2PostGzip(LIST)]), H2Ended(4_000)],
    ),
    sends(
        "HTTP/2: large answers in gzip, and a window of nothing",
        40,
        &[H2Open(0), Times(180, &[H2PostGzip(LONG)]), H2Ended(4_000)],
    ),
    sends(
        "large answers in gzip, of which it reads no byte",
        400,
        &[ModernAs("accept-encoding: gzip\r\n", LONG), Pause(1_000)],
    ),
    sends(
        "heads of 60 KB that never end",
        1_000,
        &[Text("POST /mcp HTTP/1.1\r\nhost: localhost\r\nx: {a:60000}"), Pause(1_000)],
    ),
    sends(
        "heads of 15 KB that never end",
        1_000,
        &[Text("POST /mcp HTTP/1.1\r\nhost: localhost\r\nx: {a:15000}"), Pause(1_000)],
    ),
    sends(
        "subscriptions to a thousand URIs of 8 KB each, one after the other",
        2,
        &[
            On(Open, 1),
            Post(LISTEN),
            Read(400),
            On(Open, 2),
            Post(LISTEN),
            Read(400),
            On(Open, 3),
            Post(LISTEN),
            Read(400),
            On(Open, 4),
            Post(LISTEN),
            Read(400),
            On(Open, 5),
            Post(LISTEN),
            Read(400),
            On(Open, 6),
            Post(LISTEN),
            Read(400),
            On(Open, 7),
            Post(LISTEN),
            Read(400),
        ],
    ),
    // From here on: what a server must do, by the way.
    sends(
        "two questions in a session, and an answer to the first",
        20,
        &[
            PostAs(SESSION, ASK),
            Take(QUESTION),
            Pause(300),
            On(Open, 1),
            PostAs(SESSION, ASK),
            Until(QUESTION, 5_000),
            On(Open, 2),
            PostAs(
                SESSION,
                r#"{"jsonrpc":"2.0","id":{taken},"result":{"action":"accept","content":{"which":"x"}}}"#,
            ),
            Until("HTTP/1.1 202", 5_000),
            On(Open, 0),
            Until(r#""text":"true""#, 5_000),
            On(Open, 1),
            Until("none within `ask_timeout`", 5_000),
        ],
    ),
    sends(
        "two questions in a batch, and an answer to the first",
        20,
        &[
            PostAs(
                BATCHES,
                r#"[{"jsonrpc":"2.0","id":"{n}","method":"tools/call","params":{"name":"folders","arguments":{"ms":0}}},{"jsonrpc":"2.0","id":"{n}","method":"tools/call","params":{"name":"folders","arguments":{"ms":500}}}]"#,
            ),
            Take(QUESTION),
            Until("roots/list", 5_000),
            Until("roots/list", 5_000),
            On(Open, 1),
            PostAs(BATCHES, r#"{"jsonrpc":"2.0","id":{taken},"result":{"roots":[]}}"#),
            Until("HTTP/1.1 202", 5_000),
            On(Open, 0),
            Until(r#""text":"0""#, 5_000),
            Until("none within `ask_timeout`", 5_000),
        ],
    ),
    sends(
        "another principal's session",
        20,
        &[
            On(Guarded, 0),
            PostAs(ADA, INITIALIZE),
            Take("mcp-session-id: "),
            Until("serverInfo", 5_000),
            PostAs(ADA_IN_SESSION, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            Until("HTTP/1.1 202", 5_000),
            On(Guarded, 1),
            Times(
                20,
                &[
                    PostAs(BOB_IN_SESSION, PING),
                    Until("HTTP/1.1 404", 5_000),
                    Text(
                        "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nauthorization: Bearer token-of-bob\r\nmcp-session-id: {taken}\r\n\r\n",
                    ),
                    Until("HTTP/1.1 404", 5_000),
                    Text(
                        "DELETE /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer token-of-bob\r\nmcp-session-id: {taken}\r\n\r\n",
                    ),
                    Until("HTTP/1.1 404", 5_000),
                    PostAs("authorization: Bearer token-of-bob\r\nmcp-session-id: {taken}0\r\n", PING),
                    Until("HTTP/1.1 404", 5_000),
                    PostAs("mcp-session-id: {taken}\r\n", PING),
                    Until("HTTP/1.1 401", 5_000),
                ],
            ),
            On(Guarded, 0),
            PostAs(ADA_IN_SESSION, PING),
            Until(r#""result":{}"#, 5_000),
        ],
    ),
    sends(
        "a state of a question, used again and again",
        20,
        &[
            Post(ASK),
            Take(r#""requestState":""#),
            Post(ANSWERED),
            Until(r#""text":"true""#, 5_000),
            Times(20, &[Post(ANSWERED), Until("-32602", 5_000)]),
            On(Guarded, 1),
            ModernAs(BOB, ANSWERED),
            Until("-32602", 5_000),
        ],
    ),
    sends(
        "another principal's state of a question",
        20,
        &[
            On(Guarded, 0),
            ModernAs(ADA, ASK),
            Take(r#""requestState":""#),
            On(Guarded, 1),
            Times(20, &[ModernAs(BOB, ANSWERED), Until("-32602", 5_000)]),
            On(Guarded, 0),
            ModernAs(ADA, ANSWERED),
            Until(r#""text":"true""#, 5_000),
        ],
    ),
];
