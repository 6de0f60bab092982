//! Lines of bytes that arrive in pieces: which of them match, with the lines around them.
//!
//! In: pieces of an output, in order. Out: matches, within limits. Every byte is looked at a bounded number of times, whatever the
//! regular expression is.

use regex::bytes::Regex;

/// The longest line that is searched and shown as one. A longer one is searched in parts of this length, in bytes.
pub(super) const MAX_LINE: usize = 16 << 10;

/// The largest number of bytes that wait for the lines after them, which are shown as context.
const MAX_WAITING: usize = 2 << 20;

/// The longest line that is shown as context, in bytes.
const MAX_CONTEXT_LINE: usize = 1 << 10;

/// A line, or a part of one, that matches.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// The number of the line, from 1.
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
    /// Whether the line goes on after these bytes.
    pub(super) continues: bool,
    pub(super) before: Vec<Vec<u8>>,
    pub(super) after: Vec<Vec<u8>>,
}

/// The limits of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) bytes: usize,
    pub(super) context: usize,
    pub(super) matches: usize,
}

/// A search in bytes that arrive in pieces.
pub(super) struct Lines {
    limits: Limits,
    regex: Regex,
    /// Bytes that were not searched yet, with a few lines before them for context.
    buffer: Vec<u8>,
    /// The position in `buffer` of the first byte that was not searched.
    from: usize,
    /// The number of the line, and the offset in the output, of that byte.
    line: u64,
    offset: u64,
    /// Whether a match may go over the end of a line. Then each line is searched alone, since a search for such a match could
    /// look at all following lines again for each.
    is_by_line: bool,
    pub(super) matches: Vec<Match>,
    /// The number of bytes in `matches`.
    kept: usize,
}

impl Lines {
    /// Begins a search at an offset, which is in the line `line`.
    pub(super) fn new(regex: Regex, limits: Limits, offset: u64, line: u64) -> Self {
        Self {
            limits,
            regex,
            buffer: Vec::new(),
            from: 0,
            line,
            offset,
            is_by_line: false,
            matches: Vec::new(),
            kept: 0,
        }
    }

    /// Returns the offset of the first byte that was not searched, and the number of its line.
    pub(super) fn position(&self) -> (u64, u64) {
        (self.offset, self.line)
    }

    /// Returns whether the answer has room for another match.
    pub(super) fn has_room(&self) -> bool {
        self.matches.len() < self.limits.matches && self.kept < self.limits.bytes
    }

    /// Searches one more piece. `is_last` says that no other comes.
    pub(super) fn push(&mut self, piece: &[u8], is_last: bool) {
        self.forget();
        self.buffer.extend_from_slice(piece);
        let end = self.searchable(is_last);
        while self.from < end && self.has_room() {
            match self.next_match(end) {
                Some((from, to)) => self.take(from, to),
                None => self.skip_to(end),
            }
        }
    }

    /// Removes bytes that are no longer needed.
    fn forget(&mut self) {
        let mut keep = self.from;
        for _ in 0..self.limits.context {
            let Some(before) = keep.checked_sub(1) else { break };
            let begin = memchr::memrchr(b'\n', &self.buffer[..before]).map_or(0, |at| at + 1);
            if self.from - begin > self.limits.context * MAX_LINE {
                break;
            }
            keep = begin;
        }
        self.buffer.drain(..keep);
        self.from -= keep;
    }

    /// Returns the end of the bytes that can be searched: all lines that are there with the lines after them.
    fn searchable(&self, is_last: bool) -> usize {
        if is_last {
            return self.buffer.len();
        }
        let mut end = self.buffer.len();
        for _ in 0..=self.limits.context {
            match memchr::memrchr(b'\n', &self.buffer[self.from..end.saturating_sub(1).max(self.from)]) {
                Some(at) => end = self.from + at + 1,
                None => return self.without_context(),
            }
        }
        end
    }

    /// Returns the end of the bytes that can be searched, where there are fewer lines than a match is shown with.
    fn without_context(&self) -> usize {
        let waiting = &self.buffer[self.from..];
        match memchr::memrchr(b'\n', waiting) {
            // The line is longer than the piece: its beginning is searched.
            None => self.part_of_long(),
            Some(_) if waiting.len() <= MAX_WAITING => self.from,
            Some(at) => self.from + at + 1,
        }
    }

    fn part_of_long(&self) -> usize {
        let parts = (self.buffer.len() - self.from) / MAX_LINE;
        // The last part stays, since the line may end in it.
        match parts.saturating_sub(1) {
            0 => self.from,
            parts => self.border(self.from + parts * MAX_LINE),
        }
    }

