//! Escaping of text, so that Markdown reads it as it is, with as few escapes as possible.
//!
//! In: text, and its surroundings. Out: the escaped text. A sign that would be read as something else gets a
//! backslash, white space that would be lost becomes a numeric entity, and everything else stays as it is.

use super::super::{attrs, names};
use crate::emoji;

/// The surroundings of a text, as far as they decide how it is read.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// True if the text begins a line, where signs of blocks such as `#` have a meaning.
    pub(super) starts_line: bool,
    /// True if the line of the text is not the first one of its paragraph.
    pub(super) continues: bool,
    /// The character before the text; `None` at the beginning of the block.
    pub(super) before: Option<char>,
    /// The character after the text. It is a line feed at the end of a line, and `None` at the end of the
    /// block.
    pub(super) after: Option<char>,
    pub(super) within: Within,
    /// The signs of emphasis that have no partner in the block and need no escape.
    pub(super) lone: Lone,
}

/// The constructs that contain a text and decide which escapes it needs.
#[derive(Clone, Copy, Default)]
pub(super) struct Within {
    /// True if the text is in a cell of a pipe table.
    pub(super) cell: bool,
    /// True if the text is in brackets: the label of a directive, or the text of a link.
    pub(super) brackets: bool,
    /// True if the text is in a heading.
    pub(super) heading: bool,
    /// True if the text is in a paragraph that is followed by a line of its attributes.
    pub(super) followed: bool,
}

/// For each sign of emphasis (`*`, `_`, `~`), whether the block contains it at most once, so that it needs no
/// escape.
#[derive(Clone, Copy, Default)]
pub(super) struct Lone {
    pub(super) star: bool,
    pub(super) line: bool,
    pub(super) tilde: bool,
}

/// Writes `text` with the escapes that its surroundings need.
pub(super) fn write(out: &mut String, text: &str, around: &Around) {
    let bytes = text.as_bytes();
    let mut done = 0;
    let mut at = 0;
    if around.starts_line {
        at = line_start(out, text, around);
        done = at;
    }
    while let Some(found) = bytes[at..].iter().position(|it| SPECIAL[*it as usize]) {
        at += found;
        let spelling = special(text, at, around);
        if let Some((spelling, length)) = spelling {
            out.push_str(&text[done..at]);
            match spelling {
                Spelling::Plain => out.push_str(&text[at..at + length]),
                Spelling::Escaped => {
                    for sign in text[at..at + length].chars() {
                        out.extend(['\\', sign]);
                    }
                }
                Spelling::Named(name) => out.push_str(name),
                Spelling::Numbered => numbered(out, bytes[at]),
            }
            done = at + length;
            at = done;
        } else {
            at += 1;
        }
    }
    out.push_str(&text[done..]);
    let ends = matches!(around.after, None | Some('\n')) && !around.within.brackets;
    if ends && done < text.len() {
        line_end(out, around);
    }
}

