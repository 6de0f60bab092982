//! Reads ADF nodes that Confluence stores under their ADF names: `ac:adf-extension`.

use std::borrow::Cow;

use super::super::{names, style, xml};
use super::{Reader, Scope, inline};
use crate::tree::{Attr, Holds, Kind, Node};

impl<'a> Reader<'_, 'a> {
    /// Reads the node of an `ac:adf-extension`. The fallback, which Confluence shows if it does not know the
    /// node, is kept verbatim.
    pub(super) fn adf_extension(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let (mut held, mut fallback) = (None, None);
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            let repeated = match self.xml.name(child) {
                "ac:adf-node" => held.replace(child).is_some(),
                "ac:adf-fallback" => fallback.replace(child).is_some(),
                _ => true,
            };
            if repeated {
                return None;
            }
        }
        let mut node = self.adf_node(held?, scope)?;
        node.span = self.xml.item(index).span();
        node.attrs.extend(self.said(index, &[]));
        if !is_usual(&node) {
            node.attrs.push(Attr::string("storage:form", "ac:adf-extension"));
        }
        if fallback.is_some_and(|it| !xml::is_sound(self.xml.inner(it))) {
            return None;
        }
        node.attrs.extend(fallback.map(|it| Attr::string("storage:fallback", self.xml.inner(it))));
        Some(self.finish(index, node))
    }

    fn adf_node(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let kind =
            Kind::of_adf(&names::camel(&self.xml.attribute(index, "type")?)).filter(|it| !it.is_inline())?;
        if self.is_too_deep(index, scope.depth) {
            return None;
        }
        let mut node = self.element(index, kind, &["type"]);
        let mut content = None;
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            self.room_for(child)?;
            match self.xml.name(child) {
                "ac:adf-attribute" => node.attrs.push(self.adf_attribute(child)?),
                "ac:adf-node" if kind.holds() == Holds::Blocks && content.is_none() => {
                    let held = self.adf_node(child, scope.deeper())?;
                    node.children.push(held);
                }
                "ac:adf-content" if node.children.is_empty() && content.is_none() => content = Some(child),
                _ => return None,
            }
        }
        if let Some(content) = content {
            self.adf_content(content, &mut node, scope)?;
        }
        Some(self.finish(index, node))
    }

    fn adf_content(&mut self, index: usize, node: &mut Node<'a>, scope: Scope) -> Option<()> {
        node.inner = self.xml.item(index).inner();
        match node.kind.holds() {
            Holds::Blocks => node.children = self.blocks(self.xml.children(index), scope.deeper()),
            Holds::Inlines if node.kind != Kind::CodeBlock && !self.xml.item(index).has_blocks => {
                let run = inline::Run::within(node.inner, scope.depth + 1);
                self.inlines(self.xml.children(index), &run, &mut node.children);
            }
            _ => return None,
        }
        Some(())
    }

    fn adf_attribute(&self, index: usize) -> Option<Attr<'a>> {
        let name = names::camel(&self.xml.attribute(index, "key")?);
        let value = self.plain(index)?;
        Some(typed(name.into(), value))
    }
}

/// Returns whether Confluence stores this node only as an `ac:adf-extension`.
pub(in super::super) fn is_usual(node: &Node<'_>) -> bool {
    node.kind == Kind::DecisionList || node.kind == Kind::Panel && node.text_of("panelType") == Some("tip")
}

/// Returns an attribute with the JSON type that ADF has for `name`: a number, a boolean or a string.
pub(in super::super) fn typed<'a>(name: Cow<'a, str>, value: Cow<'a, str>) -> Attr<'a> {
    let numeric = matches!(
        &*name,
        "width"
            | "height"
            | "level"
            | "order"
            | "colspan"
            | "rowspan"
            | "size"
            | "originalWidth"
            | "originalHeight"
    );
    let flag = matches!(&*name, "isNumberColumnEnabled" | "wrap" | "hideLineNumbers")
        && matches!(&*value, "true" | "false");
    if numeric && style::is_number(&value) || flag {
        Attr::json(name, value)
    } else {
        Attr::string(name, value)
    }
}
