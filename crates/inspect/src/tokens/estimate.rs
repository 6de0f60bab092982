//! An estimate of the number of tokens in a text, without a tokenizer's table.
//!
//! In: text. Out: a number. A tokenizer first splits a text into pieces, and then each piece into tokens. The
//! first step is simple enough to be done here, and most pieces of English and of JSON are one token. For the
//! other pieces, the mean number of tokens was measured with `o200k_base`; docs/tokens.md names the texts and
//! the error.

use std::str::Chars;

/// Returns the estimated number of tokens of `o200k_base` in a text.
pub(super) fn tokens(text: &str) -> usize {
    let hundredths: usize = Pieces { rest: text.chars() }.map(cost).sum();
    (hundredths + 50) / 100
}

/// A piece of text that a tokenizer never joins with the pieces next to it. The numbers count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Blanks,
    Digits,
    /// Punctuation: a run of it is one piece, such as `":{"` or a full stop.
    Marks(usize),
    /// Symbols and punctuation outside of ASCII.
    Symbols(usize),
    /// A word in ASCII letters, with the mark or blank before it, if there is one.
    Word(usize),
    /// A word in other letters, or with accents.
    Foreign(usize),
    /// A word in CJK, kana or Hangul characters, see [`is_ideograph`].
    Ideographs(usize),
}

/// Returns the mean number of tokens of pieces like `piece`, in hundredths of a token.
fn cost(piece: Piece) -> usize {
    match piece {
        Piece::Blanks | Piece::Digits => 100,
        Piece::Marks(4) => 135,
        Piece::Marks(5) => 200,
        Piece::Marks(6) => 275,
        Piece::Marks(n) if n > 6 => 320,
        Piece::Marks(_) => 100,
        Piece::Symbols(n) => 110 * n,
        Piece::Word(n) if n > 14 => 15 * n,
        Piece::Word(_) => 108,
        Piece::Foreign(n) => 50 + 18 * n,
        Piece::Ideographs(n) => 70 * n,
    }
}

struct Pieces<'t> {
    rest: Chars<'t>,
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let first = self.peek(0)?;
        let leads = !first.is_alphanumeric() && !matches!(first, '\n' | '\r');
        if first.is_alphabetic() || (leads && self.peek(1).is_some_and(char::is_alphabetic)) {
            return Some(self.word());
        }
        if first.is_numeric() {
            self.skip(3, char::is_numeric);
            return Some(Piece::Digits);
        }
        let is_mark = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        if first.is_whitespace() && !(first == ' ' && self.peek(1).is_some_and(is_mark)) {
            self.blanks();
            return Some(Piece::Blanks);
        }
        let is_ascii = self.rest.clone().find(|c| *c != ' ').is_some_and(|c| c.is_ascii());
        let blank = self.skip(1, |c| c == ' ');
        let marks = self.skip(usize::MAX, is_mark);
        self.skip(usize::MAX, |c| matches!(c, '\n' | '\r'));
        Some(if is_ascii { Piece::Marks(blank + marks) } else { Piece::Symbols(marks) })
    }
}

impl Pieces<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.clone().nth(ahead)
    }

    fn skip(&mut self, at_most: usize, wanted: impl Fn(char) -> bool) -> usize {
        let mut skipped = 0;
        while skipped < at_most && self.peek(0).is_some_and(&wanted) {
            self.rest.next();
            skipped += 1;
        }
        skipped
    }

    /// Reads a word. A capital after a small letter begins a new word: `searchIssues` is two.
    fn word(&mut self) -> Piece {
        let lead = self.skip(1, |c| !c.is_alphabetic());
        let start = self.rest.clone();
        let letters = self.skip(usize::MAX, char::is_uppercase)
            + self.skip(usize::MAX, |c| c.is_alphabetic() && !c.is_uppercase());
        // `is_alphabetic` is false for some vowel signs of Indic scripts, which become pieces of their own
        // here. The measured error includes that.
        match start.take(letters).max() {
            Some(c) if c.is_ascii() => Piece::Word(lead + letters),
            Some(c) if is_ideograph(c) => Piece::Ideographs(letters),
            _ => Piece::Foreign(letters),
        }
    }

    /// Skips a run of blanks, except for a last space that belongs to the piece after it.
    fn blanks(&mut self) {
        let mut run = self.rest.clone().take_while(|c| c.is_whitespace()).count();
        let is_last_of_text = self.peek(run).is_none();
        if run > 1 && !is_last_of_text && self.peek(run - 1) == Some(' ') {
            run -= 1;
        }
        self.skip(run, |_| true);
    }
}

/// Returns whether a character is CJK, kana or Hangul.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x2e80..=0x9fff | 0xac00..=0xd7ff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<Piece> {
        Pieces { rest: text.chars() }.collect()
    }

    #[test]
    fn cuts_as_tokenizers_do() {
        use Piece::{Blanks, Digits, Foreign, Ideographs, Marks, Symbols, Word};
        assert_eq!(pieces("Adds two numbers."), [Word(4), Word(4), Word(8), Marks(1)]);
        assert_eq!(pieces("searchIssues snake_case"), [Word(6), Word(6), Word(6), Word(5)]);
        assert_eq!(pieces(r#"{"type":"object"}"#), [Marks(2), Word(4), Marks(3), Word(6), Marks(2)]);
        assert_eq!(
            pieces("1234567 a, \n\n  b"),
            [Digits, Digits, Digits, Word(2), Marks(1), Blanks, Word(2)]
        );
        assert_eq!(pieces("größer → 日本"), [Foreign(6), Symbols(1), Ideographs(2)]);
        assert_eq!(pieces("").len(), 0);
    }

    #[test]
    fn is_not_too_slow_for_a_long_text() {
        assert_eq!(tokens(&" ".repeat(100_000)), 1);
        assert_eq!(tokens(&"a ".repeat(10_000)), 10_801);
    }
}
