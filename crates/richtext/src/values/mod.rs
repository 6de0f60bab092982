//! Conversion of values that several formats spell, each in its own way: colours, dates, emoticons, link
//! targets, macro parameters.
//!
//! In: a word, a number, an address, a piece of JSON. Out: its equivalent in another format. Nodes and
//! documents are not handled here. Each concept has one file, which the readers and writers of several
//! formats share.

pub(crate) mod colours;
pub(crate) mod dates;
pub(crate) mod emoticons;
pub(crate) mod entities;
pub(crate) mod hrefs;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod macros;
pub(crate) mod parameters;
