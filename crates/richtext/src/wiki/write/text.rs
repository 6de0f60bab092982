//! Spells plain text as wiki markup: escapes what would be read as markup.

use super::inline::Care;
use crate::values::emoticons::EMOTICONS;
use crate::values::entities;
use crate::wiki::chars;
use crate::wiki::read::is_scheme;

/// The surroundings of a text, and the care with which it is spelled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    pub(super) care: Care,
    pub(super) in_link: bool,
    pub(super) in_cell: bool,
    /// True if the text is the first of its block or line, so that a sign at its start could begin a block.
    pub(super) is_first: bool,
    /// True if the text is the last of its block or line, so that a blank at its end would be lost.
    pub(super) is_last: bool,
}

/// Returns the spelling of `text` for a position between the spellings `before` and `after`.
pub(crate) fn text(text: &str, before: &str, after: &str) -> String {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_first = line.ends_with('|') || line.bytes().all(|it| matches!(it, b'*' | b'-' | b'#'));
    let is_last = after.is_empty() || after.starts_with(['\n', '\r']);
    let in_cell = before.starts_with('|') || after.starts_with('|');
    let in_link = before.ends_with('[') || after.starts_with([']', '|']);
    let plain = Around { care: Care::Plain, in_link, in_cell, is_first, is_last };
    let is_plain =
        |it: char| it.is_alphanumeric() || matches!(it, ' ' | ',' | ';' | '/' | '"' | '\'' | '.' | '%' | '=');
    let care = if text.chars().all(is_plain) && !is_first { Care::Plain } else { Care::Escaped };
    let mut spelled = before.chars().next_back().map(String::from).unwrap_or_default();
    let skipped = spelled.len();
    spell(text, Around { care, ..plain }, &mut spelled);
    spelled.split_off(skipped)
}

/// Returns whether `text`, which has no marks, reads back unchanged in any position: words without a sign
/// that could have a meaning. This is true of most text, which then need not be read again.
pub(super) fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_word = |it: Option<&u8>| it.is_some_and(u8::is_ascii_alphanumeric);
    let is_safe =
        |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b' ' | b',' | b'.' | b'\'' | b'"' | b'/');
    let begins_block = matches!(bytes, [b'h', b'0'..=b'9', b'.', ..] | [b'b', b'q', b'.', ..]);
    is_word(bytes.first()) && !text.ends_with(' ') && bytes.iter().all(is_safe) && !begins_block
}

/// Appends the spelling of `text` within a code mark (`{{…}}`) to `to`.
pub(super) fn spell_code(text: &str, care: Care, in_cell: bool, to: &mut String) {
    for (at, it) in text.char_indices() {
        let next = text[at + it.len_utf8()..].chars().next();
        match it {
            '\n' => to.push_str("&#10;"),
            '\r' => to.push_str("&#13;"),
            '&' if entities::reference(&text[at..]).is_some() || care == Care::Forced => to.push_str("&amp;"),
            '\\' if escapes(next) || care == Care::Forced => to.push_str("&#92;"),
            '}' if care >= Care::Escaped || next.is_none() => to.push_str("&#125;"),
            '{' if care >= Care::Escaped => to.push_str("&#123;"),
            // Atlassian's own parser takes a bar in code for the end of the cell.
            '|' if in_cell && !to.ends_with('\\') => to.push_str("\\|"),
            '|' if care >= Care::Escaped => to.push_str("&#124;"),
            '-' if care == Care::Forced => to.push_str("&#45;"),
            '[' | ']' | '!' | ' ' if care == Care::Forced => to.push_str(&format!("&#{};", it as u32)),
            _ => to.push(it),
        }
    }
}

/// Returns whether a backslash in front of `next` has to be written as a character reference, because it
/// would escape that character, be one of two backslashes, or be the last character of the text.
fn escapes(next: Option<char>) -> bool {
    next.is_none_or(|it| it == '\\' || u8::try_from(it).is_ok_and(chars::is_escapable))
}

/// Appends the spelling of `text` in these surroundings to `to`.
pub(super) fn spell(text: &str, around: Around, to: &mut String) {
    let mut at = 0;
    let mut last = to.chars().next_back();
    while let Some(it) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_start = at == 0 && (around.is_first || last == Some('\n'));
        let is_end = at + it.len_utf8() == text.len();
        if always(it, rest, around, is_start, is_end, last, to)
            || around.care > Care::Plain && careful(rest, around, is_start, last, to)
        {
        } else {
            to.push(it);
        }
        last = Some(it);
        at += it.len_utf8();
    }
}

