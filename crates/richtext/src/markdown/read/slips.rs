//! Slips of authors that CommonMark accepts, and that lose text or swallow it: too many cells, a table without enough
//! columns, a block of code without an end.
//!
//! In: the source of a block. Out: a diagnostic that says what to write.

use super::super::names::{self, Form};
use super::prepare::alone;
use crate::diagnostic::Diagnostic;
use crate::tree::Span;

/// The most diagnostics for a text; the slips after them are not told. A text of that many has no author.
const MAX_TOLD: usize = 10_000;

/// Adds a diagnostic to `all`, up to [`MAX_TOLD`].
pub(super) fn tell(all: &mut Vec<Diagnostic>, found: Option<Diagnostic>) {
    if all.len() < MAX_TOLD {
        all.extend(found);
    }
}

/// Returns a diagnostic if the row at `span` has more cells than its table has `columns`: CommonMark drops them.
pub(super) fn cells(source: &str, span: Span, columns: usize) -> Option<Diagnostic> {
    let found = count(span.of(source));
    let message = || {
        format!(
            "expected {columns} cells, as in the first row, but found {found}: write \\| for a | that belongs to the text, also in code"
        )
    };
    (found > columns).then(|| Diagnostic::loss(span, message()))
}

/// Returns a diagnostic if the paragraph at `span` was meant as a table: its line of dashes has not as many columns as the
/// line before.
pub(super) fn table(source: &str, span: Span) -> Option<Diagnostic> {
    memchr::memchr(b'|', span.of(source).as_bytes())?;
    let lines = || span.of(source).lines().map(|it| it.trim_start_matches([' ', '\t', '>']));
    let mut pairs = lines().zip(lines().skip(1));
    let (head, dashes) = pairs.find(|(head, dashes)| head.contains('|') && is_dashes(dashes))?;
    let (found, expected) = (count(dashes), count(head));
    let message = || {
        format!(
            "expected {expected} columns in the line of dashes, as in the line above, but found {found}: as it is, this is no table"
        )
    };
    (found != expected).then(|| Diagnostic::loss(span, message()))
}

/// Returns a diagnostic if the text at `span` has an inline directive of an unknown name.
pub(super) fn directive(source: &str, span: Span) -> Option<Diagnostic> {
    let text = span.of(source);
    memchr::memchr(b':', text.as_bytes())?;
    let mut is_code = false;
    let at = memchr::memchr2_iter(b':', b'`', text.as_bytes()).find(|&at| {
        if text.as_bytes()[at] == b'`' {
            is_code = !is_code;
            return false;
        }
        let begins = !text[..at].ends_with(|it: char| it.is_alphanumeric() || matches!(it, ':' | '\\'));
        begins && !is_code && names::looks_misspelled(&text[at + 1..])
    })?;
    let name = names::word_at(&text[at + 1..]);
    let meant = names::meant(name, Form::Inline).map(|it| format!("did you mean :{it}? "));
    let message = format!(
        "expected the name of a directive: {}found :{name}; write \\: for a colon that is text",
        meant.unwrap_or_default()
    );
    Some(Diagnostic::loss(Span::at(span.start as usize + at), message))
}

/// Returns a diagnostic if a line of the paragraph at `span` begins like a directive of its own but is none, because its braces
/// have no end or are no attributes.
pub(super) fn container(source: &str, span: Span) -> Option<Diagnostic> {
    let text = span.of(source);
    memchr::memmem::find(text.as_bytes(), b"::")?;
    let mut start = 0;
    let (at, line) = text.split_inclusive('\n').find_map(|whole| {
        let line = whole.trim_start_matches([' ', '\t', '>']);
        let at = start + whole.len() - line.len();
        start += whole.len();
        let line = line.lines().next()?;
        is_broken(line).then_some((at, line))
    })?;
    let message = format!(
        "expected a directive such as :::panel{{type=info}}, but found {:?}: its braces have no end, or are no attributes",
        line.chars().take(MAX_SHOWN).collect::<String>()
    );
    Some(Diagnostic::loss(Span::at(span.start as usize + at), message))
}

/// Returns whether a line begins like a directive of its own, but is none.
fn is_broken(line: &str) -> bool {
    let rest = line.trim_start_matches(':');
    let name = names::word_at(rest);
    line.starts_with("::")
        && (names::is_known(name, Form::Container) || names::is_known(name, Form::Leaf))
        && rest[name.len()..].starts_with(['{', '['])
        && alone(line).is_none()
}

/// The most characters of a line that a message shows.
const MAX_SHOWN: usize = 60;

/// Returns a diagnostic if the block of code at `span` begins with a fence and has no closing one: all text after it is code.
pub(super) fn fence(source: &str, span: Span) -> Option<Diagnostic> {
    let text = span.of(source);
    let sign = text.chars().next().filter(|it| matches!(it, '`' | '~'))?;
    let fence = |line: &str| line.chars().take_while(|it| *it == sign).count();
    let length = fence(text);
    let last = text.trim_end_matches(['\n', '\r']).rsplit_once('\n').map_or("", |it| it.1);
    let last = last.trim_matches([' ', '\t', '>', '\r']);
    let is_closed = fence(last) >= length && last.chars().all(|it| it == sign);
    let wanted = || std::iter::repeat_n(sign, length).collect::<String>();
    let message =
        || format!("expected {} after the code that begins here, but found the end of the text", wanted());
    (!is_closed).then(|| Diagnostic::loss(span, message()))
}

/// Returns whether a line may be the line of dashes of a table.
fn is_dashes(line: &str) -> bool {
    line.contains('|')
        && line.contains('-')
        && line.trim_end().chars().all(|it| matches!(it, '|' | '-' | ':' | ' '))
}

/// Returns the number of cells in a row of a table.
fn count(row: &str) -> usize {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    if memchr::memchr(b'\\', row.as_bytes()).is_none() {
        return memchr::memchr_iter(b'|', row.as_bytes()).count() + usize::from(!row.ends_with('|'));
    }
    let mut signs = 0;
    let (mut is_escaped, mut is_last) = (false, false);
    for it in row.bytes() {
        is_last = it == b'|' && !is_escaped;
        signs += usize::from(is_last);
        is_escaped = it == b'\\' && !is_escaped;
    }
    signs + usize::from(!is_last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_as_commonmark_counts_them() {
        for (row, cells) in [
            ("| a | b |", 2),
            ("a | b", 2),
            ("| `a || b` | c |", 4),
            ("| a \\| b |", 1),
            ("| a |  |", 2),
            ("|", 1),
            ("| a", 1),
        ] {
            assert_eq!(count(row), cells, "{row}");
        }
    }
}
