//! Reads Markdown: CommonMark, GitHub's tables, strikethrough, tasks and alerts, and directives.
//!
//! In: a source. Out: blocks with their places in it, and what is wrong with it. `prepare` hides directives from CommonMark, `blocks` makes
//! blocks of its events, `inline` what stands among text, `group` what directives and tags of HTML hold together.

mod block;
mod blocks;
pub(super) mod directive;
mod group;
mod html;
pub(super) mod inline;
pub(super) mod prepare;

pub(super) use block::is_language;

use pulldown_cmark::{OffsetIter, Options, Parser};

use crate::diagnostic::Diagnostic;
use crate::tree::Node;

/// The blocks of `source`, and what is wrong with it.
pub(super) fn document(source: &str) -> (Vec<Node<'_>>, Vec<Diagnostic>) {
    let prepared = prepare::document(source);
    blocks::read(&prepared)
}

fn parser(text: &str) -> OffsetIter<'_> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    Parser::new_ext(text, options).into_offset_iter()
}