/// Appends the spelling of the character `it` to `to`, if it is never literal at this position, whatever the
/// degree of care. Returns `false`, with nothing written, for any other character.
fn always(
    it: char,
    rest: &str,
    around: Around,
    is_start: bool,
    is_end: bool,
    last: Option<char>,
    to: &mut String,
) -> bool {
    let next = rest[it.len_utf8()..].chars().next();
    let is_edge = is_start || is_end && around.is_last;
    match it {
        '\n' | '\r' => reference(it, to),
        ' ' | '\t' if is_edge => reference(it, to),
        '\\' if escapes(next) => reference(it, to),
        '&' if entities::reference(rest).is_some() => to.push_str("&amp;"),
        '-' if last == Some(' ') && is_dash(rest) => escape(it, to),
        '{' if rest.starts_with("{color") => escape(it, to),
        '\u{b}' | '\u{c}' | '\0' | '\u{feff}' => reference(it, to),
        _ => return false,
    }
    true
}

/// Returns whether the two or three dashes at the start of `rest` would be read as one en dash or em dash.
fn is_dash(rest: &str) -> bool {
    let run = rest.bytes().take_while(|it| *it == b'-').count();
    matches!(run, 2 | 3) && rest.as_bytes().get(run) == Some(&b' ')
}

fn reference(it: char, to: &mut String) {
    to.push_str(&format!("&#{};", it as u32));
}

/// Appends the spelling of the first character of `rest` to `to`, if the character could have a meaning at
/// this position. Returns `false`, with nothing written, if the character can be literal.
fn careful(rest: &str, around: Around, is_start: bool, last: Option<char>, to: &mut String) -> bool {
    let Some(it) = rest.chars().next() else { return false };
    let next = rest[it.len_utf8()..].chars().next();
    if around.care == Care::Forced {
        return force(it, to);
    }
    let is_word = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
    let within_word = is_word(last) && is_word(next);
    let is_free = last.is_some_and(char::is_whitespace) && next.is_some_and(char::is_whitespace);
    let is_marker = is_start && matches!(it, '*' | '-' | '#');
    let escaped = match it {
        '*' | '_' | '-' | '+' | '^' | '~' => is_marker || !within_word && !is_free,
        '#' => is_marker,
        '?' => next == Some('?') || last == Some('?'),
        '{' | '[' => true,
        '}' => next == Some('}') || last == Some('}'),
        ']' => around.in_link,
        '|' => around.in_link || around.in_cell || is_start,
        '!' => !is_word(last) && next.is_none_or(|it| !it.is_whitespace()) || next.is_none(),
        '(' => EMOTICONS.iter().any(|it| rest.starts_with(it.spelling)),
        _ => false,
    };
    if escaped {
        escape(it, to);
        return true;
    }
    let refers = match it {
        ':' | ';' | '<' => {
            EMOTICONS.iter().any(|it| rest.starts_with(it.spelling)) || follows_scheme(rest, to)
        }
        '.' => begins_line(to),
        '&' | '\\' => next.is_none(),
        _ => false,
    };
    if refers {
        reference(it, to);
    }
    refers
}

/// Appends `it` to `to` with a backslash before it. After a backslash it becomes a character reference
/// instead, because a third backslash would undo a break (`\\`).
fn escape(it: char, to: &mut String) {
    if to.ends_with('\\') {
        return reference(it, to);
    }
    to.push('\\');
    to.push(it);
}

fn force(it: char, to: &mut String) -> bool {
    if u8::try_from(it).is_ok_and(chars::is_escapable) {
        escape(it, to);
        return true;
    }
    let is_sign = matches!(it, '&' | '\\' | ':' | ';' | '<' | '.');
    if is_sign {
        reference(it, to);
    }
    is_sign
}

/// Returns whether `rest` begins with `://` and a scheme such as `http` ends the text before it, `to`.
fn follows_scheme(rest: &str, to: &str) -> bool {
    let letters = to.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    rest.starts_with("://") && is_scheme(&to[to.len() - letters..])
}

/// Returns whether the last line of `to` is only `h1` to `h6` or `bq`, which a full stop would make a heading
/// or a quote.
fn begins_line(to: &str) -> bool {
    let line = to.rsplit('\n').next().unwrap_or(to).trim_start_matches([' ', '\t', '|']);
    line == "bq"
        || (line.len() == 2 && line.starts_with('h') && line.ends_with(|it: char| ('1'..='6').contains(&it)))
}
