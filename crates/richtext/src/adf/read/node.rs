//! Reads one node from a JSON object, whose keys may be in any order, and decides its kind.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::super::ELEMENT;
use super::{Broken, Names, Reader};
use crate::diagnostic::Diagnostic;
use crate::tree::{Attr, Holds, Kind, MAX_DEPTH, Mark, Node, Span, add};

/// The keys and values of a node's JSON object, before the kind of the node is known.
#[derive(Default)]
pub(super) struct Draft<'a> {
    /// The value of `type`, if that is a string.
    pub(super) kind_name: Option<Cow<'a, str>>,
    /// The nodes in `content`, and the span between its brackets.
    pub(super) content: Option<(ThinVec<Node<'a>>, Span)>,
    attrs: ThinVec<Attr<'a>>,
    marks: ThinVec<Mark<'a>>,
    /// The value of `text`, and the span between its quotes.
    text: Option<(Cow<'a, str>, Span)>,
    /// The members of the object that no other field has, as attributes with `/` before the key.
    keys: ThinVec<Attr<'a>>,
    /// The diagnostic for a `type` or `content` of the wrong JSON type. A node with such a key becomes raw.
    misshapen: Option<Diagnostic>,
    /// True if the source stopped being JSON within `content`. The child nodes before that point are kept.
    broken_within: bool,
}

impl Draft<'_> {
    /// Returns whether the object has no keys besides `type`, `version` and `content`.
    pub(super) fn says_nothing(&self) -> bool {
        let bare = self.attrs.is_empty() && self.marks.is_empty() && self.text.is_none();
        bare && self.misshapen.is_none() && self.keys.iter().all(|it| it.name == "/version")
    }

    /// Returns the names of the keys that a document does not have.
    pub(super) fn unknown_keys(&self) -> Vec<String> {
        let keys = self.keys.iter().map(|it| it.name.trim_start_matches('/').to_owned());
        let parts = [("attrs", !self.attrs.is_empty()), ("marks", !self.marks.is_empty())];
        let parts = parts.into_iter().filter(|it| it.1).map(|it| it.0.to_owned());
        keys.filter(|it| !matches!(&**it, "version" | "attrs" | "marks" | "content" | "text"))
            .chain(parts)
            .collect()
    }
}

impl<'a> Reader<'a> {
    /// Reads the node at the current position. `depth` is the number of nodes around it. Also returns an
    /// error if the source stops being JSON within the node.
    fn node(&mut self, depth: usize) -> (Node<'a>, Result<(), Broken>) {
        let start = self.scan.at;
        if depth > MAX_DEPTH {
            return self.too_deep();
        }
        let (draft, read) = self.draft(depth);
        self.room.take(1);
        let broken = if read.is_ok() { Ok(()) } else { Err(Broken) };
        (self.finish(draft, start, read), broken)
    }

    fn too_deep(&mut self) -> (Node<'a>, Result<(), Broken>) {
        let start = self.scan.at;
        self.room.take(1);
        let skipped = self.scan.value();
        let skipped = self.sound(skipped);
        let end = if skipped.is_ok() { self.scan.at } else { self.scan.source.len() };
        let found = format!("expected at most {MAX_DEPTH} nested nodes, but found more");
        self.say(Diagnostic::new(Span::new(start, end), found));
        (self.raw(start, end), skipped)
    }

    /// Reads the keys and values of the object at the current position. `depth` is the number of nodes around
    /// it. Also returns an error if the source stops being JSON within the object.
    pub(super) fn draft(&mut self, depth: usize) -> (Draft<'a>, Result<(), Broken>) {
        let mut draft = Draft::default();
        let read = self.members(|reader, key| reader.member(&mut draft, key, depth));
        self.last_of_each(&mut draft.keys);
        (draft, read)
    }

