//! What the fuzzers run: one function for each target, from bytes to a panic where something that always holds did not.
//!
//! In: any bytes. Out: nothing; a broken promise panics and says which. `fuzz/fuzz_targets/` hands them what libFuzzer
//! makes up, `tests/corpora.rs` hands them the files of `fuzz/corpus/`. Nothing here reads a file, a clock or chance, so
//! that the same bytes always do the same; only `richtext_growth` measures how long something took.

mod arguments;
mod bytes;
mod cursor;
mod envelope;
mod form;
mod headers;
mod json;
mod peer;
mod richtext;
mod seal;
mod slim;
mod sse;

pub use arguments::arguments;
pub use cursor::cursor;
pub use envelope::envelope;
pub use form::form;
pub use headers::headers;
pub use peer::peer;
pub use richtext::{richtext_growth, richtext_read, richtext_restore};
pub use seal::seal;
pub use slim::slimming;
pub use sse::sse;

/// What one target runs.
pub type Target = fn(&[u8]);

/// The targets by name, which is the name of their folder in `fuzz/corpus/` and of their file in `fuzz/fuzz_targets/`.
pub const TARGETS: [(&str, Target); 12] = [
    ("arguments", arguments),
    ("cursor", cursor),
    ("envelope", envelope),
    ("form", form),
    ("headers", headers),
    ("peer", peer),
    ("richtext_growth", richtext_growth),
    ("richtext_read", richtext_read),
    ("richtext_restore", richtext_restore),
    ("seal", seal),
    ("slim", slimming),
    ("sse", sse),
];
