//! What directives and tags of HTML hold together: siblings between an opener and its closer become one node.
//!
//! In: the siblings in one holder. Out: nodes. An opener without a closer, a closer without an opener, and tags in a wrong place are text
//! or kept as they were written. Each sibling is looked at twice, so that a million of openers cost what a million of paragraphs do.

use std::rc::Rc;

use thin_vec::{ThinVec, thin_vec};

use super::super::names::Form;
use super::directive;
use super::inline;
use super::prepare::Prepared;
use crate::diagnostic::Diagnostic;
use crate::tree::{Attr, Kind, Node, Room, Span, add};

use super::super::attrs;

/// A sibling.
pub(super) enum Item<'a> {
    Node(Node<'a>),
    /// A directive on a line of its own.
    Open {
        name: &'a str,
        form: Form,
        colons: usize,
        attrs: ThinVec<Attr<'a>>,
        span: Span,
    },
    /// The end of one.
    Close {
        colons: usize,
        span: Span,
    },
    /// Attributes of what comes next.
    Attrs {
        attrs: ThinVec<Attr<'a>>,
        span: Span,
    },
    /// A tag of the block of HTML that begins at `block`.
    Tag {
        name: &'static str,
        opens: bool,
        attrs: ThinVec<Attr<'a>>,
        span: Span,
        block: usize,
    },
    /// A comment that keeps lists apart.
    Separator,
}

/// The nodes of `items`, which stand in a directive or element called `within`.
pub(super) fn nodes<'a>(
    prepared: &Prepared<'a>,
    items: ThinVec<Item<'a>>,
    diagnostics: &mut Vec<Diagnostic>,
    within: Option<&'static str>,
) -> ThinVec<Node<'a>> {
    let partners = match_up(&items);
    let mut group = Group { prepared, diagnostics, levels: vec![Level::new(None, within)] };
    for (item, partner) in items.into_iter().zip(partners) {
        group.take(item, partner);
    }
    group.settle_attrs();
    group.levels.swap_remove(0).nodes
}

/// What an item is to another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partner {
    None,
    Opens,
    Closes,
}

