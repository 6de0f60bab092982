//! Tests of spans: the source at the span of each text node decodes to its text, and the positions of its
//! characters in that source are in order.

use super::super::spelled;
use super::*;

/// Asserts that the source at the `inner` span of each text node decodes to the text of the node.
pub(super) fn texts_decode(nodes: &[Node<'_>], source: &str, name: &str) {
    for node in nodes {
        if node.kind == Kind::Text && !node.inner.is_empty() {
            let spelling = node.inner.of(source);
            let decoded = spelled::decoded(spelling);
            // In code there are no escapes, so the source is the text itself.
            assert!(
                decoded == node.text || *spelling == *node.text,
                "{name}: {spelling:?} spells {decoded:?}, not {:?}",
                node.text
            );
            let within = if decoded == node.text { Kind::Text } else { Kind::CodeBlock };
            places_increase(spelling, within, &node.text);
        }
        texts_decode(&node.children, source, name);
    }
}

fn places_increase(spelling: &str, within: Kind, text: &str) {
    let mut last = 0;
    for (at, _) in text.char_indices() {
        if let Some(found) = EXTENDED.place(spelling, within, at) {
            assert!(
                found >= last && spelling.is_char_boundary(found),
                "{at} of {text:?} is at {found} of {spelling:?}"
            );
            last = found;
        }
    }
}

#[test]
fn texts_over_several_lines_have_places() {
    for source in ["a\n     > b", "> a  \tb \n>  c & d\n> \\* e", "- a\r\n  b &lt;\n  c", "a\\\n  b\nc"] {
        let nodes = read(source);
        texts_decode(&nodes, source, source);
        assert!(texts(&nodes).iter().all(|it| !it.inner.is_empty()), "{source:?}: {nodes:?}");
    }
}

fn texts<'n, 'a>(nodes: &'n [Node<'a>]) -> Vec<&'n Node<'a>> {
    let below = |it: &'n Node<'a>| if it.kind == Kind::Text { vec![it] } else { texts(&it.children) };
    nodes.iter().flat_map(below).collect()
}
