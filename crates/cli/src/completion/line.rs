//! Splits an unfinished command line into words.
//!
//! In: the line of a shell. Out: the words without their quotes, and for each whether the shell would expand
//! it. Nothing is expanded here: if a shell would expand a word of a server's command, that command is never
//! run.

/// A word of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// Whether a shell takes the word literally: the word has no variable, pattern, redirection or command
    /// outside of quotes.
    pub(crate) plain: bool,
    /// The word without its quotes and escapes.
    pub(crate) text: String,
}

/// The words of a command line, and the position of the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The index of the word with the cursor. [`Self::split`] ends the text of that word at the cursor;
    /// [`Self::of_quoted`] keeps the text after it.
    pub(crate) index: usize,
    /// Whether the cursor is inside an open quote; always `false` for words that a shell has split.
    pub(crate) quoted: bool,
    pub(crate) words: Vec<Word>,
}

impl Line {
    /// Splits `line` as `sh` and `fish` do. `cursor` is the number of characters before the cursor.
    pub(crate) fn split(line: &str, cursor: usize) -> Self {
        let mut reader = Reader { words: Vec::new(), word: None, quote: None };
        let mut chars = line.chars().enumerate().peekable();
        let mut here = None;
        while let Some((n, c)) = chars.next() {
            if n == cursor {
                here = Some(reader.mark());
            }
            let next = chars.peek().map(|&(_, next)| next);
            if reader.read(c, next)
                && let Some((_, escaped)) = chars.next_if(|&(n, _)| n != cursor)
            {
                reader.word().text.push(escaped);
            }
        }
        let (index, quoted, text) = here.unwrap_or_else(|| reader.mark());
        reader.end();
        let mut words = reader.words;
        if let Some(word) = words.get_mut(index) {
            word.text = text;
        }
        Self { index, quoted, words }
    }

    /// Returns the word at the cursor.
    pub(crate) fn current(&self) -> &str {
        self.words.get(self.index).map_or("", |word| &word.text)
    }

    /// Reads words that a shell has split already and that still have their quotes. `index` is that of the
    /// word with the cursor.
    pub(super) fn of_quoted(raw: &[String], index: usize) -> Self {
        let word = |raw: &String| {
            let mut line = Self::split(raw, usize::MAX);
            match line.words.len() {
                0 => Word { plain: true, text: String::new() },
                // Only the first word: after an unquoted blank, `split` adds an empty one for the cursor.
                _ => line.words.swap_remove(0),
            }
        };
        Self { index, quoted: false, words: raw.iter().map(word).collect() }
    }

    /// Reads words that have no quotes and are not to be expanded. The cursor is at the end of the last one.
    pub(super) fn of_plain(words: Vec<String>) -> Self {
        let index = words.len().saturating_sub(1);
        let words = words.into_iter().map(|text| Word { plain: true, text }).collect();
        Self { index, quoted: false, words }
    }
}

/// The state of splitting a line: the quote that is open, the unfinished word, and the finished words.
struct Reader {
    quote: Option<char>,
    word: Option<Word>,
    words: Vec<Word>,
}

impl Reader {
    /// Reads the character `c`; `next` is the one after it. Returns whether `c` escapes `next`.
    fn read(&mut self, c: char, next: Option<char>) -> bool {
        match (self.quote, c) {
            (Some(quote), c) if quote == c => self.quote = None,
            (Some('"'), '\\') if next.is_some_and(|next| "\"\\$`".contains(next)) => return true,
            (Some('"'), '$' | '`') => self.odd(c),
            (Some(_), c) => self.word().text.push(c),
            (None, '\'' | '"') => {
                self.quote = Some(c);
                self.word();
            }
            (None, '\\') => {
                self.word();
                return true;
            }
            (None, c) if c.is_whitespace() => self.end(),
            (None, '~' | '#') if self.word.is_none() => self.odd(c),
            (None, c) if "$`|&;<>()*?[{}".contains(c) => self.odd(c),
            (None, c) => self.word().text.push(c),
        }
        false
    }

