//! Text and what stands among it: marks, breaks, links, emoticons.
//!
//! The text is cut into tokens first; then marks are paired, and last the nodes are made. A mark ends at the next sign of its kind on its
//! line or not at all, so that pairing needs no search.

use thin_vec::ThinVec;

use super::Reader;
use super::link::{Link, Target};
use super::tags::{mono_end, split};
use super::token::{emoji, emoticon};
use crate::tree::{Kind, Mark, MarkKind, Node, Span, add};
use crate::wiki::{chars, names};

struct Token<'a> {
    start: usize,
    end: usize,
    what: What<'a>,
    /// The token that ends what this one begins; 0 if there is none.
    mate: usize,
}

enum What<'a> {
    /// A sign of a mark; one that can neither open nor close keeps others from being paired across it.
    Sign { sign: usize, opens: bool, closes: bool },
    /// A line feed.
    LineFeed,
    /// `\\`.
    Break,
    /// `{{…}}`.
    Mono,
    /// `{color:…}`; without a mark if there is no such colour.
    Colour(Option<Mark<'a>>),
    /// `{color}`.
    ColourEnd,
    /// `[…]`.
    Link(Box<Link<'a>>),
    /// Anything that is a node already.
    Node(Box<Node<'a>>),
}

/// The signs of marks. The last is written twice.
const SIGNS: &[u8] = b"*_-+^~?";

/// The mark of a sign.
fn mark_of<'a>(sign: usize) -> Mark<'a> {
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
    /// The text between `start` and `end`, as nodes.
    pub(super) fn inline(&mut self, start: usize, end: usize, to: &mut ThinVec<Node<'a>>) {
        self.marked(start, end, ThinVec::new(), to);
    }

    fn marked(&mut self, start: usize, end: usize, marks: ThinVec<Mark<'a>>, to: &mut ThinVec<Node<'a>>) {
        let mut tokens = Tokens { reader: self, end, text_start: start, found: Vec::new(), path_until: 0 };
        tokens.run(start);
        let mut tokens = tokens.found;
        pair(&mut tokens);
        let mut nodes = Nodes { reader: self, text_start: start, marks, groups: Vec::new(), to };
        nodes.run(&mut tokens);
        nodes.text(end);
    }

    /// Where `{{…}}` at `at` ends, before `end`.
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
    /// Where the last token ended that stands on its own.
    text_start: usize,
    found: Vec<Token<'a>>,
    /// Where the word ends that is a path, whose backslashes are its own.
    path_until: usize,
}

/// Whether a byte may begin a token.
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
    fn run(&mut self, start: usize) {
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
        }
    }

    fn push(&mut self, start: usize, end: usize, what: What<'a>) -> usize {
        if !matches!(what, What::Sign { .. }) {
            self.text_start = end;
        }
        self.found.push(Token { start, end, what, mate: 0 });
        end
    }

    fn line_feed(&mut self, at: usize) -> usize {
        let has_return = at > self.text_start && self.reader.bytes()[at - 1] == b'\r';
        self.push(at - usize::from(has_return), at + 1, What::LineFeed)
    }

    /// One backslash escapes, two are a break, more are backslashes.
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

    /// Whether the two backslashes at `at` belong to a path (`C:\\x`, `\\server\share`), or a second pair follows in the same word.
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

    /// `{*}`.
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

    /// A run of one sign: the first may close, the last may open.
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
    /// Whether it only keeps others from being paired.
    fn bars(&self, of: usize) -> bool {
        matches!(self.what, What::Sign { sign, opens: false, closes: false } if sign == of)
    }
}

/// Finds for each token that opens something the one that closes it.
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
            What::Colour(_) if colours.len() == MAX_COLOURS => deeper += 1,
            What::Colour(_) => colours.push(index),
            What::ColourEnd if deeper > 0 => deeper -= 1,
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

/// How many colours may be in each other: each text in them has all of them for its marks.
const MAX_COLOURS: usize = 16;

struct Nodes<'r, 'a> {
    reader: &'r mut Reader<'a>,
    text_start: usize,
    marks: ThinVec<Mark<'a>>,
    /// What is open: the token that closes it, where it began, and how many nodes there were before.
    groups: Vec<(usize, usize, usize)>,
    to: &'r mut ThinVec<Node<'a>>,
}

