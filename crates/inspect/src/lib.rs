//! What the tools of a server cost a model, and what models and clients will not like about them.
//!
//! In: entries of `tools/list`, from a client or as they came over the wire. Out: reports as data. This crate does no I/O,
//! prints nothing and starts nothing: the command `plainwire` does, and so do an author's own tests.
//!
//! ```
//! use plainwire_inspect::lint::Severity;
//! use plainwire_inspect::tokens::{Report, Tokenizer};
//! use plainwire_inspect::{Entry, lint};
//!
//! let tools: Vec<Entry> = [r#"{
//!     "name": "add",
//!     "description": "Adds two numbers and returns the sum. Use it for any addition.",
//!     "inputSchema": {
//!         "type": "object",
//!         "properties": { "a": { "type": "number", "description": "First addend." }, "b": { "type": "number" } }
//!     }
//! }"#]
//! .map(Entry::read)
//! .into();
//!
//! assert!(Report::of(&tools, Tokenizer::Estimate).total < 80);
//!
//! let findings = lint::check(&tools);
//! assert_eq!((findings[0].rule, &*findings[0].place), ("undocumented-parameter", "inputSchema.properties.b"));
//! assert_eq!(findings[0].severity, Severity::Warning);
//! ```
//!
//! - [`Entry`] is a tool as it stands in a list, right or wrong.
//! - [`tokens`] counts what a model reads of it, field by field.
//! - [`lint`] says what is wrong with it, for everybody or for certain clients.

mod entry;
pub mod lint;
pub mod tokens;

pub use entry::Entry;
