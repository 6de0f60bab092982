//! Fuzz target for [`Peer`], one side of a connection without I/O: two of these engines, the programs that
//! use them, and events between them in any order.
//!
//! In: bytes. The first ones select revisions and limits. Each of the others selects the next event: a
//! request, an answer, a frame that is delivered, lost, doubled or made up, a cancellation, a question, time.
//! Out: a panic if one of these invariants does not hold:
//!
//! - Written frames are JSON-RPC, with batches only in revisions that have them.
//! - Nothing is answered twice, and every request is answered or cancelled before the end.
//! - A request that a program has made ends once, and no event names it afterwards.
//! - The key of a finished request has no effect.
//! - A question ends no later than the request for which it was asked.
//! - The counters of the engines equal those of the programs, and stay within the limits.
//! - After [`Peer::handle_timeout`] the next deadline is in the future.
//! - Finished requests leave less than 8 KiB of debug output behind in the server's engine.

mod ledger;
mod noise;
mod program;
mod setting;

use std::time::Duration;

use plainwire::proto::codec::KeyedRequest;
use plainwire::proto::cursor::List;
use plainwire::proto::error::{Error, ErrorKind};
use plainwire::proto::model::CallToolResult;
use plainwire::proto::model::{Content, Implementation, InputMethod, LogLevel, SubscriptionFilter};
use plainwire::proto::peer::{
    CallKey, Change, ClientConfig, EraChoice, Limits, Peer, RequestOptions, ServerConfig,
};
use plainwire::proto::revision::{Era, Feature};
use plainwire::proto::testing::Pair;
use serde_json::json;

use super::bytes::Bytes;
use super::json as text;
use ledger::Origin;
use program::{Kind, ProgramState};
use setting::{REQUESTS, URIS, limits, offered, options, revisions};

/// Runs the events that the bytes encode.
pub fn peer(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut play = Play::begin(&mut bytes);
    while !bytes.is_empty() {
        play.step(&mut bytes);
        play.check();
    }
    play.settle();
}

struct Play {
    /// Whether the client received a request before it knew the revision. It answers such a request even if
    /// both sides agree on the modern era later.
    asked_early: bool,
    client: ProgramState,
    /// Whether the connection has ended. Frames are lost from then on.
    ended: bool,
    /// Length of the debug output of the server before it is used, in bytes, to detect what finished requests
    /// leave behind.
    fresh: usize,
    limits: Limits,
    pair: Pair,
    server: ProgramState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Client,
    Server,
}

impl Play {
    fn begin(bytes: &mut Bytes<'_>) -> Self {
        let limits = limits(bytes);
        let keep_alive =
            [None, None, Some(Duration::from_millis(1)), Some(Duration::from_secs(30))][bytes.below(4)];
        let mut server = ServerConfig::new(Implementation::new("s", "1"), offered());
        (server.limits, server.keep_alive) = (limits, keep_alive);
        server.revisions = revisions(bytes);
        let mut client = ClientConfig::new(Implementation::new("c", "1"));
        (client.limits, client.keep_alive) = (limits, keep_alive);
        client.revisions = revisions(bytes);
        client.era = [EraChoice::Auto, EraChoice::Legacy, EraChoice::Modern][bytes.below(3)];
        for name in ["elicitation", "roots", "sampling"] {
            client.capabilities.declare(name, json!({}));
        }
        let mut pair = Pair::new(server, client);
        let fresh = format!("{:?}", pair.server).len();
        pair.client.connect(pair.now);
        let (client, server) = (ProgramState::default(), ProgramState::default());
        let mut play = Self { asked_early: false, client, ended: false, fresh, limits, pair, server };
        play.collect("");
        // Most inputs test what happens after the handshake.
        if bytes.byte() < 200 {
            while play.deliver(Side::Server) || play.deliver(Side::Client) {}
        }
        play
    }

    fn step(&mut self, bytes: &mut Bytes<'_>) {
        match bytes.below(32) {
            0..=3 => drop(self.deliver(Side::Server)),
            4..=6 => drop(self.deliver(Side::Client)),
            7..=9 => self.request(bytes),
            10 => self.listen(bytes),
            11 => self.give_up(bytes, Side::Client),
            12 => self.give_up(bytes, Side::Server),
            13..=15 => self.end_call(bytes, Side::Server),
            16 | 17 => self.end_call(bytes, Side::Client),
            18 => self.touch_old_call(bytes),
            19 => self.touch(bytes),
            20 | 21 => self.ask(bytes),
            22 => self.accept(bytes),
            23 => self.change(bytes),
            24 => self.noise(bytes, Side::Server),
            25 => self.noise(bytes, Side::Client),
            26 => self.batch(bytes),
            27 => self.meddle(bytes),
            28 | 29 => self.wait(bytes),
            30 => self.speak(bytes),
            _ => self.seldom(bytes),
        }
        self.collect("");
    }

