//! Reads single blocks: paragraphs, headings and blocks of code, with the attributes written in them.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag};
use thin_vec::{ThinVec, thin_vec};

use super::super::names::{self, CRLF};
use super::super::{attrs, spelled};
use super::group::Item;
use super::inline::{self, Placed};
use super::prepare::{self, Prepared, whole_attrs};
use crate::tree::{Attr, Kind, Node, Span};

/// Returns `node` with `children` and with spans that enclose them. The span of the node is `span`, extended
/// to the end of the last child; its `inner` reaches from the first child to the same end.
pub(super) fn holding<'a>(mut node: Node<'a>, span: Span, children: ThinVec<Node<'a>>) -> Node<'a> {
    let start = children.first().map_or(span.end, |it| it.span.start).max(span.start);
    let end = children.last().map_or(span.end, |it| it.span.end).max(span.end);
    node.span = Span { start: span.start, end };
    node.inner = Span { start, end };
    node.holding(children)
}

/// Reads a paragraph of CommonMark, which may be a directive, attributes, a picture or text. `placed` is its
/// range in the prepared text, and `within` are CommonMark's events in it. If `directives` is false, a
/// directive is read as text.
pub(super) fn paragraph<'a>(
    prepared: &Prepared<'a>,
    span: Span,
    placed: &Range<usize>,
    within: &[Placed<'_>],
    directives: bool,
) -> Item<'a> {
    let source = span.of(prepared.source);
    match source.as_bytes().first() {
        Some(b':') if directives && source.starts_with("::") && !source.contains('\n') => {
            if let Some(found) = prepare::alone(source) {
                return match found.name {
                    Some(name) => {
                        Item::Open { name, form: found.form, colons: found.colons, attrs: found.attrs, span }
                    }
                    None => Item::Close { colons: found.colons, span },
                };
            }
        }
        Some(b'{') if !source.contains('\n') => {
            if let Some(found) = whole_attrs(source)
                && (attrs::fit_block(&found) || attrs::fit_item(&found))
            {
                return Item::Attrs { attrs: found, span };
            }
        }
        _ => {}
    }
    Item::Node(text(prepared, span, placed, within))
}

/// Returns the node of a paragraph that is no directive and not only attributes: a media single if it is only
/// a picture, otherwise a paragraph. Attributes in its last line are applied to the node.
fn text<'a>(prepared: &Prepared<'a>, span: Span, placed: &Range<usize>, within: &[Placed<'_>]) -> Node<'a> {
    let (within, given) = match trailing(prepared, span, placed, within) {
        Some((count, given)) => (&within[..count], given),
        None => (within, ThinVec::new()),
    };
    let children = match clipped(prepared, placed, within) {
        Some(events) => inline::nodes(prepared, &events, 0),
        None => inline::nodes(prepared, within, 0),
    };
    let inner = match children.last() {
        Some(last) if !given.is_empty() => Span { start: span.start, end: last.span.end },
        _ => span,
    };
    let pictured = within.iter().any(|it| matches!(it.0, Event::Start(Tag::Image { .. })));
    let mut node = match picture(&children, span) {
        Some(node) if pictured => node,
        _ => Node::new(Kind::Paragraph).at(span, inner).holding(children),
    };
    attrs::apply(&mut node, given);
    node
}

/// Returns the events `within` a paragraph without those behind its end; `None` if none lie behind it. There
/// can be such events if a line of form feeds follows the paragraph: CommonMark's parser makes two passes,
/// and only one of them takes that line for blank.
fn clipped<'p>(
    prepared: &'p Prepared<'_>,
    placed: &Range<usize>,
    within: &[Placed<'p>],
) -> Option<Vec<Placed<'p>>> {
    let text = prepared.text[placed.clone()].trim_end_matches([' ', '\t', '\n', '\r']);
    let end = placed.start + text.len();
    within.last().filter(|it| it.1.end > end)?;
    let clip = |(event, range): &Placed<'p>| match event {
        _ if range.end <= end => Some((event.clone(), range.clone())),
        Event::Text(_) if range.start < end => {
            let range = range.start..end;
            Some((Event::Text(prepared.text[range.clone()].into()), range))
        }
        _ => None,
    };
    Some(within.iter().filter_map(clip).collect())
}

