//! Separators between blocks that were not neighbours in the source, or that have changed since. A separator
//! keeps two texts apart if the joined text is read as the same blocks as each of the two texts by itself.
//!
//! In: the text before, the text after, and possible separators. Out: the separator that keeps them apart,
//! found by reading the joined text.

use crate::compare::{print, shortened};
use crate::document::Document;
use crate::format::Format;
use crate::loss::{Loss, LossKind};
use crate::tree::Span;

/// The separator for Markdown blocks that neither the source's separator nor the usual blank line keeps
/// apart. The comment ends a list.
const STRONGER: &str = "\n\n<!-- -->\n\n";

/// Returns the first separator in `wanted` with which `before` and `after` are read as separate blocks;
/// `None` if there is none. For Markdown, [`STRONGER`] is tried last.
pub(crate) fn between<'w>(format: Format, before: &str, after: &str, wanted: &[&'w str]) -> Option<&'w str> {
    let stronger = matches!(format, Format::Markdown(_)).then_some(STRONGER);
    wanted.iter().copied().chain(stronger).find(|it| apart(format, before, it, after))
}

/// Returns whether `before`, `between` and `after`, joined, are read as the same blocks as `before` and
/// `after` each by itself. Always true for ADF, where a comma separates the blocks.
pub(crate) fn apart(format: Format, before: &str, between: &str, after: &str) -> bool {
    if format == Format::Adf {
        // A comma always separates values of JSON.
        return true;
    }
    let prints = |text: &str| Document::read(format, text).blocks.iter().map(print).collect::<Vec<u64>>();
    let mut each = prints(before);
    each.extend(prints(after));
    prints(&format!("{before}{between}{after}")) == each
}

/// Returns the loss to report if no separator keeps `text` a block of its own, apart from the text before it.
pub(crate) fn lost(text: &str) -> Loss {
    let what = shortened(text);
    Loss {
        kind: LossKind::Content,
        span: Span::default(),
        message: format!(
            "expected {what:?} to be a block of its own, but found it joined to the text before"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Dialect, Flavor};

    const WIKI: Format = Format::Wiki(Dialect::Confluence);

    #[test]
    fn paragraphs_of_wiki_markup_need_a_blank_line() {
        assert_eq!(between(WIKI, "one", "two", &["\n", "\n\n"]), Some("\n\n"));
        assert_eq!(between(WIKI, "h1. one", "two", &["\n", "\n\n"]), Some("\n"));
    }

    #[test]
    fn lists_of_markdown_need_more_than_that() {
        let markdown = Format::Markdown(Flavor::Extended);
        assert_eq!(between(markdown, "- one", "- two", &["\n\n"]), Some(STRONGER));
    }

    #[test]
    fn text_without_an_element_is_not_apart_from_a_paragraph() {
        assert_eq!(between(Format::Storage, "one <b>two</b>", "three", &[""]), None);
    }
}
