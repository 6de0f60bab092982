//! Tests that docs/richtext-gallery.md shows what the converter of rich text writes.
//!
//! In: documents with one construct each. Out: the page, or its differences from the converter's output.

mod constructs;
mod gallery;
