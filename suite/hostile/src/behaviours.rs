//! The behaviours, as data: what a hostile client and a hostile server do.
//!
//! Texts have placeholders: `{n}` is a number that grows with each use, `{a:N}` N letters, `{[:N}` N brackets,
//! `{session}` the id of the session, and `{id}` the id of the request that is answered.

/// A behaviour of a client. Its server is Plainwire.
pub(crate) struct ClientBehaviour {
    pub(crate) name: &'static str,
    pub(crate) does: Does,
}

/// The acts of a hostile client.
pub(crate) enum Does {
    /// Sends messages, all of them in turn, `times` in all, over every transport. After them the client waits
    /// for `stays` milliseconds and disconnects.
    Says { messages: &'static [&'static str], times: u32, reads: Reads, stays: u64 },
    /// Opens connections to the HTTP server, at most 100 at a time, and does this on each of them.
    Sends { connections: u32, pieces: &'static [Piece] },
}

/// The amount that a hostile peer reads of what it gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Nothing,
    Everything,
}

/// One act on a connection.
pub(crate) enum Piece {
    /// Writes a text, with its placeholders.
    Text(&'static str),
    /// Writes bytes as they are.
    Bytes(&'static [u8]),
    /// Writes a POST of a message with the headers of a session.
    Post(&'static str),
    /// Does the same again and again.
    Times(u32, &'static [Self]),
    /// Waits for so many milliseconds.
    Pause(u64),
    /// Reads for so many milliseconds, and throws away what it gets.
    Read(u64),
    /// Closes the direction to the other side.
    HalfClose,
    /// HTTP/2: the preface and SETTINGS with this initial window.
    H2Open(u32),
    /// HTTP/2: HEADERS and DATA of a POST of a message, on a new stream. Without a message, HEADERS only.
    H2Post(&'static str),
    /// HTTP/2: RST_STREAM of the newest stream.
    H2Reset,
    /// HTTP/2: a frame of this type, with flags, stream and payload.
    H2Frame(u8, u8, u32, &'static [u8]),
}

/// A behaviour of a server. Its client is Plainwire.
pub(crate) struct ServerBehaviour {
    pub(crate) name: &'static str,
    /// The method at whose requests it begins; other requests are answered well. `""`: any request.
    pub(crate) on: &'static str,
    pub(crate) then: Then,
}

/// The acts of a hostile server.
pub(crate) enum Then {
    /// Sends messages, `times` in all, over every transport; over HTTP as events of one stream, which then
    /// stays open.
    Says { messages: &'static [&'static str], times: u32 },
    /// Does this on the HTTP connection in place of a response.
    Sends(&'static [Piece]),
    /// Ends in the middle of a message.
    Dies,
    /// Sends nothing.
    Silence,
}

use Does::{Says, Sends};
use Piece::{Bytes, H2Frame, H2Open, H2Post, H2Reset, HalfClose, Pause, Post, Read, Text, Times};
use Reads::{Everything, Nothing};

const PING: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"ping"}"#;
const ECHO: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"echo","arguments":{"message":"m"}}}"#;
const SLEEP: &str =
    r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"sleep","arguments":{"ms":3000}}}"#;
const BLOB: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"blob","arguments":{"bytes":1000000}}}"#;

const fn says(
    name: &'static str,
    messages: &'static [&'static str],
    times: u32,
    reads: Reads,
    stays: u64,
) -> ClientBehaviour {
    ClientBehaviour { name, does: Says { messages, times, reads, stays } }
}

const fn sends(name: &'static str, connections: u32, pieces: &'static [Piece]) -> ClientBehaviour {
    ClientBehaviour { name, does: Sends { connections, pieces } }
}

/// What hostile clients do.
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
    // From here on: connections of HTTP.
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
];

const fn server(
    name: &'static str,
    on: &'static str,
    messages: &'static [&'static str],
    times: u32,
) -> ServerBehaviour {
    ServerBehaviour { name, on, then: Then::Says { messages, times } }
}

const fn responds(name: &'static str, on: &'static str, pieces: &'static [Piece]) -> ServerBehaviour {
    ServerBehaviour { name, on, then: Then::Sends(pieces) }
}

const OK: &str = r#"{"jsonrpc":"2.0","id":{id},"result":{"content":[{"type":"text","text":"m"}]}}"#;