    fn member(&mut self, draft: &mut Draft<'a>, key: Cow<'a, str>, depth: usize) -> Result<(), Broken> {
        let start = self.scan.at;
        match (&*key, self.scan.peek()) {
            ("type", Some(b'"')) => draft.kind_name = Some(self.characters()?.0),
            ("text", Some(b'"')) => draft.text = Some(self.text()?),
            ("attrs", Some(b'{')) => {
                draft.attrs.clear();
                self.attrs_into(&mut draft.attrs, &mut draft.keys)?;
            }
            ("marks", Some(b'[')) => self.marks_into(&mut draft.marks, &mut draft.keys)?,
            ("content", Some(b'[')) => {
                let (nodes, inner, read) = self.content(depth + 1);
                draft.broken_within = read.is_err();
                if nodes.is_empty() {
                    draft.keys.push(Attr::json("/content", inner_with_brackets(self.scan.source, inner)));
                }
                draft.content = Some((nodes, inner));
                read?;
            }
            (name @ ("type" | "content"), _) => {
                let wanted = if name == "type" { "a string" } else { "an array" };
                let found = format!("expected `{name}` to be {wanted}, but found {}", self.scan.found());
                self.other(&key, &mut draft.keys)?;
                draft.misshapen = Some(Diagnostic::new(Span::new(start, self.scan.at), found));
            }
            _ => self.other(&key, &mut draft.keys)?,
        }
        Ok(())
    }

    /// Reads the string `text` of a node at the current position, with the span between its quotes.
    fn text(&mut self) -> Result<(Cow<'a, str>, Span), Broken> {
        let (text, span) = self.characters()?;
        if let Some(at) = super::super::text::lone_surrogate(span.of(self.scan.source)) {
            let at = span.start as usize + at;
            let found = "expected a surrogate pair, but found half of one";
            self.say(Diagnostic::new(Span::new(at, at + 6), found));
        }
        Ok((text, span))
    }

    /// Reads the nodes of the array at the current position. Returns the nodes, the span between the
    /// brackets, and whether the array was read to its end.
    pub(super) fn content(&mut self, depth: usize) -> (ThinVec<Node<'a>>, Span, Result<(), Broken>) {
        self.scan.at += 1;
        let start = self.scan.at;
        let mut nodes = ThinVec::new();
        let read = self.items(&mut nodes, depth);
        let end = match read {
            Ok(()) => self.scan.at - 1,
            Err(Broken) => self.scan.source.len(),
        };
        (nodes, Span::new(start, end), read)
    }

    fn items(&mut self, nodes: &mut ThinVec<Node<'a>>, depth: usize) -> Result<(), Broken> {
        self.scan.space();
        if self.scan.peek() == Some(b']') {
            self.scan.at += 1;
            return Ok(());
        }
        loop {
            self.scan.space();
            if self.room.is_full() {
                return self.rest(nodes);
            }
            let (node, read) = if self.scan.peek() == Some(b'{') { self.node(depth) } else { self.no_node() };
            if !node.span.is_empty() {
                add(nodes, node);
            }
            read?;
            self.scan.space();
            match self.scan.peek() {
                Some(b',') => self.scan.at += 1,
                Some(b']') => {
                    self.scan.at += 1;
                    return Ok(());
                }
                _ => return self.lost(nodes),
            }
        }
    }

    /// Keeps the remaining elements of the array as one raw node in `nodes`, because the node limit is
    /// reached.
    fn rest(&mut self, nodes: &mut ThinVec<Node<'a>>) -> Result<(), Broken> {
        let start = self.scan.at;
        self.room.refuse(start);
        let read = self.skip_items();
        let end = if read.is_ok() { self.scan.at } else { self.scan.source.len() };
        add(nodes, self.raw(start, self.scan.source[..end].trim_end().len()));
        read?;
        let closed = self.scan.expect(b']', "']'");
        self.sound(closed)
    }

    /// Skips the remaining values of the array, up to its closing bracket.
    fn skip_items(&mut self) -> Result<(), Broken> {
        loop {
            let skipped = self.scan.value();
            self.sound(skipped)?;
            self.scan.space();
            match self.scan.peek() {
                Some(b',') => self.scan.at += 1,
                Some(b']') => return Ok(()),
                _ => {
                    let fault = self.scan.fault("',' or ']'");
                    return self.sound(Err(fault));
                }
            }
        }
    }

    /// Makes a raw node of an element of `content` that is not an object.
    fn no_node(&mut self) -> (Node<'a>, Result<(), Broken>) {
        let start = self.scan.at;
        self.room.take(1);
        let found = format!("expected a node, but found {}", self.scan.found());
        let skipped = self.scan.value();
        let skipped = self.sound(skipped);
        let end = if skipped.is_ok() { self.scan.at } else { self.scan.source.len() };
        if skipped.is_ok() {
            self.say(Diagnostic::new(Span::new(start, end), found));
        }
        (self.raw(start, end), skipped)
    }

