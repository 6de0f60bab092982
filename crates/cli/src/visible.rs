//! Escapes untrusted text for a terminal.
//!
//! In: text of a server. Out: text in which control characters, invisible characters and those that change
//! the direction of writing are escaped, such as ESC as `\u{1b}`, so that a server can't overwrite or hide
//! other text.

use std::fmt::Write as _;

use plainwire::proto::json;

/// Returns `text` escaped, except for its line breaks and tabs. A line break of two characters becomes `\n`.
pub(crate) fn text(text: &str) -> String {
    let shown = |part: &str| part.split('\t').map(line).collect::<Vec<_>>().join("\t");
    text.replace("\r\n", "\n").split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

/// Returns all of `text` on one line, escaped.
pub(crate) fn line(text: &str) -> String {
    json::visible(text, usize::MAX)
}

/// Returns the first `max_chars` characters of `text` on one line, escaped, with `…` if there are more.
pub(crate) fn short_line(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => line(text),
        Some((at, _)) => format!("{}…", line(&text[..at])),
    }
}

/// Returns the lines of `text`, each escaped and after a bar `|`; after [`MAX_LINES`] lines, only the number
/// of the others. Text after a bar comes from the server; all other text comes from this command.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.trim_end().lines();
    for part in lines.by_ref().take(MAX_LINES) {
        let _ = writeln!(out, "  | {}", short_line(part, MAX_CHARS));
    }
    match lines.count() {
        0 => {}
        more => {
            let _ = writeln!(out, "  ({more} more lines)");
        }
    }
    out
}

/// The maximal number of lines of one text that are shown, so that the text above it stays on the screen.
const MAX_LINES: usize = 20;

/// The maximal number of characters of one line that are shown.
const MAX_CHARS: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_would_draw_or_hide() {
        for (text, shown) in [
            ("Grüße, e\u{301}t\u{e9}, 日本 🎉 \\ \" '", "Grüße, e\u{301}t\u{e9}, 日本 🎉 \\ \" '"),
            ("\u{1b}[2J\u{1b}]0;x\u{7}", "\\u{1b}[2J\\u{1b}]0;x\\u{7}"),
            ("a\rb\nc\td\u{8}", "a\\rb\\nc\\td\\u{8}"),
            ("\u{9b}31m \u{7f}", "\\u{9b}31m \\u{7f}"),
            ("a\u{202e}b\u{2066}c\u{200f}\u{61c}", "a\\u{202e}b\\u{2066}c\\u{200f}\\u{61c}"),
            ("pay\u{200b}pal \u{feff}\u{ad}\u{e0041}", "pay\\u{200b}pal \\u{feff}\\u{ad}\\u{e0041}"),
            ("a\u{2028}b\u{a0}c", "a\\u{2028}b\\u{a0}c"),
        ] {
            assert_eq!(line(text), shown);
        }
    }

    #[test]
    fn lets_nobody_leave_their_bar_or_fill_the_screen() {
        assert_eq!(quoted("one\nsend? [Y/n]\r\n\u{1b}[1A"), "  | one\n  | send? [Y/n]\n  | \\u{1b}[1A\n");
        let long = quoted(&"x\n".repeat(100));
        assert_eq!((long.lines().count(), long.lines().last()), (21, Some("  (80 more lines)")));
        assert_eq!(quoted(&"x".repeat(1_001)), format!("  | {}…\n", "x".repeat(1_000)));
        assert_eq!(quoted(""), "");
    }
}
