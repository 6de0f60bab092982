//! The states of the connection to one server of a host.

use std::time::Duration;

use tokio::time::Instant;

use crate::client::Client;

/// The state of the connection to a server.
///
/// Transitions: connecting → connected, connecting → down (it failed), connected → down (it ended), and down
/// → connecting. A caller that needs the server makes down → connecting when an attempt is due, for all
/// callers. The task of the server makes the other transitions. A caller that finds the connection dead may
/// also make connected → down. A server that is removed from the host becomes down from any state.
pub(super) enum LinkState {
    Connecting {
        /// The reason why the last attempt failed, or the last connection ended; `None` for the first attempt.
        last: Option<String>,
    },
    Connected {
        client: Client,
        /// The time at which the connection was made.
        since: Instant,
    },
    Down {
        /// The time from which the host may connect again; `None` if it never will.
        again: Option<Instant>,
        /// The reason why there is no connection.
        why: String,
    },
}

impl LinkState {
    /// Returns the client, if the connection is open.
    pub(super) fn client(&self) -> Option<&Client> {
        match self {
            Self::Connected { client, .. } if !client.is_gone() => Some(client),
            _ => None,
        }
    }

    /// Returns the reason why a list that has not arrived is missing.
    pub(super) fn late(&self) -> String {
        match self {
            Self::Connecting { last: Some(last) } => {
                format!("it has not connected yet; the last time: {last}")
            }
            Self::Connecting { last: None } => "it has not connected yet".to_owned(),
            Self::Connected { client, .. } if !client.is_gone() => "it has not answered in time".to_owned(),
            Self::Connected { .. } => "it has just ended".to_owned(),
            Self::Down { why, .. } => why.clone(),
        }
    }

    /// Returns the reason why there is no connection. `None` if there is a connection, or an attempt to
    /// connect.
    pub(super) fn why(&self, now: Instant) -> Option<String> {
        match self {
            Self::Down { again: Some(again), why } if *again > now => {
                // The last lines of a process may end the reason.
                let between = if why.contains('\n') { "\n" } else { "; " };
                Some(format!("{why}{between}it is tried again in {:?} at the earliest", tenths(*again - now)))
            }
            Self::Down { why, .. } => Some(why.clone()),
            Self::Connected { .. } | Self::Connecting { .. } => None,
        }
    }
}

/// Rounds a wait up to tenths of a second, for messages to the user.
fn tenths(wait: Duration) -> Duration {
    Duration::from_millis(
        u64::try_from(wait.as_millis().div_ceil(100)).unwrap_or(u64::MAX).saturating_mul(100),
    )
}
