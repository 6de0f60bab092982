//! Two peers joined without a network, on a clock that only moves when told to.
//!
//! In: a server's and a client's configuration. Out: what each of them reports, and every frame that passed. A test
//! lets all frames through at once, or carries them one by one, so that frames of both sides cross each other.

use std::collections::VecDeque;
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
    /// Whether the connection is over: what is said from now on goes nowhere.
    ended: bool,
    /// The time.
    pub now: Now,
    /// The server's side.
    pub server: Peer,
    /// What the server reported, in order.
    pub server_events: Vec<Event>,
    /// Frames that left the server and did not reach the client yet. A test may add some.
    pub to_client: VecDeque<String>,
    /// Frames that left the client and did not reach the server yet. A test may add some.
    pub to_server: VecDeque<String>,
    /// Every frame in the order in which they left: `"> …"` from the client, `"< …"` from the server.
    pub wire: Vec<String>,
}

impl Pair {
    /// Joins a server and a client; nothing is said yet.
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

    /// Carries frames back and forth until nobody has anything to say. `serve` answers requests as they arrive:
    /// it sees the server, what happened and the frame it happened in.
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

    /// Lets what both have to say leave, without carrying it to the other side.
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

    /// Carries the next frame to the client and returns it; `None` if there is none.
    pub fn deliver_to_client(&mut self) -> Option<String> {
        self.post();
        let frame = self.to_client.pop_front()?;
        self.client.handle_frame(frame.as_bytes(), self.now);
        self.post();
        Some(frame)
    }

    /// Carries the next frame to the server and returns it; `None` if there is none.
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

    /// Ends the connection for both; frames on their way are lost.
    pub fn end(&mut self) {
        self.post();
        self.ended = true;
        self.to_client.clear();
        self.to_server.clear();
        self.client.handle_end(self.now);
        self.server.handle_end(self.now);
        self.post();
    }

    /// Lets time pass for both.
    pub fn advance(&mut self, by: Duration) {
        self.now.monotonic += by;
        self.now.unix += by;
        self.client.handle_timeout(self.now);
        self.server.handle_timeout(self.now);
        self.client_events.extend(std::iter::from_fn(|| self.client.poll_event()));
        self.server_events.extend(std::iter::from_fn(|| self.server.poll_event()));
    }
}
