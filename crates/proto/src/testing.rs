//! Two peers joined without a network, on a clock that only moves when told to.
//!
//! In: a server's and a client's configuration. Out: what each of them reports, and every frame that passed.

use std::sync::Arc;
use std::time::Duration;

use crate::peer::{ClientConfig, Event, Now, Peer, ServerConfig};

/// A client and a server, joined.
#[derive(Debug)]
pub struct Pair {
    /// The client's side.
    pub client: Peer,
    /// What the client reported, in order.
    pub client_events: Vec<Event>,
    /// The time.
    pub now: Now,
    /// The server's side.
    pub server: Peer,
    /// What the server reported, in order.
    pub server_events: Vec<Event>,
    /// Every frame that passed: `"> …"` from the client, `"< …"` from the server.
    pub wire: Vec<String>,
}

impl Pair {
    /// Joins a server and a client; nothing is said yet.
    pub fn new(server: ServerConfig, client: ClientConfig) -> Self {
        Self {
            client: Peer::client(client),
            client_events: Vec::new(),
            now: Now::default(),
            server: Peer::server(Arc::new(server)),
            server_events: Vec::new(),
            wire: Vec::new(),
        }
    }

    /// Carries frames back and forth until nobody has anything to say. `serve` answers requests as they arrive:
    /// it sees the server, what happened and the frame it happened in.
    pub fn drive(&mut self, mut serve: impl FnMut(&mut Peer, &Event, &str)) {
        loop {
            let mut silent = true;
            // What was reported without a frame, as by `connect`.
            self.client_events.extend(std::iter::from_fn(|| self.client.poll_event()));
            self.server_events.extend(std::iter::from_fn(|| self.server.poll_event()));
            while let Some(sent) = self.client.poll_transmit() {
                silent = false;
                let frame = String::from_utf8(sent.bytes).unwrap_or_default();
                self.server.handle_frame(frame.as_bytes(), self.now);
                while let Some(event) = self.server.poll_event() {
                    serve(&mut self.server, &event, &frame);
                    self.server_events.push(event);
                }
                self.wire.push(format!("> {frame}"));
            }
            while let Some(sent) = self.server.poll_transmit() {
                silent = false;
                let frame = String::from_utf8(sent.bytes).unwrap_or_default();
                self.client.handle_frame(frame.as_bytes(), self.now);
                while let Some(event) = self.client.poll_event() {
                    self.client_events.push(event);
                }
                self.wire.push(format!("< {frame}"));
            }
            if silent {
                return;
            }
        }
    }

    /// Lets time pass for both.
    pub fn advance(&mut self, by: Duration) {
        self.now.monotonic += by;
        self.now.unix += by;
        for (peer, events) in
            [(&mut self.client, &mut self.client_events), (&mut self.server, &mut self.server_events)]
        {
            peer.handle_timeout(self.now);
            events.extend(std::iter::from_fn(|| peer.poll_event()));
        }
    }
}
