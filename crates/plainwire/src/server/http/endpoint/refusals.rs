//! The log of refused requests.
//!
//! In: refusals with their status, caller and reason, and TLS handshakes that failed. Out: log lines, for each
//! status and for handshakes at most one in 10 s ([`LinePause`]); the next one says how many were left out.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use http::{Response, StatusCode};
use serde::Deserialize;

use super::RemoteAddr;
use super::answer::Refused;
use super::body::Body;
use crate::runtime::LinePause;

/// The refusals of an endpoint so far.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    by_status: Mutex<BTreeMap<u16, LinePause>>,
    #[cfg(feature = "tls")]
    handshakes: Mutex<LinePause>,
}

impl Refusals {
    /// Logs `response` if it refuses a request for lack of rights (401, 403), of a session or of something at its
    /// path (404), of room (429, 503), or for the size of its head (431).
    pub(crate) fn note(&self, response: &Response<Body>, caller: Option<&RemoteAddr>) {
        let status = response.status();
        // An error of the server may have one of these statuses too, such as 404 for an unknown method.
        let is_refused = response.extensions().get::<Refused>().is_some();
        if !is_refused || !matches!(status.as_u16(), 401 | 403 | 404 | 429 | 431 | 503) {
            return;
        }
        match caller {
            Some(caller) => self.log(status, &caller.0, || reason(response.body())),
            None => self.log(status, &"an unknown address", || reason(response.body())),
        }
    }

    /// Logs that the head of a request was too large to be read at all. `hyper` has answered the request with
    /// 431.
    pub(crate) fn note_unread_head(&self, caller: IpAddr, most: usize) {
        let why = || format!("expected a head of at most {most} bytes, but found more");
        self.log(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, &caller, why);
    }

    /// Logs that a TLS handshake failed.
    #[cfg(feature = "tls")]
    pub(crate) fn note_handshake(&self, caller: IpAddr, error: &std::io::Error) {
        let due = self.handshakes.lock().unwrap_or_else(PoisonError::into_inner).count();
        if let Some(left_out) = due {
            tracing::warn!(
                left_out,
                "a TLS handshake of {caller} failed: {error} ({left_out} more failed since the last line)"
            );
        }
    }

    fn log(&self, status: StatusCode, caller: &dyn fmt::Display, why: impl FnOnce() -> String) {
        if let Some(left_out) = self.is_due(status) {
            let why = why();
            let more = match left_out {
                0 => String::new(),
                _ => format!(" ({left_out} more with this status since the last line)"),
            };
            tracing::warn!(status = status.as_u16(), left_out, "refused a request of {caller}: {why}{more}");
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
    use std::time::Duration;

    use super::*;

    const PAUSE: Duration = Duration::from_secs(10);

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