    /// Returns the beginning of the character at `at`. In bytes that are no text, `at`.
    fn border(&self, at: usize) -> usize {
        (at - 3..=at).rev().find(|&it| self.buffer[it] & 0xc0 != 0x80).unwrap_or(at)
    }

    /// Returns the next line, or part of one, that matches.
    fn next_match(&mut self, end: usize) -> Option<(usize, usize)> {
        while self.from < end {
            if !self.is_by_line {
                let found = self.regex.find(&self.buffer[self.from..end])?;
                let at = self.from + found.start();
                let to = self.line_end(at, end);
                self.is_by_line = self.from + found.end() > to;
                let begin = memchr::memrchr(b'\n', &self.buffer[self.from..at])
                    .map_or(self.from, |it| self.from + it + 1);
                self.skip_to(begin);
                // An empty match after the last line break is in no line.
                if self.from >= end {
                    return None;
                }
            }
            let (from, to) = (self.from, self.part_end(self.from, end));
            if self.regex.is_match(&self.buffer[from..self.line_end(from, to)]) {
                return Some((from, to));
            }
            self.skip_to(to);
        }
        None
    }

    /// Returns the end of the line at `at`, before its line break.
    fn line_end(&self, at: usize, end: usize) -> usize {
        memchr::memchr(b'\n', &self.buffer[at..end]).map_or(end, |it| at + it)
    }

    /// Returns the end of the line at `at` with its line break, or of a part of a long line.
    fn part_end(&self, at: usize, end: usize) -> usize {
        let line = self.line_end(at, end);
        if line - at <= MAX_LINE {
            return (line + 1).min(end);
        }
        self.border(at + MAX_LINE)
    }

    fn take(&mut self, from: usize, to: usize) {
        let end = self.line_end(from, to);
        let bytes = self.buffer[from..end].to_vec();
        let (before, after) = (self.lines_before(from), self.lines_after(to));
        self.kept += bytes.len() + before.iter().chain(&after).map(Vec::len).sum::<usize>() + 32;
        let continues = end == to && to < self.buffer.len();
        self.matches.push(Match { line: self.line, offset: self.offset, bytes, continues, before, after });
        self.skip_to(to);
    }

    fn skip_to(&mut self, to: usize) {
        self.line += memchr::memchr_iter(b'\n', &self.buffer[self.from..to]).count() as u64;
        self.offset += (to - self.from) as u64;
        self.from = to;
    }

    fn lines_before(&self, from: usize) -> Vec<Vec<u8>> {
        let (mut lines, mut end) = (Vec::new(), from);
        while lines.len() < self.limits.context && end > 0 {
            let begin = memchr::memrchr(b'\n', &self.buffer[..end - 1]).map_or(0, |at| at + 1);
            lines.push(excerpt(&self.buffer[begin..end - 1]));
            end = begin;
        }
        lines.reverse();
        lines
    }

    fn lines_after(&self, to: usize) -> Vec<Vec<u8>> {
        let mut lines: Vec<Vec<u8>> =
            self.buffer[to..].split(|it| *it == b'\n').take(self.limits.context + 1).map(excerpt).collect();
        // What follows the last line break is a line only if the output goes on.
        if lines.len() > self.limits.context || lines.last().is_some_and(Vec::is_empty) {
            lines.pop();
        }
        lines
    }
}

