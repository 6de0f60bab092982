//! Reads storage format to the tree.
//!
//! In: the items of a text ([`Xml`]). Out: blocks with their spans. No content is dropped: an HTML element
//! that has no meaning in the tree becomes a `Group` or a mark under its own name. Other markup that the
//! reader does not understand becomes a raw node. Beyond the node limit, the remaining blocks or text of a
//! container become one raw node; a container of rows, items or columns becomes raw as a whole.

mod attrs;
mod block;
mod extension;
mod image;
mod inline;
mod link;
mod macros;
mod plainwire;
mod table;
mod task;

pub(super) use attrs::EXTRA;
pub(super) use extension::{is_usual, typed};

use thin_vec::ThinVec;

use super::xml::{Siblings, Sort, Xml};
use crate::diagnostic::Diagnostic;
use crate::tree::{Kind, MAX_DEPTH, Node, NodeLimit, Span, add};

/// Reads the blocks of `source`, with diagnostics.
pub(super) fn read(source: &str) -> (ThinVec<Node<'_>>, Vec<Diagnostic>) {
    read_within(source, NodeLimit::default())
}

/// Like [`read`], but makes at most as many nodes as `room` allows.
pub(super) fn read_within(source: &str, room: NodeLimit) -> (ThinVec<Node<'_>>, Vec<Diagnostic>) {
    let (xml, diagnostics) = Xml::parse(source);
    let mut reader = Reader { xml: &xml, diagnostics, room };
    let blocks = reader.blocks(xml.between(0, xml.items.len()), Scope::default());
    reader.diagnostics.extend(reader.room.diagnostic());
    (blocks, reader.diagnostics)
}

/// Reads `source` as inline content. The writer uses it to check whether text can be written unchanged.
pub(super) fn read_inline(source: &str) -> (ThinVec<Node<'_>>, Vec<Diagnostic>) {
    let (xml, diagnostics) = Xml::parse(source);
    let mut reader = Reader { xml: &xml, diagnostics, room: NodeLimit::default() };
    let mut nodes = ThinVec::new();
    let run = inline::Run::within(Span::new(0, source.len()), 0);
    reader.inlines(xml.between(0, xml.items.len()), &run, &mut nodes);
    reader.diagnostics.extend(reader.room.diagnostic());
    (nodes, reader.diagnostics)
}

struct Reader<'x, 'a> {
    xml: &'x Xml<'a>,
    diagnostics: Vec<Diagnostic>,
    room: NodeLimit,
}

/// The context in which a block is read.
#[derive(Clone, Copy, Default)]
struct Scope {
    depth: usize,
    /// True if an `expand` macro here becomes a `nestedExpand`, because it is in a table cell or in another
    /// expand.
    nested: bool,
}

impl Scope {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    fn nested(self) -> Self {
        Self { nested: true, ..self }
    }
}

impl<'x, 'a> Reader<'x, 'a> {
    /// Reads `siblings` as blocks. Each stretch of text between blocks becomes a paragraph.
    fn blocks(&mut self, siblings: Siblings<'x>, scope: Scope) -> ThinVec<Node<'a>> {
        let mut blocks = ThinVec::new();
        let mut loose = siblings.clone().next().unwrap_or_default();
        let mut end = loose;
        let until = siblings.end();
        for index in siblings {
            if self.room.is_full() {
                self.rest(loose, until, &mut blocks);
                return blocks;
            }
            end = self.xml.item(index).next as usize;
            if self.xml.item(index).block {
                self.loose(loose, index, scope, &mut blocks);
                self.block(index, scope, &mut blocks);
                loose = end;
            }
        }
        self.loose(loose, end, scope, &mut blocks);
        blocks
    }

    /// Reads the items from the index `from` up to `to`, none of which is a block by itself. If they contain
    /// text or an inline element that can't be alone, they become one paragraph. Otherwise each becomes a
    /// block.
    fn loose(&mut self, from: usize, to: usize, scope: Scope, blocks: &mut ThinVec<Node<'a>>) {
        let xml = self.xml;
        let mut found = xml.between(from, to).filter(|it| !xml.is_blank(*it));
        let Some(first) = found.next() else { return };
        if !xml.between(from, to).all(|it| xml.is_blank(it) || self.may_stand_alone(it)) {
            let last = found.last().unwrap_or(first);
            let paragraph = self.implied(from, to, (first, last), scope);
            add(blocks, paragraph);
            return;
        }
        for index in xml.between(from, to).filter(|it| !xml.is_blank(*it)) {
            self.alone(index, scope, blocks);
        }
    }

    /// Reads the items from the index `from` up to `to` as a paragraph that has no element of its own. `ends`
    /// are the indices of the first and the last of these items that are not blank.
    fn implied(&mut self, from: usize, to: usize, ends: (usize, usize), scope: Scope) -> Node<'a> {
        let (first, last) = (self.xml.item(ends.0), self.xml.item(ends.1));
        let lead = |text: &str| text.len() - text.trim_ascii_start().len();
        let tail = |text: &str| text.len() - text.trim_ascii_end().len();
        let start = if first.sort == Sort::Text { lead(self.xml.raw(ends.0)) } else { 0 };
        let end = if last.sort == Sort::Text { tail(self.xml.raw(ends.1)) } else { 0 };
        let span = Span::new(first.span().start as usize + start, last.span().end as usize - end);
        self.room.take(1);
        let mut paragraph = Node::new(Kind::Paragraph).at(span, span);
        let run = inline::Run::within(span, scope.depth + 1);
        self.inlines(self.xml.between(from, to), &run, &mut paragraph.children);
        paragraph
    }

