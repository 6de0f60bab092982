//! Nodes of the tree.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::attr::{Attr, Value};
use super::kind::Kind;
use super::mark::{Mark, MarkKind};
use super::span::Span;

/// A block or an inline node, with its children.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// The kind of node.
    pub kind: Kind,
    /// The bytes of the whole node in the source: copying them reproduces the node. Inline nodes that share
    /// one element for their marks also share this span ([rules](crate::tree)).
    pub span: Span,
    /// For a node with children, the bytes between its opening and its closing markup; for text, its
    /// characters as the source spells them.
    pub inner: Span,
    /// The attributes, in the order of the source.
    pub attrs: ThinVec<Attr<'a>>,
    /// The marks, in the order of the source; in formats that nest them, the outermost first.
    pub marks: ThinVec<Mark<'a>>,
    /// For [`Kind::Text`] the characters; for [`Kind::RawBlock`] and [`Kind::RawInline`] the source,
    /// verbatim; for other kinds empty.
    pub text: Cow<'a, str>,
    /// The child nodes, in the order of the source.
    pub children: ThinVec<Self>,
}

impl<'a> Node<'a> {
    /// Creates a node of this kind without attributes, marks, text and children, and with empty spans.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            span: Span::default(),
            inner: Span::default(),
            attrs: ThinVec::new(),
            marks: ThinVec::new(),
            text: Cow::Borrowed(""),
            children: ThinVec::new(),
        }
    }

    /// Creates a text node.
    pub fn of_text(text: impl Into<Cow<'a, str>>) -> Self {
        let mut node = Self::new(Kind::Text);
        node.text = text.into();
        node
    }

    /// Creates a raw node of the kind [`Kind::RawBlock`] or [`Kind::RawInline`]: `text` verbatim, in `format`
    /// (`adf`, `storage`, `wiki`, `markdown`).
    pub fn raw(kind: Kind, format: &'static str, text: impl Into<Cow<'a, str>>) -> Self {
        let mut node = Self::new(kind).with("/format", format);
        node.text = text.into();
        node
    }

    /// Sets [`span`](Self::span) and [`inner`](Self::inner).
    #[must_use]
    pub fn at(mut self, span: Span, inner: Span) -> Self {
        self.span = span;
        self.inner = inner;
        self
    }

    /// Adds an attribute with a string value.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        add(&mut self.attrs, Attr::string(name, value));
        self
    }

    /// Adds an attribute whose value is JSON other than a string (a number, a boolean, an object), spelled as
    /// in `text`.
    #[must_use]
    pub fn with_json(mut self, name: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        add(&mut self.attrs, Attr::json(name, text));
        self
    }

    /// Adds a mark after the existing ones.
    #[must_use]
    pub fn marked(mut self, mark: Mark<'a>) -> Self {
        add(&mut self.marks, mark);
        self
    }

    /// Sets the children.
    #[must_use]
    pub fn holding(mut self, mut children: ThinVec<Self>) -> Self {
        children.shrink_to_fit();
        self.children = children;
        self
    }

    /// Returns the value of the attribute `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.attrs.iter().find(|it| it.name == name).map(|it| &it.value)
    }

    /// Returns the value of the attribute `name`, if it is a string.
    #[must_use]
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns the value of the attribute `name` as an integer, as [`Value::as_integer`] reads it.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_integer()
    }

    /// Returns the node's first mark of this kind.
    #[must_use]
    pub fn mark(&self, kind: MarkKind) -> Option<&Mark<'a>> {
        self.marks.iter().find(|it| it.kind == kind)
    }

    /// Returns the characters of all text nodes among the node and its descendants, joined; a hard break is a
    /// line feed. Other nodes without children, such as mentions and raw nodes, add nothing.
    #[must_use]
    pub fn plain_text(&self) -> String {
        let mut text = String::new();
        self.gather(&mut text);
        text
    }

    /// Moves the spans of the node and its descendants forward by `by` bytes.
    pub(crate) fn shift(&mut self, by: usize) {
        (self.span, self.inner) = (self.span.shifted(by), self.inner.shifted(by));
        self.children.iter_mut().for_each(|it| it.shift(by));
    }

    fn gather(&self, text: &mut String) {
        match self.kind {
            Kind::Text => text.push_str(&self.text),
            Kind::HardBreak => text.push('\n'),
            _ => self.children.iter().for_each(|it| it.gather(text)),
        }
    }
}

/// Adds `it` to `all`. As long as `all` has at most three elements, reserves no room for more: most lists of
/// a tree have one or two elements, and `push` would reserve room for four.
pub(crate) fn add<T>(all: &mut ThinVec<T>, it: T) {
    if all.len() < 3 {
        all.reserve_exact(1);
    }
    all.push(it);
}

/// Returns the nodes for which `of_kind` is true, among `nodes` and their descendants.
pub(crate) fn all<'n, 'a>(nodes: &'n [Node<'a>], of_kind: impl Fn(&Node<'_>) -> bool) -> Vec<&'n Node<'a>> {
    fn gather<'n, 'a>(
        node: &'n Node<'a>,
        of_kind: &dyn Fn(&Node<'_>) -> bool,
        found: &mut Vec<&'n Node<'a>>,
    ) {
        if of_kind(node) {
            found.push(node);
        }
        node.children.iter().for_each(|it| gather(it, of_kind, found));
    }
    let mut found = Vec::new();
    nodes.iter().for_each(|it| gather(it, &of_kind, &mut found));
    found
}
