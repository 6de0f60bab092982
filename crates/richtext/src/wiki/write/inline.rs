//! Writes inline content: text, marks and inline nodes.

use thin_vec::ThinVec;

use super::same::{is_cite, is_known, same_inlines};
use super::{Writer, text};
use crate::plainer;
use crate::tree::{Kind, Mark, MarkKind, Node, NodeLimit};
use crate::values::emoticons::{EMOTICONS, Emoticon};
use crate::values::macros;
use crate::wiki::params;
use crate::wiki::read::{self, Container};

/// The kind of block that a text is written in, which decides its possible spellings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A paragraph, which may have several lines.
    Paragraph(Container),
    /// A heading or the text after `bq.`, which must be on one line.
    Heading,
}

/// The degrees of care with which text is spelled, from the fewest escapes to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Care {
    /// Escapes only characters that are never literal.
    Plain,
    /// Escapes signs where they could have a meaning.
    Escaped,
    /// Escapes every sign, and writes the signs of all marks in braces (`{*}`).
    Forced,
}

/// An inline node with its marks in the order in which they are written, the outermost first.
pub(super) struct Item<'n, 'a> {
    node: &'n Node<'a>,
    marks: Vec<&'n Mark<'a>>,
}

impl Writer {
    /// Returns the markup of `nodes` in a block of the kind `line`. If no spelling of them reads back as
    /// equal nodes, each node becomes an `{adf}` macro or a text.
    pub(super) fn inlines(&mut self, nodes: &[Node<'_>], line: Line) -> String {
        match self.spelled(nodes, line) {
            Some(text) => text,
            None if self.has_adf() => nodes.iter().map(|it| self.adf(it)).collect(),
            None => self.plain_line(nodes, line),
        }
    }

    /// Returns the markup of `nodes`, which no spelling expresses: without what markup has no place for, else as texts with few
    /// marks, else all as one text.
    pub(super) fn plain_line(&mut self, nodes: &[Node<'_>], line: Line) -> String {
        let mut shown = Vec::with_capacity(nodes.len());
        for node in nodes {
            let own = with_signs(node);
            let is_spelled =
                node.kind == Kind::HardBreak || self.spelled(std::slice::from_ref(&own), line).is_some();
            shown.push(if is_spelled { own } else { unmarked(node) });
        }
        let plain: Vec<Node<'_>> = nodes.iter().map(unmarked).collect();
        if let Some(text) = self.spelled(&shown, line).or_else(|| self.spelled(&plain, line)) {
            return text;
        }
        let words: Vec<String> = nodes.iter().map(plainer::text).collect();
        let words = words.concat().split_whitespace().collect::<Vec<_>>().join(" ");
        let text = [Node::of_text(words)];
        self.spelled(&text, line).unwrap_or_else(|| text::text(&text[0].text, "*", ""))
    }

    /// Returns `prefix` and the markup of `nodes`, the text of a block; `None` if no spelling of them reads
    /// back as equal nodes.
    pub(super) fn line(&mut self, prefix: &str, nodes: &[Node<'_>], line: Line) -> Option<String> {
        let text = self.spelled(nodes, line)?;
        Some(format!("{prefix}{text}"))
    }

    fn spelled(&mut self, nodes: &[Node<'_>], line: Line) -> Option<String> {
        if nodes.is_empty() {
            return None;
        }
        let shown: ThinVec<Node<'_>> = nodes.iter().filter_map(super::block::shown).collect();
        if shown.is_empty() {
            return Some(String::new());
        }
        let nodes = shown.as_slice();
        if let [Node { kind: Kind::Text, marks, text, .. }] = nodes
            && marks.is_empty()
            && self.least < Care::Forced
            && text::is_plain(text)
        {
            return Some(text.to_string());
        }
        let least = self.least;
        for care in [Care::Plain, Care::Escaped, Care::Forced].into_iter().filter(|it| *it >= least) {
            // A failed attempt must not count the names of its macros.
            let singles = self.singles.clone();
            let items = nodes.iter().map(Item::new).collect::<Vec<_>>();
            let mut spell = Spell {
                writer: self,
                line,
                care,
                signs: 0,
                in_link: false,
                out: String::new(),
                delimiters: Vec::new(),
            };
            spell.items(&items, 0, true);
            let text = spell.finish();
            if self.reads_back(&text, nodes, line) {
                return Some(text);
            }
            self.singles = singles;
        }
        None
    }

    /// Returns whether the markup `text`, in a block of the kind `line`, is read as `nodes`.
    fn reads_back(&self, text: &str, nodes: &[Node<'_>], line: Line) -> bool {
        let (before, after) = match line {
            Line::Paragraph(Container::Block) => ("", ""),
            Line::Paragraph(Container::Cell) => ("|", "|"),
            Line::Paragraph(Container::Item) => ("* ", ""),
            Line::Heading => ("h1. ", ""),
        };
        let source = format!("{before}{text}{after}");
        if read::has_loose_tag(&source, self.dialect) {
            return false;
        }
        let (blocks, _) = read::read(&source, self.dialect, NodeLimit::default());
        let [block] = blocks.as_slice() else { return false };
        let held = match line {
            Line::Paragraph(Container::Block) | Line::Heading => Some(block),
            Line::Paragraph(Container::Cell) => one(block).and_then(one).and_then(one),
            Line::Paragraph(Container::Item) => one(block).and_then(one),
        };
        let Some(held) = held else { return false };
        let kind = if line == Line::Heading { Kind::Heading } else { Kind::Paragraph };
        held.kind == kind && same_inlines(&held.children, nodes)
    }
}

/// Returns an inline node with those of its marks that markup has signs for.
fn with_signs<'a>(node: &Node<'a>) -> Node<'a> {
    let is_signed = |it: &Mark<'_>| {
        is_cite(it)
            || matches!(
                it.kind,
                MarkKind::Strong
                    | MarkKind::Em
                    | MarkKind::Strike
                    | MarkKind::Underline
                    | MarkKind::Subsup
                    | MarkKind::Code
                    | MarkKind::Link
                    | MarkKind::TextColor
            )
    };
    let mut signed = node.clone();
    signed.marks.retain(|it| is_signed(it));
    signed
}

/// Returns an inline node as a text, or a line break, with those of its marks that markup has signs for.
fn unmarked<'a>(node: &Node<'a>) -> Node<'a> {
    let is_kept =
        |it: &&Mark<'_>| matches!(it.kind, MarkKind::Strong | MarkKind::Em | MarkKind::Code | MarkKind::Link);
    let mut plain = match node.kind {
        Kind::HardBreak => node.clone(),
        _ => Node::of_text(plainer::text(node)),
    };
    plain.marks = node.marks.iter().filter(is_kept).cloned().collect();
    plain
}

