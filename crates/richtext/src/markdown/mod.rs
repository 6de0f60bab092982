//! Markdown: CommonMark 0.31, GitHub's tables, strikethrough, tasks and alerts, and directives for everything else.
//!
//! In: a source, or blocks. Out: blocks, or a source. Both flavours are read alike; `Flavor::Extended` carries all of a document but
//! what only identifies (`localId`, ids of macros), `Flavor::Plain` is for reading. `docs/extended-markdown.md` describes all of it:
//!
//! - `:status[OK]{color=green}` among text, `::card{url=…}` on a line, `:::panel{type=info}` to `:::` around blocks;
//! - `{align=center}` in the last line of a paragraph, at the end of a heading or after a language, alone before any other block;
//! - `{name=word name="JSON string" name='{"any": "JSON"}'}`;
//! - `<u>`, `<sub>`, `<sup>`, `<br>`, `<table>` and `<details>` whose blocks stand between blank lines;
//! - a fence of `adf`, `storage` or `wiki` holds what is written in that format.
//!
//! Of places: the `inner` of text with the mark `code` holds its backticks, so that it tells that nothing in it is escaped.

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
use crate::tree::{Kind, Node, Room};

/// The Markdown of these blocks, and where in it each of them ends.
pub(crate) fn document_with_ends(blocks: &[Node<'_>]) -> (String, Vec<usize>) {
    write::document_with_ends(blocks)
}

/// The blocks of `source`, of which those at the top whose text `keep` does not want hold nothing. Who looks for a few blocks of a long
/// text need not have the tree of all of it.
pub(crate) fn blocks_where<'a>(source: &'a str, keep: &dyn Fn(&str) -> bool) -> Partly<'a> {
    read::document_where(source, keep)
}

/// The format.
pub(crate) struct Markdown {
    pub(crate) flavor: Flavor,
}

impl Spelling for Markdown {
    fn read_within<'a>(&self, source: &'a str, room: Room) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
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
