//! The connection to a server of a host: whether it is there, and why not.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::client::Client;

/// The connection to a server.
///
/// States: connecting → connected → down → connecting, at the next need, or never again. Whoever needs the server begins the
/// last step, once for all who do; the task of the server does the rest. A caller that finds it dead may say so.
pub(super) enum Link {
    Connecting,
    Connected {
        client: Arc<Client>,
        since: Instant,
    },
    Down {
        /// From when on it may be tried again; `None` for never.
        again: Option<Instant>,
        why: String,
    },
}

impl Link {
    /// The client of a connection that is there.
    pub(super) fn client(&self) -> Option<&Arc<Client>> {
        match self {
            Self::Connected { client, .. } if !client.is_gone() => Some(client),
            _ => None,
        }
    }

    /// Why there is no connection, unless there may be one in a moment.
    pub(super) fn why(&self, now: Instant) -> Option<String> {
        match self {
            Self::Down { again: Some(again), why } if *again > now => {
                Some(format!("{why}; it is tried again in {:?} at the earliest", tenths(*again - now)))
            }
            Self::Down { why, .. } => Some(why.clone()),
            Self::Connected { .. } | Self::Connecting => None,
        }
    }
}

/// For people: rounded up, so that it never says less.
fn tenths(wait: Duration) -> Duration {
    Duration::from_millis(
        u64::try_from(wait.as_millis().div_ceil(100)).unwrap_or(u64::MAX).saturating_mul(100),
    )
}
