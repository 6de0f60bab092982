//! Tests of storage format: reading it, writing it, and reading it again.

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

/// Returns the tree of `source` in the short form of [`shape`].
fn shown(source: &str) -> String {
    shape(&read(source).0)
}

/// Writes `nodes` as storage format, reads the result again, and checks that the trees are equal. Returns the
/// written text.
fn comes_back(nodes: &[Node<'_>]) -> String {
    let written = part(nodes, None, true);
    let (again, wrong) = read(&written);
    assert_eq!(shape(&again), shape(nodes), "written as {written}");
    assert_eq!(wrong, [], "written as {written}");
    assert_eq!(crate::tree::misplaced(&again, &written), None, "{written}");
    drop(again);
    written
}
