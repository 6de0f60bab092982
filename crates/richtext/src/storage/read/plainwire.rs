//! What another format left in storage format: our own macro `plainwire-raw`, and `fab:adf` of Atlassian's templates.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::Reader;
use super::macros::Macro;
use crate::format::known;
use crate::tree::{Attr, Kind, Mark, Node, Span, Value};

impl<'a> Reader<'_, 'a> {
    /// The node a `plainwire-raw` stands for: one of ADF, or something of another format as it was written there.
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
            // A block that ADF had among text.
            (false, true) => Some(raw),
            (true, false) => None,
            _ => Some(node),
        }
    }

    /// ADF as it stands in an element of templates.
    pub(super) fn embedded(&self, index: usize, kind: Kind) -> Option<Node<'a>> {
        let text = self.plain(index)?;
        let span = self.xml.item(index).span();
        let node = Some(self.within(text, span))
            .filter(|it| !it.kind.is_verbatim() && it.kind.is_inline() == kind.is_inline())?;
        let bare = self.xml.attributes(index).next().is_none();
        bare.then(|| if node.kind.is_inline() { node } else { node.with("storage:form", "fab:adf") })
    }

    /// The node that `text`, JSON of ADF within the element at `span`, is.
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

/// Gives all of the node one empty place: nothing of it stands in the source by itself.
fn settle(node: &mut Node<'_>, at: Span) {
    (node.span, node.inner) = (at, at);
    node.children.iter_mut().for_each(|it| settle(it, at));
}

/// The node with texts of its own.
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
