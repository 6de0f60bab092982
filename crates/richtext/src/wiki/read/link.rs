//! Reads square brackets: links, mentions, attachments and cards. Turns a picture or card that is a whole
//! paragraph into a block.

use std::borrow::Cow;

use thin_vec::thin_vec;

use super::Reader;
use super::token::image_params;
use crate::format::Dialect;
use crate::tree::{Attr, Kind, Mark, MarkKind, Node, Span};
use crate::values::hrefs;

/// A link in square brackets: its target and the position of its visible text.
#[derive(Debug)]
pub(super) struct Link<'a> {
    pub(super) end: usize,
    /// The offsets in the source at which the visible text begins and ends.
    pub(super) alias: (usize, usize),
    /// True if the link states a visible text, which is inline markup. Otherwise the target is shown, and is
    /// not read as markup.
    pub(super) has_alias: bool,
    pub(super) target: Target<'a>,
}

#[derive(Debug)]
pub(super) enum Target<'a> {
    /// A link mark for the visible text.
    Mark(Mark<'a>),
    /// A node in place of the whole link: a card or a mention.
    Node(Box<Node<'a>>),
}

impl<'a> Reader<'a> {
    /// Returns the offset at which the link at `at` ends; `None` if no link begins there.
    pub(super) fn link_end(&self, at: usize, end: usize) -> Option<usize> {
        self.link(at, end).map(|it| it.end)
    }

    /// Reads the link at `at`, which must end before `end`; returns `None` if the bracket at `at` does not
    /// begin a link.
    pub(super) fn link(&self, at: usize, end: usize) -> Option<Link<'a>> {
        let (close, bars) = self.brackets(at + 1, end)?;
        let content = &self.source[at + 1..close];
        if content.starts_with([' ', '\t', '|']) || content.is_empty() {
            return None;
        }
        let parts = Parts::new(self.source, at + 1, close, bars);
        let target = self.target(&parts)?;
        let (alias, has_alias) = match parts.alias {
            Some(it) => (it, true),
            None => (parts.shown(), false),
        };
        Some(Link { end: close + 1, alias, has_alias, target })
    }

    /// Returns the offset of the closing bracket of a link whose content begins at `start`, and the offsets
    /// of the first two bars (`|`) before it, with 0 for a missing bar. Returns `None` if no bracket closes
    /// the link on its line.
    fn brackets(&self, start: usize, end: usize) -> Option<(usize, [usize; 2])> {
        let bytes = self.bytes();
        let mut bars = [0; 2];
        let mut at = start;
        // The bars of a picture inside the link belong to the picture.
        if bytes.get(at) == Some(&b'!') {
            let len = bytes[at + 1..end].iter().position(|it| matches!(it, b'!' | b'\n' | b']'))?;
            at += if bytes[at + 1 + len] == b'!' { len + 2 } else { 0 };
        }
        while at < end {
            match bytes[at] {
                b']' => return Some((at, bars)),
                b'[' | b'\n' | b'\r' => return None,
                b'\\' => at += 1,
                b'|' if bars[0] == 0 => bars[0] = at,
                b'|' if bars[1] == 0 => bars[1] = at,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Returns the target of the link with these parts; `None` if they do not make a link.
    fn target(&self, parts: &Parts<'a>) -> Option<Target<'a>> {
        let target = parts.target.trim();
        if let Some(form) =
            parts.extra.filter(|it| matches!(*it, "smart-link" | "smart-card" | "smart-embed"))
        {
            return is_address(target).then(|| card(target, form, parts));
        }
        if let Some(person) = target.strip_prefix('~').filter(|it| !it.is_empty()) {
            return Some(Target::Node(Box::new(mention(person, parts.alias_text))));
        }
        let href = href(target, self.dialect)?;
        let is_title = href.starts_with("confluence:") && !target.starts_with("confluence:");
        if is_title && parts.alias.is_none() {
            return Some(Target::Node(Box::new(Node::new(Kind::InlineCard).with("url", href))));
        }
        let mut mark = Mark::new(MarkKind::Link).with("href", href);
        if let Some(title) = parts.extra {
            mark = mark.with("title", title);
        }
        Some(Target::Mark(mark))
    }
}

/// Returns the `href` that the tree has for `target`, the target of a link as markup spells it; `None` if the
/// dialect does not read it as the target of a link.
pub(crate) fn href(target: &str, dialect: Dialect) -> Option<Cow<'_, str>> {
    Some(match target.as_bytes().first()? {
        b'#' | b'/' if target.len() > 1 => Cow::Borrowed(target),
        b'^' if target.len() > 1 => Cow::Owned(hrefs::attachment(&target[1..])),
        _ if dialect == Dialect::Jira && is_issue_key(target) => Cow::Owned(format!("jira:{target}")),
        _ if is_address(target) => Cow::Borrowed(target),
        _ if dialect == Dialect::Confluence => Cow::Owned(page(target)?),
        _ => return None,
    })
}

/// The parts of a link between its brackets, which bars separate: `[alias|target|extra]`.
struct Parts<'a> {
    alias: Option<(usize, usize)>,
    alias_text: Option<&'a str>,
    target: &'a str,
    target_start: usize,
    extra: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn new(source: &'a str, start: usize, close: usize, bars: [usize; 2]) -> Self {
        let [first, second] = bars;
        if first == 0 {
            let target = &source[start..close];
            return Self { alias: None, alias_text: None, target, target_start: start, extra: None };
        }
        let target_end = if second == 0 { close } else { second };
        Self {
            alias: Some((start, first)),
            alias_text: Some(&source[start..first]),
            target: &source[first + 1..target_end],
            target_start: first + 1,
            extra: (second != 0).then(|| &source[second + 1..close]),
        }
    }

    /// Returns the range of the source that a link without a text of its own shows: its target, without the
    /// `^` of an attachment.
    fn shown(&self) -> (usize, usize) {
        let trimmed = self.target.trim_end();
        let start = self.target_start + usize::from(trimmed.starts_with('^'));
        (start, self.target_start + trimmed.len())
    }
}

/// Returns whether `target` is an address, not the title of a page.
fn is_address(target: &str) -> bool {
    const KNOWN: [&str; 6] = ["mailto:", "tel:", "file:", "www.", "attachment:", "confluence:"];
    if KNOWN.iter().any(|it| target.len() > it.len() && target.starts_with(it)) {
        return true;
    }
    let scheme = target.find("://").filter(|it| *it > 0 && it + 3 < target.len());
    scheme.is_some_and(|it| {
        target.as_bytes()[..it].iter().all(|it| it.is_ascii_alphanumeric() || b"+-.".contains(it))
    })
}

/// Returns whether `target` looks like the key of a Jira issue, such as `PROJ-1`.
fn is_issue_key(target: &str) -> bool {
    let Some((project, number)) = target.split_once('-') else { return false };
    let is_project = project.len() >= 2
        && project.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_');
    is_project
        && project.as_bytes()[0].is_ascii_uppercase()
        && !number.is_empty()
        && number.bytes().all(|it| it.is_ascii_digit())
}

/// Returns the `href` of a page from a target such as `SPACE:Title#anchor`; `None` if the title is empty or
/// contains a brace or a backslash.
fn page(target: &str) -> Option<String> {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let is_space =
        |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"~_-.".contains(&it));
    let (space, title) = path.split_once(':').filter(|it| is_space(it.0)).unwrap_or(("", path));
    if title.trim().is_empty() || title.contains(['{', '}', '\\']) {
        return None;
    }
    let (space, title, anchor) = (space.into(), title.into(), anchor.map(Cow::Borrowed));
    Some(hrefs::Target::Page { space, title, anchor }.href())
}

fn mention<'a>(person: &'a str, alias: Option<&'a str>) -> Node<'a> {
    let node = Node::new(Kind::Mention);
    let node = match person.strip_prefix("accountid:").filter(|it| !it.is_empty()) {
        Some(id) => node.with("id", id),
        None => node.with("id", person).with("ri:username", person),
    };
    match alias {
        Some(text) => node.with("text", text).with("wiki:form", "alias"),
        None => node,
    }
}

fn card<'a>(url: &'a str, form: &'a str, parts: &Parts<'a>) -> Target<'a> {
    let mut node = Node::new(Kind::InlineCard).with("url", url);
    if form != "smart-link" {
        node = node.with("wiki:card", form);
    }
    if let Some(alias) = parts.alias_text.filter(|it| *it != url) {
        node = node.with("wiki:alias", alias);
    }
    Target::Node(Box::new(node))
}

