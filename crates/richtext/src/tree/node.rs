//! A node.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::attr::{Attr, Value};
use super::kind::Kind;
use super::mark::{Mark, MarkKind};
use super::span::Span;

/// A block, or something among text, with what it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// What it is.
    pub kind: Kind,
    /// All of it in the source: what has to be copied to have it again.
    pub span: Span,
    /// Of a node that holds others, what lies between its opening and its end; of text, its characters as they are spelled.
    pub inner: Span,
    /// What is said of it, in the order of the source.
    pub attrs: ThinVec<Attr<'a>>,
    /// Its marks, in the order of the source; of formats that nest them, the outermost first.
    pub marks: ThinVec<Mark<'a>>,
    /// Of [`Kind::Text`] its characters; of [`Kind::RawBlock`] and [`Kind::RawInline`] what was written.
    pub text: Cow<'a, str>,
    /// What it holds.
    pub children: ThinVec<Self>,
}

impl<'a> Node<'a> {
    /// A node of this kind, with nothing in it.
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

    /// Text.
    pub fn of_text(text: impl Into<Cow<'a, str>>) -> Self {
        let mut node = Self::new(Kind::Text);
        node.text = text.into();
        node
    }

    /// Something of `format` (`adf`, `storage`, `wiki`, `markdown`), kept as it was written.
    pub fn raw(kind: Kind, format: &'static str, text: impl Into<Cow<'a, str>>) -> Self {
        let mut node = Self::new(kind).with("/format", format);
        node.text = text.into();
        node
    }

    /// With a place in the source.
    #[must_use]
    pub fn at(mut self, span: Span, inner: Span) -> Self {
        self.span = span;
        self.inner = inner;
        self
    }

    /// With a string said of it.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        add(&mut self.attrs, Attr::string(name, value));
        self
    }

    /// With other JSON said of it: a number, a boolean, an object.
    #[must_use]
    pub fn with_json(mut self, name: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        add(&mut self.attrs, Attr::json(name, text));
        self
    }

    /// With this mark, after those it has.
    #[must_use]
    pub fn marked(mut self, mark: Mark<'a>) -> Self {
        add(&mut self.marks, mark);
        self
    }

    /// Holding these.
    #[must_use]
    pub fn holding(mut self, mut children: ThinVec<Self>) -> Self {
        children.shrink_to_fit();
        self.children = children;
        self
    }

    /// The attribute of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.attrs.iter().find(|it| it.name == name).map(|it| &it.value)
    }

    /// The attribute of this name, if it is a string.
    #[must_use]
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The attribute of this name, if it is a whole number.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_integer()
    }

    /// Its mark of this kind.
    #[must_use]
    pub fn mark(&self, kind: MarkKind) -> Option<&Mark<'a>> {
        self.marks.iter().find(|it| it.kind == kind)
    }

    /// The characters in it and below it, one after another; a hard break is a line feed.
    #[must_use]
    pub fn plain_text(&self) -> String {
        let mut text = String::new();
        self.gather(&mut text);
        text
    }

    /// Moves its places, and those of what it holds, so many bytes further on.
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

/// Adds `it` to `all`. Most lists of a tree have one member or two, and `push` alone would make room for four.
pub(crate) fn add<T>(all: &mut ThinVec<T>, it: T) {
    if all.len() < 3 {
        all.reserve_exact(1);
    }
    all.push(it);
}
