//! Invariants that hold for every document. They are tested on the corpora if these are present, on generated
//! documents, and on a few small ones.
//!
//! Each invariant has a number: I1 an edit that changes nothing leaves every byte; I2 extended Markdown
//! carries everything except identifiers; I3 an edit of one block changes only that block; I4 the ADF that is
//! written is valid if the source was; I5 content that Markdown has a syntax for comes back exactly; I6 the
//! same input gives the same output; I7 no broken input causes a panic; I8 no character changes its meaning
//! in another format; I9 what an edit puts into another order keeps its identifiers; I10 of several edits at once each is made
//! or told; I11 so is a change of each attribute, and no identifier goes; I12 the same Markdown in another way is no edit; I13
//! what is put into any place changes only that place; I14 the Markdown for an edit is short.

mod across;
mod attributes;
mod bad_input;
mod constructs;
#[path = "../corpus/mod.rs"]
mod corpus;
#[path = "../../src/dice.rs"]
mod dice;
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
mod reformatted;
mod repeated;
mod said;
mod several;
mod sizes;
mod subset;
mod unedited;
mod valid;
