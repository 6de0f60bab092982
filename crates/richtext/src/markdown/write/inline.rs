//! Writes inline nodes.
//!
//! In: the children of a paragraph, heading or cell. Out: one line, or several with hard breaks. Marks nest
//! in a fixed order (link, comment, colours, underline, sub and sup, strike, strong, em, code), so that
//! neighbours share the marks they have in common.

use std::borrow::Cow;

use super::super::{attrs, names};
use super::directive;
use super::escape::{self, Around, Lone, Within};
use super::out::Out;
use super::span;
use crate::Flavor;
use crate::tree::{Attr, Kind, Mark, MarkKind, Node};

/// A writer of the inline nodes of one block.
pub(super) struct Inline<'o> {
    pub(super) out: &'o mut Out,
    pub(super) flavor: Flavor,
    pub(super) within: Within,
    /// True if the paragraph contains only one node. A picture is then written as a directive.
    pub(super) alone: bool,
    lone: Lone,
    /// The number of directive labels that are open at this point of the output.
    labels: usize,
    /// True if the next character begins a line.
    starts_line: bool,
    /// True if the current line is not the first one of the block.
    continues: bool,
    /// The offset in the output at which the text of the block begins.
    start: usize,
}

/// A piece of a line: text without a mark, any other node without a mark, or the pieces within a mark.
enum Piece<'n, 'a> {
    Text(Cow<'n, str>),
    Leaf(&'n Node<'a>),
    Group(&'n Mark<'a>, Vec<Self>, Form),
}

/// The way a mark is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// These signs before and after the marked text, such as `**`.
    Signs(&'static str),
    /// An HTML element of this name around the marked text.
    Element(&'static str),
    Link,
    Code,
    Directive,
    /// No sign of the mark: only the marked text is written.
    Bare,
}

/// The class of a character, as CommonMark's rules for emphasis see it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Sign,
    Letter,
    /// A character that some Markdown parsers take for a sign and others for a letter.
    Odd,
}

impl<'o> Inline<'o> {
    pub(super) fn new(out: &'o mut Out, flavor: Flavor, within: Within) -> Self {
        out.begin();
        let start = out.text.len();
        let starts_line = !within.cell && !within.heading;
        Self {
            out,
            flavor,
            within,
            alone: false,
            lone: Lone::default(),
            labels: 0,
            starts_line,
            continues: false,
            start,
        }
    }