/// Turns a paragraph into a picture block or a card block, if it holds nothing but a picture, or nothing but
/// a card of the form `smart-card` or `smart-embed`. Returns other paragraphs unchanged.
pub(super) fn lone(paragraph: Node<'_>) -> Node<'_> {
    let [only] = paragraph.children.as_slice() else { return paragraph };
    match (only.kind, only.text_of("wiki:card")) {
        (Kind::Image, _) => media(paragraph),
        (Kind::InlineCard, Some(form @ ("smart-card" | "smart-embed"))) => {
            let kind = if form == "smart-card" { Kind::BlockCard } else { Kind::EmbedCard };
            block_card(paragraph, kind)
        }
        _ => paragraph,
    }
}

fn media(mut paragraph: Node<'_>) -> Node<'_> {
    let span = paragraph.span;
    let Some(image) = paragraph.children.pop() else { return paragraph };
    let align = image
        .text_of("wiki:params")
        .and_then(|it| it.split([',', '|']).find_map(|it| it.trim().strip_prefix("align=")));
    let align = align.filter(|it| matches!(*it, "left" | "right"));
    let layout = match align {
        Some("left") => "align-start",
        Some(_) => "align-end",
        None => "center",
    };
    let all = image_params(&image.attrs, align);
    let mut media = Node::new(Kind::Media).with("type", "external").at(span, Span::at(span.end as usize));
    let said = image.attrs.into_iter().filter(|it| it.name != "wiki:params" || it.value.shown() != all);
    media.attrs.extend(said.map(|it| match &*it.name {
        // ADF's media nodes have no title.
        "title" => Attr { name: "html:title".into(), ..it },
        _ => it,
    }));
    media.marks = image.marks;
    // The picture has no markup of its own: a changed one is written with its block.
    let inner = Span::at(span.end as usize);
    (media.span, media.inner) = (inner, inner);
    Node::new(Kind::MediaSingle).with("layout", layout).at(span, inner).holding(thin_vec![media])
}

fn block_card(mut paragraph: Node<'_>, kind: Kind) -> Node<'_> {
    let span = paragraph.span;
    let Some(card) = paragraph.children.pop() else { return paragraph };
    let mut node = Node::new(kind).at(span, Span::at(span.end as usize));
    node.attrs.extend(card.attrs.into_iter().filter(|it| it.name != "wiki:card"));
    if kind == Kind::EmbedCard { node.with("layout", "center") } else { node }
}
