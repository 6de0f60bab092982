//! Texts of others on one line: the only way in which they become titles, names and tags.

/// The largest number of characters of a title, a name or a tag.
pub(crate) const MAX_LINE: usize = 300;

/// Returns a text on one line of at most `most` characters, without those that change how others are shown; `None` if nothing is
/// left.
pub(crate) fn one_line(text: &str, most: usize) -> Option<String> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|it| !is_unseen(*it)));
        // A character has at most four bytes.
        if line.len() > most * 4 {
            break;
        }
    }
    let line: String = line.chars().take(most).collect();
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Returns whether a character can't be seen and changes what is seen: a control character, or one that turns the direction of text.
pub(crate) fn is_unseen(it: char) -> bool {
    it.is_control() || matches!(it, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_only_what_is_seen() {
        assert_eq!(one_line(" a\n\u{1b}[31mb\u{202e}c ", 10).as_deref(), Some("a [31mbc"));
        assert_eq!(one_line("\u{7} \u{202e}", 10), None);
        assert_eq!(one_line(&"ä ".repeat(1_000), 5).as_deref(), Some("ä ä ä"));
    }
}
