//! Trees that were not read from a source: the ADF that is written for them is always valid.

use plainwire_richtext::adf;
use plainwire_richtext::tree::{Holds, Kind, Mark, MarkKind, Node, ThinVec, thin_vec};

use super::{holding, outline, paragraph, spelled};

/// Returns a random block. As its kind requires, its children are blocks, inline nodes or nothing; it keeps
/// no other rule of ADF.
fn wild(state: &mut u64, depth: usize) -> Node<'static> {
    let mut next = |end: usize| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 11) as usize % end
    };
    let kind = BLOCKS[if depth > 4 { 0 } else { next(BLOCKS.len()) }];
    let mut node = Node::new(kind).with("html:class", "x");
    match kind {
        Kind::Panel if next(2) == 0 => node = node.with("param:title", "Title"),
        Kind::OrderedList => node = node.with_json("order", "3"),
        Kind::EmbedCard | Kind::BlockCard | Kind::Media if next(2) == 0 => {
            node = node.with("url", "http://x")
        }
        Kind::RawBlock => {
            let format = ["storage", "wiki", "markdown", "adf"][next(4)];
            node = Node::raw(kind, format, ["<!-- x -->", "<b>y</b>"][next(2)]);
        }
        _ => {}
    }
    let count = next(4);
    node.children = match kind.holds() {
        Holds::Nothing => ThinVec::new(),
        Holds::Blocks => (0..count).map(|_| wild(state, depth + 1)).collect(),
        Holds::Inlines => (0..count).map(|_| among_text(next(INLINES.len()), next(8))).collect(),
    };
    node
}

fn among_text(kind: usize, which: usize) -> Node<'static> {
    let mut node = match INLINES[kind] {
        Kind::Text => Node::of_text(["", "text", "two\nlines"][which % 3]),
        Kind::Image => Node::new(Kind::Image).with("url", "attachment:a.png").with("width", "10px"),
        Kind::RawInline => Node::raw(Kind::RawInline, ["storage", "markdown"][which % 2], "<br/>"),
        Kind::Status => Node::new(Kind::Status).with("text", "").with("color", "green"),
        kind if which.is_multiple_of(2) => Node::new(kind),
        kind => match kind {
            Kind::Mention | Kind::MediaInline => Node::new(kind).with("id", "i"),
            Kind::Date => Node::new(kind).with("timestamp", "1"),
            Kind::InlineCard => Node::new(kind).with("url", "u"),
            kind => Node::new(kind),
        },
    };
    let marks = [MarkKind::Code, MarkKind::Strong, MarkKind::Em, MarkKind::Underline, MarkKind::Border];
    for mark in marks.into_iter().take(which) {
        node.marks.push(Mark::new(mark));
    }
    node.marked(Mark::new(MarkKind::TextColor).with("color", "red"))
        .marked(Mark::new(MarkKind::Other).with("/type", "html:x"))
}

const BLOCKS: [Kind; 34] = [
    Kind::Paragraph,
    Kind::Heading,
    Kind::BulletList,
    Kind::OrderedList,
    Kind::ListItem,
    Kind::TaskList,
    Kind::TaskItem,
    Kind::BlockTaskItem,
    Kind::DecisionList,
    Kind::DecisionItem,
    Kind::Blockquote,
    Kind::CodeBlock,
    Kind::Rule,
    Kind::Panel,
    Kind::Expand,
    Kind::NestedExpand,
    Kind::LayoutColumn,
    Kind::Table,
    Kind::TableRow,
    Kind::TableHeader,
    Kind::TableCell,
    Kind::MediaSingle,
    Kind::MediaGroup,
    Kind::Media,
    Kind::Caption,
    Kind::BlockCard,
    Kind::EmbedCard,
    Kind::Extension,
    Kind::BodiedExtension,
    Kind::SyncBlock,
    Kind::BodiedSyncBlock,
    Kind::Group,
    Kind::RawBlock,
    Kind::Paragraph,
];

const INLINES: [Kind; 12] = [
    Kind::Text,
    Kind::HardBreak,
    Kind::Mention,
    Kind::Emoji,
    Kind::Date,
    Kind::Status,
    Kind::Placeholder,
    Kind::InlineCard,
    Kind::MediaInline,
    Kind::InlineExtension,
    Kind::Image,
    Kind::RawInline,
];

