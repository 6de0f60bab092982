//! Stores of outputs: bytes that grow, and then stay as they are until they expire.
//!
//! In: ids that can't be guessed, and bytes. Out: any part of the bytes, at any time. What becomes an output, and who may read it,
//! is decided outside. [`contract`] has the tests that every store has to pass.

use std::fmt;
use std::future::Future;
use std::ops::{ControlFlow, Range};
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::runtime::{blocking, random, unix};

pub mod contract;
mod folder;

pub use folder::Folder;

/// The future of a store's method. Boxed, so that servers do not depend on the type of the store.
pub type OutputFuture<'s, T> = Pin<Box<dyn Future<Output = Result<T, OutputError>> + Send + 's>>;

/// A store of outputs, for one process or for many.
///
/// An output is created, grows, and ends: it is then complete, or was cut off. It can be read all the time, and is the same for
/// every reader. A store has a budget in bytes and drops the oldest outputs first; an output that grows over the whole budget
/// gets an error and keeps what it has. An output whose [`OutputId::expires`] has passed is gone.
pub trait Outputs: Send + Sync + 'static {
    /// Creates an output, which is empty and grows.
    ///
    /// # Errors
    /// [`OutputError::Failed`] if the id is taken, or if there is no room.
    fn create<'s>(&'s self, id: &'s OutputId, about: &'s About) -> OutputFuture<'s, ()>;

    /// Adds bytes at the end of an output that grows.
    ///
    /// # Errors
    /// [`OutputError::Full`] if the output would be larger than the budget, and [`OutputError::Failed`] if this process does
    /// not write it, or if the bytes can't be stored. The bytes that it had before are kept.
    fn append<'s>(&'s self, id: &'s OutputId, bytes: Vec<u8>) -> OutputFuture<'s, ()>;

    /// Ends an output: it is complete.
    fn finish<'s>(&'s self, id: &'s OutputId) -> OutputFuture<'s, ()>;

    /// Ends an output that is not complete: it was cut off. Does not wait, since it is called when a writer is dropped.
    fn cut_off(&self, id: &OutputId);

    /// Returns what is known of an output; `None` if there is none.
    fn stat<'s>(&'s self, id: &'s OutputId) -> OutputFuture<'s, Option<Stat>>;

    /// Returns up to `max` bytes from `offset`: fewer only at the end of what is there; `None` if there is no such output.
    fn read<'s>(&'s self, id: &'s OutputId, offset: u64, max: usize) -> OutputFuture<'s, Option<Vec<u8>>>;

    /// Passes the bytes in `range` to `visit`, in order and in pieces, until it breaks or there are no more. Returns how many were
    /// passed; `None` if there is no such output. `visit` may take long and does not run on a thread of the runtime.
    ///
    /// By default, the bytes are read by [`Self::read`]. A store that can pass them without a copy of each overrides this.
    fn scan<'s>(
        &'s self,
        id: &'s OutputId,
        range: Range<u64>,
        visit: Visit,
    ) -> OutputFuture<'s, Option<u64>> {
        Box::pin(async move {
            let (mut at, mut visit) = (range.start, visit);
            while at < range.end {
                let length = SCAN.min(usize::try_from(range.end - at).unwrap_or(SCAN));
                let Some(piece) = self.read(id, at, length).await? else { return Ok(None) };
                if piece.is_empty() {
                    break;
                }
                at += piece.len() as u64;
                let (back, flow) = blocking(move || {
                    let flow = visit(&piece);
                    (visit, flow)
                })
                .await;
                visit = back;
                if flow.is_break() {
                    break;
                }
            }
            Ok(Some(at - range.start))
        })
    }
}

/// A function that looks at the bytes of an output, piece by piece.
pub type Visit = Box<dyn FnMut(&[u8]) -> ControlFlow<()> + Send>;

/// The largest piece that is passed to a [`Visit`], in bytes. It stays in the cache of a core.
const SCAN: usize = 128 << 10;

/// The facts about an output that do not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The media type of the bytes, such as `text/plain`.
    pub media_type: String,
    /// The name of the principal that may read the output; `None` if whoever has the id may.
    pub owner: Option<String>,
    /// The name of the tool whose output it is.
    pub tool: String,
}

/// An output as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The facts that do not change.
    pub about: About,
    /// The number of bytes that it has by now.
    pub bytes: u64,
    /// Whether more bytes may come.
    pub state: OutputState,
}

/// The answer whether more bytes of an output may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputState {
    /// It has all its bytes.
    Complete,
    /// It ended before it was complete, for example because its call was cancelled.
    CutOff,
    /// More bytes may come.
    Growing,
}

/// The id of an output: the second at which it expires, and 128 random bits. 44 hexadecimal digits.
///
/// Since the time is in the id, an expired output is known as such when nothing is left of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OutputId(String);

/// The number of digits of the time in an id, and of the whole id.
const TIME_DIGITS: usize = 12;
const ID_DIGITS: usize = TIME_DIGITS + 32;

impl OutputId {
    /// Makes an id of an output that expires after `ttl`.
    pub fn new(ttl: Duration) -> Self {
        let expires = unix().saturating_add(ttl).as_secs().min((1 << 48) - 1);
        let random: String = random::bytes::<16>().iter().map(|byte| format!("{byte:02x}")).collect();
        Self(format!("{expires:012x}{random}"))
    }

    /// Reads an id from text; `None` if the text is none.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it));
        (text.len() == ID_DIGITS && is_hex).then(|| Self(text.to_owned()))
    }

    /// Returns the time since 1970 at which the output expires.
    pub fn expires(&self) -> Duration {
        Duration::from_secs(u64::from_str_radix(&self.0[..TIME_DIGITS], 16).unwrap_or_default())
    }

    /// Returns whether the output has expired by now.
    pub fn has_expired(&self) -> bool {
        self.expires() <= unix()
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An error of a store.
#[derive(Debug)]
#[non_exhaustive]
pub enum OutputError {
    /// An output would be larger than the budget.
    Full {
        /// The budget in bytes.
        budget: u64,
    },
    /// Any other failure, with the operation that failed.
    Failed {
        /// A description of the failed operation.
        why: String,
        /// The underlying error.
        source: Option<std::io::Error>,
    },
}

impl OutputError {
    /// Makes an error from a description of what failed.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::Failed { why: why.into(), source: None }
    }

    /// Makes an error from a description and the underlying error.
    pub fn failed_by(why: impl Into<String>, source: std::io::Error) -> Self {
        Self::Failed { why: why.into(), source: Some(source) }
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { budget } => {
                write!(f, "expected an output of at most {budget} bytes (limit `budget`), but found more")
            }
            Self::Failed { why, source: Some(source) } => write!(f, "{why}: {source}"),
            Self::Failed { why, source: None } => f.write_str(why),
        }
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed { source: Some(source), .. } => Some(source),
            _ => None,
        }
    }
}