/// Returns the number of events before the last line of a paragraph, and the attributes in that line; `None`
/// if the last line is not attributes.
fn trailing<'a>(
    prepared: &Prepared<'a>,
    span: Span,
    placed: &Range<usize>,
    within: &[Placed<'_>],
) -> Option<(usize, ThinVec<Attr<'a>>)> {
    let source = span.of(prepared.source);
    if !source.ends_with('}') {
        return None;
    }
    let line = source.rfind('\n')? + 1;
    let line = line + (source[line..].len() - source[line..].trim_start_matches([' ', '\t', '>']).len());
    let found = whole_attrs(&source[line..])?;
    if !attrs::fit_text(&found)
        && !found.iter().all(|it| matches!(&*it.name, "layout" | "width" | "widthType"))
    {
        return None;
    }
    let start = span.start as usize + line;
    let count = within.iter().position(|it| prepared.source_at(it.1.start) >= start)?;
    let depth: i32 = within[..count]
        .iter()
        .map(|it| match it.0 {
            Event::Start(_) => 1,
            Event::End(_) => -1,
            _ => 0,
        })
        .sum();
    let breaks = matches!(within.get(count.checked_sub(1)?)?.0, Event::SoftBreak);
    debug_assert!(placed.start <= placed.end, "places are in order");
    (depth == 0 && breaks && count > 1).then_some((count - 1, found))
}

/// Returns the media single for a paragraph whose only child is a picture with a `url`; `None` for other
/// paragraphs.
pub(super) fn picture<'a>(children: &[Node<'a>], span: Span) -> Option<Node<'a>> {
    let [image] = children else { return None };
    if image.kind != Kind::Image || image.get("url").is_none() {
        return None;
    }
    let mut media = Node::new(Kind::Media).with("type", "external").at(span, span);
    for attr in &image.attrs {
        let mut attr = attr.clone();
        if attr.name == "title" {
            attr.name = Cow::Borrowed("html:title");
        }
        media.attrs.push(attr);
    }
    media.marks.clone_from(&image.marks);
    let single = Node::new(Kind::MediaSingle).with("layout", "center");
    Some(single.at(span, span).holding(thin_vec![media]))
}

/// Returns the node of a heading. Attributes in braces are read only at the end of a heading that begins with
/// `#`.
pub(super) fn heading<'a>(
    prepared: &Prepared<'a>,
    level: usize,
    span: Span,
    placed: &Range<usize>,
    within: &[Placed<'_>],
) -> Node<'a> {
    let node = Node::new(Kind::Heading).with_json("level", LEVELS[level.clamp(1, 6) - 1]);
    let source = span.of(prepared.source);
    let given = if source.starts_with('#') { at_end(source.trim_end_matches('#').trim_end()) } else { None };
    let Some((start, given)) = given else {
        return lined(node, span, inline::nodes(prepared, within, 0));
    };
    let start = span.start as usize + start;
    let (kept, cut) = before(prepared, within, start);
    let children = match cut {
        // A piece of text that contains the start of the attributes is cut there.
        Some(range) => {
            let mut events: Vec<Placed<'_>> = kept.to_vec();
            let text = &prepared.text[range.clone()];
            if !text.is_empty() {
                events.push((Event::Text(text.into()), range));
            }
            inline::nodes(prepared, &events, 0)
        }
        None => inline::nodes(prepared, kept, 0),
    };
    let mut node = lined(node, span, children);
    attrs::apply(&mut node, given);
    debug_assert!(placed.start <= placed.end, "places are in order");
    node
}

const LEVELS: [&str; 6] = ["1", "2", "3", "4", "5", "6"];

fn lined<'a>(node: Node<'a>, span: Span, children: ThinVec<Node<'a>>) -> Node<'a> {
    let inner = match (children.first(), children.last()) {
        (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end },
        _ => Span::at(span.end as usize),
    };
    let span = Span { start: span.start.min(inner.start), end: span.end.max(inner.end) };
    node.at(span, inner).holding(children)
}

/// Returns the offset in `line`, the line of a heading, at which the white space before its attributes
/// begins, and these attributes, which end the line; `None` if the line does not end with attributes in
/// braces.
fn at_end(line: &str) -> Option<(usize, ThinVec<Attr<'_>>)> {
    if !line.ends_with('}') {
        return None;
    }
    for (start, _) in line.rmatch_indices('{').take(MAX_BRACES) {
        if let Some(found) = whole_attrs(&line[start..]) {
            let before = line[..start].trim_end_matches([' ', '\t']);
            return (before.len() < start && attrs::fit_text(&found)).then_some((before.len(), found));
        }
    }
    None
}

/// The number of opening braces, counted from the end of a heading, that are tried as the beginning of the
/// heading's attributes.
const MAX_BRACES: usize = 16;

