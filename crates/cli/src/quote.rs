//! Quotes text as one word of a shell.

/// Returns a word with the quotes that a shell needs to read it as one word.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    // No word of a shell can hold NUL, the only text that can't be quoted.
    shlex::try_quote(&word.replace('\0', "")).map_or_else(|_| "''".to_owned(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_word_holds_it_stays_one_word() {
        for (word, expected) in [("a=1", "a=1"), ("a b", "'a b'"), ("", "''"), ("x\0; y", "'x; y'")] {
            assert_eq!(quoted(word), expected);
        }
    }
}