    /// Takes the events and the written frames of both engines; `frame` is the frame that an engine has just
    /// received, empty if there is none. Returns the number of written frames.
    fn collect(&mut self, frame: &str) -> usize {
        self.asked_early |= self.pair.client.revision().is_none() && self.pair.client.in_flight() > 0;
        self.pair.post();
        self.client.take(std::mem::take(&mut self.pair.client_events), frame);
        self.server.take(std::mem::take(&mut self.pair.server_events), frame);
        let new = std::mem::take(&mut self.pair.wire);
        for said in &new {
            let (mark, frame) = said.split_at(2);
            let (state, peer) = match mark {
                "> " => (&mut self.client, &self.pair.client),
                _ => (&mut self.server, &self.pair.server),
            };
            let (_, answers) = state.ledger.say(frame);
            let revision = peer.revision();
            assert!(frame.len() <= self.limits.frame_out || !is_result(frame), "{} bytes", frame.len());
            assert!(!frame.starts_with('[') || has_batches(peer), "{said} in {revision:?}");
            let is_modern_client = mark == "> " && revision.is_some_and(|it| it.era() == Era::Modern);
            let may_answer = !is_modern_client || self.asked_early;
            assert!(may_answer || answers == 0, "clients of 2026-07-28 write no answers: {said}");
        }
        new.len()
    }

    /// Delivers the next frame to `side`; returns whether there was one.
    fn deliver(&mut self, side: Side) -> bool {
        let (queue, state, peer) = match side {
            Side::Client => (&self.pair.to_client, &mut self.client, &self.pair.client),
            Side::Server => (&self.pair.to_server, &mut self.server, &self.pair.server),
        };
        let Some(frame) = queue.front() else { return false };
        state.ledger.hear(frame, origin(frame, peer, side, self.limits));
        let frame = match side {
            Side::Client => self.pair.deliver_to_client(),
            Side::Server => self.pair.deliver_to_server(),
        };
        self.collect(&frame.unwrap_or_default());
        true
    }

    fn request(&mut self, bytes: &mut Bytes<'_>) {
        let (method, params) = REQUESTS[bytes.below(REQUESTS.len())];
        let key = self.pair.client.request(method, params, options(bytes), self.pair.now);
        self.client.asked(key);
    }

    fn listen(&mut self, bytes: &mut Bytes<'_>) {
        let bits = bytes.byte();
        let uris = &URIS[bytes.below(URIS.len())..];
        let uris = &uris[..bytes.below(uris.len() + 1)];
        let filter = SubscriptionFilter {
            prompts_list_changed: bits & 1 != 0,
            resource_subscriptions: uris.iter().map(|&it| it.to_owned()).collect(),
            resources_list_changed: bits & 2 != 0,
            tools_list_changed: bits & 4 != 0,
        };
        let key = self.pair.client.listen(&filter, self.pair.now);
        self.client.asked(key);
    }

    fn give_up(&mut self, bytes: &mut Bytes<'_>, side: Side) {
        let (state, peer) = self.side(side);
        if let Some(request) = state.some_request(bytes) {
            peer.cancel(request, "because");
            state.gave_up(request);
        }
    }

    /// Ends a request that `side` has received, in one of the ways that a program can use.
    fn end_call(&mut self, bytes: &mut Bytes<'_>, side: Side) {
        let (state, peer) = self.side(side);
        let Some(key) = state.some_call(bytes) else { return };
        let was_cancelled = state.calls[&key].cancelled;
        state.close(key);
        end(peer, key, bytes);
        let written = self.collect("");
        assert!(!was_cancelled || written == 0, "a cancelled request was answered");
    }

    /// Checks that the key of a finished request has no effect.
    fn touch_old_call(&mut self, bytes: &mut Bytes<'_>) {
        let side = [Side::Client, Side::Server][bytes.below(2)];
        let now = self.pair.now;
        let (state, peer) = self.side(side);
        let Some(key) = state.some_old_call(bytes) else { return };
        peer.progress(key, f64::from(bytes.byte()), None, None);
        peer.log(key, LogLevel::Emergency, None, "1");
        peer.accept_listen(key, |_| true);
        assert!(peer.ask(key, InputMethod::ListRoots, "{}", RequestOptions::default(), now).is_err());
        end(peer, key, bytes);
        assert_eq!(self.collect(""), 0, "a key did something although its request is over");
    }

