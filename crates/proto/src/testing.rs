//! Two connected peers without a network, for tests, on a clock that only the test moves.
//!
//! In: configurations of a server and a client. Out: the events of both, and every frame between them. A test
//! delivers all frames at once, or one by one, so that frames of the two sides can cross each other.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::peer::{ClientConfig, Event, Now, Peer, ServerConfig};

/// A connected client and server.
#[derive(Debug)]
pub struct Pair {
    /// The client's side.
    pub client: Peer,
    /// The events that the client has reported so far, in order.
    pub client_events: Vec<Event>,
    /// Whether the connection has ended: frames sent later are dropped.
    ended: bool,
    /// The current time, for both sides.
    pub now: Now,
    /// The server's side.
    pub server: Peer,
    /// The events that the server has reported so far, in order.
    pub server_events: Vec<Event>,
    /// Frames that left the server and have not reached the client yet. A test may add more.
    pub to_client: VecDeque<String>,
    /// Frames that left the client and have not reached the server yet. A test may add more.
    pub to_server: VecDeque<String>,
    /// All frames in the order they were sent: `"> …"` from the client, `"< …"` from the server.
    pub wire: Vec<String>,
}

impl Pair {
    /// Connects a server and a client; no frame is sent yet.
    pub fn new(server: ServerConfig, client: ClientConfig) -> Self {
        Self {
            client: Peer::client(client),
            client_events: Vec::new(),
            ended: false,
            now: Now::default(),
            server: Peer::server(Arc::new(server)),
            server_events: Vec::new(),
            to_client: VecDeque::new(),
            to_server: VecDeque::new(),
            wire: Vec::new(),
        }
    }

    /// Delivers frames in both directions until neither side has more to send. Calls `serve` for each event
    /// that a frame causes on the server, with the server, the event and that frame, so that `serve` can answer
    /// requests.
    pub fn drive(&mut self, mut serve: impl FnMut(&mut Peer, &Event, &str)) {
        loop {
            let mut silent = true;
            while self.carry_to_server(&mut serve).is_some() {
                silent = false;
            }
            while self.deliver_to_client().is_some() {
                silent = false;
            }
            if silent {
                return;
            }
        }
    }

    /// Moves the new events and frames of both sides into the fields of this pair, without delivering the
    /// frames.
    pub fn post(&mut self) {
        self.client_events.extend(std::iter::from_fn(|| self.client.poll_event()));
        self.server_events.extend(std::iter::from_fn(|| self.server.poll_event()));
        for (peer, way, mark) in
            [(&mut self.client, &mut self.to_server, '>'), (&mut self.server, &mut self.to_client, '<')]
        {
            while let Some(sent) = peer.poll_transmit() {
                if !self.ended {
                    let frame = String::from_utf8(sent.bytes).unwrap_or_default();
                    self.wire.push(format!("{mark} {frame}"));
                    way.push_back(frame);
                }
            }
        }
    }

    /// Delivers the next frame to the client and returns it; `None` if there is none.
    pub fn deliver_to_client(&mut self) -> Option<String> {
        self.post();
        let frame = self.to_client.pop_front()?;
        self.client.handle_frame(frame.as_bytes(), self.now);
        self.post();
        Some(frame)
    }

    /// Delivers the next frame to the server and returns it; `None` if there is none.
    pub fn deliver_to_server(&mut self) -> Option<String> {
        self.carry_to_server(&mut |_, _, _| {})
    }

    fn carry_to_server(&mut self, serve: &mut impl FnMut(&mut Peer, &Event, &str)) -> Option<String> {
        self.post();
        let frame = self.to_server.pop_front()?;
        self.server.handle_frame(frame.as_bytes(), self.now);
        while let Some(event) = self.server.poll_event() {
            serve(&mut self.server, &event, &frame);
            self.server_events.push(event);
        }
        self.post();
        Some(frame)
    }

    /// Ends the connection for both sides; frames not delivered yet are lost.
    pub fn end(&mut self) {
        self.post();
        self.ended = true;
        self.to_client.clear();
        self.to_server.clear();
        self.client.handle_end(self.now);
        self.server.handle_end(self.now);
        self.post();
    }

    /// Moves the clock of both sides forward, lets both handle the passage of time, and collects their
    /// events, but not their frames.
    pub fn advance(&mut self, by: Duration) {
        self.now.monotonic += by;
        self.now.unix += by;
        self.client.handle_timeout(self.now);
        self.server.handle_timeout(self.now);
        self.client_events.extend(std::iter::from_fn(|| self.client.poll_event()));
        self.server_events.extend(std::iter::from_fn(|| self.server.poll_event()));
    }
}
