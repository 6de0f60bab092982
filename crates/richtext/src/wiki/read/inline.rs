//! Cuts inline markup into tokens: signs of marks, breaks, links, emoticons.
//!
//! The text is cut into tokens first. Then the signs of marks are paired, and last the [nodes](super::nodes)
//! are made. A mark ends at the next sign of its kind on its line or not at all, so pairing needs no search.

use thin_vec::ThinVec;

use super::Reader;
use super::link::Link;
use super::nodes::Nodes;
use super::tags::{mono_end, split};
use super::token::{emoji, emoticon};
use crate::tree::{Mark, MarkKind, Node, Span};
use crate::wiki::{chars, names};

pub(super) struct Token<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) what: What<'a>,
    /// The index of the token that closes the mark this token opens; 0 if none does. For a `{color}` that
    /// ends a colour begun in the same text, and for colours past [`MAX_COLOURS`], `usize::MAX`.
    pub(super) mate: usize,
}

pub(super) enum What<'a> {
    /// A sign of a mark, such as `*`, as an index in [`SIGNS`]. A sign that can neither open nor close a mark
    /// still prevents a sign before it from pairing with a sign after it.
    Sign { sign: usize, opens: bool, closes: bool },
    /// A line feed, which becomes a hard break.
    LineFeed,
    /// `\\`, a hard break.
    Break,
    /// `{{…}}`, text with the mark `code`.
    Mono,
    /// `{color:…}`, the beginning of a colour, with the mark for it; `None` if the colour is unknown.
    Colour(Option<Mark<'a>>),
    /// `{color}`, the end of a colour.
    ColourEnd,
    /// `[…]`, a link, card or mention.
    Link(Box<Link<'a>>),
    /// A token that is already a complete node, such as a picture.
    Node(Box<Node<'a>>),
}

/// The signs of marks. `?` is written twice in markup: `??`.
const SIGNS: &[u8] = b"*_-+^~?";

/// Returns the mark for the sign at the index `sign` in [`SIGNS`].
pub(super) fn mark_of<'a>(sign: usize) -> Mark<'a> {
    match SIGNS[sign] {
        b'*' => Mark::new(MarkKind::Strong),
        b'_' => Mark::new(MarkKind::Em),
        b'-' => Mark::new(MarkKind::Strike),
        b'+' => Mark::new(MarkKind::Underline),
        b'^' => Mark::new(MarkKind::Subsup).with("type", "sup"),
        b'~' => Mark::new(MarkKind::Subsup).with("type", "sub"),
        _ => Mark::new(MarkKind::Other).with("/type", "html:cite"),
    }
}

impl<'a> Reader<'a> {
    /// Reads the inline markup between `start` and `end`. Returns `None` if its nodes exceed the node limit.
    pub(super) fn inline(&mut self, start: usize, end: usize) -> Option<ThinVec<Node<'a>>> {
        let mut nodes = ThinVec::new();
        self.marked(start, end, ThinVec::new(), &mut nodes)?;
        Some(nodes)
    }

    /// Reads the inline markup between `start` and `end`, and appends its nodes to `to`, with `marks` in
    /// addition to their own. Returns `None` if the nodes exceed the node limit.
    pub(super) fn marked(
        &mut self,
        start: usize,
        end: usize,
        marks: ThinVec<Mark<'a>>,
        to: &mut ThinVec<Node<'a>>,
    ) -> Option<()> {
        let most = self.room.left();
        let mut tokens =
            Tokens { reader: self, end, text_start: start, found: Vec::new(), nodes: 0, path_until: 0 };
        tokens.run(start, most)?;
        let mut tokens = tokens.found;
        pair(&mut tokens);
        let mut nodes = Nodes { reader: self, text_start: start, marks, groups: Vec::new(), to };
        nodes.run(&mut tokens)?;
        nodes.text(end);
        Some(())
    }

    /// Returns the offset at which the `{{…}}` that begins at `at` ends; `None` if there is none or it does
    /// not end on its line before `end`.
    pub(super) fn mono_end(&mut self, at: usize, end: usize) -> Option<usize> {
        if self.bytes()[at..end].get(1) != Some(&b'{') || at < self.mono_until {
            return None;
        }
        mono_end(self.bytes(), at, end).map_err(|until| self.mono_until = until).ok()
    }
}

struct Tokens<'r, 'a> {
    reader: &'r mut Reader<'a>,
    end: usize,
    /// The offset at which the last token that is not a sign of a mark ends.
    text_start: usize,
    found: Vec<Token<'a>>,
    /// The number of tokens so far, except colours and signs of marks. Each becomes at least one node.
    nodes: usize,
    /// The end of the last word that was found to be a path, such as `C:\\x`. Double backslashes before this
    /// offset are literal.
    path_until: usize,
}

/// A table that tells, for each value of a byte, whether it may begin a token.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let special = b"\\\n*_-+^~?{[!:(;<";
    let mut index = 0;
    while index < special.len() {
        table[special[index] as usize] = true;
        index += 1;
    }
    table
};

