//! Texts of a value in Markdown, so that a reader of the Markdown sees them as they are.
//!
//! In: a text of any characters. Out: Markdown for one line. Signs that have a meaning in Markdown get a backslash; a text
//! without blanks that would need one, such as a path or an identifier, becomes code, so that it can be copied.

/// The place of a text in its line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a cell of a table.
    Cell,
    /// In a heading.
    Heading,
    /// At the beginning of a line, where signs of blocks such as `#` have a meaning.
    Start,
    /// Behind other words of the line.
    Within,
}

/// Returns whether a text can stand in one line with other words. A text for which this is false becomes a block.
pub(super) fn is_inline(text: &str) -> bool {
    !text.contains(['\n', '\r'])
}

/// Appends a text of one line.
pub(super) fn push(out: &mut String, text: &str, place: Place) {
    if would_be_lost(text) {
        return code(out, text, place);
    }
    if is_link(text) && !text.contains('|') {
        return out.extend(["<", text, ">"]);
    }
    let escaped = escaped(text, place);
    match escaped == text || text.contains(char::is_whitespace) {
        true => out.push_str(&escaped),
        false => code(out, text, place),
    }
}

/// Appends the name of a member, with a colon, in bold if its signs allow it.
pub(super) fn push_label(out: &mut String, name: &str, place: Place) {
    let is_plain = |it: char| it.is_alphanumeric() || "-./ _".contains(it);
    let ends_in_word = |it: char| !it.is_alphanumeric();
    if name.is_empty()
        || name.starts_with(ends_in_word)
        || name.ends_with(ends_in_word)
        || !name.chars().all(is_plain)
    {
        code(out, name, place);
        out.push(':');
    } else {
        out.extend(["**", name, ":**"]);
    }
}

/// Returns whether a text is a URL that Markdown takes as a link between `<` and `>`.
pub(super) fn is_link(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.contains(|it: char| it.is_whitespace() || it.is_control() || "<>".contains(it))
    })
}

/// Returns whether a reader would not see all of a text: blanks at its ends, and control characters.
fn would_be_lost(text: &str) -> bool {
    text.is_empty() || text.trim() != text || text.chars().any(char::is_control)
}

/// Appends a text as code, in one line; as in JSON if a reader would not see all of it.
pub(super) fn code(out: &mut String, text: &str, place: Place) {
    let text = if would_be_lost(text) || !is_inline(text) {
        serde_json::Value::from(text).to_string()
    } else {
        text.to_owned()
    };
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let text = if place == Place::Cell { text.replace('|', "\\|") } else { text };
    out.extend([&*fence, pad, &*text, pad, &*fence]);
}

/// Returns the length of the longest run of `sign`.
pub(super) fn longest_run(text: &str, sign: char) -> usize {
    text.split(|it| it != sign).map(|run| run.chars().count()).max().unwrap_or_default()
}

fn escaped(text: &str, place: Place) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let marked = if place == Place::Start { block_sign(text) } else { None };
    let mut before: Option<char> = None;
    let mut rest = text.char_indices().peekable();
    while let Some((at, sign)) = rest.next() {
        let after = rest.peek().map(|it| it.1);
        if marked == Some(at) || needs_escape(text, (at, sign), (before, after), place) {
            out.push('\\');
        }
        out.push(sign);
        before = Some(sign);
    }
    out
}

/// Returns whether the sign at the offset `at` would be read as something else than itself.
fn needs_escape(
    text: &str,
    (at, sign): (usize, char),
    (before, after): (Option<char>, Option<char>),
    place: Place,
) -> bool {
    let follows_word = before.is_some_and(|it| !it.is_whitespace());
    let is_alphanumeric = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
    match sign {
        '\\' | '`' => true,
        // A sign of emphasis has an effect only if one of its kind ends it, which stands behind a word.
        '*' | '~' => follows_word,
        '_' => follows_word && !(is_alphanumeric(before) && is_alphanumeric(after)),
        '[' => at == 0,
        ']' => matches!(after, Some('(' | '[' | ':')),
        '<' => after.is_some_and(|it| it.is_ascii_alphabetic() || "/!?".contains(it)),
        '&' => is_entity(&text[at + 1..]),
        '|' => at == 0 || place == Place::Cell,
        // A run of `#` at the end of a heading is not shown.
        '#' => {
            place == Place::Heading
                && before.is_none_or(char::is_whitespace)
                && text[at..].trim_matches('#').is_empty()
        }
        _ => false,
    }
}