/// Which openers and closers belong together.
fn match_up(items: &[Item<'_>]) -> Vec<Partner> {
    let mut partners = vec![Partner::None; items.len()];
    let mut open: Vec<(usize, Option<&str>, usize)> = Vec::new();
    let mut bad = vec![];
    for (at, item) in items.iter().enumerate() {
        if let (Some((opener, Some("table" | "tr"), _)), false) =
            (open.last(), matches!(item, Item::Tag { .. } | Item::Separator))
        {
            bad.push(*opener);
        }
        match item {
            Item::Open { form: Form::Container, colons, .. } => open.push((at, None, *colons)),
            Item::Close { colons, .. } => {
                // Openers with more colons than this are not closed by it, and those in them neither.
                if let Some(&(opener, None, needed)) = open.last()
                    && needed <= *colons
                {
                    open.pop();
                    partners[opener] = Partner::Opens;
                    partners[at] = Partner::Closes;
                }
            }
            Item::Tag { name, opens: true, .. } => open.push((at, Some(name), 0)),
            // No more is open than the limit of depth allows, so that this search is short.
            Item::Tag { name, .. } if open.iter().any(|it| it.1 == Some(name)) => {
                let mut clean = true;
                while let Some((opener, found, _)) = open.pop() {
                    if found != Some(name) {
                        clean &= found.is_none();
                        continue;
                    }
                    if clean {
                        partners[opener] = Partner::Opens;
                        partners[at] = Partner::Closes;
                    } else if let Some((holder, Some("table" | "tr"), _)) = open.last() {
                        bad.push(*holder);
                    }
                    break;
                }
            }
            _ => {}
        }
    }
    for at in bad {
        partners[at] = Partner::None;
    }
    partners
}

/// The first opener that nothing closes.
pub(super) fn first_open(items: &[Item<'_>]) -> Option<usize> {
    match_up(items).iter().zip(items).position(|(partner, it)| *partner == Partner::None && it.opens())
}

impl Item<'_> {
    /// Whether it holds what follows, up to what closes it.
    pub(super) fn opens(&self) -> bool {
        matches!(self, Item::Open { form: Form::Container, .. } | Item::Tag { opens: true, .. })
    }
}

/// What is open.
struct Level<'a> {
    opener: Option<Item<'a>>,
    name: Option<&'a str>,
    nodes: ThinVec<Node<'a>>,
    /// Attributes for the next node.
    waiting: Option<(ThinVec<Attr<'a>>, Span)>,
}

impl<'a> Level<'a> {
    fn new(opener: Option<Item<'a>>, name: Option<&'a str>) -> Self {
        Self { opener, name, nodes: ThinVec::new(), waiting: None }
    }
}

struct Group<'a, 'p> {
    prepared: &'p Prepared<'a>,
    diagnostics: &'p mut Vec<Diagnostic>,
    levels: Vec<Level<'a>>,
}

impl<'a> Group<'a, '_> {
    fn take(&mut self, item: Item<'a>, partner: Partner) {
        match item {
            Item::Node(node) => self.add(node),
            Item::Separator => {}
            Item::Attrs { attrs, span } => {
                self.settle_attrs();
                if attrs::fit_item(&attrs) {
                    return self.text(span, "expected the item of a list around its attributes");
                }
                self.last().waiting = Some((attrs, span));
            }
            Item::Open { name, form: Form::Leaf, attrs, span, .. } => {
                let within = self.last().name;
                match directive::block(name, Form::Leaf, attrs, ThinVec::new(), within) {
                    Ok(node) => self.add(placed(node, span, span)),
                    Err(_) => self.text(span, "expected a directive with what it needs"),
                }
            }
            Item::Open { name, .. } if partner == Partner::Opens => {
                self.levels.push(Level::new(Some(item), Some(name)));
            }
            Item::Tag { name, .. } if partner == Partner::Opens && self.fits(name) => {
                self.levels.push(Level::new(Some(item), Some(name)));
            }
            Item::Close { span, .. } if partner == Partner::Closes => self.close(span, None),
            Item::Tag { name, span, .. } if partner == Partner::Closes && self.last().name == Some(name) => {
                self.close(span, Some(name));
            }
            Item::Open { span, .. } => self.text(span, "expected a closing :::"),
            Item::Close { span, .. } => self.text(span, "expected an opening :::name before this"),
            Item::Tag { span, block, .. } => self.stray(span, block),
        }
    }

    fn last(&mut self) -> &mut Level<'a> {
        self.levels.last_mut().expect("the holder is never closed")
    }

    /// Rows stand in tables, cells in rows.
    fn fits(&mut self, name: &str) -> bool {
        let within = self.last().name;
        match name {
            "tr" => within == Some("table"),
            "td" | "th" => within == Some("tr"),
            _ => !matches!(within, Some("table" | "tr")),
        }
    }

    fn add(&mut self, mut node: Node<'a>) {
        if let Some((attrs, span)) = self.last().waiting.take() {
            node.span.start = span.start.min(node.span.start);
            if matches!(node.kind, Kind::BulletList | Kind::TaskList | Kind::OrderedList | Kind::Table) {
                node.inner.start = node.inner.start.max(node.span.start);
            }
            attrs::apply(&mut node, attrs);
        }
        add(&mut self.last().nodes, node);
    }

    /// Attributes that nothing follows are text.
    fn settle_attrs(&mut self) {
        if let Some((_, span)) = self.last().waiting.take() {
            self.text(span, "expected a block after its attributes");
        }
    }

    fn text(&mut self, span: Span, message: &str) {
        let line = span.of(self.prepared.source);
        let shown: String = line.chars().take(80).collect();
        self.diagnostics.push(Diagnostic::new(span, format!("{message}, but found {shown:?} without")));
        // It was counted as what it looked like, and nothing of it may be left out now.
        let room = Rc::new(Room::default());
        let mut runs = inline::label(self.prepared.source, span.range(), 0, &room);
        if room.has_refused() {
            runs = thin_vec![Node::raw(Kind::RawInline, "markdown", line).at(span, span)];
        }
        self.add(Node::new(Kind::Paragraph).at(span, span).holding(runs));
    }

    /// A tag in a wrong place is kept as it was written, with its neighbours of the same block.
    fn stray(&mut self, span: Span, block: usize) {
        let source = self.prepared.source;
        self.settle_attrs();
        if let Some(last) = self.last().nodes.last_mut()
            && last.kind == Kind::RawBlock
            && last.span.start as usize >= block
            && !source[last.span.end as usize..span.start as usize].contains("\n\n")
            && block <= last.span.start as usize
            && matches!(last.text, std::borrow::Cow::Borrowed(_))
        {
            last.span.end = span.end;
            last.inner = last.span;
            last.text = last.span.of(source).into();
            return;
        }
        self.add(Node::raw(Kind::RawBlock, "markdown", span.of(source)).at(span, span));
    }

    fn close(&mut self, end: Span, tag: Option<&str>) {
        self.settle_attrs();
        let level = self.levels.pop().expect("what is closed was opened");
        let within = self.last().name;
        let children = level.nodes;
        let (name, form, given, start) = match level.opener {
            Some(Item::Open { name, form, attrs, span, .. }) => (name, form, attrs, span),
            Some(Item::Tag { name, attrs, span, .. }) => (name, Form::Container, attrs, span),
            _ => return,
        };
        let span = Span { start: start.start, end: end.end };
        let inner = Span { start: start.end, end: end.start.max(start.end) };
        if tag.is_some() {
            return self.element(name, given, children, span, inner);
        }
        match directive::block(name, form, given, children, within) {
            Ok(node) => self.add(placed(node, span, inner)),
            Err(kept) => {
                self.text(start, "expected a directive with what it may hold");
                kept.into_iter().for_each(|it| self.add(it));
                self.text(end, "expected a directive with what it may hold");
            }
        }
    }

    fn element(
        &mut self,
        name: &str,
        given: ThinVec<Attr<'a>>,
        children: ThinVec<Node<'a>>,
        span: Span,
        inner: Span,
    ) {
        if name == "details" {
            let within = self.last().name;
            if let Ok(node) = directive::block("expand", Form::Container, given, children, within) {
                self.add(placed(node, span, inner));
            }
            return;
        }
        let kind = match name {
            "table" => Kind::Table,
            "tr" => Kind::TableRow,
            "th" => Kind::TableHeader,
            _ => Kind::TableCell,
        };
        let mut node = Node::new(kind).at(span, inner).holding(children);
        attrs::apply(&mut node, given);
        self.add(node);
    }
}

/// Gives the node its places; what was made of its opener (the media of a media single) stands where that ends.
fn placed<'a>(mut node: Node<'a>, span: Span, inner: Span) -> Node<'a> {
    node.span = span;
    node.inner = inner;
    for child in &mut node.children {
        if child.kind == Kind::Media && child.span == Span::default() {
            child.span = Span::at(inner.start as usize);
            child.inner = child.span;
        }
    }
    node
}