/// Returns the beginning of a line, for context.
fn excerpt(line: &[u8]) -> Vec<u8> {
    if line.len() <= MAX_CONTEXT_LINE {
        return line.to_vec();
    }
    let end = (MAX_CONTEXT_LINE - 3..=MAX_CONTEXT_LINE).rev().find(|&it| line[it] & 0xc0 != 0x80);
    [&line[..end.unwrap_or(MAX_CONTEXT_LINE)], "…".as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { bytes: 1 << 20, context: 0, matches: 1_000 };

    /// Searches `text` in pieces of every small size, and checks that all find the same.
    fn search(pattern: &str, text: &str, limits: Limits) -> Vec<Match> {
        let regex =
            regex::bytes::RegexBuilder::new(pattern).multi_line(true).crlf(true).build().expect("a pattern");
        let of = |size: usize| {
            let mut lines = Lines::new(regex.clone(), limits, 0, 1);
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            for piece in &pieces {
                lines.push(piece, false);
            }
            lines.push(&[], true);
            lines.matches
        };
        let whole = of(text.len().max(1));
        for size in 1..8.min(text.len()) {
            assert_eq!(of(size), whole, "{pattern} in pieces of {size}");
        }
        whole
    }

    fn found(pattern: &str, text: &str) -> Vec<(u64, u64, String)> {
        let all = search(pattern, text, LIMITS).into_iter();
        all.map(|it| (it.line, it.offset, String::from_utf8(it.bytes).expect("UTF-8"))).collect()
    }

    #[test]
    fn lines_are_found_as_grep_finds_them() {
        let text = "alpha\nbeta\n\ngamma alpha\nlast";
        let line = |line, offset, text: &str| (line, offset, text.to_owned());
        assert_eq!(found("alpha", text), [line(1, 0, "alpha"), line(4, 12, "gamma alpha")]);
        assert_eq!(found("^a", text), [line(1, 0, "alpha")]);
        assert_eq!(found("t$", text), [line(5, 24, "last")]);
        assert_eq!(found("^$", text), [line(3, 11, "")]);
        assert_eq!(found("", text).len(), 5);
        assert_eq!(found("", "one\n"), [line(1, 0, "one")]);
        assert_eq!(found("x", ""), []);
    }

    #[test]
    fn no_match_goes_over_the_end_of_a_line() {
        let text = "ab\ncd\nab cd\n";
        assert_eq!(found(r"b\s+c", text), [(3, 6, "ab cd".to_owned())]);
        assert_eq!(found(r"[^x]*d", text).len(), 2);
        assert_eq!(found(r"a[^z]*z", &"a\n".repeat(500)), []);
    }

    #[test]
    fn lines_around_a_match_are_shown() {
        let text: String = (1..=9).map(|it| format!("{it}\n")).collect();
        let around = |it: &Match| {
            let texts = |lines: &[Vec<u8>]| {
                lines.iter().map(|it| String::from_utf8_lossy(it).into_owned()).collect::<Vec<_>>()
            };
            (texts(&it.before), texts(&it.after))
        };
        let limits = Limits { context: 2, ..LIMITS };
        let found = search("[159]", &text, limits);
        let expected = [(vec![], vec!["2", "3"]), (vec!["3", "4"], vec!["6", "7"]), (vec!["7", "8"], vec![])];
        let found: Vec<_> = found.iter().map(around).collect();
        assert_eq!(
            found,
            expected.map(|(a, b): (Vec<&str>, Vec<&str>)| {
                (a.iter().map(ToString::to_string).collect(), b.iter().map(ToString::to_string).collect())
            })
        );
    }

    #[test]
    fn a_long_line_is_searched_in_parts_and_none_is_lost() {
        let text = format!("short\n{}\nend\n", "ä".repeat(3 * MAX_LINE));
        let regex = Regex::new("").expect("a pattern");
        for size in [1_000, 1 << 20] {
            let mut lines = Lines::new(regex.clone(), LIMITS, 0, 1);
            text.as_bytes().chunks(size).for_each(|it| lines.push(it, false));
            lines.push(&[], true);
            let mut rebuilt = Vec::new();
            for it in &lines.matches {
                assert_eq!(it.offset, rebuilt.len() as u64);
                assert!(std::str::from_utf8(&it.bytes).is_ok() && it.bytes.len() <= MAX_LINE);
                rebuilt.extend_from_slice(&it.bytes);
                if !it.continues {
                    rebuilt.push(b'\n');
                }
            }
            assert_eq!(rebuilt, text.as_bytes());
            assert_eq!(lines.matches.last().map(|it| it.line), Some(3));
        }
    }

    #[test]
    fn a_match_between_long_lines_is_found_with_the_lines_around_it() {
        let text = format!("{}\nneedle\n{}\nnext\n", "b".repeat(500_000), "c".repeat(700_000));
        let regex = Regex::new("needle").expect("a pattern");
        let mut lines = Lines::new(regex, Limits { context: 2, ..LIMITS }, 0, 1);
        text.as_bytes().chunks(512 << 10).for_each(|it| lines.push(it, false));
        lines.push(&[], true);
        let [found] = &lines.matches[..] else { panic!("one match: {}", lines.matches.len()) };
        assert_eq!((found.line, found.after.len(), &*found.after[1]), (2, 2, &b"next"[..]));
    }

    #[test]
    fn a_search_ends_at_its_limits_and_says_where() {
        let text = "x\n".repeat(10);
        let regex = Regex::new("x").expect("a pattern");
        let mut lines = Lines::new(regex, Limits { matches: 3, ..LIMITS }, 0, 1);
        lines.push(text.as_bytes(), true);
        assert_eq!((lines.matches.len(), lines.position()), (3, (6, 4)));
    }
}
