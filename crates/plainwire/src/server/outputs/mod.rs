//! Whole outputs: large results stay whole on the server, and the model gets their beginning and the means to read the rest.
//!
//! In: the choice of [`crate::Server::outputs`], and the results of tools. Out: for a result past the threshold, a short form with
//! links `output://ID`, and tools that read any part of the original: `output_page`, `output_grep` and `output_json`. The
//! original is kept byte for byte in a store ([`Outputs`]). Results below the threshold, and errors, are not touched.
//!
//! ```
//! use plainwire::outputs::{Folder, Settings};
//! use plainwire::prelude::*;
//!
//! /// Lists the even numbers.
//! #[tool(read_only)]
//! async fn evens(up_to: u32) -> String {
//!     (0..=up_to).step_by(2).map(|it| format!("{it}\n")).collect()
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("plainwire-outputs-doc-{}", std::process::id()));
//! let outputs = Settings::new(Folder::open(&folder)?).threshold(1_024);
//! let server = plainwire::server!("numbers").tool(evens).outputs(outputs);
//! let client = plainwire::testing::client(server).await?;
//!
//! let short = client.call_tool("evens", json!({ "up_to": 100_000 })).await?;
//! let Content::ResourceLink(link) = &short.content[1] else { panic!("no link") };
//! assert_eq!(link.size, Some(294_452));
//! let page = client.call::<Value>("output_page", json!({ "id": link.uri, "offset": 294_445 })).await?;
//! assert_eq!(page["text"], "100000\n");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(()) }
//! ```
//!
//! An output belongs to the [principal](crate::Principal) of its call; for others there is no such output. Where no caller is
//! proven, the id alone guards it: on stdio, where the process has one client, and over HTTP without tokens. An id has 128
//! random bits.

use std::sync::Arc;
use std::time::Duration;

use super::entry::{Entries, Provider};

mod keep;
mod keeper;
mod short;
mod store;
mod tools;

pub(crate) use keep::{Around, Keep};
pub use keeper::{Keeper, OutputWriter};
pub use store::{
    About, Folder, OutputError, OutputFuture, OutputId, OutputState, Outputs, Stat, Visit, contract,
};

/// The default of [`Settings::threshold`].
const THRESHOLD: usize = 16 << 10;

/// The smallest threshold: below it, a link is longer than what it stands for.
const MIN_THRESHOLD: usize = 512;

/// The number of bytes that count as one token, in [`Settings::threshold_tokens`].
const BYTES_PER_TOKEN: usize = 4;

/// The default of [`Settings::ttl`].
const TTL: Duration = Duration::from_secs(3_600);

/// The settings for large results: see [`crate::Server::outputs`].
#[derive(Clone)]
pub struct Settings {
    store: Arc<dyn Outputs>,
    threshold: usize,
    ttl: Duration,
}

impl Settings {
    /// Keeps large results in this store, such as a [`Folder`].
    pub fn new(store: impl Outputs) -> Self {
        Self { store: Arc::new(store), threshold: THRESHOLD, ttl: TTL }
    }

    /// Sets the largest size of a result that is sent as it is, in bytes: 16 KiB by default, at least 512. The texts of a result
    /// and its structured content are compared each by itself, since a client shows one of them to the model.
    #[must_use]
    pub fn threshold(mut self, bytes: usize) -> Self {
        self.threshold = bytes.max(MIN_THRESHOLD);
        self
    }

    /// Sets the threshold in tokens, as an estimate: four bytes each.
    #[must_use]
    pub fn threshold_tokens(self, tokens: usize) -> Self {
        self.threshold(tokens.saturating_mul(BYTES_PER_TOKEN))
    }

    /// Sets how long an output can be read: an hour by default.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Returns the keeper of the outputs, and the entries that read them.
    pub(crate) fn begin(self) -> (Keeper, Entries) {
        let keeper = Keeper::new(self.store, self.threshold, self.ttl);
        let entries = Arc::new(tools::Tools(keeper.clone())).entries();
        (keeper, entries)
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("threshold", &self.threshold)
            .field("ttl", &self.ttl)
            .finish_non_exhaustive()
    }
}