/// Returns the events that end before the source offset `start`. If a text event contains `start`, also
/// returns the range, in the prepared text, of the part of that event before `start`.
fn before<'e, 'p>(
    prepared: &Prepared<'_>,
    within: &'e [Placed<'p>],
    start: usize,
) -> (&'e [Placed<'p>], Option<Range<usize>>) {
    let count = within
        .iter()
        .position(|it| prepared.source_at(it.1.end) > start && !matches!(it.0, Event::Start(_)))
        .unwrap_or(within.len());
    match within.get(count) {
        Some((Event::Text(_), range)) if prepared.source_at(range.start) < start => {
            let kept = start - prepared.source_at(range.start);
            // Between the two offsets there may be directive marks, whose length differs from that of the
            // source they stand for.
            let end = (range.start..=range.end)
                .rev()
                .find(|it| prepared.text.is_char_boundary(*it) && prepared.source_at(*it) <= start);
            (&within[..count], Some(range.start..end.unwrap_or(range.start + kept)))
        }
        _ => (&within[..count], None),
    }
}

/// Returns the node for a block of code. A fence without attributes whose language is the name of a format
/// becomes a raw block, or for ADF the block that its JSON describes.
pub(super) fn code<'a>(
    prepared: &Prepared<'a>,
    kind: &CodeBlockKind<'_>,
    span: Span,
    placed: &Range<usize>,
    within: &[Placed<'_>],
) -> Node<'a> {
    let (span, (language, given)) = match kind {
        CodeBlockKind::Fenced(_) => (span, info(span.of(prepared.source))),
        CodeBlockKind::Indented => (indented(prepared.source, span), (String::new(), ThinVec::new())),
    };
    debug_assert!(placed.start <= placed.end, "places are in order");
    let lines = lines(prepared, within);
    prepared.room.take(lines.len());
    if given.is_empty()
        && let Some(node) = foreign(prepared, &language, &lines, span)
    {
        let mut node = node.at(span, span);
        settle(&mut node);
        return node;
    }
    if is_macro(&given) {
        return super::directive::macro_with_body(language, given, &lines).at(span, span);
    }
    let mut node = Node::new(Kind::CodeBlock);
    if !language.is_empty() {
        node = node.with("language", language);
    }
    let given = given.into_iter().map(|mut it| {
        if it.name == "hide-lines" {
            it.name = "hideLineNumbers".into();
        }
        it
    });
    attrs::apply(&mut node, given.collect());
    let inner = match (lines.first(), lines.last()) {
        (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end },
        _ => Span::at(span.end as usize),
    };
    let span = Span { start: span.start.min(inner.start), end: span.end.max(inner.end) };
    node.at(span, inner).holding(lines)
}

