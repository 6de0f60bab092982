//! HTML tags that contain blocks: `<table>` with its rows and cells, `<details>` with its summary.
//!
//! In: a block of HTML. Out: its tags, if it consists of these tags only; otherwise the block as raw source.

use std::borrow::Cow;

use pulldown_cmark::Event;
use thin_vec::{ThinVec, thin_vec};

use super::super::{attrs, spelled};
use super::group::Item;
use super::inline::Placed;
use super::prepare::Prepared;
use crate::tree::{Attr, Kind, Node, Span, Value};
use crate::values::json;

/// Returns the raw node of a block of HTML. Three texts become something else: `<!-- -->` a separator of
/// lists, `<!-- empty paragraph -->` an empty paragraph, and `<br>` alone a paragraph with a hard break.
pub(super) fn raw<'a>(prepared: &Prepared<'a>, within: &[Placed<'_>]) -> Item<'a> {
    let mut text: Cow<'a, str> = Cow::Borrowed("");
    let mut all: Option<Span> = None;
    for (event, placed) in within {
        let (Event::Html(line) | Event::Text(line) | Event::InlineHtml(line)) = event else { continue };
        let range = prepared.range(placed);
        let slice = prepared.source.get(range.clone()).unwrap_or_default();
        let edited = !prepared.edits_in(placed).is_empty();
        let line: Cow<'a, str> =
            if edited || *slice == **line { slice.into() } else { line.to_string().into() };
        match all {
            Some(span) if span.end as usize == range.start && matches!(text, Cow::Borrowed(_)) => {
                text = Cow::Borrowed(&prepared.source[span.start as usize..range.end]);
            }
            Some(_) => text.to_mut().push_str(&line),
            None => text = line,
        }
        all = Some(Span::new(all.map_or(range.start, |it| it.start as usize), range.end));
    }
    let trimmed = text.trim_end_matches(['\n', '\r']).len();
    let mut span = all.unwrap_or_default();
    span.end -= (text.len() - trimmed).min(span.len()) as u32;
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..trimmed]),
        Cow::Owned(mut text) => {
            text.truncate(trimmed);
            Cow::Owned(text)
        }
    };
    match text.trim_end_matches([' ', '\t']) {
        "<!-- -->" => Item::Separator,
        "<br>" => {
            let line = Node::new(Kind::HardBreak).at(span, span);
            Item::Node(Node::new(Kind::Paragraph).at(span, span).holding(thin_vec![line]))
        }
        "<!-- empty paragraph -->" => {
            Item::Node(Node::new(Kind::Paragraph).at(span, Span::at(span.end as usize)))
        }
        _ => Item::Node(Node::raw(Kind::RawBlock, "markdown", text).at(span, span)),
    }
}

/// Returns the tags of a block of HTML, with text in cells as paragraphs. If the block contains anything that
/// this module does not read, returns the block as a raw node.
pub(super) fn items<'a>(prepared: &Prepared<'a>, within: &[Placed<'_>]) -> Vec<Item<'a>> {
    tags(prepared, within).unwrap_or_else(|| vec![raw(prepared, within)])
}

fn tags<'a>(prepared: &Prepared<'a>, within: &[Placed<'_>]) -> Option<Vec<Item<'a>>> {
    let block = prepared.source_at(within.first()?.1.start);
    let mut items = Vec::new();
    for (event, placed) in within {
        if !matches!(event, Event::Html(_)) || !prepared.edits_in(placed).is_empty() {
            return None;
        }
        let range = prepared.range(placed);
        let line = prepared.source.get(range.clone())?;
        let mut at = 0;
        while at < line.len() {
            let rest = &line[at..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            at += blank;
            if line.len() == at {
                break;
            }
            at += tag(&line[at..], range.start + at, block, &mut items)?;
        }
    }
    Some(items)
}

/// Adds to `items` the tag that `text` begins with, and the text of a cell or summary after the tag. Returns
/// the length of what it read; `None` if this module does not read such a tag or text.
fn tag<'a>(text: &'a str, at: usize, block: usize, items: &mut Vec<Item<'a>>) -> Option<usize> {
    let closes = text.starts_with("</");
    let start = if closes { 2 } else { 1 };
    let rest = text.strip_prefix('<')?.trim_start_matches('/');
    let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let name = known(&rest[..length])?;
    let (attrs, end) = tag_attrs(text, start + length, kind(name))?;
    let span = Span::new(at, at + end);
    if name == "summary" && !closes {
        return summary(text, end, at, items);
    }
    if matches!(name, "thead" | "tbody" | "tfoot") {
        return Some(end);
    }
    items.push(Item::Tag { name, opens: !closes, attrs, span, block });
    if closes || !matches!(name, "td" | "th") {
        return Some(end);
    }
    let body = &text[end..];
    let until = body.find('<').unwrap_or(body.len());
    let shown = body[..until].trim();
    if shown.is_empty() {
        return Some(end);
    }
    if !body[until..].starts_with("</t") || shown.contains('\\') {
        return None;
    }
    let start = at + end + (body.len() - body.trim_start().len());
    let span = Span::new(start, start + shown.len());
    let run = Node::of_text(spelled::html(shown)).at(span, span);
    items.push(Item::Node(Node::new(Kind::Paragraph).at(span, span).holding(thin_vec![run])));
    Some(end + until)
}

/// Reads a `<summary>` with its text and closing tag; the text becomes the title of the `<details>` just
/// before it. Returns the length of the whole element; `None` if it contains tags or does not follow
/// `<details>`.
fn summary<'a>(text: &'a str, end: usize, at: usize, items: &mut [Item<'a>]) -> Option<usize> {
    let length = text[end..].find('<')?;
    let closer = "</summary>";
    if !text[end + length..].starts_with(closer) {
        return None;
    }
    let all = end + length + closer.len();
    match items.last_mut() {
        Some(Item::Tag { name: "details", opens: true, attrs, span, .. }) => {
            attrs.push(Attr::string("title", spelled::html(text[end..end + length].trim())));
            span.end = (at + all) as u32;
            Some(all)
        }
        _ => None,
    }
}

fn known(name: &str) -> Option<&'static str> {
    const KNOWN: [&str; 9] = ["table", "thead", "tbody", "tfoot", "tr", "th", "td", "details", "summary"];
    KNOWN.into_iter().find(|it| it.eq_ignore_ascii_case(name))
}

/// Returns the kind of node that the HTML element `name` becomes.
fn kind(name: &str) -> Kind {
    match name {
        "table" => Kind::Table,
        "tr" => Kind::TableRow,
        "th" => Kind::TableHeader,
        "td" => Kind::TableCell,
        _ => Kind::Expand,
    }
}

fn tag_attrs(text: &str, mut at: usize, kind: Kind) -> Option<(ThinVec<Attr<'_>>, usize)> {
    let mut found = ThinVec::new();
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        at += blank;
        if text[at..].starts_with('>') {
            return Some((found, at + 1));
        }
        if blank == 0 {
            return None;
        }
        let (mut attr, length) = attrs::one(&text[at..])?;
        if let Value::Str(text) = &attr.value
            && matches!(&*attr.name, "colspan" | "rowspan")
            && json::is_word(text)
        {
            attr.value = Value::Json(text.clone());
        }
        let odd = || {
            attr.name == "width"
                && !matches!(&attr.value, Value::Str(text) | Value::Json(text) if json::is_word(text))
        };
        if attrs::of_html(kind, &attr.name) || kind == Kind::Table && odd() {
            attr.name = format!("html:{}", attr.name).into();
        }
        found.push(attr);
        at += length;
    }
}
