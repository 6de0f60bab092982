//! Reads content of other formats: our own macro `plainwire-raw`, and `fab:adf` of Atlassian's templates.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::Reader;
use super::macros::Macro;
use crate::format::known;
use crate::tree::{Attr, Kind, Mark, Node, Span, Value};

impl<'a> Reader<'_, 'a> {
    /// Returns the node in a `plainwire-raw` macro: an ADF node, or a raw node of another format. Returns
    /// `None` if the macro is incomplete, its format is unknown, or an inline node is in the place of a
    /// block.
    pub(super) fn plainwire(&self, index: usize, found: &Macro<'a>, kind: Kind) -> Option<Node<'a>> {
        let format = found.param("format")?;
        let text = found.body_text(self)?;
        let span = self.xml.item(index).span();
        let name = known(format)?;
        if name != "adf" {
            return Some(Node::raw(kind, name, text).at(span, span));
        }
        let raw = Node::raw(kind, name, text.clone()).at(span, span);
        let node = self.within(text, span);
        match (node.kind.is_inline(), kind.is_inline()) {
            // An ADF block within text stays raw.
            (false, true) => Some(raw),
            (true, false) => None,
            _ => Some(node),
        }
    }

    /// Reads `fab:adf`, the element with which Atlassian's templates embed ADF; returns `None` if the ADF is
    /// malformed or does not fit at this position.
    pub(super) fn embedded(&self, index: usize, kind: Kind) -> Option<Node<'a>> {
        let text = self.plain(index)?;
        let span = self.xml.item(index).span();
        let node = Some(self.within(text, span))
            .filter(|it| !it.kind.is_verbatim() && it.kind.is_inline() == kind.is_inline())?;
        let bare = self.xml.attributes(index).next().is_none();
        bare.then(|| if node.kind.is_inline() { node } else { node.with("storage:form", "fab:adf") })
    }

    /// Parses `text`, the JSON of an ADF node in the element at `span`.
    fn within(&self, text: Cow<'a, str>, span: Span) -> Node<'a> {
        let (room, at) = (&self.room, span.start as usize);
        let mut node = match text {
            Cow::Borrowed(text) => crate::adf::read_node(text, room, at),
            Cow::Owned(text) => owned(crate::adf::read_node(&text, room, at)),
        };
        settle(&mut node, Span::at(span.end as usize));
        node.span = span;
        node
    }
}

/// Gives the node and its descendants the span `at`, because none of them has a span of its own in the
/// source.
fn settle(node: &mut Node<'_>, at: Span) {
    (node.span, node.inner) = (at, at);
    node.children.iter_mut().for_each(|it| settle(it, at));
}

/// Copies the node so that it owns its texts.
fn owned(node: Node<'_>) -> Node<'static> {
    let own = |it: Cow<'_, str>| Cow::Owned(it.into_owned());
    let attrs = |it: ThinVec<Attr<'_>>| {
        let own_attr = |it: Attr<'_>| Attr {
            name: own(it.name),
            value: match it.value {
                Value::Str(text) => Value::Str(own(text)),
                Value::Json(text) => Value::Json(own(text)),
            },
        };
        it.into_iter().map(own_attr).collect()
    };
    Node {
        kind: node.kind,
        span: node.span,
        inner: node.inner,
        attrs: attrs(node.attrs),
        marks: node.marks.into_iter().map(|it| Mark { kind: it.kind, attrs: attrs(it.attrs) }).collect(),
        text: own(node.text),
        children: node.children.into_iter().map(owned).collect(),
    }
}
