//! The behaviours, as data: what a hostile client and a hostile server do.
//!
//! Texts have placeholders: `{n}` is a number that grows with each use, `{a:N}` N letters, `{[:N}` N brackets,
//! `{0:N}` N zeros with commas between them, `{uris:N}` N long URIs, `{session}` and `{batches}` the ids of two
//! sessions (the second one of 2025-03-26), `{taken}` the text that [`Piece::Take`] has found, and `{id}` the id of
//! the request that is answered.

mod client;
mod http_client;
mod http_server;
mod server;

use crate::client::messages::Transport;

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
    /// Opens connections to the HTTP server, at most 1,000 at a time, and does this on each of them.
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
    /// Writes a POST of a message of 2026-07-28.
    Post(&'static str),
    /// Like `Post`, with these header lines too.
    ModernAs(&'static str, &'static str),
    /// Writes a POST of a message as it is, with these header lines.
    PostAs(&'static str, &'static str),
    /// Does the same again and again.
    Times(u32, &'static [Self]),
    /// Waits for so many milliseconds.
    Pause(u64),
    /// Reads for so many milliseconds, and throws away what it gets.
    Read(u64),
    /// Reads until this text has arrived. If that takes more than so many milliseconds, the server under test has
    /// failed.
    Until(&'static str, u64),
    /// Like `Until`, with 5 s, and takes the value behind the text for `{taken}`: up to a quote, a comma, a
    /// bracket or the end of the line.
    Take(&'static str),
    /// Goes on with the connection of this number to this server, which is opened at its first use. The connection
    /// that was used before stays open.
    On(Door, u8),
    /// Closes the direction to the other side.
    HalfClose,
    /// HTTP/2: the preface and SETTINGS with this initial window.
    H2Open(u32),
    /// HTTP/2: like `H2Open`, with a window of one byte less than the number that was taken.
    H2OpenShort,
    /// HTTP/2: HEADERS and DATA of a POST of a message, on a new stream. Without a message, HEADERS only.
    H2Post(&'static str),
    /// HTTP/2: like `H2Post`, of a client that accepts gzip.
    H2PostGzip(&'static str),
    /// HTTP/2: RST_STREAM of the newest stream.
    H2Reset,
    /// HTTP/2: a frame of this type, with flags, stream and payload.
    H2Frame(u8, u8, u32, &'static [u8]),
    /// HTTP/2: reads until every stream has ended. If that takes more than so many milliseconds, the server under
    /// test has failed.
    H2Ended(u64),
}

/// The server that a connection goes to. Both are in the process under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Door {
    /// The server that serves everybody.
    Open,
    /// The server that wants a token: `token-of-ada` or `token-of-bob`.
    Guarded,
}

/// A behaviour of a server. Its client is Plainwire.
pub(crate) struct ServerBehaviour {
    pub(crate) name: &'static str,
    pub(crate) over: &'static [Transport],
    pub(crate) turns: [Turn; 2],
}

/// The messages at which a hostile server misbehaves, and how. Other messages are answered well.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// The method of the messages. `""`: any request. [`ANSWER`]: an answer to the server. [`GET`]: a GET.
    pub(crate) on: &'static str,
    /// The number of these messages that are handled well first.
    pub(crate) after: u32,
    pub(crate) then: Then,
}

/// Answers of the client to requests of the server, in [`Turn::on`].
pub(crate) const ANSWER: &str = "(answer)";

/// HTTP requests with GET, in [`Turn::on`].
pub(crate) const GET: &str = "(GET)";

/// The acts of a hostile server.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// Sends messages, `times` in all; over Streamable HTTP as events of one stream, which then stays open.
    Says { messages: &'static [&'static str], times: u32 },
    /// Sends messages like `Says`, each so many times before the next one.
    SaysEach(&'static [(&'static str, u32)]),
    /// Does this on the HTTP connection in place of a response.
    Sends(&'static [Piece]),
    /// Ends in the middle of a message.
    Dies,
    /// Sends nothing.
    Silence,
}

impl Then {
    /// Returns the messages that a server says, with repetitions divided by `scale`.
    pub(crate) fn says(self, scale: u32) -> impl Iterator<Item = &'static str> + Send {
        let (mut says, mut each) = (None, None);
        match self {
            Self::Says { messages, times } => {
                let times = (times / scale).max(times.min(messages.len() as u32));
                says = Some(messages.iter().copied().cycle().take(times as usize));
            }
            Self::SaysEach(messages) => {
                let times = move |(message, times): &(&'static str, u32)| {
                    std::iter::repeat_n(*message, (times / scale).max(1) as usize)
                };
                each = Some(messages.iter().flat_map(times));
            }
            Self::Sends(_) | Self::Dies | Self::Silence => {}
        }
        says.into_iter().flatten().chain(each.into_iter().flatten())
    }
}

