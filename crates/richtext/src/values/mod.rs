//! Values that more than one format spells: what they are called there, and what they mean to the tree.
//!
//! In: a word, a number, an address, a piece of JSON. Out: the same for another format. Nodes and documents are no business of this
//! folder; each concept has one file, and every reader and writer asks it.

pub(crate) mod colours;
pub(crate) mod dates;
pub(crate) mod emoticons;
pub(crate) mod entities;
pub(crate) mod hrefs;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod macros;
pub(crate) mod parameters;