    /// Returns whether an inline item may become a block of its own if no text is beside it.
    fn may_stand_alone(&self, index: usize) -> bool {
        let name = self.xml.name(index);
        match self.xml.item(index).sort {
            Sort::Aside | Sort::Stray => true,
            Sort::Text | Sort::Data => false,
            Sort::Element => match name {
                "a" => self.card(index).is_some(),
                "ac:link"
                | "ac:emoticon"
                | "ac:hipchat-emoticon"
                | "ac:placeholder"
                | "ac:inline-comment-marker" => false,
                "ac:structured-macro" | "ac:macro" => {
                    self.xml.attribute(index, "ac:name").as_deref() != Some("status")
                }
                _ => name.contains(':'),
            },
        }
    }

    /// Keeps the items from the index `from` up to `to` as one raw block, because the node limit is reached.
    fn rest(&self, from: usize, to: usize, blocks: &mut ThinVec<Node<'a>>) {
        let Some(last) = self.xml.between(from, to).last() else { return };
        let span = Span { start: self.xml.item(from).span().start, end: self.xml.item(last).span().end };
        if let Some(rest) = self.unread(span, Kind::RawBlock) {
            // The last block may already be raw because of the limit: join the two.
            let ended =
                |it: &&Node<'_>| it.kind == Kind::RawBlock && self.room.ended_at(it.span.start as usize);
            let start = blocks.last().filter(ended).map(|it| it.span.start);
            if start.is_some() {
                blocks.pop();
            }
            let span = Span { start: start.unwrap_or(rest.span.start), end: rest.span.end };
            blocks.extend(self.unread(span, Kind::RawBlock));
        }
    }

    /// Returns the source at `span` as a raw node, because the node limit is reached; `None` if there is
    /// nothing to keep. A raw block does not include the white space around it.
    fn unread(&self, span: Span, kind: Kind) -> Option<Node<'a>> {
        let text = span.of(self.xml.source);
        let is_block = kind == Kind::RawBlock;
        let kept = if is_block { text.trim_ascii() } else { text };
        let start =
            span.start as usize + if is_block { text.len() - text.trim_ascii_start().len() } else { 0 };
        if kept.is_empty() {
            return None;
        }
        self.room.refuse(start);
        let span = Span::new(start, start + kept.len());
        Some(Node::raw(kind, "storage", kept).at(span, span))
    }

    /// Returns `None` if the node limit is reached at the item `index`. In that case the caller keeps the
    /// element around this item as a raw node.
    fn room_for(&self, index: usize) -> Option<()> {
        if self.room.is_full() {
            self.room.refuse(self.xml.item(index).span().start as usize);
            return None;
        }
        Some(())
    }

    /// Returns the item at `index` as a raw node of this kind.
    fn raw(&self, index: usize, kind: Kind) -> Node<'a> {
        self.room.take(1);
        let span = self.xml.item(index).span();
        Node::raw(kind, "storage", self.xml.raw(index)).at(span, span)
    }

    fn is_too_deep(&mut self, index: usize, depth: usize) -> bool {
        if depth < MAX_DEPTH {
            return false;
        }
        let span = self.xml.item(index).span();
        let message = format!(
            "expected at most {MAX_DEPTH} nested elements, but found more: the inner ones are kept verbatim"
        );
        if self.diagnostics.last().is_none_or(|it| it.message != message) {
            self.diagnostics.push(Diagnostic::new(span, message));
        }
        true
    }
}
