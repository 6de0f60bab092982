//! The changes that one connection watches: its mailbox on the server's bus of change notifications, limited
//! to the subscriptions of its client.
//!
//! In: the subscriptions of the peer, and changes from the bus. Out: the changes to notify the client of.
//! Writing notifications is the work of the peer.

use std::sync::Arc;
use std::task::{Context, Poll};

use plainwire_proto::cursor::List;
use plainwire_proto::peer::{Change, Peer};

use crate::server::changes::{Bus, Mailbox};

/// The mailbox of one connection for changes, kept in step with the subscriptions of its client.
pub(crate) struct Changes {
    mailbox: Mailbox,
    /// The generation of the peer's subscriptions that `mailbox` watches; the peer increases this
    /// number with each change of its subscriptions.
    seen: u64,
}

impl Changes {
    pub(crate) fn new(bus: &Arc<Bus>) -> Self {
        Self { mailbox: Mailbox::new(Arc::clone(bus)), seen: 0 }
    }

    /// Watches the current subscriptions of the client of `peer`. Does nothing if they have not changed since
    /// the last call.
    pub(crate) fn follow(&mut self, peer: &Peer) {
        if self.seen != peer.watch_generation() {
            self.seen = peer.watch_generation();
            self.mailbox.watch(List::ALL.into_iter().filter(|&list| peer.hears(list)), peer.watched());
        }
    }

    /// Takes the next change that the client is to be notified of.
    pub(crate) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Change> {
        self.mailbox.poll_next(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
    use tokio::time::timeout;

    use crate::server::Server;
    use crate::server::built::Built;
    use crate::server::connection::serve_in_background;
    use crate::server::entry::{Resource, Tool};
    use crate::stream::Stream;
    use std::sync::Arc;

    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    const SUBSCRIBE: &str =
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a://1"}}"#;
    const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}"#;
    const UPDATED: &str =
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://1"}}"#;
    const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}"#;

    struct Client {
        from: Lines<BufReader<DuplexStream>>,
        to: DuplexStream,
    }

    impl Client {
        /// Opens another connection of a server, with a session that has subscribed to the resource `a://1`.
        async fn of(built: &Arc<Built>) -> Self {
            let (to, reader) = tokio::io::duplex(64 * 1024);
            let (writer, from) = tokio::io::duplex(64 * 1024);
            serve_in_background((Arc::clone(built), Stream::new(reader, writer)));
            let mut client = Self { from: BufReader::new(from).lines(), to };
            client.send(INITIALIZE).await;
            client.line().await;
            client.send(INITIALIZED).await;
            client.send(SUBSCRIBE).await;
            assert_eq!(client.line().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
            client
        }

        async fn send(&mut self, line: &str) {
            self.to.write_all(format!("{line}\n").as_bytes()).await.expect("a server that reads");
        }

        async fn line(&mut self) -> String {
            let line = timeout(Duration::from_secs(30), self.from.next_line()).await;
            line.expect("a line in time").expect("UTF-8").expect("a server that is there")
        }
    }

    /// Returns a server with a tool `t` and a resource `a://1`, without a client.
    fn built(mut server: Server) -> (Arc<Built>, crate::ServerHandle) {
        let handle = server.handle();
        let server = server
            .tool(Tool::new("t", || async { "t" }))
            .resource(Resource::new("a://1", "1", || async { "1" }).subscribable());
        let nowhere = Stream::new(tokio::io::empty(), tokio::io::sink());
        (server.into_connection(nowhere).expect("a legal server").0, handle)
    }

    #[tokio::test]
    async fn all_clients_of_a_server_hear_of_a_change_and_use_its_new_catalog() {
        let (built, handle) = built(Server::new("s"));
        let (mut first, mut second) = (Client::of(&built).await, Client::of(&built).await);
        handle.notify_resource_updated("a://1");
        handle.remove_tool("t");
        for client in [&mut first, &mut second] {
            let mut said = [client.line().await, client.line().await];
            said.sort();
            assert_eq!(said, [UPDATED, CHANGED]);
            client.send(CALL).await;
            assert!(client.line().await.contains("-32602"));
        }
        drop(first);
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        handle.notify_resource_updated("a://1");
        assert_eq!(second.line().await, UPDATED);
        drop(second);
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(built.shared.bus.topics(), 0, "who has left watches nothing");
    }

    #[tokio::test]
    async fn a_client_that_never_reads_costs_a_fixed_amount_and_holds_up_nobody() {
        let (built, handle) = built(Server::new("s"));
        let (mut deaf, mut quick) = (Client::of(&built).await, Client::of(&built).await);
        for n in 0..100_000 {
            handle.notify_resource_updated("a://1");
            // Lets the connection take each change before the next one.
            tokio::task::yield_now().await;
            if n % 1_000 == 0 {
                quick.send(CALL).await;
                while !quick.line().await.contains(r#""id":2"#) {}
            }
        }
        // 1 MiB unsent, 64 KiB in the pipe, and the notification that waits.
        let most = ((1 << 20) + (64 << 10)) / (UPDATED.len() + 1) + 2;
        deaf.send(CALL).await;
        let mut heard = 0;
        while !deaf.line().await.contains(r#""id":2"#) {
            heard += 1;
        }
        assert!(heard > 1_000 && heard <= most, "heard {heard} times, of at most {most}");
    }
}