impl ServerBehaviour {
    /// Returns what the server does at the message with this method, of which it has handled `handled` before;
    /// `None` if it answers well.
    pub(crate) fn at(&self, method: &str, is_request: bool, handled: u32) -> Option<Then> {
        let concerns = |on: &str| if on.is_empty() { is_request } else { on == method };
        self.turns.iter().find(|it| concerns(it.on) && handled >= it.after).map(|it| it.then)
    }
}

/// Returns the behaviours of hostile clients.
pub(crate) fn of_clients() -> impl Iterator<Item = &'static ClientBehaviour> {
    client::CLIENT.iter().chain(http_client::CLIENT)
}

/// Returns the behaviours of hostile servers.
pub(crate) fn of_servers() -> impl Iterator<Item = &'static ServerBehaviour> {
    server::SERVER.iter().chain(http_server::SERVER)
}

const EVERYWHERE: &[Transport] = &[Transport::Stdio, Transport::Session, Transport::Modern, Transport::Sse];
/// The transports with `initialize`.
const LEGACY: &[Transport] = &[Transport::Stdio, Transport::Session, Transport::Sse];
const HTTP: &[Transport] = &[Transport::Session, Transport::Modern, Transport::Sse];

const PING: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"ping"}"#;
const ECHO: &str = r#"{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{"name":"echo","arguments":{"message":"m"}}}"#;

const fn says(
    name: &'static str,
    messages: &'static [&'static str],
    times: u32,
    reads: Reads,
    stays: u64,
) -> ClientBehaviour {
    ClientBehaviour { name, does: Does::Says { messages, times, reads, stays } }
}

const fn sends(name: &'static str, connections: u32, pieces: &'static [Piece]) -> ClientBehaviour {
    ClientBehaviour { name, does: Does::Sends { connections, pieces } }
}

const fn serves(
    name: &'static str,
    over: &'static [Transport],
    on: &'static str,
    then: Then,
) -> ServerBehaviour {
    let turn = Turn { on, after: 0, then };
    ServerBehaviour { name, over, turns: [turn, turn] }
}

const fn server(
    name: &'static str,
    on: &'static str,
    messages: &'static [&'static str],
    times: u32,
) -> ServerBehaviour {
    serves(name, EVERYWHERE, on, Then::Says { messages, times })
}

const fn responds(name: &'static str, on: &'static str, pieces: &'static [Piece]) -> ServerBehaviour {
    serves(name, HTTP, on, Then::Sends(pieces))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_say_how_many_behaviours_there_are() {
        let docs = include_str!("../../../../docs/security.md");
        let docs = docs.split_whitespace().collect::<Vec<_>>().join(" ");
        let (clients, servers) = (of_clients().count(), of_servers().count());
        for text in [
            format!("{clients} behaviours of hostile clients and {servers} behaviours of hostile servers"),
            format!("{} behaviours of clients and {} of servers", client::CLIENT.len(), server::SERVER.len()),
            format!("The {} behaviours of clients run", http_client::CLIENT.len()),
            format!("The {} behaviours of servers", http_server::SERVER.len()),
        ] {
            assert!(docs.contains(&text), "{text}");
        }
    }

    #[test]
    fn servers_are_found_by_name() {
        let mut names: Vec<_> = of_servers().map(|it| it.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