impl<'a> Tokens<'_, 'a> {
    /// Cuts the text from `start` on into tokens. Returns `None` if they would become more than `most` nodes.
    fn run(&mut self, start: usize, most: usize) -> Option<()> {
        let bytes = self.reader.bytes();
        let mut at = start;
        while let Some(plain) = bytes[at..self.end].iter().position(|it| SPECIAL[*it as usize]) {
            at += plain;
            at = match bytes[at] {
                b'\\' => self.backslashes(at),
                b'\n' => self.line_feed(at),
                b'{' => self.brace(at),
                b'[' => self.bracket(at),
                b'!' => self.picture(at),
                b':' => self.colon(at),
                b'(' | b';' | b'<' => self.emoticon(at),
                _ => self.signs(at),
            };
            if self.nodes > most {
                return None;
            }
        }
        Some(())
    }

    fn push(&mut self, start: usize, end: usize, what: What<'a>) -> usize {
        if !matches!(what, What::Sign { .. }) {
            self.text_start = end;
            self.nodes += usize::from(!matches!(what, What::Colour(_) | What::ColourEnd));
        }
        self.found.push(Token { start, end, what, mate: 0 });
        end
    }

    fn line_feed(&mut self, at: usize) -> usize {
        let has_return = at > self.text_start && self.reader.bytes()[at - 1] == b'\r';
        self.push(at - usize::from(has_return), at + 1, What::LineFeed)
    }

    /// Reads the backslashes at `at`: one escapes the next character, two are a hard break unless they are
    /// part of a path, more are literal. Returns the offset after them.
    fn backslashes(&mut self, at: usize) -> usize {
        let rest = &self.reader.bytes()[at..self.end];
        let run = rest.iter().take_while(|it| **it == b'\\').count();
        let next = rest.get(run);
        match run {
            1 => at + 1 + usize::from(next.is_some_and(|it| chars::is_escapable(*it))),
            2 if at >= self.path_until && !self.is_path(at) => self.push(at, at + 2, What::Break),
            _ => at + run,
        }
    }

    /// Returns whether the two backslashes at `at` are literal: they belong to a path (`C:\\x`,
    /// `\\server\share`), or a second pair follows in the same word.
    fn is_path(&mut self, at: usize) -> bool {
        let bytes = self.reader.bytes();
        let is_space = |it: &u8| it.is_ascii_whitespace();
        let rest = &bytes[at + 2..self.end];
        let before = &bytes[self.text_start..at];
        let is_drive = before.len() > 1 && before.ends_with(b":") && {
            let (letter, earlier) = (before[before.len() - 2], before.iter().rev().nth(2));
            letter.is_ascii_alphabetic() && earlier.is_none_or(|it| !it.is_ascii_alphanumeric())
        };
        let next = rest.iter().position(|it| is_space(it) || *it == b'\\').unwrap_or(rest.len());
        let follows = |index: usize| rest.get(next + index).copied().unwrap_or(b' ');
        let is_pair = follows(0) == b'\\' && follows(1) == b'\\';
        let is_share = before.last().is_none_or(is_space)
            && next > 0
            && follows(0) == b'\\'
            && follows(1).is_ascii_alphanumeric();
        if is_drive && next > 0 || is_share {
            let word = rest.iter().position(is_space).unwrap_or(rest.len());
            self.path_until = at + 2 + word;
            return true;
        }
        is_pair
    }

    fn brace(&mut self, at: usize) -> usize {
        if let Some(end) = self.reader.mono_end(at, self.end) {
            return self.push(at, end, What::Mono);
        }
        if let Some((sign, end)) = self.forced(at) {
            return self.push(at, end, What::Sign { sign, opens: true, closes: true });
        }
        if self.reader.source[at..self.end].starts_with("{color") {
            return self.colour(at);
        }
        let tag = self
            .reader
            .tag_at(at)
            .filter(|it| !it.is_block() && it.whole_end() <= self.end && !it.is_unclosed());
        match tag {
            Some(tag) => {
                let node = Box::new(self.reader.inline_macro(tag));
                self.push(at, tag.whole_end(), What::Node(node))
            }
            None => at + 1,
        }
    }

    /// Returns the index in [`SIGNS`] of a sign in braces, such as `{*}`, and the offset after the closing
    /// brace; `None` if there is no such sign at `at`.
    fn forced(&self, at: usize) -> Option<(usize, usize)> {
        let rest = &self.reader.bytes()[at + 1..self.end];
        let sign = SIGNS.iter().position(|it| rest.first() == Some(it))?;
        let len = if SIGNS[sign] == b'?' { 2 } else { 1 };
        let is_whole = rest.get(len) == Some(&b'}') && (len == 1 || rest[1] == b'?');
        is_whole.then_some((sign, at + len + 2))
    }

    fn colour(&mut self, at: usize) -> usize {
        match split(self.reader.source, at).filter(|it| it.0 == "color" && it.2 <= self.end) {
            Some((_, "", end)) if end == at + 7 => self.push(at, end, What::ColourEnd),
            Some((_, name, end)) => {
                let hex = names::colour(name);
                let mark = hex.map(|hex| {
                    let is_same = hex == name;
                    let mark = Mark::new(MarkKind::TextColor).with("color", hex);
                    if is_same { mark } else { mark.with("wiki:form", name) }
                });
                self.push(at, end, What::Colour(mark))
            }
            None => at + 1,
        }
    }

    fn bracket(&mut self, at: usize) -> usize {
        match self.reader.link(at, self.end) {
            Some(link) => self.push(at, link.end, What::Link(Box::new(link))),
            None => at + 1,
        }
    }

    fn picture(&mut self, at: usize) -> usize {
        match self.reader.image_end(self.text_start, at, self.end) {
            Some(end) => {
                let node = Box::new(self.reader.image(at, end));
                self.push(at, end, What::Node(node))
            }
            None => at + 1,
        }
    }

    fn colon(&mut self, at: usize) -> usize {
        let Some((start, end)) = self.reader.address(self.text_start, at, self.end) else {
            return self.emoticon(at);
        };
        let text = &self.reader.source[start..end];
        let mark = Mark::new(MarkKind::Link).with("href", text).with("wiki:form", "bare");
        let (span, decoded) = (Span::new(start, end), chars::decode(text));
        self.push(start, end, What::Node(Box::new(Node::of_text(decoded).marked(mark).at(span, span))))
    }

    fn emoticon(&mut self, at: usize) -> usize {
        let Some(found) = emoticon(&self.reader.bytes()[at..self.end]) else { return at + 1 };
        let end = at + found.spelling.len();
        let is_word = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
        let source = self.reader.source;
        let joins = is_word(source[self.text_start..at].chars().next_back())
            || is_word(source[end..self.end].chars().next());
        if joins {
            return at + 1;
        }
        let node = Box::new(emoji(found).at(Span::new(at, end), Span::new(at, end)));
        self.push(at, end, What::Node(node))
    }

    /// Reads the run of one repeated sign at `at`. The first sign of the run may close a mark, and the last
    /// one may open a mark. Returns the offset after the run.
    fn signs(&mut self, at: usize) -> usize {
        let bytes = self.reader.bytes();
        let byte = bytes[at];
        let Some(sign) = SIGNS.iter().position(|it| *it == byte) else { return at + 1 };
        let len = if byte == b'?' { 2 } else { 1 };
        let run = bytes[at..self.end].iter().take_while(|it| **it == byte).count();
        let end = at + run;
        if run < len {
            return end;
        }
        let source = self.reader.source;
        let before = source[self.text_start..at].chars().next_back();
        let before = before.or_else(|| (at > 0).then(|| source[..at].chars().next_back())?);
        let after = source[end..self.end].chars().next();
        let is_word = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
        let is_space = |it: Option<char>| it.is_none_or(char::is_whitespace);
        let starts = at == self.text_start && self.found.is_empty();
        let opens = !is_space(after) && (run > len || !is_word(before));
        let closes = !is_space(before) && !starts && (run > len || !is_word(after));
        if run > len {
            if closes {
                self.push(at, at + len, What::Sign { sign, opens: false, closes });
            }
            if opens && (!closes || run >= 2 * len) {
                self.push(end - len, end, What::Sign { sign, opens, closes: false });
            }
            if closes || opens {
                return end;
            }
        }
        let repeats = !opens && !closes && self.found.last().is_some_and(|it| it.bars(sign));
        if !repeats {
            self.push(at, end, What::Sign { sign, opens: opens && run == len, closes: closes && run == len });
        }
        end
    }
}

