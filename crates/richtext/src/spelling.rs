//! The operations of a format, as a trait: code that works with every format calls a format through it.
//!
//! A format reads a source into a tree and writes a tree. Restoring, patching and merging need more: writing
//! some nodes so that they fit between parts of a source, and finding a character in the spelling of a text.
//! The spelling of a text is its characters as a source writes them, with escapes.

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::format::Format;
use crate::tree::{Kind, Node, NodeLimit};

#[cfg(test)]
mod tests;

/// Returns the implementation of a format. It writes only what the products know.
pub(crate) fn of(format: Format) -> Box<dyn Spelling> {
    keeping(format, false)
}

/// Like [`of`]. With `keep_raw`, what the format has no place for is written in ways that only this crate reads.
pub(crate) fn keeping(format: Format, keep_raw: bool) -> Box<dyn Spelling> {
    match format {
        Format::Adf => Box::new(crate::adf::Adf { keep_raw }),
        Format::Storage => Box::new(crate::storage::Storage { keep_raw }),
        Format::Wiki(dialect) => Box::new(crate::wiki::Wiki { dialect, keep_raw }),
        Format::Markdown(flavor) => Box::new(crate::markdown::Markdown { flavor }),
    }
}

/// Returns `text` with the line ends of the source that it was made from, if all of those are CR LF. ADF has none of its own.
pub(crate) fn with_line_ends(text: String, format: Format, source: &[&str]) -> String {
    if format == Format::Adf || !source.iter().any(|it| memchr::memchr(b'\r', it.as_bytes()).is_some()) {
        return text;
    }
    let count = |sign: &str| -> usize { source.iter().map(|it| it.matches(sign).count()).sum() };
    let is_crlf = count("\r\n") > 0 && count("\r\n") == count("\n");
    if is_crlf && text.matches('\n').count() != text.matches("\r\n").count() {
        return text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    text
}

/// Reads and writes one format.
pub(crate) trait Spelling {
    /// Returns the blocks of `source`, and diagnostics. The limit of nodes is
    /// [`MAX_NODES`](crate::tree::MAX_NODES).
    fn read<'a>(&self, source: &'a str) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
        self.read_within(source, NodeLimit::default())
    }

    /// Like [`read`](Self::read), but with the limit `room` on the number of nodes. The source beyond it is
    /// kept raw.
    fn read_within<'a>(&self, source: &'a str, room: NodeLimit) -> (ThinVec<Node<'a>>, Vec<Diagnostic>);

    /// Returns a whole document with these blocks.
    fn document(&self, blocks: &[Node<'_>]) -> String;

    /// Returns the text of the siblings `nodes` as it appears within `parent` (`None`: at the top level of
    /// the document): blocks with the separators between them, or runs of text. The markup of `parent` is not
    /// part of it.
    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String;

    /// Like [`part`](Self::part), for nodes that are put into `parent`, whose own source is `spelled`: in some formats it
    /// decides how they are written.
    fn part_in(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>, spelled: &str) -> String {
        let _ = spelled;
        self.part(nodes, parent)
    }

    /// Returns `part`, an output of [`part`](Self::part), as a text that [`read`](Self::read) can read by
    /// itself: unchanged, unless a format overrides this.
    fn alone(&self, part: &str) -> String {
        part.to_owned()
    }

    /// Returns whether all of `nodes` and their descendants have the children that the format requires.
    /// Always true unless a format overrides it.
    fn is_full(&self, nodes: &[Node<'_>]) -> bool {
        let _ = nodes;
        true
    }

    /// Returns the separator between two siblings in `parent` (`None`: at the top level), such as `,` or a
    /// line feed. Empty if the format needs none.
    fn between(&self, parent: Option<&Node<'_>>) -> &'static str;

    /// Returns the spelling of `text` for a position between `before` and `after`, the parts of the source
    /// around it, which may make escapes necessary. `within` is the kind of node: [`Kind::Text`], or
    /// [`Kind::CodeBlock`] for the text of a code block.
    fn text(&self, text: &str, within: Kind, before: &str, after: &str) -> String;

    /// Returns the byte offset in `spelling` that corresponds to the byte `offset` of the text that it
    /// spells; `within` is as in [`text`](Self::text). Returns `None` if `offset` lies within characters that
    /// are spelled together, such as an entity of two characters.
    fn place(&self, spelling: &str, within: Kind, offset: usize) -> Option<usize>;
}