/// Returns the child of `node`, if it has exactly one.
fn one<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    match node.children.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

impl<'n, 'a> Item<'n, 'a> {
    fn new(node: &'n Node<'a>) -> Self {
        let mut marks: Vec<_> = node.marks.iter().filter(|it| is_known(it)).collect();
        // Code is the innermost mark, because no other can be written inside it.
        marks.sort_by_key(|it| it.kind == MarkKind::Code);
        Self { node, marks }
    }

    /// Returns whether the marks of the items beside this one can continue across it, because it is neither
    /// text nor a picture and has no marks.
    fn is_transparent(&self) -> bool {
        !matches!(self.node.kind, Kind::Text | Kind::Image) && self.marks.is_empty()
    }
}

/// The position of an item among its siblings.
#[derive(Clone, Copy)]
struct Stands {
    /// True if the item is the first of its block, outside of any mark.
    is_first: bool,
    /// True if the item is the last of its block, outside of any mark.
    is_last: bool,
    /// True if a text that begins with a blank follows the item.
    before_blank: bool,
}

pub(super) struct Spell<'w> {
    pub(super) writer: &'w mut Writer,
    line: Line,
    care: Care,
    /// The number of open marks and links, which must end on the line on which they begin.
    signs: usize,
    in_link: bool,
    out: String,
    /// The signs of marks, which [`finish`](Self::finish) inserts: the position in `out`, the sign, a number
    /// that the two signs of a mark share, and whether the sign opens the mark.
    delimiters: Vec<(usize, &'static str, usize, bool)>,
}

