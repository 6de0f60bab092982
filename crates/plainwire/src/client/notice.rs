//! Messages that a server sends on its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainwire_proto::cursor::List;
use plainwire_proto::model::{LogLevel, LogMessage, RawJson};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// A message that the server sends on its own.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// The user has finished at a URL that the server had asked the user to open. Reported once, and only for
    /// pages that the user did not refuse to open. The client remembers the 64 pages that the server asked
    /// for most recently.
    ElicitationComplete {
        /// The id of the elicitation.
        id: String,
    },
    /// A list of the server has changed, such as its tools.
    ListChanged(List),
    /// A log message of the server.
    Log(LogMessage),
    /// A resource that this client has subscribed to has changed.
    ResourceUpdated {
        /// The URI of the resource.
        uri: String,
    },
    /// A notification of any other kind, or one that can't be decoded.
    Other {
        /// The method of the notification.
        method: String,
        /// The parameters of the notification, as they were sent.
        params: Option<RawJson>,
    },
}

/// The queue of the messages that a server sends on its own.
///
/// It holds 256 messages, or together 1 MiB of JSON. While the program reads none, further messages are dropped,
/// and the log says so.
#[derive(Debug)]
pub struct Notices {
    queue: mpsc::Receiver<(Notice, usize)>,
    size: Arc<AtomicUsize>,
}

/// The writing half of [`Notices`].
pub(crate) struct NoticeSender {
    queue: mpsc::Sender<(Notice, usize)>,
    /// The size of all messages in the queue, in bytes of JSON.
    size: Arc<AtomicUsize>,
}

/// The largest number of unread messages.
const MAX_NOTICES: usize = 256;

/// The largest size of all unread messages, in bytes of JSON. 1 MiB: a busy log for a while.
const MAX_BYTES: usize = 1 << 20;

impl Notices {
    pub(crate) fn new() -> (NoticeSender, Self) {
        let (sender, queue) = mpsc::channel(MAX_NOTICES);
        let size = Arc::<AtomicUsize>::default();
        (NoticeSender { queue: sender, size: Arc::clone(&size) }, Self { queue, size })
    }

    /// Returns the next message; `None` after the connection has ended. Cancel safe.
    pub async fn recv(&mut self) -> Option<Notice> {
        let (notice, size) = self.queue.recv().await?;
        self.size.fetch_sub(size, Ordering::Relaxed);
        Some(notice)
    }

    /// Returns the next message without waiting; `None` if there is none now.
    pub fn try_recv(&mut self) -> Option<Notice> {
        let (notice, size) = self.queue.try_recv().ok()?;
        self.size.fetch_sub(size, Ordering::Relaxed);
        Some(notice)
    }
}

impl NoticeSender {
    /// Returns whether a message of `size` bytes never fits into the queue, so that it need not be read.
    pub(crate) fn is_too_large(size: usize) -> bool {
        size > MAX_BYTES
    }

    /// Adds a message of `size` bytes to the queue. If the queue is full, because the program does not read it,
    /// the message is dropped.
    pub(crate) fn send(&self, notice: Notice, size: usize) {
        if self.queue.is_closed() {
            return;
        }
        // Only this side adds.
        let fits = self.size.load(Ordering::Relaxed).saturating_add(size) <= MAX_BYTES;
        self.size.fetch_add(size, Ordering::Relaxed);
        if !fits || self.queue.try_send((notice, size)).is_err() {
            self.size.fetch_sub(size, Ordering::Relaxed);
            tracing::debug!("a notification was dropped: the program does not read its queue");
        }
    }
}

impl Notice {
    /// Decodes a notification. If that fails, the result is [`Self::Other`], with the notification as it was
    /// sent.
    pub(crate) fn read(method: &str, params: Option<&str>) -> Self {
        known(method, params.unwrap_or("{}")).unwrap_or_else(|| Self::Other {
            method: method.to_owned(),
            params: params.and_then(|params| RawValue::from_string(params.to_owned()).ok()),
        })
    }
}

fn known(method: &str, params: &str) -> Option<Notice> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Complete {
        elicitation_id: String,
    }
    #[derive(Deserialize)]
    struct Updated {
        uri: String,
    }
    #[derive(Deserialize)]
    struct Message {
        data: RawJson,
        level: String,
        logger: Option<String>,
    }
    match method {
        "notifications/elicitation/complete" => {
            let it: Complete = serde_json::from_str(params).ok()?;
            Some(Notice::ElicitationComplete { id: it.elicitation_id })
        }
        "notifications/message" => {
            let it: Message = serde_json::from_str(params).ok()?;
            let level = LogLevel::parse(&it.level)?;
            Some(Notice::Log(LogMessage { data: it.data, level, logger: it.logger }))
        }
        "notifications/resources/updated" => {
            let it: Updated = serde_json::from_str(params).ok()?;
            Some(Notice::ResourceUpdated { uri: it.uri })
        }
        _ => None,
    }
}

/// A report of the progress of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The progress so far, in a unit of the server's choice.
    pub done: f64,
    /// A text about the current step, for the user.
    pub message: Option<String>,
    /// The value that `done` will have at the end; `None` if the server did not say.
    pub total: Option<f64>,
}
