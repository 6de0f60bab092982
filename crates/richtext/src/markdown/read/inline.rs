//! Inline nodes: from CommonMark's events to nodes with marks and spans.
//!
//! In: the events of one paragraph, heading, cell or label. Out: nodes. Neighbouring pieces of text with the
//! same marks become one node. Nodes within an element, such as a link, have the span of the outermost
//! element around them.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};
use thin_vec::{ThinVec, thin_vec};

use super::super::spelled;
use super::directive;
use super::prepare::{Found, Prepared};
use super::tags::{Pair, pair};
use crate::tree::{Kind, Mark, MarkKind, Node, NodeLimit, Span, add};

/// An event of CommonMark with its range in the prepared text.
pub(super) type Placed<'p> = (Event<'p>, Range<usize>);

/// Returns the nodes of `events`. `depth` is the number of directive labels that contain the events.
pub(super) fn nodes<'a>(prepared: &Prepared<'a>, events: &[Placed<'_>], depth: usize) -> ThinVec<Node<'a>> {
    let html = events.iter().any(|it| matches!(it.0, Event::InlineHtml(_)));
    let pairs = if html { pair(events) } else { Vec::new() };
    let mut build = Build {
        prepared,
        depth,
        nodes: ThinVec::new(),
        open: Vec::new(),
        marks: ThinVec::new(),
        group: Span::default(),
        joins: false,
        verbatim: false,
        cursor: 0,
    };
    let mut at = 0;
    while at < events.len() {
        if prepared.room.is_full() {
            prepared.room.refuse(prepared.source_at(events[at].1.start));
            break;
        }
        at = build.event(events, at, pairs.get(at).copied().unwrap_or_default());
    }
    build.nodes.iter_mut().for_each(|it| check_place(it, prepared.source));
    build.nodes
}

/// Makes the `inner` span of a text node empty if the source at that span does not decode to the node's text,
/// such as `\|` in code in a cell.
fn check_place(node: &mut Node<'_>, source: &str) {
    if matches!(node.text, Cow::Owned(_))
        && node.kind == Kind::Text
        && !spelled::spells(node.inner.of(source), &node.text)
    {
        node.inner = Span::at(node.inner.end as usize);
    }
}

struct Build<'a, 'p> {
    prepared: &'p Prepared<'a>,
    depth: usize,
    nodes: ThinVec<Node<'a>>,
    /// The open elements (emphasis, links, HTML tags, directives that give marks), the outermost first.
    open: Vec<Open<'a>>,
    /// The marks that the open elements give to the next nodes.
    marks: ThinVec<Mark<'a>>,
    /// The span of the outermost open element, which all nodes in the element get.
    group: Span,
    /// True if the last of `nodes` is a text node to which the next piece of text may be added.
    joins: bool,
    /// True if the text of the last of `nodes` is equal to the source at its span.
    verbatim: bool,
    /// The source offset that was reached: the end of the last node or element, or the start of an element
    /// that was just opened.
    cursor: usize,
}

struct Open<'a> {
    /// The number of nodes in `Build::nodes` when the element opened.
    nodes: usize,
    /// True if the element added a mark to the marks of the next nodes.
    adds: bool,
    /// The raw source that is kept if the element turns out to be empty, such as a link without text; `None`
    /// if an empty element is dropped.
    empty: Option<Cow<'a, str>>,
    range: Range<usize>,
}

