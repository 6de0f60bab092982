//! The state of the connection to one server of a host.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::client::Client;

/// The state of the connection to a server.
///
/// States: connecting → connected → down → connecting, when the server is next needed, or never again. The
/// first caller that needs the server begins that last step, for all callers. The task of the server does all
/// other steps. A caller that finds the connection dead may report that.
pub(super) enum LinkState {
    Connecting,
    Connected {
        client: Arc<Client>,
        since: Instant,
    },
    Down {
        /// The time from which on an attempt is allowed; `None` for never.
        again: Option<Instant>,
        why: String,
    },
}

impl LinkState {
    /// Returns the client, if the connection is open.
    pub(super) fn client(&self) -> Option<&Arc<Client>> {
        match self {
            Self::Connected { client, .. } if !client.is_gone() => Some(client),
            _ => None,
        }
    }

    /// Returns the reason why there is no connection. `None` if there is one or an attempt to connect.
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

/// Rounds a wait up to tenths of a second, for messages to the user.
fn tenths(wait: Duration) -> Duration {
    Duration::from_millis(
        u64::try_from(wait.as_millis().div_ceil(100)).unwrap_or(u64::MAX).saturating_mul(100),
    )
}