enum Spelling {
    Plain,
    /// Each replaced character with a backslash before it.
    Escaped,
    Named(&'static str),
    Numbered,
}

const fn specials() -> [bool; 256] {
    let mut table = [false; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = true;
        control += 1;
    }
    let signs = b"\\`*_~[]<&:{}|!";
    let mut at = 0;
    while at < signs.len() {
        table[signs[at] as usize] = true;
        at += 1;
    }
    table[0x7f] = true;
    // The first bytes of a no-break space and of a byte order mark.
    table[0xC2] = true;
    table[0xEF] = true;
    table
}

static SPECIAL: [bool; 256] = specials();

/// Returns how the sign at the offset `at` is written and how many bytes of `text` this spelling replaces;
/// `None` if the sign stays as it is.
fn special(text: &str, at: usize, around: &Around) -> Option<(Spelling, usize)> {
    let escaped = Some((Spelling::Escaped, 1));
    let rest = text.get(at + 1..).unwrap_or(text);
    let next = rest.chars().next().or(around.after);
    let needed = match text.as_bytes()[at] {
        b'\\' => {
            next.is_some_and(|it| it.is_ascii_punctuation() || it == '\n')
                || (next.is_none() && (around.within.brackets || around.within.followed))
        }
        b'`' => true,
        sign @ (b'*' | b'~' | b'_') => {
            let lone = around.lone;
            let alone = [(b'*', lone.star), (b'~', lone.tilde), (b'_', lone.line)].contains(&(sign, true));
            let plain =
                alone || stands_apart(text, at, around) || sign == b'_' && within_word(text, at, around);
            let length = text[at..].bytes().take_while(|it| *it == sign).count();
            return Some((if plain { Spelling::Plain } else { Spelling::Escaped }, length));
        }
        b'[' => around.within.brackets || (at == 0 && around.before.is_none() && opens_box(text)),
        b']' => around.within.brackets || matches!(next, Some('(' | '[' | ':')),
        b'<' => {
            next.is_some_and(|it| it.is_ascii_alphabetic() || matches!(it, '/' | '!' | '?'))
                || (rest.is_empty() && next.is_some())
        }
        b'&' => {
            super::super::spelled::entity(&text[at..]).is_some()
                || (rest.is_empty() && next.is_some_and(|it| it == '#' || it.is_ascii_alphanumeric()))
        }
        b':' => is_directive(text, at, around),
        b'{' => {
            at == 0 && matches!(around.before, Some(']'))
                || around.within.heading && text.trim_end().ends_with('}')
        }
        b'|' => {
            if around.within.cell && (at.checked_sub(1).map(|it| text.as_bytes()[it]) == Some(b'\\')) {
                return Some((Spelling::Named("&#124;"), 1));
            }
            around.within.cell
        }
        b'!' => rest.is_empty() && next == Some('['),
        0xC2 if text[at..].starts_with('\u{a0}') => return Some((Spelling::Named("&nbsp;"), 2)),
        0xEF if text[at..].starts_with('\u{feff}') => return Some((Spelling::Named("&#65279;"), 3)),
        it @ (0..=0x1f | 0x7f) => return (it != 0).then_some((Spelling::Numbered, 1)),
        _ => false,
    };
    if needed { escaped } else { None }
}

fn numbered(out: &mut String, byte: u8) {
    out.push_str("&#");
    if byte >= 100 {
        out.push(char::from(b'0' + byte / 100));
    }
    if byte >= 10 {
        out.push(char::from(b'0' + byte / 10 % 10));
    }
    out.push(char::from(b'0' + byte % 10));
    out.push(';');
}

/// Returns the characters before and after a run of one sign, such as `**`. The run contains the offset `at`.
fn neighbours(text: &str, at: usize, around: &Around) -> (Option<char>, Option<char>) {
    let sign = char::from(text.as_bytes()[at]);
    let before = text[..at].trim_end_matches(sign).chars().next_back().or(around.before);
    let after = text[at..].trim_start_matches(sign).chars().next().or(around.after);
    (before, after)
}

/// Returns whether the run of an emphasis sign at `at` has white space on both sides, where it has no
/// meaning. Returns false at the beginning of a line, where the sign may be that of a list or a rule.
fn stands_apart(text: &str, at: usize, around: &Around) -> bool {
    let apart = |it: Option<char>| it.is_none_or(|it| it == ' ' || it == '\n');
    let (before, after) = neighbours(text, at, around);
    // A line feed in `text` becomes a numeric entity, which is not white space.
    let sign = char::from(text.as_bytes()[at]);
    let numbered = text[..at].trim_end_matches(sign).ends_with('\n')
        || text[at..].trim_start_matches(sign).starts_with('\n');
    !numbered && apart(before) && apart(after) && !(around.starts_line && text[..at].trim().is_empty())
}

/// Returns whether the run of `_` at `at` is within a word, where it has no meaning.
fn within_word(text: &str, at: usize, around: &Around) -> bool {
    let (before, after) = neighbours(text, at, around);
    before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
}

/// Returns whether `text` begins like the box of a task (`[x]`) or the name of an alert (`[!NOTE]`), or is
/// the beginning of one.
fn opens_box(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'!') | None => true,
        Some(b' ' | b'x' | b'X' | b'\t' | 0xC2) => matches!(bytes.get(2), Some(b']') | None | Some(0xA0)),
        _ => false,
    }
}