/// Returns whether the text behind a `&` makes it an entity, such as `amp;` or `#38;`.
fn is_entity(rest: &str) -> bool {
    rest.split_once(';').is_some_and(|(name, _)| {
        !name.is_empty() && name.len() <= 32 && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '#')
    })
}

/// Returns the offset of the sign that makes a line the beginning of a block, such as the dot of `1. `.
fn block_sign(line: &str) -> Option<usize> {
    let is_end = |at: usize| line[at..].chars().next().is_none_or(char::is_whitespace);
    let first = line.chars().next()?;
    // A line of these signs alone underlines a heading, parts a table or is a rule.
    if "-=_*:|".contains(first) && line.chars().all(|it| "-=_*:| ".contains(it)) {
        return Some(0);
    }
    match first {
        '#' if is_end(line.len() - line.trim_start_matches('#').len()) => Some(0),
        '>' => Some(0),
        '-' | '+' | '*' if is_end(1) => Some(0),
        '~' if line.starts_with("~~~") => Some(0),
        '0'..='9' => {
            let digits = line.len() - line.trim_start_matches(|it: char| it.is_ascii_digit()).len();
            (digits < 10 && line[digits..].starts_with(['.', ')']) && is_end(digits + 1)).then_some(digits)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(text: &str, place: Place) -> String {
        let mut out = String::new();
        push(&mut out, text, place);
        out
    }

    #[test]
    fn signs_of_markdown_are_escaped_only_where_they_have_a_meaning() {
        for (text, expected) in [
            ("plain words, 3 * 4 and snake_case", "plain words, 3 * 4 and snake_case"),
            ("a *bold* word", "a *bold\\* word"),
            ("see [1](x) & [2]", "see [1\\](x) & [2]"),
            ("AT&amp;T is <b>", "AT\\&amp;T is \\<b>"),
            ("~5 of ~6", "~5 of ~6"),
        ] {
            assert_eq!(pushed(text, Place::Within), expected);
        }
        for (text, expected) in [
            ("# one", "\\# one"),
            ("1. one", "1\\. one"),
            ("- one", "\\- one"),
            ("> one", "\\> one"),
            ("--- ---", "\\--- ---"),
            ("[x] done", "\\[x] done"),
            ("#1 is first", "#1 is first"),
        ] {
            assert_eq!(pushed(text, Place::Start), expected);
        }
        assert_eq!(pushed("C #", Place::Heading), "C \\#");
    }

    #[test]
    fn a_word_that_would_need_escapes_is_code() {
        assert_eq!(pushed(r"C:\Users", Place::Within), r"`C:\Users`");
        assert_eq!(pushed("a`b", Place::Within), "``a`b``");
        assert_eq!(pushed("a|b", Place::Cell), r"`a\|b`");
        assert_eq!(pushed("src/*.rs", Place::Within), "`src/*.rs`");
        assert_eq!(pushed("", Place::Within), "`\"\"`");
        assert_eq!(pushed(" x\u{1b} ", Place::Within), "`\" x\\u001b \"`");
    }

    #[test]
    fn urls_are_links() {
        assert_eq!(pushed("https://a.example/x_y_?a=*", Place::Within), "<https://a.example/x_y_?a=*>");
        assert_eq!(pushed("https://", Place::Within), "https://");
        assert_eq!(pushed("https://a.example/a|b", Place::Cell), "`https://a.example/a\\|b`");
    }
}