    /// Returns the unfinished word. If there is none, a new one begins.
    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert(Word { plain: true, text: String::new() })
    }

    /// Adds `c`, which a shell would expand or interpret, to the unfinished word; the word is then not plain.
    fn odd(&mut self, c: char) {
        let word = self.word();
        word.plain = false;
        word.text.push(c);
    }

    /// Ends the unfinished word, if there is one.
    fn end(&mut self) {
        self.words.extend(self.word.take());
    }

    /// Returns the index of the word at the cursor, whether a quote is open, and the text of the word up to
    /// the cursor. Is called when the reader reaches the cursor. Between two words, it adds an empty word.
    fn mark(&mut self) -> (usize, bool, String) {
        let (index, quoted) = (self.words.len(), self.quote.is_some());
        let text = match &self.word {
            Some(word) => word.text.clone(),
            None => {
                self.words.push(Word { plain: true, text: String::new() });
                String::new()
            }
        };
        (index, quoted, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that splitting `typed`, in which `|` is the cursor, gives the words `expected` and the cursor
    /// in the word `index`. In `expected`, a word that a shell would expand begins with `!`.
    #[track_caller]
    fn check(typed: &str, index: usize, expected: &[&str]) {
        let cursor = typed.chars().position(|c| c == '|').expect("a cursor");
        let line = Line::split(&typed.replacen('|', "", 1), cursor);
        let shown = |word: &Word| format!("{}{}", if word.plain { "" } else { "!" }, word.text);
        assert_eq!(
            (line.index, line.words.iter().map(shown).collect::<Vec<_>>()),
            (index, expected.iter().map(|it| (*it).to_owned()).collect())
        );
    }

    #[test]
    fn knows_words_quotes_and_the_cursor() {
        check("plainwire |", 1, &["plainwire", ""]);
        check("plainwire ca|", 1, &["plainwire", "ca"]);
        check("plainwire ca|ll x", 1, &["plainwire", "ca", "x"]);
        check("p call | -- s", 2, &["p", "call", "", "--", "s"]);
        check("p call  |", 2, &["p", "call", ""]);
        check("p a=b:=c| x:y", 1, &["p", "a=b:=c", "x:y"]);
        check(r#"p 'a b' "c \"d\" e" f\ g ''|"#, 4, &["p", "a b", "c \"d\" e", "f g", ""]);
        check(r"p C:\\x 'it'\''s' é|", 3, &["p", r"C:\x", "it's", "é"]);
        check("p 'open |word", 1, &["p", "open "]);
        assert!(Line::split("p 'open", 7).quoted && !Line::split("p 'open'", 8).quoted);
        assert_eq!(Line::split("p x", 99), Line::split("p x", 3));
        assert_eq!(Line::split("p x ", 99).index, 2);
        assert_eq!(Line::split("p \\", 99).words.len(), 2);
    }

    #[test]
    fn knows_what_a_shell_would_change() {
        check("p| $x a$x \"$x\" '$x' \\$x", 0, &["p", "!$x", "!a$x", "!$x", "$x", "$x"]);
        check("p| `x` $(x) \"`x`\"", 0, &["p", "!`x`", "!$(x)", "!`x`"]);
        check(
            "p| ~/x a~ *.rs a? {a,b} a;b x>y #z a#b",
            0,
            &["p", "!~/x", "a~", "!*.rs", "!a?", "!{a,b}", "!a;b", "!x>y", "!#z", "a#b"],
        );
    }

    #[test]
    fn takes_words_that_were_split() {
        let raw = ["p", "'a b'", "", "$x", "c\\ d"].map(ToOwned::to_owned);
        let line = Line::of_quoted(&raw, 2);
        let texts: Vec<_> = line.words.iter().map(|it| (&*it.text, it.plain)).collect();
        assert_eq!(texts, [("p", true), ("a b", true), ("", true), ("$x", false), ("c d", true)]);
    }
}
