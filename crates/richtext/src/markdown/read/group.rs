//! Grouping by directives and HTML tags: the siblings between an opener and its closer become one node.
//!
//! In: siblings. Out: nodes. An opener without a closer, a closer without an opener, and a tag where it is
//! not allowed become text or raw nodes. Each sibling is looked at twice, so the time is linear: a million
//! openers cost as much as a million paragraphs.

use std::rc::Rc;

use thin_vec::{ThinVec, thin_vec};

use super::super::names::{self, Form};
use super::directive;
use super::inline;
use super::prepare::Prepared;
use super::slips::tell;
use crate::diagnostic::Diagnostic;
use crate::tree::{Attr, Kind, Node, NodeLimit, Span, add};

use super::super::attrs;

/// A sibling before grouping: a node, or a line that becomes a node only by grouping, such as a directive or
/// tag.
pub(super) enum Item<'a> {
    Node(Node<'a>),
    /// The opening line of a container directive, or a leaf directive.
    Open {
        name: &'a str,
        form: Form,
        colons: usize,
        attrs: ThinVec<Attr<'a>>,
        span: Span,
    },
    /// The closing line of a container directive.
    Close {
        colons: usize,
        span: Span,
    },
    /// A line of attributes, for the block after it or for the list item that begins with it.
    Attrs {
        attrs: ThinVec<Attr<'a>>,
        span: Span,
    },
    /// An HTML tag. `block` is the source offset at which its block of HTML begins.
    Tag {
        name: &'static str,
        opens: bool,
        attrs: ThinVec<Attr<'a>>,
        span: Span,
        block: usize,
    },
    /// An empty comment (`<!-- -->`), which separates lists and becomes no node.
    Separator,
}

/// Groups `items` by the directives and tags among them, and returns the nodes. `within` is the name of the
/// directive or element that contains all items; `None` if there is none.
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

/// The role of an item in a pair of an opener and its closer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partner {
    None,
    Opens,
    Closes,
}

/// Returns the role of each item. An opener or closer without a partner has the role [`Partner::None`].
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
                // A closer can close only the innermost opener, and only if that has at most as many colons.
                if let Some(&(opener, None, needed)) = open.last()
                    && needed <= *colons
                {
                    open.pop();
                    partners[opener] = Partner::Opens;
                    partners[at] = Partner::Closes;
                }
            }
            Item::Tag { name, opens: true, .. } => open.push((at, Some(name), 0)),
            // This search is short, because the limit of depth also limits the open tags.
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

/// Returns the index of the first opener without a closer.
pub(super) fn first_open(items: &[Item<'_>]) -> Option<usize> {
    match_up(items).iter().zip(items).position(|(partner, it)| *partner == Partner::None && it.opens())
}

impl Item<'_> {
    /// Returns whether the item is an opener: the items after it, up to its closer, become its content.
    pub(super) fn opens(&self) -> bool {
        matches!(self, Item::Open { form: Form::Container, .. } | Item::Tag { opens: true, .. })
    }
}

/// An open directive or element with the nodes read in it so far. The outermost level has no opener.
struct Level<'a> {
    opener: Option<Item<'a>>,
    name: Option<&'a str>,
    nodes: ThinVec<Node<'a>>,
    /// The attributes of a line of attributes, which the next node gets, and the span of that line.
    waiting: Option<(ThinVec<Attr<'a>>, Span)>,
}

impl<'a> Level<'a> {
    fn new(opener: Option<Item<'a>>, name: Option<&'a str>) -> Self {
        Self { opener, name, nodes: ThinVec::new(), waiting: None }
    }
}

/// The message for a directive that can't have the attributes or children that it was given.
const NOT_ALLOWED: &str = "expected attributes and content that the directive allows, but found others";

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
                    return self.text(span, "expected a list item around its attributes, but found none");
                }
                self.last().waiting = Some((attrs, span));
            }
            Item::Open { name, form: Form::Leaf, attrs, span, .. } => {
                let within = self.last().name;
                match directive::block(name, Form::Leaf, attrs, ThinVec::new(), within) {
                    Ok(node) => self.add(placed(node, span, span)),
                    Err(_) => self
                        .text(span, "expected the attributes that the directive requires, but found others"),
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
            Item::Open { span, .. } => self.text(span, "expected a closing :::, but found none"),
            Item::Close { span, .. } => {
                self.text(span, "expected an opening :::name before this, but found none")
            }
            Item::Tag { span, block, .. } => self.stray(span, block),
        }
    }

    fn last(&mut self) -> &mut Level<'a> {
        self.levels.last_mut().expect("the holder is never closed")
    }

    /// Returns whether the element `name` may open in the innermost open element: rows only in tables, cells
    /// only in rows, and other elements in neither.
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

    /// Turns a line of attributes that no block follows into a paragraph of text, with a diagnostic.
    fn settle_attrs(&mut self) {
        if let Some((_, span)) = self.last().waiting.take() {
            self.text(span, "expected a block after its attributes, but found none");
        }
    }

    fn text(&mut self, span: Span, message: &str) {
        let line = span.of(self.prepared.source);
        let shown: String = line.chars().take(80).collect();
        tell(self.diagnostics, Some(Diagnostic::loss(span, format!("{message}: {shown:?}"))));
        self.line(span);
    }

    /// Adds a line as a paragraph of text.
    fn line(&mut self, span: Span) {
        let line = span.of(self.prepared.source);
        // The line was already counted as a directive, so the text gets a limit of nodes of its own. All of
        // it must be kept.
        let room = Rc::new(NodeLimit::default());
        let mut runs = inline::label(self.prepared, span.range(), 0, &room);
        if room.has_refused() {
            runs = thin_vec![Node::raw(Kind::RawInline, "markdown", line).at(span, span)];
        }
        self.add(Node::new(Kind::Paragraph).at(span, span).holding(runs));
    }

    /// Keeps a tag that is not allowed here as raw source. If the node before it is raw source of the same
    /// block of HTML, that node gets the tag.
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
        let level = self.levels.pop().expect("a level that is closed was opened before");
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
            Err(kept) if !names::is_known(name, form) => {
                let meant = names::meant(name, form).map(|it| format!("did you mean :::{it}? "));
                let message = format!("expected the name of a directive: {}found", meant.unwrap_or_default());
                self.text(start, &message);
                kept.into_iter().for_each(|it| self.add(it));
                self.line(end);
            }
            Err(kept) => {
                self.text(start, NOT_ALLOWED);
                kept.into_iter().for_each(|it| self.add(it));
                self.text(end, NOT_ALLOWED);
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

/// Returns `node` with these spans. The media of a media single, which was made from the attributes of the
/// directive's opening line, gets an empty span at the start of `inner`.
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
