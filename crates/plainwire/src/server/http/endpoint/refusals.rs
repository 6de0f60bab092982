//! The log of refused requests.
//!
//! In: refusals with their status, caller and reason. Out: log lines, for each status at most one in
//! [`PAUSE`]; the next one says how many were left out. So a flood of refusals is seen and fills no log.
//! [`LinePause`] does the same for other events that a stranger can cause as often as it likes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::{Response, StatusCode};
use serde::Deserialize;
use tokio::time::Instant;

use super::RemoteAddr;
use super::answer::Refused;
use super::body::Body;

/// Time between two log lines about the same kind of event.
const PAUSE: Duration = Duration::from_secs(10);

/// The refusals of an endpoint so far.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    by_status: Mutex<BTreeMap<u16, LinePause>>,
}

/// The time of the last log line about one kind of event, and the number of events since then.
#[derive(Debug, Default)]
pub(crate) struct LinePause {
    last: Option<Instant>,
    left_out: u64,
}

impl LinePause {
    /// Counts an event. Returns the number of events that were left out since the last line, if it is time for
    /// another line.
    pub(crate) fn count(&mut self) -> Option<u64> {
        let now = Instant::now();
        if self.last.is_some_and(|last| now.duration_since(last) < PAUSE) {
            self.left_out += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.left_out))
    }
}

impl Refusals {
    /// Logs `response` if it refuses a request for lack of rights (401, 403), of a session (404) or of room (429,
    /// 503).
    pub(crate) fn note(&self, response: &Response<Body>, caller: Option<&RemoteAddr>) {
        let status = response.status();
        // An error of the server may have one of these statuses too, such as 404 for an unknown method.
        let is_refused = response.extensions().get::<Refused>().is_some();
        if !is_refused || !matches!(status.as_u16(), 401 | 403 | 404 | 429 | 503) {
            return;
        }
        if let Some(left_out) = self.is_due(status) {
            let caller = caller.map_or_else(|| "an unknown address".to_owned(), |it| it.0.to_string());
            let why = reason(response.body());
            tracing::warn!(
                status = status.as_u16(),
                left_out,
                "refused a request of {caller}: {why} ({left_out} more with this status since the last line)"
            );
        }
    }

    /// Counts a refusal. Returns the number of those that were not logged since the last line, if it is time
    /// for another line.
    fn is_due(&self, status: StatusCode) -> Option<u64> {
        let mut by_status = self.by_status.lock().unwrap_or_else(PoisonError::into_inner);
        by_status.entry(status.as_u16()).or_default().count()
    }
}

/// Returns the text of the error in the body of a refusal.
fn reason(body: &Body) -> String {
    #[derive(Deserialize)]
    struct Answer {
        error: Message,
    }
    #[derive(Deserialize)]
    struct Message {
        message: String,
    }
    let answer: Option<Answer> = body.whole().and_then(|bytes| serde_json::from_slice(bytes).ok());
    answer.map_or_else(|| "(no reason)".to_owned(), |answer| answer.error.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_line_in_ten_seconds_counts_the_others() {
        let refusals = Refusals::default();
        let due = |status| refusals.is_due(status);
        assert_eq!(due(StatusCode::UNAUTHORIZED), Some(0));
        for _ in 0..41 {
            assert_eq!(due(StatusCode::UNAUTHORIZED), None);
        }
        assert_eq!(due(StatusCode::FORBIDDEN), Some(0), "another status has lines of its own");
        tokio::time::advance(PAUSE).await;
        assert_eq!(due(StatusCode::UNAUTHORIZED), Some(41));
        tokio::time::advance(PAUSE).await;
        assert_eq!(due(StatusCode::UNAUTHORIZED), Some(0));
    }
}