impl<'a> Build<'a, '_> {
    /// Handles the event at index `at`. Returns the index of the next event to handle.
    fn event(&mut self, events: &[Placed<'_>], at: usize, pair: Pair) -> usize {
        let (event, placed) = &events[at];
        let range = self.prepared.range(placed);
        match event {
            Event::Text(text) => self.text(text, placed, range),
            Event::SoftBreak => self.piece(Cow::Borrowed(" "), range, false),
            Event::HardBreak => self.hard_break(range),
            Event::Code(text) => self.code(text, range),
            Event::InlineHtml(text) => self.html(text, range, pair, events),
            Event::Start(Tag::Image { dest_url, title, .. }) => {
                return self.image(events, at, dest_url, title);
            }
            Event::Start(tag) => self.start(tag, range),
            Event::End(_) => self.end(range),
            Event::TaskListMarker(_) => {
                // The box of a task in a heading or a numbered item is text, and so is the white space that
                // CommonMark skips behind it.
                let rest = &self.prepared.source[range.end..];
                let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
                let line_end = rest[blanks..].starts_with(['\n', '\r']);
                let follows = at + 1 < events.len();
                self.slice(range.start..range.end + if follows && !line_end { blanks } else { 0 });
                if follows && line_end {
                    let gap = range.end..range.end + rest.len() - rest.trim_ascii_start().len();
                    if rest.starts_with("  ") {
                        self.hard_break(gap);
                    } else {
                        self.piece(Cow::Borrowed(" "), gap, false);
                    }
                }
            }
            _ => self.slice(range),
        }
        at + 1
    }

    fn hard_break(&mut self, range: Range<usize>) {
        self.push(Node::new(Kind::HardBreak), range);
        self.nodes.last_mut().expect("it was pushed").marks.clear();
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        let mark = match tag {
            Tag::Emphasis => Mark::new(MarkKind::Em),
            Tag::Strong => Mark::new(MarkKind::Strong),
            Tag::Strikethrough => Mark::new(MarkKind::Strike),
            Tag::Link { link_type, dest_url, title, .. } => {
                let mail = if *link_type == LinkType::Email { "mailto:" } else { "" };
                return self.link(mail, dest_url, title, range);
            }
            _ => Mark::new(MarkKind::Other),
        };
        self.enter(mark, range, None);
    }

    fn link(&mut self, scheme: &str, dest: &CowStr<'_>, title: &CowStr<'_>, range: Range<usize>) {
        let href = if scheme.is_empty() { self.kept(dest) } else { Cow::Owned(format!("{scheme}{dest}")) };
        let title = self.kept(title);
        let empty = super::super::write::empty_link(&href, &title);
        let mut mark = Mark::new(MarkKind::Link).with("href", href);
        if !title.is_empty() {
            mark = mark.with("title", title);
        }
        self.enter(mark, range, Some(empty.into()));
    }

    fn enter(&mut self, mark: Mark<'a>, range: Range<usize>, empty: Option<Cow<'a, str>>) {
        if self.open.is_empty() {
            self.group = Span::new(range.start, range.end);
        }
        let adds = repeats(mark.kind) || !self.marks.iter().any(|it| is_same(it, &mark));
        self.open.push(Open { nodes: self.nodes.len(), adds, empty, range: range.clone() });
        if adds {
            add(&mut self.marks, mark);
        }
        self.joins = false;
        self.cursor = range.start;
    }

    fn end(&mut self, range: Range<usize>) {
        let Some(open) = self.open.pop() else { return };
        if open.adds {
            self.marks.pop();
        }
        self.joins = false;
        if let Some(text) = open.empty
            && open.nodes == self.nodes.len()
        {
            self.push(Node::raw(Kind::RawInline, "markdown", text), open.range);
        }
        self.cursor = range.end;
    }

    /// Adds a node to which no later text is added.
    fn push(&mut self, mut node: Node<'a>, range: Range<usize>) {
        let own = Span::new(range.start, range.end);
        self.prepared.room.take(1);
        node.span = if self.open.is_empty() { own } else { self.group };
        node.inner = if self.open.is_empty() { own } else { node.span };
        let own_marks = std::mem::replace(&mut node.marks, self.marks.clone());
        node.marks.extend(own_marks);
        add(&mut self.nodes, node);
        self.joins = false;
        self.cursor = range.end;
    }

    /// Adds the text of an event. Each directive mark in the text, the placeholder of a directive, becomes
    /// the nodes of that directive.
    fn text(&mut self, text: &CowStr<'_>, placed: &Range<usize>, range: Range<usize>) {
        let prepared = self.prepared;
        let edits = prepared.edits_in(placed);
        if edits.is_empty() {
            let text = self.kept(text);
            return self.piece(text, range, true);
        }
        let mut at = range.start;
        for edit in edits {
            self.slice(at..edit.from.start);
            match &edit.found {
                Some(found) => self.directive(found, edit.from.clone()),
                None => self.slice(edit.from.clone()),
            }
            at = edit.from.end;
        }
        self.slice(at..range.end);
    }

    fn slice(&mut self, range: Range<usize>) {
        if range.start < range.end {
            self.piece(Cow::Borrowed(&self.prepared.source[range.clone()]), range, true);
        }
    }

    /// Adds `text`, which the source at `range` stands for: to the last text node if that is possible,
    /// otherwise as a new node. If `escapable`, a backslash before `range` belongs to the text's span.
    fn piece(&mut self, text: Cow<'a, str>, mut range: Range<usize>, escapable: bool) {
        let source = self.prepared.source;
        if escapable && self.cursor < range.start && source.as_bytes()[range.start - 1] == b'\\' {
            range.start -= 1;
        }
        let gap = source.get(self.cursor..range.start);
        self.cursor = range.end;
        let end = range.end as u32;
        let verbatim = source.get(range.clone()) == Some(&*text);
        if self.joins
            && let (Some(gap), Some(last)) = (gap, self.nodes.last_mut())
            && joins(source, last, gap, range.start)
        {
            let inner = last.inner.start as usize..range.end;
            self.verbatim &= gap.is_empty() && verbatim;
            match source.get(inner) {
                Some(slice) if self.verbatim => last.text = Cow::Borrowed(slice),
                _ => last.text.to_mut().push_str(&text),
            }
            last.inner.end = end;
            if self.open.is_empty() {
                last.span.end = end;
            }
            return;
        }
        self.prepared.room.take(1);
        let own = Span::new(range.start, range.end);
        let mut node = Node::of_text(text).at(if self.open.is_empty() { own } else { self.group }, own);
        node.marks.clone_from(&self.marks);
        add(&mut self.nodes, node);
        self.joins = true;
        self.verbatim = verbatim;
    }

    fn code(&mut self, text: &CowStr<'_>, range: Range<usize>) {
        let text = self.kept(text);
        let span = Span::new(range.start, range.end);
        let mut node = Node::of_text(text);
        if !self.marks.iter().any(|it| it.kind == MarkKind::Code) {
            add(&mut node.marks, Mark::new(MarkKind::Code));
        }
        self.push(node, range);
        self.nodes.last_mut().expect("it was pushed").inner = span;
    }

    fn html(&mut self, text: &CowStr<'_>, range: Range<usize>, pair: Pair, events: &[Placed<'_>]) {
        match pair {
            Pair::Opens(kind, closer) => {
                let all = range.start..self.prepared.range(&events[closer].1).end;
                return self.enter(kind.mark(), all, None);
            }
            Pair::Closes => return self.end(range),
            Pair::None => {}
        }
        let tag = text.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/').trim_end();
        if tag.eq_ignore_ascii_case("br") {
            self.hard_break(range);
        } else if &**text == EMPTY {
            self.joins = false;
            self.cursor = range.end;
        } else {
            let text = self.kept(text);
            self.push(Node::raw(Kind::RawInline, "markdown", text), range);
        }
    }

    fn image(&mut self, events: &[Placed<'_>], at: usize, dest: &CowStr<'_>, title: &CowStr<'_>) -> usize {
        let mut depth = 0;
        let mut alt = String::new();
        let mut end = at;
        for (event, placed) in &events[at..] {
            match event {
                Event::Start(Tag::Image { .. }) => depth += 1,
                Event::End(TagEnd::Image) => depth -= 1,
                Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => {
                    let restored = self.prepared.edits_in(placed).is_empty().then(|| text.to_string());
                    alt.push_str(
                        &restored
                            .unwrap_or_else(|| self.prepared.source[self.prepared.range(placed)].to_owned()),
                    );
                }
                Event::SoftBreak | Event::HardBreak => alt.push(' '),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            end += 1;
        }
        let mut node = Node::new(Kind::Image).with("url", self.kept(dest));
        if !alt.is_empty() {
            node = node.with("alt", alt);
        }
        if !title.is_empty() {
            node = node.with("title", self.kept(title));
        }
        let range = self.prepared.range(&events[at].1);
        self.push(node, range);
        end + 1
    }

    fn directive(&mut self, found: &Found<'a>, range: Range<usize>) {
        let source = self.prepared.source;
        let label = found
            .label
            .clone()
            .map(|it| (it.clone(), label(self.prepared, it, self.depth + 1, &self.prepared.room)));
        let marks = directive::marks(found);
        if !marks.is_empty() {
            let entered = marks.len();
            for (at, mark) in marks.into_iter().enumerate() {
                let verbatim = (at == 0).then(|| Cow::Borrowed(&source[range.clone()]));
                self.enter(mark, range.clone(), verbatim);
            }
            for mut node in label.map(|it| it.1).unwrap_or_default() {
                let inner = node.inner;
                let own = std::mem::take(&mut node.marks);
                let kept = own
                    .into_iter()
                    .filter(|it| repeats(it.kind) || !self.marks.iter().any(|other| is_same(other, it)));
                node.marks = if node.kind == Kind::HardBreak {
                    ThinVec::new()
                } else {
                    self.marks.iter().cloned().chain(kept).collect()
                };
                node.span = self.group;
                node.inner = if node.kind == Kind::Text { inner } else { self.group };
                add(&mut self.nodes, node);
            }
            return (0..entered).for_each(|_| self.end(range.clone()));
        }
        let text = label.as_ref().map(|it| it.1.iter().map(words).collect::<String>());
        let node = directive::inline(found, text, &self.prepared.room)
            .unwrap_or_else(|| Node::raw(Kind::RawInline, "markdown", &source[range.clone()]));
        self.push(node, range);
    }

    /// Returns the text with directive marks replaced by their source; borrowed if the source contains it as
    /// it is.
    fn kept(&self, text: &CowStr<'_>) -> Cow<'a, str> {
        if let CowStr::Borrowed(text) = text
            && let Some(found) = self.prepared.borrowed(text)
        {
            return Cow::Borrowed(found);
        }
        Cow::Owned(self.prepared.restored(text).unwrap_or_else(|| text.to_string()))
    }
}

/// Returns whether a text with the mark `a` gets no further mark `b`, because both are of the same kind.
/// Subscript and superscript share a kind but can nest in each other, so their attributes must be equal too.
fn is_same(a: &Mark<'_>, b: &Mark<'_>) -> bool {
    a.kind == b.kind && (a.kind != MarkKind::Subsup || a.attrs == b.attrs)
}

/// Returns whether one text node may have several marks of this kind.
fn repeats(kind: MarkKind) -> bool {
    matches!(kind, MarkKind::Other | MarkKind::Annotation)
}

/// Returns the text of one node of a label, for a directive whose label can only be plain text.
fn words(node: &Node<'_>) -> String {
    match node.kind {
        Kind::RawInline => node.text.to_string(),
        _ => node.plain_text(),
    }
}

/// The comment that is written for the empty text of a task or decision, because CommonMark would not read
/// the item as a task otherwise.
pub(in super::super) const EMPTY: &str = "<!-- empty -->";

/// Returns the nodes of the label at `range` of the source of `parent`. `depth` is the number of nested
/// labels, including this one.
pub(super) fn label<'a>(
    parent: &Prepared<'a>,
    range: Range<usize>,
    depth: usize,
    room: &Rc<NodeLimit>,
) -> ThinVec<Node<'a>> {
    let text = &parent.source[range.clone()];
    let plain = |it: u8| {
        it.is_ascii_alphanumeric() || it >= 0x80 || matches!(it, b' ' | b',' | b'.' | b'-' | b'@' | b'/')
    };
    if !text.is_empty() && text.bytes().all(plain) {
        let span = Span::new(range.start, range.end);
        room.take(1);
        return thin_vec![Node::of_text(text).at(span, span)];
    }
    let prepared = super::prepare::label(parent, range, depth, room);
    let events: Vec<Placed<'_>> = super::parser(&prepared.text).collect();
    let events = &events[1.min(events.len())..events.len().saturating_sub(1).max(1)];
    nodes(&prepared, events, depth)
}

/// Returns whether a text that begins at the source offset `start` can be added to the text node `last`, so
/// that the source at the joined span still decodes to the joined text. `gap` is the source between the two.
fn joins(source: &str, last: &Node<'_>, gap: &str, start: usize) -> bool {
    let spelled = &source.as_bytes()[last.inner.range()];
    let broken = matches!(spelled.last(), Some(b'\n' | b'\r'));
    if broken {
        let quote = source.as_bytes().get(start) == Some(&b'>');
        return !quote && gap.bytes().all(|it| matches!(it, b' ' | b'\t' | b'>'));
    }
    gap.is_empty()
        || gap.bytes().all(|it| matches!(it, b' ' | b'\t'))
            && matches!(source.as_bytes().get(start), Some(b'\n' | b'\r'))
}