    /// Writes all inline nodes of a block.
    pub(super) fn block(&mut self, nodes: &[Node<'_>]) {
        self.lone = lone(nodes);
        self.part(nodes);
    }

    /// Writes some of the inline nodes of a block. It does not know the block's other nodes, so it escapes
    /// every sign of emphasis that could form a pair with a sign in them.
    pub(super) fn part(&mut self, nodes: &[Node<'_>]) {
        let nodes = &*attrs::with_carried_marks(nodes);
        let marks = marks(nodes);
        let mut pieces = group(nodes, &marks, 0);
        self.decide(&mut pieces, Class::Space, Class::Space, Depth::Top);
        self.pieces(&pieces, None);
    }

    fn pieces(&mut self, pieces: &[Piece<'_, '_>], after: Option<char>) {
        for (at, piece) in pieces.iter().enumerate() {
            let next = pieces.get(at + 1).map_or(after, |it| self.first(it));
            match piece {
                Piece::Text(text) => self.text(text, next),
                Piece::Leaf(node) => self.leaf(node, next),
                Piece::Group(mark, pieces, form) => self.group(mark, pieces, *form, next),
            }
        }
    }

    fn text(&mut self, text: &str, after: Option<char>) {
        let around = Around {
            starts_line: self.starts_line && self.labels == 0 && !self.within.brackets,
            continues: self.continues,
            before: self.out.text[self.start..].chars().next_back(),
            after,
            within: self.within,
            lone: self.lone,
        };
        if self.within.cell && self.out.text.len() == self.start && text.starts_with(' ') {
            self.out.push("&#32;");
            escape::write(&mut self.out.text, &text[1..], &around);
        } else if self.within.heading && self.out.text.len() == self.start {
            let spaced =
                Around { starts_line: matches!(text.as_bytes().first(), Some(b' ' | b'#')), ..around };
            escape::write(&mut self.out.text, text, &spaced);
        } else {
            escape::write(&mut self.out.text, text, &around);
        }
        self.starts_line &= text.is_empty();
    }

    fn group(&mut self, mark: &Mark<'_>, pieces: &[Piece<'_, '_>], form: Form, after: Option<char>) {
        match form {
            Form::Bare => self.pieces(pieces, after),
            Form::Signs(signs) => {
                self.open(signs);
                self.pieces(pieces, signs.chars().next());
                self.out.push(signs);
            }
            Form::Element(name) => {
                self.open("<");
                self.out.push(name);
                self.out.push(">");
                self.pieces(pieces, Some('<'));
                self.out.push("</");
                self.out.push(name);
                self.out.push(">");
            }
            Form::Link => {
                self.open("[");
                let outer = std::mem::replace(&mut self.within.brackets, true);
                self.pieces(pieces, Some(']'));
                self.within.brackets = outer;
                let (href, title) = (mark.text("href").unwrap_or_default(), mark.text("title"));
                span::destination(&mut self.out.text, href, title, self.within.cell);
            }
            Form::Code => {
                let text: String = pieces.iter().map(plain).collect();
                self.starts_line = false;
                span::code(&mut self.out.text, &text, self.within.cell && self.labels == 0);
            }
            Form::Directive => self.directive(mark, pieces),
        }
    }

    /// Writes an opening sign. The text after it no longer begins the line.
    fn open(&mut self, sign: &str) {
        self.starts_line = false;
        self.out.push(sign);
    }

    fn directive(&mut self, mark: &Mark<'_>, pieces: &[Piece<'_, '_>]) {
        // Text and background colour together are one directive.
        if let (MarkKind::TextColor, [Piece::Group(inner, pieces, Form::Directive)]) = (mark.kind, pieces)
            && inner.kind == MarkKind::BackgroundColor
            && let (Some(fg), Some(bg)) = (directive::color(mark), directive::color(inner))
        {
            return self.labelled("color", pieces, &[fg, bg]);
        }
        let (name, attrs) = directive::mark(mark);
        self.labelled(name, pieces, &attrs);
    }

    fn labelled(&mut self, name: &str, pieces: &[Piece<'_, '_>], attrs: &[Attr<'_>]) {
        self.open(":");
        self.out.push(name);
        self.out.push("[");
        self.labels += 1;
        let outer = std::mem::replace(&mut self.within.brackets, true);
        self.pieces(pieces, Some(']'));
        self.within.brackets = outer;
        self.labels -= 1;
        self.out.push("]");
        directive::braces(&mut self.out.text, attrs, attrs::AttrPosition::Text);
    }

    fn leaf(&mut self, node: &Node<'_>, after: Option<char>) {
        let said = node.attrs.iter().any(|it| attrs::is_carried(it));
        let within = self.within.cell || self.within.heading || self.within.brackets;
        let begins = self.out.text.len() == self.start && !within;
        // A `<br>` that is all of a paragraph is read as a hard break. With a line after it, everything would
        // be HTML.
        let spoiled = begins && after.is_none() && self.within.followed;
        if node.kind == Kind::HardBreak && !said && !spoiled {
            if within || begins || after.is_none() {
                return self.open("<br>");
            }
            self.out.push("\\");
            self.out.line();
            self.out.begin();
            (self.starts_line, self.continues) = (true, true);
            return;
        }
        let mut spelling = String::new();
        if self.alone && node.kind == Kind::Image {
            directive::image_alone(&mut spelling, node);
        } else {
            let before = self.out.text[self.start..].chars().next_back();
            directive::leaf(&mut spelling, node, before, (self.within.cell, self.labels > 0));
        }
        self.starts_line = false;
        self.out.lines(&spelling);
    }

    /// Returns the first character that is written for a piece.
    fn first(&self, piece: &Piece<'_, '_>) -> Option<char> {
        match piece {
            Piece::Text(text) => text.chars().next(),
            Piece::Leaf(node) => Some(match node.kind {
                Kind::HardBreak if self.within.cell || self.within.heading || self.within.brackets => '<',
                Kind::HardBreak => '\n',
                Kind::Image => '!',
                Kind::RawInline => node.text.chars().next().unwrap_or(' '),
                _ => ':',
            }),
            Piece::Group(_, pieces, form) => match form {
                Form::Signs(signs) => signs.chars().next(),
                Form::Element(_) => Some('<'),
                Form::Link => Some('['),
                Form::Code => Some('`'),
                Form::Directive => Some(':'),
                Form::Bare => pieces.first().and_then(|it| self.first(it)),
            },
        }
    }

    /// Chooses how each mark is written. `before` and `after` are the classes of the characters beside these
    /// pieces.
    fn decide(&self, pieces: &mut [Piece<'_, '_>], before: Class, after: Class, depth: Depth) {
        let mut previous = before;
        let mut closed = "";
        for at in 0..pieces.len() {
            let next = pieces.get(at + 1).map_or(after, |it| edge(it, Edge::First));
            let piece = &mut pieces[at];
            if let Piece::Group(mark, within, form) = piece {
                let signs = signs(mark);
                let (first, last) =
                    if signs.is_empty() { (Class::Sign, Class::Sign) } else { (previous, next) };
                self.decide(within, first, last, Depth::Marked);
                *form = match mark.kind {
                    MarkKind::Code if mark.attrs.is_empty() && self.fits_code(within, depth) => Form::Code,
                    _ => self.form(mark, within, previous, next, closed),
                };
                closed = if let Form::Signs(signs) = form { signs } else { "" };
            } else {
                closed = "";
            }
            previous = edge(&pieces[at], Edge::Last);
        }
    }

    fn form(
        &self,
        mark: &Mark<'_>,
        within: &[Piece<'_, '_>],
        before: Class,
        after: Class,
        closed: &str,
    ) -> Form {
        let plain = self.flavor == Flavor::Plain;
        let fallback = if plain { Form::Bare } else { Form::Directive };
        let bare = mark.attrs.is_empty();
        match mark.kind {
            MarkKind::Link if directive::is_plain_link(mark) && !within.is_empty() => Form::Link,
            MarkKind::Underline if bare => Form::Element("u"),
            MarkKind::Subsup if mark.attrs.len() == 1 && mark.text("type") == Some("sub") => {
                Form::Element("sub")
            }
            MarkKind::Subsup if mark.attrs.len() == 1 && mark.text("type") == Some("sup") => {
                Form::Element("sup")
            }
            MarkKind::Strong | MarkKind::Em | MarkKind::Strike if bare => {
                let signs = signs(mark);
                let (Some(first), Some(last)) = (within.first(), within.last()) else { return fallback };
                let seen = |it, at| if mark.kind == MarkKind::Strong { beyond(it, at) } else { edge(it, at) };
                let fits = opens(before, seen(first, Edge::First)) && opens(after, seen(last, Edge::Last));
                let touches = closed.as_bytes().first() == signs.as_bytes().first();
                if fits && !touches { Form::Signs(signs) } else { fallback }
            }
            _ => fallback,
        }
    }

    /// Returns whether a code span can carry these pieces.
    fn fits_code(&self, within: &[Piece<'_, '_>], depth: Depth) -> bool {
        if !within.iter().all(|it| matches!(it, Piece::Text(_))) {
            return false;
        }
        let text: String = within.iter().map(plain).collect();
        let mut open = 0i32;
        let balanced = text.bytes().all(|it| {
            open += i32::from(it == b'[') - i32::from(it == b']');
            open >= 0
        }) && open == 0;
        let looks = || text.match_indices(':').any(|(at, _)| names::looks_inline(&text[at + 1..]));
        // The search for the end of a label counts brackets in code too, and code can't escape them.
        let loose = !balanced || text.contains('\\');
        let piped = self.within.cell && text.contains('\\') && text.contains('|')
            || self.within.cell && text.ends_with('\\');
        let fits = !(loose && (depth == Depth::Marked || looks()));
        fits && !piped && !text.is_empty() && !text.contains(['\n', '\r', '\0'])
    }
}

/// The position of pieces: directly in a block, or inside marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Top,
    Marked,
}

fn plain(piece: &Piece<'_, '_>) -> String {
    match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Leaf(node) => node.plain_text(),
        Piece::Group(_, pieces, _) => pieces.iter().map(plain).collect(),
    }
}

fn signs(mark: &Mark<'_>) -> &'static str {
    match mark.kind {
        MarkKind::Strong => "**",
        MarkKind::Em => "*",
        MarkKind::Strike => "~~",
        _ => "",
    }
}

/// Returns whether signs between a character of the class `outside` and one of the class `inside` open
/// emphasis. For the characters at the other end of the emphasis, returns whether the signs close it.
fn opens(outside: Class, inside: Class) -> bool {
    match inside {
        Class::Space => false,
        Class::Letter => true,
        Class::Sign | Class::Odd => matches!(outside, Class::Space | Class::Sign),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    First,
    Last,
}

fn edge(piece: &Piece<'_, '_>, edge: Edge) -> Class {
    match piece {
        Piece::Text(text) => {
            let found = if edge == Edge::First { text.chars().next() } else { text.chars().next_back() };
            found.map_or(Class::Odd, class)
        }
        Piece::Leaf(node) => match (node.kind, edge) {
            (Kind::HardBreak, Edge::Last) => Class::Odd,
            (Kind::HardBreak | Kind::Image, _) => Class::Sign,
            (Kind::RawInline, _) => Class::Odd,
            _ => Class::Letter,
        },
        Piece::Group(_, pieces, form) => match form {
            Form::Directive => Class::Letter,
            Form::Bare => {
                let found = if edge == Edge::First { pieces.first() } else { pieces.last() };
                found.map_or(Class::Odd, |it| self::edge(it, edge))
            }
            _ => Class::Sign,
        },
    }
}

/// Returns the class of the character next to the `**` before or after `piece`. If `piece` is in `*…*`, its
/// `*` forms one run with the `**`, so the character behind the `*` counts.
fn beyond(piece: &Piece<'_, '_>, at: Edge) -> Class {
    match piece {
        Piece::Group(_, pieces, Form::Signs("*")) => {
            let found = if at == Edge::First { pieces.first() } else { pieces.last() };
            found.map_or(Class::Odd, |it| edge(it, at))
        }
        _ => edge(piece, at),
    }
}

fn class(it: char) -> Class {
    match it {
        ' ' => Class::Space,
        _ if it.is_ascii_punctuation() || it == '\u{a0}' || it.is_ascii_control() || it == '\u{feff}' => {
            Class::Sign
        }
        _ if it.is_whitespace() => Class::Space,
        _ if it.is_alphanumeric() => Class::Letter,
        _ => Class::Odd,
    }
}

/// Returns the marks of each node, the outermost first. A hard break gets the marks, other than code, that
/// the nodes before and after it share.
fn marks<'n, 'a>(nodes: &'n [Node<'a>]) -> Vec<Vec<&'n Mark<'a>>> {
    let mut all: Vec<Vec<&Mark<'_>>> = nodes
        .iter()
        .map(|node| {
            let mut marks: Vec<_> = if node.kind == Kind::HardBreak {
                Vec::new()
            } else {
                node.marks.iter().take(MAX_MARKS).collect()
            };
            marks.sort_by_key(|it| match it.kind {
                MarkKind::Code => (2, it.kind),
                MarkKind::Other => (1, it.kind),
                kind => (0, kind),
            });
            marks
        })
        .collect();
    for at in 1..nodes.len().saturating_sub(1) {
        if nodes[at].kind == Kind::HardBreak && nodes[at + 1].kind != Kind::HardBreak {
            let shared = all[at - 1]
                .iter()
                .zip(&all[at + 1])
                .take_while(|(a, b)| a == b && a.kind != MarkKind::Code)
                .count();
            all[at] = all[at - 1][..shared].to_vec();
        }
    }
    all
}

/// The largest number of marks of one node that are written. Further marks are left out.
const MAX_MARKS: usize = 24;

/// Groups adjacent nodes that have the same mark at the index `depth` of their `marks`. The marks before that
/// index are already open.
fn group<'n, 'a>(nodes: &'n [Node<'a>], marks: &[Vec<&'n Mark<'a>>], depth: usize) -> Vec<Piece<'n, 'a>> {
    let mut pieces: Vec<Piece<'n, 'a>> = Vec::new();
    let mut at = 0;
    while at < nodes.len() {
        let Some(mark) = marks[at].get(depth) else {
            match (&mut pieces.last_mut(), &nodes[at]) {
                (_, node) if node.kind == Kind::Text && node.attrs.iter().any(|it| attrs::is_carried(it)) => {
                    pieces.push(Piece::Leaf(node));
                }
                (Some(Piece::Text(text)), node) if node.kind == Kind::Text => {
                    text.to_mut().push_str(&node.text)
                }
                (_, node) if node.kind == Kind::Text => {
                    if !node.text.is_empty() {
                        pieces.push(Piece::Text(Cow::Borrowed(&node.text)));
                    }
                }
                (_, node) => pieces.push(Piece::Leaf(node)),
            }
            at += 1;
            continue;
        };
        let end = at + marks[at..].iter().take_while(|it| it.get(depth) == Some(mark)).count();
        let within = group(&nodes[at..end], &marks[at..end], depth + 1);
        if !within.is_empty() || mark.kind == MarkKind::Link {
            pieces.push(Piece::Group(mark, within, Form::Directive));
        }
        at = end;
    }
    pieces
}

/// Returns which signs of emphasis appear at most once in a block, so that they can't be taken for a pair.
fn lone(nodes: &[Node<'_>]) -> Lone {
    let (mut stars, mut lines, mut tildes) = (0, 0, 0);
    for node in nodes {
        for mark in &node.marks {
            match mark.kind {
                MarkKind::Strong | MarkKind::Em => stars += 2,
                MarkKind::Strike => tildes += 2,
                _ => {}
            }
        }
        let count = |sign: u8| memchr::memchr_iter(sign, node.text.as_bytes()).take(2).count();
        stars += count(b'*');
        tildes += count(b'~');
        lines += count(b'_');
    }
    Lone { star: stars < 2, line: lines < 2, tilde: tildes < 2 }
}