/// What hostile servers do.
pub(crate) const SERVER: &[ServerBehaviour] = &[
    ServerBehaviour { name: "never answers a call", on: "tools/call", then: Then::Silence },
    ServerBehaviour { name: "never answers at all", on: "", then: Then::Silence },
    ServerBehaviour { name: "dies in the middle of an answer", on: "tools/call", then: Then::Dies },
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
    server(
        "a revision that does not exist",
        "initialize",
        &[
            r#"{"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":"9999-99-99","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
        ],
        1,
    ),
    server(
        "capabilities of 15 MB",
        "initialize",
        &[
            r#"{"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":"2025-11-25","capabilities":{"x":"{a:15000000}"},"serverInfo":{"name":"s","version":"1"}}}"#,
        ],
        1,
    ),
    // From here on: responses of HTTP.
    responds(
        "a head that comes byte by byte",
        "tools/call",
        &[Text("HTTP/1.1 200 OK\r\n"), Times(200, &[Text("x"), Pause(50)])],
    ),
    responds(
        "a body that comes byte by byte",
        "tools/call",
        &[
            Text("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n"),
            Times(200, &[Text(" "), Pause(50)]),
        ],
    ),
    responds(
        "a stream of comments",
        "tools/call",
        &[
            Text("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"),
            Times(4_000, &[Text(":{a:10000}\n")]),
            Times(100, &[Text(":\n\n"), Pause(50)]),
        ],
    ),
    responds(
        "a stream without a line break",
        "tools/call",
        &[
            Text("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: "),
            Times(60, &[Text("{a:1000000}")]),
            Pause(3_000),
        ],
    ),
    responds(
        "events with ids of 1 MB",
        "tools/call",
        &[
            Text("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"),
            Times(40, &[Text("id: {a:1000000}\ndata: \n\n")]),
            Pause(200),
        ],
    ),
    responds(
        "waits without measure before a retry",
        "tools/call",
        &[Text(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: 1\nretry: 99999999999999999999\ndata: \n\n",
        )],
    ),
    responds(
        "no wait at all before a retry",
        "tools/call",
        &[Text("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: 1\nretry: 0\ndata: \n\n")],
    ),
    responds(
        "gzip that is none",
        "tools/call",
        &[Text(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 20\r\n\r\n{a:20}",
        )],
    ),
    responds(
        "a length that is too large",
        "tools/call",
        &[
            Text("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{}"),
            HalfClose,
        ],
    ),
    responds(
        "a length without measure",
        "tools/call",
        &[Text(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99999999999999999999999\r\n\r\n{}",
        )],
    ),
    responds(
        "another content type",
        "tools/call",
        &[Text("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>")],
    ),
    responds(
        "a head of 10 MB",
        "tools/call",
        &[Text("HTTP/1.1 200 OK\r\n"), Times(1_000, &[Text("x-{n}: {a:10000}\r\n")]), Text("\r\n")],
    ),
    responds(
        "informational responses",
        "tools/call",
        &[Times(20_000, &[Text("HTTP/1.1 103 Early Hints\r\nlink: {a:100}\r\n\r\n")]), Pause(3_000)],
    ),
    responds(
        "a circle of redirects",
        "",
        &[Text("HTTP/1.1 307 Temporary Redirect\r\nlocation: /mcp\r\ncontent-length: 0\r\n\r\n")],
    ),
    responds(
        "a redirect to another machine",
        "",
        &[Text(
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://192.0.2.1/mcp\r\ncontent-length: 0\r\n\r\n",
        )],
    ),
    responds(
        "sessions that are lost at each call",
        "tools/call",
        &[Text("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")],
    ),
    responds(
        "a login without an end",
        "",
        &[Text(
            "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer {a:10000}\r\ncontent-length: 0\r\n\r\n",
        )],
    ),
    responds(
        "a wait without measure",
        "tools/call",
        &[Text(
            "HTTP/1.1 429 Too Many Requests\r\nretry-after: 99999999999999999999\r\ncontent-length: 0\r\n\r\n",
        )],
    ),
    responds(
        "an error page of 100 MB",
        "tools/call",
        &[
            Text("HTTP/1.1 500 Internal Server Error\r\ncontent-type: text/plain\r\n\r\n"),
            Times(100, &[Text("{a:1000000}")]),
            HalfClose,
        ],
    ),
    responds(
        "chunks that never fit",
        "tools/call",
        &[
            Text(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{a:1000}",
            ),
            HalfClose,
        ],
    ),
    responds(
        "two responses for one request",
        "tools/call",
        &[Times(
            2,
            &[Text("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")],
        )],
    ),
    responds("resets the connection", "", &[HalfClose]),
    responds("speaks HTTP/2 without being asked", "tools/call", &[H2Open(0), Pause(500)]),
];
