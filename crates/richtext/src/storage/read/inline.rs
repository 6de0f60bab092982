//! Reads inline content: text, marks and inline elements.
//!
//! In: items that hold no block. Out: inline nodes, each with all of its marks. A node inside elements that
//! are marks, such as `<b><i>…</i></b>`, has the span of the outermost of these elements.

use std::borrow::Cow;

use thin_vec::{ThinVec, thin_vec};

use super::super::names::{self, Spelled};
use super::super::style;
use super::super::xml::{Siblings, Sort};
use super::Reader;
use super::attrs::EXTRA;
use crate::tree::{Attr, Kind, Mark, MarkKind, Node, Span, add};
use crate::values::{colours, dates, emoticons};

/// The context that a run of inline nodes shares: its window in the source, the marks on it, and its depth.
#[derive(Clone)]
pub(super) struct Run<'a> {
    /// The bytes that the nodes of the run may cover. White space outside belongs to no node.
    window: Span,
    /// The span of the outermost element that puts a mark on the run; `None` if there is none.
    outer: Option<Span>,
    pub(super) marks: ThinVec<Mark<'a>>,
    pub(super) depth: usize,
}

impl<'a> Run<'a> {
    /// Creates a run without marks that may cover everything in `window`.
    pub(super) fn within(window: Span, depth: usize) -> Self {
        Self { window, outer: None, marks: ThinVec::new(), depth }
    }

    /// Creates the run for the contents of an element with the span `element`: a copy of this run with
    /// `marks` added.
    pub(super) fn marked(&self, element: Span, marks: ThinVec<Mark<'a>>) -> Self {
        let mut run = Self {
            window: self.window,
            outer: self.outer.or(Some(element)),
            marks: self.marks.clone(),
            depth: self.depth + 1,
        };
        for mark in marks {
            // Of nested colours or links only the innermost one applies.
            if matches!(mark.kind, MarkKind::Link | MarkKind::TextColor | MarkKind::BackgroundColor) {
                run.marks.retain(|it| it.kind != mark.kind);
            }
            if !run.marks.contains(&mark) {
                run.marks.push(mark);
            }
        }
        run
    }

    /// Returns `node` with the marks of this run added, and with the span of the outermost element that puts
    /// a mark on the run, if there is one. A hard break gets no marks.
    pub(super) fn place(&self, mut node: Node<'a>) -> Node<'a> {
        node.span = self.outer.unwrap_or(node.span);
        // A break looks the same in bold, so it gets no marks.
        if !self.marks.is_empty() && node.kind != Kind::HardBreak {
            let own = std::mem::replace(&mut node.marks, self.marks.clone());
            node.marks.extend(own);
        }
        node
    }
}

impl<'x, 'a> Reader<'x, 'a> {
    /// Reads `siblings` as inline content and appends their nodes to `nodes`.
    pub(super) fn inlines(&mut self, siblings: Siblings<'x>, run: &Run<'a>, nodes: &mut ThinVec<Node<'a>>) {
        let end = siblings.end();
        let mut siblings = siblings.peekable();
        while let Some(index) = siblings.next() {
            if self.room.is_full() {
                return self.rest_of_run((index, end), run, nodes);
            }
            match self.xml.item(index).sort {
                Sort::Text | Sort::Data => {
                    let mut span = self.xml.item(index).span();
                    while let Some(more) = siblings.next_if(|it| self.is_text(*it)) {
                        span.end = self.xml.item(more).span().end;
                    }
                    self.text(span, run, nodes);
                }
                Sort::Aside | Sort::Stray => add(nodes, run.place(self.raw(index, Kind::RawInline))),
                Sort::Element => self.inline(index, run, nodes),
            }
        }
    }

    /// Appends the items from the index `from` up to `to` as one raw node, because the node limit is reached.
    fn rest_of_run(&self, (from, to): (usize, usize), run: &Run<'a>, nodes: &mut ThinVec<Node<'a>>) {
        let Some(last) = self.xml.between(from, to).last() else { return };
        let (start, end) = (self.xml.item(from).span().start, self.xml.item(last).span().end);
        let span = Span { start: start.max(run.window.start), end: end.min(run.window.end) };
        let rest = if span.is_empty() { None } else { self.unread(span, Kind::RawInline) };
        nodes.extend(rest.map(|it| run.place(it)));
    }

    fn is_text(&self, index: usize) -> bool {
        matches!(self.xml.item(index).sort, Sort::Text | Sort::Data)
    }

