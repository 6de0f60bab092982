//! Tests of storage format: reading, writing, and reading again.

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

/// Returns the tree of `source` in short form.
fn shown(source: &str) -> String {
    shape(&read(source).0)
}

/// Writes `nodes`, reads them again, and checks that nothing changed. Returns what was written.
fn comes_back(nodes: &[Node<'_>]) -> String {
    let written = part(nodes, None);
    let (again, wrong) = read(&written);
    assert_eq!(shape(&again), shape(nodes), "written as {written}");
    assert_eq!(wrong, [], "written as {written}");
    assert_eq!(crate::tree::misplaced(&again, &written), None, "{written}");
    drop(again);
    written
}