    fn touch(&mut self, bytes: &mut Bytes<'_>) {
        let Some(key) = self.server.some_call(bytes) else { return };
        let (progress, level) = (f64::from(bytes.byte()), LogLevel::ALL[bytes.below(LogLevel::ALL.len())]);
        let server = &mut self.pair.server;
        server.progress(
            key,
            [progress, f64::NAN, f64::INFINITY, -0.5][bytes.below(4)],
            Some(2.0),
            Some("a\nb"),
        );
        server.log(key, level, Some("l"), "{\"a\":\n1}");
        let call = &self.server.calls[&key];
        let is_silent = call.cancelled || call.kind == Kind::Listen;
        assert!(!is_silent || self.collect("") == 0, "something was said about a request that is over");
    }

    fn ask(&mut self, bytes: &mut Bytes<'_>) {
        let Some(key) = self.server.some_call(bytes) else { return };
        let methods = [InputMethod::Elicit, InputMethod::ListRoots, InputMethod::Sample];
        let options = options(bytes);
        let asked =
            self.pair.server.ask(key, methods[bytes.below(3)], r#"{"message":"m"}"#, options, self.pair.now);
        match asked {
            Ok(request) => {
                assert!(!self.server.calls[&key].cancelled, "asked for a request that is over");
                self.server.asked_for(key, request);
            }
            Err(error) => assert!(error.message().starts_with("expected "), "{error}"),
        }
    }

    /// Accepts a request of the client for a listen (a subscription of the modern era), a subscription of the
    /// legacy era, or the end of one.
    fn accept(&mut self, bytes: &mut Bytes<'_>) {
        let Some(key) = self.server.some_call(bytes) else { return };
        let server = &mut self.pair.server;
        match self.server.calls[&key].kind.clone() {
            Kind::Listen => {
                let refused = bytes.byte().is_multiple_of(4);
                let before = server.listens();
                server.accept_listen(key, |uri| !refused || uri.ends_with('1'));
                // The engine has refused the listen because of a limit.
                if server.listens() < before {
                    self.server.close(key);
                }
            }
            Kind::Subscribe(uri) => {
                server.subscribe(key, &uri);
                self.server.close(key);
            }
            Kind::Unsubscribe(uri) => {
                server.unsubscribe(key, &uri);
                self.server.close(key);
            }
            Kind::Other => {}
        }
    }

    fn change(&mut self, bytes: &mut Bytes<'_>) {
        let change = match bytes.below(6) {
            n @ 0..=3 => Change::List(List::ALL[n]),
            _ => Change::Resource(URIS[bytes.below(URIS.len())].to_owned()),
        };
        self.pair.server.changed(&change);
    }

    /// Delivers a made-up frame to `side`.
    fn noise(&mut self, bytes: &mut Bytes<'_>, side: Side) {
        let frame = noise::frame(bytes);
        let too_long = bytes.byte() == 255;
        let now = self.pair.now;
        let (state, peer) = self.side(side);
        let lossy = String::from_utf8_lossy(&frame);
        state.ledger.hear(&lossy, Origin::Noise);
        if too_long {
            peer.handle_oversize(&frame, now);
        } else {
            peer.handle_frame(&frame, now);
        }
        self.collect(&lossy);
    }

    /// Joins up to five undelivered frames into a batch.
    fn batch(&mut self, bytes: &mut Bytes<'_>) {
        let queue = match bytes.below(3) {
            0 => &mut self.pair.to_client,
            _ => &mut self.pair.to_server,
        };
        let count = bytes.below(6).min(queue.len());
        if count > 0 && !queue.range(..count).any(|frame| frame.starts_with('[')) {
            let frames: Vec<String> = queue.drain(..count).collect();
            queue.push_front(format!("[{}]", frames.join(",")));
        }
    }

    /// Loses, doubles or moves an undelivered frame.
    fn meddle(&mut self, bytes: &mut Bytes<'_>) {
        let queue = match bytes.below(2) {
            0 => &mut self.pair.to_client,
            _ => &mut self.pair.to_server,
        };
        let which = bytes.below(queue.len());
        let Some(frame) = queue.get(which).cloned() else { return };
        match bytes.below(3) {
            0 => drop(queue.remove(which)),
            1 => queue.push_back(frame),
            _ => queue.swap(0, which),
        }
    }

    fn wait(&mut self, bytes: &mut Bytes<'_>) {
        let due = [&self.pair.client, &self.pair.server].map(Peer::poll_timeout);
        let next = due
            .into_iter()
            .flatten()
            .min()
            .map_or(Duration::ZERO, |at| at.saturating_sub(self.pair.now.monotonic));
        let steps =
            [Duration::ZERO, Duration::from_millis(1), Duration::from_secs(5), Duration::from_secs(60), next];
        self.pair.advance(steps[bytes.below(steps.len())]);
        for peer in [&self.pair.client, &self.pair.server] {
            assert!(peer.poll_timeout().is_none_or(|at| at > self.pair.now.monotonic), "time stands still");
        }
    }

    fn speak(&mut self, bytes: &mut Bytes<'_>) {
        let side = [Side::Client, Side::Server][bytes.below(2)];
        let (_, peer) = self.side(side);
        match bytes.below(3) {
            0 => peer.notify("notifications/roots/list_changed", "{}"),
            1 => peer.notify("notifications/own \"\n", "{\"a\":\r\n\"é\"}"),
            _ => peer.set_log_level(LogLevel::ALL.get(bytes.below(9)).copied()),
        }
    }

    fn seldom(&mut self, bytes: &mut Bytes<'_>) {
        match bytes.byte() {
            0..=63 => {
                let listens = self.pair.server.listens();
                assert_eq!(self.pair.server.end_listens(), listens > 0);
                let listens = self.server.calls.iter().filter(|(_, call)| call.kind == Kind::Listen);
                let keys: Vec<CallKey> = listens.map(|(key, _)| *key).collect();
                keys.into_iter().for_each(|key| self.server.close(key));
            }
            255 => {
                self.pair.end();
                self.ended = true;
            }
            _ => {}
        }
    }

    fn side(&mut self, side: Side) -> (&mut ProgramState, &mut Peer) {
        match side {
            Side::Client => (&mut self.client, &mut self.pair.client),
            Side::Server => (&mut self.server, &mut self.pair.server),
        }
    }

    fn check(&self) {
        self.client.check(&self.pair.client);
        self.server.check(&self.pair.server);
        let most = self.limits;
        for peer in [&self.pair.client, &self.pair.server] {
            assert!(peer.in_flight() <= most.in_flight && peer.listens() <= most.listens);
            assert!(peer.watched().count() <= most.subscriptions);
        }
    }

    /// Ends all open requests and the connection, and checks that nothing remains.
    fn settle(&mut self) {
        let mut zeros = Bytes::new(&[]);
        loop {
            while self.deliver(Side::Server) || self.deliver(Side::Client) {}
            let open = self.client.calls.len() + self.server.calls.len();
            if open == 0 {
                break;
            }
            for side in [Side::Client, Side::Server] {
                self.end_call(&mut zeros, side);
            }
            self.check();
        }
        if !self.ended {
            self.client.ledger.settle("the client");
            self.server.ledger.settle("the server");
        }
        self.pair.end();
        self.collect("");
        self.client.check_end(&self.pair.client);
        self.server.check_end(&self.pair.server);
        let left = format!("{:?}", self.pair.server).len();
        assert!(left < self.fresh + 8_192, "{left} bytes are left of {}", self.fresh);
    }
}

/// Answers the request of `key`, or ends it without an answer. `key` may be that of a finished request or of
/// a listen.
fn end(peer: &mut Peer, key: CallKey, bytes: &mut Bytes<'_>) {
    let encoder = peer.encoder(key);
    match bytes.below(8) {
        0 | 1 => peer.respond(key, |out| encoder.empty(out)),
        2 => {
            let content = vec![Content::text("a\n\u{1}".repeat(bytes.below(256)))];
            let result = CallToolResult { content, ..CallToolResult::default() };
            peer.respond(key, |out| encoder.call_tool(out, &result));
        }
        3 => {
            let question = KeyedRequest { key: "k".into(), method: InputMethod::Elicit, params: "{}".into() };
            peer.respond(key, |out| encoder.input_required(out, &[question], Some("state")));
        }
        4 => peer.respond_error(key, &Error::new(ErrorKind::InvalidParams, "expected é, but found \"\n")),
        5 => peer.respond_error(key, &Error::resource_not_found("a://1")),
        6 => peer.respond_invalid_arguments(key, "expected something, but found nothing"),
        _ => peer.finished(key),
    }
}

/// Returns the origin of a frame that the other engine has written: `Answerable` if `side` has to answer the
/// requests in it, else `Refusable`.
fn origin(frame: &str, peer: &Peer, side: Side, limits: Limits) -> Origin {
    let is_modern_client = side == Side::Client && peer.revision().is_some_and(|it| it.era() == Era::Modern);
    let is_batch = frame.starts_with('[');
    let is_good_batch = is_batch && has_batches(peer) && text::messages(frame).len() <= limits.batch;
    let answers = !is_modern_client && (!is_batch || is_good_batch);
    if answers { Origin::Answerable } else { Origin::Refusable }
}

fn is_result(frame: &str) -> bool {
    frame.starts_with('{') && text::members(frame).is_some_and(|it| text::last(&it, "result").is_some())
}

fn has_batches(peer: &Peer) -> bool {
    peer.revision().is_some_and(|revision| revision.has(Feature::Batches))
}
