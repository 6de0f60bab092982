//! Makes the nodes of a text from its tokens.
//!
//! In: tokens, in which each one that opens a mark has the index of the one that closes the mark. Out: nodes,
//! each with all of its marks.

use thin_vec::ThinVec;

use super::Reader;
use super::inline::{Token, What, mark_of};
use super::link::{Link, Target};
use crate::tree::{Kind, Mark, MarkKind, Node, Span, add};
use crate::wiki::chars;

pub(super) struct Nodes<'r, 'a> {
    pub(super) reader: &'r mut Reader<'a>,
    /// The offset of the first character that is not yet covered by a node.
    pub(super) text_start: usize,
    pub(super) marks: ThinVec<Mark<'a>>,
    /// The open marks, the outermost first: for each the index of its closing token, the source offset at
    /// which it begins, and the number of nodes before it.
    pub(super) groups: Vec<(usize, usize, usize)>,
    pub(super) to: &'r mut ThinVec<Node<'a>>,
}

impl<'a> Nodes<'_, 'a> {
    /// Makes the nodes of `tokens`. Returns `None` if the nodes exceed the node limit.
    pub(super) fn run(&mut self, tokens: &mut [Token<'a>]) -> Option<()> {
        for index in 0..tokens.len() {
            let limit = self.groups.last().map_or(tokens.len(), |it| it.0);
            if index == limit {
                self.close(&tokens[index]);
                continue;
            }
            if self.reader.room.is_full() {
                return None;
            }
            let Token { start, end, mate, .. } = tokens[index];
            let is_open = mate > index && mate < limit;
            let what = std::mem::replace(&mut tokens[index].what, What::LineFeed);
            match what {
                What::Sign { sign, .. } if is_open => self.open(mark_of(sign), mate, start, end),
                What::Colour(Some(mark)) if is_open => self.open(mark, mate, start, end),
                What::Colour(Some(mark)) if mate == 0 && end <= self.reader.last_colour_end => {
                    self.text(start);
                    self.text_start = end;
                    self.reader.colour = Some(mark);
                }
                What::ColourEnd if mate == 0 && self.reader.colour.is_some() => {
                    self.text(start);
                    self.text_start = end;
                    self.reader.colour = None;
                }
                What::Sign { .. } | What::Colour(_) | What::ColourEnd => {}
                What::LineFeed => {
                    // Blanks at the end of a line belong to its end.
                    let line = Span::new(self.text_start, start.max(self.text_start)).of(self.reader.source);
                    let blanks = line.len() - line.trim_end_matches([' ', '\t']).len();
                    self.node(Node::new(Kind::HardBreak), start - blanks, end);
                }
                What::Break => self.node(Node::new(Kind::HardBreak).with("wiki:form", "\\\\"), start, end),
                What::Mono => self.mono(start, end),
                What::Link(link) => self.link(*link, start, end)?,
                What::Node(node) => self.whole(*node, start, end),
            }
        }
        Some(())
    }

    fn open(&mut self, mark: Mark<'a>, mate: usize, start: usize, end: usize) {
        self.text(start);
        self.text_start = end;
        self.marks.push(mark);
        self.groups.push((mate, start, self.to.len()));
    }

    fn close(&mut self, token: &Token<'a>) {
        self.text(token.start);
        self.text_start = token.end;
        self.marks.pop();
        if let Some((_, start, before)) = self.groups.pop() {
            self.share(start, token.end, before);
        }
    }

    /// Sets the span of the nodes in a marked element or link at `start..end`, such as `*bold*`. If no mark
    /// is open around it, all nodes of the element (from the index `before` on) get the span of the element.
    /// Otherwise nothing changes: the nodes get the span of the outermost marked element when that ends.
    fn share(&mut self, start: usize, end: usize, before: usize) {
        if self.groups.is_empty() {
            let span = Span::new(start, end);
            self.to[before..].iter_mut().for_each(|it| it.span = span);
        }
    }

    /// Makes a text node of the source before the offset `end` that no node covers yet; makes none if there
    /// is no such source.
    pub(super) fn text(&mut self, end: usize) {
        let span = Span::new(self.text_start, end.max(self.text_start));
        self.piece(span, span, false);
    }

    fn piece(&mut self, span: Span, inner: Span, is_mono: bool) {
        if inner.is_empty() {
            return;
        }
        self.reader.room.take(1);
        let mut node = Node::of_text(chars::decode(inner.of(self.reader.source))).at(span, inner);
        node.marks = self.marks_here();
        if is_mono {
            add(&mut node.marks, Mark::new(MarkKind::Code));
        }
        add(self.to, node);
    }

    /// Returns the marks that are open at this position. If a colour of an earlier text is still open, it
    /// comes first. Of colours within each other only the innermost one applies.
    fn marks_here(&self) -> ThinVec<Mark<'a>> {
        let open = || self.reader.colour.iter().chain(&self.marks);
        let is_colour = |it: &&Mark<'a>| it.kind == MarkKind::TextColor;
        let innermost = open().rfind(is_colour);
        let applies = |it: &&Mark<'a>| !is_colour(it) || innermost.is_some_and(|one| std::ptr::eq(one, *it));
        open().filter(applies).cloned().collect()
    }

    fn node(&mut self, node: Node<'a>, start: usize, end: usize) {
        self.text(start);
        self.text_start = end;
        self.reader.room.take(1);
        add(self.to, node.at(Span::new(start, end), Span::at(end)));
    }

    /// Appends a complete node, which already has its span `start..end`, with the open marks if it is a text,
    /// or the open link if it is a picture.
    fn whole(&mut self, mut node: Node<'a>, start: usize, end: usize) {
        self.text(start);
        self.text_start = end;
        if node.kind == Kind::Text {
            let link = std::mem::take(&mut node.marks);
            node.marks = self.marks_here();
            if node.marks.iter().all(|it| it.kind != MarkKind::Link) {
                node.marks.extend(link);
            }
        } else if node.kind == Kind::Image {
            node.marks.extend(self.marks.iter().filter(|it| it.kind == MarkKind::Link).cloned());
        }
        self.reader.room.take(1);
        add(self.to, node);
    }

    fn mono(&mut self, start: usize, end: usize) {
        self.text(start);
        self.text_start = end;
        let span = Span::new(start, end);
        let (mut from, stop) = (start + 2, end - 2);
        // Dashes in code are literal. A text that begins with dashes decodes them literally, so cut before
        // each ` --`.
        while let Some(found) = self.reader.source[from..stop].find(" --") {
            let cut = from + found + 1;
            self.piece(span, Span::new(from, cut), true);
            from = cut;
        }
        self.piece(span, Span::new(from, stop), true);
    }

    fn link(&mut self, link: Link<'a>, start: usize, end: usize) -> Option<()> {
        self.text(start);
        self.text_start = end;
        let before = self.to.len();
        let span = Span::new(start, end);
        match link.target {
            Target::Node(node) => {
                self.reader.room.take(1);
                add(self.to, node.at(span, Span::at(end)));
            }
            Target::Mark(mark) => {
                self.marks.push(mark);
                let inner = Span::new(link.alias.0, link.alias.1);
                if link.has_alias && !inner.is_empty() {
                    let marks = self.marks.clone();
                    self.reader.marked(link.alias.0, link.alias.1, marks, self.to)?;
                } else {
                    self.piece(span, inner, false);
                }
                self.marks.pop();
            }
        }
        self.share(start, end, before);
        Some(())
    }
}
