//! Corrects children that their parent can't hold: blocks within text become raw inline nodes; inline nodes
//! among blocks get a paragraph around them; nodes that are not items get an item around them in a bullet or
//! numbered list; in tables and other parents that allow only certain kinds, nodes of other kinds become raw
//! blocks.

use thin_vec::{ThinVec, thin_vec};

use super::Reader;
use crate::diagnostic::Diagnostic;
use crate::tree::{Holds, Kind, Node, Span};

impl<'a> Reader<'a> {
    /// Returns `nodes` as children of `parent` (`None`: the document), and corrects those that it can't hold.
    pub(super) fn settle(&mut self, parent: Option<Kind>, nodes: ThinVec<Node<'a>>) -> ThinVec<Node<'a>> {
        if parent.is_some_and(|it| it.holds() == Holds::Inlines) {
            if nodes.iter().all(|it| it.kind.is_inline()) {
                return nodes;
            }
            return nodes.into_iter().map(|it| self.among_text(it)).collect();
        }
        if let Some(parent) = parent.filter(|it| members(*it).is_some()) {
            if nodes.iter().all(|it| members(parent).is_some_and(|members| members.contains(&it.kind))) {
                return nodes;
            }
            let is_stray =
                |it: &&Node<'_>| members(parent).is_some_and(|members| !members.contains(&it.kind));
            let strays = nodes.iter().filter(is_stray).count();
            return match self.rest_for(&nodes, 2 * strays) {
                Some(rest) => rest,
                None => nodes.into_iter().map(|it| self.as_member(parent, it)).collect(),
            };
        }
        if !nodes.iter().any(|it| it.kind.is_inline()) {
            return nodes;
        }
        if let Some(stray) = nodes.iter().find(|it| it.kind.is_inline()) {
            let holder = parent.and_then(Kind::adf_name).unwrap_or("doc");
            let name = stray.kind.adf_name().unwrap_or("inlineExtension");
            let found = format!("expected a block in a {holder}, but found a {name}");
            self.stray(Diagnostic::new(stray.span, found));
        }
        self.settled_quietly(nodes)
    }

    /// Returns all of `nodes` as one raw node if the node limit leaves no room for the `more` nodes that the
    /// correction puts around them. Otherwise takes that room and returns `None`.
    fn rest_for(&mut self, nodes: &[Node<'a>], more: usize) -> Option<ThinVec<Node<'a>>> {
        if more < self.room.left() || more == 0 {
            self.room.take(more);
            return None;
        }
        let (start, end) = (nodes.first()?.span.start as usize, nodes.last()?.span.end as usize);
        self.room.refuse(start);
        Some(thin_vec![self.raw(start, end)])
    }

    fn stray(&mut self, diagnostic: Diagnostic) {
        self.strays += 1;
        self.say(diagnostic);
    }

    /// Puts the inline nodes among `nodes` into paragraphs. Unlike [`settle`](Self::settle), records no
    /// diagnostics about them, because a source that is only an array of nodes may contain inline nodes.
    pub(super) fn settled_quietly(&mut self, nodes: ThinVec<Node<'a>>) -> ThinVec<Node<'a>> {
        let strays = nodes.iter().filter(|it| it.kind.is_inline()).count();
        self.rest_for(&nodes, strays).unwrap_or_else(|| paragraphs(nodes))
    }

    fn among_text(&mut self, mut node: Node<'a>) -> Node<'a> {
        if node.kind.is_inline() {
            return node;
        }
        if !is_adf(&node) {
            let found = match node.kind.adf_name() {
                Some(name) => format!("expected an inline node among text, but found a {name}"),
                None => "expected an inline node among text, but found a block".to_owned(),
            };
            self.stray(Diagnostic::new(node.span, found));
            node = self.raw(node.span.start as usize, node.span.end as usize);
        }
        node.kind = Kind::RawInline;
        node
    }

    /// Returns `node` as a child of a table, list or similar `parent`, which allows only certain kinds. A
    /// node of another kind gets an item around it in a bullet or numbered list, and becomes raw elsewhere.
    fn as_member(&mut self, parent: Kind, node: Node<'a>) -> Node<'a> {
        if members(parent).is_none_or(|it| it.contains(&node.kind)) || node.kind == Kind::RawBlock {
            return node;
        }
        let holder = parent.adf_name().unwrap_or_default();
        let name = node.kind.adf_name().unwrap_or("inlineExtension");
        self.stray(Diagnostic::new(node.span, format!("expected no {name} in a {holder}, but found one")));
        if matches!(parent, Kind::BulletList | Kind::OrderedList) {
            let span = node.span;
            let blocks = paragraphs(thin_vec![node]);
            return Node::new(Kind::ListItem).at(span, span).holding(blocks);
        }
        self.raw(node.span.start as usize, node.span.end as usize)
    }
}

/// Returns the kinds of children that `parent`, a table, list or similar node, is limited to; `None` for
/// other parents.
fn members(parent: Kind) -> Option<&'static [Kind]> {
    Some(match parent {
        Kind::BulletList | Kind::OrderedList => &[Kind::ListItem],
        Kind::TaskList => &[Kind::TaskItem, Kind::BlockTaskItem, Kind::TaskList],
        Kind::DecisionList => &[Kind::DecisionItem],
        Kind::Table => &[Kind::TableRow],
        Kind::TableRow => &[Kind::TableHeader, Kind::TableCell],
        Kind::LayoutSection => &[Kind::LayoutColumn],
        Kind::MediaGroup => &[Kind::Media],
        Kind::MediaSingle => &[Kind::Media, Kind::Caption],
        _ => return None,
    })
}

/// Puts each run of inline nodes into a paragraph, which has no spelling of its own in the source. A raw ADF
/// node beside inline nodes counts as inline.
fn paragraphs(nodes: ThinVec<Node<'_>>) -> ThinVec<Node<'_>> {
    let mut blocks: ThinVec<Node<'_>> = ThinVec::new();
    let mut nodes = nodes.into_iter().peekable();
    let mut run: ThinVec<Node<'_>> = ThinVec::new();
    while let Some(mut node) = nodes.next() {
        let is_beside = !run.is_empty() || nodes.peek().is_some_and(|it| it.kind.is_inline());
        if is_adf(&node) && node.kind == Kind::RawBlock && is_beside {
            node.kind = Kind::RawInline;
        }
        if node.kind.is_inline() {
            run.push(node);
            continue;
        }
        blocks.extend(paragraph(std::mem::take(&mut run)));
        blocks.push(node);
    }
    blocks.extend(paragraph(run));
    blocks
}

fn paragraph(run: ThinVec<Node<'_>>) -> Option<Node<'_>> {
    let span = Span { start: run.first()?.span.start, end: run.last()?.span.end };
    Some(Node::new(Kind::Paragraph).at(span, span).holding(run))
}

/// Returns whether `node` is a raw node whose source is ADF.
fn is_adf(node: &Node<'_>) -> bool {
    matches!(node.kind, Kind::RawBlock | Kind::RawInline) && node.text_of("/format") == Some("adf")
}
