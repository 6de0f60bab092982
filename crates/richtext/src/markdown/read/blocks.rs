//! Conversion of CommonMark's events to blocks.
//!
//! In: the events of a prepared text. Out: nodes. Open blocks are kept in a list, so deep nesting does not
//! use the call stack. Blocks deeper than [`tree::MAX_DEPTH`](crate::tree::MAX_DEPTH), and blocks beyond the
//! limit of nodes (see [`room`]), are kept as raw source.

mod room;

use std::ops::Range;

use pulldown_cmark::{Alignment, BlockQuoteKind, CowStr, Event, Tag, TagEnd};
use thin_vec::{ThinVec, thin_vec};

use super::super::attrs;
use super::super::names::Form;
use super::definitions::Names;
use super::group::{self, Item};
use super::inline::{self, Placed};
use super::prepare::Prepared;
use super::slips::tell;
use super::{Partly, Rest};
use super::{block, list};
use crate::diagnostic::Diagnostic;
use crate::tree::{Kind, MAX_DEPTH, Mark, MarkKind, Node, Span, add};

/// Reads a prepared text; CommonMark parses its ranges `parts` one at a time. A top-level block for whose
/// source text `keep` returns false loses its children, unless it is a list of tasks. `rest` says how blocks
/// beyond the limit of nodes are kept.
pub(super) fn read<'a, 'p>(
    prepared: &'p Prepared<'a>,
    parts: Vec<Range<usize>>,
    names: &Names<'p>,
    rest: Rest,
    keep: &dyn Fn(&str) -> bool,
) -> Partly<'a> {
    let whole = 0..prepared.text.len();
    let mut read = Read {
        prepared,
        text: &prepared.text,
        diagnostics: Vec::new(),
        frames: vec![Frame::new(Holder::Document, whole)],
        run: Vec::new(),
        within: Vec::new(),
        settled: ThinVec::new(),
        keep,
        bare: Vec::new(),
        depth: 0,
        left: prepared.room.left(),
    };
    'parts: for part in parts {
        let mut events = super::events(&prepared.text, part, names);
        while let Some((event, range)) = events.next() {
            if !read.take(event, range, &mut events, rest) {
                break 'parts;
            }
        }
    }
    read.flush();
    let frame = read.frames.pop().expect("the document is never closed");
    let mut blocks = read.settled;
    blocks.extend(group::nodes(prepared, frame.items, &mut read.diagnostics, None));
    blocks.shrink_to_fit();
    read.diagnostics.extend(prepared.room.diagnostic());
    Partly { blocks, diagnostics: read.diagnostics, bare: read.bare }
}

struct Read<'a, 'e, 'p> {
    prepared: &'e Prepared<'a>,
    /// The prepared text, which CommonMark parses.
    text: &'p str,
    diagnostics: Vec<Diagnostic>,
    frames: Vec<Frame<'a>>,
    /// The top-level blocks before the first directive, tag, comment or line of attributes. They need no
    /// grouping.
    settled: ThinVec<Node<'a>>,
    /// The events of the current list item that are not inside a paragraph.
    run: Vec<Placed<'p>>,
    /// A reused buffer for the events of the paragraph, heading, cell or block of code that is being read.
    within: Vec<Placed<'p>>,
    keep: &'e dyn Fn(&str) -> bool,
    bare: Vec<u32>,
    /// The number of open directives and HTML elements. CommonMark's open blocks are in `frames`.
    depth: usize,
    /// The number of nodes that could still be made when the current top-level block began.
    left: usize,
}

/// An open CommonMark block, or the document, with what was read in it so far.
struct Frame<'a> {
    holder: Holder,
    placed: Range<usize>,
    items: ThinVec<Item<'a>>,
    /// The items, if the block is a list.
    entries: Vec<list::Entry<'a>>,
    /// The number of directives and HTML elements that are open directly in this block.
    opened: usize,
}

enum Holder {
    Document,
    /// A block quote. With a kind, it is a GitHub alert such as `[!NOTE]`.
    Quote(Option<BlockQuoteKind>),
    /// A list. The value is the number of its first item; `None` if the items have bullets.
    List(Option<u64>),
    /// An item of a list. The value is whether its task is done; `None` if the item is not a task.
    Entry(Option<bool>),
    /// A table. The value is the alignment of each column.
    Table(Vec<Alignment>),
    /// A row of a table. The value is whether it is the header row.
    Row(bool),
}

impl Frame<'_> {
    fn new(holder: Holder, placed: Range<usize>) -> Self {
        Self { holder, placed, items: ThinVec::new(), entries: Vec::new(), opened: 0 }
    }
}

