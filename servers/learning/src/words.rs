//! The words of a text, and their stems.
//!
//! In: any text. Out: words in lower case, as the vault keeps them and as a query asks for them.

use rust_stemmers::{Algorithm, Stemmer};

/// The largest number of characters of a word. The rest of a longer one is cut off.
const MAX_WORD: usize = 40;

/// Words that say nothing about a subject.
const COMMON: [&str; 60] = [
    "a",
    "about",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "by",
    "can",
    "could",
    "do",
    "does",
    "for",
    "from",
    "give",
    "good",
    "have",
    "how",
    "i",
    "in",
    "into",
    "is",
    "it",
    "its",
    "like",
    "m",
    "me",
    "my",
    "need",
    "of",
    "on",
    "or",
    "our",
    "please",
    "s",
    "say",
    "should",
    "some",
    "something",
    "that",
    "the",
    "there",
    "these",
    "this",
    "those",
    "to",
    "us",
    "using",
    "want",
    "was",
    "we",
    "what",
    "when",
    "where",
    "which",
    "who",
    "with",
    "would",
    "you",
];

/// Returns the words of a text: runs of letters, and runs of digits, so that `RFC8446` is `rfc` and `8446`.
pub fn words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut before = None;
    for it in text.chars() {
        let class = (it.is_alphabetic() || it == '\u{301}', it.is_numeric());
        if class == (false, false) {
            before = None;
            continue;
        }
        if before != Some(class) {
            all.push(String::new());
        }
        before = Some(class);
        if let Some(word) = all.last_mut().filter(|it| it.len() < MAX_WORD) {
            word.extend(it.to_lowercase());
        }
    }
    all
}

/// Returns whether a word says nothing about a subject.
pub(crate) fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// Returns the stem of a word in lower case, by the English rules of Snowball.
pub fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// Returns the stems of the words of a text, without common words.
pub(crate) fn stems(text: &str) -> Vec<String> {
    words(text).iter().filter(|it| !is_common(it)).map(|it| stem(it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits_are_words_of_their_own() {
        assert_eq!(
            words("RFC8446, 0-RTT; the Café's C++"),
            ["rfc", "8446", "0", "rtt", "the", "café", "s", "c"]
        );
        assert_eq!(words(&"x".repeat(1_000))[0].len(), MAX_WORD);
        assert!(words(" \0\u{202e}—").is_empty());
    }

    #[test]
    fn common_words_are_sorted_and_have_no_stems() {
        assert!(COMMON.is_sorted_by(|a, b| a < b));
        assert_eq!(stems("What is the testing of transactions?"), ["test", "transact"]);
    }
}
