//! Markdown: CommonMark 0.31, GitHub's tables, strikethrough, tasks and alerts, and directives for everything
//! else.
//!
//! In: a source, or blocks. Out: blocks, or a source. Both flavours are read alike. `Flavor::Extended`
//! carries a whole document except identifiers (`localId`, ids of macros); `Flavor::Plain` is for display.
//! `docs/extended-markdown.md` describes the syntax:
//!
//! - `:status[OK]{color=green}` within text, `::card{url=…}` on a line of its own, `:::panel{type=info}` to
//!   `:::` around blocks;
//! - `{align=center}` as the last line of a paragraph, at the end of a heading, after the language of a
//!   fence, or on a line of its own before any other block;
//! - attributes as `{name=word name="JSON string" name='{"any": "JSON"}'}`;
//! - `<u>`, `<sub>`, `<sup>`, `<br>`, and `<table>` and `<details>` with their blocks between blank lines;
//! - a fence with the language `adf`, `storage` or `wiki`, whose text is in that format.
//!
//! The span `inner` of the text node for a code span includes the backticks around the code. They show that
//! the code contains no escapes.

mod attrs;
mod names;
mod read;
mod spelled;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use read::Partly;

use thin_vec::ThinVec;

use crate::Flavor;
use crate::diagnostic::Diagnostic;
use crate::spelling::Spelling;
use crate::tree::{Kind, Node, NodeLimit, Span};

/// Returns the extended Markdown of `blocks` for an edit, without what an edit leaves as it is ([`lean`](crate::lean)), and for
/// each block the byte offset in that Markdown at which its text ends.
pub(crate) fn for_edit(blocks: &[Node<'_>]) -> (String, Vec<usize>) {
    write::for_edit(blocks)
}

/// Reads `source`, and drops the children of each top-level block for whose source text `keep` returns false;
/// a list of tasks always keeps its children. This saves memory for callers that need few blocks of a long
/// text.
pub(crate) fn blocks_where<'a>(source: &'a str, keep: &dyn Fn(&str) -> bool) -> Partly<'a> {
    read::document_where(source, keep)
}

/// Joins the texts of each block of code, which signs such as the `>` of a quote divide in the source: for nodes that are written
/// elsewhere.
pub(crate) fn join_code(blocks: &mut [Node<'_>]) {
    for block in blocks {
        if block.kind == Kind::CodeBlock && block.children.len() > 1 {
            let code: String = block.children.iter().map(|it| &*it.text).collect();
            let inner = block.inner;
            block.children.truncate(1);
            block.children[0] = Node::of_text(code).at(inner, Span::at(inner.end as usize));
        }
        join_code(&mut block.children);
    }
}

/// The Markdown format. The flavour only matters for writing: both are read alike.
pub(crate) struct Markdown {
    pub(crate) flavor: Flavor,
}

impl Spelling for Markdown {
    fn read_within<'a>(&self, source: &'a str, room: NodeLimit) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
        read::document(source, room)
    }

    fn document(&self, blocks: &[Node<'_>]) -> String {
        write::document(blocks, self.flavor)
    }

    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String {
        write::part(nodes, parent, self.flavor)
    }

    fn between(&self, parent: Option<&Node<'_>>) -> &'static str {
        write::between(parent)
    }

    fn text(&self, text: &str, within: Kind, before: &str, after: &str) -> String {
        match within {
            Kind::CodeBlock => text.to_owned(),
            _ => write::text(text, before, after),
        }
    }

    fn place(&self, spelling: &str, within: Kind, offset: usize) -> Option<usize> {
        match within {
            Kind::CodeBlock => spelling.is_char_boundary(offset).then_some(offset),
            _ => spelled::place(spelling, offset),
        }
    }
}
