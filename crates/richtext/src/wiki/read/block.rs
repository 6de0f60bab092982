//! Reads blocks: finds where each begins and ends, and reads headings, rules, quotes and paragraphs.

use thin_vec::{ThinVec, thin_vec};

use super::{Container, Reader, is_blank};
use crate::tree::{Kind, Node, Span, add};

/// The kind of block that a line begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Heading(u8),
    Rule,
    Quote,
    List,
    Table,
    Text,
}

impl<'a> Reader<'a> {
    /// Reads the blocks in the source between `start` and `end`. `place` is the kind of container that they
    /// are in.
    pub(super) fn blocks(&mut self, start: usize, end: usize, place: Container) -> ThinVec<Node<'a>> {
        let mut found = ThinVec::new();
        let mut at = start;
        // Whether only blanks precede `at` on its line. The start of a macro's body counts as the start of a
        // line.
        let mut fresh = true;
        loop {
            while at < end && (is_blank(self.bytes()[at]) || self.bytes()[at] == b'\n') {
                fresh |= self.bytes()[at] == b'\n';
                at += 1;
            }
            if at >= end {
                return found;
            }
            if self.room.is_full() {
                add(&mut found, self.rest(at, self.trim_end(at, end)));
                return found;
            }
            if let Some(tag) = self.tag_at(at).filter(|it| it.is_block() && it.whole_end() <= end) {
                found.push(self.macro_block(tag));
                at = tag.whole_end();
                fresh = false;
                continue;
            }
            at = match if fresh { self.line(at, end, place) } else { Line::Text } {
                Line::Heading(level) => self.heading(level, at, end, &mut found),
                Line::Rule => self.rule(at, end, &mut found),
                Line::Quote => self.quote_line(at, end, &mut found),
                Line::List => self.list(at, end, place, &mut found),
                Line::Table => self.table(at, end, &mut found),
                Line::Text => self.paragraph(at, end, place, &mut found),
            };
            fresh = false;
        }
    }

    /// Returns the kind of block that begins at `at`, the first non-blank character of a line.
    fn line(&self, at: usize, end: usize, place: Container) -> Line {
        if place == Container::Item {
            return Line::Text;
        }
        let text = &self.bytes()[at..end];
        match text {
            [b'h', level @ b'1'..=b'6', b'.', ..] => Line::Heading(level - b'0'),
            [b'b', b'q', b'.', ..] => Line::Quote,
            [b'|', ..] if place == Container::Block && self.is_table(at, end) => Line::Table,
            [b'-', b'-', b'-', b'-', rest @ ..] if ends_line(rest) => Line::Rule,
            [b'*' | b'#' | b'-', ..] if self.marker(at, end, place).is_some() => Line::List,
            _ => Line::Text,
        }
    }

    /// Returns whether the line whose first non-blank character is at `at` begins a block other than a
    /// paragraph.
    pub(super) fn begins_block(&self, at: usize, end: usize, place: Container) -> bool {
        self.line(at, end, place) != Line::Text
    }

    /// Returns whether the line at `at` begins a block that ends a list item. A table row does not: in an
    /// item it is text.
    pub(super) fn ends_item(&self, at: usize, end: usize, place: Container) -> bool {
        !matches!(self.line(at, end, place), Line::Text | Line::Table)
    }

    fn heading(&mut self, level: u8, at: usize, end: usize, found: &mut ThinVec<Node<'a>>) -> usize {
        let start = self.skip_blanks(at + 3, end);
        let stop = self.line_text_end(start, end);
        let node = Node::new(Kind::Heading).with_json("level", level.to_string());
        let Some(block) = self.text_block(node, at, start, stop) else { return at };
        add(found, block);
        stop
    }

    fn rule(&self, at: usize, end: usize, found: &mut ThinVec<Node<'a>>) -> usize {
        self.room.take(1);
        found.push(Node::new(Kind::Rule).at(Span::new(at, at + 4), Span::at(at + 4)));
        self.line_end(at, end)
    }

    /// Reads `bq. text`, a quote of one paragraph, and appends it to `found`. Returns the offset at which it
    /// ends, or `at` if it does not fit within the node limit.
    fn quote_line(&mut self, at: usize, end: usize, found: &mut ThinVec<Node<'a>>) -> usize {
        let start = self.skip_blanks(at + 3, end);
        let stop = self.line_text_end(start, end);
        let Some(paragraph) = self.text_block(Node::new(Kind::Paragraph), start, start, stop) else {
            return at;
        };
        let node = Node::new(Kind::Blockquote).with("wiki:form", "bq.");
        self.room.take(1);
        let (span, inner) = (Span::new(at, paragraph.span.end as usize), paragraph.span);
        found.push(node.at(span, inner).holding(thin_vec![paragraph]));
        stop
    }

    /// Returns the offset at which the text of the line that contains `start` ends: at the end of the line,
    /// or before the first macro in it that is a block.
    fn line_text_end(&self, start: usize, end: usize) -> usize {
        let line = self.line_end(start, end);
        self.block_tag_in(start, line, end).map_or(line, |it| it.start)
    }

    fn paragraph(&mut self, at: usize, end: usize, place: Container, found: &mut ThinVec<Node<'a>>) -> usize {
        let stop = self.paragraph_end(at, end, place);
        let Some(node) = self.text_block(Node::new(Kind::Paragraph), at, at, stop) else { return at };
        if !node.children.is_empty() {
            add(found, super::link::lone(node));
        }
        stop
    }

    /// Returns the offset at which the paragraph that begins at `at` ends: before a blank line, a macro that
    /// is a block, or a line that begins another block.
    pub(super) fn paragraph_end(&self, at: usize, end: usize, place: Container) -> usize {
        let mut at = at;
        loop {
            let line = self.line_end(at, end);
            if let Some(tag) = self.block_tag_in(at, line, end) {
                return tag.start;
            }
            if line >= end {
                return end;
            }
            let next = self.skip_blanks(line + 1, end);
            let is_blank = next >= end || self.bytes()[next] == b'\n';
            if is_blank || self.begins_block(next, end, place) {
                return line;
            }
            at = next;
        }
    }

    /// Returns `node` with the text between `start` and `stop`, without blanks at its end, as its content.
    /// The span of the node begins at `at`. Returns `None` if the text does not fit within the node limit.
    pub(super) fn text_block(
        &mut self,
        node: Node<'a>,
        at: usize,
        start: usize,
        stop: usize,
    ) -> Option<Node<'a>> {
        let stop = self.trim_end(start, stop);
        self.room.take(1);
        let Some(children) = self.inline(start, stop) else {
            self.room.refuse(at);
            return None;
        };
        Some(node.at(Span::new(at, stop.max(at)), Span::new(start, stop)).holding(children))
    }
}

fn ends_line(rest: &[u8]) -> bool {
    rest.iter().find(|it| !is_blank(**it)).is_none_or(|it| *it == b'\n')
}