    /// Keeps the remaining source as a raw node in `nodes`, because the element before it is followed by
    /// neither `,` nor `]`.
    fn lost(&mut self, nodes: &mut ThinVec<Node<'a>>) -> Result<(), Broken> {
        let fault = self.scan.fault("',' or ']'");
        self.say(fault.0);
        if self.scan.at < self.scan.source.len() {
            nodes.push(self.raw(self.scan.at, self.scan.source.len()));
        }
        Err(Broken)
    }

    /// Makes a node of `draft`, whose object began at the offset `start` and ends at the current position;
    /// `read` is an error if the source stopped being JSON within it. The node is raw if its type is unknown,
    /// if its keys are malformed, or if the source stopped being JSON outside of `content`.
    pub(super) fn finish(&mut self, draft: Draft<'a>, start: usize, read: Result<(), Broken>) -> Node<'a> {
        let is_whole = read.is_ok();
        let end = if is_whole { self.scan.at } else { self.scan.source.len() };
        let kind = draft.kind_name.as_deref().and_then(|it| self.kind(it));
        if let (Some(kind), None, true) = (kind, &draft.misshapen, is_whole || draft.broken_within) {
            return self.known(kind, draft, Span::new(start, end));
        }
        if is_whole {
            let untyped = draft.kind_name.is_none().then(|| {
                let span = Span::new(start, end);
                Diagnostic::new(span, "expected `type` to be a string, but found none")
            });
            draft.misshapen.or(untyped).into_iter().for_each(|it| self.say(it));
        }
        self.raw(start, end)
    }

    /// Returns the node kind called `name` in ADF, or in [`OWN`](super::super::OWN) if the JSON has the names
    /// of the tree.
    fn kind(&self, name: &str) -> Option<Kind> {
        let own = || super::super::OWN.iter().find(|it| it.0 == name).map(|it| it.1);
        Kind::of_adf(name).or_else(|| own().filter(|_| self.names == Names::Tree))
    }

    fn known(&mut self, kind: Kind, draft: Draft<'a>, span: Span) -> Node<'a> {
        let Draft { content, attrs, marks, text, keys, .. } = draft;
        let mut node = Node::new(kind);
        node.span = span;
        node.inner = Span::at((span.end as usize).saturating_sub(1).max(span.start as usize));
        node.attrs = attrs;
        let element = node.attrs.iter_mut().filter(|it| kind == Kind::Group && it.name == ELEMENT);
        element.for_each(|it| it.name = "/type".into());
        node.attrs.extend(keys);
        node.marks = marks;
        match (kind, text) {
            (Kind::Text, Some((text, inner))) => {
                node.text = text;
                node.inner = inner;
            }
            (Kind::Text, None) => {
                let found = "expected `text` to be a string, but found none";
                self.say(Diagnostic::new(span, found));
                return self.raw(span.start as usize, span.end as usize);
            }
            (_, Some((_, inner))) => {
                let spelled = Span::new(inner.start as usize - 1, inner.end as usize + 1);
                node.attrs.push(Attr::json("/text", spelled.of(self.scan.source)));
            }
            (_, None) => {}
        }
        if let Some((nodes, inner)) = content {
            self.hold(&mut node, nodes, inner);
        }
        self.unwrapped(node)
    }

    fn hold(&mut self, node: &mut Node<'a>, nodes: ThinVec<Node<'a>>, inner: Span) {
        if node.kind.holds() != Holds::Nothing {
            node.children = self.settle(Some(node.kind), nodes);
            node.inner = inner;
            return;
        }
        if !nodes.is_empty() {
            let name = node.kind.adf_name().unwrap_or_default();
            self.say(Diagnostic::new(
                inner,
                format!("expected no children in a {name}, but found `content`"),
            ));
            node.attrs.push(Attr::json("/content", inner_with_brackets(self.scan.source, inner)));
        }
    }
}

/// Returns the JSON array in `source` whose brackets enclose `inner`, with these brackets; `[]` if the
/// closing one is missing.
fn inner_with_brackets(source: &str, inner: Span) -> &str {
    source.get(inner.start as usize - 1..inner.end as usize + 1).unwrap_or("[]")
}
