//! Finds storage format that an author wrote and that is not well-formed XML.

use super::names;
use super::xml::{Sort, Xml, shortened};
use crate::diagnostic::Diagnostic;
use crate::tree::Node;

/// Returns a diagnostic for each raw node of storage format that is not well-formed XML: it would be written as it is, and
/// Confluence would refuse the page.
pub(crate) fn malformed(nodes: &[Node<'_>]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut open: Vec<&Node<'_>> = nodes.iter().rev().collect();
    while let Some(node) = open.pop() {
        if node.kind.is_verbatim() && node.text_of("/format") == Some("storage") {
            let why = fault(&node.text).map(|it| format!("storage format: {it}"));
            found.extend(why.map(|it| Diagnostic::new(node.span, it)));
        }
        open.extend(node.children.iter().rev());
    }
    found
}

/// Returns what keeps `text` from being well-formed; `None` if nothing does.
fn fault(text: &str) -> Option<String> {
    let (xml, diagnostics) = Xml::parse(text);
    let is_odd = |it: &usize| xml.items[*it].sort == Sort::Element && !names::is_name(xml.name(*it));
    let odd = || (0..xml.items.len()).find(is_odd);
    let named =
        |it: usize| format!("expected the name of an element, but found {:?}", shortened(xml.name(it)));
    diagnostics.first().map(|it| it.message.clone()).or_else(|| odd().map(named))
}
