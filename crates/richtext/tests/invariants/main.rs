//! Invariants that hold for every document. They are tested on the corpora if these are present, on generated
//! documents, and on a few small ones.
//!
//! Each invariant has a number: I1 an edit that changes nothing leaves every byte; I2 extended Markdown
//! carries everything except identifiers; I3 an edit of one block changes only that block; I4 the ADF that is
//! written is valid if the source was; I5 content that Markdown has a syntax for comes back exactly; I6 the
//! same input gives the same output; I7 no broken input causes a panic; I8 no character changes its meaning
//! in another format; I9 what an edit puts into another order keeps its identifiers.

mod across;
mod bad_input;
#[path = "../corpus/mod.rs"]
mod corpus;
mod documents;
mod edit_kinds;
mod edits;
mod edits_more;
mod extended;
#[path = "../generator/mod.rs"]
mod generator;
mod hazards;
mod mutated;
mod orders;
mod repeated;
mod said;
mod subset;
mod unedited;
mod valid;