impl<'a, 'p> Read<'a, '_, 'p> {
    fn event(
        &mut self,
        event: Event<'p>,
        range: Range<usize>,
        events: &mut impl Iterator<Item = Placed<'p>>,
    ) {
        match event {
            Event::Start(tag) => self.start(tag, range, events),
            Event::End(end) if is_inline_end(end) => self.run.push((event, range)),
            Event::End(_) => {
                self.flush();
                self.close();
            }
            Event::Rule => {
                self.flush();
                let span = self.span(&range);
                self.add(Item::Node(Node::new(Kind::Rule).at(span, span)));
            }
            Event::TaskListMarker(done) => self.task(done, range),
            event => join(&mut self.run, (event, range), self.text),
        }
    }

    fn start(&mut self, tag: Tag<'p>, range: Range<usize>, events: &mut impl Iterator<Item = Placed<'p>>) {
        if is_inline(&tag) {
            return self.run.push((Event::Start(tag), range));
        }
        // The box of a numbered item may come before the start of its paragraph.
        let of_paragraph = matches!((&tag, &self.run[..]), (Tag::Paragraph, [(Event::TaskListMarker(_), _)]));
        let marker = if of_paragraph { self.run.pop() } else { None };
        self.flush();
        if self.depth + self.frames.len() >= MAX_DEPTH - 6 && !matches!(tag, Tag::Paragraph) {
            skip(events);
            return self.too_deep(&range);
        }
        let holder = match tag {
            Tag::Paragraph | Tag::Heading { .. } | Tag::TableCell | Tag::CodeBlock(_) | Tag::HtmlBlock => {
                let mut within = self.gather(events);
                within.splice(0..0, marker);
                self.leaf(&tag, &range, &within);
                self.within = within;
                return;
            }
            Tag::BlockQuote(kind) => Holder::Quote(kind),
            Tag::List(start) => Holder::List(start),
            Tag::Item => Holder::Entry(None),
            Tag::Table(columns) => Holder::Table(columns),
            Tag::TableHead => Holder::Row(true),
            Tag::TableRow => Holder::Row(false),
            _ => Holder::Quote(None),
        };
        self.frames.push(Frame::new(holder, range));
    }

    /// Reads a block that contains no other blocks, and adds it to the innermost open block.
    fn leaf(&mut self, tag: &Tag<'p>, range: &Range<usize>, within: &[Placed<'p>]) {
        match tag {
            Tag::Heading { level, .. } => {
                let node = block::heading(self.prepared, *level as usize, self.span(range), range, within);
                self.add(Item::Node(node));
            }
            Tag::CodeBlock(kind) => {
                let span = self.span(range);
                tell(&mut self.diagnostics, super::slips::fence(self.prepared.source, span));
                let node = block::code(self.prepared, kind, self.span(range), range, within);
                self.add(Item::Node(node));
            }
            Tag::TableCell => self.cell(range, within),
            Tag::HtmlBlock => self.html(within),
            _ => self.paragraph(range, within),
        }
    }

    /// Consumes the events up to the end of the block that was just opened. Returns those before that end, or
    /// fewer if the limit of nodes is reached.
    fn gather(&mut self, events: &mut impl Iterator<Item = Placed<'p>>) -> Vec<Placed<'p>> {
        let (mut depth, mut parts) = (0, 0);
        let mut found = std::mem::take(&mut self.within);
        found.clear();
        for placed in events {
            match placed.0 {
                Event::Start(_) => depth += 1,
                Event::End(_) if depth == 0 => break,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            if !self.prepared.room.has_refused() {
                parts += usize::from(!matches!(placed.0, Event::Text(_) | Event::SoftBreak | Event::End(_)));
                join(&mut found, placed, self.text);
                self.check_parts(parts, &found);
            }
        }
        found
    }

    fn task(&mut self, done: bool, range: Range<usize>) {
        match &mut self.frames[..] {
            [.., list, Frame { holder: Holder::Entry(task), .. }]
                if matches!(list.holder, Holder::List(None)) =>
            {
                *task = Some(done);
            }
            _ => self.run.push((Event::TaskListMarker(done), range)),
        }
    }

    fn paragraph(&mut self, range: &Range<usize>, within: &[Placed<'p>]) {
        if let Some((Event::TaskListMarker(done), placed)) = within.first()
            && let [.., list, Frame { holder: Holder::Entry(task), .. }] = &mut self.frames[..]
            && matches!(list.holder, Holder::List(None))
        {
            *task = Some(*done);
            let start = skip_blanks(&self.prepared.text, placed.end);
            return self.add_paragraph(&(start..range.end), &within[1..]);
        }
        // A task box that is only text lies before the range that CommonMark reports for the paragraph.
        let start = within.first().map_or(range.start, |it| it.1.start.min(range.start));
        self.add_paragraph(&(start..range.end), within);
    }

    fn add_paragraph(&mut self, range: &Range<usize>, within: &[Placed<'p>]) {
        let span = self.span(range);
        tell(&mut self.diagnostics, super::slips::table(self.prepared.source, span));
        tell(&mut self.diagnostics, super::slips::directive(self.prepared.source, span));
        tell(&mut self.diagnostics, super::slips::container(self.prepared.source, span));
        let deep = self.depth + self.frames.len() >= MAX_DEPTH - 6;
        let item = block::paragraph(self.prepared, span, range, within, !deep);
        self.add(item);
    }

    /// Adds a paragraph with the events of `run`, if there are any, to the innermost open block, and empties
    /// `run`.
    fn flush(&mut self) {
        if self.run.is_empty() {
            return;
        }
        let mut run = std::mem::take(&mut self.run);
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        let start = match first.0 {
            // The range of the event does not include a backslash before its first character.
            Event::Text(_)
                if first.1.start > 0 && self.prepared.text.as_bytes()[first.1.start - 1] == b'\\' =>
            {
                first.1.start - 1
            }
            _ => first.1.start,
        };
        let range = start..last.1.end;
        self.add_paragraph(&range, &run);
        run.clear();
        self.run = run;
    }

    fn add(&mut self, mut item: Item<'a>) {
        let at_top = self.frames.len() == 1;
        // A leaf directive may become a node inside another node.
        self.prepared.room.take(if matches!(item, Item::Open { form: Form::Leaf, .. }) { 2 } else { 1 });
        let frame = self.frames.last_mut().expect("the document is never closed");
        match &mut item {
            // The children of a list of tasks are kept, because `:::decisions` turns them into decisions.
            Item::Node(node)
                if at_top
                    && node.kind != Kind::TaskList
                    && !node.children.is_empty()
                    && !(self.keep)(node.span.of(self.prepared.source)) =>
            {
                self.bare.push(node.span.start);
                node.children = ThinVec::new();
                self.prepared.room.give_back(self.left);
            }
            it if it.opens() => {
                frame.opened += 1;
                self.depth += 1;
            }
            Item::Close { .. } | Item::Tag { opens: false, .. } if frame.opened > 0 => {
                frame.opened -= 1;
                self.depth -= 1;
            }
            _ => {}
        }
        match item {
            Item::Node(node) if at_top && frame.items.is_empty() => self.settled.push(node),
            item => add(&mut frame.items, item),
        }
    }

    fn html(&mut self, within: &[Placed<'p>]) {
        if self.depth + self.frames.len() >= MAX_DEPTH - 16 {
            let item = super::html::raw(self.prepared, within);
            return self.add(item);
        }
        for item in super::html::items(self.prepared, within) {
            self.add(item);
        }
    }

    fn cell(&mut self, range: &Range<usize>, within: &[Placed<'p>]) {
        let header = matches!(self.frames.last(), Some(Frame { holder: Holder::Row(true), .. }));
        let kind = if header { Kind::TableHeader } else { Kind::TableCell };
        let span = self.span(range);
        self.prepared.room.take(1);
        let children = inline::nodes(self.prepared, within, 0);
        let inner = children.first().map_or(Span::at(span.end as usize), |first| {
            let end = children.last().map_or(first.span.end, |it| it.span.end);
            Span { start: first.span.start, end }
        });
        let span = Span { start: span.start.min(inner.start), end: span.end.max(inner.end) };
        let picture = match within.first() {
            Some((Event::Start(Tag::Image { .. }), _)) => block::picture(&children, inner),
            _ => None,
        };
        let text = match picture {
            Some(picture) => picture,
            None => {
                let mut text = Node::new(Kind::Paragraph).at(inner, inner).holding(children);
                text.marks.extend(self.column().map(|it| Mark::new(MarkKind::Alignment).with("align", it)));
                text
            }
        };
        self.add(Item::Node(Node::new(kind).at(span, span).holding(thin_vec![text])));
    }

    /// Returns the alignment of the column of the next cell; `None` at the left, where text stands anyway.
    fn column(&self) -> Option<&'static str> {
        let [.., Frame { holder: Holder::Table(columns), .. }, row] = &self.frames[..] else { return None };
        match columns.get(row.items.len())? {
            Alignment::Center => Some("center"),
            Alignment::Right => Some("end"),
            Alignment::Left | Alignment::None => None,
        }
    }

    /// Closes the innermost open block, and adds its node to the block around it.
    fn close(&mut self) {
        if self.frames.len() == 1 {
            return;
        }
        let Some(frame) = self.frames.pop() else { return };
        self.depth -= frame.opened.min(self.depth);
        let span = self.span(&frame.placed);
        if let (Holder::Row(_), Some(Frame { holder: Holder::Table(columns), .. })) =
            (&frame.holder, self.frames.last())
        {
            tell(&mut self.diagnostics, super::slips::cells(self.prepared.source, span, columns.len()));
        }
        match frame.holder {
            Holder::List(start) => list::lists(self.prepared, start, span, frame.entries)
                .into_iter()
                .for_each(|it| self.add(Item::Node(it))),
            Holder::Entry(task) => {
                let mut items = frame.items;
                let mut given = ThinVec::new();
                if let (None, Some(Item::Attrs { attrs, .. })) = (task, items.first_mut())
                    && attrs::fit_item(attrs)
                {
                    given = std::mem::take(attrs);
                    items.remove(0);
                }
                let separated = items.iter().any(|it| matches!(it, Item::Separator));
                let keeps = matches!(items.last(), Some(Item::Separator));
                let children = group::nodes(self.prepared, items, &mut self.diagnostics, None);
                self.prepared.room.take(1);
                if let Some(list) = self.frames.last_mut() {
                    list.entries.push(list::Entry { task, given, separated, keeps, span, children });
                }
            }
            holder => {
                let mut children = group::nodes(self.prepared, frame.items, &mut self.diagnostics, None);
                if matches!(holder, Holder::Table(_)) {
                    drop_empty_head(&mut children);
                }
                let named = match holder {
                    Holder::Quote(None) => block::take_alert(self.prepared.source, &mut children),
                    _ => None,
                };
                let node = match holder {
                    Holder::Quote(Some(kind)) => Node::new(Kind::Panel).with("panelType", alert(kind)),
                    Holder::Quote(None) if named.is_some() => {
                        Node::new(Kind::Panel).with("panelType", named.unwrap_or_default())
                    }
                    Holder::Table(_) => Node::new(Kind::Table),
                    Holder::Row(_) => Node::new(Kind::TableRow),
                    _ => Node::new(Kind::Blockquote),
                };
                self.add(Item::Node(block::holding(node, span, children)));
            }
        }
    }

    fn too_deep(&mut self, range: &Range<usize>) {
        let span = self.span(range);
        let message = format!("expected at most {MAX_DEPTH} nested blocks, but found more");
        self.diagnostics.push(Diagnostic::new(span, message));
        let node = Node::raw(Kind::RawBlock, "markdown", span.of(self.prepared.source)).at(span, span);
        if matches!(self.frames.last(), Some(Frame { holder: Holder::List(_), .. })) {
            let entry = list::Entry::of(span, thin_vec![node]);
            self.frames.last_mut().expect("it was found").entries.push(entry);
        } else {
            self.add(Item::Node(node));
        }
    }

    /// Returns the source span of the block at `range` in the prepared text, without the white space after
    /// the block.
    fn span(&self, range: &Range<usize>) -> Span {
        let start = range.start.min(self.prepared.text.len());
        let text = self.prepared.text[start..range.end].trim_end_matches([' ', '\t', '\n', '\r']);
        let found = self.prepared.range(&(start..start + text.len()));
        Span::new(found.start, found.end)
    }
}

/// Adds the event `placed` to `found`. Adjacent text events become one event, because CommonMark splits text
/// at every sign that might have had a meaning, and a million such signs would be a million events.
fn join<'p>(found: &mut Vec<Placed<'p>>, placed: Placed<'p>, text: &'p str) {
    // Only the new text is compared byte by byte. Comparing the joined text each time would be quadratic.
    let stands = |it: &str, range: &Range<usize>| it.len() == range.len() && text[..range.end].ends_with(it);
    if let (Event::Text(CowStr::Borrowed(new)), Some((Event::Text(CowStr::Borrowed(old)), before))) =
        (&placed.0, found.last_mut())
        && before.end == placed.1.start
        && stands(new, &placed.1)
        && old.as_ptr() == text[before.start..].as_ptr()
        && old.len() == before.len()
    {
        before.end = placed.1.end;
        *old = &text[before.clone()];
        return;
    }
    found.push(placed);
}

fn skip<'p>(events: &mut impl Iterator<Item = Placed<'p>>) {
    let mut depth = 0;
    for (event, _) in events {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) if depth == 0 => return,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
}

fn skip_blanks(text: &str, at: usize) -> usize {
    at + text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len()
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

fn is_inline_end(end: TagEnd) -> bool {
    matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Returns the type of the ADF panel for a GitHub alert.
fn alert(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "info",
        BlockQuoteKind::Tip => "success",
        BlockQuoteKind::Important => "note",
        BlockQuoteKind::Warning => "warning",
        BlockQuoteKind::Caution => "error",
    }
}

/// Removes the header row of a table if all its cells are empty: Markdown has no tables without a header. A table of one row keeps
/// it.
fn drop_empty_head(rows: &mut ThinVec<Node<'_>>) {
    let is_empty = |it: &Node<'_>| {
        it.kind == Kind::TableHeader
            && it.children.iter().all(|it| it.kind == Kind::Paragraph && it.children.is_empty())
    };
    if rows.len() > 1 && rows[0].children.iter().all(is_empty) {
        rows.remove(0);
    }
}