impl Spell<'_> {
    fn items(&mut self, items: &[Item<'_, '_>], depth: usize, is_line: bool) {
        let mut index = 0;
        while index < items.len() {
            let Some(mark) = items[index].marks.get(depth) else {
                let next = items.get(index + 1);
                let stands = Stands {
                    is_first: is_line && index == 0,
                    is_last: is_line && next.is_none(),
                    before_blank: next.is_some_and(|it| it.node.text.starts_with([' ', '\t'])),
                };
                self.item(&items[index], stands);
                index += 1;
                continue;
            };
            let end = self.group_end(items, index, depth, mark);
            self.group(&items[index..end], depth, mark);
            index = end;
        }
    }

    /// Returns the index after the run of items, from `index` on, that can be written inside one pair of
    /// signs of `mark`. `mark` is the mark of the first item at the position `depth` in [`Item::marks`].
    fn group_end(&self, items: &[Item<'_, '_>], index: usize, depth: usize, mark: &Mark<'_>) -> usize {
        let mut end = index + 1;
        let mut at = end;
        while let Some(item) = items.get(at) {
            if item.marks.get(depth).is_some_and(|it| *it == mark) {
                end = at + 1;
            } else {
                let is_other_line = mark.kind != MarkKind::TextColor && is_line_feed(item.node);
                let is_in_link = mark.kind == MarkKind::Link && item.node.kind != Kind::Emoji;
                if !item.is_transparent() || is_other_line || is_in_link {
                    break;
                }
            }
            at += 1;
        }
        end
    }

    fn group(&mut self, items: &[Item<'_, '_>], depth: usize, mark: &Mark<'_>) {
        let sign = match mark.kind {
            MarkKind::Strong => "*",
            MarkKind::Em => "_",
            MarkKind::Strike => "-",
            MarkKind::Underline => "+",
            MarkKind::Subsup if mark.text("type") == Some("sup") => "^",
            MarkKind::Subsup => "~",
            MarkKind::Code => return self.code(items, depth, mark),
            MarkKind::Link => return self.link(items, depth, mark),
            MarkKind::TextColor => return self.colour(items, depth, mark),
            _ if is_cite(mark) => "??",
            _ => return self.as_adf(items, depth),
        };
        let pair = self.delimiters.len();
        self.delimiters.push((self.out.len(), sign, pair, true));
        self.signs += 1;
        self.items(items, depth + 1, false);
        self.signs -= 1;
        self.delimiters.push((self.out.len(), sign, pair, false));
    }

    /// Writes each item as an `{adf}` macro, without its `depth` outer marks, whose signs are already
    /// written.
    fn as_adf(&mut self, items: &[Item<'_, '_>], depth: usize) {
        for item in items {
            let is_open = |it: &&Mark<'_>| item.marks[..depth].iter().any(|open| std::ptr::eq(*open, *it));
            let mut node = item.node.clone();
            node.marks = item.node.marks.iter().filter(|it| !is_open(it)).cloned().collect();
            self.other(&node);
        }
    }

    /// Writes an inline node that markup has no syntax for, as JSON in `{adf}` or as its text.
    fn other(&mut self, node: &Node<'_>) {
        if self.writer.has_adf() {
            let json = self.writer.adf(node);
            return self.out.push_str(&json);
        }
        let around = text::Around {
            care: self.care,
            in_link: self.in_link,
            in_cell: self.line == Line::Paragraph(Container::Cell),
            is_first: false,
            is_last: false,
        };
        text::spell(&plainer::text(node), around, &mut self.out);
    }

    fn code(&mut self, items: &[Item<'_, '_>], depth: usize, mark: &Mark<'_>) {
        let is_text = items.iter().all(|it| it.node.kind == Kind::Text && it.marks.len() == depth + 1);
        if !is_text || !mark.attrs.iter().all(|it| it.is_foreign()) {
            return self.as_adf(items, depth);
        }
        let text: String = items.iter().map(|it| it.node.text.as_ref()).collect();
        self.out.push_str("{{");
        let in_cell = matches!(self.line, Line::Paragraph(Container::Cell));
        text::spell_code(&text, self.care, in_cell, &mut self.out);
        self.out.push_str("}}");
    }

    fn colour(&mut self, items: &[Item<'_, '_>], depth: usize, mark: &Mark<'_>) {
        let hex = mark.text("color").unwrap_or_default();
        let name = mark.text("wiki:form").unwrap_or(hex);
        let is_same = crate::wiki::names::colour(name).as_deref() == Some(hex);
        if crate::wiki::names::colour(hex).as_deref() != Some(hex) {
            return self.as_adf(items, depth);
        }
        self.out.push_str(&format!("{{color:{}}}", if is_same { name } else { hex }));
        self.items(items, depth + 1, false);
        self.out.push_str("{color}");
    }

    fn link(&mut self, items: &[Item<'_, '_>], depth: usize, mark: &Mark<'_>) {
        let Some(end) = self.writer.link_end(mark).filter(|_| !self.in_link) else {
            return self.as_adf(items, depth);
        };
        if let [only] = items
            && only.node.kind == Kind::Text
            && only.marks.len() == depth + 1
            && self.short_link(&only.node.text, mark, &end)
        {
            return;
        }
        self.out.push('[');
        self.in_link = true;
        self.signs += 1;
        self.items(items, depth + 1, false);
        self.signs -= 1;
        self.in_link = false;
        self.out.push_str(&end);
    }

    /// Writes a link that shows its own address: bare, or as `[address]`. Returns `false`, with nothing
    /// written, if the link has another text or a title, or with [`Care::Forced`].
    fn short_link(&mut self, text: &str, mark: &Mark<'_>, end: &str) -> bool {
        let target = &end[1..end.len() - 1];
        let shown = target.strip_prefix('^').unwrap_or(target);
        if shown != text || mark.text("title").is_some() || self.care == Care::Forced {
            return false;
        }
        if mark.text("wiki:form") == Some("bare") {
            self.out.push_str(text);
        } else {
            self.out.push_str(&format!("[{target}]"));
        }
        true
    }

    fn item(&mut self, item: &Item<'_, '_>, stands: Stands) {
        let node = item.node;
        let spelled = match node.kind {
            Kind::Text => {
                let place = text::Around {
                    care: self.care,
                    in_link: self.in_link,
                    in_cell: self.line == Line::Paragraph(Container::Cell),
                    is_first: stands.is_first,
                    is_last: stands.is_last,
                };
                return text::spell(&node.text, place, &mut self.out);
            }
            Kind::HardBreak => self.hard_break(node, stands),
            Kind::Emoji if self.care < Care::Forced => emoticon(node),
            Kind::Mention => Writer::mention(node),
            Kind::InlineCard => self.writer.inline_card(node),
            Kind::Image => super::block::picture(node, None),
            Kind::Status if super::block::is_confluence(self.writer.dialect) => status(node),
            Kind::InlineExtension => self.writer.inline_extension(node),
            Kind::RawInline => self.raw(node),
            _ => None,
        };
        match spelled {
            Some(spelled) => self.out.push_str(&spelled),
            None => self.other(node),
        }
    }

    /// Returns the markup of a hard break: a line feed where possible, otherwise `\\`, such as in headings,
    /// inside marks and before a blank. Two adjacent breaks never have the same form. Returns `None` if no
    /// form fits.
    fn hard_break(&self, node: &Node<'_>, stands: Stands) -> Option<String> {
        let at_edge = stands.is_first || stands.is_last;
        let follows_break = self.out.ends_with("\\\\");
        let is_bound = self.line == Line::Heading || self.signs > 0 || at_edge;
        let is_double = node.text_of("wiki:form") == Some("\\\\")
            || is_bound
            || stands.before_blank
            || self.out.ends_with('\n');
        match (is_double, follows_break) {
            (true, true) if is_bound => None,
            (true, false) if self.care == Care::Forced && !at_edge && self.line == Line::Heading => None,
            (true, false) => Some("\\\\".to_owned()),
            _ => Some("\n".to_owned()),
        }
    }

    /// Returns the markup of source that was not understood; `None` if markup has no place for it.
    fn raw(&mut self, node: &Node<'_>) -> Option<String> {
        match node.text_of("/format") {
            Some("wiki") | None => Some(node.text.to_string()),
            Some("adf") if self.writer.has_adf() => {
                Some(format!("{{adf:display=inline}}{}{{adf}}", node.text.replace("{adf}", "\\u007badf}")))
            }
            Some(_) if !self.writer.keep_raw || node.text.contains("{plainwire-raw}") => None,
            Some(format) => Some(format!(
                "{{plainwire-raw:format={format}|display=inline}}{}{{plainwire-raw}}",
                node.text
            )),
        }
    }

    /// Returns the written text with the signs of marks inserted. If a sign would not be read as the sign of
    /// a mark because of a character beside it, both signs of its mark are written in braces.
    fn finish(self) -> String {
        let mut forced: Vec<bool> = vec![self.care == Care::Forced; self.delimiters.len()];
        for (index, (at, sign, pair, opens)) in self.delimiters.iter().enumerate() {
            let beside =
                |step: isize| self.delimiters.get(index.checked_add_signed(step)?).filter(|it| it.0 == *at);
            let sign_char = |it: &(usize, &'static str, usize, bool)| it.1.chars().next();
            let before = beside(-1).map_or_else(|| self.out[..*at].chars().next_back(), sign_char);
            let after = beside(1).map_or_else(|| self.out[*at..].chars().next(), sign_char);
            let is_word = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
            let is_space = |it: Option<char>| it.is_some_and(char::is_whitespace);
            let is_same = |it: Option<char>| it.is_some() && it == sign.chars().next();
            let (outer, inner) = if *opens { (before, after) } else { (after, before) };
            if is_word(outer) || is_space(inner) || is_same(outer) || is_same(inner) {
                forced[*pair] = true;
            }
        }
        let mut text = String::with_capacity(self.out.len() + 4 * self.delimiters.len());
        let mut copied = 0;
        for (at, sign, pair, _) in &self.delimiters {
            text.push_str(&self.out[copied..*at]);
            copied = *at;
            if forced[*pair] {
                text.push_str(&format!("{{{sign}}}"));
            } else {
                text.push_str(sign);
            }
        }
        text.push_str(&self.out[copied..]);
        text
    }
}

