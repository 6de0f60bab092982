//! Token costs of a server's tools, and problems that models and clients have with the tools.
//!
//! In: entries of `tools/list`, from a client or as they came over the wire. Out: reports as data. This crate
//! does no I/O, prints nothing and starts nothing: the command `plainwire` does that, and your own tests can
//! use the reports too.
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
//! - [`Entry`] is a tool as it appears in a list, valid or not.
//! - [`tokens`] counts the tokens that a model reads of a tool, field by field.
//! - [`Shape`] tells which values a schema allows, and its text is the type in a signature.
//! - [`signature`] shows a tool with its types on one line.
//! - [`kinds()`] finds the kinds of values that tools return, and their schemas.
//! - [`lint`] reports problems with a tool, for all clients or for certain ones.

mod entry;
mod kinds;
pub mod lint;
mod shape;
mod signature;
pub mod tokens;

pub use entry::Entry;
pub use kinds::{KindSchema, kinds};
pub use shape::{Kind, Shape};
pub use signature::signature;