impl Token<'_> {
    /// Returns whether the token is the sign with the index `of` in [`SIGNS`] and can neither open nor close
    /// a mark. Such a token only prevents a sign before it from pairing with a sign after it.
    fn bars(&self, of: usize) -> bool {
        matches!(self.what, What::Sign { sign, opens: false, closes: false } if sign == of)
    }
}

/// Sets [`Token::mate`] of each token that opens a mark to the index of the token that closes the mark.
fn pair(tokens: &mut [Token<'_>]) {
    let mut next = [0; SIGNS.len()];
    for index in (0..tokens.len()).rev() {
        match tokens[index].what {
            What::LineFeed => next = [0; SIGNS.len()],
            What::Sign { sign, opens, .. } => {
                let mate = next[sign];
                let closes = mate > 0 && matches!(tokens[mate].what, What::Sign { closes: true, .. });
                let is_empty = closes && tokens[mate].start == tokens[index].end;
                if opens && closes && !is_empty {
                    tokens[index].mate = mate;
                }
                next[sign] = index;
            }
            _ => {}
        }
    }
    let (mut colours, mut deeper) = (Vec::new(), 0);
    for index in 0..tokens.len() {
        match tokens[index].what {
            What::Colour(_) if colours.len() == MAX_COLOURS => {
                deeper += 1;
                tokens[index].mate = usize::MAX;
            }
            What::Colour(_) => colours.push(index),
            What::ColourEnd if deeper > 0 => {
                deeper -= 1;
                tokens[index].mate = usize::MAX;
            }
            What::ColourEnd => {
                if let Some(open) = colours.pop() {
                    tokens[open].mate = index;
                    tokens[index].mate = usize::MAX;
                }
            }
            _ => {}
        }
    }
}

/// The largest number of colours within each other. For each text inside, all of them are looked at.
const MAX_COLOURS: usize = 16;
