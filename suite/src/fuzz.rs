//! Fuzz targets: each is a function that takes bytes and panics if an invariant does not hold.
//!
//! In: any bytes. Out: nothing; a broken invariant panics with a message. `fuzz/fuzz_targets/` passes the
//! inputs of libFuzzer to the targets, and `tests/corpora.rs` the files of `fuzz/corpus/`. The targets read
//! no file, clock or random numbers, so equal bytes always give equal results; `richtext_growth` measures
//! time, `learning` has its vault in a folder that goes with it, and `http_batch` and `client_reader` run on a
//! runtime, whose ids and session ids differ each time.

mod arguments;
mod atlassian;
mod bytes;
mod client_reader;
mod cursor;
mod envelope;
mod form;
mod headers;
mod http_batch;
mod inventory;
mod json;
mod learning;
mod patterns;
mod peer;
mod richtext;
mod seal;
mod slim;
mod sse;

pub use arguments::arguments;
pub use atlassian::atlassian;
pub use client_reader::client_reader;
pub use cursor::cursor;
pub use envelope::envelope;
pub use form::form;
pub use headers::headers;
pub use http_batch::http_batch;
pub use inventory::inventory;
pub use learning::learning;
pub use patterns::patterns;
pub use peer::peer;
pub use richtext::{richtext_growth, richtext_read, richtext_restore};
pub use seal::seal;
pub use slim::slimming;
pub use sse::sse;

/// The function of a fuzz target. It takes any bytes and panics if an invariant does not hold.
pub type Target = fn(&[u8]);

/// The targets, each with its name, which is also that of its folder in `fuzz/corpus/` and of its file in
/// `fuzz/fuzz_targets/`.
pub const TARGETS: [(&str, Target); 18] = [
    ("arguments", arguments),
    ("atlassian", atlassian),
    ("client_reader", client_reader),
    ("cursor", cursor),
    ("envelope", envelope),
    ("form", form),
    ("headers", headers),
    ("http_batch", http_batch),
    ("inventory", inventory),
    ("learning", learning),
    ("patterns", patterns),
    ("peer", peer),
    ("richtext_growth", richtext_growth),
    ("richtext_read", richtext_read),
    ("richtext_restore", richtext_restore),
    ("seal", seal),
    ("slim", slimming),
    ("sse", sse),
];