/// Returns whether the colon at `at` would begin a directive.
fn is_directive(text: &str, at: usize, around: &Around) -> bool {
    let rest = &text[at + 1..];
    let before = text[..at].chars().next_back().or(around.before);
    if emoji::may_follow(before) && is_emoji(&text[at..], around) {
        return true;
    }
    let name = names::name_at(rest);
    if name.len() < rest.len() {
        return names::looks_inline(rest) || names::looks_misspelled(rest);
    }
    matches!(around.after, Some('[')) && names::is_known(name, names::Form::Inline)
}

/// Returns whether `text` begins with the short name of an emoji, of which the last colon may come after the text.
fn is_emoji(text: &str, around: &Around) -> bool {
    let is_open = around.after == Some(':') && text[1..].bytes().all(emoji::is_part);
    emoji::name_at(text).is_some() || is_open && emoji::name_at(&format!("{text}:")).is_some()
}

/// Escapes the beginning of `text`, which begins a line, if Markdown would read it as the sign of a block,
/// such as `#` or `1.`. Returns the number of bytes of `text` that were written; 0 if nothing needs an
/// escape.
fn line_start(out: &mut String, text: &str, around: &Around) -> usize {
    let bytes = text.as_bytes();
    let Some(first) = bytes.first() else { return 0 };
    let line = if around.after.is_none_or(|it| it == '\n') { Some(text.trim_end()) } else { None };
    let only = |signs: &[char]| text.trim_end_matches([' ', '\t']).chars().all(|it| signs.contains(&it));
    let blank_after = |at: usize| match bytes.get(at) {
        Some(it) => matches!(it, b' ' | b'\t' | b'\n'),
        None => true,
    };
    let escaped = match first {
        b' ' => {
            out.push_str("&#32;");
            return 1;
        }
        b'#' => {
            let signs = text.len() - text.trim_start_matches('#').len();
            signs <= 6 && blank_after(signs)
        }
        b'>' => true,
        b'+' => blank_after(1),
        b'-' => blank_after(1) || only(&['-', ' ']) || around.continues && only(&['-', '|', ':', ' ']),
        b'=' => around.continues && only(&['=', ' ']),
        b'*' => true,
        b'_' => only(&['_', ' ']) || !around.lone.line && !within_word(text, 0, around),
        b'|' => around.continues || around.within.cell,
        b':' => {
            bytes.get(1).is_none_or(|it| *it == b':')
                || around.continues && only(&['-', '|', ':', ' '])
                || is_directive(text, 0, around)
        }
        b'{' => line.is_none_or(|it| attrs::parse(it).is_some_and(|found| found.1 == it.len())),
        b'~' => text.starts_with("~~") || !around.lone.tilde,
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|it| it.is_ascii_digit()).count();
            if digits <= 9 && matches!(bytes.get(digits), Some(b'.' | b')')) && blank_after(digits + 1) {
                out.push_str(&text[..digits]);
                out.push('\\');
                out.push_str(&text[digits..=digits]);
                return digits + 1;
            }
            return 0;
        }
        _ => return 0,
    };
    if escaped {
        out.push('\\');
        out.push(char::from(*first));
        return 1;
    }
    0
}

/// Escapes the last character of `out`, which ends a line: a space would be lost, and `#` would close a
/// heading.
fn line_end(out: &mut String, around: &Around) {
    if out.ends_with(' ') {
        out.pop();
        out.push_str("&#32;");
    } else if around.within.heading && out.ends_with('#') && !out.ends_with("\\#") {
        out.pop();
        out.push_str("\\#");
    }
}
