//! What stands between two blocks that did not follow each other in the source, or not as they are now.
//!
//! In: the text before, the text after, and what would be put between them. Out: what keeps them apart, found by reading them together.

use crate::compare::{print, shortened};
use crate::document::Document;
use crate::format::Format;
use crate::loss::{Loss, LossKind};
use crate::tree::Span;

/// What keeps blocks apart where neither what stood in the source nor what a format writes does: the end of a list of Markdown.
const STRONGER: &str = "\n\n<!-- -->\n\n";

/// The first of `wanted` that keeps `before` and `after` apart; nothing if none does.
pub(crate) fn between<'w>(format: Format, before: &str, after: &str, wanted: &[&'w str]) -> Option<&'w str> {
    let stronger = matches!(format, Format::Markdown(_)).then_some(STRONGER);
    wanted.iter().copied().chain(stronger).find(|it| apart(format, before, it, after))
}

/// Whether the two say together what each of them says by itself.
pub(crate) fn apart(format: Format, before: &str, between: &str, after: &str) -> bool {
    if format == Format::Adf {
        // A comma is a comma.
        return true;
    }
    let prints = |text: &str| Document::read(format, text).blocks.iter().map(print).collect::<Vec<u64>>();
    let mut each = prints(before);
    each.extend(prints(after));
    prints(&format!("{before}{between}{after}")) == each
}

/// What is told if nothing keeps `text` apart from what stands before it.
pub(crate) fn lost(text: &str) -> Loss {
    let what = shortened(text);
    Loss {
        kind: LossKind::Content,
        span: Span::default(),
        message: format!("expected {what:?} to be a block, but found it one with what stands before it"),
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
