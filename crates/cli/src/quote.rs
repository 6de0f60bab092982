//! Quotes text as one word of a shell.

/// Returns a word with the quotes that a shell needs to read it as one word.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Into::into)
}
