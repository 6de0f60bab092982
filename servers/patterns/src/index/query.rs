//! The text of a user as a query of the full-text index.
//!
//! In: any text. Out: words, and the one expression that is made from words: no sign of the text is an operator there.

/// The largest number of words of a query that count.
const MAX_WORDS: usize = 32;

/// Words that say nothing about a pattern. A query of only such words keeps them.
const COMMON: [&str; 24] = [
    "a", "an", "and", "are", "at", "by", "do", "does", "for", "from", "how", "i", "in", "is", "it", "my",
    "of", "on", "or", "the", "to", "what", "when", "with",
];

/// Returns the words of a text, in lower case, without common ones. A hyphen parts words as a blank does.
pub fn words(text: &str) -> Vec<String> {
    let all = text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let all: Vec<String> = all.map(str::to_lowercase).take(MAX_WORDS).collect();
    let telling: Vec<String> = all.iter().filter(|it| !COMMON.contains(&&***it)).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// Returns the expression that finds what has all `words`, each as the beginning of a word. The only place in which text
/// becomes a query.
pub fn expression(words: &[String]) -> String {
    // A quotation mark inside of a string is written twice. Words have none, and the function does not rely on that.
    let quoted = words.iter().map(|word| format!("\"{}\"*", word.replace('"', "\"\"").replace('\0', " ")));
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_and_quotes_are_no_operators() {
        for (text, expected) in [
            ("retry with-backoff", "\"retry\"* \"backoff\"*"),
            ("title: a* OR NOT (b\"c NEAR/2", "\"title\"* \"not\"* \"b\"* \"c\"* \"near\"* \"2\"*"),
            ("how to do it", "\"how\"* \"to\"* \"do\"* \"it\"*"),
            ("()*\"", ""),
        ] {
            assert_eq!(expression(&words(text)), expected);
        }
        assert_eq!(expression(&["a\"b\0".to_owned()]), "\"a\"\"b \"*");
    }
}
