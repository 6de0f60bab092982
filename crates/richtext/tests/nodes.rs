//! The limit on the number of nodes in a document.

use plainwire_richtext::tree::{Kind, MAX_NODES, Node};
use plainwire_richtext::{Dialect, Document, Flavor, Format, convert};

#[test]
fn a_document_has_no_more_nodes_than_the_limit() {
    // Each row has seven nodes: the row, and two cells with a paragraph and a text.
    let row = "|a|b|\n";
    let source = row.repeat(MAX_NODES / 7 + 1000);
    let document = Document::read(Format::Wiki(Dialect::Jira), &source);
    let [table, rest] = document.blocks.as_slice() else { panic!("a table and the rest") };
    let rows = table.children.len();
    assert_eq!((table.kind, rows), (Kind::Table, MAX_NODES / 7));
    assert_eq!(
        *rest,
        Node::raw(Kind::RawBlock, "wiki", &source[rows * row.len()..source.len() - 1])
            .at(rest.span, rest.span)
    );
    let said: Vec<String> = document.diagnostics.iter().map(|it| it.shown(&source).to_string()).collect();
    let expected = "expected at most 4194304 nodes, but found more: the rest is kept as raw source";
    assert_eq!(said, [format!("{}:1: {expected}", rows + 1)]);
}

#[test]
fn what_was_written_is_read_again_although_its_tags_count() {
    // Each row has six nodes. Markdown writes them as HTML, whose tags count as nodes when they are read.
    let source = "|* a|\n".repeat(MAX_NODES / 7);
    let there = convert(Format::Wiki(Dialect::Jira), Format::Markdown(Flavor::Extended), &source);
    assert_eq!((there.diagnostics, there.losses), (vec![], vec![]));
}
