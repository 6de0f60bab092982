//! Batches (JSON-RPC arrays of messages), which the revision 2025-03-26 has.
//!
//! In: a line, and later the effects of its messages. Out: the messages as they were written, and later the effects of
//! the batch: the frames for one side are a batch again.

use serde_json::value::RawValue;

use super::proxy::Action;

/// Returns the messages of a batch; `None` for another line. An empty batch is none: it is not legal.
pub(super) fn messages(line: &str) -> Option<Vec<String>> {
    if !line.trim_start().starts_with('[') {
        return None;
    }
    let messages: Vec<&RawValue> = serde_json::from_str(line).ok()?;
    (!messages.is_empty()).then(|| messages.iter().map(|it| it.get().to_owned()).collect())
}

/// Puts the frames for the client into one batch, and the frames for each server. The batches come last.
pub(super) fn together(actions: Vec<Action>) -> Vec<Action> {
    let (mut done, mut batches) = (Vec::new(), Vec::<(Option<u64>, Vec<String>)>::new());
    for action in actions {
        let (side, frame) = match action {
            Action::ToClient(frame) => (None, frame),
            Action::ToServer(generation, frame) => (Some(generation), frame),
            said @ Action::Say(_) => {
                done.push(said);
                continue;
            }
        };
        match batches.iter_mut().find(|(it, _)| *it == side) {
            Some((_, frames)) => frames.push(frame),
            None => batches.push((side, vec![frame])),
        }
    }
    done.extend(batches.into_iter().map(|(side, frames)| {
        let batch = format!("[{}]", frames.join(","));
        match side {
            None => Action::ToClient(batch),
            Some(generation) => Action::ToServer(generation, batch),
        }
    }));
    done
}
