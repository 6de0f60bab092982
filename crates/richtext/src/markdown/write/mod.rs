//! Writes Markdown.
//!
//! In: blocks. Out: text that is read as the same blocks ([`Flavor::Extended`]), or text that GitHub shows
//! best ([`Flavor::Plain`]). For [`Flavor::Plain`], the module `plain` first replaces the nodes that GitHub's
//! Markdown does not have.

mod blocks;
mod directive;
mod escape;
mod inline;
mod lists;
mod out;
mod plain;
mod span;
mod table;

use crate::Flavor;
use crate::tree::{Kind, Node};
use blocks::Blocks;
use escape::{Around, Lone, Within};
use inline::Inline;
use out::Out;

/// Returns the Markdown of a whole document. It ends with a line feed, unless it is empty.
pub(super) fn document(nodes: &[Node<'_>], flavor: Flavor) -> String {
    let mut text = siblings(nodes, flavor);
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Returns the Markdown for an edit of a document, and for each of `nodes` the byte offset in that Markdown at which its text
/// ends.
pub(super) fn for_edit(nodes: &[Node<'_>]) -> (String, Vec<usize>) {
    let mut blocks = Blocks { is_lean: true, is_compact: true, ..Blocks::new(Flavor::Extended) };
    let mut ends = Vec::with_capacity(nodes.len());
    blocks.each(nodes, |count, end| ends.resize(count, end));
    let mut text = blocks.out.text;
    if !text.is_empty() {
        text.push('\n');
    }
    (text, ends)
}

/// Returns the Markdown of `nodes`, which are children of `parent`, or top-level blocks if it is `None`.
pub(super) fn part(nodes: &[Node<'_>], parent: Option<&Node<'_>>, flavor: Flavor) -> String {
    if parent.is_some_and(|it| it.kind == Kind::CodeBlock) {
        return nodes.iter().map(|it| &*it.text).collect();
    }
    if nodes.iter().any(|it| it.kind.is_inline()) {
        let mut out = Out::new();
        let within =
            Within { heading: parent.is_some_and(|it| it.kind == Kind::Heading), ..Within::default() };
        Inline::new(&mut out, flavor, within).part(nodes);
        return out.text;
    }
    // Items, rows and the like can only be written inside their parent.
    match parent {
        Some(parent) if needs_holder(parent.kind) => {
            let mut holder = Node::new(parent.kind).holding(nodes.into());
            holder.attrs.clone_from(&parent.attrs);
            siblings(&[holder], flavor)
        }
        _ => siblings(nodes, flavor),
    }
}

fn needs_holder(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::BulletList
            | Kind::OrderedList
            | Kind::TaskList
            | Kind::DecisionList
            | Kind::Table
            | Kind::TableRow
    )
}

/// Returns the text that separates two children of `parent`, or two top-level blocks if it is `None`.
pub(super) fn between(parent: Option<&Node<'_>>) -> &'static str {
    match parent.map(|it| it.kind) {
        Some(
            Kind::BulletList
            | Kind::OrderedList
            | Kind::TaskList
            | Kind::DecisionList
            | Kind::Table
            | Kind::TableRow,
        ) => "\n",
        Some(kind) if kind.holds() == crate::tree::Holds::Inlines => "",
        _ => "\n\n",
    }
}

/// Returns `text`, escaped for a position in the source between the parts `before` and `after`. If `before`
/// begins and `after` ends with the backticks of one code span, nothing is escaped.
pub(super) fn text(text: &str, before: &str, after: &str) -> String {
    let mut out = String::new();
    let ticks = before.bytes().take_while(|it| *it == b'`').count();
    if ticks > 0 && after.ends_with(&before[..ticks]) {
        return text.to_owned();
    }
    let around = Around {
        starts_line: before.is_empty() || before.ends_with('\n'),
        continues: before.ends_with('\n'),
        before: before.chars().next_back(),
        after: after.chars().next(),
        within: Within { cell: true, brackets: false, heading: true, followed: true },
        lone: Lone::default(),
    };
    escape::write(&mut out, text, &around);
    out
}

/// Returns the Markdown of a link without text (`[](href)`), which the tree keeps as a raw node.
pub(super) fn empty_link(href: &str, title: &str) -> String {
    let mut out = String::from("[");
    span::destination(&mut out, href, Some(title).filter(|it| !it.is_empty()), true);
    out
}

fn siblings(nodes: &[Node<'_>], flavor: Flavor) -> String {
    let mut blocks = Blocks::new(flavor);
    match flavor {
        Flavor::Extended => blocks.siblings(nodes),
        Flavor::Plain => blocks.siblings(&plain::blocks(nodes)),
    }
    blocks.out.text
}