#[test]
fn any_tree_is_written_as_a_valid_document() {
    let mut state = 0x1234_5678_9abc_def1;
    for _ in 0..3_000 {
        let node = wild(&mut state, 0);
        let json = spelled(thin_vec![node.clone()]);
        assert_eq!(adf::check(&json), [], "{json}\n{node:#?}");
    }
}

#[test]
fn what_may_not_be_there_becomes_the_nearest_thing_that_may() {
    let heading = || holding(Kind::Heading, [Node::of_text("h")]);
    let cell = |it| holding(Kind::Table, [holding(Kind::TableRow, [holding(Kind::TableCell, [it])])]);
    let picture = || Node::new(Kind::Image).with("url", "http://x/a.png").with("alt", "a");
    let becomes =
        |node: Node<'static>, expected: &str| assert_eq!(outline(&spelled(thin_vec![node])), expected);
    becomes(holding(Kind::Blockquote, [heading()]), r#"blockquote(paragraph("h"))"#);
    becomes(
        holding(Kind::Blockquote, [paragraph("a"), Node::new(Kind::Rule), paragraph("b")]),
        r#"blockquote(paragraph("a")) rule blockquote(paragraph("b"))"#,
    );
    becomes(
        holding(Kind::Blockquote, [holding(Kind::Blockquote, [paragraph("a")])]),
        r#"blockquote(paragraph("a"))"#,
    );
    becomes(holding(Kind::Panel, [holding(Kind::Panel, [paragraph("a")])]), r#"panel(paragraph("a"))"#);
    becomes(
        holding(Kind::Panel, [paragraph("a")]).with("param:title", "T"),
        r#"panel(heading("T") paragraph("a"))"#,
    );
    becomes(
        cell(holding(Kind::Expand, [paragraph("a")])),
        r#"table(tableRow(tableCell(nestedExpand(paragraph("a")))))"#,
    );
    becomes(cell(cell(paragraph("a"))), r#"table(tableRow(tableCell(paragraph("a"))))"#);
    becomes(holding(Kind::NestedExpand, [paragraph("a")]), r#"expand(paragraph("a"))"#);
    becomes(
        holding(Kind::Paragraph, [Node::of_text("a"), picture(), Node::of_text("b")]),
        r#"paragraph("a") mediaSingle(media) paragraph("b")"#,
    );
    becomes(holding(Kind::Heading, [Node::of_text("h"), picture()]), r#"heading("h" "a")"#);
    becomes(holding(Kind::Group, [paragraph("a"), paragraph("b")]), r#"paragraph("a") paragraph("b")"#);
    becomes(holding(Kind::BulletList, [Node::new(Kind::ListItem)]), "bulletList(listItem(paragraph))");
    becomes(Node::raw(Kind::RawBlock, "markdown", "<!-- a -->"), "");
    becomes(Node::raw(Kind::RawBlock, "markdown", "<div>a</div>"), r#"paragraph("a")"#);
    becomes(Node::raw(Kind::RawBlock, "storage", "<at:b>a</at:b>"), r#"paragraph("a")"#);
    becomes(
        cell(holding(Kind::BodiedExtension, [paragraph("a")])),
        r#"table(tableRow(tableCell(paragraph("a"))))"#,
    );
    becomes(holding(Kind::Paragraph, [Node::of_text("")]), "paragraph");
}

#[test]
fn a_list_goes_on_counting_after_what_is_lifted_out_of_it() {
    let items = [
        holding(Kind::ListItem, [paragraph("a")]),
        holding(Kind::ListItem, [paragraph("b"), holding(Kind::Panel, [paragraph("p")]), paragraph("after")]),
        holding(Kind::ListItem, [paragraph("c")]),
    ];
    let json = spelled(thin_vec![holding(Kind::OrderedList, items)]);
    assert_eq!(
        outline(&json),
        r#"orderedList(listItem(paragraph("a")) listItem(paragraph("b"))) panel(paragraph("p")) paragraph("after") orderedList(listItem(paragraph("c")))"#
    );
    assert!(json.contains(r#""attrs":{"order":3}"#), "{json}");
}
