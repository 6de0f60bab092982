//! The beginning of a text, and sentences in it.
//!
//! In: a text. Out: at most so many characters of it, cut between words.

/// The mark of a text that goes on.
const MORE: &str = "...";

/// Returns at most `max` characters of a text. If it is cut, then at the last blank in its last fifth, and three dots follow.
pub(super) fn excerpt(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max - MORE.len()).collect();
    let blank = kept.rfind(' ').filter(|&at| kept[..at].chars().count() * 5 > max * 4);
    format!("{}{MORE}", kept[..blank.unwrap_or(kept.len())].trim_end())
}

/// Returns the sentences of a text. A dot within a word, as in `Effect.gen`, ends none.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let next = move || {
        let end = rest
            .char_indices()
            .find(|&(at, it)| {
                it == '\n'
                    || (".!?".contains(it) && rest[at + 1..].chars().next().is_none_or(char::is_whitespace))
            })
            .map_or(rest.len(), |(at, _)| at + 1);
        let (sentence, after) = rest.split_at(end);
        rest = after;
        (!sentence.is_empty()).then(|| sentence.trim())
    };
    std::iter::from_fn(next).filter(|it| !it.is_empty())
}

/// Returns a line of Markdown without the signs of emphasis and code.
pub(super) fn plain(line: &str) -> String {
    line.replace("**", "").replace('`', "")
}

/// Returns whether a text has the word, as a whole word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split(|it: char| !it.is_alphanumeric()).any(|it| it.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words() {
        let text = "word ".repeat(60);
        let cut = excerpt(text.trim(), 200);
        assert!(cut.ends_with("word...") && cut.chars().count() <= 200, "{cut}");
        assert_eq!(excerpt("short", 200), "short");
        assert_eq!(excerpt(&"ä".repeat(300), 200).chars().count(), 200);
        assert_eq!(
            sentences("Use Effect.gen. Not that!\nOr").collect::<Vec<_>>(),
            ["Use Effect.gen.", "Not that!", "Or"]
        );
        assert!(has_word("do not use", "not") && !has_word("a notable case", "not"));
    }
}