fn is_line_feed(node: &Node<'_>) -> bool {
    node.kind == Kind::HardBreak && node.text_of("wiki:form").is_none()
}

fn emoticon(node: &Node<'_>) -> Option<String> {
    let is_same = |it: &&Emoticon| {
        node.text_of("shortName") == Some(it.short)
            && node.text_of("id") == Some(it.id)
            && node.text_of("text") == Some(it.text)
    };
    let said = node.text_of("wiki:form");
    let mut known = EMOTICONS.iter().filter(is_same);
    let found =
        EMOTICONS.iter().filter(is_same).find(|it| Some(it.spelling) == said).or_else(|| known.next())?;
    Some(found.spelling.to_owned())
}

fn status(node: &Node<'_>) -> Option<String> {
    super::block::only(node, &["text", "color"])?;
    let colour = node.text_of("color").unwrap_or("neutral");
    let colour = macros::status_of_adf(colour)?;
    let key = node.text_of("wiki:form").unwrap_or("colour");
    let said = (colour != "Grey").then_some((key, colour));
    let text = node.text_of("text").filter(|it| !it.is_empty()).map(|it| ("title", it));
    let own = node.attrs.iter().filter_map(|it| Some((it.name.strip_prefix("param:")?, it.value.shown())));
    let params = params::write(said.into_iter().chain(text).chain(own))?;
    Some(format!("{{status{params}}}"))
}
