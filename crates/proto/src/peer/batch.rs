//! Batches of 2025-03-26: several messages in one frame, and their answers in one frame.

use std::collections::BTreeMap;

use super::inbound::Answer;
use super::{Now, Peer, Role, Route, TransmitKind};
use crate::envelope::{self, Malformed};
use crate::error::{Error, ErrorKind};
use crate::revision::Feature;

/// The batches whose answers are still being collected.
#[derive(Debug, Default)]
pub(super) struct Batches {
    /// The number of the batch that came in most recently; 0 before the first.
    last: u32,
    /// The batches with answers still due, by number.
    open: BTreeMap<u32, Batch>,
}

#[derive(Debug, Default)]
struct Batch {
    /// The answers so far, as the beginning of a JSON array; empty before the first answer.
    answers: Vec<u8>,
    /// Number of messages whose answer is due, plus one while the batch is being read.
    due: usize,
}

impl Batches {
    /// Returns the number of bytes already collected in the batch that `answer` goes into; 0 for an answer
    /// that goes into no batch.
    pub(super) fn gathered(&self, answer: Answer) -> usize {
        match answer {
            Answer::Alone => 0,
            Answer::InBatch(number) => self.open.get(&number).map_or(0, |batch| batch.answers.len()),
        }
    }
}

impl Peer {
    pub(super) fn handle_batch(&mut self, frame: &str, now: Now) {
        if !self.session_revision().is_some_and(|revision| revision.has(Feature::Batches)) {
            let text = "expected one message, but found a batch, which only 2025-03-26 has";
            let error = Error::new(ErrorKind::InvalidRequest, text);
            let malformed = Malformed { error, id: None, answer: true, is_answer: false };
            return self.refuse(Answer::Alone, malformed, now);
        }
        let messages = match envelope::split_batch(frame, self.limits.depth, self.limits.batch) {
            Ok(messages) => messages,
            Err(malformed) => return self.refuse(Answer::Alone, malformed, now),
        };
        self.batches.last = self.batches.last.wrapping_add(1);
        let batch = self.batches.last;
        self.batches.open.insert(batch, Batch { answers: Vec::new(), due: 1 });
        for message in messages {
            // Counted before the message is handled, since its answer may come at once. A message that needs
            // no answer is not counted.
            let owes = envelope::parse(frame, message, self.limits.depth).map_or_else(
                |malformed| malformed.answer,
                |message| matches!(message, envelope::Message::Request { .. }),
            );
            if let (true, Some(open)) = (owes, self.batches.open.get_mut(&batch)) {
                open.due += 1;
            }
            self.handle_message(frame, message, Answer::InBatch(batch), now);
        }
        self.batch_step(Answer::InBatch(batch), None);
    }

    /// Counts one message of a batch, or the reading of the batch, as done. Adds `bytes`, the answer to this
    /// message if it has one, to the answers of the batch, and sends them once nothing is due any more. Does
    /// nothing for [`Answer::Alone`].
    pub(super) fn batch_step(&mut self, answer: Answer, bytes: Option<Vec<u8>>) {
        let Answer::InBatch(number) = answer else { return };
        let Some(batch) = self.batches.open.get_mut(&number) else { return };
        if let Some(bytes) = bytes {
            batch.answers.push(if batch.answers.is_empty() { b'[' } else { b',' });
            batch.answers.extend_from_slice(&bytes);
        }
        batch.due = batch.due.saturating_sub(1);
        if batch.due > 0 {
            return;
        }
        let Some(mut batch) = self.batches.open.remove(&number) else { return };
        // Spec: a batch of notifications only, or of cancelled requests only, has no answer at all.
        if !batch.answers.is_empty() {
            batch.answers.push(b']');
            self.transmit(TransmitKind::Answer, Route::Batch(number), batch.answers);
        }
    }

    /// Returns the number of the most recently handled batch, if an answer to it is still due.
    pub fn open_batch(&self) -> Option<u32> {
        Some(self.batches.last).filter(|last| self.batches.open.contains_key(last))
    }

    /// Returns whether an answer to the batch `number` is still due.
    pub fn is_batch_open(&self, number: u32) -> bool {
        self.batches.open.contains_key(&number)
    }

    /// Returns whether a request of `method` may be part of a batch. A server accepts neither `initialize`
    /// nor modern requests in a batch; a client accepts any request.
    pub(super) fn may_be_batched(&self, method: &str, modern: bool) -> bool {
        matches!(self.role, Role::Client(_)) || (method != "initialize" && !modern)
    }
}
