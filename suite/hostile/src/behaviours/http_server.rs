//! Responses of hostile servers over HTTP.

use super::Piece::*;
use super::{GET, ServerBehaviour, Then, Turn, responds, serves};
use crate::client::messages::Transport;

const SSE: &[Transport] = &[Transport::Sse];

/// A behaviour on the stream of a session, while calls wait for their answers.
const fn streams(name: &'static str, then: Then) -> ServerBehaviour {
    let calls = Turn { on: "tools/call", after: 0, then: Then::Silence };
    ServerBehaviour { name, over: &[Transport::Session], turns: [Turn { on: GET, after: 0, then }, calls] }
}

/// The answer of a server that has lost the session of a call.
const LOSES_THE_SESSION: Turn = Turn {
    on: "tools/call",
    after: 0,
    then: Then::Sends(&[Text("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")]),
};

/// The behaviours of hostile servers: connections, over HTTP.
pub(crate) const SERVER: &[ServerBehaviour] = &[
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
    ServerBehaviour {
        name: "loses the session, and never ends its response to `initialized`",
        over: &[Transport::Session],
        turns: [
            LOSES_THE_SESSION,
            Turn {
                on: "notifications/initialized",
                after: 1,
                then: Then::Sends(&[
                    Text("HTTP/1.1 202 Accepted\r\ncontent-length: 100000\r\n\r\n"),
                    Times(400, &[Text(" "), Pause(50)]),
                ]),
            },
        ],
    },
    ServerBehaviour {
        name: "loses the session, and answers `initialized` with 100 MB",
        over: &[Transport::Session],
        turns: [
            LOSES_THE_SESSION,
            Turn {
                on: "notifications/initialized",
                after: 1,
                then: Then::Sends(&[
                    Text("HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n"),
                    Times(100, &[Text("{a:1000000}")]),
                ]),
            },
        ],
    },
    // From here on: the stream of a session, and that of HTTP+SSE.
    streams(
        "a stream that is lost at once, again and again",
        Then::Sends(&[
            Text("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: {n}\nretry: 0\ndata: \n\n"),
            HalfClose,
        ]),
    ),
    streams(
        "changes by the thousand on the stream of the session",
        Then::Says {
            messages: &[r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#],
            times: 20_000,
        },
    ),
    streams(
        "log messages of 15 MB on the stream of the session",
        Then::Says {
            messages: &[
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"{a:15000000}"}}"#,
            ],
            times: 20,
        },
    ),
    streams(
        "the stream of a session that was lost",
        Then::Sends(&[Text("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")]),
    ),
    serves(
        "an endpoint that never comes",
        SSE,
        GET,
        Then::Sends(&[
            Text("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"),
            Times(200, &[Text(":\n\n"), Pause(50)]),
        ]),
    ),
    serves(
        "an endpoint on another machine",
        SSE,
        GET,
        Then::Sends(&[
            Text(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: endpoint\ndata: http://192.0.2.1/messages\n\n",
            ),
            Pause(2_000),
        ]),
    ),
    serves(
        "an endpoint of 15 MB",
        SSE,
        GET,
        Then::Sends(&[
            Text(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: endpoint\ndata: /{a:15000000}\n\n",
            ),
            Pause(2_000),
        ]),
    ),
    serves(
        "endpoints by the thousand",
        SSE,
        GET,
        Then::Sends(&[
            Text("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"),
            Times(20_000, &[Text("event: endpoint\ndata: /messages?{n}\n\n")]),
            Pause(2_000),
        ]),
    ),
    serves(
        "a stream that ends after its endpoint",
        SSE,
        GET,
        Then::Sends(&[Text(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nevent: endpoint\ndata: /messages\n\n",
        )]),
    ),
];
