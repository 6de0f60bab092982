//! A stream that stays open at its client while the server behind it is replaced: the stream of a session, and
//! `subscriptions/listen` of 2026-07-28. Each new server is asked for it again, and the client is told that everything
//! may have changed.

use std::sync::Arc;

use bytes::Bytes;
use hyper::Response;
use hyper::body::Incoming;
use plainwire::proto::sse::{Event, write_comment};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::forward::{self, ALIVE, Sent, is_replaced, write_again, write_message};
use super::front::Front;
use crate::dev::changes;
use crate::output;

/// Passes on the events of a stream until its client leaves, or its server ends the stream but is not replaced.
pub(super) async fn keep(
    front: Arc<Front>,
    sent: Sent,
    mut response: Response<Incoming>,
    mut generation: u64,
    pieces: mpsc::Sender<Bytes>,
) {
    let is_listen = sent.message.is_object();
    let mut awaits_acknowledgement = false;
    loop {
        let write = |event: Event, out: &mut Vec<u8>| {
            let acknowledgement = acknowledgement(&event, &sent.message);
            match (std::mem::take(&mut awaits_acknowledgement), acknowledgement) {
                // The client has got one before.
                (true, Some(acknowledgement)) => {
                    let changed = changes::of_listen(&sent.message, &acknowledgement);
                    changed.iter().for_each(|it| write_message(it, out));
                }
                (false, Some(mut acknowledgement)) => {
                    changes::acknowledge(&sent.message, &mut acknowledgement);
                    write_again(&event, generation, Some(&acknowledgement.to_string()), out);
                }
                _ => write_again(&event, generation, None, out),
            }
        };
        let is_reading = tokio::select! {
            is_reading = forward::pass(&mut response, &pieces, write) => is_reading,
            () = front.until_replaced(generation) => true,
        };
        if !is_reading || !is_replaced(&front, generation).await {
            return;
        }
        drop(response);
        (response, generation) = tokio::select! {
            again = again(&front, &sent) => match again {
                Some(again) => again,
                None => return,
            },
            () = stay_alive(&pieces) => return,
        };
        awaits_acknowledgement = is_listen;
        let session = if is_listen { None } else { front.session(&sent.headers) };
        if let Some(session) = session {
            let mut out = Vec::new();
            let changed = session.lock().await.changes();
            changed.iter().for_each(|it| write_message(it, &mut out));
            if pieces.send(out.into()).await.is_err() {
                return;
            }
        }
    }
}

/// Asks the next server for the stream, and if that one is replaced meanwhile, the server after it. Returns `None` if a
/// server does not open the stream.
async fn again(front: &Front, sent: &Sent) -> Option<(Response<Incoming>, u64)> {
    loop {
        let generation = front.until_up().await;
        match forward::send(front, sent, generation).await {
            Ok(response) if forward::is_events(&response) => return Some((response, generation)),
            Ok(response) => {
                output::note(&format!(
                    "the server did not open a stream again: status {}",
                    response.status()
                ));
                return None;
            }
            Err(_) if is_replaced(front, generation).await => {}
            Err(error) => {
                output::note(&format!("a stream was not opened again: {}", error.why()));
                return None;
            }
        }
    }
}

/// Sends comments until the client leaves.
async fn stay_alive(pieces: &mpsc::Sender<Bytes>) {
    loop {
        let mut out = Vec::new();
        write_comment(&mut out, "");
        sleep(ALIVE).await;
        if pieces.send(out.into()).await.is_err() {
            return;
        }
    }
}

/// Returns the message of an event that acknowledges the subscription.
fn acknowledgement(event: &Event, listen: &Value) -> Option<Value> {
    let message: Value = serde_json::from_str(event.data.as_deref()?).ok()?;
    let is_one = message["method"] == "notifications/subscriptions/acknowledged"
        && *changes::subscription(&message) == listen["id"];
    is_one.then_some(message)
}