impl<'a> Nodes<'_, 'a> {
    fn run(&mut self, tokens: &mut [Token<'a>]) {
        for index in 0..tokens.len() {
            let limit = self.groups.last().map_or(tokens.len(), |it| it.0);
            if index == limit {
                self.close(&tokens[index]);
                continue;
            }
            let Token { start, end, mate, .. } = tokens[index];
            let is_open = mate > index && mate < limit;
            let what = std::mem::replace(&mut tokens[index].what, What::LineFeed);
            match what {
                What::Sign { sign, .. } if is_open => self.open(mark_of(sign), mate, start, end),
                What::Colour(Some(mark)) if is_open => self.open(mark, mate, start, end),
                What::Colour(Some(mark)) if mate == 0 && end <= self.reader.last_colour_end => {
                    self.text(start);
                    self.text_start = end;
                    self.reader.colour = Some(mark);
                }
                What::ColourEnd if mate == 0 && self.reader.colour.is_some() => {
                    self.text(start);
                    self.text_start = end;
                    self.reader.colour = None;
                }
                What::Sign { .. } | What::Colour(_) | What::ColourEnd => {}
                What::LineFeed => {
                    // Blanks at the end of a line are part of its end.
                    let line = Span::new(self.text_start, start.max(self.text_start)).of(self.reader.source);
                    let blanks = line.len() - line.trim_end_matches([' ', '\t']).len();
                    self.node(Node::new(Kind::HardBreak), start - blanks, end);
                }
                What::Break => self.node(Node::new(Kind::HardBreak).with("wiki:form", "\\\\"), start, end),
                What::Mono => self.mono(start, end),
                What::Link(link) => self.link(*link, start, end),
                What::Node(node) => self.whole(*node, start, end),
            }
        }
    }

    fn open(&mut self, mark: Mark<'a>, mate: usize, start: usize, end: usize) {
        self.text(start);
        self.text_start = end;
        self.marks.push(mark);
        self.groups.push((mate, start, self.to.len()));
    }

    fn close(&mut self, token: &Token<'a>) {
        self.text(token.start);
        self.text_start = token.end;
        self.marks.pop();
        if let Some((_, start, before)) = self.groups.pop() {
            self.share(start, token.end, before);
        }
    }

    /// Gives the nodes after the first `before` ones the place of what marks them all.
    fn share(&mut self, start: usize, end: usize, before: usize) {
        if self.groups.is_empty() {
            let span = Span::new(start, end);
            self.to[before..].iter_mut().for_each(|it| it.span = span);
        }
    }

    /// The text before `end` that is in no node yet.
    fn text(&mut self, end: usize) {
        let span = Span::new(self.text_start, end.max(self.text_start));
        self.piece(span, span, false);
    }

    fn piece(&mut self, span: Span, inner: Span, is_mono: bool) {
        if inner.is_empty() {
            return;
        }
        let mut node = Node::of_text(chars::decode(inner.of(self.reader.source))).at(span, inner);
        node.marks = self.marks_here();
        if is_mono {
            add(&mut node.marks, Mark::new(MarkKind::Code));
        }
        add(self.to, node);
    }

    /// The marks of what stands here.
    fn marks_here(&self) -> ThinVec<Mark<'a>> {
        match &self.reader.colour {
            None => self.marks.clone(),
            Some(colour) => std::iter::once(colour).chain(&self.marks).cloned().collect(),
        }
    }

    fn node(&mut self, node: Node<'a>, start: usize, end: usize) {
        self.text(start);
        self.text_start = end;
        add(self.to, node.at(Span::new(start, end), Span::at(end)));
    }

    /// A node with a place of its own within.
    fn whole(&mut self, mut node: Node<'a>, start: usize, end: usize) {
        self.text(start);
        self.text_start = end;
        if node.kind == Kind::Text {
            let link = std::mem::take(&mut node.marks);
            node.marks = self.marks_here();
            if node.marks.iter().all(|it| it.kind != MarkKind::Link) {
                node.marks.extend(link);
            }
        } else if node.kind == Kind::Image {
            node.marks.extend(self.marks.iter().filter(|it| it.kind == MarkKind::Link).cloned());
        }
        add(self.to, node);
    }

    fn mono(&mut self, start: usize, end: usize) {
        self.text(start);
        self.text_start = end;
        let span = Span::new(start, end);
        let (mut from, stop) = (start + 2, end - 2);
        // Dashes in code are no dashes: a text that begins with them has none.
        while let Some(found) = self.reader.source[from..stop].find(" --") {
            let cut = from + found + 1;
            self.piece(span, Span::new(from, cut), true);
            from = cut;
        }
        self.piece(span, Span::new(from, stop), true);
    }

    fn link(&mut self, link: Link<'a>, start: usize, end: usize) {
        self.text(start);
        self.text_start = end;
        let before = self.to.len();
        let span = Span::new(start, end);
        match link.target {
            Target::Node(node) => add(self.to, node.at(span, Span::at(end))),
            Target::Mark(mark) => {
                self.marks.push(mark);
                let inner = Span::new(link.alias.0, link.alias.1);
                if link.has_alias && !inner.is_empty() {
                    let marks = self.marks.clone();
                    self.reader.marked(link.alias.0, link.alias.1, marks, self.to);
                } else {
                    self.piece(span, inner, false);
                }
                self.marks.pop();
            }
        }
        self.share(start, end, before);
    }
}
