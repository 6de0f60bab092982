//! What must hold of every document: the corpora are the judge, and a few small documents where there are none.
//!
//! The invariants have the numbers of the guide to the corpora: I1 an edit that changes nothing changes nothing; I2 extended Markdown
//! says all but identifiers; I3 an edit of one block changes that block only; I4 what is written is valid ADF where the source was; I5
//! what Markdown can say comes back exactly; I6 the same input has the same output; I7 nothing panics, whatever is broken; I8 no
//! character means something else in another format.

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
mod repeated;
mod said;
mod subset;
mod unedited;
mod valid;