    fn text(&self, span: Span, run: &Run<'a>, nodes: &mut ThinVec<Node<'a>>) {
        let span = Span { start: span.start.max(run.window.start), end: span.end.min(run.window.end) };
        if span.is_empty() {
            return;
        }
        let node = self.spelled(span);
        if !node.text.is_empty() {
            add(nodes, run.place(node));
        }
    }

    fn inline(&mut self, index: usize, run: &Run<'a>, nodes: &mut ThinVec<Node<'a>>) {
        let before = nodes.len();
        let fits = !self.xml.item(index).block && !self.is_too_deep(index, run.depth);
        if !fits || !self.known(index, run, nodes) || nodes.len() == before {
            nodes.truncate(before);
            add(nodes, run.place(self.raw(index, Kind::RawInline)));
        }
    }

    /// Reads the inline element at `index` and appends its nodes. Returns `false` if the reader does not
    /// understand the element. In that case, or if no node was appended, the caller keeps the element as a
    /// raw node.
    fn known(&mut self, index: usize, run: &Run<'a>, nodes: &mut ThinVec<Node<'a>>) -> bool {
        let name = self.xml.name(index);
        let node = match name {
            "br" => Some(self.finish(index, self.element(index, Kind::HardBreak, &[]))),
            "img" => self.html_picture(index),
            "time" => self.date(index),
            "a" => return self.anchor(index, run, nodes),
            "span" => return self.span(index, run, nodes),
            "ac:link" => return self.resource_link(index, run, nodes),
            "ac:image" => self.picture(index),
            "ac:emoticon" | "ac:hipchat-emoticon" => self.emoticon(index),
            "ac:placeholder" => self.placeholder(index),
            "ac:inline-comment-marker" => return self.comment(index, run, nodes),
            it if names::is_macro(it) => self.inline_macro(index),
            "fab:adf" => self.embedded(index, Kind::RawInline),
            it if it.contains(':') => None,
            _ => return self.marked(index, run, nodes),
        };
        node.map(|it| add(nodes, run.place(it))).is_some()
    }

    /// Reads the contents of the element at `index` with `marks` added. Returns `false` if the marks include
    /// a link or an annotation and the contents have no node that can carry it.
    pub(super) fn held(
        &mut self,
        index: usize,
        marks: ThinVec<Mark<'a>>,
        run: &Run<'a>,
        nodes: &mut ThinVec<Node<'a>>,
    ) -> bool {
        let before = nodes.len();
        let leads = marks.iter().any(|it| matches!(it.kind, MarkKind::Link | MarkKind::Annotation));
        let run = run.marked(self.xml.item(index).span(), marks);
        self.inlines(self.xml.children(index), &run, nodes);
        // A break has no marks, so it cannot carry a link or an annotation.
        !leads || nodes[before..].iter().any(|it| it.kind != Kind::HardBreak)
    }

    fn marked(&mut self, index: usize, run: &Run<'a>, nodes: &mut ThinVec<Node<'a>>) -> bool {
        let name = self.xml.name(index);
        let mut mark = match names::mark(name) {
            Some((kind, _)) => Mark::new(kind),
            None => Mark::new(MarkKind::Other).with("/type", format!("html:{name}")),
        };
        if mark.kind == MarkKind::Subsup {
            mark = mark.with("type", name);
        }
        mark.attrs.extend(self.said(index, &[]));
        if let Some((_, Spelled::Otherwise)) = names::mark(name) {
            mark = mark.with("storage:form", name);
        }
        let mark = self.finish_mark(index, mark);
        self.held(index, thin_vec![mark], run, nodes)
    }

    /// Reads a `span`: its `style`, in which Confluence writes marks, or the mark in its `data-plainwire`.
    fn span(&mut self, index: usize, run: &Run<'a>, nodes: &mut ThinVec<Node<'a>>) -> bool {
        if let Some(mark) = self.extra_mark(index) {
            return self.held(index, thin_vec![mark], run, nodes);
        }
        let mut marks = ThinVec::new();
        let mut attrs = self.said(index, &["style"]);
        if let Some(written) = self.xml.attribute(index, "style") {
            let rest = style_marks(&written, &mut marks);
            if marks.is_empty() || !rest.is_empty() {
                attrs.push(Attr::string("html:style", rest));
            }
        }
        if marks.is_empty() || !attrs.is_empty() || self.xml.attribute(index, EXTRA).is_some() {
            let mut mark = Mark::new(MarkKind::Other).with("/type", "html:span");
            mark.attrs.extend(attrs);
            marks.push(self.finish_mark(index, mark));
        }
        self.held(index, marks, run, nodes)
    }

