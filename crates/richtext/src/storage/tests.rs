//! Storage format as a whole: read, written, read again.

mod corpus;
mod hazards;
mod oracle;
mod shape;
mod spelling;
mod trees;

use super::read::read;
use super::write::part;
use crate::tree::Node;
use shape::shape;

/// What `source` reads as, in short.
fn shown(source: &str) -> String {
    shape(&read(source).0)
}

/// The nodes come back from what is written of them.
fn comes_back(nodes: &[Node<'_>]) -> String {
    let written = part(nodes, None);
    let (again, wrong) = read(&written);
    assert_eq!(shape(&again), shape(nodes), "written as {written}");
    assert_eq!(wrong, [], "written as {written}");
    assert_eq!(crate::tree::misplaced(&again, &written), None, "{written}");
    drop(again);
    written
}
