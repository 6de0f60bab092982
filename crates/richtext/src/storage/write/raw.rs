//! Writes raw nodes (source kept verbatim), and nodes that storage format has no spelling for.

use super::super::{escape, read, xml};
use super::Writer;
use crate::plainer::plainer;
use crate::tree::{Kind, Node};
use crate::values::html;

impl Writer {
    /// Writes a raw node: verbatim if its source is storage format that reads back as this node, as visible
    /// text if it is from Markdown, otherwise in the macro `plainwire-raw`.
    pub(super) fn raw(&mut self, node: &Node<'_>) {
        let format = node.text_of("/format").unwrap_or_default();
        match format {
            "storage" if stood_so(node) || stands_alone(node) => self.out.push_str(&node.text),
            "markdown" => self.seen(node),
            _ if self.keep_raw => self.plainwire(format, &node.text),
            _ => self.plain(node),
        }
    }

    /// Writes a block as `fab:adf`, the way Atlassian's templates embed ADF.
    pub(super) fn embedded(&mut self, node: &Node<'_>) {
        let mut bare = node.clone();
        bare.attrs.retain(|it| it.name != "storage:form");
        self.out.push_str("<fab:adf>");
        self.data(&[Node::of_text(crate::adf::node_json(&bare))]);
        self.close("fab:adf");
    }

    /// Writes plainer nodes in place of `node`, without the marks of an inline node, whose elements are already open.
    fn plain(&mut self, node: &Node<'_>) {
        for plain in &plainer(node) {
            if plain.kind.is_inline() && node.kind.is_inline() {
                escape::encode(&mut self.out, &plain.text);
            } else if node.kind != Kind::Paragraph || plain.kind != Kind::Paragraph {
                self.blocks(std::slice::from_ref(plain), Kind::Group);
            } else {
                self.out.push_str("<p>");
                self.inlines(&plain.children);
                self.close("p");
            }
        }
    }

    /// Writes what storage format has no element for: plainer nodes, or with `keep_raw` the node as ADF in the macro
    /// `plainwire-raw`. The JSON of an inline node has no marks, because their elements are written around the macro.
    pub(super) fn raw_adf(&mut self, node: &Node<'_>) {
        if !self.keep_raw {
            return self.plain(node);
        }
        let json = if node.kind.is_inline() && !node.marks.is_empty() {
            let mut bare = node.clone();
            bare.marks.clear();
            crate::adf::node_json(&bare)
        } else {
            crate::adf::node_json(node)
        };
        self.plainwire("adf", &json);
    }

    fn plainwire(&mut self, format: &str, text: &str) {
        self.out.push_str("<ac:structured-macro ac:name=\"plainwire-raw\" ac:schema-version=\"1\"><ac:parameter ac:name=\"format\">");
        escape::encode(&mut self.out, format);
        self.out.push_str("</ac:parameter><ac:plain-text-body>");
        self.data(&[Node::of_text(text)]);
        self.out.push_str("</ac:plain-text-body></ac:structured-macro>");
    }

    /// Writes the visible text of a raw node from Markdown, which is HTML without a meaning in storage
    /// format.
    fn seen(&mut self, node: &Node<'_>) {
        let text = html::seen(&node.text);
        let shown = text.trim();
        if node.kind == Kind::RawInline {
            escape::encode(&mut self.out, &text);
        } else if !shown.is_empty() {
            self.out.push_str("<p>");
            escape::encode(&mut self.out, shown);
            self.out.push_str("</p>");
        }
    }
}

/// Returns whether the node's text was copied from a source of storage format (it is as long as the node's
/// span) and is complete markup. Such text is read back as the same node.
fn stood_so(node: &Node<'_>) -> bool {
    // The span of a marked node is that of the element that marks it.
    let place = if node.marks.is_empty() { node.span } else { node.inner };
    !node.text.is_empty() && place.len() == node.text.len() && xml::is_sound(&node.text)
}

/// Returns whether the node's text, read without anything around it, gives only this node.
fn stands_alone(node: &Node<'_>) -> bool {
    let (found, wrong) =
        if node.kind.is_inline() { read::read_inline(&node.text) } else { read::read(&node.text) };
    let [only] = &found[..] else { return false };
    wrong.is_empty()
        && only.kind == node.kind
        && only.text == node.text
        && only.text_of("/format") == Some("storage")
}