    fn comment(&mut self, index: usize, run: &Run<'a>, nodes: &mut ThinVec<Node<'a>>) -> bool {
        let Some(id) = self.xml.attribute(index, "ac:ref") else { return false };
        let mut mark = Mark::new(MarkKind::Annotation).with("id", id).with("annotationType", "inlineComment");
        mark.attrs.extend(self.said(index, &["ac:ref"]));
        let mark = self.finish_mark(index, mark);
        self.held(index, thin_vec![mark], run, nodes)
    }

    fn date(&self, index: usize) -> Option<Node<'a>> {
        let timestamp = dates::of_day(&self.xml.attribute(index, "datetime")?)?;
        let empty = self.xml.children(index).all(|it| self.xml.is_blank(it));
        let node = self.element(index, Kind::Date, &["datetime"]).with("timestamp", timestamp.to_string());
        empty.then(|| self.finish(index, node))
    }

    fn placeholder(&self, index: usize) -> Option<Node<'a>> {
        let node = self.element(index, Kind::Placeholder, &[]).with("text", self.plain(index)?);
        Some(self.finish(index, node))
    }

    /// Returns the text of an element; `None` if it contains anything but text.
    pub(super) fn plain(&self, index: usize) -> Option<Cow<'a, str>> {
        let plain = self.xml.children(index).all(|it| self.is_text(it));
        plain.then(|| super::super::escape::decode(self.xml.inner(index)))
    }

    fn emoticon(&self, index: usize) -> Option<Node<'a>> {
        if !self.xml.children(index).all(|it| self.xml.is_blank(it)) {
            return None;
        }
        let known = ["ac:emoji-shortname", "ac:emoji-id", "ac:emoji-fallback"];
        let mut node = self.element(index, Kind::Emoji, &known);
        let said = known.map(|it| self.xml.attribute(index, it));
        let names = ["shortName", "id", "text"];
        if let Some(name) = self.xml.attribute(index, "ac:name").filter(|_| said[0].is_none()) {
            let derived = emoticons::named(&name);
            let short = derived.map_or_else(|| format!(":{name}:"), |it| it.short.to_owned());
            node = node.with("shortName", short);
            let rest = derived.filter(|_| said.iter().all(Option::is_none));
            node.attrs.extend(
                rest.into_iter().flat_map(|it| [Attr::string("id", it.id), Attr::string("text", it.text)]),
            );
        } else if let Some(shortcut) = self.xml.attribute(index, "ac:shortcut").filter(|_| said[0].is_none())
        {
            node = node.with("shortName", format!(":{shortcut}:"));
        }
        let said = names.iter().zip(said).filter_map(|it| Some(Attr::string(*it.0, it.1?)));
        node.attrs.extend(said);
        if self.xml.name(index) == "ac:hipchat-emoticon" {
            node = node.with("storage:form", "ac:hipchat-emoticon");
        }
        node.get("shortName")?;
        // Confluence writes `blue-star` for every emoji that its old editor had no name for.
        node.attrs.retain(|it| !(it.name == "ac:name" && it.value.as_str() == Some("blue-star")));
        Some(self.finish(index, node))
    }
}

/// Adds the marks that the `style` value `written` expresses to `marks`, and returns its other declarations.
fn style_marks<'a>(written: &Cow<'a, str>, marks: &mut ThinVec<Mark<'a>>) -> Cow<'a, str> {
    let known: [style::Known; 4] = [
        ("color", colours::of_css),
        ("background-color", colours::of_css),
        ("text-decoration", style::decoration),
        ("font-family", style::monospace),
    ];
    let ([colour, background, decoration, mono], rest) = style::take(written, known);
    marks.extend(colour.map(|it| Mark::new(MarkKind::TextColor).with("color", it)));
    marks.extend(background.map(|it| Mark::new(MarkKind::BackgroundColor).with("color", it)));
    let decorated =
        decoration.map(|it| if it == "underline" { MarkKind::Underline } else { MarkKind::Strike });
    let plain = decorated.into_iter().chain(mono.map(|_| MarkKind::Code));
    marks.extend(plain.map(|it| Mark::new(it).with("storage:form", "span")));
    rest
}
