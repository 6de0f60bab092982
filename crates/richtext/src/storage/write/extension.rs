//! Writes ADF nodes that Confluence stores under their ADF names: `ac:adf-extension`.

use super::super::{escape, names, read};
use super::Writer;
use super::tag::Tag;
use crate::tree::{Attr, Holds, Kind, Node};

impl Writer {
    pub(super) fn adf_extension(&mut self, node: &Node<'_>) {
        if !fits(node) {
            return self.raw_adf(node);
        }
        self.out.push_str("<ac:adf-extension>");
        self.adf_node(node);
        if let Some(fallback) = node.text_of("storage:fallback") {
            self.out.push_str(&format!("<ac:adf-fallback>{fallback}</ac:adf-fallback>"));
        }
        self.out.push_str("</ac:adf-extension>");
    }

    /// Writes `node` as an `ac:adf-node` under its ADF name, with its attributes and contents.
    pub(super) fn adf_node(&mut self, node: &Node<'_>) {
        let name = names::kebab(node.kind.adf_name().unwrap_or_default());
        let said: Vec<_> = node.attrs.iter().filter(|it| is_key(it)).collect();
        let used: Vec<_> = said.iter().map(|it| &*it.name).collect();
        self.tag(Tag::of("ac:adf-node", node).but(&used), &[("type", &name)]);
        for attr in said {
            self.out.push_str("<ac:adf-attribute");
            self.attribute("key", &names::kebab(&attr.name));
            self.out.push('>');
            escape::encode(&mut self.out, attr.value.shown());
            self.close("ac:adf-attribute");
        }
        if node.kind == Kind::DecisionList {
            node.children.iter().for_each(|it| self.adf_node(it));
        } else if !node.children.is_empty() {
            self.out.push_str("<ac:adf-content>");
            self.blocks(&node.children, node.kind);
            self.out.push_str("</ac:adf-content>");
        }
        self.close("ac:adf-node");
    }
}

/// Returns whether a node of this kind reads back unchanged when it is written as an `ac:adf-node`.
fn fits(node: &Node<'_>) -> bool {
    match node.kind {
        Kind::DecisionList => node.children.iter().all(|it| it.kind == Kind::DecisionItem),
        Kind::CodeBlock => false,
        it => it.holds() != Holds::Blocks || it == Kind::Panel,
    }
}

/// Returns whether the attribute has an ADF name and reads back with its JSON type from an
/// `ac:adf-attribute`.
fn is_key(attr: &Attr<'_>) -> bool {
    let kebab = names::kebab(&attr.name);
    let plain =
        !attr.name.contains([':', '/']) && names::is_name(&kebab) && names::camel(&kebab) == attr.name;
    plain && attr.value == read::typed(attr.name.clone(), attr.value.shown().into()).value
}
