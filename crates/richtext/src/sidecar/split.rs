//! Splits a source into blocks, each with its Markdown.

use super::{Entry, Sidecar};
use crate::compare::print;
use crate::document::Document;
use crate::format::{Dialect, Format};
use crate::tree::{Node, Span};

/// The most [stretches](Stretch) that are tried together to find blocks that have their meaning only
/// together.
const MAX_TOGETHER: usize = 8;

impl Sidecar {
    /// Returns the Markdown of [`Self::split`] without the work for a sidecar: for documents that are only shown. The source
    /// of one that is edited can still be split when the edit comes.
    ///
    /// ```
    /// use plainwire_richtext::{Dialect, Document, Format, Sidecar};
    ///
    /// let document = Document::read(Format::Wiki(Dialect::Jira), "h2. Goals\n\n{info}\nin a panel\n{info}\n");
    /// assert_eq!(Sidecar::markdown(&document), Sidecar::split(&document).0);
    /// ```
    #[must_use]
    pub fn markdown(document: &Document<'_>) -> String {
        crate::markdown::for_edit(&document.blocks).0
    }

    /// Returns the extended Markdown of `document`, and the sidecar with which an edit of that Markdown can
    /// be put back.
    #[must_use]
    pub fn split(document: &Document<'_>) -> (String, Self) {
        let (markdown, written) = crate::markdown::for_edit(&document.blocks);
        // Only the spans of the Markdown's blocks are read, so that one whole tree is in memory at a time.
        let places = places(&markdown);
        let counts = together(document, counts(&document.blocks, &written, &places));
        let mut chunks = places.iter().map(|it| it.of(&markdown).to_owned());
        let (mut entries, mut end) = (Vec::new(), 0);
        for (blocks, count) in counts {
            let span = blocks.first().map_or(0, |it| it.span.start as usize)
                ..blocks.last().map_or(0, |it| it.span.end as usize);
            entries.push(Entry {
                before: document.source[end..span.start].to_owned(),
                source: document.source[span.clone()].to_owned(),
                markdown: chunks.by_ref().take(count).collect(),
            });
            end = span.end;
        }
        let after = document.source[end..].to_owned();
        let dialect = match document.format {
            Format::Wiki(Dialect::Jira) => Some("jira".to_owned()),
            Format::Wiki(Dialect::Confluence) => Some("confluence".to_owned()),
            _ => None,
        };
        let sidecar = Self {
            version: Self::VERSION,
            format: document.format.name().to_owned(),
            dialect,
            entries,
            after,
            keep_raw: document.keep_raw,
        };
        (markdown, sidecar)
    }
}

/// Returns the spans of the blocks in a Markdown text.
fn places(markdown: &str) -> Vec<Span> {
    crate::markdown::blocks_where(markdown, &|_| false).blocks.iter().map(|it| it.span).collect()
}

/// Groups the blocks of the source into stretches, each with the number of its Markdown blocks: usually one
/// source block with one Markdown block. `ends` has the byte offset at which the Markdown written for each
/// block ends; `chunks` has the spans of the blocks that were read from that Markdown. Blocks whose Markdown
/// is read as one block stay together, and so do adjacent inline nodes.
fn counts<'n, 'a>(blocks: &'n [Node<'a>], ends: &[usize], chunks: &[Span]) -> Vec<(&'n [Node<'a>], usize)> {
    let mut stretches = Vec::new();
    let (mut first, mut from, mut next, mut reached) = (0, 0, 0, 0);
    for (at, end) in ends.iter().enumerate() {
        while let Some(chunk) = chunks.get(next).filter(|it| (it.start as usize) < *end) {
            reached = chunk.end as usize;
            next += 1;
        }
        let last = at + 1 == blocks.len();
        let run = blocks[at].kind.is_inline() && !last && blocks[at + 1].kind.is_inline();
        if last {
            next = chunks.len();
        }
        if last || reached <= *end + BLANK && !run {
            stretches.push((&blocks[first..=at], next - from));
            (first, from) = (at + 1, next);
        }
    }
    stretches
}

/// The most bytes of white space after the Markdown of a block that may be read as part of the block.
const BLANK: usize = 2;

/// Consecutive blocks of the source, and the number of the Markdown blocks written for them.
type Stretch<'n, 'a> = (&'n [Node<'a>], usize);

/// Joins stretches whose blocks have their meaning only together, such as a colour that begins in one block
/// and ends in another. Only storage format and wiki markup have such blocks.
fn together<'n, 'a>(document: &'n Document<'a>, stretches: Vec<Stretch<'n, 'a>>) -> Vec<Stretch<'n, 'a>> {
    if !matches!(document.format, Format::Storage | Format::Wiki(_)) {
        return stretches;
    }
    let spelling = crate::spelling::of(document.format);
    let says = |blocks: &[Node<'_>]| {
        let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return true };
        let text = &document.source[first.span.start as usize..last.span.end as usize];
        spelling.read(text).0.iter().map(print).eq(blocks.iter().map(print))
    };
    let (mut all, mut from, mut block) = (Vec::new(), 0, 0);
    while from < stretches.len() {
        let last = stretches.len().min(from + MAX_TOGETHER);
        let blocks = |to: usize| {
            let count: usize = stretches[from..to].iter().map(|it| it.0.len()).sum();
            &document.blocks[block..block + count]
        };
        let to = (from + 1..=last).find(|&to| says(blocks(to))).unwrap_or(from + 1);
        let joined = blocks(to);
        all.push((joined, stretches[from..to].iter().map(|it| it.1).sum()));
        (from, block) = (to, block + joined.len());
    }
    all
}

#[cfg(test)]
mod tests {
    use thin_vec::ThinVec;

    use super::*;
    use crate::tree::Kind;

    /// Returns the number of blocks and of Markdown blocks in each stretch, for blocks whose Markdown ends at
    /// `ends` and is read back at the ranges `read`.
    fn stretches(ends: &[usize], read: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let blocks: ThinVec<Node<'_>> = ends.iter().map(|_| Node::new(Kind::Paragraph)).collect();
        let chunks: Vec<Span> = read.iter().map(|it| Span::new(it.0, it.1)).collect();
        counts(&blocks, ends, &chunks).into_iter().map(|it| (it.0.len(), it.1)).collect()
    }

    #[test]
    fn each_block_has_the_markdown_that_was_written_for_it() {
        assert_eq!(stretches(&[10, 20], &[(0, 10), (12, 20)]), [(1, 1), (1, 1)]);
        assert_eq!(stretches(&[10, 20, 30], &[(0, 4), (6, 10), (22, 30)]), [(1, 2), (1, 0), (1, 1)]);
    }

    #[test]
    fn blocks_that_are_read_as_one_stay_together_and_leave_the_others_alone() {
        let read = [(0, 10), (12, 30), (32, 40)];
        assert_eq!(stretches(&[10, 20, 30, 40], &read), [(1, 1), (2, 1), (1, 1)]);
    }

    #[test]
    fn markdown_after_the_last_block_belongs_to_it() {
        assert_eq!(stretches(&[10], &[(0, 10), (12, 14)]), [(1, 2)]);
    }
}