/// Takes the line `[!INFO]` off the first of `children`, the blocks of a quote, if it is the name of a panel that GitHub's
/// alerts lack. Returns the type of the panel.
pub(super) fn take_alert(source: &str, children: &mut ThinVec<Node<'_>>) -> Option<&'static str> {
    let first = children.first_mut().filter(|it| it.kind == Kind::Paragraph)?;
    let line = first.span.of(source).lines().next()?.trim_end();
    let name = line.strip_prefix("[!")?.strip_suffix(']')?;
    let found = names::panel(name)?;
    let text = first.children.first_mut().filter(|it| it.kind == Kind::Text)?;
    let rest = text.text.strip_prefix(line)?.trim_start().to_owned();
    let start = text.inner.end.saturating_sub(rest.len() as u32);
    let inner = Span { start, ..text.inner };
    text.inner = if inner.of(source) == rest { inner } else { Span::at(text.inner.end as usize) };
    text.span = text.inner;
    text.text = Cow::Owned(rest);
    if text.text.is_empty() {
        first.children.remove(0);
    }
    match first.children.first() {
        Some(child) => first.inner = Span { start: child.span.start, ..first.inner },
        None => drop(children.remove(0)),
    }
    Some(found)
}

/// Returns the span of indented code with the white space before its first line: without it, the text is a paragraph.
fn indented(source: &str, span: Span) -> Span {
    let before = &source[..span.start as usize];
    let blank = before.len() - before.trim_end_matches([' ', '\t']).len();
    Span { start: span.start - blank.min(4) as u32, ..span }
}

/// Returns the language and the attributes in the first line of `source`, the source of a fence.
fn info(source: &str) -> (String, ThinVec<Attr<'_>>) {
    let line = source.lines().next().unwrap_or_default();
    let info = line.trim_start_matches(['`', '~']).trim_matches([' ', '\t', '\r']);
    if let Some(start) = info.find('{')
        && let Some(found) = whole_attrs(&info[start..])
        && (is_macro(&found) || found.iter().all(|it| attrs::is_of_code(&it.name)))
    {
        return (spelled::decoded(info[..start].trim_end()), found);
    }
    (spelled::decoded(info), ThinVec::new())
}

/// Returns whether a fence with these attributes is a macro, and its text the body of the macro.
fn is_macro(given: &[Attr<'_>]) -> bool {
    given.first().is_some_and(|it| it.name == "macro" && it.value.shown() == "true")
}

/// Returns whether all of `text`, written after a fence, would be read as the language of a block of code.
pub(in crate::markdown) fn is_language(text: &str) -> bool {
    let (language, given) = info(text);
    given.is_empty() && language == text && format(text).is_none()
}

/// Returns the text nodes of a block of code: one, or several where signs such as the `>` of a quote lie
/// between the lines in the source.
fn lines<'a>(prepared: &Prepared<'a>, within: &[Placed<'_>]) -> ThinVec<Node<'a>> {
    let mut nodes: ThinVec<Node<'a>> = ThinVec::new();
    for (event, placed) in within {
        let Event::Text(text) = event else { continue };
        let mut range = prepared.range(placed);
        let edited = !prepared.edits_in(placed).is_empty();
        let slice = prepared.source.get(range.clone()).unwrap_or_default();
        let text: Cow<'a, str> =
            if edited || *slice == **text { slice.into() } else { text.to_string().into() };
        if text.is_empty() {
            continue;
        }
        if let Some(last) = nodes.last_mut()
            && last.inner.end as usize == range.start
        {
            range.start = last.inner.start as usize;
            let slice = &prepared.source[range.clone()];
            last.text = match (&last.text, &text) {
                (Cow::Borrowed(a), Cow::Borrowed(b)) if a.len() + b.len() == slice.len() => slice.into(),
                (a, b) => format!("{a}{b}").into(),
            };
            last.inner.end = range.end as u32;
            last.span = last.inner;
        } else {
            let span = Span::new(range.start, range.end);
            nodes.push(Node::of_text(text).at(span, span));
        }
    }
    cut_last_break(&mut nodes);
    nodes
}

/// Removes the line feed before the closing fence from the last of `nodes`, because it is not part of the
/// code.
fn cut_last_break(nodes: &mut ThinVec<Node<'_>>) {
    let Some(last) = nodes.last_mut() else { return };
    let Some(text) = last.text.strip_suffix('\n') else { return };
    let shorter = text.len();
    let spelled = if last.inner.len() == last.text.len() { 1 } else { last.inner.len().min(1) };
    match &mut last.text {
        Cow::Borrowed(text) => *text = &text[..shorter],
        Cow::Owned(text) => text.truncate(shorter),
    }
    last.inner.end -= spelled as u32;
    last.span = last.inner;
    if last.text.is_empty() {
        nodes.pop();
    }
}

/// Returns the format that the info string of a fence names, and whether the lines of the fenced text
/// originally ended with CR LF; `None` if it names no format.
fn format(language: &str) -> Option<(&'static str, bool)> {
    let (name, has_crlf) = match language.strip_suffix(CRLF) {
        Some(name) => (name, true),
        None => (language, false),
    };
    let format = match name {
        "adf" => "adf",
        "storage" | "csf" => "storage",
        "wiki" => "wiki",
        _ => return None,
    };
    Some((format, has_crlf))
}

/// Returns the node for a fence whose language is the name of a format: for ADF the block that its JSON
/// describes, otherwise, and if the JSON describes no block, a raw block. Returns `None` for any other
/// language.
fn foreign<'a>(prepared: &Prepared<'a>, language: &str, lines: &[Node<'a>], span: Span) -> Option<Node<'a>> {
    let (format, has_crlf) = format(language)?;
    let mut text: Cow<'a, str> = match lines {
        [one] => one.text.clone(),
        _ => lines.iter().map(|it| &*it.text).collect::<String>().into(),
    };
    if has_crlf {
        text = text.replace('\n', "\r\n").into();
    }
    if format == "adf" {
        let node = crate::adf::read_node(&text, &prepared.room, span.start as usize);
        let mut node = unplaced(super::directive::owned(node));
        if !node.kind.is_inline() {
            node.text = if node.kind == Kind::RawBlock { text } else { node.text };
            return Some(node);
        }
    }
    Some(Node::raw(Kind::RawBlock, format, text))
}

/// Clears the spans of a node and of its descendants. The node was read from the text of a fence, so its
/// spans are not offsets in the Markdown. [`settle`] gives it spans in the Markdown.
fn unplaced(node: Node<'_>) -> Node<'_> {
    let children = node.children.into_iter().map(unplaced).collect();
    Node { span: Span::default(), inner: Span::default(), children, ..node }
}

/// Gives each node below `node` that has no span an empty span at the end of its parent.
fn settle(node: &mut Node<'_>) {
    let end = Span::at(node.inner.end as usize);
    for child in &mut node.children {
        if child.span == Span::default() {
            child.span = end;
            child.inner = end;
        }
        settle(child);
    }
}
