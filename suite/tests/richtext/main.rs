//! The converter of rich text as its pages show it.
//!
//! In: documents with one construct each. Out: docs/richtext-gallery.md, or how it differs from what the converter says.

mod constructs;
mod gallery;
