//! HTTP+SSE, the transport of 2024-11-05: one stream for all messages of the server, and a URL for all
//! messages of the client.
//!
//! Source: 2025-11-25 `basic/transports` "Backwards Compatibility".

use plainwire_proto::sse::{Events, Piece};
use reqwest::Response;

use super::connection::{Connection, Sent, Unsent};
use super::remote::shown;
use super::response::{Cut, Position, Streamed, challenge, kind};
use super::{Arrived, Outbound};
use crate::error::Error;

/// The most bytes of the URL for messages, which is kept as long as the connection. 8 KiB: as much as servers accept.
const MAX_ENDPOINT: usize = 8 << 10;

impl Connection {
    /// Tries HTTP+SSE. If the server speaks it, sends `initialize` and returns `true` when the connection has
    /// ended; otherwise returns `false`.
    pub(super) async fn begin_http_sse(&self, initialize: &Outbound) -> Result<bool, Cut> {
        let Ok(Sent { mut response, .. }) = self.get(None).await else { return Ok(false) };
        if response.status() != 200 || kind(response.headers()) != "text/event-stream" {
            return Ok(false);
        }
        let mut events = Events::new(self.limits.frame_in);
        let Some(endpoint) = endpoint(&mut response, &mut events).await else { return Ok(false) };
        if endpoint.len() > MAX_ENDPOINT {
            let found = endpoint.len();
            let message =
                format!("expected an `endpoint` of at most {MAX_ENDPOINT} bytes, but found {found}");
            return Err(Cut::Failed(Error::Decode { message }));
        }
        let messages = self.url.join(&endpoint).ok().filter(|it| it.origin() == self.url.origin());
        let Some(messages) = messages else {
            let (ours, theirs) = (shown(self.url.as_str()), shown(&endpoint));
            let text = format!("expected an `endpoint` of the same origin as {ours}, but found {theirs:?}");
            return Err(Cut::Failed(Error::Decode { message: text }));
        };
        // Setting it can't fail: this is the only `initialize` of the connection.
        let _ = self.messages.set(messages);
        let reading = async {
            self.read_on(response, events).await;
            Ok(())
        };
        tokio::try_join!(reading, self.post_initialize(initialize))?;
        Ok(true)
    }

    async fn post_initialize(&self, initialize: &Outbound) -> Result<(), Cut> {
        match self.post(initialize).await {
            Ok(Sent { response, .. }) if response.status().is_success() => Ok(()),
            Ok(Sent { response, .. }) => {
                let message = "expected `initialize` to be accepted".to_owned();
                let challenge = challenge(response.headers());
                Err(Cut::Failed(Error::Http { status: response.status().as_u16(), message, challenge }))
            }
            Err(Unsent::Refused(error)) => Err(Cut::Failed(error)),
            Err(Unsent::Unknown(why)) => Err(Cut::Failed(Error::Closed { why })),
        }
    }

    /// Passes all messages of the stream to the connection task, and then the reason why the stream ended.
    async fn read_on(&self, mut response: Response, mut events: Events) {
        let mut position = Position::default();
        let ended = self.read_events((&mut response, &mut events), &mut position, None).await;
        let why = match ended {
            Ok(Streamed::Ended(why)) => why,
            _ => "the stream of the connection broke".to_owned(),
        };
        self.tell(Arrived::Gone(why)).await;
    }
}

/// Reads up to the `endpoint` event, and returns its data, the URL for messages; `None` if the stream ends
/// before.
async fn endpoint(response: &mut Response, events: &mut Events) -> Option<String> {
    loop {
        while let Some(piece) = events.next_piece() {
            if let Piece::Event(event) = piece
                && event.event.as_deref() == Some("endpoint")
            {
                return event.data;
            }
        }
        events.push(&response.chunk().await.ok()??);
    }
}
