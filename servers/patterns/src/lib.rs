//! A searchable library of patterns.
#![allow(missing_docs)]
pub mod index;
pub mod library;
